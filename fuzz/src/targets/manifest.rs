//! Manifests, universal and of every host, and everything that is looked for in them.
//!
//! An input is a line with the path of the file, which says in whose form it is written, and its text.

use std::path::Path;

use anyhook::core::manifest::{Action, Manifest, ParsedManifest, Severity};
use anyhook::lint::{LintContext, LintFinding, apply, check};
use anyhook::load::{ManifestFormat, parse};
use anyhook::wires::hosts::HOSTS;
use serde_json::{Map, Value, json};

use super::case::number;
use super::places;
use crate::corpus::files;

/// Where files stand. None of them is there, so nothing that a manifest names beside it can be.
const PLACES: &[&str] = &[
    "hooks/hooks.json",
    ".claude/settings.json",
    ".codex/hooks.json",
    ".codex/config.toml",
    ".gemini/settings.json",
    ".cursor/hooks.json",
    ".github/hooks/a.json",
    ".factory/hooks.json",
    ".qwen/settings.json",
    ".devin/hooks.v1.json",
    ".kiro/hooks/a.json",
    ".agents/plugins/a/hooks/hooks.json",
    ".windsurf/hooks.json",
];

pub(super) fn run(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let (place, text) = text.split_once('\n').unwrap_or(("", &text));
    let some = PLACES.get(number(place) % PLACES.len()).copied();
    let place = PLACES
        .iter()
        .find(|known| **known == place)
        .copied()
        .or(some)
        .unwrap_or_default();
    let file = Path::new("/no/such/package").join(place);
    let parsed = parse(&file, text);
    match &parsed {
        Err(fatal) => places::finding(text, fatal),
        Ok(parsed) => {
            in_order(text, parsed);
            if matches!(ManifestFormat::of(&file), ManifestFormat::Universal) {
                siblings(&file, text, parsed);
                guards(text, &parsed.manifest);
            }
        }
    }
    checked(&file, text, parsed.is_ok());
}

fn in_order(text: &str, parsed: &ParsedManifest) {
    for finding in &parsed.findings {
        places::finding(text, finding);
    }
    assert!(
        parsed
            .findings
            .is_sorted_by_key(|finding| finding.at.span.start),
        "{:?}",
        parsed.findings
    );
    for entry in parsed
        .manifest
        .groups
        .iter()
        .flat_map(|group| &group.entries)
    {
        places::place(text, &entry.at, "an entry");
        // A hook for another system is a warning, which says the same as the entry; everything else is an error.
        assert!(
            !matches!(&entry.action, Action::Broken(why) if !parsed.has_errors() && !warned(parsed, why)),
            "an entry is broken and nobody says why"
        );
    }
}

fn warned(parsed: &ParsedManifest, why: &str) -> bool {
    let mut findings = parsed.findings.iter();
    findings.any(|finding| finding.severity == Severity::Warning && finding.message == why)
}

/// One hook more is read beside whatever else is there.
fn siblings(file: &Path, text: &str, before: &ParsedManifest) {
    let Some(mut top) = object(text) else { return };
    let events = top.entry("hooks").or_insert_with(|| json!({}));
    let Some(events) = events.as_object_mut() else {
        return;
    };
    let name = "zz:one-more";
    if events.contains_key(name) {
        return;
    }
    events.insert(
        name.to_owned(),
        json!([{"hooks": [{"type": "command", "command": "./guard.sh", "guard": true}]}]),
    );
    let more = parse(file, &Value::Object(top).to_string());
    let more = more.unwrap_or_else(|fatal| panic!("{fatal}"));
    assert_eq!(more.manifest.groups.len(), before.manifest.groups.len() + 1);
    let own = more
        .manifest
        .groups
        .iter()
        .find(|group| group.event == name);
    let entry = own.and_then(|group| group.entries.first());
    assert!(
        entry.is_some_and(|entry| entry.guard && matches!(entry.action, Action::Command(_))),
        "{own:?}"
    );
}

/// Every hook that calls itself a guard is one, however broken it is.
fn guards(text: &str, manifest: &Manifest) {
    let Some(top) = object(text) else { return };
    let written = top
        .get("hooks")
        .and_then(Value::as_object)
        .into_iter()
        .flat_map(|events| events.values());
    let groups = written.filter_map(Value::as_array).flatten();
    let hooks = groups
        .filter_map(|group| group.get("hooks")?.as_array())
        .flatten();
    let written = hooks
        .filter(|hook| hook.get("guard") == Some(&Value::Bool(true)))
        .count();
    let entries = manifest.groups.iter().flat_map(|group| &group.entries);
    let read = entries.filter(|entry| entry.guard).count();
    assert!(
        read >= written,
        "{written} guards are written, and {read} are read"
    );
}

/// The text as an object whose names differ; what is written twice is refused elsewhere.
fn object(text: &str) -> Option<Map<String, Value>> {
    let value: Value = serde_json::from_str(text).ok()?;
    let once = value.to_string();
    let quotes = |text: &str| text.matches('"').count();
    let is_whole = quotes(&once) == quotes(text);
    value.as_object().filter(|_| is_whole).cloned()
}

/// Every finding of a rule has its place, and what is mended can be read as before and has fewer findings to mend.
fn checked(file: &Path, text: &str, is_read: bool) {
    let host = HOSTS.get(number(text) % HOSTS.len()).copied();
    let how = LintContext {
        hosts: host.into_iter().collect(),
        ..LintContext::default()
    };
    let all = check(file, text, &how);
    assert!(is_read || !all.is_empty());
    for LintFinding {
        lint,
        message,
        at,
        file: of,
        ..
    } in &all
    {
        assert!(
            !message.is_empty() && !message.contains(['\n', '\u{1b}']),
            "{} {message:?}",
            lint.code
        );
        if of == file {
            places::place(text, at, lint.code);
        }
    }
    let fixes: Vec<_> = all
        .iter()
        .filter(|found| found.file == file)
        .filter_map(|found| found.fix.as_ref())
        .collect();
    if fixes.is_empty() {
        return;
    }
    let mended = apply(text, fixes.iter().copied());
    assert_ne!(mended, text, "a fix that does nothing: {fixes:?}");
    let after = check(file, &mended, &how);
    let errors = |all: &[LintFinding]| {
        all.iter()
            .filter(|found| found.severity == Severity::Error)
            .count()
    };
    assert!(
        errors(&after) <= errors(&all),
        "mended to\n{mended}\n{after:#?}"
    );
    assert_eq!(parse(file, &mended).is_ok(), is_read, "mended to\n{mended}");
}

pub(super) fn fixtures() -> Vec<Vec<u8>> {
    let mut all = Vec::new();
    let universal = ["fixtures/broken", "fixtures/manifests", "examples"]
        .into_iter()
        .flat_map(files);
    for file in universal.filter(|file| file.extension().is_some_and(|ending| ending == "json")) {
        let name = file
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let place = match name.split_once("--") {
            Some(("claude-code", _)) => ".claude/settings.json",
            Some(("cursor", _)) => ".cursor/hooks.json",
            _ => "hooks/hooks.json",
        };
        let bytes = std::fs::read(&file).unwrap_or_default();
        all.push([place.as_bytes(), b"\n", &bytes].concat());
    }
    for lint in anyhook::lint::LINTS.iter() {
        for (name, text) in lint
            .bad
            .files
            .iter()
            .map(|file| (file.path, file.text.clone()))
        {
            if PLACES.contains(&name) {
                all.push(format!("{name}\n{text}").into_bytes());
            }
        }
    }
    all
}
