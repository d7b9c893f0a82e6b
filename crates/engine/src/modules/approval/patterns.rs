//! Whether a command is one that a pattern describes.

use fast_glob::glob_match;

use super::words;
use crate::shell;

/// A longer line is not taken apart: every refusal about it holds, and no approval.
const LONGEST: usize = 256 * 1024;

/// Tells whether a line is one plain command that a pattern approves. `ls*` is `ls` with any arguments, and neither `lsof`
/// nor `ls` behind something else; `git status` is these two words and no more; a `*` within a word stands for the rest of
/// this one word.
pub(super) fn approves(pattern: &str, line: &str) -> bool {
    let Some(given) = words::plain(line) else {
        return false;
    };
    let mut wanted: Vec<&str> = pattern.split_whitespace().collect();
    let Some(last) = wanted.last().copied() else {
        return false;
    };
    let open = match last.strip_suffix('*') {
        Some("") => {
            wanted.pop();
            true
        }
        Some(head) if head.ends_with(|c: char| c.is_ascii_alphanumeric()) => {
            wanted.pop();
            wanted.push(head);
            true
        }
        Some(_) | None => false,
    };
    let Some((program, rest)) = wanted.split_first() else {
        // `*` alone would approve everything; whoever wants that says it as the default action.
        return false;
    };
    let fits = if open {
        given.len() >= wanted.len()
    } else {
        given.len() == wanted.len()
    };
    let mut pairs = rest.iter().zip(given.iter().skip(1));
    fits && given.first().is_some_and(|word| word == program)
        && pairs.all(|(want, word)| want == word || is_word(want, word))
}

/// Tells whether a pattern is a whole word; quotes are letters like others.
fn is_word(pattern: &str, word: &str) -> bool {
    pattern.contains('*') && glob_match(pattern, word)
}

/// Tells whether anything in a line is what a pattern warns of: the line, one of its commands, or one behind `sudo`, `env`
/// and the like, however it is spelled.
pub(super) fn warns(pattern: &str, line: &str) -> bool {
    if line.len() > LONGEST {
        return true;
    }
    let pattern = pattern.split_whitespace().collect::<Vec<_>>().join(" ");
    let open = format!("{}*", pattern.trim_end_matches('*'));
    let is = |text: &str| {
        let text = text.replace('/', "\u{1}");
        let glob = |pattern: &str| glob_match(pattern.replace('/', "\u{1}"), &text);
        glob(&pattern) || glob(&open)
    };
    let spelled = shell::spellings(line);
    let rough = spelled.kept.iter().chain(std::iter::once(&spelled.emptied));
    let rough = rough.flat_map(|text| shell::rough(text));
    let mut commands = shell::read(line).commands.into_iter().chain(rough);
    is(line.trim())
        || commands.any(|command| {
            (0..command.len().min(16)).any(|from| {
                let words = command.get(from..).unwrap_or_default();
                let base = words.first().and_then(|word| word.rsplit('/').next());
                let named: Vec<&str> = base
                    .into_iter()
                    .chain(words.iter().skip(1).map(String::as_str))
                    .collect();
                is(&named.join(" "))
            })
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_approval_is_about_whole_words() {
        for (pattern, line, expected) in [
            ("ls*", "ls", true),
            ("ls*", "ls -la src", true),
            ("ls *", "ls -la src", true),
            ("ls", "ls", true),
            ("ls", "ls -la", false),
            ("ls*", "lsof", false),
            ("ls*", "/tmp/ls", false),
            ("ls*", "./ls", false),
            ("ls*", "LS", false),
            ("git status*", "git status --short", true),
            ("git status*", "git stash", false),
            ("git status*", "git -c core.pager=x status", false),
            ("npm run test:*", "npm run test:unit", true),
            ("npm run test:*", "npm run test:unit -- --watch", false),
            ("npm run *", "npm run anything here", true),
            ("*", "ls", false),
            ("", "ls", false),
            (" ", "ls", false),
        ] {
            assert_eq!(
                approves(pattern, line),
                expected,
                "`{pattern}` and `{line}`"
            );
        }
    }

    #[test]
    fn a_warning_is_about_every_part_of_a_line() {
        for line in [
            "rm -rf x",
            "ls && rm -rf x",
            "ls\nrm -rf x",
            "sudo rm -rf x",
            "env A=1 /bin/rm -rf x",
            "bash -c 'rm -rf x'",
            "echo $(rm -rf x)",
            "echo `rm -rf x`",
            "r''m -rf x",
            "rm${IFS}-rf x",
            "xargs rm -rf",
        ] {
            assert!(warns("rm -rf", line), "{line}");
            assert!(warns("rm*", line), "{line}");
        }
        assert!(!warns("rm -rf", "rm x") && !warns("rm*", "echo charm"));
    }
}
