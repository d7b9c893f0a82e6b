//! What a hook left behind: every dialect, and `read_result` of every host.
//!
//! An input is a line `HOST EVENT EXIT`, the standard output, a line `--- stderr`, and the standard error. The exit is a
//! number, or `timeout`, `signal`, `missing`.

use std::fs;
use std::time::Duration;

use anyhook::core::handler::HandlerResult;
use anyhook::core::result::Kind;
use anyhook::core::transcript::{Capture, End, Transcript};
use anyhook::wires::dialects::read_universal;
use anyhook::wires::fitted;
use anyhook::wires::hosts::HOSTS;
use anyhook::wires::json;
use anyhook::wires::native_files::{FORMATS, FailurePolicy};
use anyhook_readers::Gravity;
use serde_json::Value;

use super::case::{Case, head, native_of, wire};
use crate::corpus::files;

const STDERR: &[u8] = b"\n--- stderr\n";

pub(super) fn run(bytes: &[u8]) {
    let (words, body) = head(bytes);
    let word = |at: usize| words.get(at).map_or("", String::as_str);
    let case = Case::of(wire(word(0)), word(1));
    let split = body
        .windows(STDERR.len())
        .position(|window| window == STDERR);
    let (stdout, stderr) = match split {
        Some(at) => (
            body.get(..at).unwrap_or_default(),
            body.get(at + STDERR.len()..).unwrap_or_default(),
        ),
        None => (body, &[][..]),
    };
    let capture = |bytes: &[u8]| Capture {
        kept: bytes.to_vec(),
        dropped: 0,
    };
    let raw = Transcript {
        stdout: capture(stdout),
        stderr: capture(stderr),
        end: end(word(2)),
        took: Duration::from_millis(5),
    };
    universal(case, &raw);
    native(case, &raw);
}

fn end(word: &str) -> End {
    match word {
        "timeout" => End::TimedOut,
        "signal" => End::Signal(9),
        "missing" => End::NotStarted("no such file".to_owned()),
        word => End::Code(word.parse::<u8>().unwrap_or(0).into()),
    }
}

/// A universal hook refuses by exit 2 whatever it printed, and only 0 and 2 are answers.
fn universal(case: &Case, raw: &Transcript) {
    let said = read_universal(raw, &case.event);
    match raw.end {
        End::Code(2) => {
            let kind = said.as_ref().map(|said| said.verdict.kind());
            assert!(
                kind.is_ok_and(|kind| kind >= Kind::Deny),
                "exit 2: {said:?}"
            );
        }
        End::Code(0) => {}
        End::Code(_) | End::Signal(_) | End::TimedOut | End::NotStarted(_) => {
            assert!(said.is_err(), "{:?}: {said:?}", raw.end);
        }
    }
    if let Ok(said) = said {
        case.judge(said);
    }
}

/// A hook of a host is heard at least as gravely as that host takes it, and said on at least as gravely.
fn native(case: &Case, raw: &Transcript) {
    let said = case.wire.read_as(raw, &case.event, &case.native);
    if let End::Code(exit) = raw.end {
        let done = case.reads(&raw.stdout.kept, &raw.stderr.kept, exit);
        let theirs = done.gravity();
        let ours = heard(case, &said);
        assert!(
            theirs <= Gravity::Nothing || ours >= theirs,
            "{} {}: {theirs:?}, {said:?}",
            case.wire.id(),
            case.native
        );
        let approves = ours == Gravity::Allow && theirs != Gravity::Allow;
        assert!(
            !approves || is_mended(&raw.stdout.kept),
            "{} {}: {said:?}",
            case.wire.id(),
            case.native
        );
    }
    if let Ok(said) = said {
        case.judge(said);
    }
}

/// Half a surrogate pair is JSON to most hosts and none to the reader of this program, and we read what was meant.
fn is_mended(stdout: &[u8]) -> bool {
    let is_half = |found: &[u8]| found.eq_ignore_ascii_case(br"\ud");
    stdout.windows(3).any(is_half) && json::object(stdout).is_ok()
}

/// How grave an answer is to us; a failure is what the file of that host says about failures.
fn heard(case: &Case, said: &HandlerResult) -> Gravity {
    let Ok(said) = said else {
        let mut formats = FORMATS
            .iter()
            .filter(|format| format.is_read_by(case.wire.id()));
        let refuses = formats.any(|format| match format.failure {
            FailurePolicy::On(events) => events.contains(&&*case.native),
            FailurePolicy::Where(..) | FailurePolicy::Never => false,
        });
        return if refuses {
            Gravity::Refuse
        } else {
            Gravity::Nothing
        };
    };
    let can = case.wire.can(&case.event);
    // With what the host would overlook: a shell whose command a hook took away is a refusal there and here.
    let (fitted, _) = fitted(case.wire, &case.event, said.clone(), &can);
    let gravity = |kind: Kind| match kind {
        Kind::Allow if can.says(Kind::Allow) => Gravity::Allow,
        Kind::Allow | Kind::Continue => Gravity::Nothing,
        Kind::Ask => Gravity::Ask,
        Kind::Deny => Gravity::Refuse,
        Kind::Halt => Gravity::Halt,
    };
    gravity(said.verdict.kind()).max(gravity(fitted.verdict.kind()))
}

pub(super) fn fixtures() -> Vec<Vec<u8>> {
    let mut all = Vec::new();
    for wire in HOSTS {
        for file in files(format!("fixtures/hosts/{}/responses", wire.id())) {
            let stem = file
                .file_stem()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned();
            let event = native_of(wire, &stem);
            let native = wire.row(event).map_or(event, |row| row.name);
            let answers: Value =
                serde_json::from_slice(&fs::read(&file).unwrap_or_default()).unwrap_or_default();
            for answer in answers
                .as_object()
                .into_iter()
                .flat_map(|answers| answers.values())
            {
                let stdout = match answer.get("stdout") {
                    Some(Value::String(text)) => text.clone(),
                    other => other.map(Value::to_string).unwrap_or_default(),
                };
                let stderr = answer
                    .get("stderr")
                    .and_then(Value::as_str)
                    .unwrap_or_default();
                let exit = answer
                    .get("exit")
                    .and_then(Value::as_i64)
                    .unwrap_or_default();
                let head = format!("{} {native} {exit}\n{stdout}", wire.id());
                all.push([head.as_bytes(), STDERR, stderr.as_bytes()].concat());
            }
        }
    }
    all
}
