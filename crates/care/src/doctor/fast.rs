//! Is it fast: no hook keeps the agent waiting, and the agent waits as long as it is told.

use std::path::PathBuf;
use std::time::Duration;

use anyhook_core::hook::{Hook, HookInfo, Pace};
use anyhook_core::ports::Query;
use anyhook_core::report::{Became, Report};
use anyhook_engine::stores::{Jsonl, Keep};
use anyhook_engine::world::World;

use super::presence::Presence;
use super::project::Manifest;
use super::{Check, Finding, Fix, Severity};

pub(super) const TIMEOUT: Check = Check {
    slug: "timeout",
    summary: "the agent waits as long as the entry says",
    run: timeout,
};

fn timeout(seen: &Presence) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (file, entry, own) in seen.own() {
        let (Some(told), Some(waits)) = (own.called.deadline, entry.standing.timeout) else {
            continue;
        };
        if told == waits {
            continue;
        }
        let event = &entry.standing.found.event;
        let what = format!(
            "the agent waits {} for `{event}`, and the entry says {}",
            seconds(waits),
            seconds(told)
        );
        let fix = Fix::install(seen.host.id(), file.scope);
        let at = |finding: Finding| finding.at(&file.path, Some(entry.standing.line));
        let finding = Finding::problem(
            &TIMEOUT,
            what,
            "when the agent stops waiting it goes on, whatever a hook would have said",
            fix,
        );
        findings.push(at(if waits < told {
            finding
        } else {
            Finding {
                severity: Severity::Advice,
                why: "hooks are ended earlier than they would have to be".to_owned(),
                ..finding
            }
        }));
    }
    findings
}

fn seconds(time: Duration) -> String {
    format!("{} s", time.as_secs_f64())
}

pub(super) const SLOW: Check = Check {
    slug: "slow",
    summary: "no hook keeps the agent waiting longer than the budget",
    run: slow,
};

/// As many events are looked at.
const NEWEST: usize = 2000;

/// Of fewer times the slowest one alone would decide.
const LEAST: usize = 20;

/// A hook that is over the budget, and how long it took.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Timed {
    /// The budget.
    pub budget: Duration,
    /// The hook's name.
    pub hook: String,
    /// Its file.
    pub file: PathBuf,
    /// Its line there.
    pub line: u32,
    /// The time within which 95 of 100 of its answers came.
    pub p95: Duration,
    /// How many times were looked at.
    pub times: usize,
}

fn slow(seen: &Presence) -> Vec<Finding> {
    if !seen.is_installed() {
        return Vec::new();
    }
    seen.slow.iter().map(finding).collect()
}

fn finding(timed: &Timed) -> Finding {
    let Timed {
        budget,
        hook,
        file,
        line,
        p95,
        times,
    } = timed;
    let took = format!(
        "{} ms in 95 of 100 of its last {times} events",
        p95.as_millis()
    );
    let finding = Finding::advice(
        &SLOW,
        format!(
            "the hook `{hook}` took up to {took}; the budget is {} ms",
            budget.as_millis()
        ),
        "the agent waits for it at each of these events",
        Fix::by_hand("anyhook stats"),
    );
    finding.at(file, usize::try_from(*line).ok())
}

/// Finds the hooks that are here and over the budget, by the newest reports. Settings that cannot be read are told elsewhere.
pub(super) fn timed(world: &World, manifests: &[Manifest]) -> Vec<Timed> {
    let waited = |hook: &&Hook| hook.pace == Pace::Waited;
    let hooks = manifests.iter().flat_map(|manifest| manifest.hooks.iter());
    let hooks: Vec<&Hook> = hooks.filter(waited).collect();
    let Some(places) = world.places.as_ref().filter(|_| !hooks.is_empty()) else {
        return Vec::new();
    };
    let query = Query {
        last: Some(NEWEST),
        ..Query::default()
    };
    let page = Jsonl::new(places.reports(), Keep::Verdicts).read(&query);
    let reports = page.map(|page| page.reports).unwrap_or_default();
    let budget = world.config().doctor.clone().unwrap_or_default().budget;
    let found = hooks.into_iter();
    found
        .filter_map(|hook| judge(hook, &reports, budget))
        .collect()
}

fn judge(hook: &Hook, reports: &[Report], budget: Duration) -> Option<Timed> {
    let info = &hook.info;
    let source = info.source.as_ref()?;
    let mut times: Vec<Duration> = reports
        .iter()
        .flat_map(|report| times_of(report, info))
        .collect();
    times.sort_unstable();
    let rank = (times.len() * 95).div_ceil(100).saturating_sub(1);
    let p95 = times.get(rank).copied()?;
    let is_slow = p95 > budget && times.len() >= LEAST;
    is_slow.then(|| Timed {
        budget,
        hook: anyhook_engine::text::plain(&info.name),
        file: PathBuf::from(&*source.file),
        line: source.line,
        p95,
        times: times.len(),
    })
}

fn times_of<'r>(report: &'r Report, info: &'r HookInfo) -> impl Iterator<Item = Duration> + 'r {
    let steps = report.steps.iter().filter(move |step| {
        let hook = report.hook(step.hook);
        let is_it = hook.is_some_and(|hook| hook.name == info.name && hook.source == info.source);
        is_it && !matches!(step.became, Became::NotAsked(_))
    });
    steps.filter_map(|step| step.took)
}

#[cfg(test)]
mod tests {
    use anyhook_core::hook::Source;
    use serde_json::json;

    use super::*;

    fn report(name: &str, file: &str, became: &serde_json::Value, micros: u64) -> Report {
        Report::from_json(json!({
            "version": 1, "id": "k3f9", "at": 7, "event": {"name": "tool:pre"}, "result": {"verdict": "continue"},
            "hooks": [{
                "name": name, "source": {"file": file, "line": 3}, "priority": 0, "guard": false, "shadow": false,
            }],
            "steps": [{"hook": 0, "became": became, "took_us": micros}],
        }))
        .unwrap()
    }

    fn hook(command: &str) -> Hook {
        let text = format!(
            r#"{{"version": 1, "hooks": {{"pre-tool-use": [
                {{"hooks": [{{"type": "command", "command": "{command}", "name": "lint"}}]}}]}}}}"#
        );
        let manifest = anyhook_core::manifest::Manifest::parse(&text)
            .unwrap()
            .manifest;
        let mut hook = anyhook_engine::load::hooks(&manifest, "/p/hooks.json".as_ref()).remove(0);
        let info = HookInfo {
            name: "lint".into(),
            source: Some(Source {
                file: "/p/hooks.json".into(),
                line: 3,
            }),
            ..HookInfo::default()
        };
        hook.info = info.into();
        hook
    }

    fn judged(reports: &[Report]) -> Option<(u128, usize)> {
        let timed = judge(
            &hook("./lint.sh"),
            reports,
            anyhook_engine::config::Budget::default().budget,
        );
        timed.map(|timed| (timed.p95.as_micros(), timed.times))
    }

    #[test]
    fn a_hook_is_over_the_budget_by_its_p95_and_not_by_its_slowest_answer() {
        let said = json!({"said": null});
        let of = |slow: usize, micros| -> Vec<Report> {
            let time = |at| if at < slow { micros } else { 1_000 };
            let all = (0..20).map(|at| report("lint", "/p/hooks.json", &said, time(at)));
            all.collect()
        };
        assert_eq!(judged(&of(1, 900_000)), None);
        assert_eq!(
            judged(&of(2, 200_000)),
            None,
            "the budget itself is within it"
        );
        assert_eq!(judged(&of(2, 200_001)), Some((200_001, 20)));
        assert_eq!(judged(&of(20, 900_000)[1..]), None, "too few to judge");
    }

    #[test]
    fn only_answers_of_the_same_hook_count() {
        let said = json!({"said": null});
        let twenty = |name: &str, file: &str, became: &serde_json::Value| -> Vec<Report> {
            (0..20)
                .map(|_| report(name, file, became, 900_000))
                .collect()
        };
        assert_eq!(judged(&twenty("lint", "/q/hooks.json", &said)), None);
        assert_eq!(judged(&twenty("tidy", "/p/hooks.json", &said)), None);
        let passed_over = json!({"not_asked": "condition"});
        assert_eq!(judged(&twenty("lint", "/p/hooks.json", &passed_over)), None);
    }
}
