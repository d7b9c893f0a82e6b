//! A reply of the line as a response: standard output is the body, the exit code and standard error are headers.

use anyhook::text::tame;
use anyhook::wires::Reply;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use serde_json::{Value, json};

use crate::problem::json_of;

/// The header of the exit code.
pub(crate) const EXIT: &str = "anyhook-exit";
/// The header of standard error, percent-encoded.
pub(crate) const STDERR: &str = "anyhook-stderr";
/// Says that the header of standard error holds only its beginning.
pub(crate) const CUT: &str = "anyhook-stderr-cut";

/// The longest header of standard error: clients take no more for all headers than 8 KiB to 16 KiB.
const LONGEST: usize = 4096;
/// What is written as it is in a header is printable ASCII without spaces, which a header may lose at its ends.
const ENCODED: &AsciiSet = &CONTROLS.add(b'%').add(b' ');

/// The status of a reply: only the exit code 0 is a success, so that a client that looks at nothing else never takes a
/// refusal for a pass.
fn status(exit: u8) -> StatusCode {
    match exit {
        0 => StatusCode::OK,
        _ => StatusCode::FORBIDDEN,
    }
}

/// Writes a reply as an agent reads it.
pub(crate) fn bytes(reply: Reply) -> Response {
    let stderr = tame(&reply.stderr);
    let kind = match serde_json::from_str::<Value>(&reply.stdout) {
        Ok(_) => "application/json",
        Err(_) => "text/plain; charset=utf-8",
    };
    let (status, exit) = (status(reply.exit), HeaderValue::from(u16::from(reply.exit)));
    let mut response = (status, reply.stdout).into_response();
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    headers.insert(EXIT, exit);
    let (text, is_cut) = encoded(&stderr);
    if let (false, Ok(text)) = (text.is_empty(), HeaderValue::from_str(&text)) {
        headers.insert(STDERR, text);
    }
    if is_cut {
        headers.insert(CUT, HeaderValue::from_static("true"));
    }
    response
}

/// Writes a reply as one object, for clients that want all of it in the body.
pub(crate) fn object(reply: &Reply) -> Response {
    let stderr = tame(&reply.stderr);
    let body = json!({"stdout": reply.stdout, "stderr": stderr, "exit": reply.exit});
    json_of(status(reply.exit), &body)
}

/// Encodes a text for a header, as much of it as fits.
fn encoded(text: &str) -> (String, bool) {
    let mut all = String::new();
    for c in text.chars() {
        let mut letter = [0; 4];
        let letter = utf8_percent_encode(c.encode_utf8(&mut letter), ENCODED).to_string();
        if all.len() + letter.len() > LONGEST {
            return (all, true);
        }
        all.push_str(&letter);
    }
    (all, false)
}

#[cfg(test)]
mod tests {
    use percent_encoding::percent_decode_str;

    use super::*;

    #[test]
    fn standard_error_comes_back_from_its_header_and_says_where_it_was_cut() {
        let text = "no: 100 % of \u{201e}x\u{201c}\nsecond line\r\n";
        let (all, is_cut) = encoded(text);
        assert!(
            all.is_ascii() && !is_cut && !all.contains(['\n', '\r']),
            "{all}"
        );
        assert_eq!(percent_decode_str(&all).decode_utf8().unwrap(), text);
        let (all, is_cut) = encoded(&"\u{e4}".repeat(LONGEST));
        assert!(is_cut && all.len() <= LONGEST, "{}", all.len());
        let back = percent_decode_str(&all).decode_utf8().unwrap();
        assert!(back.chars().all(|c| c == '\u{e4}'), "no half of a letter");
    }

    #[test]
    fn only_the_exit_code_0_is_a_success() {
        for exit in 1..=u8::MAX {
            assert!(!status(exit).is_success(), "{exit}");
        }
        assert!(status(0).is_success());
    }
}
