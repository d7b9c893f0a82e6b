//! The approvals that a person gave, one by one, and whether each still applies.

use anyhook_core::hook::Hook;

use super::exact::definition;
use super::{Approval, Book, BookError};
use crate::state::FileState;
use crate::world::World;

/// One approval that was given and is not used up.
///
/// ```
/// use anyhook_engine::approvals::{Given, Still, given};
/// use anyhook_engine::world::World;
///
/// for Given { approval, still } in given(&World { places: None, ..World::real() }, &[])? {
///     assert!(!approval.hook.is_empty() && still != Still::Valid, "no hook runs here");
/// }
/// # Ok::<(), anyhook_engine::approvals::BookError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Given {
    /// What was approved.
    pub approval: Approval,
    /// Whether its hook is still what it was.
    pub still: Still,
}

/// Whether the hook of an approval is what it was when a person approved.
///
/// ```
/// use anyhook_engine::approvals::Still;
/// assert_eq!(Still::Changed.words(), "no longer valid: the hook changed since, and asks again");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Still {
    /// It is: the approval counts for its action.
    Valid,
    /// It is another one now: its question is another question.
    Changed,
    /// No such hook runs for this folder.
    Elsewhere,
    /// An older version did not note what the hook was.
    Unknown,
}

impl Still {
    /// Says it in words.
    pub fn words(self) -> &'static str {
        match self {
            Self::Valid => "valid",
            Self::Changed => "no longer valid: the hook changed since, and asks again",
            Self::Elsewhere => "its hook does not run here",
            Self::Unknown => "what the hook was then is not known",
        }
    }

    fn of(approval: &Approval, hooks: &[&Hook]) -> Self {
        // What we ask ourselves is part of this program.
        if approval.hook.starts_with("anyhook:") {
            return Self::Valid;
        }
        let file = approval
            .place
            .as_deref()
            .and_then(|place| place.rsplit_once(':'));
        let is_its = |hook: &&&Hook| {
            let source = hook.info.source.as_ref().map(|source| &*source.file);
            *hook.info.name == *approval.hook && source == file.map(|(file, _)| file)
        };
        let mut named = hooks.iter().filter(is_its).peekable();
        match (&approval.definition, named.peek()) {
            (_, None) => Self::Elsewhere,
            (None, Some(_)) => Self::Unknown,
            (Some(was), Some(_)) => {
                let is_it = |hook: &&Hook| definition(hook).is_some_and(|(now, _)| now == *was);
                if named.any(is_it) {
                    Self::Valid
                } else {
                    Self::Changed
                }
            }
        }
    }
}

/// Lists what a person approved and what is not used up, newest as it is kept, each judged by these hooks.
///
/// ```
/// use anyhook_engine::approvals::{Given, given};
/// use anyhook_engine::world::World;
///
/// // Without a home there is nothing that could be kept.
/// let world = World { places: None, ..World::real() };
/// let none: Vec<Given> = given(&world, &[])?;
/// assert_eq!(none, []);
/// # Ok::<(), anyhook_engine::approvals::BookError>(())
/// ```
pub fn given(world: &World, hooks: &[&Hook]) -> Result<Vec<Given>, BookError> {
    let Some(places) = &world.places else {
        return Ok(Vec::new());
    };
    let sessions = FileState::new(places.sessions());
    let book = Book::new(places.approvals());
    let all = book.approvals(Some(&sessions), world.clock.now())?;
    let judged = all.into_iter().map(|approval| Given {
        still: Still::of(&approval, hooks),
        approval,
    });
    Ok(judged.collect())
}
