//! The places of a host besides its row: each that is missing is named, with the file to write.
//!
//! What a place has to hold is proved by the tests of its crate. Here we look only whether it is there, because a test cannot
//! run on what is missing, and because all places are named at once.

use std::collections::BTreeMap;

use anyhook_readers::reader;
use anyhook_wires::hosts::HOSTS;
use anyhook_wires::native_files::{FORMATS, NativeFormat};
use anyhook_wires::{Host, NativeEvent};

use super::super::Failure;
use crate::workspace::Workspace;

/// Forms of our own, or of another engine: no agent of a vendor, so no files of a vendor either.
const OWN: &[&str] = &["amplifier", "athena", "universal"];

/// Hosts with settings in which no hooks of the project are that could be read, each with the reason.
const NO_FILE: &[(&str, &str)] = &[
    ("cline", "each of its hooks is a program in a folder"),
    ("copilot-cloud", "it reads the files of Copilot CLI"),
    ("vscode-local", "it reads the files of Copilot CLI"),
];

/// The events of every agent, with their canonical names.
const EVENTS: &str = "fixtures/events/hosts.json";

/// The page that lists the files of every agent.
const PAGE: &str = "docs/manifest.md";

/// The case that is played in the form of every host.
const CASE: &str = "examples/guardrails/hooks/tests/cases/24-every-host-refuses.yaml";

/// What is looked for, of one host.
struct Wanted<'a> {
    id: &'a str,
    has_reader: bool,
    /// Its events and their canonical names.
    events: Vec<(&'a str, &'a str)>,
    /// Whether `anyhook install` can write its settings.
    has_settings: bool,
    /// The files of its hooks that are read.
    files: Option<&'a [&'a str]>,
}

/// Finds what is missing of every host.
pub(super) fn findings(workspace: &Workspace) -> Result<Vec<String>, Failure> {
    let agents = HOSTS.iter().filter(|host| !OWN.contains(&host.id()));
    let mut findings = Vec::new();
    for host in agents {
        findings.extend(missing(workspace, &Wanted::of(*host))?);
    }
    Ok(findings)
}

impl<'a> Wanted<'a> {
    fn of(host: &'a dyn Host) -> Self {
        let id = host.id();
        let event = |row: &'static NativeEvent| (row.name, row.event);
        let mut formats = FORMATS.iter().filter(|format| format.host == id);
        Self {
            id,
            has_reader: reader(id).is_some(),
            events: host.rows().iter().map(event).collect(),
            has_settings: host.facts().settings.is_some(),
            files: formats.next().map(|format: &&NativeFormat| format.files),
        }
    }
}

fn missing(workspace: &Workspace, host: &Wanted<'_>) -> Result<Vec<String>, Failure> {
    let mut all = of_its_own(workspace, host);
    all.extend(on_pages(workspace, host)?);
    let id = host.id;
    Ok(all
        .into_iter()
        .map(|what| format!("the host `{id}` {what}"))
        .collect())
}

/// The files of its own that are missing.
fn of_its_own(workspace: &Workspace, host: &Wanted<'_>) -> Vec<String> {
    let id = host.id;
    let stem = id.replace('-', "_");
    let corpus = format!("fixtures/hosts/{id}");
    let is_excused = NO_FILE.iter().any(|(of, _)| *of == id);
    let places = [
        (
            host.has_reader,
            format!("has no reader: write `crates/readers/src/{stem}.rs` and its row in READERS"),
        ),
        (
            workspace.has(&corpus),
            format!(
                "has no payloads: write `{corpus}/EVENT.json` for each event, a list of what the agent sends"
            ),
        ),
        (
            workspace.has(&format!("{corpus}/responses")),
            format!(
                "has no answers: write `{corpus}/responses/EVENT.json`, what a hook prints there, each by a name"
            ),
        ),
        (
            host.files.is_some() || !host.has_settings || is_excused,
            format!(
                "has settings, and its own hooks are not read: write `crates/wires/src/native_files/{stem}.rs` and its row \
                 in FORMATS, or give the reason in NO_FILE of `crates/xtask/src/steps/tables/hosts.rs`"
            ),
        ),
    ];
    let missing = places.into_iter().filter(|(is_there, _)| !is_there);
    missing.map(|(_, what)| what).collect()
}

/// What is missing in files that name every host.
fn on_pages(workspace: &Workspace, host: &Wanted<'_>) -> Result<Vec<String>, Failure> {
    let id = host.id;
    let mut findings = Vec::new();
    let page = workspace.read(PAGE)?;
    let files = host.files.unwrap_or_default().iter();
    let unnamed = files.filter(|file| !page.contains(&format!("`{file}`")));
    findings.extend(unnamed.map(|file| {
        format!("reads `{file}`: name it in the table of agents and files in `{PAGE}`")
    }));
    let events: BTreeMap<String, BTreeMap<String, String>> =
        serde_json::from_str(&workspace.read(EVENTS)?)
            .map_err(|cause| Failure::because(format!("`{EVENTS}`"), cause))?;
    // An event of a relative is listed below that relative.
    let is_own = |name: &str| {
        let of = name.split_once(':').map(|(of, _)| of);
        of.is_none_or(|of| of == id || !events.contains_key(of))
    };
    let known = |native: &str| events.get(id).and_then(|known| known.get(native));
    let unknown = host.events.iter().filter(|(_, name)| is_own(name));
    let unknown = unknown.filter(|(native, name)| known(native).is_none_or(|known| known != name));
    findings.extend(unknown.map(|(native, name)| {
        format!("has the event `{native}`: add it as `{name}` to `{EVENTS}`, below `{id}`")
    }));
    let case = workspace.read(CASE)?;
    let is_no_name = |c: char| !c.is_ascii_alphanumeric() && c != '-';
    if case.split(is_no_name).all(|word| word != id) {
        findings.push(format!("is not played in `{CASE}`: add it to `as`"));
    }
    Ok(findings)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_of_which_only_the_row_is_there_is_told_every_place_that_is_missing() {
        let acme = Wanted {
            id: "acme-cli",
            has_reader: false,
            events: vec![("BeforeTool", "tool:pre")],
            has_settings: true,
            files: None,
        };
        let workspace = Workspace::find().unwrap();
        let found = missing(&workspace, &acme).unwrap();
        let beginnings = [
            "the host `acme-cli` has no reader: write `crates/readers/src/acme_cli.rs`",
            "the host `acme-cli` has no payloads: write `fixtures/hosts/acme-cli/EVENT.json`",
            "the host `acme-cli` has no answers: write `fixtures/hosts/acme-cli/responses/EVENT.json`",
            "the host `acme-cli` has settings, and its own hooks are not read: write `crates/wires/src/native_files/acme_cli.rs`",
            "the host `acme-cli` has the event `BeforeTool`: add it as `tool:pre` to `fixtures/events/hosts.json`",
            "the host `acme-cli` is not played in `examples/guardrails/hooks/tests/cases/24-every-host-refuses.yaml`",
        ];
        assert_eq!(found.len(), beginnings.len(), "{found:#?}");
        for (found, beginning) in found.iter().zip(beginnings) {
            assert!(found.starts_with(beginning), "{found}");
        }
    }

    #[test]
    fn a_file_that_is_read_is_named_on_the_page_and_an_excuse_is_that_of_a_host_without_one() {
        let workspace = Workspace::find().unwrap();
        let acme = Wanted {
            id: "cursor",
            has_reader: true,
            events: Vec::new(),
            has_settings: true,
            files: Some(&[".cursor/hooks.json", ".acme/hooks.json"]),
        };
        let told = "the host `cursor` reads `.acme/hooks.json`: name it in the table of agents and files in `docs/manifest.md`";
        assert_eq!(missing(&workspace, &acme).unwrap(), [told]);
        for (id, _) in NO_FILE {
            assert!(HOSTS.iter().any(|host| host.id() == *id), "{id}");
            assert!(NativeFormat::of_host(id).is_none(), "{id}");
        }
    }
}
