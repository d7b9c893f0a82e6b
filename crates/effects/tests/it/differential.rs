//! Generated lines, run by real bash in a scratch folder: everything that happened was in the effects, or unknown.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use anyhook_effects::effect::{Effect, Target};
use anyhook_effects::places::{Files, NoFiles, Places, is_plain};
use anyhook_effects::shell::{LineAnalysis, read};

use crate::bash::Scratch;
use crate::everyday::{BUILDS, EVERYDAY, mutated};
use crate::grammar::{Dice, line};
use crate::judged::Judge;
use crate::room;
use crate::traced::What;

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

/// What makes a part of a line unknown, if something does.
fn has_unknown(done: &LineAnalysis) -> Option<String> {
    let unknown = |effect: &&Effect| effect.object == Target::Unknown;
    let first = done.effects.iter().find(unknown);
    first.map(|effect| format!("{:?} {}", effect.kind, effect.through))
}

/// What came of one line.
struct Outcome {
    at: u64,
    line: String,
    /// What makes a part of it unknown.
    unknown: Option<String>,
    did: bool,
    missed: Vec<String>,
    /// The programs that it started.
    started: Vec<String>,
}

impl Outcome {
    fn miss(&self) -> String {
        let missed = self.missed.join(", ");
        format!("line {}: {}\n    missed: {missed}", self.at, self.line)
    }

    /// Says at once what was missed, and from time to time how many lines were run: fifty thousand take an hour.
    fn tell(&self, run: usize) {
        if !self.missed.is_empty() {
            eprintln!("{}", self.miss());
        }
        if run.is_multiple_of(1_000) {
            eprintln!("{run} lines were run");
        }
    }
}

/// A line: of two one that the grammar makes, and one of an ordinary day that is changed.
fn made(seed: u64, at: u64, traced: bool) -> (String, bool) {
    let mut dice = Dice::new(seed.wrapping_mul(1_000_003).wrapping_add(at));
    if traced && at % 2 == 1 {
        return (mutated(&mut dice), true);
    }
    (line(&mut dice), false)
}

fn outcome(scratch: &Scratch, seed: u64, at: u64, traced: bool) -> Outcome {
    let (line, is_everyday) = made(seed, at, traced);
    scratch.reset();
    if is_everyday {
        scratch.furnish(&line);
    }
    let places = Places {
        folder: scratch.folder(),
        project: scratch.folder(),
        home: Some(scratch.folder()),
        ..Places::default()
    };
    let done = read(&line, &places, &Disk);
    let happened = scratch.run(&line);
    let starts = happened
        .events
        .iter()
        .skip(1)
        .filter_map(|event| match &event.what {
            What::Start(name) => Some(name.clone()),
            _ => None,
        });
    let started: Vec<_> = starts.chain(happened.started.iter().cloned()).collect();
    let judge = Judge {
        done: &done,
        seen: &happened,
        folder: &scratch.folder(),
        line: &line,
    };
    Outcome {
        at,
        unknown: has_unknown(&done),
        did: !happened.written.is_empty() || !happened.removed.is_empty() || !started.is_empty(),
        missed: judge.missed(),
        started,
        line,
    }
}

/// The programs of the grammar that this machine lacks.
fn missing() -> Vec<&'static str> {
    let lines = include_str!("programs.txt")
        .lines()
        .filter(|line| !line.starts_with('#'));
    let mut names: Vec<_> = lines.filter_map(|line| line.split(' ').next()).collect();
    names.sort_unstable();
    names.dedup();
    let folders = ["/usr/bin", "/bin", "/usr/sbin", "/sbin"];
    names.retain(|name| {
        !folders
            .iter()
            .any(|folder| Path::new(folder).join(name).exists())
    });
    names
}

#[test]
fn of_everyday_lines_at_most_five_in_a_hundred_have_an_unknown_effect() {
    let places = Places {
        folder: "/p".into(),
        project: "/p".into(),
        home: Some("/h".into()),
        ..Places::default()
    };
    let unknown = |line: &&String| has_unknown(&read(line, &places, &NoFiles)).is_some();
    let count = |lines: &[String]| (lines.iter().filter(unknown).count(), lines.len());
    let ((few, lines), (of_builds, builds)) = (count(&EVERYDAY), count(&BUILDS));
    eprintln!(
        "{few} of {lines} everyday lines and {of_builds} of {builds} builds have an unknown effect"
    );
    assert!(
        lines + builds >= 2_000 && builds * 5 >= lines + builds,
        "{lines} lines, {builds} builds"
    );
    assert!(few * 20 <= lines, "{few} of {lines} everyday lines");
    // Their own effects, and what they install and fetch; what their code does is `opaque`.
    assert!(of_builds * 4 <= builds, "{of_builds} of {builds} builds");
}

/// Says what was measured.
fn tell(all: &[Outcome], missing: usize) {
    let mut causes = BTreeMap::new();
    for one in all {
        let Some(cause) = &one.unknown else { continue };
        if std::env::var("ANYHOOK_SHOW").is_ok_and(|show| cause.contains(&show)) {
            eprintln!("{cause} | {}", one.line);
        }
        *causes.entry(cause).or_insert(0_usize) += 1;
    }
    let unknown: usize = causes.values().sum();
    let did = all.iter().filter(|one| one.did).count();
    let programs: BTreeSet<_> = all.iter().flat_map(|one| &one.started).collect();
    let share = unknown * 1000 / all.len().max(1);
    eprintln!(
        "{} lines, {did} of them did something, {} programs were started, {missing} are not on this machine; {}.{} % with an unknown effect",
        all.len(),
        programs.len(),
        share / 10,
        share % 10
    );
    let mut causes: Vec<_> = causes.into_iter().collect();
    causes.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    for (cause, count) in causes.iter().take(12) {
        eprintln!("{count:>6}  {cause}");
    }
}

mod slow {
    use super::*;

    #[test]
    #[ignore = "takes seconds"]
    fn what_bash_does_is_in_the_effects_or_unknown() {
        if !room::is_inside() {
            match room::again("differential::slow::what_bash_does_is_in_the_effects_or_unknown") {
                Some(held) => return assert!(held, "in the room above"),
                None => eprintln!(
                    "no namespaces or no strace here: lines of an ordinary day are not run, and reads are not seen"
                ),
            }
        }
        let (lines, seed) = (number("ANYHOOK_LINES", LINES), number("ANYHOOK_SEED", 1));
        let traced = room::is_inside();
        let missing = if traced { missing() } else { Vec::new() };
        let temporary = tempfile::tempdir().unwrap();
        let workers = 6;
        let run = AtomicUsize::new(0);
        let all: Vec<Outcome> = std::thread::scope(|scope| {
            let each = (0..workers).map(|worker| {
                let base = temporary.path().join(worker.to_string());
                let (missing, run) = (&missing, &run);
                scope.spawn(move || {
                    let scratch = Scratch::new(&base, traced, missing);
                    let own = (worker..lines).step_by(6);
                    own.map(|at| outcome(&scratch, seed, at, traced))
                        .inspect(|one| one.tell(run.fetch_add(1, Relaxed) + 1))
                        .collect::<Vec<_>>()
                })
            });
            let each = each.collect::<Vec<_>>().into_iter();
            each.flat_map(|worker| worker.join().unwrap()).collect()
        });
        tell(&all, missing.len());
        let wrong: Vec<_> = all.iter().filter(|one| !one.missed.is_empty()).collect();
        let told = wrong.iter().map(|one| one.miss());
        assert!(
            wrong.is_empty(),
            "{} of {lines} lines:\n{}",
            wrong.len(),
            told.collect::<Vec<_>>().join("\n")
        );
        let changed = all.iter().filter(|one| one.did).count() as u64;
        assert!(
            changed * 10 > lines * 8,
            "{changed} of {lines} lines did something: the grammar is worth nothing"
        );
        let unknown = all.iter().filter(|one| one.unknown.is_some()).count() as u64;
        assert!(
            unknown * 5 <= lines * 2,
            "{unknown} of {lines} lines have an unknown effect: the reader reads too little"
        );
    }
}
