//! A case that was run, as a pattern for the one to write: its payload, and what its hook said.

use anyhook::core::effects::{Effects, Rewrite};
use anyhook::core::event::Datum;
use anyhook::core::transcript::End;
use serde_json::{Value, json};

use crate::exercise::Shown;
use crate::mutant::Mutation;
use crate::play::{Evidence, Heard};
use crate::ran::Ran;
use crate::roster::Tested;

/// The longest piece of a text that is expected.
const LONGEST: usize = 60;

/// A case that shows a hook, as a pattern for others.
pub(super) struct Pattern<'s> {
    pub(super) ran: &'s Ran,
    pub(super) shown: &'s Shown,
    pub(super) evidence: &'s Evidence,
}

impl Pattern<'_> {
    /// What the processes of the hook left.
    fn heard(&self, tested: &Tested) -> impl Iterator<Item = &Heard> {
        let entry = tested.key.entry;
        let heard = self.evidence.heard.iter();
        heard.filter(move |heard| heard.entry == Some(entry))
    }

    /// The exit code with which the hook's process ended.
    pub(super) fn code(&self, tested: &Tested) -> Option<i32> {
        self.heard(tested).find_map(|heard| match heard.raw.end {
            End::Code(code) => Some(code),
            End::Signal(_) | End::TimedOut | End::NotStarted(_) => None,
        })
    }

    /// The JSON that the hook's process wrote.
    fn json(&self, tested: &Tested) -> Option<Value> {
        let mut heard = self.heard(tested);
        heard.find_map(|heard| serde_json::from_str(&heard.raw.stdout.text()).ok())
    }

    /// The text that the hook's process wrote.
    fn text(&self, tested: &Tested) -> Option<String> {
        let mut heard = self.heard(tested);
        heard.find_map(|heard| piece(&heard.raw.stdout.text()))
    }

    /// The field of its payload that a matcher looks at.
    pub(super) fn subject(&self) -> String {
        let spec = self.ran.case.event.spec();
        let snake = spec.and_then(|spec| spec.subject).unwrap_or("tool_name");
        let payload = &self.ran.case.payload.value;
        let camel = camel(snake);
        if payload.contains_key(snake) && !payload.contains_key(&camel) {
            snake.to_owned()
        } else {
            camel
        }
    }

    /// The name that a matcher is held against in it.
    pub(super) fn named(&self) -> Option<String> {
        let subject = self.ran.case.payload.value.get(&self.subject())?;
        subject.as_str().map(str::to_owned)
    }

    /// What such a case expects, the clearest first.
    pub(super) fn expectations(
        &self,
        mutation: &Mutation,
        tested: &Tested,
    ) -> Vec<(&'static str, Value)> {
        let effects = self.shown.said.as_ref().map(|said| &said.effects);
        let mut all: Vec<(&'static str, Value)> = match mutation {
            Mutation::ExitCode => vec![("exit-code", 2.into())],
            Mutation::Decision(kind) => vec![("decision", kind.as_str().into())],
            Mutation::Rewrite => {
                let patch = effects.map(Effects::patch).unwrap_or_default();
                let pair = |rewrite: &Rewrite| {
                    let value = rewrite.value.as_ref().map(Datum::json);
                    (rewrite.field.to_string(), value.unwrap_or_default())
                };
                vec![("rewrites", Value::Object(patch.iter().map(pair).collect()))]
            }
            _ => {
                let told = effects.map(Effects::inject).unwrap_or_default();
                let piece = told.first().and_then(|one| piece(&one.text));
                let piece = piece.map(|piece| ("injects", json!([{"$contains": piece}])));
                piece.into_iter().collect()
            }
        };
        all.extend(self.json(tested).map(|json| ("stdout-json", json)));
        if *mutation == Mutation::Injection {
            let text = self.text(tested);
            all.extend(text.map(|text| ("stdout-contains", json!([text]))));
        }
        all
    }
}

/// The beginning of a text, as a person would expect it.
fn piece(text: &str) -> Option<String> {
    let line = text.lines().map(str::trim).find(|line| !line.is_empty())?;
    Some(
        line.chars()
            .take(LONGEST)
            .collect::<String>()
            .trim_end()
            .to_owned(),
    )
}

pub(super) fn camel(snake: &str) -> String {
    let mut parts = snake.split('_');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |name, part| {
        let mut letters = part.chars();
        let big = letters.next().map(|letter| letter.to_ascii_uppercase());
        name + &big.into_iter().chain(letters).collect::<String>()
    })
}
