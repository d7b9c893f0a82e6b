//! Attacks with real programs: each works unconfined, and the kernel refuses it to the same program when it is confined.

#![cfg(target_os = "linux")]

mod calls;
mod files;
mod helper;
mod limits;
mod network;
mod processes;
mod room;
