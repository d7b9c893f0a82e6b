//! `docs/reference/hosts.md`: every host, and what becomes there of each thing that a hook can say.
//!
//! Each cell is computed by fitting and writing, and is then judged by the independent reader of its host. The page marks
//! those that the reader does not confirm (of an agent there are none, or a test fails) and those that the agent itself was
//! seen to do.

mod judged;

use std::collections::BTreeMap;
use std::fmt::{self, Write as _};
use std::time::Duration;

use anyhook_core::event::EventName;
use anyhook_core::taxonomy::EventSpec;
use anyhook_readers::reader;
use anyhook_truth::{Truth, truth};
use anyhook_wires::hosts::HOSTS;
use anyhook_wires::matrix::{self, Came, Cell, Cells, PROBES};
use anyhook_wires::{Host, Neutral};

use crate::verify::{Mark, mark};

const HEAD: &str = "\
# Hosts

<!-- Written by the test `generated_hosts_page_is_current` from crates/wires. -->

An agent that calls Anyhook is a *host*. Hosts differ in the answers that they take: one asks a person where another can only
block, and a third has no place for a text to the model. Anyhook turns the answer of your hooks into one that the host can carry
out. The new answer may be stricter, but never weaker, and the report lists each difference as a loss. This page shows the
outcome for every universal event, every kind of answer, and every host. `anyhook list hosts matrix` prints it.

Anyhook computes each cell. It writes one event as the host sends it, reads it, answers it, fits the answer to the host, and
writes the reply as the host reads it. Where the host has an *independent reader* (`crates/wires/tests/readers`), that judges the
reply: a model of the host's behaviour that shares no code with the writer. A cell that the reader does not confirm has a question
mark. Only the two forms that no agent's maker describes, `universal` and `amplifier`, have such cells. A host without a reader is
judged by examples of answers and of what it does with each (`fixtures/hosts/*/responses`).

We also ran seven agents themselves (`.ci/nightly lab`). A cell with a ✓ is what the agent did, in the version in the table
below. A cell without one comes from the agent's documents: the lab could not reach it without a person, or it cannot be seen
from outside, as with text on a terminal. A cell that an agent contradicts would have a ✗, and a test would fail.

A cell is about an ordinary call: a shell command, with nothing special in its payload. A session that is not known has no
outbox, so texts that would wait for a later event are lost.

";

/// One host, with its cells by event.
struct Page {
    host: &'static dyn Host,
    truth: Option<Truth>,
    events: Vec<Cells>,
}

impl Page {
    /// Tells whether the agent was seen to do what a cell says.
    fn mark(&self, event: &Cells, cell: &Cell) -> Mark {
        mark(self.truth.as_ref(), self.host, event, cell)
    }
}

pub(super) fn page() -> String {
    let page = |host: &&'static dyn Host| Page {
        host: *host,
        truth: truth(host.id()),
        events: matrix::events()
            .filter_map(|spec| matrix::cells(*host, spec).unwrap())
            .collect(),
    };
    let pages: Vec<Page> = HOSTS.iter().map(page).collect();
    written(&pages).unwrap()
}

fn written(pages: &[Page]) -> Result<String, fmt::Error> {
    let mut text = String::from(HEAD);
    all_hosts(&mut text, pages)?;
    legend(&mut text)?;
    for spec in matrix::events() {
        event(&mut text, pages, spec)?;
    }
    for page in pages {
        host(&mut text, page)?;
    }
    Ok(text)
}

fn all_hosts(text: &mut String, pages: &[Page]) -> fmt::Result {
    text.push_str("## All hosts\n\n| Host | Short name | Maturity | The facts cover | Seen | Events | Cells confirmed by the reader | and seen |\n");
    text.push_str("|---|---|---|---|---|---|---|---|\n");
    for page @ Page {
        host,
        events,
        truth,
    } in pages
    {
        let id = host.id();
        let aliases: Vec<String> = host.facts().aliases.iter().map(|name| code(name)).collect();
        let all: usize = events.iter().map(|event| event.cells.len()).sum();
        let cells = events.iter().flat_map(|event| {
            let confirmed = |cell: &&Cell| judged::confirmed(*host, event, cell);
            event.cells.iter().filter(confirmed)
        });
        let confirmed = cells.count();
        let cells = events.iter().flat_map(|event| {
            let seen = |cell: &&Cell| page.mark(event, cell) == Mark::Confirmed;
            event.cells.iter().filter(seen)
        });
        let seen = truth.as_ref();
        let seen = seen.map_or_else(String::new, |seen| {
            format!("{} on {}", seen.version, seen.date)
        });
        writeln!(
            text,
            "| [`{id}`](#{id}) | {} | {} | {} | {seen} | {} | {confirmed} of {all} | {} |",
            aliases.join(", "),
            host.facts().maturity.as_str(),
            host.facts().covers,
            host.rows().len(),
            cells.count(),
        )?;
    }
    text.push_str(
        "\n*Proved*: every documented event, both directions, judged by the reader. *Experimental*: the events that matter \
         most, from\ndocuments that leave questions open; what is unclear is read so that no gate opens. `anyhook verify` asks \
         the agent on the\nmachine at hand, and keeps what it finds there.\n",
    );
    Ok(())
}

fn legend(text: &mut String) -> fmt::Result {
    text.push_str("\n## What a hook says\n\n| Column | What |\n|---|---|\n");
    for probe in PROBES {
        writeln!(text, "| {} | {} |", probe.name, probe.what)?;
    }
    text.push_str("\n## What becomes of it\n\n| Word | What |\n|---|---|\n");
    for came in Came::ALL {
        writeln!(text, "| {} | {} |", came.word(), came.meaning())?;
    }
    text.push_str("\nA dash: the event has nothing that could be rewritten.\n");
    Ok(())
}

fn event(text: &mut String, pages: &[Page], spec: &EventSpec) -> fmt::Result {
    let universal = spec.universal.unwrap_or(spec.name);
    writeln!(
        text,
        "\n## {universal}\n\n{} Class: {}. [`{}`](events.md#{})\n",
        spec.summary,
        spec.class.word(),
        spec.name,
        spec.name.replace(':', ""),
    )?;
    let names: Vec<&str> = PROBES.iter().map(|probe| probe.name).collect();
    writeln!(text, "| Host | Its name | {} |", names.join(" | "))?;
    writeln!(text, "|---|---|{}", "---|".repeat(names.len()))?;
    let mut silent = Vec::new();
    for page in pages {
        match page.events.iter().find(|event| event.spec == spec) {
            Some(event) => row(text, page, event)?,
            None => silent.push(code(page.host.id())),
        }
    }
    if !silent.is_empty() {
        writeln!(text, "\nNot told of by {}.", silent.join(", "))?;
    }
    Ok(())
}

fn row(text: &mut String, page: &Page, event: &Cells) -> fmt::Result {
    write!(text, "| {} | `{}` |", page.host.id(), event.native)?;
    for probe in PROBES {
        let cell = event
            .cells
            .iter()
            .find(|cell| cell.probe.name == probe.name);
        let Some(cell) = cell else {
            text.push_str(" - |");
            continue;
        };
        let mark = match page.mark(event, cell) {
            _ if !judged::confirmed(page.host, event, cell) => "?",
            Mark::Confirmed => " ✓",
            Mark::Documented => "",
            Mark::Contradicted => " ✗",
        };
        match cell.came {
            Came::Exact => write!(text, " **exact**{mark} |")?,
            came => write!(text, " {}{mark} |", came.word())?,
        }
    }
    text.push('\n');
    Ok(())
}

/// One host: its events, and its losses in words.
fn host(text: &mut String, page: &Page) -> fmt::Result {
    let host = page.host;
    writeln!(text, "\n## {}\n", host.id())?;
    let id = host.id();
    let judge = match reader(id) {
        Some(_) => format!("crates/wires/tests/readers/src/{}.rs", id.replace('-', "_")),
        None => format!("fixtures/hosts/{id}/responses"),
    };
    writeln!(
        text,
        "{} {}. Facts: {}. Judged by `{judge}`.\n",
        match host.facts().maturity {
            anyhook_wires::Maturity::Proved => "Proved:",
            anyhook_wires::Maturity::Experimental => "Experimental:",
        },
        count(host.rows().len(), "event"),
        host.facts().covers,
    )?;
    text.push_str("| Its name | Event | Class | It waits | A hook that says nothing |\n|---|---|---|---|---|\n");
    for row in host.rows() {
        let name = EventName::new(row.event);
        writeln!(
            text,
            "| `{}` | `{}` | {} | {} | {} |",
            row.name,
            row.event,
            name.class().word(),
            time(row.timeout),
            match row.neutral {
                Neutral::Silent => "leaves it to the host",
                Neutral::Allow => "approves",
            }
        )?;
    }
    losses(text, page)
}

fn losses(text: &mut String, page: &Page) -> fmt::Result {
    let mut all: BTreeMap<(usize, Came), Vec<String>> = BTreeMap::new();
    for event in &page.events {
        for cell in event.cells.iter().filter(|cell| cell.came != Came::Exact) {
            let at = PROBES
                .iter()
                .position(|probe| probe.name == cell.probe.name);
            let universal = event.spec.universal.unwrap_or(event.spec.name);
            let key = (at.unwrap_or_default(), cell.came);
            all.entry(key).or_default().push(code(universal));
        }
    }
    if all.is_empty() {
        return writeln!(text, "\nNothing is lost on its universal events.");
    }
    text.push_str("\nWhat is lost on its universal events:\n\n");
    for ((probe, came), events) in all {
        let name = PROBES.get(probe).map_or("", |probe| probe.name);
        writeln!(
            text,
            "- *{name}* on {}: {}",
            events.join(", "),
            came.meaning()
        )?;
    }
    Ok(())
}

fn count(number: usize, what: &str) -> String {
    let s = if number == 1 { "" } else { "s" };
    format!("{number} {what}{s}")
}

fn time(time: Duration) -> String {
    let millis = time.as_millis();
    match millis {
        0 => "not at all".to_owned(),
        _ if !millis.is_multiple_of(1000) => format!("{millis} ms"),
        _ => format!("{} s", time.as_secs()),
    }
}

fn code(name: &str) -> String {
    format!("`{name}`")
}
