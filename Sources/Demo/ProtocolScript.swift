/// The protocol side of the app, written to be read by people who build their own.
let protocolScriptText = #"""
    // A relying party of OpenID Connect in the browser: authorization code flow with PKCE for a public client.
    // Numbers in brackets are sections of OpenID Connect Core 1.0 unless they name an RFC.

    /** A rule that did not hold, or an error answer. `code` is the OAuth error code if there is one. */
    export class Problem extends Error {
      constructor(message, code) { super(message); this.code = code; }
    }

    /** Notes what was checked, and stops at the first thing that is wrong. */
    export class Checks {
      list = [];
      require(text, holds) {
        this.list.push({ text, holds });
        if (!holds) throw new Problem('Not true: ' + text);
      }
    }

    /** Discovery (OpenID Connect Discovery 1.0 section 4). */
    export async function discover(issuer) {
      const response = await fetch(issuer + '/.well-known/openid-configuration');
      if (!response.ok) throw new Problem(`Discovery answered ${response.status}.`);
      const metadata = await response.json();
      if (metadata.issuer !== issuer) throw new Problem('Discovery speaks for another issuer.');
      return metadata;
    }

    /** Where to send the browser, and what to remember until it is back (3.1.2.1, RFC 7636 section 4). */
    export async function authorization(metadata, app, prompt) {
      const pending = { state: random(), nonce: random(), verifier: random() };
      const url = new URL(metadata.authorization_endpoint);
      const parameters = {
        response_type: 'code', client_id: app.clientID, redirect_uri: app.redirectURI, scope: app.scope,
        state: pending.state, nonce: pending.nonce,
        code_challenge: base64url(await sha256(pending.verifier)), code_challenge_method: 'S256',
      };
      if (prompt) parameters.prompt = prompt;
      for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
      return { url, pending };
    }

    /** The code in the authorization response (3.1.2.5, RFC 9207). */
    export function codeOf(query, pending, metadata, checks) {
      checks.require('the answer belongs to a sign-in that was started in this tab (state)',
        Boolean(pending) && query.get('state') === pending.state);
      if (metadata.authorization_response_iss_parameter_supported) {
        checks.require('the answer is from the provider that was asked (iss)', query.get('iss') === metadata.issuer);
      }
      if (query.has('error')) throw new Problem(query.get('error_description') ?? '', query.get('error'));
      checks.require('the answer holds a code', Boolean(query.get('code')));
      return query.get('code');
    }

    /** Exchanges the code (3.1.3). */
    export function exchange(metadata, app, code, pending) {
      return askToken(metadata, {
        grant_type: 'authorization_code', client_id: app.clientID, redirect_uri: app.redirectURI, code,
        code_verifier: pending.verifier,
      });
    }

    /** Uses a refresh token (12). */
    export function refresh(metadata, app, refreshToken) {
      return askToken(metadata, { grant_type: 'refresh_token', client_id: app.clientID, refresh_token: refreshToken });
    }

    /** What the provider tells of the person (5.3). `subject` is the ID Token's: claims of anyone else must not be used. */
    export async function userInfo(metadata, accessToken, subject) {
      if (!metadata.userinfo_endpoint) throw new Problem('The provider has no userinfo: it is switched off.');
      const response = await fetch(metadata.userinfo_endpoint, { headers: { Authorization: `Bearer ${accessToken}` } });
      const body = await response.json();
      if (response.ok && body.sub !== subject) throw new Problem('Userinfo speaks of another person.');
      return { ok: response.ok, status: response.status, body };
    }

    /** Gives status and JSON of the token endpoint, for errors as well. */
    async function askToken(metadata, parameters) {
      const response = await fetch(metadata.token_endpoint, { method: 'POST', body: new URLSearchParams(parameters) });
      return { ok: response.ok, status: response.status, body: await response.json() };
    }

    /** The claims of an ID Token after all checks (3.1.3.7). `expected` has nonce (first token) or subject (refreshed one). */
    export async function verifyIDToken(token, accessToken, metadata, app, expected, checks) {
      const [head, body, signature] = token.split('.');
      const header = JSON.parse(text(head));
      // The algorithm is the app's choice, never the token's.
      checks.require('the ID Token is signed with RS256', header.alg === 'RS256');
      const { keys } = await (await fetch(metadata.jwks_uri)).json();
      const jwk = keys.find(key => key.kid === header.kid && key.kty === 'RSA');
      checks.require(`the provider publishes the key it is signed with (${header.kid})`, Boolean(jwk));
      const algorithm = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' };
      const key = await crypto.subtle.importKey('jwk', { kty: jwk.kty, n: jwk.n, e: jwk.e }, algorithm, false, ['verify']);
      checks.require('its signature is right',
        await crypto.subtle.verify(algorithm, key, bytes(signature), new TextEncoder().encode(`${head}.${body}`)));

      const claims = JSON.parse(text(body));
      const now = Date.now() / 1000;
      const audience = [claims.aud].flat();
      checks.require('it is from the provider (iss)', claims.iss === metadata.issuer);
      checks.require('it is for this app (aud)',
        audience.includes(app.clientID) && (audience.length === 1 || claims.azp === app.clientID));
      checks.require('it has not expired (exp)', claims.exp > now);
      checks.require('it was made just now (iat)', Math.abs(now - claims.iat) < 300);
      if (expected.nonce) {
        checks.require('it answers this request and no other (nonce)', claims.nonce === expected.nonce);
      }
      if (expected.subject) checks.require('it is about the same person as before (sub)', claims.sub === expected.subject);
      if (claims.at_hash) {
        checks.require('the access token came with it (at_hash)',
          claims.at_hash === base64url((await sha256(accessToken)).slice(0, 16)));
      }
      return claims;
    }

    /** 256 random bits as 43 characters. */
    function random() { return base64url(crypto.getRandomValues(new Uint8Array(32))); }

    function sha256(string) { return crypto.subtle.digest('SHA-256', new TextEncoder().encode(string)); }

    function base64url(buffer) {
      return btoa(String.fromCharCode(...new Uint8Array(buffer)))
        .replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
    }

    function bytes(encoded) {
      return Uint8Array.from(atob(encoded.replaceAll('-', '+').replaceAll('_', '/')), c => c.charCodeAt(0));
    }

    function text(encoded) { return new TextDecoder().decode(bytes(encoded)); }

    """#
