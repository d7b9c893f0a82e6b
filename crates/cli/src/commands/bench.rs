//! `anyhook test --time`: what hooks cost per event, beside what this machine takes to start a program at all.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write as _;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::process::{Command as Process, Stdio};
use std::time::{Duration, Instant};

use anyhook_testing::{How, Outcome, Ran, Suite, read};
use serde_json::{Value, json};

use crate::error::Problem;
use crate::exit::Exit;
use crate::form::Form;
use crate::tested::network;
use crate::ui::{self, paint};
use crate::view::millis;

/// An event that no hook is on, for the cost of a start.
const NOTHING: &[u8] = br#"{"hookEventName": "notification", "message": "bench"}"#;

/// Reads a time with its unit.
fn budget(text: &str) -> Result<Duration, String> {
    let units = [("us", 1e-6), ("µs", 1e-6), ("ms", 1e-3), ("s", 1.0)];
    let found = units
        .into_iter()
        .find_map(|(unit, of)| Some((text.strip_suffix(unit)?, of)));
    let seconds = found.and_then(|(number, of)| Some(number.trim().parse::<f64>().ok()? * of));
    let time = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    time.filter(|time| !time.is_zero())
        .ok_or_else(|| "a time has a number and a unit, such as 20ms, 500us or 1.5s".to_owned())
}

/// So often each case is run, where a person does not say how often.
const RUNS: NonZeroUsize = NonZeroUsize::new(20).expect("20 is not 0");

/// Times the hooks of packages, one case after the other.
pub(super) fn run(
    paths: &[PathBuf],
    runs: Option<NonZeroUsize>,
    limit: Option<&str>,
    form: Form,
) -> Result<Exit, Problem> {
    let limit = limit.map(budget).transpose();
    let limit = limit.map_err(|why| Problem::new(Exit::Usage, why))?;
    let suite = read(paths);
    if suite.cases.is_empty() {
        return Err(nothing(&suite));
    }
    // Before this process has a second thread.
    let network = network::isolate();
    let runs = runs.unwrap_or(RUNS).get();
    let how = How {
        jobs: NonZeroUsize::MIN,
        network,
        program: std::env::current_exe().ok(),
        ..How::default()
    };
    let mut timed = Timed::default();
    for round in 1..=runs {
        timed.play(&suite, &how)?;
        if ui::is_terminal() && !form.is_json() {
            ui::err(&format!(
                "\rround {round} of {runs}{}",
                if round == runs { "\n" } else { "" }
            ));
        }
    }
    form.say(&timed.as_json(runs, limit), |_| timed.page(runs, limit))?;
    let is_over = timed.hooks.values().any(|times| is_over(times, limit));
    Ok(if is_over { Exit::Negative } else { Exit::Done })
}

fn nothing(suite: &Suite) -> Problem {
    let problem = suite.problems.first();
    let why = problem.map_or(
        "the packages here have no cases to play".to_owned(),
        |problem| problem.finding.message.clone(),
    );
    Problem::new(Exit::NoInput, why).help(
        "anyhook init writes a package with cases; anyhook test --list shows those that are here",
    )
}

/// What was measured: each list in the order of the rounds.
#[derive(Default)]
struct Timed {
    /// By hook, the time of each answer.
    hooks: BTreeMap<Box<str>, Vec<Duration>>,
    /// Whole events in process, all hooks included.
    events: Vec<Duration>,
    /// Starts of `anyhook run` without hooks.
    starts: Vec<Duration>,
    /// Starts of a program that does nothing.
    floor: Vec<Duration>,
    /// Cases that did not go as they say, by name.
    failed: BTreeSet<String>,
}

impl Timed {
    /// Plays every case once, and both starts beside it.
    fn play(&mut self, suite: &Suite, how: &How) -> Result<(), Problem> {
        for ran in anyhook_testing::run(&suite.cases, how, &mut |_| {}) {
            self.add(&ran);
        }
        let home = tempfile::tempdir().map_err(cannot)?;
        let mut own = Process::new(std::env::current_exe().map_err(cannot)?);
        own.arg("run")
            .env("HOME", home.path())
            .current_dir(home.path());
        for name in ["XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME"] {
            own.env_remove(name);
        }
        self.starts.push(start(&mut own, NOTHING).map_err(cannot)?);
        // A machine without `true` has no floor to show.
        self.floor.extend(start(&mut Process::new("true"), b""));
        Ok(())
    }

    fn add(&mut self, ran: &Ran) {
        if matches!(ran.outcome, Outcome::Skipped(_)) {
            return;
        }
        if ran.outcome.is_bad() {
            self.failed.insert(ran.case.name().to_owned());
        }
        let Some(evidence) = &ran.evidence else {
            return;
        };
        self.events.push(evidence.took);
        for step in &evidence.report.steps {
            if let (Some(took), Some(hook)) = (step.took, evidence.report.hook(step.hook)) {
                self.hooks.entry(hook.name.clone()).or_default().push(took);
            }
        }
    }

    fn page(&self, runs: usize, budget: Option<Duration>) -> String {
        let mut hooks: Vec<_> = self.hooks.iter().collect();
        hooks.sort_by_key(|(_, times)| std::cmp::Reverse(part(times, 95)));
        let rows: Vec<Vec<String>> = hooks
            .into_iter()
            .map(|(name, times)| {
                let mut row = row(&ui::line(name), times);
                row.push(if is_over(times, budget) { "over" } else { "" }.to_owned());
                row
            })
            .collect();
        let mut text = ui::table(&["hook", "answers", "p50", "p95", "p99", ""], &rows);
        let whole = [
            ("an event of a case, all its hooks", &self.events),
            (
                "anyhook run without hooks, from its start to its end",
                &self.starts,
            ),
            ("true, a program that does nothing", &self.floor),
        ];
        let rows: Vec<Vec<String>> = whole.iter().map(|(name, times)| row(name, times)).collect();
        text += &format!(
            "\n{}",
            ui::table(&["beside", "times", "p50", "p95", "p99"], &rows)
        );
        text += &format!(
            "\n{runs} rounds, one event at a time. An agent waits for a start of anyhook, and for the hooks of its event.\n"
        );
        if !self.failed.is_empty() {
            let names: Vec<&str> = self.failed.iter().map(String::as_str).collect();
            let names = ui::line(&names.join(", "));
            text += &format!(
                "{}: these cases did not go as they say, and were timed as they went: {names}\n  anyhook test says why\n",
                paint(ui::ASK, "note")
            );
        }
        text
    }

    fn as_json(&self, runs: usize, budget: Option<Duration>) -> Value {
        let hooks = self.hooks.iter().map(|(name, times)| {
            let mut row = figures(times);
            if let Value::Object(row) = &mut row {
                row.insert("hook".to_owned(), (**name).into());
                row.insert("over".to_owned(), is_over(times, budget).into());
            }
            row
        });
        json!({
            "runs": runs,
            "budget_us": budget.map(micros),
            "hooks": hooks.collect::<Vec<_>>(),
            "events": figures(&self.events),
            "start": figures(&self.starts),
            "floor": figures(&self.floor),
            "failed": self.failed,
        })
    }
}

fn cannot(error: std::io::Error) -> Problem {
    Problem::new(
        Exit::CannotCreate,
        "a program that is timed cannot be started",
    )
    .because(error)
}

/// Starts a program, gives it its input, and waits for its end.
fn start(program: &mut Process, input: &[u8]) -> std::io::Result<Duration> {
    let began = Instant::now();
    let quiet = program
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let mut child = quiet.spawn()?;
    if let Some(mut stdin) = child.stdin.take() {
        // One that does not read its input has ended already.
        let _ = stdin.write_all(input);
    }
    child.wait()?;
    Ok(began.elapsed())
}

fn is_over(times: &[Duration], budget: Option<Duration>) -> bool {
    budget.is_some_and(|budget| part(times, 95).is_some_and(|p95| p95 > budget))
}

/// The time within which this share of them stayed, in percent.
fn part(times: &[Duration], percent: usize) -> Option<Duration> {
    let mut sorted = times.to_vec();
    sorted.sort_unstable();
    let rank = (sorted.len() * percent).div_ceil(100);
    sorted.get(rank.saturating_sub(1)).copied()
}

fn row(name: &str, times: &[Duration]) -> Vec<String> {
    let of = |percent| part(times, percent).map_or("-".to_owned(), shown);
    vec![
        name.to_owned(),
        times.len().to_string(),
        of(50),
        of(95),
        of(99),
    ]
}

fn figures(times: &[Duration]) -> Value {
    let of = |percent| part(times, percent).map(micros);
    json!({"times": times.len(), "p50_us": of(50), "p95_us": of(95), "p99_us": of(99)})
}

/// A rule answers in microseconds, a program in milliseconds.
fn shown(time: Duration) -> String {
    if time < Duration::from_millis(1) {
        format!("{} us", time.as_micros())
    } else {
        millis(time)
    }
}

fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_needs_its_unit() {
        assert_eq!(budget("20ms"), Ok(Duration::from_millis(20)));
        assert_eq!(budget("500us"), Ok(Duration::from_micros(500)));
        assert_eq!(budget("1.5s"), Ok(Duration::from_millis(1500)));
        for wrong in ["20", "ms", "-1s", "0ms", "nans", "infs", "1e400s", ""] {
            assert!(budget(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_parts_are_times_that_were_measured() {
        let times: Vec<Duration> = (1..=100).rev().map(Duration::from_millis).collect();
        let parts = [50, 95, 99].map(|percent| part(&times, percent));
        assert_eq!(
            parts,
            [50, 95, 99].map(|ms| Some(Duration::from_millis(ms)))
        );
        assert_eq!(part(&times[..1], 50), Some(Duration::from_millis(100)));
        assert_eq!(part(&[], 95), None);
    }
}
