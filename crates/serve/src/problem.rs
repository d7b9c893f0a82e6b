//! The error replies of the server: what happened, and what to do, as JSON. None of them lets an action go on.

use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};

/// What is wrong with a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Problem {
    pub(crate) status: StatusCode,
    pub(crate) what: &'static str,
    pub(crate) help: &'static str,
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let body = json!({"error": self.what, "help": self.help});
        json_of(self.status, &body)
    }
}

/// Writes JSON.
pub(crate) fn json_of(status: StatusCode, body: &Value) -> Response {
    let kind = [(header::CONTENT_TYPE, "application/json")];
    (status, kind, body.to_string()).into_response()
}
