//! The error replies of the server: what happened, and what to do, as JSON. None of them lets an action go on.

use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};

/// What is wrong with a request: a row of `problems.txt` each, in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rejection {
    NoProject,
    NoTime,
    UnknownQuery,
    UnreadableQuery,
    NoHost,
    NoPath,
    Failed,
    NoToken,
    OtherHost,
    FromAPage,
    TooLong,
    NoRoom,
    TooSlow,
    BrokenOff,
    NoQuestion,
    Answered,
    Changed,
    TooLasting,
    NoChoice,
    LongNote,
    UnusableBook,
    NoForm,
    OurMistake,
    SignIn,
    NotSet,
    PassphraseGone,
    WaitAWhile,
    Busy,
    PassphraseFailed,
    NotOurs,
    NoEvent,
    WrongPassphrase,
}

/// The rows, below the line that explains them.
const ROWS: &str = include_str!("problems.txt");

impl Rejection {
    fn cell(self, at: usize) -> &'static str {
        let row = ROWS.lines().nth(self as usize + 1);
        let cell = row.and_then(|row| row.split(" | ").nth(at));
        cell.unwrap_or_default()
    }

    pub(crate) fn status(self) -> StatusCode {
        let code = self.cell(1).parse().ok();
        let status = code.and_then(|code| StatusCode::from_u16(code).ok());
        status.unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
    }

    pub(crate) fn what(self) -> &'static str {
        self.cell(2)
    }

    pub(crate) fn help(self) -> &'static str {
        self.cell(3)
    }
}

impl IntoResponse for Rejection {
    fn into_response(self) -> Response {
        let body = json!({"error": self.what(), "help": self.help()});
        json_of(self.status(), &body)
    }
}

/// Writes JSON.
pub(crate) fn json_of(status: StatusCode, body: &Value) -> Response {
    let kind = [(header::CONTENT_TYPE, "application/json")];
    (status, kind, body.to_string()).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_stands_where_its_problem_does() {
        for row in ROWS.lines().skip(1) {
            let cells: Vec<&str> = row.split(" | ").collect();
            assert_eq!(cells.len(), 4, "{row}");
            let code = StatusCode::from_bytes(cells[1].as_bytes()).unwrap();
            assert!(!code.is_success(), "{row}");
        }
        assert_eq!(
            Rejection::WrongPassphrase as usize + 2,
            ROWS.lines().count()
        );
        for problem in [
            Rejection::NoProject,
            Rejection::BrokenOff,
            Rejection::NotOurs,
            Rejection::WrongPassphrase,
        ] {
            assert_eq!(problem.cell(0), format!("{problem:?}"));
        }
    }
}
