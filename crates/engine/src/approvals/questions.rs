//! The open questions of the book: kept, waited for, refused, and closed for a second answer.

use super::book::ApprovalClaim;
use super::closed::{ClosedQuestion, LONGEST_NOTE};
use super::pages::BookContents;
use super::waiter::{Waiter, is_alive};
use super::{ApprovalBook, ApprovalSubject, AskedQuestion, BookError, OpenQuestion};

/// The most open questions; of more the oldest goes.
const MOST_OPEN: usize = 64;
/// The longest that an action and its questions may be, in bytes, so that a person can read all of it.
const LONGEST: usize = 64 * 1024;

impl ApprovalBook {
    /// Makes one who waits for answers; `id` tells it from others of this process.
    pub(crate) fn waiter(&self, id: &str) -> Result<Waiter, BookError> {
        Ok(Waiter::new(&self.folder, id)?)
    }

    /// Keeps an open question, and returns its code. The same question of the same session keeps the code that it has.
    pub fn open(
        &self,
        about: ApprovalSubject,
        action: &str,
        asked: Vec<AskedQuestion>,
        now: i64,
    ) -> Result<String, BookError> {
        let opened = self.keep_open(OpenQuestion::new(about, action, asked, now)?)?;
        Ok(opened.open.code)
    }

    /// Keeps an open question, unless it is too long for a person to read all of it.
    pub(crate) fn keep_open(&self, open: OpenQuestion) -> Result<KeptQuestion, BookError> {
        let long = serde_json::to_vec(&open)?.len();
        if long > LONGEST {
            return Err(BookError::TooLong(long));
        }
        self.change(open.at, |pages| {
            if let Some(known) = pages.open.iter_mut().find(|known| known.is_same(&open)) {
                known.at = open.at;
                known.waiters.retain(|name| is_alive(&self.folder, name));
                known.waiters.extend(open.waiters.iter().cloned());
                let open = known.clone();
                return Ok(KeptQuestion {
                    open,
                    is_new: false,
                });
            }
            if pages.open.len() >= MOST_OPEN {
                pages.open.sort_by_key(|open| open.at);
                pages.open.remove(0);
            }
            // Should two ever have one code, the older one is asked about anew.
            pages.open.retain(|known| known.code != open.code);
            pages.open.push(open.clone());
            Ok(KeptQuestion { open, is_new: true })
        })
    }

    /// Tells whether a question is still open that one waits for.
    pub(crate) fn is_open_for(&self, waiter: &Waiter, now: i64) -> Result<bool, BookError> {
        let open = self.look(now)?.open;
        let mut waiters = open.iter().flat_map(|open| &open.waiters);
        Ok(waiters.any(|name| name == waiter.name()))
    }

    /// Waits no longer: the question stays open for the next try of the agent.
    pub(crate) fn leave(&self, waiter: &Waiter, now: i64) -> Result<(), BookError> {
        self.change(now, |pages| {
            for open in &mut pages.open {
                open.waiters.retain(|name| name != waiter.name());
            }
            Ok(())
        })
    }

    /// Returns the open questions, the newest last. One that only dead processes waited for is dead too.
    pub fn waiting(&self, now: i64) -> Result<Vec<OpenQuestion>, BookError> {
        let mut open = self.look(now)?.open;
        open.retain(|open| self.is_alive(open));
        open.sort_by_key(|open| open.at);
        Ok(open)
    }

    /// Says what became of a question that was answered a while ago.
    pub fn closed(&self, code: &str, now: i64) -> Result<Option<String>, BookError> {
        let closed = self.look(now)?.closed;
        let its = closed.iter().find(|one| one.code == code);
        Ok(its.map(ClosedQuestion::words))
    }

    fn is_alive(&self, open: &OpenQuestion) -> bool {
        let mut waiters = open.waiters.iter();
        !open.is_waited_for() || waiters.any(|name| is_alive(&self.folder, name))
    }

    /// Answers no: the question is taken away, and asking again gives it another code. Who waits is refused at once, and a
    /// note is told to the model: now, or when the agent tries again.
    pub fn refuse(&self, shown: &OpenQuestion, note: &str, now: i64) -> Result<(), BookError> {
        if note.trim().chars().count() > LONGEST_NOTE {
            return Err(BookError::LongNote(LONGEST_NOTE));
        }
        self.change(now, |pages| {
            let taken = self.take_open(pages, shown)?;
            pages
                .closed
                .push(ClosedQuestion::no(&taken, note, self.by, now));
            Ok(())
        })
    }

    /// Returns the note of a no to one of these questions, which is heard by one call.
    pub(super) fn refusal(
        &self,
        keys: &[&str],
        whose: ApprovalClaim<'_>,
        now: i64,
    ) -> Result<Option<String>, BookError> {
        let hear = |pages: &mut BookContents| {
            let mut closed = pages.closed.iter_mut();
            closed.find_map(|closed| closed.hear(keys, whose, now))
        };
        // Most events find none, and change nothing.
        if hear(&mut self.look(now)?).is_none() {
            return Ok(None);
        }
        self.change(now, |pages| Ok(hear(pages)))
    }

    /// Takes an open question out, if it is still the one that was shown and no other answer was faster.
    pub(super) fn take_open(
        &self,
        pages: &mut BookContents,
        shown: &OpenQuestion,
    ) -> Result<OpenQuestion, BookError> {
        let at = pages.open.iter().position(|open| open.code == shown.code);
        let Some(there) = at.and_then(|at| pages.open.get(at)) else {
            let closed = pages.closed.iter().find(|one| one.code == shown.code);
            return Err(closed.map_or(BookError::NoSuchCode, |one| {
                BookError::Answered(one.words())
            }));
        };
        if !there.is_same(shown) || there.action != shown.action {
            return Err(BookError::Changed);
        }
        if !self.is_alive(there) {
            return Err(BookError::NoSuchCode);
        }
        Ok(pages.open.remove(at.unwrap_or_default()))
    }
}

/// A question that was kept.
#[derive(Debug)]
pub(crate) struct KeptQuestion {
    pub(crate) open: OpenQuestion,
    /// Whether it was not open already.
    pub(crate) is_new: bool,
}
