//! What hosts make of the answers of hooks: those of rules by their words, those of scripts by the whole JSON objects in their
//! text. What a script builds otherwise is not judged: `anyhook test` runs it.

use std::ops::Range;
use std::time::Duration;

use anyhook_core::event::Event;
use anyhook_core::handler::HandlerResult;
use anyhook_core::manifest::Action;
use anyhook_core::result::{HookResult, Kind};
use anyhook_core::taxonomy::EventSpec;
use anyhook_core::transcript::{Capture, End, Transcript};
use anyhook_wires::hosts::HOSTS;
use anyhook_wires::matrix::{self, CellOutcome};
use anyhook_wires::{Host, host};
use serde_json::{Map, Value, json};

use super::Note;
use super::lines::has_any;
use super::linted::{HookCode, HookSite, LintTarget};

/// Words that make an object an answer of a hook, of any form.
const OF_ANSWERS: &str = "decision|permissionDecision|permission_decision|permissionDecisionReason|\
                          additionalContext|additional_context|systemMessage|stopReason|updatedInput|\
                          updated_input|suppressOutput|followup_message|block|blocked|feedback|permission";

/// Where some hosts look for all that is of one event.
const SPECIFIC: &str = "hookSpecificOutput";

/// What prints an answer that stands in its line.
const PRINTS: &str = "echo|printf|print(|console.log|write(";

/// An answer and its place in the text.
struct AnswerLiteral {
    object: Map<String, Value>,
    at: Range<usize>,
}

/// Finds the answers that a script prints as they stand in its text.
fn literals(script: &str) -> Vec<AnswerLiteral> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(at) = script.get(from..).and_then(|rest| rest.find('{')) {
        let at = from + at;
        from = at + 1;
        let rest = script.get(at..).unwrap_or_default();
        let mut stream = serde_json::Deserializer::from_str(rest).into_iter::<Map<String, Value>>();
        if let Some(Ok(object)) = stream.next() {
            let end = at + stream.byte_offset();
            from = end;
            let is_answer = object.contains_key(SPECIFIC) || is_decision(&object);
            if is_answer && is_whole(&object) && is_printed(script, at..end) {
                found.push(AnswerLiteral {
                    object,
                    at: at..end,
                });
            }
        }
    }
    found
}

/// Tells whether an answer has the name of a decision, or of a text, at its top.
fn is_decision(object: &Map<String, Value>) -> bool {
    OF_ANSWERS.split('|').any(|key| object.contains_key(key))
}

/// Tells whether an answer stands there as it will be printed, its texts aside: what a script fills in is not known here.
fn is_whole(object: &Map<String, Value>) -> bool {
    let ends = ["eason", "essage", "ontext"];
    object.iter().all(|(key, value)| match value {
        Value::String(text) => {
            ends.iter().any(|end| key.ends_with(end)) || !text.contains(['$', '%', '`', '{'])
        }
        Value::Object(inner) => is_whole(inner),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => true,
    })
}

/// Tells whether an object goes to standard output: a command prints it, or it is all of a line as in a here-document, and
/// what follows sends it nowhere else.
fn is_printed(script: &str, at: Range<usize>) -> bool {
    let before = script.get(..at.start).unwrap_or_default();
    let line = before.rsplit('\n').next().unwrap_or_default().trim_start();
    let after = script.get(at.end..).unwrap_or_default();
    let rest = after.lines().next().unwrap_or_default();
    let command = rest.split(['|', '&']).next().unwrap_or_default();
    let is_piped = rest.contains('|') && !rest.contains("||") && !rest.contains("| jq");
    let is_comment = line.starts_with('#') || line.starts_with("//");
    let prints = line.is_empty() || has_any(line, PRINTS);
    prints && !is_comment && !command.contains('>') && !is_piped
}

/// Finds an answer that the hook's host does not hear.
pub(super) fn ignored(linted: &LintTarget<'_>) -> Vec<Note> {
    let name = linted.format.map_or("anyhook", |format| format.host);
    let mut notes = Vec::new();
    for (source, sites) in by_text(linted) {
        let literals = literals(source.text);
        // An answer is heard where one of the hooks is, or may be.
        let all = literals.iter().map(|answer| {
            let reasons = sites.iter();
            let reasons = reasons.map(|site| unheard_at(linted, *site, &answer.object));
            let reasons: Vec<String> = reasons.collect::<Option<_>>()?;
            reasons.into_iter().next()
        });
        let all: Vec<Option<String>> = all.collect();
        let hears_some = all.iter().any(Option::is_none);
        for (answer, why) in literals.iter().zip(all) {
            // A script that answers this agent too may answer others in their words.
            let Some(why) = why.filter(|_| !hears_some || !is_heard_elsewhere(&sites, answer))
            else {
                continue;
            };
            let message = format!("`{name}` hears nothing of this answer{why}");
            let note = source.note(linted, answer.at.clone(), message);
            notes.push(note.help("`anyhook say deny 'why'` writes the form that is heard"));
        }
    }
    notes
}

/// Every text with the hooks that run it, so that a script of several events is judged by all of them.
fn by_text<'l>(linted: &'l LintTarget<'_>) -> Vec<(HookCode<'l>, Vec<HookSite<'l>>)> {
    let mut all: Vec<(HookCode<'_>, Vec<HookSite<'_>>)> = Vec::new();
    for source in linted.sources() {
        let is_it = |(other, _): &&mut (HookCode<'_>, _)| other.path() == source.path();
        match all
            .iter_mut()
            .find(is_it)
            .filter(|_| source.script.is_some())
        {
            Some((_, sites)) => sites.push(source.site),
            None => all.push((source, vec![source.site])),
        }
    }
    all
}

/// Says why a hook is not heard with an answer; nothing where it is, or may be.
fn unheard_at(
    linted: &LintTarget<'_>,
    site: HookSite<'_>,
    answer: &Map<String, Value>,
) -> Option<String> {
    if let Some(word) = undecided(linted, site, answer) {
        return Some(format!(": `{}` is not decided by `{word}`", site.event()));
    }
    // An answer that says "go on" in so many words is heard by doing nothing.
    let goes_on = answer.contains_key("continue") || answer.contains_key("suppressOutput");
    match read(site, answer)? {
        Err(fault) => Some(format!(": {}", fault.text)),
        Ok(result) if result.is_identity() && !goes_on => Some(String::new()),
        Ok(result) if says_nothing(&result) && is_decision(answer) => {
            Some(": it has no such field there".to_owned())
        }
        Ok(_) => None,
    }
}

/// Tells whether some agent hears an answer about one of these events.
fn is_heard_elsewhere(sites: &[HookSite<'_>], answer: &AnswerLiteral) -> bool {
    let mut specs = sites.iter().filter_map(|site| site.group.spec);
    specs.any(|spec| {
        let mut hosts = HOSTS.iter();
        hosts.any(|host| {
            let heard = read_by(host, spec, None, &answer.object);
            heard.is_ok_and(|result| !result.is_identity() && !says_nothing(&result))
        })
    })
}

/// Tells whether only fields without a meaning here are left of an answer.
fn says_nothing(result: &HookResult) -> bool {
    let effects = &result.effects;
    let given = effects.patch().len() + effects.inject().len() + effects.notify().len();
    result.verdict.kind() == Kind::Continue && given == 0 && !effects.native().is_empty()
}

/// Returns the field with which an answer decides, where the host of the file looks for a decision about this event at other
/// places only. Such a refusal refuses here, because it was meant so, and does not at the host.
fn undecided(
    linted: &LintTarget<'_>,
    site: HookSite<'_>,
    answer: &Map<String, Value>,
) -> Option<String> {
    let cells = matrix::cells(host(linted.format?.host)?, site.group.spec?).ok()??;
    let deny = cells.cells.iter().find(|cell| cell.probe.name == "deny")?;
    let right: Map<String, Value> = serde_json::from_str(&deny.reply.stdout).ok()?;
    let right = decisions(&right);
    let said = decisions(answer);
    // The older words of a gate, which count at the top.
    let is_old =
        |(path, word): &(String, &str)| path == "decision" && matches!(*word, "block" | "approve");
    let counts = |one: &(String, &str)| is_old(one) || right.iter().any(|(path, _)| *path == one.0);
    let says_more = answer.get(SPECIFIC).is_some_and(|of| {
        of.get("additionalContext").is_some() || of.get("updatedInput").is_some()
    });
    let is_judged = !right.is_empty() && !says_more && !said.iter().any(counts);
    said.into_iter()
        .next()
        .filter(|_| is_judged)
        .map(|(path, _)| path)
}

/// The fields with which an answer decides, each with its word.
fn decisions(answer: &Map<String, Value>) -> Vec<(String, &str)> {
    const WORDS: [&str; 2] = ["permissionDecision", "decision"];
    let nested = answer.get(SPECIFIC).and_then(Value::as_object);
    let places = [
        (String::new(), Some(answer)),
        (format!("{SPECIFIC}."), nested),
    ];
    let found = places.into_iter().flat_map(|(place, object)| {
        WORDS.into_iter().filter_map(move |word| {
            let value = object?.get(word)?;
            Some((format!("{place}{word}"), value.as_str().unwrap_or_default()))
        })
    });
    found.collect()
}

/// Reads an answer as the hook's own host would; nothing where its event is not known.
fn read(site: HookSite<'_>, answer: &Map<String, Value>) -> Option<HandlerResult> {
    let speaks = site.group.speaks.as_ref();
    let host: &Host = host(speaks.map_or("universal", |speaks| &speaks.host))?;
    let native = speaks.map(|speaks| &*speaks.native);
    Some(read_by(host, site.group.spec?, native, answer))
}

/// Reads an answer about an event as a host does, which may call the event so.
fn read_by(
    host: &Host,
    spec: &'static EventSpec,
    native: Option<&str>,
    answer: &Map<String, Value>,
) -> HandlerResult {
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

/// Finds an event that a host of the check never sends.
pub(super) fn absent_event(linted: &LintTarget<'_>) -> Vec<Note> {
    let mut notes = Vec::new();
    for host in &linted.how.hosts {
        for group in &linted.manifest.groups {
            let Some(spec) = group.spec.filter(|spec| host.row(spec.name).is_none()) else {
                continue;
            };
            let (id, name) = (host.id(), spec.universal.unwrap_or(spec.name));
            let message = format!("`{id}` never tells of `{name}`: these hooks do not run there");
            let help = format!("`anyhook list hosts {id}` shows what it tells of");
            notes.push(Note::new(group.at.clone(), message).help(help));
        }
    }
    notes
}

/// Finds an answer that a host of the check cannot carry out as it is.
pub(super) fn lossy(linted: &LintTarget<'_>) -> Vec<Note> {
    let mut notes = Vec::new();
    for host in &linted.how.hosts {
        let id = host.id();
        let is_own = linted.format.is_some_and(|format| format.host == id);
        for site in linted.sites().filter(|_| !is_own) {
            let spec = site.group.spec;
            let Some(Ok(Some(cells))) = spec.map(|spec| matrix::cells(host, spec)) else {
                continue;
            };
            let says = probes(&site.entry.action);
            let cells = cells
                .cells
                .iter()
                .filter(|cell| cell.came != CellOutcome::Exact);
            for cell in cells.filter(|cell| says.contains(&cell.probe.name)) {
                let (event, probe, came) = (site.event(), cell.probe.name, cell.came.word());
                let message = format!("on `{id}`, `{probe}` about `{event}` becomes: {came}");
                let note = Note::new(site.entry.at.clone(), message);
                notes.push(note.help(cell.came.meaning()));
            }
        }
    }
    notes
}

/// Names what a rule or a prompt says, as the probes of the matrix are called. What a script says is known once it runs.
fn probes(action: &Action) -> Vec<&'static str> {
    match action {
        Action::Rule(then) => {
            let kind = then.verdict.as_ref().map(|(kind, _)| *kind);
            let effects = [
                ("rewrite", then.modify.is_empty()),
                ("inject", then.inject.is_empty()),
                ("notify", then.notify.is_empty()),
            ];
            let effects = effects.into_iter().filter(|(_, is_none)| !is_none);
            let verdict = kind
                .filter(|kind| *kind != Kind::Continue)
                .map(Kind::as_str);
            verdict
                .into_iter()
                .chain(effects.map(|(name, _)| name))
                .collect()
        }
        Action::Prompt(_) => vec!["deny"],
        Action::Command(_) | Action::Http(_) | Action::Builtin(_) | Action::Broken(_) => Vec::new(),
    }
}
