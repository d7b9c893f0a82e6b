//! The program: which command line it is, and what is printed.

use std::ffi::OsString;
use std::io::Write as _;
use std::process::ExitCode;

use anyhook::files::with_causes;
use anyhook::text::tame;

use crate::failed::{Failed, say};
use crate::{command, fleet_command};

/// Carries out a command line: `policy` and what follows, `ship`, or a verb of fleets; returns the exit code.
///
/// ```
/// let help = ["policy", "--help"].map(Into::into);
/// assert_eq!(anyhook_fleet::main(help), std::process::ExitCode::SUCCESS);
/// ```
pub fn main(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    let mut args: Vec<OsString> = args.into_iter().collect();
    let begins = |word: &str| args.first().is_some_and(|first| first == word);
    let is_fleet = !begins("policy");
    let usage = if is_fleet {
        "anyhook fleet --help"
    } else {
        "anyhook fleet policy --help"
    };
    if is_fleet && !begins("fleet") && !begins("ship") {
        args.insert(0, "fleet".into());
    }
    let done = if is_fleet {
        fleet_command::carry_out(args)
    } else {
        command::policy(args)
    };
    let (code, text, help) = match done {
        Ok(text) => {
            let written = std::io::stdout().lock().write_all(tame(&text).as_bytes());
            return ExitCode::from(if written.is_ok() { 0 } else { 74 });
        }
        Err(Failed::Found(code)) => return ExitCode::from(code),
        Err(Failed::Usage(what)) => (64, what, usage.to_owned()),
        Err(Failed::Policy(error)) => (error.code(), with_causes(&error), error.help()),
    };
    say(&format!("error: {text}\nhelp: {help}\n"));
    ExitCode::from(code)
}
