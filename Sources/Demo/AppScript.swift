/// The page side of the app. A line that imports the protocol side is put before it.
let appScriptText = #"""

    const root = document.getElementById('demo');
    const app = {
      issuer: root.dataset.issuer, clientID: root.dataset.clientId, redirectURI: root.dataset.redirectUri,
      scope: root.dataset.scope,
    };

    // All that is kept, and only in this tab: the sign-in under way, and what the last one gave.
    const storage = {
      get pending() { return JSON.parse(sessionStorage.getItem('demo-pending')); },
      set pending(value) { sessionStorage.setItem('demo-pending', JSON.stringify(value)); },
      get session() { return JSON.parse(sessionStorage.getItem('demo-session')); },
      set session(value) { sessionStorage.setItem('demo-session', JSON.stringify(value)); },
    };

    const element = id => document.getElementById(id);
    const make = (name, className, ...children) => {
      const made = document.createElement(name);
      if (className) made.className = className;
      made.append(...children);
      return made;
    };
    const button = action => document.querySelector(`[data-action="${action}"]`);

    // Actions

    async function signIn(prompt) {
      const { url, pending } = await oidc.authorization(await oidc.discover(app.issuer), app, prompt);
      storage.pending = pending;
      location.assign(url);
    }

    async function finishSignIn(query) {
      const checks = new oidc.Checks();
      const pending = storage.pending;
      // An answer is good for one try, and its code does not stay in the address or the history.
      storage.pending = null;
      history.replaceState(null, '', location.pathname);
      try {
        const metadata = await oidc.discover(app.issuer);
        const code = oidc.codeOf(query, pending, metadata, checks);
        const { ok, status, body } = await oidc.exchange(metadata, app, code, pending);
        if (!ok) throw new oidc.Problem(body.error_description ?? `The token endpoint answered ${status}.`, body.error);
        const claims = await oidc.verifyIDToken(
          body.id_token, body.access_token, metadata, app, { nonce: pending.nonce }, checks);
        storage.session = {
          answer: body, claims, checks: checks.list, ended: false,
          refreshTokens: body.refresh_token ? [body.refresh_token] : [],
        };
        show(storage.session);
      } catch (problem) {
        showFailure(problem, checks.list);
      }
    }

    async function refresh() {
      const session = storage.session;
      const count = session.refreshTokens.length;
      const { ok, status, body } = await send(session.refreshTokens.at(-1));
      if (ok) {
        await accept(session, body, `Refresh token ${count} gave refresh token ${count + 1}`, status,
          'New tokens; what changed is marked in the token answer below.');
      } else {
        report(`Refresh token ${count} was refused`, status, body, whyRefused(session, body));
      }
    }

    // The reply to the last refresh got lost, and the app tries again with the token it still has.
    async function retry() {
      const session = storage.session;
      const count = session.refreshTokens.length;
      const { ok, status, body } = await send(session.refreshTokens.at(-2));
      if (ok && body.refresh_token === session.refreshTokens.at(-1)) {
        await accept(session, body, `Refresh token ${count - 1} again gave the same refresh token ${count}`, status,
          'As if the last reply had been lost on the way: the successor has not been used yet, so it is handed out once '
          + 'more. Nobody is signed out, and there is still only one live token.');
      } else if (ok) {
        await accept(session, body, `Refresh token ${count - 1} again gave another refresh token`, status, '');
      } else {
        session.ended ||= body.error === 'invalid_grant';
        storage.session = session;
        report(`Refresh token ${count - 1} again was refused`, status, body, body.error !== 'invalid_grant'
          ? whyRefused(session, body)
          : 'The time for a retry was over, so this counts as a replay. The whole family of tokens has ended.');
        show(session);
      }
    }

    // A token from two steps ago can only be a copy.
    async function replay() {
      const session = storage.session;
      const count = session.refreshTokens.length;
      const old = await send(session.refreshTokens.at(-3));
      if (old.body.error === 'invalid_grant') session.ended = true;
      storage.session = session;
      report(`Refresh token ${count - 2} was sent once more`, old.status, old.body, old.body.error !== 'invalid_grant'
        ? whyRefused(session, old.body)
        : 'Its successor has been used, so somebody has a copy. The provider cannot tell who is the thief and ends the '
          + 'family.');
      if (session.ended) {
        const newest = await send(session.refreshTokens.at(-1));
        report(`Refresh token ${count}, the newest one, after that`, newest.status, newest.body,
          newest.ok ? 'It still works!' : 'The family has ended: the newest token is worth nothing either. The person signs in '
          + 'again; other apps and devices do not notice.');
      }
      show(session);
    }

    async function userinfo() {
      const session = storage.session;
      const { ok, status, body } = await oidc.userInfo(
        await oidc.discover(app.issuer), session.answer.access_token, session.claims.sub);
      if (ok) {
        report('Userinfo told who you are', status, body,
          'These claims belong to the scopes that you have granted. Nothing else is told.', 'userinfo');
      } else {
        report('Userinfo refused', status, body, status === 401
          ? 'The access token is not good any more: refresh, or sign in again.' : body.error_description ?? '', 'userinfo');
      }
    }

    async function send(refreshToken) {
      return oidc.refresh(await oidc.discover(app.issuer), app, refreshToken);
    }

    function whyRefused(session, body) {
      if (body.error !== 'invalid_grant') return 'The provider could not answer. Nothing has happened to the token: try again.';
      return session.ended ? 'The family of this token has ended.' : 'The provider does not take this token any more.';
    }

    /** Takes over a good token answer. */
    async function accept(session, body, what, status, says) {
      const checks = new oidc.Checks();
      if (body.id_token) {
        session.claims = await oidc.verifyIDToken(body.id_token, body.access_token, await oidc.discover(app.issuer), app,
          { subject: session.claims.sub }, checks);
        session.checks = checks.list;
      }
      if (body.refresh_token && body.refresh_token !== session.refreshTokens.at(-1)) {
        session.refreshTokens.push(body.refresh_token);
      }
      const before = session.answer;
      session.answer = body;
      storage.session = session;
      report(what, status, body, says);
      show(session, before);
    }

    // Views

    function show(session, before) {
      const name = session.claims.name ?? session.claims.preferred_username ?? session.claims.email ?? session.claims.sub;
      document.title = 'Signed in – Demo app';
      element('title').textContent = 'Signed in';
      element('lead').replaceChildren('The app knows you as ', make('strong', '', name), '.');
      showClaims(session.claims);
      showAnswer(session.answer, before);
      showChecks(session.checks);
      const count = session.refreshTokens.length;
      element('tokens').hidden = count === 0;
      button('refresh').disabled = session.ended;
      button('retry').disabled = session.ended || count < 2;
      button('replay').disabled = session.ended || count < 3;
      button('forget').hidden = false;
    }

    function showFailure(problem, checks) {
      document.title = 'Not signed in – Demo app';
      element('title').textContent = 'Not signed in';
      element('lead').textContent = problem.code === 'access_denied'
        ? 'You did not let the app know who you are. That is all the app gets to hear.'
        : 'The app does not know who you are.';
      tell([problem.code, problem.message].filter(Boolean).join(': '));
      showChecks(checks);
      button('forget').hidden = true;
    }

    const times = new Set(['iat', 'exp', 'auth_time', 'nbf']);

    function showClaims(claims) {
      element('claims-section').hidden = false;
      element('claims').replaceChildren(...Object.entries(claims).map(([name, value]) => {
        const head = make('th', '', name);
        head.scope = 'row';
        const cell = make('td', '', typeof value === 'string' ? value : JSON.stringify(value));
        if (times.has(name)) cell.append(make('small', '', new Date(value * 1000).toLocaleString()));
        return make('tr', '', head, cell);
      }));
    }

    function showAnswer(answer, before) {
      element('answer-section').hidden = false;
      element('answer').replaceChildren(...jsonLines(answer, before));
    }

    /** Pretty JSON; members that differ from `before` are marked. */
    function jsonLines(answer, before) {
      const members = Object.entries(answer);
      return ['{\n', ...members.flatMap(([name, value], index) => {
        const line = `${JSON.stringify(name)}: ${JSON.stringify(value)}`;
        const changed = before !== undefined && JSON.stringify(before[name]) !== JSON.stringify(value);
        return ['  ', changed ? make('mark', '', line) : line, index + 1 < members.length ? ',\n' : '\n'];
      }), '}'];
    }

    function showChecks(checks) {
      element('checks-section').hidden = checks.length === 0;
      element('checks').replaceChildren(...checks.map(({ text, holds }) => make('li', holds ? '' : 'failed', text)));
    }

    /** Adds to a log what was sent and what came back, newest first. */
    function report(what, status, body, says, log = 'log') {
      const good = status === 200;
      const title = make('p', 'what', what, make('span', `badge ${good ? 'good' : 'bad'}`, `${status} ${body.error ?? 'OK'}`));
      const details = make('details', '', make('summary', '', 'Show the answer'), make('pre', '', ...jsonLines(body)));
      element(log).prepend(make('li', '', title, make('p', 'says', says), details));
    }

    function tell(text) {
      const problem = element('problem');
      problem.textContent = text;
      problem.hidden = !text;
    }

    // Start

    const actions = {
      'sign-in': () => signIn(), 'prompt-login': () => signIn('login'), userinfo, refresh, retry, replay,
      forget: () => {
        storage.session = null;
        location.assign(root.dataset.start);
      },
    };

    for (const pressed of document.querySelectorAll('[data-action]')) {
      pressed.addEventListener('click', async () => {
        if (pressed.getAttribute('aria-busy') === 'true') return;
        pressed.setAttribute('aria-busy', 'true');
        tell('');
        try {
          await actions[pressed.dataset.action]();
        } catch (problem) {
          tell(`That did not work: ${problem.message}`);
        } finally {
          pressed.removeAttribute('aria-busy');
        }
      });
    }

    const home = new URL(app.redirectURI);
    if (location.origin !== home.origin) {
      // Scripts may only talk to their own origin here: localhost and 127.0.0.1 are two.
      location.replace(home.origin + root.dataset.start);
    } else if (!window.isSecureContext) {
      tell('Browsers only check signatures on https pages and on this computer (127.0.0.1, localhost).');
    } else if (location.pathname === home.pathname) {
      const query = new URLSearchParams(location.search);
      if (query.size > 0) await finishSignIn(query);
      else if (storage.session) show(storage.session);
      else location.replace(root.dataset.start);
    }

    """#
