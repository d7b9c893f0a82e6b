//! The engine: what of Anyhook touches the world.

pub mod files;
pub mod guarded;
pub mod state;
pub mod stores;
pub mod trust;
