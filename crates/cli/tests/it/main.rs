//! The program, as agents and people call it: real processes, real hooks, an empty home.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::print_stderr,
    reason = "tests"
)]

mod agent;
mod answers;
mod approvals;
mod asked_server;
mod athena;
#[cfg(target_os = "linux")]
mod attacking;
#[cfg(target_os = "linux")]
mod attacks;
#[cfg(target_os = "linux")]
mod background;
mod beginning;
mod bounds;
mod builtin;
mod checking;
#[cfg(target_os = "linux")]
mod confined_rules;
#[cfg(target_os = "linux")]
mod confining;
mod copies;
mod demo;
mod doctor;
mod env;
mod full;
mod halts;
mod hostile;
mod inbox;
mod installing;
mod isolating;
mod killed;
mod later;
mod mcp_tools;
mod modules;
mod newcomer;
mod pages;
mod people;
mod pinning;
mod prompts;
mod records;
mod replaying;
mod rules;
mod running;
#[cfg(target_os = "linux")]
mod sandboxed;
mod screens;
mod seed_sample;
mod server;
mod serving;
mod sessions;
mod testing;
mod transcripts;
mod turns;
mod undoing;
