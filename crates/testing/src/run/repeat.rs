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
        Self {
            failures: judged.failures.clone(),
            error: judged.error.clone(),
            words,
        }
    }

    /// Tells what went otherwise the next time: what the hooks said, else what came of it.
    pub(super) fn against(&self, next: &Self) -> Failure {
        let mut pairs = self.words.iter().zip(&next.words);
        let message = match pairs.find(|(first, then)| first != then) {
            None => "the same was said, and something else came of it".to_owned(),
            Some(((first, _), (then, _))) if first != then => {
                format!("first {first} ran, then {then}")
            }
            Some(((who, first), (_, then))) => otherwise(who, first, then),
        };
        Failure {
            about: "repeat",
            message,
            differences: Vec::new(),
        }
    }
}

/// Tells the first thing that one of them said otherwise.
fn otherwise(who: &str, first: &Words, then: &Words) -> String {
    let code = |words: &Words| {
        words
            .exit
            .map_or("none".to_owned(), |code| code.to_string())
    };
    let rows = [
        ("exit code", &code(first), &code(then)),
        ("stdout", &first.stdout, &then.stdout),
        ("stderr", &first.stderr, &then.stderr),
    ];
    let mut differing = rows.iter().filter(|(_, first, then)| first != then);
    let told = differing.next().map(|(name, first, then)| {
        let mut lines = first.lines().zip(then.lines());
        let (first, then) = lines
            .find(|(first, then)| first != then)
            .unwrap_or((first, then));
        format!("{name} of {who}: first {first:?}, then {then:?}")
    });
    told.unwrap_or_default()
}
