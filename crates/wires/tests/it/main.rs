//! What is written here is read by readers that share no code with it.

#![expect(
    clippy::unwrap_used,
    clippy::unreachable,
    reason = "what helps a test may fail like one"
)]

mod corpus;
mod fixtures;
mod hostile;
mod oracle;
mod rows;
mod said;
