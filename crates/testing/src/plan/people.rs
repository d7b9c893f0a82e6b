//! The person and the model of a test, and their answers.

use anyhook::core::question::{Answer, Question};
use anyhook::models::StandIn;
use serde_json::Value;

use super::Planning;
use crate::problem::Problem;
use anyhook::yaml;

/// What a person answers, without regard to what exactly is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Person {
    /// This, to every question.
    Always(String),
    /// These, one after the other.
    InTurn(Vec<String>),
}

/// Answers that every question understands, besides its own choices.
const WORDS: &[(&str, Answer)] = &[
    ("allow once", Answer::AllowOnce),
    ("allow session", Answer::AllowSession),
    ("allow always", Answer::AllowAlways),
    ("deny", Answer::Deny),
    ("timeout", Answer::TimedOut),
];

/// What a person says to a question: one of its choices, else a word that every question understands.
pub(crate) fn answer(question: &Question, said: &str) -> Option<Answer> {
    let mut choices = question.choices().into_iter();
    let wanted = said.trim().to_lowercase();
    if choices.any(|choice| choice.label.trim().to_lowercase() == wanted) {
        return Some(question.chose(said));
    }
    let mut words = WORDS.iter();
    words
        .find(|(word, _)| *word == wanted)
        .map(|(_, answer)| *answer)
}

impl Planning<'_> {
    pub(super) fn person(&self) -> Result<Option<Person>, Problem> {
        let Some(given) = &self.spec.interactive else {
            return Ok(None);
        };
        let texts = |list: &Vec<Value>| {
            let text = |value: &Value| value.as_str().map(str::to_owned);
            list.iter().map(text).collect::<Option<Vec<String>>>()
        };
        match &given.value {
            Value::String(said) => Some(Person::Always(said.clone())),
            Value::Array(list) => texts(list).map(Person::InTurn),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => None,
        }
        .map(Some)
        .ok_or_else(|| {
            let message = "`interactive` is what the person answers: a text, or a list of texts";
            self.problem(yaml::of(given), message)
        })
    }

    pub(super) fn model(&self) -> Result<Option<StandIn>, Problem> {
        let Some(given) = &self.spec.input.model_response else {
            if let Some(text) = self.spec.expected.prompt_contains.first() {
                let message =
                    "nothing is asked of a model: say what it answers with `input.model-response`";
                return Err(self.problem(yaml::of(text), message));
            }
            return Ok(None);
        };
        let wrong = |message: &str| Err(self.problem(yaml::of(given), message));
        match &given.value {
            Value::String(_) => Ok(Some(StandIn::Says(given.value.clone()))),
            Value::Object(object) => match object.get("error") {
                None => Ok(Some(StandIn::Says(given.value.clone()))),
                Some(Value::String(late)) if late == "timeout" && object.len() == 1 => {
                    Ok(Some(StandIn::Late))
                }
                Some(status) => match status.as_u64().and_then(|code| u16::try_from(code).ok()) {
                    Some(code @ 300..=599) if object.len() == 1 => Ok(Some(StandIn::Refuses(code))),
                    Some(_) | None => wrong(
                        "`error` is `timeout`, or the status of a server from 300 to 599, and stands alone",
                    ),
                },
            },
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => wrong(
                "a model answers with a text, with an object such as `{ok: true}`, or not at all: `{error: 429}`, \
                 `{error: timeout}`",
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use anyhook::core::question::Choice;

    use super::*;

    #[test]
    fn a_choice_of_the_question_goes_before_a_word_that_all_understand() {
        let plain = Question::new("push?");
        let options = ["Push", "Deny"].map(Choice::labelled).into();
        let own = Question {
            options,
            ..Question::new("push?")
        };
        assert_eq!(
            [
                answer(&plain, "allow"),
                answer(&plain, " Allow once "),
                answer(&plain, "timeout"),
                answer(&own, "push"),
                answer(&own, "deny"),
                answer(&own, "maybe"),
            ],
            [
                Some(Answer::Chose(0)),
                Some(Answer::AllowOnce),
                Some(Answer::TimedOut),
                Some(Answer::Chose(0)),
                Some(Answer::Chose(1)),
                None,
            ]
        );
    }
}
