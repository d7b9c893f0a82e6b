//! `anyhook list hosts`: the agents that can call us, and what can be said to each.

use anyhook::core::event::EventName;
use anyhook::wires::hosts::HOSTS;
use anyhook::wires::{Host, HostRow, Neutral};
use anyhook_truth::TRUTHS;
use serde_json::{Value, json};

use crate::error::{self, CliError};
use crate::exit::Exit;
use crate::form::JsonFlag;
use crate::ui::{self, paint};

/// Lists the agents, or shows one.
pub(super) fn run(name: Option<&str>, form: JsonFlag) -> Result<Exit, CliError> {
    let hosts = match name {
        None => HOSTS.to_vec(),
        Some(name) => vec![error::host(name)?],
    };
    let all: Vec<Value> = hosts.iter().map(|host| as_json(host)).collect();
    form.say(&all, |_| match &*hosts {
        [one] if name.is_some() => page(one),
        hosts => table(hosts),
    })
}

fn as_json(host: &Host) -> Value {
    json!({
        "id": host.id(), "aliases": host.facts().aliases, "maturity": host.facts().maturity.as_str(), "covers": host.facts().covers,
        "events": host.rows().iter().map(row_as_json).collect::<Vec<_>>(),
    })
}

fn row_as_json(row: &HostRow) -> Value {
    let verdicts = row.can.verdicts.iter();
    json!({
        "native": row.name, "event": row.event, "universal": universal(row),
        "timeout_ms": u64::try_from(row.timeout.as_millis()).unwrap_or(u64::MAX),
        "silence": silence(row), "verdicts": verdicts.map(|kind| kind.as_str()).collect::<Vec<_>>(),
        "rewrite": row.can.rewrite,
    })
}

fn universal(row: &HostRow) -> Option<&'static str> {
    EventName::new(row.event).spec()?.universal
}

fn silence(row: &HostRow) -> &'static str {
    match row.neutral() {
        Neutral::Silent => "silent",
        Neutral::Allow => "allow",
    }
}

fn table(hosts: &[&Host]) -> String {
    let mut hosts = hosts.to_vec();
    hosts.sort_by_key(|host| host.id());
    let rows = hosts.iter().map(|host| {
        let facts = host.facts();
        let seen = TRUTHS.iter().find(|(known, ..)| *known == host.id());
        let seen = seen.map_or("-", |(_, version, _)| version);
        let (names, events) = (facts.aliases.join(", "), host.rows().len().to_string());
        let maturity = facts.maturity.as_str();
        [host.id(), &names, maturity, &events, seen, facts.covers].map(str::to_owned)
    });
    ui::table("host|short|maturity|events|seen|facts from", rows)
        + "\nseen          the version that was tried (`anyhook doctor --verify` tries yours)\n\
           proved        every documented event was tried, both ways\n\
           experimental  the events that matter most; what is unclear blocks\n\
           facts from    the version, or the document, that the facts were read from\n"
}

fn page(host: &Host) -> String {
    let mut text = format!(
        "{}  {}, facts: {}\n\n",
        paint(ui::BOLD, host.id()),
        host.facts().maturity.as_str(),
        host.facts().covers
    );
    let rows = host.rows().iter().map(|row| {
        let verdicts: Vec<&str> = row.can.verdicts.iter().map(|kind| kind.as_str()).collect();
        let waits = Some(row.timeout.as_secs_f64()).filter(|_| ui::width() >= 100);
        [
            row.name.to_owned(),
            universal(row).unwrap_or(row.event).to_owned(),
            waits.map_or_else(String::new, |seconds| format!("{seconds} s")),
            listed(row.can.rewrite),
            listed(&verdicts),
        ]
    });
    text.push_str(&ui::table(
        "its name|event|it waits|rewrites|verdicts",
        rows,
    ));
    text
}

fn listed(items: &[&str]) -> String {
    if items.is_empty() {
        return "-".to_owned();
    }
    items.join(", ")
}
