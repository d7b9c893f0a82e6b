//! One JSON object for a whole run.

use serde_json::{Map, Value, json};

use crate::formats::lines;
use crate::judge::{FailedExpectation, asked};
use crate::plan::Case;
use crate::problem::Problem;
use crate::ran::{CaseRun, CaseTally};

/// Writes everything about a run as JSON: `{version, exit, tally, problems, cases}`.
pub fn json(ran: &[CaseRun], problems: &[Problem]) -> Value {
    let tally = CaseTally::of(ran, problems.len());
    json!({
        "version": 1,
        "exit": tally.exit(),
        "tally": tally,
        "problems": problems.iter().map(problem).collect::<Vec<_>>(),
        "cases": ran.iter().map(one).collect::<Vec<_>>(),
    })
}

/// Writes the cases that would run: `{version, problems, cases}`.
pub fn list(cases: &[Case], problems: &[Problem]) -> Value {
    json!({
        "version": 1,
        "problems": problems.iter().map(problem).collect::<Vec<_>>(),
        "cases": cases.iter().map(head).collect::<Vec<_>>(),
    })
}

fn problem(problem: &Problem) -> Value {
    let finding = &problem.finding;
    json!({
        "file": problem.file, "line": finding.at.line, "column": finding.at.column, "message": finding.message,
        "help": finding.help,
    })
}

/// What a case is.
fn head(case: &Case) -> Map<String, Value> {
    object(json!({
        "id": case.id, "name": case.name(), "description": case.description(), "file": case.place(),
        "line": case.line(), "event": case.event.universal(), "mode": case.mode(), "host": case.host(),
        "tool": case.tool(),
    }))
}

fn one(ran: &CaseRun) -> Map<String, Value> {
    let case = &ran.case;
    let mut one = head(case);
    one.extend(object(json!({
        "outcome": ran.outcome.as_str(), "reason": ran.outcome.reason(),
        "took_us": u64::try_from(ran.took.as_micros()).unwrap_or(u64::MAX), "leaks": ran.leaks(),
        "failures": ran.failures.iter().map(|one| failure(ran, one)).collect::<Vec<_>>(),
        "text": lines(ran), "replay": ran.replay,
    })));
    if let Some(evidence) = &ran.evidence {
        let words = evidence.words(case.mode());
        one.extend(object(json!({
            "asked": asked(case, &evidence.report), "exit_code": words.exit, "stdout": words.stdout,
            "stderr": words.stderr, "sent": evidence.sent, "report": evidence.report,
        })));
    }
    one
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}

fn failure(ran: &CaseRun, failure: &FailedExpectation) -> Value {
    json!({
        "about": failure.about, "line": ran.line_of(failure), "message": failure.message,
        "differences": failure.differences,
    })
}
