//! Whether a line leaves alone what git is asked about, until its last step that brings files.

use std::path::{Component, Path};

use anyhook_effects::command::ShellCommand;
use anyhook_effects::effect::{Certainty, Effect, EffectKind, Target};
use anyhook_effects::shell::LineAnalysis;
use anyhook_effects::shell::visit::{self, ScriptCommand};
use anyhook_effects::word::Word;

use super::steps::{self, CommandKind, GitStep};
use crate::files::links::real;
use crate::lists::{BELIEVED, GIT_HARMLESS, GIT_OTHERS, REPEATING};

/// Files that say what git does with others.
const STEERING: &[&str] = &[".git", ".gitattributes", ".gitmodules"];

/// The steps of a line that bring files.
#[derive(Debug)]
pub(super) struct GitLine {
    pub(super) steps: Vec<GitStep>,
    /// Whether `git add` stands in it: then a new file can be taken away too.
    pub(super) adds: bool,
}

impl GitLine {
    /// Reads the steps; nothing if one cannot be read, or if something before it may change what git says of it.
    pub(super) fn of(done: &LineAnalysis, text: &str) -> Option<Self> {
        // What reads a variable changes none, and these editors keep a message as it is.
        let mut changed = text.replace("GIT_EDITOR=true ", "");
        for variable in BELIEVED {
            let reads = [format!("${variable}"), format!("${{{variable}}}")];
            for read in &reads {
                changed = changed.replace(read, "");
            }
        }
        if BELIEVED.iter().any(|variable| changed.contains(variable)) {
            return None;
        }
        let is_straight = is_straight(text, done);
        let (mut steps, mut adds, mut is_harmless) = (Vec::new(), false, true);
        for command in &done.commands {
            match steps::read(command)? {
                // What stands behind the last step of a straight line happens behind it.
                CommandKind::Brings(step) => {
                    is_harmless.then_some(())?;
                    steps.push(step);
                }
                CommandKind::Git(verb) => {
                    adds |= matches!(&*verb, "add" | "stage");
                    is_harmless &= GIT_HARMLESS.contains(&&*verb) && !is_forced_add(&verb, command);
                }
                CommandKind::Other(name) => {
                    is_harmless &= !(GIT_OTHERS.contains(&&*name) || name.starts_with("git"));
                }
            }
        }
        let is_told = leaves_alone(&done.effects, is_straight) && (is_straight || is_harmless);
        (is_told && is_in_order(&mut steps, is_straight)).then_some(Self { steps, adds })
    }
}

/// Tells whether each step names the same commits when its turn comes: what counts from `HEAD` is another commit behind the
/// first step, and behind the first time.
fn is_in_order(steps: &mut [GitStep], is_straight: bool) -> bool {
    let takes = steps.iter().filter(|step| step.takes_stash()).count();
    let (mut is_first, mut puts) = (is_straight, false);
    for step in steps {
        let is_top = step.commits.iter().all(|commit| commit == "stash@{0}");
        step.is_own_stash = step.takes_stash() && is_straight && puts && takes == 1 && is_top;
        if step.is_relative() && !is_first && !step.is_own_stash {
            return false;
        }
        puts |= step.verb == "stash" && step.commits.is_empty();
        is_first = false;
    }
    true
}

/// `git add -f` takes what git ignores.
fn is_forced_add(verb: &str, command: &ShellCommand) -> bool {
    let is_open = |word: Option<&str>| {
        word.is_none_or(|word| {
            let is_long = word.starts_with("--");
            (is_long && "--force".starts_with(word))
                || (!is_long && word.starts_with('-') && word.contains('f'))
        })
    };
    let mut words = command.words.iter();
    matches!(verb, "add" | "stage") && words.any(|word| is_open(word.known()))
}

/// Tells whether each command of git in a line runs once, in the order in which it stands: the reader says each one only once,
/// and another program, such as a wrapper, may start one more.
pub(crate) fn is_straight(text: &str, done: &LineAnalysis) -> bool {
    let is_git = |words: &&[String]| words.first().is_some_and(|word| word == "git");
    let (Some(calls), false) = (visit::chain(text), text.replace("||", "").contains('|')) else {
        return false;
    };
    let written = calls.iter().map(ScriptCommand::program).filter(is_git);
    let known = done.commands.iter().map(|command| {
        let words = Word::all_known(&command.words).unwrap_or_default();
        words.into_iter().map(str::to_owned).collect()
    });
    let known: Vec<Vec<String>> = known.collect();
    let told = known.iter().map(Vec::as_slice).filter(is_git);
    let repeats = |program: &[String]| {
        // To git a `.` is a folder.
        let is_git = is_git(&program);
        let mut words = program.iter().filter(|word| !(is_git && *word == "."));
        words.any(|word| REPEATING.contains(&&**word) || word.contains("${"))
    };
    written.eq(told) && !calls.iter().map(ScriptCommand::program).any(repeats)
}

/// Tells whether no effect before the last step changes the repository itself.
fn leaves_alone(effects: &[Effect], is_straight: bool) -> bool {
    let end = if is_straight {
        effects.iter().rposition(super::is_open).unwrap_or_default()
    } else {
        effects.len()
    };
    let mut before = effects.iter().take(end);
    before.all(|effect| {
        // What a step does beside bringing files is part of it.
        steps::verb_of(&effect.through).is_some() || is_apart(effect)
    })
}

/// Tells whether an effect has nothing to do with the repository.
fn is_apart(effect: &Effect) -> bool {
    match (effect.kind, &effect.object) {
        (EffectKind::Read | EffectKind::Push, _) => true,
        (EffectKind::Exec, Target::Program { opaque, .. }) => !opaque,
        (EffectKind::Net, _) => {
            !effect.through.starts_with("git ") || effect.through.starts_with("git push")
        }
        (EffectKind::Write | EffectKind::Delete, Target::Path(path)) => {
            effect.certainty != Certainty::Unknown && !steers(path) && !steers(&real(path))
        }
        _ => false,
    }
}

fn steers(path: &Path) -> bool {
    let is_one = |name: &str| STEERING.iter().any(|one| one.eq_ignore_ascii_case(name));
    // A folder of git need not be called so.
    let is_bare = |folder: &Path| folder.join("HEAD").exists() && folder.join("objects").exists();
    path.ancestors().skip(1).any(is_bare)
        || path.components().any(|part| match part {
            Component::Normal(name) => name.to_str().is_none_or(is_one),
            _ => false,
        })
}
