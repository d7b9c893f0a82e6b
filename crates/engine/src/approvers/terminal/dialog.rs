//! The dialog itself: what a person reads, and what the answers mean.

use std::fmt::Write as _;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhook_core::ports::{Dialog, DialogQuestion};
use anyhook_core::question::{Answer, AnswerLifetime, Choice, Grants, Question};
use serde_json::Value;
use similar::TextDiff;

use crate::files;
use crate::text::visible;

/// So often a person may type what is no choice.
const TRIES: usize = 3;
/// A text made to be hard to compare gets a coarse diff after this time.
const PATIENCE: Duration = Duration::from_millis(500);
/// The most lines of a diff that are shown; the action itself is always shown whole.
const LONGEST: usize = 200;

/// Where a dialog happens.
pub(super) trait Screen {
    /// Shows text.
    fn say(&mut self, text: &str) -> io::Result<()>;
    /// Waits for a line.
    fn hear(&mut self, within: Duration) -> io::Result<TerminalInput>;
}

/// What came from the person.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum TerminalInput {
    /// A line.
    Line(String),
    /// Nothing in time.
    Late,
    /// The terminal was closed.
    Gone,
}

/// Puts all questions, up to the first no.
pub(super) fn put(screen: &mut dyn Screen, dialog: &Dialog<'_>) -> Vec<Answer> {
    let began = Instant::now();
    let timeouts = dialog.asks.iter().map(|asks| asks.question.timeout);
    let within = timeouts.min().unwrap_or_default();
    if screen.say(&heading(dialog)).is_err() {
        return vec![Answer::Failed; dialog.asks.len()];
    }
    let mut answers = Vec::new();
    for asks in dialog.asks {
        let left = || within.saturating_sub(began.elapsed());
        let answer = ask(screen, asks, &left).unwrap_or(Answer::Failed);
        answers.push(answer);
        if matches!(answer, Answer::TimedOut | Answer::Failed) {
            // The person is gone, so every other question takes its own default.
            answers.resize(dialog.asks.len(), answer);
        }
        if is_over(asks.question, answer) {
            break;
        }
    }
    answers
}

fn is_over(question: &Question, answer: Answer) -> bool {
    match answer {
        Answer::Deny | Answer::TimedOut | Answer::Failed => true,
        Answer::Chose(at) => {
            let choices = question.choices();
            let choice = choices.get(usize::from(at));
            choice.is_none_or(|choice| choice.grants == Grants::Deny)
        }
        Answer::AllowOnce | Answer::AllowSession | Answer::AllowAlways | Answer::Defer => false,
    }
}

fn ask(
    screen: &mut dyn Screen,
    asks: &DialogQuestion<'_>,
    left: &dyn Fn() -> Duration,
) -> io::Result<Answer> {
    screen.say(&question(asks))?;
    for _ in 0..TRIES {
        screen.say("Your choice, by number or word: ")?;
        match screen.hear(left())? {
            TerminalInput::Line(line) => {
                if let Some(answer) = read(asks.question, &line) {
                    return Ok(answer);
                }
                screen.say("That is none of the choices.\n")?;
            }
            TerminalInput::Late => {
                screen.say("\nThe time to answer is over.\n")?;
                return Ok(Answer::TimedOut);
            }
            TerminalInput::Gone => return Ok(Answer::Failed),
        }
    }
    screen.say("So the answer is no.\n")?;
    Ok(Answer::Deny)
}

/// Reads a line: the number or the label of a choice; yes and no where the question has no choices of its own.
fn read(question: &Question, line: &str) -> Option<Answer> {
    let line = line.trim();
    let choices = question.choices();
    if let Ok(number) = line.parse::<u16>() {
        let at = number.checked_sub(1)?;
        return choices.get(usize::from(at)).map(|_| Answer::Chose(at));
    }
    if question.options.is_empty() {
        match &*line.to_lowercase() {
            "y" | "yes" => return Some(Answer::AllowOnce),
            "n" | "no" => return Some(Answer::Deny),
            _ => {}
        }
    }
    match question.chose(line) {
        Answer::Chose(at) => Some(Answer::Chose(at)),
        _ => None,
    }
}

/// Shows the action, and what is changed by it.
fn heading(dialog: &Dialog<'_>) -> String {
    let event = visible(dialog.event.name.as_str());
    let mut text = format!("\nanyhook: {event}, this exact action:\n");
    text.push_str(&indented(dialog.action));
    if let Some(before) = dialog.before {
        text.push_str("Hooks changed it:\n");
        text.push_str(&diff(before, dialog.action));
    }
    if let Some((old, new)) = edited(dialog) {
        text.push_str("It replaces text:\n");
        text.push_str(&diff(&old, &new));
    }
    if let Some((old, new)) = overwritten(dialog) {
        text.push_str("It replaces what is in the file now:\n");
        text.push_str(&diff(&old, &new));
    }
    text
}

/// The old and the new text of an edit, where the action is one.
fn edited(dialog: &Dialog<'_>) -> Option<(String, String)> {
    let input = dialog.event.get("tool_input")?;
    let text = |field| input.get(field).and_then(Value::as_str).map(str::to_owned);
    Some((text("old_string")?, text("new_string")?))
}

/// What a file holds, and what it would hold after the action, where that writes all of a file that is there.
fn overwritten(dialog: &Dialog<'_>) -> Option<(String, String)> {
    let input = dialog.event.get("tool_input")?;
    let text = |field| input.get(field).and_then(Value::as_str);
    let (file, new) = (text("file_path")?, text("content")?);
    let file = match dialog.event.text("cwd") {
        Some(cwd) => Path::new(&*cwd).join(file),
        None => PathBuf::from(file),
    };
    // A name that counts from an unknown folder may be another file.
    let file = Some(file).filter(|file| file.is_absolute())?;
    let old = String::from_utf8(files::read_document(&file).ok()?).ok()?;
    (old != new).then(|| (old, new.to_owned()))
}

fn diff(old: &str, new: &str) -> String {
    let ends = |text: &str| format!("{}\n", visible(text).trim_end_matches('\n'));
    let (old, new) = (ends(old), ends(new));
    let mut config = TextDiff::configure();
    let diff = config.timeout(PATIENCE).diff_lines(&old, &new);
    let unified = diff.unified_diff().to_string();
    let count = unified.lines().count();
    let mut text = String::new();
    for line in unified.lines().take(LONGEST) {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "  {line}");
    }
    if count > LONGEST {
        let _ = writeln!(text, "  … {} more lines", count - LONGEST);
    }
    text
}

fn question(asks: &DialogQuestion<'_>) -> String {
    // A name is one line, so that no name looks like a question of ours.
    let words: Vec<String> = asks.hook.split_whitespace().map(visible).collect();
    let mut text = format!(
        "{} asks:\n{}",
        words.join(" "),
        indented(&asks.question.prompt)
    );
    for (number, choice) in (1..).zip(asks.question.choices()) {
        let number: usize = number;
        let label: Vec<String> = choice.label.split_whitespace().map(visible).collect();
        let _ = writeln!(
            text,
            "  {number}  {} ({})",
            label.join(" "),
            meaning(&choice)
        );
    }
    text
}

fn meaning(choice: &Choice) -> &'static str {
    match (choice.grants, choice.remember) {
        (Grants::Deny, _) => "refuse",
        (_, AnswerLifetime::Once) => "this once",
        (_, AnswerLifetime::Session | AnswerLifetime::Always) => {
            "this exact action, until the session ends"
        }
    }
}

fn indented(text: &str) -> String {
    let lines = visible(text);
    let lines = lines.lines().map(|line| format!("  {line}\n"));
    lines.collect()
}

#[cfg(test)]
mod tests;
