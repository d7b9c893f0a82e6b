//! The tables agree with each other: rows with the taxonomy, folders with their tables, rows with the corpus.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use anyhook_core::event::EventName;
use anyhook_core::taxonomy::{COMMON, EVENTS, find};
use anyhook_wires::host;
use anyhook_wires::hosts::HOSTS;

#[test]
fn every_host_has_a_table_of_its_name() {
    let hosts: BTreeSet<String> = HOSTS.iter().map(|host| host.id().to_owned()).collect();
    assert_eq!(named("hosts", "txt"), hosts);
}

fn named(folder: &str, ending: &str) -> BTreeSet<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let entries = fs::read_dir(folder).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    paths
        .filter(|path| path.extension().is_some_and(|own| own == ending))
        .map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned())
        .collect()
}

#[test]
fn every_row_is_found_by_every_name_of_its_event() {
    for host in HOSTS {
        for row in host.rows() {
            let event = EventName::new(row.event);
            let found = host.row(row.name).unwrap();
            assert_eq!((found.name, found.event), (row.name, row.event));
            // Of several events of a host for one of ours, the first.
            let mut rows = host.rows().iter();
            let first = rows.find(|other| other.event == row.event).unwrap();
            assert_eq!(host.row(event.universal()).unwrap().name, first.name);
            assert_eq!(event.as_str(), row.event, "{} is not canonical", row.event);
            // What only one host has may go by a name that another one gave to something else.
            let known = EventName::new(row.name);
            let is_own = row.event.starts_with(host.id());
            assert!(
                is_own || known == event || known.spec().is_none(),
                "{}",
                row.name
            );
            assert!(event.spec().is_some(), "{}", row.name);
        }
    }
}

#[test]
fn every_row_says_only_what_the_taxonomy_lets_it_rewrite() {
    for host in HOSTS {
        for row in host.rows() {
            let mutable = EventName::new(row.event).mutable();
            for field in row.can.rewrite {
                assert!(mutable.contains(field), "{} {field}", row.name);
            }
        }
    }
}

#[test]
fn the_universal_form_has_a_row_for_every_universal_name() {
    let rows: BTreeSet<&str> = host("universal")
        .unwrap()
        .rows()
        .iter()
        .map(|row| row.name)
        .collect();
    let names: BTreeSet<&str> = anyhook_core::taxonomy::EVENTS
        .iter()
        .filter_map(|row| row.universal)
        .collect();
    assert_eq!(rows, names);
}

#[test]
fn a_host_that_is_unknown_is_not_found() {
    assert!(host("clyde").is_none());
    let claude = host("claude").unwrap();
    assert_eq!(claude.id(), "claude-code");
    assert_eq!(claude.facts().executables, ["claude"]);
}

/// Events that only Amplifier names so, and agents have too.
const OF_AMPLIFIER: &[&str] = &[
    "stop-failure",
    "approval:denied",
    "provider:request",
    "provider:response",
];

#[test]
fn what_an_agent_calls_an_event_is_a_name_of_it_in_every_file() {
    let rows = HOSTS.iter().flat_map(|host| host.rows());
    let other = rows.filter(|row| find(row.name) != find(row.event));
    let names: BTreeSet<&str> = other.map(|row| row.name).collect();
    let of_two_agents = [
        "InstructionsLoaded",
        "MessageDisplay",
        "PostToolBatch",
        "UserPromptExpansion",
    ];
    // Words that a program may well use for events of its own.
    let of_programs = ["dispose", "input"];
    assert!(
        names.iter().eq(of_two_agents.iter().chain(&of_programs)),
        "{names:?}"
    );
}

#[test]
fn every_event_of_an_agent_is_shared_or_is_its_own() {
    let forms = ["universal", "amplifier", "athena"];
    for host in HOSTS.iter().filter(|host| !forms.contains(&host.id())) {
        let own = format!("{}:", host.id());
        for row in host.rows() {
            let spec = find(row.event).unwrap_or_else(|| panic!("{}: {}", host.id(), row.name));
            let mut names = spec.aliases.iter().chain([&spec.name]);
            assert!(
                spec.universal.is_some()
                    || OF_AMPLIFIER.contains(&spec.name)
                    || names.any(|name| name.starts_with(&own)),
                "{}: {} is {}",
                host.id(),
                row.name,
                spec.name
            );
        }
    }
    for spec in EVENTS {
        // OpenCode has more hooks than its plugin posts.
        let id = spec.name.split_once(':').map(|(id, _)| id);
        let host = id.filter(|id| *id != "opencode").and_then(host);
        let tells = |row: &anyhook_wires::HostRow| row.event == spec.name;
        let is_told = host.is_none_or(|host| host.rows().iter().any(tells));
        assert!(is_told, "{}", spec.name);
    }
}

#[test]
fn every_field_of_the_taxonomy_names_a_host_or_a_seed_as_its_source() {
    let all = EVENTS.iter().flat_map(|spec| spec.fields).chain(COMMON);
    for field in all {
        for source in field.source.split(", ") {
            let fact = source
                .strip_prefix("ATH-")
                .or(source.strip_prefix("seed 00"));
            let is_known = ["amplifier", "anyhook", "ex_athena"].contains(&source)
                || fact.is_some_and(|number| number.parse::<u32>().is_ok())
                || host(source).is_some();
            assert!(is_known, "{}: {source}", field.name);
        }
    }
}
