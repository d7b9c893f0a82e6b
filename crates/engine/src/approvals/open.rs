//! An open question: the action that waits for a person, and how long it can be answered.

use anyhook_core::event::Event;
use anyhook_core::question::{AnswerLifetime, Choice, Grants};
use anyhook_core::report::Report;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::exact::{leave_passing_out, rewrite};
use super::{Approval, ApprovalAnswer, ApprovalChannel, ApprovalSubject, BookError, ExactAction};
use crate::files;
use crate::state::SessionKey;

/// Letters and digits of a code; none looks like another one.
const LETTERS: &[u8; 32] = b"23456789ABCDEFGHJKLMNPQRSTUVWXYZ";
/// How long a code is: one of a thousand million.
const CODE: usize = 6;

/// A question that waits for a person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenQuestion {
    /// The one-time code.
    pub code: String,
    /// Where the action was to happen.
    pub about: ApprovalSubject,
    /// The whole action, for the person: what the approval will be bound to.
    pub action: String,
    /// Every question about it; all have to be answered.
    pub asked: Vec<AskedQuestion>,
    /// When it was last asked: milliseconds since 1970.
    pub at: i64,
    /// The processes that wait for the answer, by the names of their sockets; without one the agent tries again.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) waiters: Vec<String>,
}

impl ApprovalSubject {
    /// Tells what an action of an event is, in short.
    pub fn of(event: &Event, exact: &ExactAction, kept: Option<&SessionKey>) -> Self {
        let origin = event.origin.as_deref();
        let session = event.session().filter(|session| !session.is_empty());
        Self {
            host: origin.map(|o| o.host.to_string()).unwrap_or_default(),
            session: session.map(str::to_owned),
            kept: kept.cloned(),
            event: event.name.to_string(),
            summary: exact.summary.clone(),
        }
    }
}

/// One question of one hook, as it was put.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AskedQuestion {
    /// What an answer is bound to: the exact action, the hook's definition, the question.
    pub key: String,
    /// The hook's name.
    pub hook: String,
    /// The hook's file and line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
    /// The hash of what the hook is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub definition: Option<String>,
    /// What it asks.
    pub prompt: String,
    /// The choices; empty means yes and no.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<Choice>,
    /// The longest that an answer may hold.
    pub longest: AnswerLifetime,
}

impl OpenQuestion {
    pub(crate) fn new(
        about: ApprovalSubject,
        action: &str,
        asked: Vec<AskedQuestion>,
        now: i64,
    ) -> Result<Self, BookError> {
        Ok(Self {
            code: code()?,
            about,
            action: action.to_owned(),
            asked,
            at: now,
            waiters: Vec::new(),
        })
    }

    /// Tells whether it is the same question in the same session, asked another time.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        self.about.host == other.about.host
            && self.about.session == other.about.session
            && self.asked == other.asked
    }

    /// Tells whether a process waits for the answer at this moment.
    pub fn is_waited_for(&self) -> bool {
        !self.waiters.is_empty()
    }

    /// Names exactly what the person is shown: an answer that carries it is to nothing else.
    pub fn mark(&self) -> String {
        let shown = serde_json::json!([
            self.code,
            self.action,
            self.asked,
            self.about.host,
            self.about.session
        ]);
        files::digest(shown.to_string().as_bytes())
    }

    /// Makes the answers of a yes that holds so long, with the place of the chosen choice for each question that has choices.
    /// A choice says itself how long it holds, and never longer than it may; for always only if that is wanted. Nothing
    /// where a question with choices has none.
    pub fn answers(
        &self,
        wanted: Option<AnswerLifetime>,
        chosen: &[Option<usize>],
    ) -> Option<Vec<ApprovalAnswer>> {
        let chosen = chosen.iter().copied().chain(std::iter::repeat(None));
        let both = self.asked.iter().zip(chosen);
        both.map(|(put, chosen)| self.answer(put, wanted, chosen))
            .collect()
    }

    fn answer(
        &self,
        put: &AskedQuestion,
        wanted: Option<AnswerLifetime>,
        chosen: Option<usize>,
    ) -> Option<ApprovalAnswer> {
        if put.options.is_empty() {
            return Some(ApprovalAnswer {
                grants: Grants::Proceed,
                lasts: wanted.unwrap_or_default(),
            });
        }
        let choice = put.options.get(chosen?)?;
        let said = choice
            .remember
            .min(match self.may_last(AnswerLifetime::Session) {
                Ok(()) => AnswerLifetime::Session,
                Err(_) => AnswerLifetime::Once,
            });
        Some(ApprovalAnswer {
            grants: choice.grants,
            lasts: wanted.unwrap_or(said),
        })
    }

    /// Says the rule that a yes for always makes.
    pub fn rule(&self) -> String {
        let each = self.asked.iter().map(|put| {
            let place = put.place.as_deref().map(|place| format!(" ({place})"));
            format!("`{}`{}", put.hook, place.unwrap_or_default())
        });
        let hooks = each.collect::<Vec<_>>().join(", ");
        format!(
            "From now on, in every session of {}, exactly this action passes the question of {hooks}. Another argument, another \
             folder or a changed hook asks again. `anyhook approve --revoke` takes it back.",
            self.about.host
        )
    }

    /// Tells whether a report of the record is of exactly this action; nothing where the record does not have all of it.
    ///
    /// Two tools of a host that have one canonical name count as one here: the record does not keep the host's own.
    pub fn is_of(&self, report: &Report) -> Option<bool> {
        let (heading, action) = (&report.event, report.action.as_deref()?);
        let is_there =
            *heading.host == *self.about.host && heading.name.as_str() == self.about.event;
        if !is_there || action.imported.is_some() {
            return Some(false);
        }
        if !action.hidden.is_empty() || !action.cut.is_empty() {
            return None;
        }
        let mut data = action.data.clone();
        rewrite(&mut data, &report.result);
        leave_passing_out(&mut data);
        let named = self.action.strip_prefix("// ");
        let fields = named.and_then(|text| Some(text.split_once('\n')?.1));
        let ours: Value = serde_json::from_str(fields.unwrap_or(&self.action)).ok()?;
        Some(ours == Value::Object(data))
    }

    /// Tells whether an answer to all of it may hold that long, and why not.
    pub fn may_last(&self, wanted: AnswerLifetime) -> Result<(), BookError> {
        self.asked
            .iter()
            .try_for_each(|put| self.may_answer(put, wanted))
    }

    fn may_answer(&self, put: &AskedQuestion, lasts: AnswerLifetime) -> Result<(), BookError> {
        if lasts > put.longest {
            return Err(BookError::TooLasting(put.hook.clone()));
        }
        if lasts == AnswerLifetime::Session && self.about.kept.is_none() {
            return Err(BookError::NoSession);
        }
        Ok(())
    }

    /// Makes an approval of every question, each as long as it may be.
    pub(super) fn approvals(
        &self,
        answers: &[ApprovalAnswer],
        by: ApprovalChannel,
        now: i64,
    ) -> Result<Vec<Approval>, BookError> {
        if answers.len() != self.asked.len() {
            return Err(BookError::Changed);
        }
        let both = self.asked.iter().zip(answers);
        let made = both.map(|(put, answer)| {
            self.may_answer(put, answer.lasts)?;
            Ok(Approval::new(&self.about, put, *answer, by, now))
        });
        made.collect()
    }
}

/// Makes a code that cannot be guessed.
pub(super) fn code() -> Result<String, BookError> {
    let mut bytes = [0; CODE];
    getrandom::fill(&mut bytes).map_err(BookError::Random)?;
    let letter = |byte: &u8| LETTERS.get(usize::from(byte % 32)).copied();
    let letters = bytes.iter().filter_map(letter);
    Ok(letters.map(char::from).collect())
}
