//! Why a rule holds: for a reason of its own, or only because code that cannot be read may do anything.
//!
//! The rule is asked again about a part of what the call does, so nothing here knows what its functions mean.

use std::path::{Path, PathBuf};

use anyhook_core::redact;
use anyhook_effects::command::ShellCommand;
use anyhook_effects::effect::{Certainty, Effect, EffectKind, Target};
use anyhook_effects::shell::LineAnalysis;
use anyhook_effects::word::Word;

use super::CompiledCondition;
use super::facts::Facts;
use super::searches::spelled;
use crate::files::below::{ScanExclusion, ScanScope};
use crate::text::quoted;

/// The most parts of a call of which each is tried alone.
const MOST: usize = 64;
/// The most files of a folder that are looked at.
const MOST_FILES: usize = 2_000;
/// The longest name of a file, and the longest words of a line, that are shown.
const SHOWN: usize = 120;

/// Why a rule holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum RuleCause {
    /// Because of this, in words: `it writes .env: sed -i s/a/b/ .env`. Nothing where no part of the call does it alone.
    Own(Option<String>),
    /// Only because code cannot be read, which is this, in words.
    Unread {
        /// Whether the rule is about such code.
        is_asked: bool,
        /// The construct and the words.
        what: String,
    },
}

impl CompiledCondition {
    /// Tells why it holds for an event; nothing if it does not.
    pub(crate) fn because(&self, facts: &Facts<'_>) -> Option<RuleCause> {
        let holds = |facts: &Facts<'_>| self.decide(facts).is_ok_and(|decided| decided.holds);
        if !holds(facts) {
            return None;
        }
        let done = facts.done()?;
        let unread = unread(&done);
        if !unread.is_empty() && !holds(&facts.about(without(&done, &unread))) {
            return Some(RuleCause::Unread {
                is_asked: self.expr.asks_unread(),
                what: format!(
                    "{}{}",
                    unread.join(", "),
                    words(", in ", facts.line(), None, &done)
                ),
            });
        }
        // A condition about fields has no part of the call for its reason.
        let is_of_fields = holds(&facts.about(LineAnalysis::default()));
        Some(RuleCause::Own(if is_of_fields {
            None
        } else {
            self.part(facts, &done)
        }))
    }

    /// Tells whether it holds only because of what is not known: code that cannot be read, or a name that cannot be told.
    /// Where that cannot be told it does not: the rule gives its own answer then.
    pub(crate) fn is_only_unknown(&self, facts: &Facts<'_>) -> bool {
        let holds = |facts: &Facts<'_>| Some(self.decide(facts).ok()?.holds);
        let Some(done) = facts.done() else {
            return false;
        };
        let mut known = without(&done, &[]);
        known
            .effects
            .retain(|effect| effect.object != Target::Unknown);
        holds(facts) == Some(true) && holds(&facts.about(known)) == Some(false)
    }

    /// Says which part of a call alone makes it hold: an effect whose object is known, another one, or a command.
    fn part(&self, facts: &Facts<'_>, done: &LineAnalysis) -> Option<String> {
        let alone = |effect: Option<&Effect>, commands: &[ShellCommand]| {
            let part = LineAnalysis {
                effects: effect.cloned().into_iter().collect(),
                commands: commands.to_vec(),
                ..done.clone()
            };
            self.decide(&facts.about(part))
                .is_ok_and(|decided| decided.holds)
        };
        let mut effects: Vec<&Effect> = done.effects.iter().take(MOST).collect();
        effects.sort_by_key(|effect| effect.object == Target::Unknown);
        let effect = effects.iter().find(|one| alone(Some(one), &[]));
        if effect.is_none() {
            let mut commands = done.commands.iter().take(MOST);
            let command = commands.find(|one| alone(None, std::slice::from_ref(one)));
            if let Some(command) = command {
                return Some(format!("it runs `{}`", written(command)));
            }
        }
        // Where a commit lands is told by the commands around it.
        let effect =
            effect.or_else(|| effects.iter().find(|one| alone(Some(one), &done.commands)))?;
        let words = words(": ", facts.line(), Some(effect), done);
        let meant = files_in(effect).into_iter();
        let meant = meant.map(|file| Effect {
            object: Target::Path(file),
            ..(*effect).clone()
        });
        let meant = meant.into_iter().find(|one| alone(Some(one), &[]));
        let meant = meant.map_or_else(String::new, |one| {
            let file = object_in_words(&one, &one.object, facts.project());
            format!(", {file} among it")
        });
        Some(format!("{}{meant}{words}", phrase(effect, facts.project())))
    }
}

/// The first files in the folder on which an effect falls as a whole.
fn files_in(effect: &Effect) -> Vec<PathBuf> {
    let Target::Tree(folder) = &effect.object else {
        return Vec::new();
    };
    let below = ScanScope {
        from: folder.clone(),
        depth: Some(1),
        most: MOST_FILES,
        leaving: ScanExclusion::Nothing,
    };
    let files = below.look().entries.into_iter().map(|entry| entry.path);
    let mut files: Vec<PathBuf> = files.collect();
    files.sort();
    files.truncate(MOST);
    files
}

/// The constructs that may do anything.
fn unread(done: &LineAnalysis) -> Vec<&str> {
    let mut all: Vec<&str> = Vec::new();
    for effect in &done.effects {
        let through = &*effect.through;
        let is_open = |kind: &EffectKind| {
            let mut effects = done.effects.iter();
            effects.any(|one| {
                (one.kind, &one.object, &*one.through) == (*kind, &Target::Unknown, through)
            })
        };
        if !all.contains(&through) && EffectKind::ALL.iter().all(is_open) {
            all.push(through);
        }
    }
    all
}

/// What is left of a call without these constructs, and without the commands whose program cannot be told.
fn without(done: &LineAnalysis, unread: &[&str]) -> LineAnalysis {
    let mut rest = done.clone();
    rest.effects
        .retain(|effect| effect.object != Target::Unknown || !unread.contains(&&*effect.through));
    rest.commands.retain(|command| {
        let program = command.words.first();
        program.is_none_or(|program| program.known().is_some())
    });
    rest
}

/// Says what an effect is: `it deletes src and everything below it`.
fn phrase(effect: &Effect, project: &Path) -> String {
    let kind = effect.kind;
    let object = match &effect.object {
        Target::Unknown => kind.unknown().to_owned(),
        object => object_in_words(effect, object, project),
    };
    if effect.certainty == Certainty::Exact && effect.object != Target::Unknown {
        format!("it {} {object}", kind.does())
    } else {
        format!("it may {} {object}", kind.verb())
    }
}

fn object_in_words(effect: &Effect, object: &Target, project: &Path) -> String {
    let named = |text: &str| format!("`{}`", quoted(text, SHOWN));
    match object {
        Target::Name(name) if effect.kind == EffectKind::Commit && name == "HEAD" => {
            "the branch that is checked out".to_owned()
        }
        Target::Program { name, .. } => named(name),
        object => object.named(project, &named),
    }
}

/// Quotes the words of a line that an effect is from: all of a short line, else the command that does it. Secrets in it are
/// not shown.
fn words(before: &str, line: &str, effect: Option<&Effect>, done: &LineAnalysis) -> String {
    // They would be shown as letters that cannot be.
    let line = redact::text(line).replace('\n', " ");
    let is_unknown = effect.is_some_and(|effect| effect.object == Target::Unknown);
    let found = match variable(&line) {
        Some(word) if is_unknown => word.to_owned(),
        _ if line.len() <= SHOWN => line,
        _ => {
            let program = effect.map(Effect::program);
            let is_it = |command: &&ShellCommand| {
                let name = command.words.first().and_then(Word::known);
                name.is_some_and(|name| Some(name) == program)
            };
            let command = done.commands.iter().find(is_it);
            command.map_or(line, written)
        }
    };
    let found = quoted(found.trim(), SHOWN);
    if found.is_empty() {
        found
    } else {
        format!("{before}`{found}`")
    }
}

/// The one word of a line that holds a variable or a command in its place.
fn variable(line: &str) -> Option<&str> {
    let mut open = line
        .split_whitespace()
        .filter(|word| word.contains(['$', '`']));
    let (word, None) = (open.next()?, open.next()) else {
        return None;
    };
    Some(word.trim_matches(['"', '\'', '<', '>', ';', '&', '|']))
}

/// Writes a command with `…` for what is not known, without secrets.
fn written(command: &ShellCommand) -> String {
    let words = command.words.iter().map(|word| spelled(word, "…"));
    let words: Vec<String> = words.collect();
    quoted(&redact::text(&words.join(" ")), SHOWN)
}
