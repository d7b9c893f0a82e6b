//! The `anyhook` command.

mod commands;
mod error;
mod exit;
mod findings;
mod payload;
mod person;
mod record;
mod tested;
mod thorough;
mod ui;
mod view;

use std::ffi::OsString;
use std::process::ExitCode;

fn main() -> ExitCode {
    let args: Vec<OsString> = std::env::args_os().skip(1).collect();
    // The verbs that run at every event never touch clap: it costs more than they do.
    let exit = match commands::hot(&args) {
        Some((hot, rest)) => hot(rest),
        None => commands::main(args),
    };
    exit.into()
}
