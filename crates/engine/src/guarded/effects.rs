//! What the effects of a tool call do to what is protected.

use anyhook_effects::command::Command;
use anyhook_effects::effect::{Certainty, Effect, Kind, Object};
use anyhook_effects::shell::Done;
use anyhook_effects::word::{Part, Word};

use super::paths::{Guard, Touch};
use super::{Finding, mentions};
use crate::shell::patterns;

/// Commands of ours that only a person runs.
const OF_A_PERSON: &[&str] = &[
    "add",
    "approve",
    "background",
    "check",
    "disable",
    "enable",
    "install",
    "remove",
    "trust",
    "uninstall",
    "update",
];
/// The names under which our program runs.
const OURS: &[&str] = &["anyhook", "anyhook.exe", "aam", "aam.exe"];

/// Looks at what a tool call does. `texts` are the command lines and the code of the call, as they were written.
pub(super) fn look(guard: &Guard, done: &Done, texts: &[&str]) -> Option<Finding> {
    let ours = done.effects.iter().find_map(of_ours);
    let ours = ours.or_else(|| done.commands.iter().find_map(may_be_ours));
    if let Some(command) = ours {
        return Some(Finding::Runs(command));
    }
    let changes = done.effects.iter().filter(|effect| changes(effect.kind));
    let mut is_open = false;
    for effect in changes {
        is_open |= effect.certainty == Certainty::Unknown;
        if let Some(path) = falls_on(guard, effect) {
            return Some(Finding::Changes(path));
        }
    }
    // What cannot be read may fall on anything. A line that also names something protected is about it.
    if !done.readable {
        return Some(Finding::Unclear);
    }
    if !is_open {
        return None;
    }
    let named = texts.iter().find_map(|text| mentions::of(guard, text));
    named.map(Finding::Changes)
}

fn changes(kind: Kind) -> bool {
    matches!(kind, Kind::Write | Kind::Delete)
}

/// Returns the path of an effect that falls on something protected.
fn falls_on(guard: &Guard, effect: &Effect) -> Option<String> {
    let (touch, path) = match &effect.object {
        Object::Path(path) => (guard.path(path), path.to_string_lossy().into_owned()),
        Object::Tree(path) => (guard.path(path), path.to_string_lossy().into_owned()),
        Object::Pattern(pattern) => (guard.pattern(pattern), pattern.clone()),
        Object::Host(_)
        | Object::Push(_)
        | Object::Program { .. }
        | Object::Name(_)
        | Object::Unknown => return None,
    };
    let least = match (effect.kind, &effect.object) {
        // A folder that is removed takes everything with it.
        (Kind::Delete, Object::Tree(_)) => Touch::Above,
        (Kind::Delete, _) | (_, Object::Tree(_)) => Touch::Holds,
        (_, _) => Touch::Is,
    };
    (touch >= Some(least)).then_some(path)
}

/// Returns the command of ours that an effect is.
fn of_ours(effect: &Effect) -> Option<String> {
    match &effect.object {
        Object::Name(name) if effect.kind == Kind::Config && name.starts_with("anyhook ") => {
            Some(name.clone())
        }
        // `cargo run --bin anyhook -- trust`: what a program that is not read runs in turn.
        Object::Program {
            arguments,
            opaque: true,
            ..
        } => {
            let words: Vec<&str> = arguments.iter().flatten().map(String::as_str).collect();
            let at = words.iter().position(|word| is_ours(word))?;
            let mut rest = words.get(at + 1..)?.iter();
            let verb = rest.find(|word| OF_A_PERSON.contains(word))?;
            Some(format!("anyhook {verb}"))
        }
        _ => None,
    }
}

/// Returns the command that a program may be whose name or first word cannot be read.
fn may_be_ours(command: &Command) -> Option<String> {
    let (program, rest) = command.words.split_first()?;
    let name = pattern_of(program);
    let name = name.rsplit('/').next().unwrap_or(&name);
    let is_named = name.contains(char::is_alphanumeric);
    let is_open = program.known().is_none();
    if !OURS.iter().any(|ours| patterns::glob(ours, &name.to_lowercase())) {
        return None;
    }
    let is_verb = |word: &&Word| {
        let verb = pattern_of(word);
        let known = if is_named || !is_open {
            OF_A_PERSON
        } else {
            // A program of which nothing is known, with a word that only ours has.
            &["trust", "approve"]
        };
        let says = is_named || verb.contains(char::is_alphanumeric);
        known.iter().any(|one| patterns::glob(one, &verb)) && says && word.known().is_none_or(|_| is_open)
    };
    let verb = rest.iter().find(is_verb)?;
    Some(format!("anyhook {}", pattern_of(verb)))
}

fn is_ours(word: &str) -> bool {
    let name = word.rsplit(['/', '\\']).next().unwrap_or(word);
    OURS.contains(&&*name.to_lowercase())
}

/// Writes a word as a pattern, `*` for what is not known.
fn pattern_of(word: &Word) -> String {
    let parts = word.parts.iter().map(|part| match part {
        Part::Text(text) | Part::Glob(text) => text.as_str(),
        Part::Unknown | Part::Split => "*",
    });
    parts.collect()
}
