//! `anyhook list hosts`: the agents that can call us, and what can be said to each.

use anstyle::Style;
use anyhook::core::event::EventName;
use anyhook::core::fit::Loss;
use anyhook::verify::{Mark, mark};
use anyhook::wires::hosts::HOSTS;
use anyhook::wires::matrix::{self, Came, Cells};
use anyhook::wires::{Host, NativeEvent, Neutral};
use anyhook_truth::{TRUTHS, truth};
use anyhook_verify::agents::AGENTS;
use serde::Serialize;
use serde_json::{Value, json};

use crate::error::{self, Problem};
use crate::exit::Exit;
use crate::form::Form;
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
    let mut all = Vec::new();
    for spec in matrix::events() {
        for host in &hosts {
            let cells = matrix::cells(*host, spec).map_err(|error| {
                let what = format!("`{}` cannot read its own `{}`", host.id(), spec.name);
                Problem::new(Exit::Software, what).because(error)
            })?;
            all.extend(cells.map(|cells| AtEvent::of(*host, &cells)));
        }
    }
    form.say(&all, |all| tables(all))?;
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
        let rows = AGENTS.iter().map(|agent| {
            let package = &agent.package;
            let cells = [&agent.host, &agent.program, &package.name, &package.version];
            cells.map(ToString::to_string).into()
        });
        ui::table(
            &["host", "program", "package", "seen with"],
            &rows.collect::<Vec<_>>(),
        )
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

/// What becomes of the answers of a hook to one event at one agent.
#[derive(Serialize)]
struct AtEvent {
    event: &'static str,
    host: &'static str,
    native: &'static str,
    summary: &'static str,
    answers: Vec<Answered>,
}

/// What becomes of one answer.
#[derive(Serialize)]
struct Answered {
    says: &'static str,
    becomes: &'static str,
    losses: Vec<Loss>,
    /// What the agent itself was seen to do: it confirms that, or contradicts it.
    seen: Option<Seen>,
}

#[derive(Serialize)]
struct Seen {
    agent: &'static str,
    version: String,
    date: String,
}

impl AtEvent {
    fn of(host: &'static dyn Host, event: &Cells) -> Self {
        let truth = truth(host.id());
        let answers = event.cells.iter().map(|cell| {
            let agent = match mark(truth.as_ref(), host, event, cell) {
                Mark::Confirmed => Some("confirms"),
                Mark::Contradicted => Some("contradicts"),
                Mark::Documented => None,
            };
            Answered {
                says: cell.probe.name,
                becomes: cell.came.word(),
                losses: cell.losses.clone(),
                seen: agent.zip(truth.as_ref()).map(|(agent, truth)| Seen {
                    agent,
                    version: truth.version.clone(),
                    date: truth.date.clone(),
                }),
            }
        });
        Self {
            event: event.spec.universal.unwrap_or(event.spec.name),
            host: host.id(),
            native: event.native,
            summary: event.spec.summary,
            answers: answers.collect(),
        }
    }
}

/// So wide is the name of an agent, or a word of the legend.
const NAME: usize = 16;

fn tables(all: &[AtEvent]) -> String {
    let mut text = String::new();
    for event in all.chunk_by(|one, other| one.event == other.event) {
        if let Some(first) = event.first() {
            text.push_str(&format!(
                "{}  {}\n",
                paint(ui::BOLD, first.event),
                first.summary
            ));
        }
        for of in event {
            let answers = of.answers.iter().map(|answer| {
                let sign = match answer.seen.as_ref().map(|seen| seen.agent) {
                    Some("confirms") => "✓",
                    Some(_) => "✗",
                    None => "",
                };
                format!("{}: {}{sign}", answer.says, answer.becomes)
            });
            let answers = answers.collect::<Vec<_>>().join(", ");
            text.push_str(&ui::beside(&format!("  {:14}", of.host), NAME, &answers));
        }
        text.push('\n');
    }
    for came in Came::ALL {
        let word = paint(style(*came), &format!("{:NAME$}", came.word()));
        text.push_str(&ui::beside(&word, NAME, came.meaning()));
    }
    let seen = "The agent itself was seen to do so (`anyhook list hosts` tells the version).";
    text + &ui::beside(&format!("{:NAME$}", "✓"), NAME, seen)
}

fn style(came: Came) -> Style {
    match came {
        Came::Exact => ui::PASS,
        Came::Asked => ui::ASK,
        Came::Refused | Came::Kept => ui::DENY,
        Came::Undecided | Came::Quiet => ui::DIM,
        Came::ToldModel | Came::ToldPerson | Came::Later => ui::CHANGE,
        Came::Lost => ui::BOLD,
    }
}
