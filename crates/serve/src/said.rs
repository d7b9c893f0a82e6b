//! A reply of the line as a response: standard output is the body and the exit code a header, or all of it is one object.

use anyhook::text::tame;
use anyhook::wires::Reply;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};

use crate::problem::json_of;

/// The header of the exit code.
pub(crate) const EXIT: &str = "anyhook-exit";

/// The status of a reply: only the exit code 0 is a success, so that a client that looks at nothing else never takes a
/// refusal for a pass.
fn status(exit: u8) -> StatusCode {
    if exit == 0 {
        return StatusCode::OK;
    }
    StatusCode::FORBIDDEN
}

/// Writes a reply as an agent reads it.
pub(crate) fn bytes(reply: Reply) -> Response {
    let kind = match serde_json::from_str::<Value>(&reply.stdout) {
        Ok(_) => "application/json",
        Err(_) => "text/plain; charset=utf-8",
    };
    let (status, exit) = (status(reply.exit), HeaderValue::from(u16::from(reply.exit)));
    let mut response = (status, reply.stdout).into_response();
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    headers.insert(EXIT, exit);
    response
}

/// Writes a reply as one object, for clients that want all of it in the body.
pub(crate) fn object(reply: &Reply) -> Response {
    let stderr = tame(&reply.stderr);
    let body = json!({"stdout": reply.stdout, "stderr": stderr, "exit": reply.exit});
    json_of(status(reply.exit), &body)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_exit_code_0_is_a_success() {
        for exit in 1..=u8::MAX {
            assert!(!status(exit).is_success(), "{exit}");
        }
        assert!(status(0).is_success());
    }
}
