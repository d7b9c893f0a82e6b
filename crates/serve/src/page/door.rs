//! Access to a page: only this machine's browser with its cookie, from a page of ours or its person, never from another page.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::Response;
use maud::html;

use super::{NavigationItem, PageContext, document, layout};
use crate::gate::{self, Door};
use crate::problem::Rejection;

/// What every answer to a browser says: it loads nothing from elsewhere, runs nothing that is not a file of ours, stands in no
/// frame, and is kept by no cache.
const HEADERS: &[(&str, &str)] = &[
    (
        "content-security-policy",
        "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; \
         base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'",
    ),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-resource-policy", "same-origin"),
    // With `no-referrer` a browser sends `Origin: null` with the forms of these pages too.
    ("referrer-policy", "same-origin"),
    ("x-content-type-options", "nosniff"),
    ("x-frame-options", "DENY"),
];

/// Lets through what a person or a page of ours asks for.
pub(crate) async fn watch(
    State(door): State<Door>,
    request: Request,
    next: Next,
) -> Result<Response, Rejection> {
    gate::is_meant(request.headers(), &door)?;
    if !is_ours(request.method(), request.headers()) {
        return Err(Rejection::NotOurs);
    }
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    for (name, value) in HEADERS {
        headers.insert(
            HeaderName::from_static(name),
            HeaderValue::from_static(value),
        );
    }
    let kept = HeaderValue::from_static("no-store");
    headers.entry(header::CACHE_CONTROL).or_insert(kept);
    Ok(response)
}

/// Lets through a browser that has its cookie, and says to others how they get one.
pub(super) async fn asks_cookie(
    State(pages): State<Arc<PageContext>>,
    request: Request,
    next: Next,
) -> Response {
    if !pages.visitors.has(request.headers()) {
        return closed("This page is for the person whose agents these are.");
    }
    next.run(request).await
}

/// Says that a browser is not let in, and how it is.
pub(super) fn closed(why: &str) -> Response {
    let body = html! {
        p { (why) }
        p { "Type " code { "anyhook serve --open" } " in a terminal, and open the link that it prints in this browser." }
        p { "Has this browser been let in already? Then a link from elsewhere led here. " a href="" { "Go on." } }
    };
    let page = layout("Closed", NavigationItem::Nowhere, &body);
    document(StatusCode::UNAUTHORIZED, page)
}

/// Tells whether a page of ours asks, or a person who typed the address. A link on another page may lead here, without the
/// cookie: it is `SameSite=Strict`. What changes something has to come from a page of ours.
fn is_ours(method: &Method, headers: &HeaderMap) -> bool {
    let text = |name: &str| headers.get(name).map(|value| value.to_str().unwrap_or("?"));
    let host = text("host").unwrap_or_default();
    let origin = text("origin");
    let is_same = origin.is_none_or(|origin| origin.strip_prefix("http://") == Some(host));
    let is_followed = method == Method::GET
        && text("sec-fetch-mode") == Some("navigate")
        && text("sec-fetch-dest") == Some("document");
    let is_near = match text("sec-fetch-site") {
        None | Some("none" | "same-origin") => true,
        Some(_) => is_followed,
    };
    let is_read = method == Method::GET || method == Method::HEAD;
    is_same && is_near && (is_read || origin.is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ours(method: &Method, lines: &[(&'static str, &'static str)]) -> bool {
        let mut headers = HeaderMap::new();
        for (name, value) in lines {
            headers.append(*name, HeaderValue::from_static(value));
        }
        is_ours(method, &headers)
    }

    #[test]
    fn a_page_of_another_server_reads_nothing_and_changes_nothing() {
        let host = ("host", "127.0.0.1:7467");
        let own = ("origin", "http://127.0.0.1:7467");
        let other = ("origin", "http://127.0.0.1:3000");
        let same = ("sec-fetch-site", "same-origin");
        assert!(ours(&Method::GET, &[host]));
        assert!(ours(&Method::GET, &[host, ("sec-fetch-site", "none")]));
        assert!(ours(&Method::POST, &[host, own, same]));
        let linked = [
            host,
            ("sec-fetch-site", "cross-site"),
            ("sec-fetch-mode", "navigate"),
            ("sec-fetch-dest", "document"),
        ];
        assert!(ours(&Method::GET, &linked), "a link in a message");
        assert!(!ours(&Method::POST, &linked), "a form elsewhere");
        for wrong in [
            &[host, other][..],
            &[host, ("origin", "null")],
            &[host, ("sec-fetch-site", "same-site")],
            &[host, ("sec-fetch-site", "cross-site")],
            &[
                host,
                ("sec-fetch-site", "cross-site"),
                ("sec-fetch-mode", "navigate"),
                ("sec-fetch-dest", "iframe"),
            ],
        ] {
            assert!(!ours(&Method::GET, wrong), "{wrong:?}");
            assert!(!ours(&Method::POST, wrong), "{wrong:?}");
        }
        assert!(!ours(&Method::POST, &[host]), "no word of where it is from");
    }
}
