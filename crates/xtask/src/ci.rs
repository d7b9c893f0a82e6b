//! Running steps one after the other, and reporting the results.

use std::time::{Duration, Instant};

use crate::done::Outcome;
use crate::say;
use crate::steps::{STEPS, Step};
use crate::workspace::Workspace;

/// What the summary says about one step.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Mark {
    Passed,
    Skipped(String),
    Failed,
    LeftOut,
    NotReached,
}

/// One line of the summary.
#[derive(Debug)]
struct Row {
    name: &'static str,
    mark: Mark,
    took: Duration,
}

/// Runs all steps, or the light ones of a quick run, until one fails; whether none did.
pub(crate) fn all(workspace: &Workspace) -> bool {
    let begun = Instant::now();
    let mut rows = Vec::new();
    let mut failed = false;
    for step in STEPS {
        let row = if failed {
            Row::without_run(step, Mark::NotReached)
        } else if workspace.quick && step.heavy {
            Row::without_run(step, Mark::LeftOut)
        } else {
            run(workspace, step)
        };
        failed |= row.mark == Mark::Failed;
        rows.push(row);
    }
    say::line(summary(&rows, begun.elapsed()));
    !failed
}

/// Runs one step; whether it did not fail.
pub(crate) fn one(workspace: &Workspace, step: &'static Step) -> bool {
    run(workspace, step).mark != Mark::Failed
}

fn run(workspace: &Workspace, step: &'static Step) -> Row {
    say::line(format!("\n== {}: {}", step.name, step.about));
    let begun = Instant::now();
    let done = (step.run)(workspace);
    let took = begun.elapsed();
    let mark = match done {
        Ok(Outcome::Passed) => Mark::Passed,
        Ok(Outcome::Skipped(why)) => {
            say::line(format!("{why}, skipped"));
            Mark::Skipped(why)
        }
        Err(failure) => {
            say::line(failure);
            Mark::Failed
        }
    };
    say::line(format!(
        "-- {} {} after {:.1} s",
        step.name,
        mark.word(),
        took.as_secs_f64()
    ));
    Row {
        name: step.name,
        mark,
        took,
    }
}

fn summary(rows: &[Row], took: Duration) -> String {
    let mut text = String::from("\n== summary\n");
    for row in rows {
        let time = match row.mark {
            Mark::LeftOut | Mark::NotReached => String::new(),
            _ => format!("{:.1} s", row.took.as_secs_f64()),
        };
        let why = match &row.mark {
            Mark::Skipped(why) => why.as_str(),
            _ => "",
        };
        let line = format!("{:<13} {:<12} {time:>8}  {why}", row.name, row.mark.word());
        text.push_str(line.trim_end());
        text.push('\n');
    }
    let failed = rows.iter().find(|row| row.mark == Mark::Failed);
    let end = match failed {
        Some(row) => format!(
            "ci failed at `{}`; `cargo xtask {}` runs it alone",
            row.name, row.name
        ),
        None => String::from("ci passed"),
    };
    format!("{text}{end} ({:.1} s)", took.as_secs_f64())
}

impl Mark {
    fn word(&self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Skipped(_) => "skipped",
            Self::Failed => "failed",
            Self::LeftOut => "left out",
            Self::NotReached => "not reached",
        }
    }
}

impl Row {
    fn without_run(step: &'static Step, mark: Mark) -> Self {
        Self {
            name: step.name,
            mark,
            took: Duration::ZERO,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(name: &'static str, mark: Mark) -> Row {
        Row {
            name,
            mark,
            took: Duration::from_millis(1_250),
        }
    }

    #[test]
    fn the_summary_says_what_was_skipped_and_what_was_never_reached() {
        let rows = [
            row("fmt", Mark::Passed),
            row("wasm", Mark::Skipped("wasm32-wasip2: not installed".into())),
            row("docs", Mark::LeftOut),
            row("tree", Mark::Failed),
            row("deny", Mark::NotReached),
        ];
        let expected = "
== summary
fmt           passed          1.2 s
wasm          skipped         1.2 s  wasm32-wasip2: not installed
docs          left out
tree          failed          1.2 s
deny          not reached
ci failed at `tree`; `cargo xtask tree` runs it alone (4.0 s)";
        assert_eq!(summary(&rows, Duration::from_secs(4)), expected);
    }
}
