//! The `anyhook` command.

mod addons;
mod commands;
mod error;
mod exit;
mod findings;
mod form;
mod manifest;
mod old;
mod packages;
mod payload;
mod permits;
mod person;
mod preview;
mod tested;
mod thorough;
mod timeline;
mod ui;
mod view;

use std::process::ExitCode;

fn main() -> ExitCode {
    let mut all = std::env::args_os();
    let name = all.next().unwrap_or_default();
    let args = old::called(&name, all.collect());
    // What asks a server is never the process of an event.
    if cfg!(target_feature = "crt-static") && args.first().is_none_or(|verb| verb != "run") {
        anyhook_confine::names_without_plugins();
    }
    // The verbs that run at every event never touch clap: it costs more than they do.
    let exit = match commands::hot(&args) {
        Some((hot, rest)) => hot(rest),
        None => commands::main(args),
    };
    exit.into()
}
