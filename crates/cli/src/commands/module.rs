//! Modules of sessions: which there are, and whether one does what a module should.

pub(super) mod list;
mod python;
pub(super) mod validate;
