//! What a tool call of an agent does, as a list of effects.
//!
//! ```text
//!   tool call ──> tools     arguments of a file tool, a patch, an MCP tool ─────────────┐
//!             └─> shell     a line to simple commands, in order ──> programs ──> effects ┘
//! ```
//!
//! It is pure: files are read only through the port that the caller gives.

pub mod braces;
pub mod call;
pub mod code;
pub mod command;
pub mod effect;
pub mod hosts;
pub mod options;
mod patch;
pub mod places;
pub mod programs;
pub mod shell;
mod skills;
pub mod tools;
pub mod word;

#[cfg(test)]
mod tests;
