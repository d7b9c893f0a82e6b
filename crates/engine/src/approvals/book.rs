//! The book: open questions and their answers, on disk.

use std::path::PathBuf;

use anyhook_core::question::{Grants, Remember};

use super::closed::Closed;
use super::shelf::{Always, Desk, change, look};
use super::{About, Approval, BookError, Exact, Giver, Open, SAME, Used, within};
use crate::state::{FileState, Loaded, State};

/// The most approvals for once that wait.
const MOST_ONCE: usize = 256;
/// The most approvals that hold for always.
const MOST_ALWAYS: usize = 2048;

/// Open questions, and what was approved for once and for always. What holds for a session is in that session's state.
///
/// Two files below one folder: `open.json` and `always.json`, for one user, each changed under a lock.
#[derive(Debug, Clone)]
pub struct Book {
    pub(super) folder: PathBuf,
    pub(super) by: Giver,
}

/// A person's yes to one question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Answered {
    /// What it gives.
    pub grants: Grants,
    /// How long it holds.
    pub lasts: Remember,
}

/// Which approvals to take back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Which<'a> {
    /// All.
    All,
    /// Those whose id begins so.
    Of(&'a str),
}

impl Which<'_> {
    fn has(self, approval: &Approval) -> bool {
        match self {
            Self::All => true,
            Self::Of(id) => !id.is_empty() && approval.key.starts_with(id),
        }
    }
}

impl Book {
    /// Keeps the book below `folder`, which is made when something is first kept.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self {
            folder: folder.into(),
            by: Giver::Command,
        }
    }

    /// Says by what way the person answers.
    #[must_use]
    pub fn by(self, by: Giver) -> Self {
        Self { by, ..self }
    }

    /// Answers yes to every question of what the person was shown, one answer for each. A code works once. Returns what
    /// the session's state was like, where something was approved for the session.
    pub fn approve(
        &self,
        shown: &Open,
        answers: &[Answered],
        sessions: Option<&dyn State>,
        now: i64,
    ) -> Result<Loaded, BookError> {
        let approvals = shown.approvals(answers, self.by, now)?;
        let once = lasting(&approvals, Remember::Once);
        // Taken out first: a second answer with the same code finds nothing.
        let taken = change(&self.folder, now, |desk: &mut Desk| {
            if desk.once.len() + once.len() > MOST_ONCE {
                return Err(BookError::Full(desk.once.len()));
            }
            let taken = self.take_open(desk, shown)?;
            desk.closed.push(Closed::yes(&taken, self.by, now));
            desk.once.extend(once);
            Ok(taken)
        })?;
        let kept = self.keep_lasting(shown, &approvals, sessions, now);
        // Also where something could not be kept: who waits finds that nothing holds, and does not wait on.
        self.knock(&taken);
        kept
    }

    fn keep_lasting(
        &self,
        shown: &Open,
        approvals: &[Approval],
        sessions: Option<&dyn State>,
        now: i64,
    ) -> Result<Loaded, BookError> {
        let session = lasting(approvals, Remember::Session);
        let mut loaded = Loaded::Found;
        if !session.is_empty() {
            let key = shown.about.kept.as_ref().ok_or(BookError::NoSession)?;
            let state = sessions.ok_or(BookError::NoSession)?;
            loaded = state.update(key, &mut |state| {
                session.iter().cloned().for_each(|one| state.approve(one));
            })?;
        }
        self.keep(lasting(approvals, Remember::Always), now)?;
        Ok(loaded)
    }

    /// Keeps what holds for always; a newer answer to one question takes the place of the older.
    fn keep(&self, new: Vec<Approval>, now: i64) -> Result<(), BookError> {
        if new.is_empty() {
            return Ok(());
        }
        change(&self.folder, now, |shelf: &mut Always| {
            let is_old = |old: &Approval| new.iter().any(|new| new.key == old.key);
            shelf.approvals.retain(|old| !is_old(old));
            if shelf.approvals.len() + new.len() > MOST_ALWAYS {
                return Err(BookError::Full(shelf.approvals.len()));
            }
            shelf.approvals.extend(new);
            Ok(())
        })
    }

    /// Returns what holds for always.
    pub(super) fn always(&self, now: i64) -> Result<Vec<Approval>, BookError> {
        Ok(look::<Always>(&self.folder, now)?.approvals)
    }

    /// Returns what this call may use once.
    pub(super) fn once(&self, whose: Whose<'_>, now: i64) -> Result<Vec<Approval>, BookError> {
        let once = look::<Desk>(&self.folder, now)?.once.into_iter();
        Ok(once.filter(|one| whose.may_use(one, now)).collect())
    }

    /// Uses up an approval for once of each of these questions: all of them, or none where one is not there any more.
    /// Of two processes with two calls exactly one gets it; two that are told of the same call share it.
    pub(super) fn take(
        &self,
        keys: &[&str],
        whose: Whose<'_>,
        now: i64,
    ) -> Result<bool, BookError> {
        change(&self.folder, now, |desk: &mut Desk| {
            let place = |key: &&str| {
                let fits = |one: &&Approval| one.key == **key && whose.may_use(one, now);
                let used = desk
                    .once
                    .iter()
                    .position(|one| one.used.is_some() && fits(&one));
                used.or_else(|| desk.once.iter().position(|one| fits(&one)))
            };
            let Some(places) = keys.iter().map(place).collect::<Option<Vec<usize>>>() else {
                return Ok(false);
            };
            for place in places {
                if let Some(one) = desk.once.get_mut(place).filter(|one| one.used.is_none()) {
                    one.used = Some(Used {
                        call: whose.call.to_owned(),
                        at: now,
                    });
                }
            }
            Ok(true)
        })
    }

    /// Lists everything that a person approved and that still holds, the newest last.
    pub fn approvals(
        &self,
        sessions: Option<&FileState>,
        now: i64,
    ) -> Result<Vec<Approval>, BookError> {
        let mut all = look::<Always>(&self.folder, now)?.approvals;
        let once = look::<Desk>(&self.folder, now)?.once;
        all.extend(once.into_iter().filter(|one| one.used.is_none()));
        if let Some(sessions) = sessions {
            sessions.each(&mut |state| all.extend(state.approvals.granted.values().cloned()));
        }
        all.sort_by_key(|one| one.at);
        Ok(all)
    }

    /// Takes approvals back, and returns how many.
    pub fn revoke(
        &self,
        which: Which<'_>,
        sessions: Option<&FileState>,
        now: i64,
    ) -> Result<usize, BookError> {
        let mut many = change(&self.folder, now, |desk: &mut Desk| {
            Ok(drop_those(&mut desk.once, which))
        })?;
        let mut sessions_with = Vec::new();
        if let Some(sessions) = sessions {
            sessions.each(&mut |state| {
                let mut granted = state.approvals.granted.values();
                let found = granted.find(|one| which.has(one));
                sessions_with.extend(found.and_then(|one| one.about.kept.clone()));
            });
            for key in sessions_with {
                // It could be read a moment ago; if not any more, nothing is approved by it.
                let _ = sessions.update(&key, &mut |state| {
                    let before = state.approvals.granted.len();
                    state.approvals.granted.retain(|_, one| !which.has(one));
                    many += before - state.approvals.granted.len();
                })?;
            }
        }
        let held = change(&self.folder, now, |shelf: &mut Always| {
            Ok(drop_those(&mut shelf.approvals, which))
        });
        many += match (held, which) {
            // What cannot be understood approves nothing, and this is how a person gets rid of it.
            (Err(BookError::Unreadable { path, .. }), Which::All) => {
                std::fs::remove_file(path).map_err(BookError::Remove)?;
                0
            }
            (held, _) => held?,
        };
        Ok(many)
    }
}

fn drop_those(approvals: &mut Vec<Approval>, which: Which<'_>) -> usize {
    let before = approvals.len();
    approvals.retain(|one| !which.has(one));
    before - approvals.len()
}

fn lasting(approvals: &[Approval], lasts: Remember) -> Vec<Approval> {
    let those = approvals.iter().filter(|one| one.lasts == lasts);
    those.cloned().collect()
}

/// Who wants to use an approval for once.
#[derive(Debug, Clone, Copy)]
pub(super) struct Whose<'a> {
    pub(super) about: &'a About,
    /// The call's name.
    pub(super) call: &'a str,
}

impl<'a> Whose<'a> {
    pub(super) fn of(about: &'a About, exact: &'a Exact) -> Self {
        let call = &exact.call;
        Self { about, call }
    }

    fn may_use(&self, one: &Approval, now: i64) -> bool {
        let same = one.about.host == self.about.host && one.about.session == self.about.session;
        let free = match &one.used {
            None => true,
            Some(used) => used.call == self.call && within(used.at, SAME, now),
        };
        same && free
    }
}
