//! `anyhook hosts`: the agents that can call us, and what can be said to each.

use anyhook::core::event::EventName;
use anyhook::core::taxonomy::EventSpec;
use anyhook::wires::hosts::HOSTS;
use anyhook::wires::matrix::{self, Came, Cells, PROBES};
use anyhook::wires::{Host, NativeEvent, Neutral, host};
use clap::{Arg, ArgMatches, Command};
use serde_json::{Value, json};

use super::{Row, Run, flag, log};
use crate::error::Problem;
use crate::exit::Exit;
use crate::ui::{self, paint};

/// The row.
pub(crate) const ROW: Row = Row {
    name: "hosts",
    describe,
    run: Run::Parsed(run),
};

fn describe(command: Command) -> Command {
    command
        .about("List the agents that Anyhook answers, and what each can be told")
        .arg(Arg::new("NAME").help("One host, by its id or its short name"))
        .arg(flag(
            "matrix",
            "Show what becomes of each thing that a hook can say, event by event",
        ))
        .arg(log::format_arg())
        .after_help(
            "Examples:\n  anyhook hosts\n  anyhook hosts gemini\n  anyhook hosts gemini --matrix",
        )
}

fn run(args: &ArgMatches) -> Result<Exit, Problem> {
    let name = args.get_one::<String>("NAME");
    let hosts: Vec<&'static dyn Host> = match name {
        None => HOSTS.to_vec(),
        Some(name) => vec![host(name).ok_or_else(|| unknown(name))?],
    };
    let is_json = log::is_json(args);
    let text = match (args.get_flag("matrix"), is_json, &*hosts) {
        (true, true, hosts) => pretty(&Value::Array(cells(hosts)?)),
        (true, false, hosts) => tables(hosts)?,
        (false, true, hosts) => pretty(&hosts.iter().map(|host| as_json(*host)).collect()),
        (false, false, [one]) if name.is_some() => page(*one),
        (false, false, hosts) => table(hosts),
    };
    if is_json {
        ui::raw(&text)?;
    } else {
        ui::out(&text)?;
    }
    Ok(Exit::Done)
}

fn unknown(name: &str) -> Problem {
    let problem = Problem::new(Exit::Negative, format!("there is no host `{name}`"));
    let names = HOSTS
        .iter()
        .flat_map(|host| host.aliases().iter().copied().chain([host.id()]));
    let near = names
        .map(|known| (strsim::jaro_winkler(name, known), known))
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .filter(|(likeness, _)| *likeness > 0.8);
    match near {
        Some((_, near)) => problem.help(format!("did you mean `{near}`?")),
        None => problem.help("`anyhook hosts` lists them all"),
    }
}

fn pretty(value: &Value) -> String {
    let text = serde_json::to_string_pretty(value).unwrap_or_default();
    format!("{text}\n")
}

fn as_json(host: &dyn Host) -> Value {
    json!({
        "id": host.id(), "aliases": host.aliases(), "maturity": host.maturity().as_str(), "covers": host.covers(),
        "events": host.rows().iter().map(row_as_json).collect::<Vec<_>>(),
    })
}

fn row_as_json(row: &NativeEvent) -> Value {
    let verdicts = row.can.verdicts.iter();
    json!({
        "native": row.name, "event": row.event, "universal": universal(row),
        "timeout_ms": u64::try_from(row.timeout.as_millis()).unwrap_or(u64::MAX),
        "silence": silence(row), "verdicts": verdicts.map(|kind| kind.as_str()).collect::<Vec<_>>(),
        "rewrite": row.can.rewrite,
    })
}

fn universal(row: &NativeEvent) -> Option<&'static str> {
    EventName::new(row.event).spec()?.universal
}

fn silence(row: &NativeEvent) -> &'static str {
    match row.neutral {
        Neutral::Silent => "silent",
        Neutral::Allow => "allow",
    }
}

fn table(hosts: &[&dyn Host]) -> String {
    let head = ["host", "short", "maturity", "events", "facts cover"].map(str::to_owned);
    let rows = hosts.iter().map(|host| {
        [
            host.id().to_owned(),
            host.aliases().join(", "),
            host.maturity().as_str().to_owned(),
            host.rows().len().to_string(),
            host.covers().to_owned(),
        ]
    });
    let mut text = columns(&head, rows);
    text.push_str(
        "\nproved        every documented event, both ways, judged by an independent reader\n\
         experimental  the events that matter most; what is unclear opens no gate\n",
    );
    text
}

fn page(host: &dyn Host) -> String {
    let mut text = format!(
        "{}  {}, facts: {}\n\n",
        paint(ui::BOLD, host.id()),
        host.maturity().as_str(),
        host.covers()
    );
    let head = ["its name", "event", "it waits", "verdicts", "rewrites"].map(str::to_owned);
    let rows = host.rows().iter().map(|row| {
        let verdicts: Vec<&str> = row.can.verdicts.iter().map(|kind| kind.as_str()).collect();
        [
            row.name.to_owned(),
            universal(row).unwrap_or(row.event).to_owned(),
            format!("{} s", row.timeout.as_secs_f64()),
            listed(&verdicts),
            listed(row.can.rewrite),
        ]
    });
    text.push_str(&columns(&head, rows));
    text
}

fn listed(items: &[&str]) -> String {
    if items.is_empty() {
        return "-".to_owned();
    }
    items.join(", ")
}

/// Writes a table whose columns are as wide as what stands in them.
fn columns<const N: usize>(head: &[String; N], rows: impl Iterator<Item = [String; N]>) -> String {
    let rows: Vec<[String; N]> = rows.collect();
    let all = || rows.iter().chain([head]);
    let widths: Vec<usize> = (0..N)
        .map(|at| all().filter_map(|row| row.get(at)).map(String::len).max())
        .map(Option::unwrap_or_default)
        .collect();
    let line = |row: &[String; N]| {
        let mut line = String::new();
        for (cell, width) in row.iter().zip(&widths) {
            line.push_str(&format!("{cell:width$}  "));
        }
        format!("{}\n", line.trim_end())
    };
    let mut text = paint(ui::BOLD, line(head).trim_end());
    text.push('\n');
    text.extend(rows.iter().map(line));
    text
}

/// Finds the cells of each host that tells of an event.
fn told(
    hosts: &[&'static dyn Host],
    spec: &'static EventSpec,
) -> Result<Vec<(&'static dyn Host, Cells)>, Problem> {
    let mut all = Vec::new();
    for host in hosts {
        let cells = matrix::cells(*host, spec).map_err(|error| {
            let what = format!("`{}` cannot read its own `{}`", host.id(), spec.name);
            Problem::new(Exit::Software, what).because(error)
        })?;
        all.extend(cells.map(|cells| (*host, cells)));
    }
    Ok(all)
}

fn cells(hosts: &[&'static dyn Host]) -> Result<Vec<Value>, Problem> {
    let mut all = Vec::new();
    for spec in matrix::events() {
        for (host, event) in told(hosts, spec)? {
            all.extend(event.cells.iter().map(|cell| {
                json!({
                    "event": spec.universal, "host": host.id(), "native": event.native, "says": cell.probe.name,
                    "becomes": cell.came.word(), "losses": cell.losses,
                })
            }));
        }
    }
    Ok(all)
}

fn tables(hosts: &[&'static dyn Host]) -> Result<String, Problem> {
    let mut text = String::new();
    for spec in matrix::events() {
        let told = told(hosts, spec)?;
        if told.is_empty() {
            continue;
        }
        let name = spec.universal.unwrap_or(spec.name);
        text.push_str(&format!("{}  {}\n", paint(ui::BOLD, name), spec.summary));
        let mut line = format!("  {:14}", "");
        for probe in PROBES {
            line.push_str(&format!("{:13}", probe.name));
        }
        text.push_str(&format!("{}\n", paint(ui::DIM, line.trim_end())));
        for (host, event) in told {
            text.push_str(&row(host, &event));
        }
        text.push('\n');
    }
    for came in Came::ALL {
        text.push_str(&format!("{}{}\n", word(*came, came.word()), came.meaning()));
    }
    Ok(text)
}

fn row(host: &dyn Host, event: &Cells) -> String {
    let mut line = format!("  {:14}", host.id());
    for probe in PROBES {
        let cell = event
            .cells
            .iter()
            .find(|cell| cell.probe.name == probe.name);
        match cell {
            Some(cell) => line.push_str(&word(cell.came, cell.came.word())),
            None => line.push_str(&format!("{:13}", "-")),
        }
    }
    format!("{}\n", line.trim_end())
}

/// Paints a word, as wide as a column.
fn word(came: Came, word: &str) -> String {
    let style = match came {
        Came::Exact => ui::PASS,
        Came::Asked => ui::ASK,
        Came::Refused => ui::DENY,
        Came::Undecided | Came::Quiet => ui::DIM,
        Came::ToldModel | Came::ToldPerson | Came::Later => ui::CHANGE,
        Came::Lost => ui::BOLD,
    };
    format!(
        "{}{}",
        paint(style, word),
        " ".repeat(13_usize.saturating_sub(word.len()))
    )
}
