//! `docs/reference/hosts.md`: every host, and what becomes there of each thing that a hook can say.
//!
//! Each cell is computed by fitting and writing, and is then judged by the independent reader of its host. The page marks
//! those that the reader does not confirm (of an agent there are none, or a test fails) and those that the agent itself was
//! seen to do.

mod judged;

use std::collections::BTreeMap;
use std::fmt::{self, Write as _};
use std::time::Duration;

use anyhook_truth::{Truth, truth};
use anyhook_wires::hosts::HOSTS;
use anyhook_wires::matrix::{self, CellOutcome, EventMatrix, MatrixCell, PROBES};
use anyhook_wires::{Host, Neutral};

use crate::verify::{CellEvidence, mark};

const HEAD: &str = "\
# Hosts

<!-- Written by the test `generated_hosts_page_is_current` from crates/wires. -->

An agent that calls Anyhook is a *host*. Hosts differ in the answers that they take. Anyhook turns the answer of your hooks into
one that the host can carry out: it may become stricter, never weaker, and the report lists each difference as a loss. This page
says what becomes of each answer, at an ordinary call of a shell command. `anyhook list hosts NAME` prints the events, names and
time limits of a host.

An independent model of the host, or examples of what it does, judge every cell; where a version stands behind *run*, the agent
itself was run. *Proved* hosts cover every documented event. Of *experimental* ones we know the events that matter most; what is
unclear is read so that no gate opens.

";

/// One host, with its cells by event.
struct Page {
    host: &'static Host,
    truth: Option<Truth>,
    events: Vec<EventMatrix>,
}

pub(super) fn page() -> String {
    let page = |host: &&'static Host| Page {
        host,
        truth: truth(host.id()),
        events: matrix::events()
            .filter_map(|spec| matrix::cells(host, spec).unwrap())
            .collect(),
    };
    let mut text = String::from(HEAD);
    legend(&mut text).unwrap();
    let mut tables = BTreeMap::new();
    for page in HOSTS.iter().map(page) {
        let (mut own, id) = (String::new(), page.host.id());
        table(&mut own, &page).unwrap();
        host(&mut text, &page).unwrap();
        // What was seen of one agent was not seen of another, whose table is the same.
        match tables.insert(own.to_lowercase(), id) {
            Some(other) if page.truth.is_none() => {
                writeln!(text, "\nThe table is that of `{other}`, in small letters.").unwrap();
            }
            _ => text.push_str(&own),
        }
    }
    text
}

fn legend(text: &mut String) -> fmt::Result {
    text.push_str("| A hook says | What |\n|---|---|\n");
    for probe in PROBES {
        writeln!(text, "| {} | {} |", probe.name, probe.what)?;
    }
    text.push('\n');
    text.push_str("| Letter | What becomes of it |\n|---|---|\n");
    for came in CellOutcome::ALL {
        let letter = letter(*came).to_ascii_lowercase();
        writeln!(text, "| {letter} | {}: {} |", came.word(), came.meaning())?;
    }
    text.push_str(
        "| - | The event has nothing that could be rewritten. |\n\nA capital letter: the agent was seen to do it, in the \
         version that is named. A question mark: no document of\nthe form describes it. An exclamation mark: the agent did \
         something else.\n",
    );
    Ok(())
}

/// The letter of a word of the legend.
fn letter(came: CellOutcome) -> char {
    match came {
        CellOutcome::Exact => 'E',
        CellOutcome::Asked => 'A',
        CellOutcome::Refused => 'R',
        CellOutcome::Kept => 'K',
        CellOutcome::Undecided => 'U',
        CellOutcome::ToldModel => 'M',
        CellOutcome::ToldPerson => 'P',
        CellOutcome::Quiet => 'Q',
        CellOutcome::Later => 'L',
        CellOutcome::Lost => 'X',
    }
}

/// One host: where its facts are from.
fn host(text: &mut String, page: &Page) -> fmt::Result {
    let facts = page.host.facts();
    writeln!(text, "\n## {}\n", page.host.id())?;
    write!(text, "{}", facts.maturity.as_str())?;
    if !facts.aliases.is_empty() {
        write!(text, "; also `{}`", facts.aliases.join("`, `"))?;
    }
    write!(text, "; facts: {}", facts.covers)?;
    if let Some(seen) = &page.truth {
        write!(text, "; run: {} on {}", seen.version, seen.date)?;
    }
    writeln!(text, "; waits {}.", times(page.host))?;
    if page
        .host
        .rows()
        .iter()
        .any(|row| row.neutral() == Neutral::Allow)
    {
        text.push_str("A hook that says nothing approves, where the host has no other word.\n");
    }
    Ok(())
}

fn table(text: &mut String, page: &Page) -> fmt::Result {
    let names: Vec<&str> = PROBES.iter().map(|probe| probe.name).collect();
    writeln!(text, "\n| Event | Its name |{}|", names.join("|"))?;
    writeln!(text, "|---|---{}|", "|---".repeat(names.len()))?;
    for event in &page.events {
        row(text, page, event)?;
    }
    Ok(())
}

fn row(text: &mut String, page: &Page, event: &EventMatrix) -> fmt::Result {
    let universal = event.spec.universal.unwrap_or(event.spec.name);
    write!(text, "| {universal} | `{}` |", event.native)?;
    for probe in PROBES {
        let cell = |cell: &&MatrixCell| cell.probe.name == probe.name;
        match event.cells.iter().find(cell) {
            Some(cell) => write!(text, "{}|", said(page, event, cell))?,
            None => text.push_str("-|"),
        }
    }
    text.push('\n');
    Ok(())
}

fn said(page: &Page, event: &EventMatrix, cell: &MatrixCell) -> String {
    let letter = letter(cell.came);
    if !judged::confirmed(page.host, event, cell) {
        return format!("{}?", letter.to_ascii_lowercase());
    }
    match mark(page.truth.as_ref(), page.host, event, cell) {
        CellEvidence::Confirmed => letter.to_string(),
        CellEvidence::Documented => letter.to_ascii_lowercase().to_string(),
        CellEvidence::Contradicted => format!("{letter}!"),
    }
}

/// How long a host waits: the usual time, and the events that differ.
fn times(host: &Host) -> String {
    let mut names: BTreeMap<Duration, Vec<&str>> = BTreeMap::new();
    for row in host.rows() {
        names.entry(row.timeout).or_default().push(row.name);
    }
    let usual = names.iter().max_by_key(|(_, names)| names.len());
    let Some(usual) = usual.map(|(time, _)| *time) else {
        return "not at all".to_owned();
    };
    let mut text = time(usual);
    for (other, names) in names.iter().filter(|(time, _)| **time != usual) {
        text.push_str(&format!(", `{}` {}", names.join("`, `"), time(*other)));
    }
    text
}

fn time(time: Duration) -> String {
    let millis = time.as_millis();
    match millis {
        0 => "not at all".to_owned(),
        _ if !millis.is_multiple_of(1000) => format!("{millis} ms"),
        _ => format!("{} s", time.as_secs()),
    }
}
