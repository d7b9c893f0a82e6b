//! Checks for hooks that failed and have not succeeded since.

use std::path::PathBuf;

use anyhook_core::hook::{Hook, HookInfo};
use anyhook_core::ports::Query;
use anyhook_core::report::{Became, Report};
use anyhook_engine::line::hook_mark;
use anyhook_engine::state::{FileState, StandingFault};
use anyhook_engine::stores::{Jsonl, Keep};
use anyhook_engine::world::World;

use super::presence::Presence;
use super::project::Manifest;
use super::{Check, Finding, Fix};

/// The row.
pub(super) const ROW: Check = Check {
    slug: "faults",
    summary: "no hook failed and did not succeed since",
    run,
};

/// As many events are searched for a success.
const NEWEST: usize = 2000;

/// A hook that failed and did not succeed since.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Standing {
    /// The hook's name.
    pub hook: String,
    /// Its file.
    pub file: PathBuf,
    /// Its line there.
    pub line: u32,
    /// What happened the last time.
    pub text: String,
    /// How many times in a row.
    pub count: u64,
    /// The report of the last time, where it is still kept.
    pub report: Option<String>,
}

fn run(seen: &Presence) -> Vec<Finding> {
    if !seen.is_installed() {
        return Vec::new();
    }
    let faults = seen.faults.iter();
    faults
        .map(|fault| {
            let times = if fault.count == 1 {
                "once".to_owned()
            } else {
                format!("{} times in a row", fault.count)
            };
            let what = format!("the hook `{}` failed {times}: {}", fault.hook, fault.text);
            let command = match &fault.report {
                Some(id) => format!("anyhook why {id}"),
                None => "anyhook log".to_owned(),
            };
            let why = "it did not do what it is there for; this stands until it succeeds";
            Finding::problem(&ROW, what, why, Fix::by_hand(command))
                .at(&fault.file, usize::try_from(fault.line).ok())
        })
        .collect()
}

/// Finds the failures of the hooks that are here, in whatever session, of which no later report tells a success.
pub(super) fn standing(world: &World, manifests: &[Manifest]) -> Vec<Standing> {
    let Some(places) = &world.places else {
        return Vec::new();
    };
    let latest = latest(&FileState::new(places.sessions()), manifests);
    if latest.is_empty() {
        return Vec::new();
    }
    let query = Query {
        last: Some(NEWEST),
        ..Query::default()
    };
    let store = Jsonl::new(places.reports(), Keep::Verdicts);
    let reports = store
        .read(&query)
        .map(|page| page.reports)
        .unwrap_or_default();
    let faults = latest.into_iter().filter_map(|(hook, fault)| {
        let source = hook.info.source.as_ref()?;
        (!succeeded_after(&reports, &hook.info, fault.at)).then(|| Standing {
            hook: anyhook_engine::text::plain(&hook.info.name),
            file: PathBuf::from(&*source.file),
            line: source.line,
            text: anyhook_engine::text::plain(&fault.text)
                .lines()
                .next()
                .unwrap_or_default()
                .to_owned(),
            count: fault.count,
            report: failed_in(&reports, &hook.info),
        })
    });
    faults.collect()
}

/// Finds the last failure of each hook, in whatever session.
fn latest<'m>(state: &FileState, manifests: &'m [Manifest]) -> Vec<(&'m Hook, StandingFault)> {
    let hooks = manifests.iter().flat_map(|manifest| manifest.hooks.iter());
    let mut latest: Vec<(&Hook, Option<StandingFault>)> = hooks.map(|hook| (hook, None)).collect();
    state.each(&mut |session| {
        for (hook, known) in &mut latest {
            let fault = session.fault(&hook_mark(hook));
            let is_later =
                |fault: &&StandingFault| known.as_ref().is_none_or(|known| known.at <= fault.at);
            if let Some(fault) = fault.filter(is_later) {
                *known = Some(fault.clone());
            }
        }
    });
    let failed = latest.into_iter();
    failed
        .filter_map(|(hook, fault)| Some((hook, fault?)))
        .collect()
}

fn steps_of<'r>(report: &'r Report, info: &'r HookInfo) -> impl Iterator<Item = &'r Became> {
    let steps = report.steps.iter().filter(move |step| {
        let hook = report.hook(step.hook);
        hook.is_some_and(|hook| hook.name == info.name && hook.source == info.source)
    });
    steps.map(|step| &step.became)
}

fn succeeded_after(reports: &[Report], info: &HookInfo, at: i64) -> bool {
    let later = reports
        .iter()
        .filter(|report| report.at.is_some_and(|then| then > at));
    later
        .flat_map(|report| steps_of(report, info))
        .any(|became| matches!(became, Became::Said(_) | Became::Would(_)))
}

fn failed_in(reports: &[Report], info: &HookInfo) -> Option<String> {
    let failed = |report: &&Report| {
        steps_of(report, info).any(|became| matches!(became, Became::Failed { .. }))
    };
    let report = reports.iter().rev().find(failed)?;
    Some(report.id.to_string())
}
