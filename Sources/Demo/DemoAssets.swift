import Pages

/// The files of the app; each name holds a hash of its content.
struct DemoAssets: Sendable {
    let styleSheet: Asset
    /// The protocol: what a relying party has to do.
    let protocolScript: Asset
    /// The page: buttons and tables.
    let app: Asset

    var all: [Asset] { [styleSheet, protocolScript, app] }

    init(path: String) {
        let javaScript = "text/javascript; charset=utf-8"
        styleSheet = Asset(
            directory: path, name: "demo", suffix: "css", mediaType: "text/css; charset=utf-8",
            content: demoStyleSheetText)
        protocolScript = Asset(
            directory: path, name: "oidc", suffix: "js", mediaType: javaScript, content: protocolScriptText)
        app = Asset(
            directory: path, name: "app", suffix: "js", mediaType: javaScript,
            content: "import * as oidc from '\(protocolScript.path)';\n" + appScriptText)
    }
}

/// What the app needs beside the style sheet of all pages.
let demoStyleSheetText = """
    :root { --good: #176b3a; --good-back: #e9f6ee; --mark-back: #fff0b8; --mark: #4d3b00; }
    @media (prefers-color-scheme: dark) {
      :root { --good: #8fdcac; --good-back: #14291d; --mark-back: #453a10; --mark: #ffe9a3; }
    }
    [hidden] { display: none !important; }
    section { margin-top: 2.25rem; padding-top: 1.5rem; border-top: 1px solid var(--line); }
    code, pre, td { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; font-size: .875em; }
    .credentials { display: flex; flex-wrap: wrap; gap: .75rem 2.5rem; padding: .9rem 1rem; background: var(--tint);
      border-radius: .75rem; }
    .credentials dd { margin: 0; font-weight: 600; }
    .actions + .note { margin-top: 1.75rem; }
    table + .note { margin: 1rem 0 0; }
    table { width: 100%; border-collapse: collapse; font-size: .9375rem; }
    th, td { padding: .55rem .75rem .55rem 0; border-top: 1px solid var(--line); text-align: left; vertical-align: top; }
    tr:last-child > * { border-bottom: 1px solid var(--line); }
    th { width: 8.5rem; font-weight: 600; overflow-wrap: normal; }
    td small { display: block; color: var(--soft); font: .8125rem/1.4 system-ui, sans-serif; }
    pre { margin: 0; padding: 1rem; line-height: 1.6; white-space: pre-wrap; overflow-wrap: anywhere; background: var(--tint);
      border-radius: .75rem; }
    mark { padding: .1em .2em; color: var(--mark); background: var(--mark-back); border-radius: .25em; }
    .checks, .log { margin: 0; padding: 0; list-style: none; }
    .checks li { position: relative; padding: .3rem 0 .3rem 1.75rem; }
    .checks li::before { content: "✓"; position: absolute; left: .25rem; color: var(--good); font-weight: 700; }
    .checks .failed { color: var(--bad); }
    .checks .failed::before { content: "✗"; color: var(--bad); }
    .log li { margin-top: 1rem; padding: .9rem 1rem; border: 1px solid var(--line); border-radius: .75rem; }
    .log p { margin: 0; }
    .log .what { display: flex; flex-wrap: wrap; align-items: baseline; gap: .25rem .75rem; font-weight: 600; }
    .log .says { margin-top: .35rem; color: var(--soft); }
    .badge { padding: .05rem .5rem; font-size: .8125rem; font-weight: 600; border-radius: 1rem; }
    .badge.good { color: var(--good); background: var(--good-back); }
    .badge.bad { color: var(--bad); background: var(--bad-back); }
    details { margin: .35rem 0 -.4rem; }
    summary { padding: .7rem 0; line-height: 1.5rem; font-size: .875rem; cursor: pointer; color: var(--accent); }
    @media (min-width: 34rem) {
      .row { display: flex; flex-wrap: wrap; }
      .row button, .row .button { width: auto; }
    }
    """
