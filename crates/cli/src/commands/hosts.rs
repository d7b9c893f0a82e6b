//! `anyhook list hosts`: the agents that can call us, and what can be said to each.

use anyhook::core::event::EventName;
use anyhook::core::taxonomy::EventSpec;
use anyhook::verify::{Mark, mark};
use anyhook::wires::hosts::HOSTS;
use anyhook::wires::matrix::{self, Came, Cell, Cells, PROBES};
use anyhook::wires::{Host, NativeEvent, Neutral};
use anyhook_truth::{TRUTHS, Truth, truth};
use anyhook_verify::agents::AGENTS;
use serde_json::{Value, json};

use crate::error::{self, Problem};
use crate::exit::Exit;
use crate::form::{Form, pretty};
use crate::ui::{self, paint};

/// Lists the agents, or shows one.
pub(super) fn run(name: Option<&str>, form: Form) -> Result<Exit, Problem> {
    let hosts = named(name)?;
    let all: Vec<Value> = hosts.iter().map(|host| as_json(*host)).collect();
    form.say(&all, |_| match &*hosts {
        [one] if name.is_some() => page(*one),
        hosts => table(hosts),
    })?;
    Ok(Exit::Done)
}

/// Shows what each agent does with each answer of a hook, event by event.
pub(super) fn matrix(name: Option<&str>, form: Form) -> Result<Exit, Problem> {
    let hosts = named(name)?;
    if form.is_json() {
        ui::raw(&pretty(&cells(&hosts)?))?;
    } else {
        ui::out(&tables(&hosts)?)?;
    }
    Ok(Exit::Done)
}

/// Lists the agents that can be tested, and the version that was tested last.
pub(super) fn agents(form: Form) -> Result<Exit, Problem> {
    let all = AGENTS.iter().map(|agent| {
        json!({
            "host": agent.host, "program": agent.program, "package": agent.package.name,
            "version": agent.package.version,
        })
    });
    form.say(&all.collect::<Vec<_>>(), |_| {
        let lines = AGENTS.iter().map(|agent| {
            let (name, version) = (&agent.package.name, &agent.package.version);
            let host = format!("{:14}", agent.host);
            format!(
                "{host} `{}` of {name}, seen with {version}\n",
                agent.program
            )
        });
        lines.collect()
    })?;
    Ok(Exit::Done)
}

fn named(name: Option<&str>) -> Result<Vec<&'static dyn Host>, Problem> {
    match name {
        None => Ok(HOSTS.to_vec()),
        Some(name) => Ok(vec![error::host(name)?]),
    }
}

fn as_json(host: &dyn Host) -> Value {
    json!({
        "id": host.id(), "aliases": host.facts().aliases, "maturity": host.facts().maturity.as_str(), "covers": host.facts().covers,
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
    let head = ["host", "short", "maturity", "events", "seen", "facts from"];
    let mut hosts = hosts.to_vec();
    hosts.sort_by_key(|host| host.id());
    let rows: Vec<Vec<String>> = hosts
        .iter()
        .map(|host| {
            vec![
                host.id().to_owned(),
                host.facts().aliases.join(", "),
                host.facts().maturity.as_str().to_owned(),
                host.rows().len().to_string(),
                seen_with(host.id()),
                host.facts().covers.to_owned(),
            ]
        })
        .collect();
    ui::table(&head, &rows)
        + "\nseen          the version that was tried (`anyhook doctor --verify` tries yours)\n\
           proved        every documented event was tried, both ways\n\
           experimental  the events that matter most; what is unclear blocks\n\
           facts from    the version, or the document, that the facts were read from\n"
}

/// Returns the version that the lab asked.
fn seen_with(host: &str) -> String {
    let seen = TRUTHS.iter().find(|(known, ..)| *known == host);
    seen.map_or_else(|| "-".to_owned(), |(_, version, _)| (*version).to_owned())
}

fn page(host: &dyn Host) -> String {
    let mut text = format!(
        "{}  {}, facts: {}\n\n",
        paint(ui::BOLD, host.id()),
        host.facts().maturity.as_str(),
        host.facts().covers
    );
    let head = ["its name", "event", "it waits", "rewrites", "verdicts"];
    let rows = host.rows().iter().map(|row| {
        let verdicts: Vec<&str> = row.can.verdicts.iter().map(|kind| kind.as_str()).collect();
        vec![
            row.name.to_owned(),
            of_all(row, host).to_owned(),
            Some(row.timeout.as_secs_f64())
                .filter(|_| ui::width() >= 100)
                .map(|seconds| format!("{seconds} s"))
                .unwrap_or_default(),
            listed(row.can.rewrite),
            listed(&verdicts),
        ]
    });
    let rows: Vec<_> = rows.collect();
    text.push_str(&ui::table(&head, &rows));
    if rows.iter().any(|row| row.iter().any(|cell| cell == OWN)) {
        let id = host.id();
        text.push_str(&format!(
            "\n{OWN}  only {id} has this event: use the name in the first column\n"
        ));
    }
    text
}

/// The event of an agent that no other agent has.
const OWN: &str = "own";

/// Returns the name of an event that other agents have too.
fn of_all(row: &NativeEvent, host: &dyn Host) -> &'static str {
    let name = universal(row).unwrap_or(row.event);
    match name.split_once(':') {
        Some((owner, _)) if owner == host.id() => OWN,
        _ => name,
    }
}

fn listed(items: &[&str]) -> String {
    if items.is_empty() {
        return "-".to_owned();
    }
    items.join(", ")
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
                    "becomes": cell.came.word(), "losses": cell.losses, "seen": seen(host, &event, cell),
                })
            }));
        }
    }
    Ok(all)
}

/// Tells in which version the agent was seen to do what a cell says, or to do something else.
fn seen(host: &dyn Host, event: &Cells, cell: &Cell) -> Value {
    let truth = truth(host.id());
    let by = |word: &str| match &truth {
        Some(truth) => json!({"agent": word, "version": truth.version, "date": truth.date}),
        None => Value::Null,
    };
    match mark(truth.as_ref(), host, event, cell) {
        Mark::Confirmed => by("confirms"),
        Mark::Contradicted => by("contradicts"),
        Mark::Documented => Value::Null,
    }
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
        if is_wide() {
            let mut line = format!("  {:14}", "");
            for probe in PROBES {
                line.push_str(&format!("{:CELL$}", probe.name));
            }
            text.push_str(&format!("{}\n", paint(ui::DIM, line.trim_end())));
        }
        for (host, event) in told {
            text.push_str(&row(host, truth(host.id()).as_ref(), &event));
        }
        text.push('\n');
    }
    for came in Came::ALL {
        text.push_str(&ui::beside(&word(*came, came.word()), CELL, came.meaning()));
    }
    let seen = "The agent itself was seen to do so (`anyhook list hosts` tells the version).";
    text.push_str(&ui::beside(&format!("{:CELL$}", "✓"), CELL, seen));
    Ok(text)
}

/// So wide is a column of the matrix.
const CELL: usize = 13;

/// Tells whether a row of the matrix fits into one line.
fn is_wide() -> bool {
    ui::columns().is_none() || ui::width() >= 16 + CELL * PROBES.len()
}

fn row(host: &dyn Host, truth: Option<&Truth>, event: &Cells) -> String {
    let mut cells = Vec::new();
    for probe in PROBES {
        let mut all = event.cells.iter();
        let cell = all.find(|cell| cell.probe.name == probe.name);
        cells.push((
            probe.name,
            cell.map(|cell| (cell.came, became(truth, host, event, cell))),
        ));
    }
    if is_wide() {
        let cells = cells.iter().map(|(_, cell)| match cell {
            Some((came, became)) => word(*came, became),
            None => format!("{:CELL$}", "-"),
        });
        let line = format!("  {:14}{}", host.id(), cells.collect::<String>());
        return format!("{}\n", line.trim_end());
    }
    let cells = cells
        .iter()
        .filter_map(|(name, cell)| Some(format!("{name}: {}", cell.as_ref()?.1)));
    let cells = cells.collect::<Vec<_>>().join(", ");
    ui::beside(&format!("  {:14}", host.id()), 16, &cells)
}

/// Says what becomes of a cell, and whether the agent was seen to do so.
fn became(truth: Option<&Truth>, host: &dyn Host, event: &Cells, cell: &Cell) -> String {
    let sign = match mark(truth, host, event, cell) {
        Mark::Confirmed => "✓",
        Mark::Documented => "",
        Mark::Contradicted => "✗",
    };
    format!("{}{sign}", cell.came.word())
}

/// Paints a word, as wide as a column.
fn word(came: Came, word: &str) -> String {
    let style = match came {
        Came::Exact => ui::PASS,
        Came::Asked => ui::ASK,
        Came::Refused | Came::Kept => ui::DENY,
        Came::Undecided | Came::Quiet => ui::DIM,
        Came::ToldModel | Came::ToldPerson | Came::Later => ui::CHANGE,
        Came::Lost => ui::BOLD,
    };
    format!(
        "{}{}",
        paint(style, word),
        " ".repeat(CELL.saturating_sub(word.chars().count()))
    )
}
