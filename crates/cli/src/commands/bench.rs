//! `anyhook test --time`: what hooks cost per event.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use anyhook::record::Times;
use anyhook_testing::{TestOptions, read, run as play};
use serde::Serialize;

use crate::error::CliError;
use crate::exit::Exit;
use crate::form::JsonFlag;
use crate::tested::network;
use crate::ui::{self, paint};
use crate::view::millis;

/// So often each case is run, where a person does not say how often.
const RUNS: NonZeroUsize = NonZeroUsize::new(20).expect("20 is not 0");

/// What was measured.
#[derive(Serialize)]
struct Timings {
    runs: usize,
    /// The slowest first.
    hooks: Vec<HookTimings>,
    /// Cases that did not go as they say, by name.
    failed: BTreeSet<String>,
}

/// The times of one hook, in microseconds.
#[derive(Serialize)]
struct HookTimings {
    hook: String,
    answers: u64,
    p50_us: u32,
    p95_us: u32,
}

/// Times the hooks of packages, one case after the other.
pub(super) fn run(
    paths: &[PathBuf],
    runs: Option<NonZeroUsize>,
    form: JsonFlag,
) -> Result<Exit, CliError> {
    let suite = read(paths);
    if suite.cases.is_empty() {
        let why = suite.problems.first().map_or(
            "the packages here have no cases to play".to_owned(),
            |problem| problem.finding.message.clone(),
        );
        return Err(CliError::new(Exit::NoInput, why)
            .help("anyhook init writes a package with cases; anyhook test --list shows those that are here"));
    }
    let how = TestOptions {
        jobs: NonZeroUsize::MIN,
        // Before this process has a second thread.
        network: network::isolate(),
        program: std::env::current_exe().ok(),
        ..TestOptions::default()
    };
    let runs = runs.unwrap_or(RUNS).get();
    let (mut times, mut failed) = (BTreeMap::<String, Times>::new(), BTreeSet::new());
    for _ in 0..runs {
        for ran in play(&suite.cases, &how, &mut |_| {}) {
            if ran.outcome.is_bad() {
                failed.insert(ran.case.name().to_owned());
            }
            let Some(evidence) = &ran.evidence else {
                continue;
            };
            for step in &evidence.report.steps {
                if let (Some(took), Some(hook)) = (step.took, evidence.report.hook(step.hook)) {
                    times.entry(hook.name.to_string()).or_default().add(took);
                }
            }
        }
    }
    let figures = |(hook, times): (String, Times)| {
        let [p50_us, p95_us, _] = times.percentiles();
        HookTimings {
            hook,
            answers: times.count(),
            p50_us,
            p95_us,
        }
    };
    let mut hooks: Vec<HookTimings> = times.into_iter().map(figures).collect();
    hooks.sort_by_key(|hook| std::cmp::Reverse(hook.p95_us));
    let figures = Timings {
        runs,
        hooks,
        failed,
    };
    form.say(&figures, page)
}

fn page(timed: &Timings) -> String {
    let rows = timed.hooks.iter().map(|hook| {
        let [p50, p95] = [hook.p50_us, hook.p95_us].map(shown);
        [ui::line(&hook.hook), hook.answers.to_string(), p50, p95]
    });
    let mut text = ui::table("hook|answers|p50|p95", rows);
    text += &format!("\n{}, one event at a time\n", ui::many(timed.runs, "round"));
    if !timed.failed.is_empty() {
        let names: Vec<&str> = timed.failed.iter().map(String::as_str).collect();
        text += &format!(
            "{}: these cases did not go as they say, and were timed as they went: {}\n  anyhook test says why\n",
            paint(ui::ASK, "note"),
            ui::line(&names.join(", ")),
        );
    }
    text
}

/// A rule answers in microseconds, a program in milliseconds.
fn shown(us: u32) -> String {
    match us {
        0..1000 => format!("{us} us"),
        us => millis(Duration::from_micros(us.into())),
    }
}
