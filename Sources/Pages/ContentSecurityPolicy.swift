/// The Content-Security-Policy of a page: no script, nothing inline, nothing from elsewhere, no frames.
///
/// No part of it comes from a request or from an app's registration.
enum ContentSecurityPolicy: String {
    case page =
        "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'"

    /// For a page with a form that ends at an app: without `form-action`, which Chromium applies to every redirect that
    /// follows, also to those of the app, so that any list breaks apps that send the person on
    /// (Docs/decisions/0001-no-form-action-on-pages.md).
    case form = "default-src 'none'; style-src 'self'; img-src 'self'; frame-ancestors 'none'; base-uri 'none'"
}
