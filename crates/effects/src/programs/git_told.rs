//! Names that git prints: of files in its index, of commits.

use super::call::Call;
use super::words;
use crate::command::{Lists, Shape};
use crate::effect::{Certainty, Kind};
use crate::places::is_plain;
use crate::word::{Part, Word};

/// Notes the file that an operand may name: a path, or one of a commit (`HEAD:FILE`). What git alone takes for a commit is
/// no file, and neither is a word of which nothing is known.
pub(super) fn reads(call: &mut Call<'_>, word: &Word) {
    let Some(text) = word.known() else {
        let tells = |part: &Part| match part {
            Part::Text(text) => text.contains(char::is_alphanumeric),
            // Sets of letters alone are the names of commits.
            Part::Glob(glob) => glob.contains(['*', '?']),
            Part::Unknown | Part::Split => false,
        };
        if word.parts.iter().any(tells) {
            call.act_path(Kind::Read, word, Certainty::Unknown, false);
        }
        return;
    };
    let is_commit = text == "HEAD"
        || text.contains(['^', '~']) && !text.contains('/')
        || text.contains("@{")
        || text.contains("..") && !text.contains("../") && !text.ends_with("/..");
    let file = match text.rsplit_once(':') {
        Some((_, file)) => file,
        None if is_commit => return,
        None => &text,
    };
    if !file.is_empty() && file != "." {
        call.act_path(Kind::Read, &Word::text(file), Certainty::Likely, false);
    }
}

/// Says which names are printed, and notes the files whose text is.
pub(super) fn told(call: &mut Call<'_>) {
    let verb = call.name.split(' ').nth(1).unwrap_or_default();
    if words::SHOWN_BY_GIT.contains(&verb) {
        // `-L 1,9:FILE` shows lines of a file.
        let lines: Vec<Word> = call.reading.values("L").cloned().collect();
        for word in call.words().iter().chain(&lines) {
            reads(call, word);
        }
    }
    names(call);
}

/// Says which names are printed, where each word of the command is known and no variable is set for it.
fn names(call: &mut Call<'_>) {
    let words: Option<Vec<_>> = call.command.words.iter().map(Word::known).collect();
    let words = words.unwrap_or_default();
    let words: Vec<&str> = words.iter().map(|word| &**word).collect();
    if !call.command.assigned.is_empty() {
        return;
    }
    let (names, tracked) = match &*words {
        ["git", "ls-files", rest @ ..] => (of_index(rest), true),
        // Its names begin at the top of the repository.
        ["git", "diff", "--name-only"] if *call.folders == [call.places.project.clone()] => {
            (of_index(&[]), true)
        }
        ["git", "rev-list" | "merge-base", rest @ ..] => (of_commits(rest), false),
        _ => return,
    };
    let from = call.folders.clone();
    let below = if tracked { from.clone() } else { Vec::new() };
    call.acts.shape = names.filter(|_| from.len() == 1).map(|names| {
        Shape::Names(Lists {
            names,
            from,
            zeros: call.ends_with_zeros(),
            tracked,
            below,
        })
    });
}

/// All names of the index below the folder, or those of a file, a folder or an ending.
fn of_index(rest: &[&str]) -> Option<Vec<Word>> {
    let mut names = Vec::new();
    for word in rest.iter().filter(|word| !words::LISTING.contains(word)) {
        let (folder, last) = word.rsplit_once('/').unwrap_or(("", word));
        let mut parts = folder.split('/').enumerate();
        let is_known = |(at, part)| is_plain(part, at > 0) && part != "..";
        if !folder.is_empty() && !parts.all(is_known) {
            return None;
        }
        let folder = if folder.is_empty() {
            ""
        } else {
            word.get(..=folder.len())?
        };
        let open = |pattern: String| vec![Part::Text(folder.to_owned()), Part::Glob(pattern)];
        match last.strip_prefix("*.") {
            // The `*` of git stands for folders too.
            Some(end) if is_plain(end, true) => {
                names.push(open(last.to_owned()));
                names.push(open(format!("**/{last}")));
            }
            None if is_plain(last, !folder.is_empty()) && last != ".." => {
                names.push(vec![Part::Text((*word).to_owned())]);
                let below = format!("{}/", word.trim_end_matches('/'));
                names.push(vec![Part::Text(below), Part::Glob("**".to_owned())]);
            }
            _ => return None,
        }
    }
    if names.is_empty() {
        names.push(vec![Part::Text(String::new()), Part::Glob("**".to_owned())]);
    }
    Some(names.into_iter().map(|parts| Word { parts }).collect())
}

/// The names of commits.
fn of_commits(rest: &[&str]) -> Option<Vec<Word>> {
    let is_number = |text: &str| text.chars().all(|letter| letter.is_ascii_digit());
    let is_known = |word: &&str| {
        let count = ["--max-count=", "--skip=", "-n", "-"];
        let mut counts = count.iter().filter_map(|count| word.strip_prefix(count));
        words::COMMITS.contains(word) || !word.starts_with('-') || counts.any(is_number)
    };
    let name = Part::Glob("[0-9a-f]".repeat(40));
    let name = Word {
        parts: vec![Part::Text(String::new()), name],
    };
    rest.iter().all(is_known).then(|| vec![name])
}
