//! The inbox: every open question of a person, whichever agent and session asks, and the answers to them.

use std::sync::Arc;
use std::time::Duration;

use anyhook::approvals::{ApprovalBook, ApprovalChannel, BookError, OpenQuestion};
use anyhook::core::question::{AnswerLifetime, Choice, Grants};
use anyhook::record::past;
use anyhook::state::FileState;
use anyhook::stores::{Jsonl, RecordDetail};
use anyhook::world::{UserFolders, World};
use axum::body::{Body, Bytes, to_bytes};
use axum::extract::State;
use tokio::time::timeout;

use crate::problem::Rejection;
use crate::session::BrowserSessions;

/// The longest body.
const LONGEST: usize = 64 * 1024;
/// How long a body may take.
const PATIENCE: Duration = Duration::from_secs(10);

/// The inbox, as a handler takes it.
pub(crate) type InboxState = State<Arc<Inbox>>;

/// The inbox of one person.
pub(crate) struct Inbox {
    world: World,
    pub(crate) sessions: BrowserSessions,
}

/// An answer, as a person gives it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct InboxAnswer {
    /// How long a yes holds; nothing is a no.
    pub(crate) holds: Option<AnswerLifetime>,
    /// What the model hears with a no.
    pub(crate) note: String,
    /// The chosen choice of each question that has choices.
    pub(crate) choices: Vec<Option<usize>>,
    /// What exactly the person was shown.
    pub(crate) mark: String,
}

/// How long a yes lasts, as a form says it.
const LASTS: [(AnswerLifetime, &str); 3] = [
    (AnswerLifetime::Once, "once"),
    (AnswerLifetime::Session, "session"),
    (AnswerLifetime::Always, "always"),
];

/// Reads how long a yes holds; nothing where a form says no, or no such word.
pub(crate) fn yes(says: &str) -> Option<AnswerLifetime> {
    let found = LASTS.iter().find(|(_, word)| *word == says);
    found.map(|(lasts, _)| *lasts)
}

impl Inbox {
    pub(crate) fn new(world: World) -> Self {
        Self {
            sessions: BrowserSessions::of(&world),
            world,
        }
    }

    fn places(&self) -> Result<&UserFolders, Rejection> {
        self.world.places.as_ref().ok_or(Rejection::UnusableBook)
    }

    fn book(&self) -> Result<ApprovalBook, Rejection> {
        let folder = self.places()?.approvals();
        Ok(ApprovalBook::new(folder).by(ApprovalChannel::Page))
    }

    pub(crate) fn now(&self) -> i64 {
        self.world.clock.now()
    }

    /// Returns the open questions, the newest last.
    pub(crate) fn open(&self) -> Result<Vec<OpenQuestion>, Rejection> {
        Ok(self.book()?.waiting(self.now())?)
    }

    /// Says what a yes for always would have let through, by the record.
    pub(crate) fn past(&self, open: &OpenQuestion) -> Result<String, Rejection> {
        let record = Jsonl::new(self.places()?.reports(), RecordDetail::Verdicts);
        let unread = "The record cannot be asked what this rule would have let through";
        Ok(match past(&record, open) {
            Ok(past) => past.sentence(),
            Err(error) => format!("{unread}: {error}."),
        })
    }

    /// Answers a question. It is the one that was shown, or none.
    pub(crate) fn answer(&self, code: &str, answer: &InboxAnswer) -> Result<(), Rejection> {
        let book = self.book()?;
        let now = self.now();
        let open = book.waiting(now)?;
        let Some(open) = open.iter().find(|open| open.code == code) else {
            return Err(self.closed(code));
        };
        if open.mark() != answer.mark {
            return Err(Rejection::Changed);
        }
        let refuse = || Ok(book.refuse(open, &answer.note, now)?);
        let Some(lasts) = answer.holds else {
            return refuse();
        };
        open.may_last(lasts)?;
        // A choice says itself how long it holds, but where the person wants it longer.
        let wanted = (lasts != AnswerLifetime::Once).then_some(lasts);
        let answers = open.answers(wanted, &answer.choices);
        let answers = answers.ok_or(Rejection::NoChoice)?;
        if answers.iter().any(|one| one.grants == Grants::Deny) {
            return refuse();
        }
        let sessions = FileState::new(self.places()?.sessions());
        let approved = book.approve(open, &answers, Some(&sessions), now);
        Ok(approved.map(drop)?)
    }

    /// Says why a question is not open.
    fn closed(&self, code: &str) -> Rejection {
        let said = self.book().map(|book| book.closed(code, self.now()));
        match said {
            Ok(Ok(Some(_))) => Rejection::Answered,
            _ => Rejection::NoQuestion,
        }
    }
}

impl From<BookError> for Rejection {
    fn from(error: BookError) -> Self {
        match error {
            BookError::NoSuchCode => Self::NoQuestion,
            BookError::Answered(_) => Self::Answered,
            BookError::Changed => Self::Changed,
            BookError::TooLasting(_) | BookError::NoSession => Self::TooLasting,
            BookError::LongNote(_) => Self::LongNote,
            _ => Self::UnusableBook,
        }
    }
}

/// Returns how long an answer to a question may hold.
pub(crate) fn may(open: &OpenQuestion) -> Vec<&'static str> {
    let may = LASTS.iter();
    let may = may.filter(|(lasts, _)| open.may_last(*lasts).is_ok());
    may.map(|(_, word)| *word).collect()
}

/// Says a choice in words.
pub(crate) fn gives(choice: &Choice) -> &'static str {
    match choice.grants {
        Grants::Proceed => "goes on, the agent's own rules hold",
        Grants::Allow => "goes on, without a prompt of the agent",
        Grants::Deny => "stays refused",
    }
}

/// Reads a short body in its time.
pub(crate) async fn read(body: Body) -> Result<Bytes, Rejection> {
    let read = timeout(PATIENCE, to_bytes(body, LONGEST)).await;
    read.map_err(|_| Rejection::NoForm)?
        .map_err(|_| Rejection::NoForm)
}

/// Does what reads files on a thread of its own.
pub(crate) async fn aside<T: Send + 'static>(
    inbox: &Arc<Inbox>,
    work: impl FnOnce(&Inbox) -> Result<T, Rejection> + Send + 'static,
) -> Result<T, Rejection> {
    let its = Arc::clone(inbox);
    let done = tokio::task::spawn_blocking(move || work(&its)).await;
    done.unwrap_or(Err(Rejection::OurMistake))
}
