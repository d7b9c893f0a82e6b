//! Repeated runs of a case: what has to be the same each time, and where it was not.

use crate::judge::{Failure, Judged};
use crate::play::{Evidence, Words};

/// What has to be the same each time that a case is run.
#[derive(PartialEq)]
pub(super) struct Mark {
    failures: Vec<Failure>,
    error: Option<String>,
    words: Vec<(Box<str>, Words)>,
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
            .map(|heard| {
                (
                    format!("`{}`", heard.hook).into(),
                    same(Words::of(&heard.raw)),
                )
            })
            .collect();
        words.sort_by(|a, b| a.0.cmp(&b.0));
        words.push(("the answer".into(), same(evidence.answer())));
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
        }
    }

    /// Tells what went otherwise the next time: what the hooks said, else what came of it.
    pub(super) fn against(&self, next: &Self) -> Vec<Failure> {
        let mut pairs = self.words.iter().zip(&next.words);
        let told = match pairs.find(|(first, then)| first != then) {
            None => vec!["the same was said, and something else came of it".to_owned()],
            Some(((first, _), (then, _))) if first != then => {
                vec![format!("first {first} ran, then {then}")]
            }
            Some(((who, first), (_, then))) => otherwise(who, first, then),
        };
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
    let many = first.split('\n').count().max(then.split('\n').count());
    let line = |text: &'t str, at| text.split('\n').nth(at).unwrap_or_default();
    let mut pairs = (0..many).map(|at| (at + 1, line(first, at), line(then, at)));
    pairs.find(|(_, first, then)| first != then)
}
