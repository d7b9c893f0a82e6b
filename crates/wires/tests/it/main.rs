//! What is written here is read by readers that share no code with it.

#![expect(
    clippy::unwrap_used,
    clippy::unreachable,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "what helps a test may fail like one"
)]
#![expect(clippy::disallowed_methods, reason = "the corpus is files")]

mod answers;
mod approvals;
mod athena;
mod behaviour;
mod case;
mod corpus;
mod cursor;
mod every_host;
mod experimental;
mod fixtures;
mod gemini_cli;
mod hostile;
mod oracle;
mod rows;
mod said;
mod settings;
mod tables;
mod windsurf;
