//! The command line of our own entries: how it is written, and how it is known again.
//!
//! The command line itself is the mark of an entry of ours: no host rejects it, and it cannot be lost without the entry.
//! A line counts as ours only if nothing but us runs in it: what a person put beside us is theirs, and stays.
//!
//! ```
//! use anyhook_wires::host;
//! use anyhook_wires::settings::Shell;
//! use anyhook_wires::settings::command::{ProgramReference, is_installed, is_ours, line, quoted, script};
//!
//! let claude = host("claude-code").unwrap();
//! let row = claude.row("PreToolUse").unwrap();
//! let own = line(claude, row, Shell::Posix, ProgramReference::at("/home/me/my bin/anyhook"));
//! assert!(own.starts_with("'/home/me/my bin/anyhook' run PreToolUse --host claude-code"));
//!
//! // In a file that is shared, a missing program refuses, and the line is known again all the same.
//! let shared = line(claude, row, Shell::Posix, ProgramReference::ANYWHERE);
//! assert!(shared.contains("anyhook is not installed here"));
//! for line in [&own, &shared] {
//!     assert!(is_ours(line) && is_installed(line));
//! }
//! assert!(script(claude, row, ProgramReference::ANYWHERE).starts_with("#!/bin/sh\n"));
//! assert_eq!(quoted("it's"), r"'it'\''s'");
//! ```

mod called;

use std::fmt::Write as _;
use std::time::Duration;

use super::{Shell, posted};
use crate::{Host, HostRow, Reply};

pub use called::EntryCommand;

/// How an entry finds our program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProgramReference<'a> {
    /// Where it is, in files that are one person's or one machine's. In files that are shared it is wherever the person has it,
    /// and where it is missing, the entry refuses.
    pub path: Option<&'a str>,
    /// The port on this machine of a server, to which the host posts what it can, and starts no program.
    pub server: Option<u16>,
    /// Whether it refuses what hooks guard that may not run, because no person trusted them or they cannot be read.
    pub is_strict: bool,
}

impl<'a> ProgramReference<'a> {
    /// Wherever the person has it.
    pub const ANYWHERE: Self = Self {
        path: None,
        server: None,
        is_strict: false,
    };

    /// At this path.
    pub const fn at(path: &'a str) -> Self {
        Self {
            path: Some(path),
            ..Self::ANYWHERE
        }
    }
}

/// The argument of an entry that refuses what may not run.
const STRICT: &str = " --strict";

/// The name of our program.
const NAME: &str = "anyhook";
/// Puts the stable copy in front of whatever else is called like us.
const FIND: &str = r#"PATH="${XDG_DATA_HOME:-$HOME/.local/share}/anyhook/bin:$PATH"; command -v anyhook >/dev/null 2>&1 || { "#;
const FOUND: &str = "; }; exec ";
/// What a person and a model read where our program is missing.
const MISSING: &str = "anyhook is not installed here, and the hooks of this project need it. Tell the user to install \
                       anyhook and then to run: anyhook install --host";

/// The same, of a program of the person's own.
const GONE: &str = "anyhook is gone from the place where these settings look for it, so its hooks cannot be asked. Tell the \
                    user to install anyhook again and then to run: anyhook install --host";

/// Writes the command line of one event.
///
/// Where the program is missing, a line for [`ProgramReference::ANYWHERE`] refuses in this host's own words on every event that can
/// be refused, and lets everything else go on: a refused stop would never end. So does one for [`ProgramReference::at`] under a host
/// that cannot be told to refuse by itself.
pub fn line(host: &Host, row: &HostRow, shell: Shell, program: ProgramReference<'_>) -> String {
    let arguments = arguments(host.id(), row, program);
    let (find, missing, name) = match program.path.map(quoted) {
        None => (FIND.to_owned(), MISSING, NAME.to_owned()),
        Some(path) if !goes_on(host, row) => return format!("{path} {arguments}"),
        Some(path) => (looked_for(&path), GONE, path),
    };
    let said = said(&refusal(host, row, missing));
    in_shell(format!("{find}{said}{FOUND}{name} {arguments}"), shell)
}

/// Tells whether a host would go on with an action where the hook cannot be started: one that can be told to refuse is told
/// so in its entry.
fn goes_on(host: &Host, row: &HostRow) -> bool {
    let refuses = host
        .facts()
        .settings
        .is_some_and(super::Settings::refuses_failures);
    row.is_gate() && !refuses
}

/// Looks for a program before it is run; what is said where it is not there follows.
fn looked_for(quoted: &str) -> String {
    format!("[ -x {quoted} ] || {{ ")
}

fn in_shell(line: String, shell: Shell) -> String {
    match shell {
        Shell::Posix => line,
        Shell::Own => format!("sh -c {}", quoted(&line)),
    }
}

/// Writes the script of one event, for hosts that run files.
pub fn script(host: &Host, row: &HostRow, program: ProgramReference<'_>) -> String {
    let line = line(host, row, Shell::Posix, program);
    let is_bare = program.path.is_some() && !goes_on(host, row);
    if is_bare {
        format!("#!/bin/sh\nexec {line}\n")
    } else {
        format!("#!/bin/sh\n{line}\n")
    }
}

fn arguments(host: &str, row: &HostRow, program: ProgramReference<'_>) -> String {
    let event = quoted(row.name);
    let deadline = seconds(row.timeout);
    let strict = if program.is_strict { STRICT } else { "" };
    format!("run {event} --host {host} --deadline {deadline}{strict}")
}

pub(super) fn seconds(time: Duration) -> String {
    let text = format!("{:.3}", time.as_secs_f64());
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Returns what the host is told where our program is missing.
fn refusal(host: &Host, row: &HostRow, missing: &str) -> Reply {
    let reason = format!("{missing} {}", host.id());
    let row = host.row(row.name);
    let is_gate = row.is_some_and(HostRow::is_gate);
    let mut reply = if is_gate {
        host.refuse_unread(row, &reason)
    } else {
        Reply::default()
    };
    if reply.stderr.is_empty() {
        reply.stderr = reason;
    }
    reply
}

/// Says a reply in shell.
fn said(reply: &Reply) -> String {
    let mut line = String::new();
    if !reply.stdout.is_empty() {
        let text = quoted(reply.stdout.trim_end());
        let _ = write!(line, "printf '%s\\n' {text}; ");
    }
    let text = quoted(reply.stderr.trim_end());
    let _ = write!(line, "printf '%s\\n' {text} >&2; exit {}", reply.exit);
    line
}

/// Quotes a word for a shell, unless it means itself.
pub fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+:@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// Tells whether a command line is an entry of ours: our program, run for a host, and nothing else.
///
/// Quoted paths, an `env` and variables in front, `exec`, and the line that looks for the program first are all ours.
/// A line in which anything else runs is not.
///
/// ```
/// use anyhook_wires::settings::command::is_ours;
/// assert!(is_ours("'/home/me/my bin/anyhook' run PreToolUse --host claude-code --deadline 600"));
/// assert!(!is_ours("./guard.sh && anyhook run PreToolUse --host claude-code"));
/// ```
pub fn is_ours(command: &str) -> bool {
    called(command).is_some()
}

/// Tells whether an entry of ours was written by `install`, not by a person's own hand.
pub fn is_installed(command: &str) -> bool {
    called(command).is_some_and(|called| called.deadline.is_some())
}

/// Reads a command line or an address of ours; nothing where it is none, or where anything else runs in it.
///
/// ```
/// use anyhook_wires::settings::command::called;
/// let called = called("anyhook run Stop --host claude-code").map(|called| called.program);
/// assert_eq!(called.as_deref(), Some("anyhook"));
///
/// let is_strict = |line| anyhook_wires::settings::command::called(line).is_some_and(|it| it.is_strict);
/// assert!(is_strict("anyhook run Stop --host claude-code --deadline 60 --strict"));
/// assert!(!is_strict("anyhook run Stop --host claude-code --deadline 60"));
/// ```
pub fn called(command: &str) -> Option<EntryCommand> {
    let line = command.trim();
    if let Some((server, words)) = posted::read(line) {
        return EntryCommand::read(server, words);
    }
    let looks = line.starts_with(FIND) || line.starts_with("[ ");
    if let (true, Some((find, run))) = (looks, line.rsplit_once(FOUND)) {
        let called = run_of(words(run)?)?;
        let looked_for = looked_for(&quoted(&called.program));
        let said = find.strip_prefix(FIND);
        let said = said.or_else(|| find.strip_prefix(&looked_for))?;
        return says_only(said).then_some(called);
    }
    let words = words(line)?;
    match words.as_slice() {
        [shell, flag, inner] if (shell == "sh" || shell == "/bin/sh") && flag == "-c" => {
            called(inner)
        }
        _ => run_of(words),
    }
}

/// Takes `exec`, `env` and variables off, then our name and `run`. Without `--host` it is a run that a person set up.
fn run_of(words: Vec<String>) -> Option<EntryCommand> {
    let is_variable = |word: &String| {
        let name = word.split_once('=').map_or("", |(name, _)| name);
        !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    let is_prefix = |word: &String| {
        matches!(word.as_str(), "exec" | "env" | "/usr/bin/env") || is_variable(word)
    };
    let mut words = words.into_iter().skip_while(is_prefix);
    let program = words.next()?;
    let name = program.rsplit(['/', '\\']).next()?;
    let name = name.strip_suffix(".exe").unwrap_or(name);
    let mut words = words.peekable();
    let says_run = words.next_if(|word| word == "run").is_some();
    let is_run = name == NAME && says_run;
    let words = is_run.then(|| words.collect())?;
    EntryCommand::read(program, words)
}

/// Tells whether this is what [`said`] writes, and nothing more.
fn says_only(said: &str) -> bool {
    let is_said =
        |word: &str| matches!(word, "printf" | ";" | ">&2;" | "exit") || word.parse::<u8>().is_ok();
    unquoted(said).split_whitespace().all(is_said)
}

/// Splits a line that is one command; nothing where a shell does more. What stands in quotes of both kinds is its author's.
fn words(line: &str) -> Option<Vec<String>> {
    const DOES_MORE: &str = "&|<>()`\n\r#*?[]!;";
    let bare = unquoted(line);
    let does_more = bare.contains(|letter| DOES_MORE.contains(letter));
    let is_mixed = bare.contains('"') && line.contains('\'');
    if does_more || is_mixed {
        return None;
    }
    shlex::split(line)
}

/// Returns what of a line stands in no single quotes.
fn unquoted(line: &str) -> String {
    let line = line.replace(r"'\''", "");
    line.split('\'').step_by(2).collect()
}

#[cfg(test)]
mod tests;
