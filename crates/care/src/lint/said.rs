//! What the hooks of a manifest surely can say: rules by their own words, scripts by the answers in their text.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use anyhook_core::event::Event;
use anyhook_core::handler::Said;
use anyhook_core::manifest::{Action, Then};
use anyhook_core::result::{HookResult, Kind};
use anyhook_core::taxonomy::EventSpec;
use anyhook_core::transcript::{Capture, End, Transcript};
use anyhook_wires::{Host, host};
use serde_json::{Map, Value, json};

use super::linted::{Linted, Site};
use super::literals;

/// Returns the names of the probes that stand for what a hook says.
pub(super) fn probes(linted: &Linted<'_>, site: Site<'_>) -> BTreeSet<&'static str> {
    match &site.entry.action {
        Action::Rule(then) => of_rule(then),
        Action::Command(_) => {
            let scripts = linted
                .texts()
                .filter(|(of, ..)| of.entry.at == site.entry.at);
            let answers = scripts.flat_map(|(_, _, text)| literals::answers(text));
            let said = answers.filter_map(|answer| read(linted, site, &answer.object)?.ok());
            said.flat_map(|result| of_result(&result)).collect()
        }
        Action::Prompt(_) => BTreeSet::from(["deny"]),
        // What a server answers is not known here.
        Action::Http(_) | Action::Builtin(_) | Action::Broken(_) => BTreeSet::new(),
    }
}

fn of_rule(then: &Then) -> BTreeSet<&'static str> {
    let verdict = then.verdict.as_ref().and_then(|(kind, _)| of_kind(*kind));
    let effects = [
        ("rewrite", then.modify.is_empty()),
        ("inject", then.inject.is_empty()),
        ("notify", then.notify.is_empty()),
    ];
    let effects = effects.into_iter().filter(|(_, none)| !none);
    verdict
        .into_iter()
        .chain(effects.map(|(name, _)| name))
        .collect()
}

fn of_result(result: &HookResult) -> BTreeSet<&'static str> {
    let effects = &result.effects;
    let effects = [
        ("rewrite", effects.patch().is_empty()),
        ("inject", effects.inject().is_empty()),
        ("notify", effects.notify().is_empty()),
    ];
    let effects = effects.into_iter().filter(|(_, none)| !none);
    let verdict = of_kind(result.verdict.kind());
    verdict
        .into_iter()
        .chain(effects.map(|(name, _)| name))
        .collect()
}

fn of_kind(kind: Kind) -> Option<&'static str> {
    match kind {
        Kind::Continue => None,
        Kind::Allow => Some("allow"),
        Kind::Ask => Some("ask"),
        Kind::Deny => Some("deny"),
        Kind::Halt => Some("halt"),
    }
}

/// Reads an answer as the hook's own host would; nothing where its event is not known.
pub(super) fn read(
    linted: &Linted<'_>,
    site: Site<'_>,
    answer: &Map<String, Value>,
) -> Option<Said> {
    let spec = site.group.spec?;
    let host: &dyn Host = host(linted.format.map_or("universal", |format| format.host))?;
    let native = site.group.speaks.as_ref().map(|speaks| &*speaks.native);
    Some(read_by(host, spec, native, answer))
}

/// Reads an answer about an event as a host does, which may call the event so.
pub(super) fn read_by(
    host: &dyn Host,
    spec: &'static EventSpec,
    native: Option<&str>,
    answer: &Map<String, Value>,
) -> Said {
    let data = json!({
        "session_id": "s", "cwd": "/", "tool_name": "Bash", "tool_input": {"command": "true"},
    });
    let event = Event::new(spec.name, data);
    let transcript = Transcript {
        stdout: Capture {
            kept: Value::Object(answer.clone()).to_string().into_bytes(),
            dropped: 0,
        },
        stderr: Capture::default(),
        end: End::Code(0),
        took: Duration::ZERO,
    };
    match native {
        Some(native) => host.read_as(&transcript, &event, native),
        None => host.read_result(&transcript, &event),
    }
}

/// The hooks of each script, so that a script of several events is judged by all of them.
pub(super) fn by_script<'l>(
    linted: &'l Linted<'_>,
) -> BTreeMap<&'l std::path::Path, (&'l str, Vec<Site<'l>>)> {
    let mut all: BTreeMap<&std::path::Path, (&str, Vec<Site<'_>>)> = BTreeMap::new();
    for (site, script, text) in linted.texts() {
        let of_path = all
            .entry(&script.path)
            .or_insert_with(|| (text, Vec::new()));
        of_path.1.push(site);
    }
    all
}
