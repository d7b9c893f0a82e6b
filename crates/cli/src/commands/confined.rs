//! `anyhook confined`: confines itself and becomes the command of a hook. Not for people, who say `anyhook confine`.

use std::ffi::OsString;

use clap::Command;

use super::{Row, Run};
use crate::exit::Exit;

/// The row.
pub(crate) const ROW: Row = Row {
    name: anyhook_confine::VERB,
    describe,
    run: Run::Hot(run),
};

fn describe(command: Command) -> Command {
    command
        .about("Run a command confined, as `anyhook run` orders it")
        .hide(true)
}

#[expect(
    clippy::needless_pass_by_value,
    reason = "the table has one form for all"
)]
fn run(args: Vec<OsString>) -> Exit {
    Exit::Answer(anyhook_confine::main(&args))
}
