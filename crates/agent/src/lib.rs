//! A small, real agent, to show where each hook belongs: `fn run(&mut self, prompt) -> Outcome`.
//!
//! It asks a model, does what the model wants done, and goes on until there is nothing more to do. Whatever happens on the
//! way is an event that hooks are asked about first, or told of after. If you write an agent of your own, read [`run`]
//! top to bottom, and then the file of each step.
//!
//! | Chapter | What |
//! |---|---|
//! | [`agent`](mod@agent) | the parts, and how events are emitted |
//! | [`run`] | the loop |
//! | [`message`], [`transcript`] | the conversation |
//! | [`provider`] | who answers |
//! | [`tools`], [`permissions`] | what can be done, and what it needs |
//! | [`compact`] | when the conversation is too long |
//! | [`cancel`] | where a cancellation is heard |
//! | [`worktree`] | where sub-agents work |
//! | [`order`], [`limits`], [`outcome`] | in which order, how far, and how it ends |

pub mod agent;
mod answers;
mod begin;
mod calls;
pub mod cancel;
pub mod compact;
mod end;
mod fields;
pub mod limits;
pub mod message;
mod model;
pub mod order;
mod original;
pub mod outcome;
pub mod permissions;
mod permit;
mod progress;
pub mod provider;
pub mod run;
mod running;
mod subagent;
pub mod tools;
pub mod transcript;
pub mod worktree;

pub use agent::{Agent, AgentSetup};

/// The page about putting hooks into an agent, whose examples are compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/agent.md")]
pub struct AgentPage;

/// The page about the tables of `ex_athena`, whose examples are compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/athena.md")]
pub struct AthenaPage;
