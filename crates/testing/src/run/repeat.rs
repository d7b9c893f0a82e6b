//! Repeated runs of a case: what has to be the same each time, and where it was not.

use crate::judge::{Failure, Judged};
use crate::play::{Evidence, Words};

/// What has to be the same each time that a case is run.
#[derive(PartialEq)]
pub(super) struct Mark {
    failures: Vec<Failure>,
    error: Option<String>,
    words: Vec<(Box<str>, Words)>,
    answer: Words,
}

impl Mark {
    /// The room has another name in each job: its name is no difference.
    pub(super) fn of(judged: &Judged, evidence: &Evidence) -> Self {
        let same = |mut words: Words| {
            for room in &evidence.rooms {
                let room = room.to_string_lossy();
                words.stdout = words.stdout.replace(&*room, "");
                words.stderr = words.stderr.replace(&*room, "");
            }
            words
        };
        let heard = evidence.heard.iter();
        let mut words: Vec<(Box<str>, Words)> = heard
            .map(|heard| (heard.hook.clone(), same(Words::of(&heard.raw))))
            .collect();
        words.sort_by(|a, b| a.0.cmp(&b.0));
        // How long something took is in `max-ms` alone, and differs.
        let failures = judged
            .failures
            .iter()
            .filter(|failure| failure.about != "max-ms")
            .cloned()
            .collect();
        Self {
            failures,
            error: judged.error.clone(),
            words,
            answer: same(evidence.answer()),
        }
    }

    /// Tells what went otherwise the next time: what the hooks said, else what came of it.
    pub(super) fn against(&self, next: &Self) -> Vec<Failure> {
        let mut told = Vec::new();
        let names = |mark: &Self| mark.words.iter().map(|(hook, _)| hook.clone()).collect();
        let (first, then): (Vec<Box<str>>, Vec<Box<str>>) = (names(self), names(next));
        if first == then {
            for ((hook, first), (_, then)) in self.words.iter().zip(&next.words) {
                told.extend(otherwise(&format!("`{hook}`"), first, then));
            }
        } else {
            let (first, then) = (first.join("`, `"), then.join("`, `"));
            told.push(format!("first `{first}` ran, then `{then}`"));
        }
        if told.is_empty() {
            told.extend(otherwise("the answer", &self.answer, &next.answer));
        }
        if told.is_empty() {
            told.push("the same was said, and something else came of it".to_owned());
        }
        let failure = |message| Failure {
            about: "repeat",
            message,
            differences: Vec::new(),
        };
        told.into_iter().map(failure).collect()
    }
}

/// What one of them said otherwise.
fn otherwise(who: &str, first: &Words, then: &Words) -> Vec<String> {
    let mut told = Vec::new();
    if first.exit != then.exit {
        let code = |words: &Words| {
            words
                .exit
                .map_or("no exit code".to_owned(), |code| code.to_string())
        };
        let (first, then) = (code(first), code(then));
        told.push(format!("{who} ended with {first}, then with {then}"));
    }
    for (stream, first, then) in [
        ("stdout", &first.stdout, &then.stdout),
        ("stderr", &first.stderr, &then.stderr),
    ] {
        if let Some((line, first, then)) = first_other_line(first, then) {
            told.push(format!(
                "{stream} of {who}, line {line}: first {first:?}, then {then:?}"
            ));
        }
    }
    told
}

/// The first line in which two texts differ, and its number.
fn first_other_line<'t>(first: &'t str, then: &'t str) -> Option<(usize, &'t str, &'t str)> {
    if first == then {
        return None;
    }
    let (mut first, mut then) = (first.split('\n'), then.split('\n'));
    let mut line = 1;
    loop {
        match (first.next(), then.next()) {
            (None, None) => return None,
            (a, b) if a == b => line += 1,
            (a, b) => return Some((line, a.unwrap_or_default(), b.unwrap_or_default())),
        }
    }
}
