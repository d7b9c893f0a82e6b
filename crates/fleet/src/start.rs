//! The program: which command line it is, and what is printed.

use std::ffi::OsString;
use std::io::Write as _;
use std::process::ExitCode;

use anyhook::files::with_causes;
use anyhook::text::tame;

use crate::command;
use crate::failed::{Failed, say};

/// Carries out a command line, and returns the exit code.
///
/// ```
/// let help = ["policy", "--help"].map(Into::into);
/// assert_eq!(anyhook_fleet::main(help), std::process::ExitCode::SUCCESS);
/// ```
pub fn main(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    let done = command::carry_out(args);
    let (code, text, help) = match done {
        Ok(text) => {
            let written = std::io::stdout().lock().write_all(tame(&text).as_bytes());
            return ExitCode::from(if written.is_ok() { 0 } else { 74 });
        }
        Err(Failed::Found(code)) => return ExitCode::from(code),
        // The parser writes its own; a sentence of ours is one line.
        Err(Failed::Usage(what)) => {
            let is_whole = what.ends_with('\n');
            say(&if is_whole {
                what
            } else {
                format!("error: {what}\n")
            });
            return ExitCode::from(64);
        }
        Err(Failed::Policy(error)) => (error.code(), with_causes(&error), error.help()),
    };
    say(&format!("error: {text}\nhelp: {help}\n"));
    ExitCode::from(code)
}
