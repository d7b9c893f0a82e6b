//! The one place that writes to a terminal. Colour follows `NO_COLOR`, `CLICOLOR_FORCE`, `TERM` and the terminal itself.

mod table;

use std::borrow::Cow;
use std::fmt::Display;
use std::io::{self, IsTerminal as _, Write};
use std::path::Path;

use anstyle::{AnsiColor, Style};

use crate::error::CliError;
use crate::exit::Exit;

pub(crate) use anyhook::record::short;
/// Makes text safe to show: as a line of ours, or with its own lines.
pub(crate) use anyhook::text::{line, tame as visible};
pub(crate) use table::table;

/// A refusal.
pub(crate) const DENY: Style = AnsiColor::Red.on_default().bold();
/// A question.
pub(crate) const ASK: Style = AnsiColor::Yellow.on_default().bold();
/// An approval, or a pass.
pub(crate) const PASS: Style = AnsiColor::Green.on_default();
/// A rewrite or an injection.
pub(crate) const CHANGE: Style = AnsiColor::Cyan.on_default();
/// What stands in the background.
pub(crate) const DIM: Style = Style::new().dimmed();
/// What stands out.
pub(crate) const BOLD: Style = Style::new().bold();

/// Writes text to standard output. A reader that has gone away is no error.
pub(crate) fn out(text: &str) -> Result<(), CliError> {
    if text.is_empty() {
        // What a terminal is able to need not be found out: of most cases of a test nothing is shown.
        return Ok(());
    }
    written(anstream::stdout().lock().write_all(text.as_bytes()))
}

/// Writes a text to standard output, which was all that there was to do.
pub(crate) fn done(text: &str) -> Result<Exit, CliError> {
    out(text).map(|()| Exit::Done)
}

fn written(result: io::Result<()>) -> Result<(), CliError> {
    match result {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(unwritten(error)),
        _ => Ok(()),
    }
}

fn unwritten(error: io::Error) -> CliError {
    CliError::new(Exit::Io, "cannot write to standard output").because(error)
}

/// Colours as `--color` says, whatever the environment says.
pub(crate) fn color(when: &str) {
    match when {
        "always" => anstream::ColorChoice::AlwaysAnsi.write_global(),
        "never" => anstream::ColorChoice::Never.write_global(),
        _ => anstream::ColorChoice::Auto.write_global(),
    }
}

/// Writes text to standard error; where that fails, there is no other place to say so.
pub(crate) fn err(text: &str) {
    if text.is_empty() {
        return;
    }
    let _ = anstream::stderr().lock().write_all(text.as_bytes());
}

/// Tells a person of a problem.
pub(crate) fn problem(problem: &CliError) -> Exit {
    let (red, dim) = (DENY, DIM);
    // What is wrong may be a name that was chosen to draw on a terminal.
    let what = visible(&problem.to_string());
    err(&format!("{red}error{red:#}: {what}\n"));
    if let Some(help) = &problem.help {
        let help = visible(help);
        err(&format!("{dim}help{dim:#}: {help}\n"));
    }
    problem.exit
}

/// Paints text.
pub(crate) fn paint(style: Style, text: &str) -> String {
    format!("{style}{text}{style:#}")
}

/// A warning, as a line.
pub(crate) fn warning(text: &str) -> String {
    remark(ASK, "warning", text)
}

/// A line that begins with what it is: a note, a loss, an error.
pub(crate) fn remark(style: Style, word: &str, text: &str) -> String {
    format!("{}: {}\n", paint(style, word), visible(text))
}

/// Writes those counts that are some, each on a line with what is counted.
pub(crate) fn counts(indent: &str, all: &[(u64, &str)]) -> String {
    let some = all.iter().filter(|(count, _)| *count > 0);
    some.fold(String::new(), |text, (count, what)| {
        text + &format!("{indent}{count} {what}\n")
    })
}

/// Makes a path safe to show in a line of ours.
pub(crate) fn path(path: impl AsRef<Path>) -> String {
    line(&path.as_ref().to_string_lossy())
}

/// Returns how wide the terminal is, within reason.
pub(crate) fn width() -> usize {
    columns().unwrap_or(100).clamp(40, 160)
}

/// Returns how wide the terminal is, where there is one; else what `COLUMNS` says.
pub(crate) fn columns() -> Option<usize> {
    let size =
        rustix::termios::tcgetwinsize(std::io::stdout()).map(|size| usize::from(size.ws_col));
    let told = || std::env::var("COLUMNS").ok()?.parse().ok();
    let size = size.ok().filter(|width| *width > 0);
    size.or_else(told).filter(|width| *width > 0)
}

/// Breaks a text at spaces where a person reads it: behind a pipe it stays one line.
pub(crate) fn wrapped(indent: &str, text: &str) -> String {
    let room = match columns() {
        Some(_) => width().saturating_sub(indent.len()).max(20),
        None => usize::MAX,
    };
    let lines = text.lines().flat_map(|line| wrap(line, room));
    lines.fold(String::new(), |text, line| text + indent + &line + "\n")
}

/// So many lines are shown of a text that may be of any length.
const MOST: usize = 20;

/// Writes the first lines of a text, and how many there are more.
pub(crate) fn first(indent: &str, mut lines: impl Iterator<Item = String>) -> String {
    let shown = lines.by_ref().take(MOST);
    let text = shown.fold(String::new(), |text, line| text + indent + &line + "\n");
    match lines.count() {
        0 => text,
        more => text + &format!("{indent}… {more} more lines\n"),
    }
}

/// Says how many there are: one has no ending.
pub(crate) fn many<N: Copy + Display + PartialEq + From<u8>>(count: N, what: &str) -> String {
    let ending = if count == N::from(1) { "" } else { "s" };
    format!("{count} {what}{ending}")
}

/// Puts a text beside what stands before it, which takes `wide` columns; what does not fit goes on below the text's begin.
pub(crate) fn beside(before: &str, wide: usize, text: &str) -> String {
    let indent = " ".repeat(wide);
    let text = wrapped(&indent, text);
    format!("{before}{}", text.strip_prefix(&*indent).unwrap_or(&text))
}

/// Breaks a line at spaces.
pub(crate) fn wrap(line: &str, room: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in line.split(' ') {
        let Some(last) = lines.last_mut() else { break };
        if last.is_empty() {
            last.push_str(word);
        } else if last.chars().count() + 1 + word.chars().count() <= room {
            last.push(' ');
            last.push_str(word);
        } else {
            lines.push(word.to_owned());
        }
    }
    lines
}

/// Writes text to standard output exactly as it is, for another program. Where there is a terminal instead, it is made
/// safe to show. A reader that has gone away is no error.
pub(crate) fn raw(text: &str) -> Result<(), CliError> {
    written(exactly(text))
}

/// Writes an answer to the program that asked. If that is gone, this is an error: no one has read the answer.
pub(crate) fn answer(text: &str) -> Result<(), CliError> {
    exactly(text).map_err(unwritten)
}

/// Writes text exactly as it is, or safe to show where there is a terminal.
pub(crate) fn exactly(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    let text = if out.is_terminal() {
        Cow::Owned(visible(text))
    } else {
        Cow::Borrowed(text)
    };
    out.write_all(text.as_bytes()).and_then(|()| out.flush())
}

/// Tells how long ago something was, both in milliseconds since 1970.
pub(crate) fn ago(at: i64, now: i64) -> String {
    let seconds = now.saturating_sub(at).max(0) / 1000;
    match seconds {
        0..60 => format!("{seconds} s ago"),
        60..3600 => format!("{} min ago", seconds / 60),
        3600..172_800 => format!("{} h ago", seconds / 3600),
        _ => format!("{} days ago", seconds / 86_400),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn how_long_ago_something_was_is_told_in_one_unit() {
        let told = [0, 59_999, 60_000, 3_600_000, 172_800_000].map(|now| ago(0, now));
        assert_eq!(
            told,
            ["0 s ago", "59 s ago", "1 min ago", "1 h ago", "2 days ago"]
        );
        assert_eq!(ago(5_000, 0), "0 s ago");
    }
}
