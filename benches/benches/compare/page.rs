//! The page of what was measured: `docs/performance.md` between its two marks.

use std::fmt::Write as _;
use std::fs;
use std::process::Command;

use super::contenders::{EMPTY, OURS, TRUE};
use super::{ContenderRow, ContenderTimes};

/// Says what was measured, on what, and which bounds hold.
pub(crate) fn measured(rows: &[ContenderRow], missing: &[String]) -> String {
    let rounds = rows.first().map_or(0, |row| row.took.clock.len());
    let mut text = format!(
        "\nMedians of {rounds} rounds, in which every program ran once in turn, on {}. \"Times\" are the medians of the ratios to \
         `anyhook run` in the same round.\n\n",
        machine()
    );
    text.push_str(
        "| | Version or size | Processor time | Times | Wall time | Times | Instructions in user space |\n\
         |---|---|---|---|---|---|---|\n",
    );
    let ours = named(rows, OURS);
    for row in rows {
        let times = |of: fn(&ContenderTimes) -> &Vec<f64>| {
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

fn named<'a>(rows: &'a [ContenderRow], name: &str) -> Option<&'a ContenderRow> {
    rows.iter().find(|row| row.contender.name == name)
}

/// How often the time of ours may go into that of another, or that of another into ours.
#[derive(Clone, Copy)]
enum RatioBound {
    AtMost(f64),
    AtLeast(f64),
}

/// The bounds of the project.
const BOUNDS: [(&str, RatioBound); 5] = [
    (EMPTY, RatioBound::AtMost(1.4)),
    (TRUE, RatioBound::AtMost(1.0)),
    ("a Python hook", RatioBound::AtLeast(25.0)),
    ("bash with jq", RatioBound::AtLeast(30.0)),
    ("a Node hook", RatioBound::AtLeast(45.0)),
];

/// Most instructions of one event in user space.
const INSTRUCTIONS: u64 = 300_000;

/// Says of each bound what was measured and whether it holds. One whose program is missing is left out.
fn claims(rows: &[ContenderRow]) -> String {
    let Some(ours) = named(rows, OURS) else {
        return String::new();
    };
    let mut text =
        "\n| Bound | Wanted | Processor time | Wall time | |\n|---|---|---|---|---|\n".to_owned();
    for (name, wanted) in BOUNDS {
        text.extend(named(rows, name).map(|row| claim(ours, row, wanted)));
    }
    if let Some(count) = ours.instructions {
        let holds = holds(count < INSTRUCTIONS);
        let (count, most) = (count / 1000, INSTRUCTIONS / 1000);
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "| instructions of `anyhook run` | below {most} k | {count} k | | {holds} |"
        );
    }
    text
}

fn claim(ours: &ContenderRow, row: &ContenderRow, wanted: RatioBound) -> String {
    let of: [fn(&ContenderTimes) -> &Vec<f64>; 2] = [|took| &took.processor, |took| &took.clock];
    let name = row.contender.name;
    let (what, wanted, [processor, clock], is_so) = match wanted {
        RatioBound::AtMost(most) => {
            let both = of.map(|of| ours.to(row, of));
            let what = format!("`anyhook run`, to {name}");
            (what, format!("at most {most}"), both, both[0] <= most)
        }
        RatioBound::AtLeast(least) => {
            let both = of.map(|of| row.to(ours, of));
            let what = format!("{name}, to `anyhook run`");
            (what, format!("at least {least}"), both, both[0] >= least)
        }
    };
    let holds = holds(is_so);
    format!("| {what} | {wanted} | {processor:.1} | {clock:.1} | {holds} |\n")
}

fn holds(is_so: bool) -> &'static str {
    if is_so { "holds" } else { "**missed**" }
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
