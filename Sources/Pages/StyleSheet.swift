/// The style sheet of all pages. Phone first: one column, 16 px inputs (iOS zooms into smaller ones), targets of 48 px.
/// Text and controls keep a contrast of 4.5:1 and more in both colour schemes.
let styleSheetText = """
    :root {
      color-scheme: light dark;
      --back: #f3f4f8; --card: #ffffff; --text: #171a26; --soft: #565c70; --line: #d9dce6; --field: #868ca1;
      --accent: #3a46c8; --accent-hover: #2c369f; --on-accent: #ffffff; --tint: #eef0fd;
      --bad: #a11226; --bad-back: #fdeef0; --bad-line: #eeb8c0;
    }
    @media (prefers-color-scheme: dark) {
      :root {
        --back: #0f1118; --card: #181b26; --text: #eceef6; --soft: #a8aec2; --line: #313647; --field: #7a819a;
        --accent: #a5b0ff; --accent-hover: #c3cbff; --on-accent: #12162f; --tint: #232842;
        --bad: #ffb3bd; --bad-back: #35181e; --bad-line: #6b2f3a;
      }
    }
    *, *::before, *::after { box-sizing: border-box; }
    html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
    body {
      margin: 0; background: var(--card); color: var(--text);
      font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", sans-serif;
    }
    main { max-width: 27rem; margin: 0 auto; padding: 1.5rem 1.25rem 2.5rem; overflow-wrap: anywhere; }
    .wide main { max-width: 46rem; }
    .brand {
      display: flex; align-items: center; gap: .55rem; margin: 0 0 1.75rem; font-weight: 600; color: var(--soft);
      letter-spacing: .01em;
    }
    .brand img { display: block; }
    h1 { margin: 0 0 .35rem; font-size: 1.75rem; line-height: 1.2; font-weight: 650; letter-spacing: -.015em; }
    h2 { margin: 0 0 .6rem; font-size: 1rem; line-height: 1.4; font-weight: 650; }
    p { margin: 0 0 1rem; }
    .lead { color: var(--soft); margin-bottom: 1.75rem; }
    .lead strong, .note strong { color: var(--text); font-weight: 600; }
    a { color: var(--accent); text-underline-offset: .18em; }
    a:hover { color: var(--accent-hover); }
    label { display: block; margin: 0 0 .4rem; font-weight: 600; font-size: .9375rem; }
    input[type="text"], input[type="password"] {
      display: block; width: 100%; min-height: 3rem; margin: 0 0 1.25rem; padding: .6rem .8rem;
      font: inherit; font-size: 1rem; color: var(--text); background: var(--card);
      border: 1px solid var(--field); border-radius: .6rem;
    }
    input:focus { border-color: var(--accent); }
    input[aria-invalid="true"] { border-color: var(--bad); }
    :focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
    input:focus-visible { outline-width: 2px; outline-offset: 0; }
    .actions { display: grid; gap: .75rem; margin-top: 1.5rem; }
    button, .button {
      display: flex; align-items: center; justify-content: center; width: 100%; min-height: 3rem; padding: .6rem 1.1rem;
      font: inherit; font-weight: 600; text-align: center; text-decoration: none; cursor: pointer;
      color: var(--text); background: transparent; border: 1px solid var(--field); border-radius: .6rem;
      -webkit-appearance: none; appearance: none; touch-action: manipulation;
    }
    button:hover, .button:hover { background: var(--tint); color: var(--text); }
    .primary { color: var(--on-accent); background: var(--accent); border-color: transparent; }
    .primary:hover { color: var(--on-accent); background: var(--accent-hover); }
    .quiet { border-color: transparent; color: var(--accent); }
    .quiet:hover { color: var(--accent-hover); }
    button:disabled { opacity: .5; cursor: default; }
    .problem {
      margin: 0 0 1.5rem; padding: .8rem 1rem; color: var(--bad); background: var(--bad-back);
      border: 1px solid var(--bad-line); border-radius: .6rem;
    }
    .account {
      display: flex; align-items: center; gap: .8rem; margin: 1rem 0 1.25rem; padding: .7rem .9rem;
      background: var(--tint); border-radius: .75rem;
    }
    .disc {
      flex: none; display: grid; place-items: center; width: 2.5rem; height: 2.5rem; border-radius: 50%;
      color: var(--on-accent); background: var(--accent); font-weight: 650;
    }
    .who { min-width: 0; font-weight: 600; line-height: 1.35; }
    .who small { display: block; font-size: .8125rem; font-weight: 400; color: var(--soft); }
    .asks { margin-bottom: .75rem; }
    .scopes { margin: 0 0 1.25rem; padding: 0; list-style: none; }
    .scopes li { position: relative; padding: .6rem 0 .6rem 2rem; border-top: 1px solid var(--line); }
    .scopes li:last-child { border-bottom: 1px solid var(--line); }
    .scopes li::first-letter { text-transform: uppercase; }
    .scopes li::before {
      content: ""; position: absolute; left: .35rem; top: .92rem; width: .42rem; height: .78rem;
      border: solid var(--accent); border-width: 0 .15rem .15rem 0; transform: rotate(42deg);
    }
    .note { font-size: .9375rem; color: var(--soft); }
    .links {
      display: flex; flex-wrap: wrap; gap: 0 1.25rem; margin: 1.5rem 0 0; padding: 0; list-style: none; font-size: .875rem;
    }
    .links a { display: inline-flex; align-items: center; min-height: 2.75rem; }
    .details { margin-top: 2rem; padding-top: 1.25rem; border-top: 1px solid var(--line); font-size: .875rem; }
    .details h2 { font-size: .875rem; color: var(--soft); }
    dl { margin: 0; }
    dt { color: var(--soft); }
    dd { margin: 0 0 .6rem; font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
    @media (min-width: 34rem) {
      .choice { grid-template-columns: 1fr 1fr; }
      .choice .quiet { grid-column: 1 / -1; }
      body { background: var(--back); }
      main {
        margin: clamp(1rem, 7vh, 6rem) auto 2rem; padding: 2rem 2.5rem 2.25rem; background: var(--card);
        border: 1px solid var(--line); border-radius: 1.1rem; box-shadow: 0 1px 2px #0000000a, 0 12px 40px #0000000f;
      }
    }
    .hidden {
      position: absolute; width: 1px; height: 1px; margin: -1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap;
    }
    @media (forced-colors: active) {
      .primary, .disc { border: 1px solid ButtonText; }
      .scopes li::before { border-color: CanvasText; }
    }
    """
