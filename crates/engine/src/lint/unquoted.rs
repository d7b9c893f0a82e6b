//! A placeholder that a shell would split.

use anyhook_core::manifest::{Severity, Spells};

use super::linted::Linted;
use super::{File, Fix, Lint, Note, Sample};
use crate::words::{self, Plan};

/// The row.
pub(super) static LINT: Lint = Lint {
    code: "AH022",
    slug: "unquoted",
    severity: Severity::Error,
    about: "A placeholder stands outside of quotes in a line that a shell reads.",
    page: "A shell splits what it puts in the place of a variable at every space, and expands `*` in it. A folder named \
           `My Projects` breaks the command, and a file named `a b; c` by an agent is three words. Double quotes around \
           the placeholder keep it one. In a universal file a line of plain words and placeholders runs without a shell, \
           and needs none. `check --fix` adds them.",
    bad: Sample::of(&[File::at(
        "hooks/hooks.json",
        r#"{"version": 1, "hooks": {"post-tool-use": [{"matcher": "Write", "hooks": [
  {"type": "command", "command": "wc -l ${file} | sort", "timeout": 5}
]}]}}"#,
    )]),
    good: Sample::of(&[File::at(
        "hooks/hooks.json",
        r#"{"version": 1, "hooks": {"post-tool-use": [{"matcher": "Write", "hooks": [
  {"type": "command", "command": "wc -l \"${file}\" | sort", "timeout": 5}
]}]}}"#,
    )]),
    says: &[],
    find,
};

fn find(linted: &Linted<'_>) -> Vec<Note> {
    let mut notes = Vec::new();
    for (site, command) in linted.commands() {
        let line = &command.command;
        // Our own way of running plain words is not that of the host that a native file belongs to.
        let by_words = linted.format.is_none() && matches!(words::plan(line), Plan::Words(_));
        // PowerShell hands a variable on as one argument, and `cmd` gets none.
        let splits = command
            .shell
            .is_none_or(|shell| shell.spells == Spells::AsWritten);
        if command.args.is_some() || by_words || !splits {
            continue;
        }
        let whole = linted.command_at(site);
        for span in words::unquoted_placeholders(line) {
            let name = line.get(span.clone()).unwrap_or_default();
            let at = whole.within(line, &span);
            // Quotes go around all of the word: `"${ROOT}/a.sh"` reads better than `"${ROOT}"/a.sh`.
            let word = word_around(line, &span);
            let fix = (at != whole).then(|| {
                let word = whole.within(line, &word).span;
                let quote = || r#"\""#.to_owned();
                let edits = vec![
                    (word.start..word.start, quote()),
                    (word.end..word.end, quote()),
                ];
                Fix {
                    what: "add quotes".to_owned(),
                    edits,
                    executable: None,
                }
            });
            let message =
                format!("`{name}` stands outside of quotes, so a shell splits what it holds");
            notes.push(
                Note::new(at, message)
                    .help("put it in double quotes")
                    .fix(fix),
            );
        }
    }
    notes
}

/// The word that a placeholder is a part of, as far as it is plain on both sides.
fn word_around(line: &str, span: &std::ops::Range<usize>) -> std::ops::Range<usize> {
    let is_plain = |c: &char| c.is_ascii_alphanumeric() || "/._-".contains(*c);
    let before = line.get(..span.start).unwrap_or_default();
    let after = line.get(span.end..).unwrap_or_default();
    let before = before.chars().rev().take_while(is_plain).count();
    let after = after.chars().take_while(is_plain).count();
    span.start - before..span.end + after
}
