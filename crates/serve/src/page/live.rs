//! News for pages that are open, as server-sent events: that there is something new, and nothing of what it is.

use std::convert::Infallible;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use http_body_util::channel::Channel;
use tokio::time::{Instant, sleep};

use super::PageState;

/// How often the end of the record is looked at.
const MOMENT: Duration = Duration::from_millis(500);
/// How long a browser is told news before it asks again.
const LONGEST: Duration = Duration::from_mins(10);

/// Answers with the news.
pub(super) async fn news(State(pages): PageState) -> Response {
    let (Ok(record), Ok(seat)) = (pages.record(), pages.seats.clone().try_acquire_owned()) else {
        return StatusCode::SERVICE_UNAVAILABLE.into_response();
    };
    let (mut tell, body) = Channel::<Bytes, Infallible>::new(1);
    let mut ends = pages.ends.clone();
    tokio::spawn(async move {
        let (last, mut place) = (Instant::now() + LONGEST, record.end());
        let mut told = Bytes::from_static(b": here\n\n");
        // A line without news says whether the browser is still there.
        while Instant::now() < last && tell.send_data(told).await.is_ok() {
            tokio::select! {
                () = sleep(MOMENT) => {}
                _ = ends.changed() => break,
            }
            let end = record.end();
            told = if end == place {
                Bytes::from_static(b":\n\n")
            } else {
                Bytes::from_static(b"event: news\ndata: 1\n\n")
            };
            place = end;
        }
        drop(seat);
    });
    ([(CONTENT_TYPE, "text/event-stream")], Body::new(body)).into_response()
}
