//! The person of a test: an approver that says what the case has it say, and remembers what it was asked.

use std::sync::{Mutex, PoisonError};

use anyhook::core::event::Event;
use anyhook::core::ports::{Approver, Asks, Dialog};
use anyhook::core::question::{Answer, Grants, Question};

use crate::plan::{Person, answer};

/// One question that was put to the person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Put {
    /// The hook that asked.
    pub hook: String,
    /// What it asked.
    pub question: String,
    /// What the case said; nothing where it has no answer to this.
    pub said: Option<String>,
    /// The choices, where what was said is none of them.
    pub(crate) choices: Option<String>,
}

/// Says what a case says.
pub(crate) struct Scripted<'c> {
    script: &'c Person,
    put: Mutex<Vec<Put>>,
}

impl<'c> Scripted<'c> {
    pub(crate) fn new(script: &'c Person) -> Self {
        Self {
            script,
            put: Mutex::default(),
        }
    }

    /// Returns what was asked, in the order of asking.
    pub(crate) fn into_put(self) -> Vec<Put> {
        self.put
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn says(&self, hook: &str, question: &Question) -> Answer {
        let mut put = self.put.lock().unwrap_or_else(PoisonError::into_inner);
        let said = match self.script {
            Person::Always(said) => Some(said),
            Person::InTurn(list) => list.get(put.len()),
        };
        let answer = said.and_then(|said| answer(question, said));
        let labels = || {
            let labels: Vec<String> = question
                .choices()
                .iter()
                .map(|choice| choice.label.to_string())
                .collect();
            labels.join("`, `")
        };
        put.push(Put {
            hook: hook.to_owned(),
            question: question.prompt.to_string(),
            said: said.cloned(),
            choices: (said.is_some() && answer.is_none()).then(labels),
        });
        answer.unwrap_or(Answer::Defer)
    }
}

impl Approver for Scripted<'_> {
    fn answer(&self, _: &Event, question: &Question) -> Answer {
        self.says("a hook", question)
    }

    fn answer_all(&self, dialog: &Dialog<'_>) -> Vec<Answer> {
        let mut answers = Vec::with_capacity(dialog.asks.len());
        for Asks { hook, question } in dialog.asks {
            let answer = self.says(hook, question);
            answers.push(answer);
            if is_no(question, answer) {
                break;
            }
        }
        answers
    }
}

/// Tells whether it is a no: who says no is asked nothing else.
fn is_no(question: &Question, answer: Answer) -> bool {
    match answer {
        Answer::Deny => true,
        Answer::Chose(at) => {
            let choices = question.choices();
            let chosen = choices.get(usize::from(at));
            chosen.is_none_or(|choice| choice.grants == Grants::Deny)
        }
        Answer::AllowOnce
        | Answer::AllowSession
        | Answer::AllowAlways
        | Answer::TimedOut
        | Answer::Failed
        | Answer::Defer => false,
    }
}
