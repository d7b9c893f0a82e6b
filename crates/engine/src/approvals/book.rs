//! The book: open questions and their answers, on disk.

use std::path::PathBuf;

use anyhook_core::question::{AnswerLifetime, Grants};

use super::closed::ClosedQuestion;
use super::{
    Approval, ApprovalChannel, ApprovalSubject, ApprovalUse, BookError, ExactAction, OpenQuestion,
    SAME, within,
};
use crate::state::{FileState, PriorState, State};
use crate::world::World;

/// The most approvals for once that wait.
const MOST_ONCE: usize = 256;
/// The most approvals that hold for always.
const MOST_ALWAYS: usize = 2048;

/// Open questions, and what was approved for once and for always. What holds for a session is in that session's state.
///
/// One file in a folder, `book.json`, for one user, which is changed under a lock.
#[derive(Debug, Clone)]
pub struct ApprovalBook {
    pub(super) folder: PathBuf,
    pub(super) by: ApprovalChannel,
}

/// A person's yes to one question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ApprovalAnswer {
    /// What it gives.
    pub grants: Grants,
    /// How long it holds.
    pub lasts: AnswerLifetime,
}

impl ApprovalBook {
    /// Keeps the book below `folder`, which is made when something is first kept.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self {
            folder: folder.into(),
            by: ApprovalChannel::Command,
        }
    }

    /// Says by what way the person answers.
    #[must_use]
    pub fn by(self, by: ApprovalChannel) -> Self {
        Self { by, ..self }
    }

    /// Answers yes to every question of what the person was shown, one answer for each. A code works once, and a newer answer
    /// for always takes the place of the older. Returns what the session's state was like, where something was approved for the
    /// session.
    pub fn approve(
        &self,
        shown: &OpenQuestion,
        answers: &[ApprovalAnswer],
        sessions: Option<&dyn State>,
        now: i64,
    ) -> Result<PriorState, BookError> {
        let approvals = shown.approvals(answers, self.by, now)?;
        let lasting = |lasts| approvals.iter().filter(move |one| one.lasts == lasts);
        let [once, always] = [AnswerLifetime::Once, AnswerLifetime::Always].map(lasting);
        let session: Vec<Approval> = lasting(AnswerLifetime::Session).cloned().collect();
        self.change(now, |pages| {
            let is_old = |old: &Approval| always.clone().any(|new| new.key == old.key);
            pages.always.retain(|old| !is_old(old));
            for (kept, new, most) in [
                (&mut pages.once, once.clone(), MOST_ONCE),
                (&mut pages.always, always.clone(), MOST_ALWAYS),
            ] {
                kept.extend(new.cloned());
                if kept.len() > most {
                    return Err(BookError::Full(most));
                }
            }
            let taken = self.take_open(pages, shown)?;
            pages.closed.push(ClosedQuestion::yes(&taken, self.by, now));
            // Kept before the question is closed: who waits for that looks for its answer next.
            keep_in_session(shown, &session, sessions)
        })
    }

    /// Uses up an approval for once of each of these questions: all of them, or none where one is not there any more.
    /// Of two processes with two calls exactly one gets it; two that are told of the same call share it.
    pub(super) fn take(
        &self,
        keys: &[&str],
        whose: ApprovalClaim<'_>,
        now: i64,
    ) -> Result<bool, BookError> {
        self.change(now, |pages| {
            let place = |key: &&str| {
                let all = pages.once.iter().enumerate();
                let fits = all.filter(|(_, one)| one.key == **key && whose.may_use(one, now));
                // One that this call has used already comes first.
                let first = fits.min_by_key(|(_, one)| one.used.is_none());
                first.map(|(at, _)| at)
            };
            let Some(places) = keys.iter().map(place).collect::<Option<Vec<usize>>>() else {
                return Ok(false);
            };
            for place in places {
                if let Some(one) = pages.once.get_mut(place) {
                    one.used.get_or_insert_with(|| whose.used(now));
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
        let pages = self.look(now)?;
        let mut all = pages.always;
        all.extend(pages.once.into_iter().filter(|one| one.used.is_none()));
        if let Some(sessions) = sessions {
            sessions.each(&mut |state| all.extend(state.approvals.granted.values().cloned()));
        }
        all.sort_by_key(|one| one.at);
        Ok(all)
    }

    /// Takes approvals back, and returns how many.
    pub fn revoke(
        &self,
        id: Option<&str>,
        sessions: Option<&FileState>,
        now: i64,
    ) -> Result<usize, BookError> {
        let begins = |key: &str, id: &str| !id.is_empty() && key.starts_with(id);
        let is_meant = |one: &Approval| id.is_none_or(|id| begins(&one.key, id));
        let mut many = self.change(now, |pages| {
            let before = pages.once.len() + pages.always.len();
            pages.once.retain(|one| !is_meant(one));
            pages.always.retain(|one| !is_meant(one));
            Ok(before - pages.once.len() - pages.always.len())
        })?;
        let mut sessions_with = Vec::new();
        if let Some(sessions) = sessions {
            sessions.each(&mut |state| {
                let mut granted = state.approvals.granted.values();
                let found = granted.find(|one| is_meant(one));
                sessions_with.extend(found.and_then(|one| one.about.kept.clone()));
            });
            for key in sessions_with {
                // It could be read a moment ago; if not any more, nothing is approved by it.
                let _ = sessions.update(&key, &mut |state| {
                    let before = state.approvals.granted.len();
                    state.approvals.granted.retain(|_, one| !is_meant(one));
                    many += before - state.approvals.granted.len();
                })?;
            }
        }
        Ok(many)
    }
}

/// Collects every approval that was given and is not used up, in the order in which they were given.
///
/// ```
/// use anyhook_engine::approvals::given;
/// use anyhook_engine::world::World;
///
/// assert_eq!(given(&World { places: None, ..World::real() })?, []);
/// # Ok::<(), anyhook_engine::approvals::BookError>(())
/// ```
pub fn given(world: &World) -> Result<Vec<Approval>, BookError> {
    let Some(places) = &world.places else {
        return Ok(Vec::new());
    };
    let sessions = FileState::new(places.sessions());
    ApprovalBook::new(places.approvals()).approvals(Some(&sessions), world.clock.now())
}

fn keep_in_session(
    shown: &OpenQuestion,
    approvals: &[Approval],
    sessions: Option<&dyn State>,
) -> Result<PriorState, BookError> {
    if approvals.is_empty() {
        return Ok(PriorState::Found);
    }
    let key = shown.about.kept.as_ref().ok_or(BookError::NoSession)?;
    let state = sessions.ok_or(BookError::NoSession)?;
    let loaded = state.update(key, &mut |state| {
        approvals.iter().cloned().for_each(|one| state.approve(one));
    })?;
    Ok(loaded)
}

/// Who wants to use an approval for once.
#[derive(Debug, Clone, Copy)]
pub(super) struct ApprovalClaim<'a> {
    pub(super) about: &'a ApprovalSubject,
    /// The call's name.
    pub(super) call: &'a str,
}

impl<'a> ApprovalClaim<'a> {
    pub(super) fn of(about: &'a ApprovalSubject, exact: &'a ExactAction) -> Self {
        let call = &exact.call;
        Self { about, call }
    }

    /// Tells that this call used something up.
    pub(super) fn used(&self, now: i64) -> ApprovalUse {
        ApprovalUse {
            call: self.call.to_owned(),
            at: now,
        }
    }

    /// Tells whether this call may hear or use what is about the same session: what it used itself a moment ago, too.
    pub(super) fn has_a_right(
        &self,
        about: &ApprovalSubject,
        used: Option<&ApprovalUse>,
        now: i64,
    ) -> bool {
        let is_same = about.host == self.about.host && about.session == self.about.session;
        let is_own = |used: &ApprovalUse| used.call == self.call && within(used.at, SAME, now);
        is_same && used.is_none_or(is_own)
    }

    pub(super) fn may_use(&self, one: &Approval, now: i64) -> bool {
        self.has_a_right(&one.about, one.used.as_ref(), now)
    }
}
