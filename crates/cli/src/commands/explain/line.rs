//! `anyhook explain 'LINE'`: what a shell line does, and which guard answers, on one screen.

use std::cmp::Reverse;
use std::path::PathBuf;

use anyhook::core::report::WhyNot;
use anyhook::core::result::Kind;
use anyhook::event::{Explained, Explanation, Fires, Means};

use crate::ui::{self, paint, short, visible};

/// The most effects that are shown, and the most rows of a text.
const MOST: usize = 6;
/// The longest line that is repeated.
const LONGEST: usize = 74;

/// What those who are asked about a line have to say.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Answer {
    Says(Reverse<Kind>),
    Fails,
    Runs,
    Silent,
}

/// Writes the page.
pub(super) fn page(line: &str, explained: &Explained, untrusted: &[PathBuf]) -> String {
    let mut text = format!("{}\n\n", paint(ui::BOLD, &short(&ui::line(line), LONGEST)));
    text.push_str(&does(explained));
    text.push_str(&answers(explained));
    text.push_str(&verdict(explained));
    if let Some(remark) = explained.remarks.first() {
        text.push_str(&ui::wrapped(
            "",
            &format!("\nwarning: {}", visible(&remark.text)),
        ));
    }
    if !untrusted.is_empty() {
        let files = ui::many(untrusted.len(), "file");
        text.push_str(&format!(
            "\nas if trusted: {files} that an agent would not obey before: anyhook trust\n"
        ));
    }
    text
}

fn does(explained: &Explained) -> String {
    let all = explained.sentences();
    if all.is_empty() {
        return "does nothing that a rule asks about\n".to_owned();
    }
    let mut text = "does\n".to_owned();
    for one in all.iter().take(MOST) {
        let one = one.strip_suffix(", exact").unwrap_or(one);
        text.push_str(&format!("  {}\n", short(&ui::line(one), LONGEST)));
    }
    if let Some(more) = all.len().checked_sub(MOST).filter(|more| *more > 0) {
        text.push_str(&format!("  and {more} more\n"));
    }
    text
}

fn answers(explained: &Explained) -> String {
    let mut all: Vec<(Answer, &str)> = explained.hooks.iter().filter_map(answer).collect();
    all.sort_by_key(|(answer, _)| *answer);
    let mut text = "\nanswers\n".to_owned();
    let groups = all.chunk_by(|(one, _), (other, _)| one == other);
    for group in groups {
        let Some((answer, _)) = group.first() else {
            continue;
        };
        let names: Vec<String> = group.iter().map(|(_, name)| ui::line(name)).collect();
        let (word, names) = match answer {
            Answer::Says(Reverse(kind)) => (kind.as_str(), names.join(", ")),
            Answer::Fails => ("fails", names.join(", ")),
            Answer::Runs => (
                "runs",
                format!("{}, which is not started here", names.join(", ")),
            ),
            Answer::Silent => ("silent", ui::many(names.len(), "hook")),
        };
        text.push_str(&ui::beside(&format!("  {word:<8}"), 10, &names));
    }
    if all.is_empty() {
        text.push_str("  no hook is asked\n");
    }
    text
}

/// What a hook answers; nothing where it is for other events.
fn answer(hook: &Explanation) -> Option<(Answer, &str)> {
    let answer = match &hook.fires {
        Fires::No(WhyNot::OtherEvent) => return None,
        Fires::No(_) => Answer::Silent,
        Fires::Yes {
            by: Means::Process(_),
            ..
        } => Answer::Runs,
        Fires::Yes {
            by: Means::Fault(_),
            ..
        } => Answer::Fails,
        Fires::Yes {
            by: Means::Ours(said),
            ..
        } if said.is_identity() => Answer::Silent,
        Fires::Yes {
            by: Means::Ours(said),
            ..
        } => Answer::Says(Reverse(said.verdict.kind())),
    };
    Some((answer, &*hook.hook.name))
}

/// What all who answer without a process come to, in the words that the model or the person reads.
fn verdict(explained: &Explained) -> String {
    let verdict = &explained.said.verdict;
    let style = match verdict.kind() {
        Kind::Continue | Kind::Allow => ui::PASS,
        Kind::Ask => ui::ASK,
        Kind::Deny | Kind::Halt => ui::DENY,
    };
    let said = match verdict.text() {
        text if text.is_empty() => "no guard has a word against it".to_owned(),
        text => visible(&text),
    };
    let head = format!("\n{}\n", paint(style, verdict.kind().as_str()));
    let body = ui::wrapped("  ", &said);
    let mut rows = body.split_inclusive('\n');
    let shown: String = rows.by_ref().take(MOST).collect();
    let cut = if rows.next().is_some() { "  …\n" } else { "" };
    format!("{head}{shown}{cut}")
}
