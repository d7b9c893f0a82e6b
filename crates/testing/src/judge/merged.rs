//! The common answer of all hooks: the decision, the reasons, the rewrites, the texts for the model, and losses.

use anyhook::core::event::Datum;
use anyhook::core::fit::{Loss, LossKind};
use anyhook::core::result::{HookResult, Kind};
use anyhook::yaml::Spanned;
use serde_json::Value;

use super::Judgement;
use crate::case::{HostExpectations, Pairs};
use crate::matching;
use crate::plan::Case;
use crate::play::Evidence;

impl Case {
    /// Returns the expectations of the host in whose form it is played, which stand before those of all, and how the case
    /// names it.
    pub(crate) fn of_its_host(&self) -> Option<(&String, &Spanned<HostExpectations>)> {
        let host = self.host()?;
        let mut named = self.spec.expected.on.iter();
        let is_it = |name: &str| anyhook::wires::host(name).is_some_and(|other| other.id() == host);
        named.find(|(name, _)| is_it(name))
    }

    pub(crate) fn merged(&self) -> HostExpectations {
        let all = self.spec.expected.clone();
        let own = self.of_its_host().map(|(_, own)| own.value.clone());
        let own = own.unwrap_or_default();
        HostExpectations {
            fires: own.fires.or(all.fires),
            decision: own.decision.or(all.decision),
            reason_contains: own.reason_contains.or(all.reason_contains),
            rewrites: own.rewrites.or(all.rewrites),
            injects: own.injects.or(all.injects),
            losses: own.losses.or(all.losses),
        }
    }
}

pub(super) fn merged(case: &Case, evidence: &Evidence, judged: &mut Judgement) {
    let wanted = case.merged();
    let said = said(evidence);
    if let Some(decision) = wanted.decision.map(|decision| decision.value) {
        let found = decision_of(evidence);
        if found != decision {
            let who = case.host().unwrap_or("the host");
            let message = format!(
                "expected {}, and {who} makes of it: {}",
                decision.as_str(),
                found.as_str()
            );
            judged.fail("decision", message);
        }
    }
    let reason = reasons(evidence);
    let parts = wanted.reason_contains.iter().flatten();
    for part in parts.filter(|part| !reason.contains(part.as_str())) {
        judged.fail(
            "reason-contains",
            format!("the reason does not contain {part:?}: {reason:?}"),
        );
    }
    if let Some(rewrites) = &wanted.rewrites {
        rewritten(rewrites, said, evidence, judged);
    }
    if let Some(injects) = &wanted.injects {
        injected(injects, evidence, judged);
    }
    if let Some(losses) = &wanted.losses {
        lost(losses, &evidence.report.losses, judged);
    }
}

pub(crate) fn said(evidence: &Evidence) -> &HookResult {
    evidence.report.answer()
}

/// What happens: as the host does where one is played, else as it was answered.
pub(crate) fn decision_of(evidence: &Evidence) -> Kind {
    let done = evidence.behaviour.as_ref();
    done.map_or_else(|| said(evidence).verdict.kind(), |done| done.happens)
}

pub(crate) fn reasons(evidence: &Evidence) -> String {
    let Some(done) = &evidence.behaviour else {
        return said(evidence).verdict.text();
    };
    let effects = &done.said.effects;
    let texts = effects.inject().iter().map(|one| &*one.text);
    let notices = effects.notify().iter().map(|one| &*one.text);
    let mut all = vec![done.said.verdict.text()];
    all.extend(texts.chain(notices).map(str::to_owned));
    all.join("\n")
}

fn rewritten(
    wanted: &Pairs<Value>,
    said: &HookResult,
    evidence: &Evidence,
    judged: &mut Judgement,
) {
    let patch = said.effects.patch();
    let fields: Vec<&str> = wanted.0.iter().map(|(path, _)| root(path)).collect();
    let others = patch.iter().map(|rewrite| &*rewrite.field);
    for field in others.filter(|field| !fields.contains(field)) {
        let message = format!("`{field}` is rewritten, and is not expected to be");
        judged.fail("rewrites", message);
    }
    for (path, wanted) in &wanted.0 {
        let field = root(path);
        let found = said.effects.rewrite(field);
        let value = found
            .and_then(|rewrite| rewrite.value.as_ref())
            .map(Datum::json);
        let mut below = path.split('.').skip(1);
        let value = below.try_fold(value, |of, key| Some(Some(of?.get(key)?.clone())));
        let differences = matching::differences(&wanted.value, value.flatten().as_ref());
        let message = format!("`{path}` is rewritten otherwise");
        judged.differ("rewrites", message, differences);
        let taken = evidence.behaviour.as_ref().map(|done| &done.said.effects);
        if found.is_some() && taken.is_some_and(|taken| taken.rewrite(field).is_none()) {
            let message = format!("`{field}` is rewritten, and the host does not take it");
            judged.fail("rewrites", message);
        }
    }
}

/// The field of the event that a path leads into.
fn root(path: &str) -> &str {
    path.split_once('.').map_or(path, |(root, _)| root)
}

/// What the model is told.
pub(crate) fn told(evidence: &Evidence) -> Vec<Value> {
    let done = evidence.behaviour.as_ref().map(|done| &done.said);
    let result = done.unwrap_or_else(|| said(evidence));
    let texts = result.effects.inject().iter();
    texts.map(|one| (&*one.text).into()).collect()
}

fn injected(wanted: &[Value], evidence: &Evidence, judged: &mut Judgement) {
    let said = said(evidence).effects.inject();
    let texts = told(evidence);
    if wanted.is_empty() && !said.is_empty() {
        judged.fail(
            "injects",
            format!(
                "the model is told something: {:?}",
                said.first().map(|one| &*one.text)
            ),
        );
    }
    for wanted in wanted {
        let is_told = texts
            .iter()
            .any(|text| matching::differences(wanted, Some(text)).is_empty());
        if !is_told {
            let part = wanted.as_str().unwrap_or("\0");
            let is_part = texts
                .iter()
                .any(|text| text.as_str().is_some_and(|text| text.contains(part)));
            let message = if is_part {
                format!(
                    "the model is told more than {wanted}: a part of it is `{{$contains: {wanted}}}`"
                )
            } else {
                format!("the model is not told {wanted}")
            };
            judged.fail("injects", message);
        }
    }
}

/// Names what could not be said.
pub(crate) fn losses(losses: &[Loss]) -> Vec<String> {
    losses.iter().map(|loss| name(&loss.what)).collect()
}

fn lost(wanted: &[String], found: &[Loss], judged: &mut Judgement) {
    let found = losses(found);
    for wanted in wanted.iter().filter(|wanted| !found.contains(wanted)) {
        judged.fail("losses", format!("`{wanted}` was to be lost, and was not"));
    }
    for found in found.iter().filter(|found| !wanted.contains(found)) {
        judged.fail("losses", format!("`{found}` is lost"));
    }
}

/// Names a loss: `verdict ask`, `rewrite tool_input`, `injection`.
pub(crate) fn name(lost: &LossKind) -> String {
    match serde_json::to_value(lost) {
        Ok(Value::String(name)) => name,
        Ok(Value::Object(map)) => {
            let pair = map.iter().next();
            let detail = |value: &Value| {
                value
                    .as_str()
                    .map_or_else(|| value.to_string(), str::to_owned)
            };
            pair.map(|(name, value)| format!("{name} {}", detail(value)))
                .unwrap_or_default()
        }
        Ok(_) | Err(_) => String::new(),
    }
}
