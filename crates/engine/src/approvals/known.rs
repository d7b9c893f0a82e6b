//! The earlier approvals, as one event sees them.

use std::cell::RefCell;

use anyhook_core::question::{Grants, Remember};

use super::book::Whose;
use super::{About, Answered, Approval, Book, Exact, Giver, Put};
use crate::files;
use crate::state::{Loaded, SessionKey, SessionState, State};

/// What was approved before: in the book, and in the session's state. Either may be missing.
///
/// A file that cannot be used approves nothing; what was wrong with it is told by [`Known::trouble`].
pub struct Known<'a> {
    /// The book.
    pub book: Option<&'a Book>,
    /// The session's state.
    pub session: Option<(&'a SessionKey, &'a dyn State)>,
    /// What time it is.
    pub now: i64,
    trouble: RefCell<Vec<String>>,
}

impl std::fmt::Debug for Known<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Known")
            .field("book", &self.book)
            .field("now", &self.now)
            .finish_non_exhaustive()
    }
}

impl<'a> Known<'a> {
    /// Knows what is in a book and in a session.
    pub fn new(
        book: Option<&'a Book>,
        session: Option<(&'a SessionKey, &'a dyn State)>,
        now: i64,
    ) -> Self {
        Self {
            book,
            session,
            now,
            trouble: RefCell::default(),
        }
    }

    /// Returns which session's state it knows.
    pub(super) fn key(&self) -> Option<&'a SessionKey> {
        self.session.map(|(key, _)| key)
    }

    /// Returns what went wrong with the files.
    pub fn trouble(&self) -> Vec<String> {
        self.trouble.borrow().clone()
    }

    fn told<T>(&self, done: Result<T, impl std::error::Error + 'static>) -> Option<T> {
        let error = done.as_ref().err().map(|error| files::with_causes(error));
        self.trouble.borrow_mut().extend(error);
        done.ok()
    }

    /// Finds an answer to each question; of several the one that holds longest.
    pub(super) fn find(
        &self,
        puts: &[Option<Put>],
        about: &About,
        exact: &Exact,
    ) -> Vec<Option<Approval>> {
        let whose = Whose::of(about, exact);
        let mut all = Vec::new();
        if let Some(book) = self.book {
            all.extend(self.told(book.always(self.now)).unwrap_or_default());
            all.extend(self.told(book.once(whose, self.now)).unwrap_or_default());
        }
        all.extend(self.of_session());
        let best = |put: &Option<Put>| {
            let put = put.as_ref()?;
            let fits = all.iter().filter(|one| {
                let gives = one.grants != Grants::Deny;
                gives && one.key == put.key && super::may_last(one.lasts, put.longest)
            });
            fits.max_by_key(|one| super::rank(one.lasts)).cloned()
        };
        puts.iter().map(best).collect()
    }

    fn of_session(&self) -> Vec<Approval> {
        let mut granted = Vec::new();
        self.update(&mut |state| granted = state.approvals.granted.values().cloned().collect());
        granted
    }

    fn update(&self, change: &mut dyn FnMut(&mut SessionState)) {
        let Some((key, state)) = self.session else {
            return;
        };
        if let Some(Loaded::WasUnreadable(why)) = self.told(state.update(key, change)) {
            self.trouble.borrow_mut().push(format!(
                "what this session remembered could not be read and is forgotten: {why}"
            ));
        }
    }

    /// Returns who gave a no to one of these questions that was not heard yet, and its note.
    pub(super) fn refusal(&self, keys: &[&str], about: &About, exact: &Exact) -> Option<String> {
        let whose = Whose::of(about, exact);
        let found = self.book?.refusal(keys, whose, self.now);
        self.told(found).flatten()
    }

    /// Uses up the approvals for once of these questions; tells whether all of them were still there.
    pub(super) fn take(&self, keys: &[&str], about: &About, exact: &Exact) -> bool {
        let whose = Whose::of(about, exact);
        let taken = self.book.map(|book| book.take(keys, whose, self.now));
        taken.and_then(|taken| self.told(taken)).unwrap_or_default()
    }

    /// Remembers a yes for the session.
    pub(super) fn remember(&self, about: &About, put: &Put, grants: Grants) {
        let answer = Answered {
            grants,
            lasts: Remember::Session,
        };
        let approval = Approval::new(about, put, answer, self.now).given_by(Giver::Dialog);
        self.update(&mut |state| state.approve(approval.clone()));
    }
}
