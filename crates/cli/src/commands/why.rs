//! `anyhook explain --past`: what happened to an event, from its stored report.

use anyhook::core::report::{Report, SkipReason, Step, StepOutcome};
use anyhook::stores::{Filter, Jsonl, RecordDetail};

use super::log;
use crate::error::CliError;
use crate::exit::Exit;
use crate::form::JsonFlag;
use crate::{ui, view};

/// Tells whether a report has just this id.
pub(super) fn is_known(id: &str) -> bool {
    let filter = Filter {
        id: Some(id.to_owned()),
        ..Filter::default()
    };
    let found = log::store().and_then(|store| store.find(&filter).map_err(log::unreadable));
    found.is_ok_and(|found| found.iter().any(|report| *report.id == *id))
}

/// Explains what happened to one event: of an id or its beginning, else the newest.
pub(super) fn run(id: Option<&str>, form: JsonFlag) -> Result<Exit, CliError> {
    let store = log::store()?;
    let filter = Filter {
        id: id.map(str::to_owned),
        ..Filter::default()
    };
    let last = id.map_or(1, |_| usize::MAX);
    let page = store.search(&filter, last).map_err(log::unreadable)?;
    let mut found = page.reports;
    if let (true, Some(_), Some(demo)) = (found.is_empty(), id, log::demo_folder()) {
        let demo = Jsonl::new(demo, RecordDetail::Payload);
        found = demo.find(&filter).map_err(log::unreadable)?;
    }
    let report = match (&*found, id) {
        ([], Some(id)) => {
            return Err(CliError::new(
                Exit::Negative,
                format!("no report has an id that begins with `{id}`"),
            )
            .help("`anyhook log` lists the newest"));
        }
        ([], None) => {
            if form.is_json() {
                ui::raw("null\n")?;
            }
            ui::err(log::NOTHING);
            return Ok(Exit::Done);
        }
        ([one], _) => one,
        (many, _) => return several(many),
    };
    let kin = kin(&store, report)?;
    let width = ui::width();
    form.say(report, |report| {
        view::report(report, width) + &view::action(report, width) + &kin
    })
}

/// Names the reports of hooks that went on in the background of this one, and the one that this is of.
fn kin(store: &Jsonl, report: &Report) -> Result<String, CliError> {
    if let Some(parent) = &report.parent {
        return Ok(format!(
            "\nits event: anyhook why {}\n",
            ui::visible(parent)
        ));
    }
    let session = report.event.session.as_deref().map(str::to_owned);
    let filter = Filter {
        session,
        ..Filter::default()
    };
    let has_some = |step: &Step| step.became == StepOutcome::NotAsked(SkipReason::Background);
    if !report.steps.iter().any(has_some) {
        return Ok(String::new());
    }
    let all = store.find(&filter).map_err(log::unreadable)?;
    let own = all.iter();
    let mut text = String::new();
    for child in own.filter(|other| other.parent.as_deref() == Some(&*report.id)) {
        let hook = child.hooks.first().map(|hook| ui::line(&hook.name));
        let name = hook.unwrap_or_default();
        text.push_str(&format!(
            "\n`{name}` went on in the background: anyhook why {}\n",
            ui::visible(&child.id)
        ));
    }
    Ok(text)
}

fn several(found: &[Report]) -> Result<Exit, CliError> {
    let mut found = found.iter();
    found.try_for_each(|report| ui::out(&(log::row(report) + "\n")))?;
    Err(
        CliError::new(Exit::Negative, "several reports begin like this")
            .help("give more of the id"),
    )
}
