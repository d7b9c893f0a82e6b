//! The book: open questions and their answers, on disk (D8, D19).

use std::path::PathBuf;

use anyhook_core::question::{Grants, Remember};

use super::closed::{Closed, LONGEST_NOTE};
use super::shelf::{Always, Desk, change, look};
use super::waiter::{Waiter, is_alive, knock};
use super::{About, Approval, BookError, Giver, Open, Put, SAME, Used, open, within};
use crate::state::{FileState, Loaded, State};

/// The most open questions; of more the oldest goes.
const MOST_OPEN: usize = 64;
/// The most approvals for once that wait.
const MOST_ONCE: usize = 256;
/// The most approvals that hold for always.
const MOST_ALWAYS: usize = 2048;
/// The longest that an action and its questions may be, in bytes, so that a person can read all of it.
const LONGEST: usize = 64 * 1024;

/// Open questions, and what was approved for once and for always. What holds for a session is in that session's state.
///
/// Two files below one folder: `open.json` and `always.json`, for one user, each changed under a lock.
#[derive(Debug, Clone)]
pub struct Book {
    folder: PathBuf,
    by: Giver,
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

    /// Makes one who waits for answers; `id` tells it from others of this process.
    pub(crate) fn waiter(&self, id: &str) -> Result<Waiter, BookError> {
        Waiter::new(&self.folder, id).map_err(BookError::Wait)
    }

    /// Keeps an open question, and returns its code. The same question of the same session keeps the code that it has.
    pub fn open(
        &self,
        about: About,
        action: &str,
        asked: Vec<Put>,
        now: i64,
    ) -> Result<String, BookError> {
        let opened = self.open_for((about, action, asked), None, now)?;
        Ok(opened.open.code)
    }

    /// Keeps an open question that a process may wait for.
    pub(crate) fn open_for(
        &self,
        (about, action, asked): (About, &str, Vec<Put>),
        waiter: Option<&Waiter>,
        now: i64,
    ) -> Result<Opened, BookError> {
        let open = Open {
            code: open::code()?,
            about,
            action: action.to_owned(),
            asked,
            at: now,
            waiters: waiter
                .iter()
                .map(|waiter| waiter.name().to_owned())
                .collect(),
        };
        let long = serde_json::to_vec(&open)?.len();
        if long > LONGEST {
            return Err(BookError::TooLong(long));
        }
        change(&self.folder, now, |desk: &mut Desk| {
            if let Some(known) = desk.open.iter_mut().find(|known| known.is_same(&open)) {
                known.at = now;
                known.waiters.retain(|name| is_alive(&self.folder, name));
                known.waiters.extend(open.waiters.iter().cloned());
                let open = known.clone();
                return Ok(Opened {
                    open,
                    is_new: false,
                });
            }
            if desk.open.len() >= MOST_OPEN {
                desk.open.sort_by_key(|open| open.at);
                desk.open.remove(0);
            }
            // Should two ever have one code, the older one is asked about anew.
            desk.open.retain(|known| known.code != open.code);
            desk.open.push(open.clone());
            Ok(Opened { open, is_new: true })
        })
    }

    /// Waits no longer: the question stays open for the next try of the agent.
    pub(crate) fn leave(&self, waiter: &Waiter, now: i64) -> Result<(), BookError> {
        change(&self.folder, now, |desk: &mut Desk| {
            for open in &mut desk.open {
                open.waiters.retain(|name| name != waiter.name());
            }
            Ok(())
        })
    }

    /// Returns the open questions, the newest last. One that only dead processes waited for is dead too.
    pub fn waiting(&self, now: i64) -> Result<Vec<Open>, BookError> {
        let mut open = look::<Desk>(&self.folder, now)?.open;
        open.retain(|open| self.is_alive(open));
        open.sort_by_key(|open| open.at);
        Ok(open)
    }

    /// Says what became of a question that was answered a while ago.
    pub fn closed(&self, code: &str, now: i64) -> Result<Option<String>, BookError> {
        let closed = look::<Desk>(&self.folder, now)?.closed;
        let its = closed.iter().find(|one| one.code == code);
        Ok(its.map(Closed::words))
    }

    fn is_alive(&self, open: &Open) -> bool {
        let mut waiters = open.waiters.iter();
        !open.is_waited_for() || waiters.any(|name| is_alive(&self.folder, name))
    }

    /// Answers no: the question is taken away, and asking again gives it another code. Who waits is refused at once, and a
    /// note is told to the model: now, or when the agent tries again.
    pub fn refuse(&self, shown: &Open, note: &str, now: i64) -> Result<(), BookError> {
        if note.trim().chars().count() > LONGEST_NOTE {
            return Err(BookError::LongNote(LONGEST_NOTE));
        }
        let taken = change(&self.folder, now, |desk: &mut Desk| {
            let taken = self.take_open(desk, shown)?;
            desk.closed.push(Closed::no(&taken, note, self.by, now));
            Ok(taken)
        })?;
        self.knock(&taken);
        Ok(())
    }

    fn knock(&self, open: &Open) {
        for name in &open.waiters {
            knock(&self.folder, name);
        }
    }

    /// Returns the note of a no to one of these questions, which is heard by one call.
    pub(super) fn refusal(
        &self,
        keys: &[&str],
        whose: Whose<'_>,
        now: i64,
    ) -> Result<Option<String>, BookError> {
        let hear = |desk: &mut Desk| {
            let mut closed = desk.closed.iter_mut();
            closed.find_map(|closed| closed.hear(keys, whose, now))
        };
        // Most events find none, and change nothing.
        if hear(&mut look::<Desk>(&self.folder, now)?).is_none() {
            return Ok(None);
        }
        change(&self.folder, now, |desk: &mut Desk| Ok(hear(desk)))
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
        let approvals = shown.approvals(answers, (self.by, now))?;
        let once = lasting(&approvals, Remember::Once);
        // Taken out first: whoever comes second with the same code finds nothing.
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
    /// Of two processes with two calls exactly one gets it; two that are told of the same call share it (D25).
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

impl Whose<'_> {
    fn may_use(&self, one: &Approval, now: i64) -> bool {
        let same = one.about.host == self.about.host && one.about.session == self.about.session;
        let free = match &one.used {
            None => true,
            Some(used) => used.call == self.call && within(used.at, SAME, now),
        };
        same && free
    }
}

impl Book {
    /// Takes an open question out, if it is still the one that was shown and nobody was faster.
    fn take_open(&self, desk: &mut Desk, shown: &Open) -> Result<Open, BookError> {
        let at = desk.open.iter().position(|open| open.code == shown.code);
        let Some(there) = at.and_then(|at| desk.open.get(at)) else {
            let closed = desk.closed.iter().find(|one| one.code == shown.code);
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
        Ok(desk.open.remove(at.unwrap_or_default()))
    }
}

/// A question that was kept.
#[derive(Debug)]
pub(crate) struct Opened {
    pub(crate) open: Open,
    /// Whether it was not open already.
    pub(crate) is_new: bool,
}
