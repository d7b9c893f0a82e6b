//! The effects of a tool call on protected files.

use anyhook_effects::command::ShellCommand;
use anyhook_effects::effect::{Certainty, Effect, EffectKind, Target};
use anyhook_effects::programs;
use anyhook_effects::shell::LineAnalysis;
use anyhook_effects::word::Word;

use super::paths::{FileOperation, Guard, PathRelation};
use super::{Danger, mentions};
use crate::lists::{
    BRINGING, CLOSING, GIT_LOCAL, LAYING_OUT, OF_A_PERSON, OUR_PROGRAMS, UNPACKING,
};
use crate::rules::spelled;
use crate::shell::patterns;

/// Looks at what a tool call does. `texts` are the command lines and the code of the call, as they were written; they and
/// the guard are asked for only by a call that changes something, or may.
pub(super) fn look<'g>(
    guard: impl Fn() -> &'g Guard,
    done: &LineAnalysis,
    texts: impl FnOnce() -> Vec<String>,
) -> Option<Danger> {
    let ours = done.effects.iter().find_map(of_ours);
    let ours = ours.or_else(|| done.commands.iter().find_map(may_be_ours));
    if let Some(command) = ours {
        return Some(Danger::Runs(command));
    }
    let changing = || done.effects.iter().filter(|effect| changes(effect.kind));
    let is_brought =
        |effect: &Effect| is_through(effect, BRINGING) && !done.commands.iter().any(names_address);
    let falls = |effect| falls_on(guard(), effect, is_brought(effect));
    if let Some(path) = changing().find_map(falls) {
        return Some(Danger::Changes(path));
    }
    if !done.readable {
        return Some(Danger::Unclear);
    }
    // What cannot be read may fall on anything. A line that also names something protected is about it.
    let is_copied = copies_once(done) && changing().all(is_copy);
    let is_open = changing().any(|effect| effect.certainty == Certainty::Unknown) && !is_copied
        || done.effects.iter().any(Effect::is_opaque);
    if !is_open {
        return None;
    }
    let named = texts().iter().find_map(|text| mentions::of(guard(), text));
    named.map(Danger::Changes)
}

fn changes(kind: EffectKind) -> bool {
    matches!(kind, EffectKind::Write | EffectKind::Delete)
}

/// Tells whether a line has one `cp` of a file that it names. Two of them could make a link and write through it.
fn copies_once(done: &LineAnalysis) -> bool {
    let is_cp =
        |command: &&ShellCommand| command.words.first().is_some_and(|word| word.says(&["cp"]));
    let mut copies = done.commands.iter().filter(is_cp);
    let sources =
        |command: &ShellCommand| command.words.split_last().map(|(_, rest)| rest.to_vec());
    let named = copies.next().and_then(sources);
    named.is_some_and(|words| Word::all_known(&words).is_some()) && copies.next().is_none()
}

/// Tells whether a copy gets a name that is told but for a number in it: `cp a a.$(date +%s)`.
fn is_copy(effect: &Effect) -> bool {
    let is_named = |pattern: &str| !pattern.contains("**");
    effect.program() == "cp"
        && matches!(&effect.object, Target::Pattern(pattern) if is_named(pattern))
}

/// Returns the path of an effect that falls on something protected, where that is not compared after the call.
fn falls_on(guard: &Guard, effect: &Effect, is_brought: bool) -> Option<String> {
    let does = match effect.kind {
        EffectKind::Delete => FileOperation::Removes,
        _ => FileOperation::Writes,
    };
    let (touch, path) = match &effect.object {
        Target::Path(path) | Target::Tree(path) => {
            let touch = guard.path(path, does).max(guard.own(path));
            (touch, path.to_string_lossy().into_owned())
        }
        Target::Pattern(pattern) => {
            let edits = effect.is_edit() && effect.certainty == Certainty::Likely;
            let does = if edits { FileOperation::Edits } else { does };
            (guard.pattern(pattern, does), pattern.clone())
        }
        Target::Host(_)
        | Target::Push(_)
        | Target::Program { .. }
        | Target::Name(_)
        | Target::Unknown => return None,
    };
    // What is unpacked is of others; where the project stands in a home, more than the project guards there.
    let is_unpacked = is_through(effect, UNPACKING) && !guard.is_at_home();
    let is_compared = || (is_brought || is_unpacked) && guard.compares();
    // It only lays files out anew.
    let lays_out = effect.kind == EffectKind::Write && is_through(effect, LAYING_OUT);
    if touch == Some(PathRelation::Above) && (lays_out || is_compared()) {
        return None;
    }
    let least = match (effect.kind, &effect.object) {
        // What happens to a folder happens to everything in it.
        (_, Target::Tree(_)) => PathRelation::Above,
        (EffectKind::Delete, _) => PathRelation::Holds,
        // A folder that is closed closes what is in it.
        (_, Target::Path(_)) if CLOSING.contains(&effect.program()) => PathRelation::Holds,
        // A link in the place of a folder leads to others.
        (_, Target::Path(path)) if effect.program() == "ln" && !path.is_dir() => {
            PathRelation::Holds
        }
        (_, _) => PathRelation::Is,
    };
    // Of the whole project or a folder of the system, the file is named that is meant.
    let meant = guard
        .first_in(&path)
        .filter(|_| touch == Some(PathRelation::Above));
    (touch >= Some(least)).then(|| guard.shown(&meant.unwrap_or(path)))
}

fn is_through(effect: &Effect, names: &[&str]) -> bool {
    let mut rest = names
        .iter()
        .filter_map(|name| effect.through.strip_prefix(name));
    rest.any(|rest| rest.is_empty() || rest.starts_with(' '))
}

/// Tells whether a command of git may name a place that is no remote of the repository. Behind some verbs there are only
/// commits, files and messages.
fn names_address(command: &ShellCommand) -> bool {
    let words = &command.words;
    let is_git = words.first().is_some_and(|name| name.says(&["git"]));
    let (name, _) = programs::read(command);
    let verb = name
        .split(' ')
        .nth(1)
        .filter(|verb| GIT_LOCAL.contains(verb));
    let at = verb.and_then(|verb| words.iter().rposition(|word| word.says(&[verb])));
    let end = at.unwrap_or(words.len());
    let is_address = |word: &Word| {
        word.known().is_none_or(|text| {
            text.contains(':') || text.contains("..") || text.starts_with(['/', '.', '~'])
        })
    };
    is_git && words.iter().take(end).any(is_address)
}

/// Returns the command of ours that an effect is.
fn of_ours(effect: &Effect) -> Option<String> {
    match &effect.object {
        Target::Name(name) if effect.kind == EffectKind::Config && name.starts_with("anyhook") => {
            Some(name.clone())
        }
        // `cargo run --bin anyhook -- trust`: what a program that is not read runs in turn.
        Target::Program {
            arguments,
            opaque: true,
            ..
        } => {
            let words: Vec<&str> = arguments.iter().flatten().map(String::as_str).collect();
            let at = words.iter().position(|word| {
                let name = word.rsplit(['/', '\\']).next().unwrap_or(word);
                OUR_PROGRAMS.contains(&&*name.to_lowercase())
            })?;
            let mut rest = words.get(at + 1..)?.iter();
            let verb = rest.find(|word| OF_A_PERSON.contains(word))?;
            Some(format!("anyhook {verb}"))
        }
        _ => None,
    }
}

/// Returns the command of ours that a line may run: our program under another path, or a program or a first word that cannot
/// be read.
fn may_be_ours(command: &ShellCommand) -> Option<String> {
    let (program, rest) = command.words.split_first()?;
    let name = spelled(program, "*").to_lowercase();
    let name = name.rsplit(['/', '\\']).next().unwrap_or(&name);
    if !OUR_PROGRAMS.iter().any(|ours| patterns::glob(ours, name)) {
        return None;
    }
    // Of a program of which nothing is known, a word counts that only ours has.
    let verbs = if name.contains(char::is_alphanumeric) {
        OF_A_PERSON
    } else {
        &["trust", "approve"]
    };
    let is_read = program.known().is_some_and(|name| !name.contains('/'));
    let is_verb = |(at, word): &(usize, &Word)| {
        let verb = spelled(word, "*");
        let is_one = verbs.iter().any(|one| patterns::glob(one, &verb));
        let says = verb.contains(char::is_alphanumeric) || (*at == 0 && verbs == OF_A_PERSON);
        // The table of programs has judged our own program with a word that can be read.
        is_one && says && !(is_read && word.known().is_some())
    };
    let (_, verb) = rest.iter().enumerate().find(is_verb)?;
    Some(format!("anyhook {}", spelled(verb, "*")))
}
