//! The engine against the world: real processes and real files.

mod processes;
