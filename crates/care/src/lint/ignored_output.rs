//! An answer that the hook's host ignores.

use anyhook_core::handler::Said;
use anyhook_core::manifest::{Lines, Place};
use anyhook_core::result::{HookResult, Kind};
use anyhook_wires::hosts::HOSTS;
use anyhook_wires::{host, matrix};
use serde_json::{Map, Value};

use super::linted::{Linted, Site};
use super::{Note, literals, said};

pub(super) fn find(linted: &Linted<'_>) -> Vec<Note> {
    let mut notes = Vec::new();
    for (site, command) in linted.commands() {
        let mut answers = literals::answers(&command.command).into_iter();
        let why = answers.find_map(|answer| unheard(linted, &[site], &answer.object));
        notes.extend(why.map(|why| note(linted, linted.command_at(site), &why)));
    }
    for (path, (text, sites)) in said::by_script(linted) {
        let lines = Lines::new(0, text);
        let answers = literals::answers(text).into_iter();
        let all = answers.map(|answer| (unheard(linted, &sites, &answer.object), answer));
        let (unheard, heard): (Vec<_>, Vec<_>) = all.partition(|(why, _)| why.is_some());
        for (why, answer) in unheard {
            // A script that answers this agent too may answer others in their words.
            let is_for_others = !heard.is_empty() && is_heard_elsewhere(&sites, &answer.object);
            let why = why.filter(|_| !is_for_others);
            notes.extend(why.map(|why| note(linted, lines.place(answer.at), &why).of(path)));
        }
    }
    notes
}

/// Tells whether some agent hears an answer about one of these events.
fn is_heard_elsewhere(sites: &[Site<'_>], answer: &Map<String, Value>) -> bool {
    let mut sites = sites.iter().filter_map(|site| site.group.spec);
    sites.any(|spec| {
        let mut hosts = HOSTS.iter();
        hosts.any(|host| {
            let heard = said::read_by(*host, spec, None, answer);
            heard.is_ok_and(|result| !result.is_identity() && !says_nothing(&result))
        })
    })
}

fn note(linted: &Linted<'_>, at: Place, why: &str) -> Note {
    let host = linted.format.map_or("anyhook", |format| format.host);
    let message = format!("`{host}` hears nothing of this answer{why}");
    Note::new(at, message).help("`anyhook say deny 'why'` writes the form that is heard")
}

/// Says why no hook of a script is heard with an answer; nothing where one is, or may be.
fn unheard(linted: &Linted<'_>, sites: &[Site<'_>], answer: &Map<String, Value>) -> Option<String> {
    let reasons = sites.iter().map(|site| match heard(linted, *site, answer) {
        Heard::Nothing(why) => Some(why),
        Heard::Something | Heard::Unknown => None,
    });
    reasons.collect::<Option<Vec<String>>>()?.into_iter().next()
}

/// What a host makes of an answer.
enum Heard {
    /// Nothing, for this reason.
    Nothing(String),
    Something,
    /// It cannot be told from here.
    Unknown,
}

fn heard(linted: &Linted<'_>, site: Site<'_>, answer: &Map<String, Value>) -> Heard {
    if let Some(why) = unwrapped(linted, site, answer)
        .or_else(|| misplaced(linted, site, answer))
        .or_else(|| unknown_word(linted, site, answer))
    {
        return Heard::Nothing(why);
    }
    // An answer that says "go on" in so many words is heard by doing nothing.
    let goes_on = ["continue", "suppressOutput"]
        .iter()
        .any(|key| answer.contains_key(*key));
    match said::read(linted, site, answer) {
        None => Heard::Unknown,
        Some(Err(fault)) => Heard::Nothing(format!(": {}", fault.text)),
        Some(Ok(result)) if result.is_identity() && !goes_on => Heard::Nothing(String::new()),
        Some(Ok(result)) if says_nothing(&result) && is_decision(answer) => {
            Heard::Nothing(": it has no such field there".to_owned())
        }
        Some(Ok(result)) => {
            let mut notices = result.effects.notify().iter();
            let dropped = notices.find(|notice| notice.text.ends_with("and drops it"));
            dropped.map_or(Heard::Something, |notice| {
                Heard::Nothing(format!(": {}", notice.text))
            })
        }
    }
}

/// Tells whether only fields without a meaning here are left of an answer.
fn says_nothing(result: &HookResult) -> bool {
    let effects = &result.effects;
    let given = effects.patch().len() + effects.inject().len() + effects.notify().len();
    result.verdict.kind() == Kind::Continue && given == 0 && !effects.native().is_empty()
}

/// Tells whether an answer has the name of a decision, or of a text, at its top.
fn is_decision(answer: &Map<String, Value>) -> bool {
    let mut known = literals::OF_ANSWERS.iter();
    known.any(|key| *key != SPECIFIC && answer.contains_key(*key))
}

const SPECIFIC: &str = "hookSpecificOutput";

/// Finds a word for a decision that an older form of the host does not have: one that takes `allow` for nothing knows no
/// `deny` either. Such a refusal refuses here, and does not at the host.
fn unknown_word(
    linted: &Linted<'_>,
    site: Site<'_>,
    answer: &Map<String, Value>,
) -> Option<String> {
    let word = answer.get("decision")?.as_str()?;
    let right = refusal(linted, site)?;
    let nested = right.get(SPECIFIC)?.as_object()?;
    let is_other = matches!(word, "deny" | "allow" | "ask")
        && nested.contains_key("permissionDecision")
        && !answer.contains_key(SPECIFIC);
    let allow = Map::from_iter([("decision".to_owned(), "allow".into())]);
    let knows = |said: Said| said.is_ok_and(|result| result.verdict.kind() == Kind::Allow);
    let knows = said::read(linted, site, &allow).is_none_or(knows);
    let event = site.event();
    (is_other && !knows).then(|| format!(": `{event}` knows no `decision` called `{word}`"))
}

/// Returns how the host of a file is told of a refusal about an event.
fn refusal(linted: &Linted<'_>, site: Site<'_>) -> Option<Map<String, Value>> {
    let cells = matrix::cells(host(linted.format?.host)?, site.group.spec?).ok()??;
    let deny = cells.cells.iter().find(|cell| cell.probe.name == "deny")?;
    serde_json::from_str(&deny.reply.stdout).ok()
}

/// Finds a decision that stands outside of the object in which its host looks for it.
fn unwrapped(linted: &Linted<'_>, site: Site<'_>, answer: &Map<String, Value>) -> Option<String> {
    let right = refusal(linted, site)?;
    let mut inside = right.get(SPECIFIC)?.as_object()?.keys();
    let key = inside.find(|key| answer.contains_key(*key))?;
    let is_bare = !answer.contains_key(SPECIFIC) && !answer.contains_key("decision");
    is_bare.then(|| format!(": `{key}` counts inside of `{SPECIFIC}` only"))
}

/// Finds a decision in the words of another event, where this one has its own: the host looks for those alone. A refusal in
/// such words refuses here, because it was meant so, and does not at the host.
fn misplaced(linted: &Linted<'_>, site: Site<'_>, answer: &Map<String, Value>) -> Option<String> {
    const WORDS: [&str; 2] = ["permissionDecision", "decision"];
    let inside = answer.get(SPECIFIC)?.as_object()?;
    let right = refusal(linted, site)?;
    let nested = right.get(SPECIFIC).and_then(Value::as_object);
    let of_nested = |word: &&str| nested.is_some_and(|nested| nested.contains_key(*word));
    let is_decided = WORDS.iter().any(of_nested) || right.contains_key("decision");
    let wrong = WORDS
        .iter()
        .find(|word| inside.contains_key(**word) && !of_nested(word))?;
    let is_heard = WORDS
        .iter()
        .any(|word| of_nested(word) && inside.contains_key(*word))
        || answer.contains_key("decision")
        || ["additionalContext", "updatedInput"]
            .iter()
            .any(|key| inside.contains_key(*key));
    let event = site.event();
    (is_decided && !is_heard).then(|| format!(": `{event}` is not decided by `{SPECIFIC}.{wrong}`"))
}
