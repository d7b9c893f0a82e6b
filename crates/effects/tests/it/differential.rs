//! Generated lines, run by real bash in a scratch folder: everything that happened was in the effects, or unknown.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhook_effects::effect::{Effect, Kind, Object};
use anyhook_effects::places::{Files, Places, is_plain, tidy};
use anyhook_effects::shell::{Done, read};

use anyhook_effects::word::Word;

use crate::bash::{Scratch, Seen};
use crate::grammar::{Dice, line};

/// How many lines are run, unless `ANYHOOK_LINES` says another number.
const LINES: u64 = 1_000;

/// The files of the disk.
struct Disk;

impl Files for Disk {
    fn script(&self, path: &Path) -> Option<String> {
        std::fs::read_to_string(path).ok()
    }

    fn plain_names(&self, folder: &Path, deep: bool) -> bool {
        let Ok(mut entries) = std::fs::read_dir(folder) else {
            return !folder.is_dir();
        };
        entries.all(|entry| {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str();
            name.is_some_and(|name| is_plain(name, deep))
                && (!deep || !path.is_dir() || !path.is_symlink() && self.plain_names(&path, deep))
        })
    }
}

/// A number from the environment.
fn number(name: &str, usual: u64) -> u64 {
    let text = std::env::var(name).ok();
    text.map_or(usual, |text| text.parse().expect("a number"))
}

/// Whether a pattern of a shell matches a path; `**` matches anything.
fn matches(pattern: &[u8], path: &[u8]) -> bool {
    match pattern {
        [] => path.is_empty(),
        [b'*', b'*', rest @ ..] => (0..=path.len()).any(|at| matches(rest, &path[at..])),
        [b'*', rest @ ..] => {
            let end = path
                .iter()
                .position(|byte| *byte == b'/')
                .unwrap_or(path.len());
            (0..=end).any(|at| matches(rest, &path[at..]))
        }
        [b'[', rest @ ..] if rest.contains(&b']') => {
            let end = rest.iter().position(|byte| *byte == b']').unwrap();
            let set = &rest[..end];
            let ranges = set.windows(3).filter(|three| three[1] == b'-');
            let is_in = |byte: u8| {
                set.contains(&byte)
                    || ranges
                        .clone()
                        .any(|three| (three[0]..=three[2]).contains(&byte))
            };
            path.first().is_some_and(|byte| is_in(*byte)) && matches(&rest[end + 1..], &path[1..])
        }
        [b'?', rest @ ..] => {
            path.first().is_some_and(|byte| *byte != b'/') && matches(rest, &path[1..])
        }
        [b'\\', letter, rest @ ..] | [letter, rest @ ..] => {
            path.first() == Some(letter) && matches(rest, &path[1..])
        }
    }
}

/// Whether an effect falls on a path.
fn falls_on(effect: &Effect, path: &Path) -> bool {
    match &effect.object {
        Object::Path(own) => tidy(own) == path,
        Object::Tree(own) => path.starts_with(tidy(own)),
        Object::Pattern(pattern) => {
            let pattern = pattern.replace("/./", "/");
            let path = path.to_str().unwrap();
            // A pattern that matches nothing is a name.
            let parts = pattern.split("**").map(|part| {
                part.replace('[', "\\[")
                    .replace('?', "\\?")
                    .replace('*', "\\*")
            });
            let name = parts.collect::<Vec<_>>().join("**");
            [&pattern, &name]
                .iter()
                .any(|pattern| matches(pattern.as_bytes(), path.as_bytes()))
        }
        Object::Unknown => true,
        _ => false,
    }
}

/// What happened and is not in the effects.
fn missed(done: &Done, seen: &Seen) -> Vec<String> {
    let covered = |kind: Kind, path: &PathBuf| {
        let mut own = done.effects.iter().filter(|effect| effect.kind == kind);
        own.any(|effect| falls_on(effect, path))
    };
    let mut missed = Vec::new();
    for path in &seen.written {
        if !covered(Kind::Write, path) {
            missed.push(format!("write {}", path.display()));
        }
    }
    for path in &seen.removed {
        if !covered(Kind::Delete, path) {
            missed.push(format!("delete {}", path.display()));
        }
    }
    for name in &seen.started {
        let told = done.effects.iter().any(|effect| match &effect.object {
            Object::Program { name: own, .. } => own == name,
            Object::Unknown => effect.kind == Kind::Exec,
            _ => false,
        });
        let words = done
            .commands
            .iter()
            .filter_map(|command| command.words.first());
        let named = words
            .filter_map(Word::known)
            .any(|own| own.rsplit('/').next() == Some(name));
        if !told && !named {
            missed.push(format!("exec {name}"));
        }
    }
    missed
}

/// What makes a part of a line unknown, if something does.
fn has_unknown(done: &Done) -> Option<String> {
    let unknown = |effect: &&Effect| effect.object == Object::Unknown;
    let first = done.effects.iter().find(unknown);
    first.map(|effect| format!("{:?} {}", effect.kind, effect.through))
}

#[test]
fn what_bash_does_is_in_the_effects_or_unknown() {
    let (lines, seed) = (number("ANYHOOK_LINES", LINES), number("ANYHOOK_SEED", 1));
    let temporary = tempfile::tempdir().unwrap();
    let workers = 4;
    let (mut unknown, mut wrong, mut changed) = (0, Vec::new(), 0);
    let mut causes = BTreeMap::new();
    std::thread::scope(|scope| {
        let each = (0..workers).map(|worker| {
            let base = temporary.path().join(worker.to_string());
            scope.spawn(move || {
                let scratch = Scratch::new(&base);
                let mut found = Vec::new();
                for at in (worker..lines).step_by(4) {
                    let line = line(&mut Dice::new(
                        seed.wrapping_mul(1_000_003).wrapping_add(at),
                    ));
                    scratch.reset();
                    let places = Places {
                        folder: scratch.folder(),
                        project: scratch.folder(),
                        home: Some(scratch.folder()),
                        ..Places::default()
                    };
                    let done = read(&line, &places, &Disk);
                    let happened = scratch.run(&line);
                    let did = !happened.written.is_empty()
                        || !happened.removed.is_empty()
                        || !happened.started.is_empty();
                    found.push((has_unknown(&done), did, missed(&done, &happened), line, at));
                }
                found
            })
        });
        for worker in each.collect::<Vec<_>>() {
            for (is_unknown, did, missed, line, at) in worker.join().unwrap() {
                if let Some(cause) = is_unknown {
                    if std::env::var("ANYHOOK_SHOW").is_ok_and(|show| cause.contains(&show)) {
                        eprintln!("{cause} | {line}");
                    }
                    unknown += 1;
                    *causes.entry(cause).or_insert(0_usize) += 1;
                }
                changed += u64::from(did);
                if !missed.is_empty() {
                    wrong.push(format!(
                        "line {at}: {line}\n    missed: {}",
                        missed.join(", ")
                    ));
                }
            }
        }
    });
    let share = unknown * 1000 / lines.max(1);
    eprintln!(
        "{lines} lines, {changed} of them did something, {}.{} % with an unknown effect",
        share / 10,
        share % 10
    );
    let mut causes: Vec<_> = causes.into_iter().collect();
    causes.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    for (cause, count) in causes.iter().take(12) {
        eprintln!("{count:>6}  {cause}");
    }
    assert!(
        wrong.is_empty(),
        "{} of {lines} lines:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    assert!(
        changed * 10 > lines * 8,
        "{changed} of {lines} lines did something: the grammar is worth nothing"
    );
}
