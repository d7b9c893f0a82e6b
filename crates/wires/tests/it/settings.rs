//! What holds for the settings of every host of the table.

use std::collections::BTreeSet;

use anyhook_wires::hosts::HOSTS;
use anyhook_wires::native_files::FORMATS;
use anyhook_wires::settings::command::{ProgramReference, is_installed};
use anyhook_wires::settings::edit::{SettingsForm, add, find, remove};
use anyhook_wires::settings::{Scope, Settings, SettingsLayout, entries};
use anyhook_wires::{Host, host};
use serde_json::Value;

const AT: ProgramReference<'_> = ProgramReference::at("/home/me/.local/share/anyhook/bin/anyhook");

fn hosts() -> impl Iterator<Item = (&'static Host, &'static Settings)> {
    HOSTS
        .iter()
        .filter_map(|host| Some((*host, host.facts().settings?)))
}

fn forms() -> impl Iterator<Item = (&'static Host, SettingsForm<'static>)> {
    hosts()
        .filter(|(host, settings)| settings.own_files(host).is_none())
        .flat_map(|(host, settings)| {
            settings
                .files
                .iter()
                .map(move |file| (host, SettingsForm { settings, file }))
        })
}

#[test]
fn every_system_of_a_table_is_one_that_we_know() {
    let of_files = hosts().flat_map(|(_, settings)| settings.files);
    let of_files = of_files.map(|file| file.platform);
    let of_commands = FORMATS.iter().flat_map(|format| format.commands);
    let of_commands = of_commands.map(|(_, platform)| *platform);
    for platform in of_files.chain(of_commands) {
        assert!(
            ["any", "linux", "macos", "windows"].contains(&platform),
            "{platform}"
        );
    }
}

#[test]
fn every_event_of_a_host_gets_an_entry_or_a_reason_why_not() {
    for (host, settings) in hosts() {
        let rows: BTreeSet<&str> = host.rows().iter().map(|row| row.name).collect();
        let mut named: BTreeSet<&str> = settings.without.iter().map(|(name, _)| *name).collect();
        assert!(named.is_subset(&rows), "{}: {named:?}", host.id());
        named.extend(entries(host, settings, AT).iter().map(|entry| entry.event));
        assert_eq!(named, rows, "{}", host.id());
    }
}

#[test]
fn what_is_put_into_a_file_is_found_there_as_ours_and_taken_out_again() {
    for (host, form) in forms() {
        for program in [AT, ProgramReference::ANYWHERE] {
            let all = entries(host, form.settings, program);
            let start = if form.file.is_toml() {
                "zzz = 1 # one\n"
            } else {
                "{\n  \"zzz\": 1 // one\n}\n"
            };
            let text = add(start, form, &all).unwrap();
            assert_eq!(add(&text, form, &all).unwrap(), text, "{}", host.id());
            let found = find(&text, form).unwrap();
            let events: Vec<&str> = found.iter().map(|found| found.event.as_str()).collect();
            let wanted: Vec<&str> = all.iter().map(|entry| entry.event).collect();
            assert_eq!(events, wanted, "{}", host.id());
            assert!(
                found
                    .iter()
                    .all(|found| found.commands.iter().all(|line| is_installed(line)))
            );
            assert_eq!(remove(&text, form).unwrap(), start, "{}", host.id());
        }
    }
}

fn droid(path: &str) -> (&'static Host, SettingsForm<'static>) {
    let host = host("factory-droid").unwrap();
    let settings = host.facts().settings.unwrap();
    let mut files = settings.files.iter();
    let file = files.find(|file| file.path == path).unwrap();
    (host, SettingsForm { settings, file })
}

#[test]
fn the_entries_of_droid_stand_at_the_top_of_one_file_and_below_hooks_in_the_other() {
    for (path, pointer) in [
        ("~/.factory/hooks.json", ""),
        ("~/.factory/settings.json", "/hooks"),
    ] {
        let (host, form) = droid(path);
        let text = add("", form, &entries(host, form.settings, AT)).unwrap();
        let value: Value = serde_json::from_str(&text).unwrap();
        let events = value.pointer(pointer).unwrap().as_object().unwrap();
        let rows: Vec<&str> = host.rows().iter().map(|row| row.name).collect();
        assert_eq!(events.keys().collect::<Vec<_>>(), rows, "{path}");
    }
}

#[test]
fn times_are_whole_numbers_in_the_unit_of_the_host() {
    for (host, settings) in hosts() {
        for entry in entries(host, settings, AT) {
            let time = ["timeout", "timeoutSec"]
                .iter()
                .find_map(|field| entry.value.get(*field));
            let Some(time) = time else { continue };
            let row = host.row(entry.event).unwrap();
            let seconds = time
                .as_u64()
                .unwrap_or_else(|| panic!("{} {time}", host.id()));
            let millis = u128::from(seconds) == row.timeout.as_millis();
            assert!(
                millis || seconds == row.timeout.as_secs(),
                "{} {}",
                host.id(),
                entry.event
            );
        }
    }
}

#[test]
fn a_new_file_of_each_host() {
    for (host, settings) in hosts() {
        let id = host.id();
        let scopes = Scope::ALL
            .into_iter()
            .filter_map(|scope| settings.files_of(scope, "linux").next());
        let paths: Vec<String> = scopes
            .map(|file| format!("{}: {}", file.scope.name(), file.path))
            .collect();
        let file = settings
            .files_of(Scope::User, "linux")
            .next()
            .unwrap_or(&settings.files[0]);
        let text = match settings.shape {
            SettingsLayout::Scripts => {
                let row = &host.rows()[0];
                let script = anyhook_wires::settings::command::script(host, row, AT);
                format!("{}/{}:\n{script}", file.path, row.name)
            }
            SettingsLayout::Plugin(names) => names.join("\n"),
            _ => add(
                "",
                SettingsForm { settings, file },
                &entries(host, settings, AT),
            )
            .unwrap(),
        };
        insta::assert_snapshot!(
            format!("settings_of_{id}"),
            format!("{}\n\n{text}", paths.join("\n"))
        );
    }
}

#[test]
fn codex_gets_nothing_that_makes_it_reject_the_file() {
    let Some(codex) = host("codex-cli") else {
        return;
    };
    let settings = codex.facts().settings.unwrap();
    let file = settings.files_of(Scope::User, "linux").next().unwrap();
    let text = add(
        "",
        SettingsForm { settings, file },
        &entries(codex, settings, ProgramReference::ANYWHERE),
    )
    .unwrap();
    let value: Value = serde_json::from_str(&text).unwrap();
    let top: Vec<&String> = value.as_object().unwrap().keys().collect();
    assert_eq!(top, ["hooks"]);
    for groups in value["hooks"].as_object().unwrap().values() {
        let entry = groups[0]["hooks"][0].as_object().unwrap();
        let keys: Vec<&String> = entry.keys().collect();
        assert_eq!(keys, ["type", "command", "timeout"]);
        assert!(entry["timeout"].is_u64(), "{entry:?}");
    }
}
