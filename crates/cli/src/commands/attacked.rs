//! `anyhook attacked`: carries one way of an attack out, in namespaces of its own. Not for people: `anyhook attack` calls it.

use std::ffi::OsString;

use anyhook_testing::attack::{VERB, carry_out};
use clap::Command;

use super::{Row, Run};
use crate::exit::Exit;

/// The row.
pub(crate) const ROW: Row = Row {
    name: VERB,
    describe,
    run: Run::Hot(run),
};

fn describe(command: Command) -> Command {
    command
        .about("Carry out one way of an attack, as `anyhook attack` orders it")
        .hide(true)
}

fn run(_: Vec<OsString>) -> Exit {
    carry_out().map_or(Exit::Io, |()| Exit::Done)
}
