//! The page: what is in the record, for a person and a browser. It reads and decides nothing.
//!
//! ```text
//!  anyhook serve --open ──> a link that counts once ──> a cookie of this browser ──> the pages
//! ```
//!
//! A page is a route, a file in this folder, and a place in the navigation where a person looks for it. Every text of
//! a record is a stranger's: the templates escape it, and [`shown`] writes what would hide or turn text as escapes.

pub(crate) mod door;
mod event;
mod health;
pub(crate) mod inbox;
mod layout;
mod live;
mod snapshots;
mod timeline;
mod visitors;
mod wanted;

use std::sync::Arc;

use anyhook::files::with_causes;
use anyhook::stores::{Jsonl, RecordDetail};
// What would move, turn or hide text is written as escapes; the template escapes the rest.
pub(crate) use anyhook::text::tame as shown;
use anyhook::world::World;
use axum::extract::{Path, State};
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, LOCATION, REFRESH, SET_COOKIE};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Router, middleware};
use maud::{Markup, html};
use tokio::sync::{Semaphore, watch};

use crate::error::ServeError;
use crate::gate::Door;
use crate::places::ServerFolder;

pub(crate) use layout::{NavigationItem, layout};
pub(crate) use visitors::{Visitors, link};

/// So many pages are made at a time; others wait. No page takes the place of an event.
const AT_A_TIME: usize = 4;
/// So many pages are told news at a time.
const LISTENING: usize = 32;

/// What every page is made from.
pub(crate) struct PageContext {
    pub(crate) world: World,
    pub(crate) visitors: Visitors,
    free: Semaphore,
    /// Places for pages that are told news.
    seats: Arc<Semaphore>,
    ends: watch::Receiver<()>,
}

/// What a page is made from, as a handler takes it.
pub(crate) type PageState = State<Arc<PageContext>>;

impl PageContext {
    /// Makes what the pages of a person's server are made from.
    pub(crate) fn new(
        world: World,
        folder: &ServerFolder,
        ends: watch::Receiver<()>,
    ) -> Result<Self, ServeError> {
        Ok(Self {
            visitors: Visitors::of(folder)?,
            world,
            free: Semaphore::new(AT_A_TIME),
            seats: Arc::new(Semaphore::new(LISTENING)),
            ends,
        })
    }

    /// Opens the record.
    pub(crate) fn record(&self) -> Result<Jsonl, PageError> {
        let places = self.world.places.as_ref();
        let places = places.ok_or_else(|| {
            PageError::of("There is no home folder, so nothing is recorded: set HOME.")
        })?;
        Ok(Jsonl::new(places.reports(), RecordDetail::Verdicts))
    }

    /// Makes a page on a thread of its own: it reads files, and no event may wait for it.
    pub(crate) async fn make(
        self: &Arc<Self>,
        make: impl FnOnce(&Self) -> Result<Markup, PageError> + Send + 'static,
    ) -> Response {
        let Ok(_permit) = self.free.acquire().await else {
            return PageError::of("the server ends").into_response();
        };
        let its = Arc::clone(self);
        let page = tokio::task::spawn_blocking(move || make(&its)).await;
        let mistake = "a mistake of ours kept this page from being made";
        match page.unwrap_or_else(|_| Err(PageError::of(mistake))) {
            Ok(page) => document(StatusCode::OK, page),
            Err(broken) => broken.into_response(),
        }
    }
}

/// Why a page could not be made.
#[derive(Debug)]
pub(crate) struct PageError(StatusCode, String);

impl PageError {
    /// Something failed.
    pub(crate) fn of(what: impl Into<String>) -> Self {
        Self(StatusCode::INTERNAL_SERVER_ERROR, what.into())
    }
}

impl<E: std::error::Error> From<E> for PageError {
    fn from(error: E) -> Self {
        Self::of(with_causes(&error))
    }
}

impl IntoResponse for PageError {
    fn into_response(self) -> Response {
        let Self(status, what) = self;
        let title = match status {
            StatusCode::NOT_FOUND => "Not found",
            StatusCode::UNAUTHORIZED => "Closed",
            _ => "This page could not be made",
        };
        let body = html! { p { (shown(&what)) } };
        document(status, layout(title, NavigationItem::Nowhere, &body))
    }
}

/// Makes the router of the pages for one door.
pub(crate) fn router(pages: &Arc<PageContext>, door: &Door) -> Router {
    let asks = middleware::from_fn_with_state(Arc::clone(pages), door::asks_cookie);
    let watch = middleware::from_fn_with_state(door.clone(), door::watch);
    let style = || asset("text/css; charset=utf-8", include_str!("page/style.css"));
    let live = || asset("text/javascript", include_str!("page/live.js"));
    let icon = || asset("image/svg+xml", include_str!("page/icon.svg"));
    Router::new()
        .route("/", get(timeline::page))
        .route("/events/{id}", get(event::page))
        .route("/snapshots", get(snapshots::page))
        .route("/snapshots/{id}", get(snapshots::one))
        .route("/statistics", get(health::statistics))
        .route("/live", get(live::news))
        .layer(asks)
        // No cookie is needed for the link that gives one, and for what is the same for everyone.
        .route("/open/{secret}", get(enter))
        .route("/assets/style.css", get(async move || style()))
        .route("/assets/live.js", get(async move || live()))
        .route("/assets/icon.svg", get(async move || icon()))
        .layer(watch)
        .with_state(Arc::clone(pages))
}

/// Lets a browser in that has a link, once.
async fn enter(State(pages): PageState, Path(secret): Path<String>, asked: HeaderMap) -> Response {
    let Some(cookie) = pages.visitors.enter(&secret) else {
        return door::closed("This link was used already, or it is too old.");
    };
    let from = asked.get("sec-fetch-site");
    if from.is_none_or(|from| from == "none" || from == "same-origin") {
        let headers = [(SET_COOKIE, cookie), (LOCATION, "/".to_owned())];
        return (StatusCode::SEE_OTHER, headers).into_response();
    }
    // A browser that came by another page would be sent on without the cookie, which is `SameSite=Strict`; from a page of
    // ours it goes on with it.
    let page = layout(
        "Open",
        NavigationItem::Nowhere,
        &html! { p { a href="/" { "Go on." } } },
    );
    let headers = [(SET_COOKIE, cookie), (REFRESH, "0; url=/".to_owned())];
    (headers, document(StatusCode::OK, page)).into_response()
}

fn asset(kind: &'static str, text: &'static str) -> Response {
    let headers = [(CONTENT_TYPE, kind), (CACHE_CONTROL, "no-cache")];
    (headers, text).into_response()
}

fn document(status: StatusCode, page: Markup) -> Response {
    let mut headers = HeaderMap::new();
    let kind = axum::http::HeaderValue::from_static("text/html; charset=utf-8");
    headers.insert(CONTENT_TYPE, kind);
    (status, headers, page.into_string()).into_response()
}
