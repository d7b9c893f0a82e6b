//! What tests of hosts and dialects share.

use std::time::Duration;

use anyhook_core::transcript::{Capture, End, Transcript};

/// What a process left behind.
pub(crate) fn ended(exit: i32, stdout: &str, stderr: &str) -> Transcript {
    let capture = |text: &str| Capture {
        kept: text.as_bytes().to_vec(),
        dropped: 0,
    };
    Transcript {
        stdout: capture(stdout),
        stderr: capture(stderr),
        end: End::Code(exit),
        took: Duration::from_millis(1_500),
    }
}

/// The two objects of a row.
pub(crate) fn both(row: &str) -> [serde_json::Value; 2] {
    let (one, other) = row.split_once(" ⇒ ").unwrap();
    [one, other].map(|json| serde_json::from_str(json).unwrap())
}
