//! The approvals that a person gave and that are not used up.

use super::{Approval, Book, BookError};
use crate::state::FileState;
use crate::world::World;

/// Collects every approval that was given, in the order in which they were given.
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
    Book::new(places.approvals()).approvals(Some(&sessions), world.clock.now())
}
