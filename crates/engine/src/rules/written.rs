//! What a session wrote, as it is remembered, and whether a call runs some of it.
//!
//! Remembered are last names of files, with `*` where they cannot be told; folders of the system for what is passing, with a `/`
//! behind them; and [`Tally::ANY`] for all else.

use std::path::{Path, PathBuf};

use anyhook_effects::command::ShellCommand;
use anyhook_effects::effect::{Certainty, Effect, EffectKind, Target};
use anyhook_effects::word::Word;

use super::Facts;
use crate::files::links::plain;
use crate::lists::{BUILT_FROM, GIT_LOCAL, LAYING_OUT, PASSING_FOLDERS};
use crate::shell::patterns::glob;
use crate::state::Tally;

/// Returns what is remembered of the files that a call writes or may write. What an installation, a tool that lays files out, or
/// git from its own commits puts there, the agent did not write.
pub(crate) fn names(effects: &[Effect]) -> Vec<String> {
    let fetches = |through: &str, kind| {
        let is_it = |one: &Effect| one.kind == kind && one.through == through;
        effects.iter().any(is_it)
    };
    let installs =
        |through: &str| fetches(through, EffectKind::Install) && fetches(through, EffectKind::Net);
    let is_of_others = |effect: &&Effect| {
        let through = &*effect.through;
        let mut words = through.split(' ');
        let (program, verb) = (words.next().unwrap_or_default(), words.next());
        let is_git = program == "git" && verb.is_some_and(|verb| GIT_LOCAL.contains(&verb));
        let is_tree = matches!(effect.object, Target::Tree(_));
        let lays_out = LAYING_OUT.contains(&program) || through == "python -m venv";
        effect.object != Target::Unknown
            && (installs(through) || is_tree && (is_git || lays_out) || is_there(effect))
    };
    let writes = effects
        .iter()
        .filter(|effect| effect.kind == EffectKind::Write);
    let written = writes.filter(|effect| !is_of_others(effect)).map(name);
    let brought = effects.iter().filter(|effect| brings(effect));
    written.chain(brought.map(|_| ANY.to_owned())).collect()
}

const ANY: &str = Tally::ANY;

/// Tells whether an effect only makes sure of a folder which is there.
fn is_there(effect: &Effect) -> bool {
    effect.through == "mkdir" && matches!(&effect.object, Target::Path(path) if path.is_dir())
}

/// Tells whether git fetches commits of another place than the one that the repository comes from, or what others propose there.
fn brings(effect: &Effect) -> bool {
    let through = &*effect.through;
    let fetches = ["git fetch", "git pull"].contains(&through);
    let leads = |word: &Option<String>| word.as_ref().is_none_or(|word| word.contains(['/', ':']));
    match (effect.kind, &effect.object) {
        (EffectKind::Net, Target::Name(name)) if fetches => name != "origin",
        (EffectKind::Net, _) => effect.program() == "git" && through != "git push",
        (EffectKind::Exec, Target::Program { arguments, .. }) => {
            through == "git bundle" || fetches && arguments.iter().any(leads)
        }
        _ => false,
    }
}

fn name(effect: &Effect) -> String {
    let last = |path: &str| path.rsplit('/').next().unwrap_or_default().to_owned();
    match &effect.object {
        Target::Path(path) => path.file_name().map(|name| name.to_string_lossy().into()),
        Target::Pattern(pattern) => Some(last(&pattern.replace("<->", "*"))),
        Target::Tree(path) if effect.certainty != Certainty::Unknown => {
            let path = plain(path);
            let mut passing = PASSING_FOLDERS.iter();
            let is_passing = passing.any(|one| path.starts_with(one) && path != Path::new(one));
            is_passing.then(|| format!("{}/", path.to_string_lossy()))
        }
        _ => None,
    }
    .filter(|name| !name.is_empty())
    .unwrap_or_else(|| ANY.to_owned())
}

/// Tells whether a call runs a file, a module or a build file of these, or may.
pub(super) fn runs(facts: &Facts<'_>, tally: &Tally) -> bool {
    let done = facts.done().unwrap_or_default();
    let has = |name: &str| {
        let is_it = |one: &&String| {
            one.as_str() == name || *one == ANY || one.contains('*') && glob(name, one)
        };
        tally.written().iter().find(is_it).is_some()
    };
    let folders = tally
        .written()
        .iter()
        .filter(|one| one.len() > 1 && one.ends_with('/'));
    let is_there = |command| {
        folders
            .clone()
            .any(|one| is_about(facts, command, Path::new(one)))
    };
    let is_there = || done.commands.iter().any(is_there);
    let runs = |effect: &Effect| match (effect.kind, &effect.object) {
        (
            EffectKind::Exec,
            Target::Program {
                name,
                opaque: true,
                arguments,
            },
        ) => {
            // What a program is told to run is a file, or a module: `python3 -m tool`.
            let names = |argument: &String| {
                let name = argument.rsplit('/').next().unwrap_or_default();
                let module = name.rsplit('.').next().unwrap_or_default();
                has(name) || has(&format!("{module}.py"))
            };
            let mut files = BUILT_FROM.iter().filter_map(|row| row.split_once('='));
            has(name)
                || arguments.iter().flatten().any(names)
                || files.any(|(program, file)| program == name && has(file))
                || is_there()
        }
        (EffectKind::Exec, Target::Unknown) => !tally.written().is_empty(),
        _ => false,
    };
    done.effects.iter().any(runs)
}

/// Tells whether a command runs in a folder, or in one above or below it, or names one of these.
fn is_about(facts: &Facts<'_>, command: &ShellCommand, folder: &Path) -> bool {
    let meets = |path: &Path| {
        let mut forms = facts.folders().forms(path).into_iter();
        forms.any(|path| path.starts_with(folder) || folder.starts_with(path))
    };
    let values = command.assigned.iter().map(|(_, value)| value);
    let words: Vec<&Word> = command.words.iter().chain(values).collect();
    let is_open = |word: &Word| word.known().is_none() && word.head().is_empty();
    // `-C../x` and `--path=a:b`.
    let glued = |word: &str| {
        let rest = word.strip_prefix('-').and_then(|rest| rest.get(1..));
        rest.unwrap_or_default().to_owned()
    };
    let names = |at: &PathBuf| {
        let mut parts = words.iter().flat_map(|word| {
            let parts = word.head().split(['=', ':', ',']).map(str::to_owned);
            parts.chain([glued(word.head())])
        });
        meets(at) || parts.any(|part| !part.is_empty() && meets(&at.join(part)))
    };
    facts.line().contains(&*folder.to_string_lossy())
        || command.folders.is_empty()
        || words.iter().any(|word| is_open(word))
        || command.folders.iter().any(names)
}
