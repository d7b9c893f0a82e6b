//! One JSON object for a whole run.

use serde_json::{Value, json};

use crate::formats::lines;
use crate::judge::{Failure, asked};
use crate::plan::Case;
use crate::problem::Problem;
use crate::ran::{Ran, Tally};

/// Writes everything about a run as JSON: `{version, exit, tally, problems, cases}`.
pub fn json(ran: &[Ran], problems: &[Problem]) -> Value {
    let tally = Tally::of(ran, problems.len());
    json!({
        "version": 1,
        "exit": tally.exit(),
        "tally": {
            "passed": tally.passed,
            "failed": tally.failed,
            "skipped": tally.skipped,
            "problems": tally.problems,
        },
        "problems": problems.iter().map(problem).collect::<Vec<_>>(),
        "cases": ran.iter().map(one).collect::<Vec<_>>(),
    })
}

/// Writes the cases that would run: `{version, problems, cases}`.
pub fn list(cases: &[Case], problems: &[Problem]) -> Value {
    let cases = cases.iter().map(|case| {
        json!({
            "id": case.id,
            "name": case.name(),
            "description": case.description(),
            "file": case.place(),
            "line": case.line(),
            "event": case.event.universal(),
            "mode": case.mode(),
            "host": case.host(),
            "tool": case.tool(),
        })
    });
    json!({
        "version": 1,
        "problems": problems.iter().map(problem).collect::<Vec<_>>(),
        "cases": cases.collect::<Vec<_>>(),
    })
}

fn problem(problem: &Problem) -> Value {
    json!({
        "file": problem.file,
        "line": problem.finding.at.line,
        "column": problem.finding.at.column,
        "message": problem.finding.message,
        "help": problem.finding.help,
    })
}

fn one(ran: &Ran) -> Value {
    let case = &ran.case;
    let mut one = json!({
        "id": case.id,
        "name": case.name(),
        "file": case.place(),
        "line": case.line(),
        "event": case.event.universal(),
        "mode": case.mode(),
        "host": case.host(),
        "outcome": ran.outcome.as_str(),
        "reason": ran.outcome.reason(),
        "took_us": u64::try_from(ran.took.as_micros()).unwrap_or(u64::MAX),
        "leaks": ran.leaks(),
        "failures": ran.failures.iter().map(|one| failure(ran, one)).collect::<Vec<_>>(),
        "text": lines(ran),
        "replay": ran.replay,
    });
    if let (Some(evidence), Some(one)) = (&ran.evidence, one.as_object_mut()) {
        let words = evidence.words(case.mode());
        one.insert("asked".to_owned(), json!(asked(case, &evidence.report)));
        one.insert("exit_code".to_owned(), json!(words.exit));
        one.insert("stdout".to_owned(), words.stdout.into());
        one.insert("stderr".to_owned(), words.stderr.into());
        one.insert("sent".to_owned(), evidence.sent.clone());
        one.insert(
            "report".to_owned(),
            serde_json::to_value(&evidence.report).unwrap_or_default(),
        );
    }
    one
}

fn failure(ran: &Ran, failure: &Failure) -> Value {
    let differences = failure
        .differences
        .iter()
        .map(|one| json!({"at": one.at, "expected": one.expected, "found": one.found}));
    json!({
        "about": failure.about,
        "line": ran.line_of(failure),
        "message": failure.message,
        "differences": differences.collect::<Vec<_>>(),
    })
}
