//! Matching a command against a pattern.

use anyhook_effects::effect::{Effect, Kind, Object};
use anyhook_effects::places::{NoFiles, Places};
use anyhook_effects::shell;
use anyhook_effects::word::{Part, Word};
use fast_glob::glob_match;

use super::words;

/// The most arguments of a program from which another one may begin.
const MOST_ARGUMENTS: usize = 16;
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
        // `*` alone would approve everything; a person who wants that says it as the default action.
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
/// and the like, however it is spelled. What cannot be read may be what it warns of.
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
    if is(line.trim()) {
        return true;
    }
    let done = shell::read(line, &Places::default(), &NoFiles);
    let unread = |effect: &Effect| effect.kind == Kind::Exec && effect.object == Object::Unknown;
    if !done.readable || done.effects.iter().any(unread) {
        return true;
    }
    let opaque = done
        .effects
        .iter()
        .filter_map(|effect| match &effect.object {
            Object::Program {
                arguments,
                opaque: true,
                ..
            } => Some(arguments),
            _ => None,
        });
    done.commands.iter().any(|command| is_warned(&pattern, &is, &command.words))
        // What a program runs whose code is not read may stand in its arguments.
        || opaque.into_iter().any(|arguments| in_arguments(arguments, &is))
}

/// Tells whether a command is what a pattern warns of, or may be: a word that cannot be read may be any word of it.
fn is_warned(pattern: &str, is: &dyn Fn(&str) -> bool, words: &[Word]) -> bool {
    let written = |word: &Word| -> Option<String> {
        let parts = word.parts.iter().map(|part| match part {
            Part::Text(text) | Part::Glob(text) => Some(text.as_str()),
            Part::Unknown | Part::Split => None,
        });
        parts.collect()
    };
    let mut read: Vec<String> = words.iter().map_while(written).collect();
    if let Some(program) = read.first_mut()
        && let Some((_, base)) = program.rsplit_once('/')
    {
        *program = base.to_owned();
    }
    let text = read.join(" ");
    is(&text) || (read.len() < words.len() && pattern.starts_with(&format!("{text} ")))
}

/// Tells whether some of these arguments, from one on, or the text of one, are what a pattern warns of.
fn in_arguments(arguments: &[Option<String>], is: &dyn Fn(&str) -> bool) -> bool {
    let known: Vec<&str> = arguments.iter().flatten().map(String::as_str).collect();
    (0..known.len().min(MOST_ARGUMENTS)).any(|from| {
        let rest = known.get(from..).unwrap_or_default();
        let first = rest.first().copied().unwrap_or_default();
        let base = first.rsplit('/').next().unwrap_or(first);
        let line = [&[base], rest.get(1..).unwrap_or_default()].concat();
        let inner = first
            .contains(' ')
            .then(|| shell::read(first, &Places::default(), &NoFiles));
        let inner = inner.map(|done| done.commands).unwrap_or_default();
        is(&line.join(" "))
            || inner
                .iter()
                .any(|command| is_warned("", is, &command.words))
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
            "ls | xargs -n1 rm -rf",
            "rm $FLAGS x",
            "$PROGRAM -rf x",
            "if rm -rf x",
            "ssh host 'rm -rf x'",
            "docker run it rm -rf x",
            "python3 -c 'import os; os.system(\"rm -rf x\")'",
            "eval \"$LINE\"",
        ] {
            assert!(warns("rm -rf", line), "{line}");
            assert!(warns("rm*", line), "{line}");
        }
        for (pattern, line) in [
            ("rm -rf", "rm x"),
            ("rm*", "echo charm"),
            ("rm*", "# rm -rf x\nls"),
            ("rm*", "cat > a.md <<'EOF'\nrm -rf x\nEOF"),
            ("rm*", "git commit -m 'rm -rf x; it is gone'"),
            ("rm*", "grep -r rm ."),
            ("rm -rf", "ls $X"),
        ] {
            assert!(!warns(pattern, line), "{pattern}: {line}");
        }
    }
}
