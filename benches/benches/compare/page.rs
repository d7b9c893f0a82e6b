//! The page of what was measured: `docs/performance.md` between its two marks.

use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::Path;
use std::process::Command;

use super::contenders::{EMPTY, OURS, TRUE};
use super::{Row, Took};

const START: &str = "<!-- compare:start -->\n";
const END: &str = "<!-- compare:end -->";

/// Writes the page and its plot. What stands outside of the marks was written by hand and stays.
pub(crate) fn write(docs: &Path, measured: &str, plot: &str) -> io::Result<()> {
    let page = docs.join("performance.md");
    let text = fs::read_to_string(&page)?;
    let marks = text.split_once(START).and_then(|(before, rest)| {
        let (_, after) = rest.split_once(END)?;
        Some((before, after))
    });
    let (before, after) =
        marks.ok_or_else(|| io::Error::other("docs/performance.md has lost its marks"))?;
    fs::write(page, format!("{before}{START}{measured}{END}{after}"))?;
    fs::write(docs.join("performance.svg"), plot)
}

/// Says what was measured, on what, and which bounds hold.
pub(crate) fn measured(rows: &[Row], missing: &[String]) -> String {
    let rounds = rows.first().map_or(0, |row| row.took.clock.len());
    let mut text = format!(
        "\nMedians of {rounds} rounds, in which every program ran once in turn, on {}. \"Times\" are the medians of the ratios to \
         `anyhook-run` in the same round.\n\n",
        machine()
    );
    text.push_str(
        "| | Version or size | Processor time | Times | Wall time | Times | Instructions in user space |\n\
         |---|---|---|---|---|---|---|\n",
    );
    let ours = named(rows, OURS);
    for row in rows {
        let times = |of: fn(&Took) -> &Vec<f64>| {
            ours.map_or("?".to_owned(), |ours| format!("{:.2}", row.to(ours, of)))
        };
        let counted = row.instructions.map_or("not counted".to_owned(), |count| {
            format!("{} k", count / 1000)
        });
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "| {} | {} | {:.2} ms | {} | {:.2} ms | {} | {counted} |",
            row.contender.name,
            row.contender.version,
            row.processor() / 1000.0,
            times(|took| &took.processor),
            row.clock() / 1000.0,
            times(|took| &took.clock),
        );
    }
    text.push_str(&claims(rows));
    for missing in missing {
        let _ = writeln!(text, "\nNot measured in this run: {missing}.");
    }
    text
}

fn named<'a>(rows: &'a [Row], name: &str) -> Option<&'a Row> {
    rows.iter().find(|row| row.contender.name == name)
}

/// The bounds of the project, each with what was measured and whether it holds. One whose program is missing is left out.
fn claims(rows: &[Row]) -> String {
    let mut text =
        "\n| Bound | Wanted | Processor time | Wall time | |\n|---|---|---|---|---|\n".to_owned();
    let Some(ours) = named(rows, OURS) else {
        return String::new();
    };
    let mut said = |what: String, wanted: String, measured: [String; 2], holds: bool| {
        let holds = if holds { "holds" } else { "**missed**" };
        let [processor, clock] = measured;
        let _ = writeln!(
            text,
            "| {what} | {wanted} | {processor} | {clock} | {holds} |"
        );
    };
    for (name, most) in [(EMPTY, 1.4), (TRUE, 1.0)] {
        let Some(row) = named(rows, name) else {
            continue;
        };
        let both = [
            ours.to(row, |took| &took.processor),
            ours.to(row, |took| &took.clock),
        ];
        let what = format!("`anyhook-run`, to {name}");
        let holds = both[0] <= most;
        said(
            what,
            format!("at most {most}"),
            both.map(|it| format!("{it:.2}")),
            holds,
        );
    }
    for (name, least) in [
        ("a Python hook", 25.0),
        ("bash with jq", 30.0),
        ("a Node hook", 45.0),
    ] {
        let Some(row) = named(rows, name) else {
            continue;
        };
        let both = [
            row.to(ours, |took| &took.processor),
            row.to(ours, |took| &took.clock),
        ];
        let holds = both[0] >= least;
        let wanted = format!("at least {least}");
        said(
            format!("{name}, to `anyhook-run`"),
            wanted,
            both.map(|it| format!("{it:.1}")),
            holds,
        );
    }
    if let Some(count) = ours.instructions {
        let counted = [format!("{} k", count / 1000), String::new()];
        let what = "instructions of `anyhook-run`".to_owned();
        said(what, "below 300 k".to_owned(), counted, count < 300_000);
    }
    text
}

/// Says what it was measured on, without a name of the machine.
fn machine() -> String {
    let info = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let field = info
        .lines()
        .find_map(|line| line.strip_prefix("model name"));
    let model = field
        .and_then(|rest| rest.split_once(": "))
        .map(|(_, name)| name);
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    let said = |program: &str, arg: &str| {
        let said = Command::new(program).arg(arg).output();
        let said = said.map(|said| String::from_utf8_lossy(&said.stdout).trim().to_owned());
        said.unwrap_or_default()
    };
    let rustc = said("rustc", "--version");
    let rustc = rustc.split(" (").next().unwrap_or_default();
    let kernel: Vec<String> = said("uname", "-r")
        .split('.')
        .take(2)
        .map(str::to_owned)
        .collect();
    format!(
        "{cores} cores of {} ({} {}, {rustc})",
        model.unwrap_or("a processor without a name"),
        said("uname", "-s"),
        kernel.join("."),
    )
}
