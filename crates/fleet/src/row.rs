//! A row of the store: what statistics need of one record, as a line of JSON.

use std::iter;

use anyhook::core::report::{ActionRecord, Report, StepOutcome};
use anyhook::core::result::Kind;
use serde_json::{Value, json};

/// The columns as `DuckDB` names them: a text that looks like a number or a date stays a text.
pub(crate) const COLUMNS: &str = "{'at': 'BIGINT', took_us: 'BIGINT', faults: 'BIGINT', would_deny: 'BIGINT', id: 'VARCHAR', \
    host: 'VARCHAR', agent_version: 'VARCHAR', session: 'VARCHAR', project: 'VARCHAR', person: 'VARCHAR', event: 'VARCHAR', \
    tool: 'VARCHAR', call: 'VARCHAR', attempted: 'VARCHAR', verdict: 'VARCHAR', hook: 'VARCHAR', reason: 'VARCHAR', \
    policy: 'VARCHAR', outcome: 'VARCHAR', revision: 'VARCHAR', member: 'VARCHAR', machine: 'VARCHAR'}";

/// Takes a row from a record that came under a subject: `audit.MEMBER.MACHINE`.
pub(crate) fn row(report: &Report, subject: &str) -> Value {
    let mut names = subject.split('.').skip(1);
    let of = |field: &dyn for<'a> Fn(&'a ActionRecord) -> Option<&'a str>| {
        let action = report.action.as_deref();
        action.and_then(field).unwrap_or_default()
    };
    let action = report.action.as_deref();
    let hook = report.decided_by().and_then(|id| report.hook(id));
    let took = report.took.unwrap_or_default().as_micros();
    json!({
        "at": report.at.unwrap_or_default(),
        "took_us": u64::try_from(took).unwrap_or(u64::MAX),
        "faults": report.faults().count(),
        "would_deny": u8::from(report.steps.iter().any(|step| would_deny(&step.became))),
        "id": report.id,
        "host": report.event.host,
        "agent_version": of(&|action| action.agent_version.as_deref()),
        "session": report.event.session.as_deref().unwrap_or_default(),
        "project": of(&|action| action.project.as_deref()),
        "person": of(&|action| action.person.as_deref()),
        "event": report.event.name.as_str(),
        "tool": report.event.subject.as_deref().unwrap_or_default(),
        "call": of(&|action| action.text("tool_use_id")),
        "attempted": action.and_then(ActionRecord::telling).unwrap_or_default(),
        "verdict": report.answer().verdict.kind().as_str(),
        "hook": hook.map(|hook| &*hook.name).unwrap_or_default(),
        "reason": reason(report),
        "policy": of(&|action| action.policy.as_deref()),
        "outcome": report.imported().map_or("", |imported| imported.outcome.as_str()),
        "revision": of(&|action| action.revision.as_deref()),
        "member": names.next().unwrap_or_default(),
        "machine": names.next().unwrap_or_default(),
    })
}

fn would_deny(became: &StepOutcome) -> bool {
    matches!(became, StepOutcome::Would(would) if would.verdict.kind() == Kind::Deny)
}

/// Returns why it was decided so; of a question also who answered it, as the remarks say.
fn reason(report: &Report) -> String {
    let text = report.result.verdict.text();
    match report.result.verdict.kind() {
        Kind::Ask => iter::once(&*text)
            .chain(report.remarks.iter().map(|remark| &**remark))
            .collect::<Vec<&str>>()
            .join("; "),
        Kind::Continue | Kind::Allow | Kind::Deny | Kind::Halt => text,
    }
}
