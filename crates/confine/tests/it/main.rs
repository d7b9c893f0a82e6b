//! Attacks with real programs: each works unconfined, and the kernel refuses it to the same program when it is confined.

#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod attacks;
mod files;
mod helper;
mod limits;
mod network;
mod processes;
mod room;
mod watched;
