//! The words of a command, if it is one plain command.
//!
//! Two readers must agree. The first lets no letter through, outside of quotes, by which a shell does anything but split
//! words: so nothing is nested when the second one, the reader of shell lines, takes the line apart.

use anyhook_effects::places::{NoFiles, Places};
use anyhook_effects::shell;

/// A longer line is no plain command of a person.
const LONGEST: usize = 8 * 1024;

/// Returns the words as they are written, quotes included; nothing where the line is anything but one plain command.
pub(super) fn plain(line: &str) -> Option<Vec<String>> {
    let line = line.trim_matches([' ', '\t']);
    if line.len() > LONGEST {
        return None;
    }
    let words = words(line)?;
    let program = words.first().filter(|program| is_name(program))?;
    let done = shell::read(line, &Places::default(), &NoFiles);
    let command = done.commands.first().filter(|_| done.readable)?;
    let first = command.words.first()?.known();
    let agrees = first.as_deref() == Some(program)
        && command.words.len() == words.len()
        && command.assigned.is_empty();
    agrees.then_some(words)
}

/// Tells whether a program is named by a word that no shell changes: no quotes, no pattern, no `~`.
fn is_name(word: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | '+');
    !word.is_empty() && word.chars().all(is_plain)
}

/// Splits a line at its spaces; nothing where some letter of it does anything but separate or quote words.
fn words(line: &str) -> Option<Vec<String>> {
    let (mut words, mut word, mut quote) = (Vec::new(), String::new(), None);
    for letter in line.chars() {
        let is_harmless = match quote {
            Some('\'') => !letter.is_control(),
            Some(_) => !letter.is_control() && !matches!(letter, '$' | '`' | '\\' | '!'),
            None => letter.is_alphanumeric() || " \t'\"_-./:=,@%+^*?[]~".contains(letter),
        };
        if !is_harmless {
            return None;
        }
        match (quote, letter) {
            (None, ' ' | '\t') => words.push(std::mem::take(&mut word)),
            (None, '\'' | '"') => quote = Some(letter),
            (Some(open), letter) if open == letter => quote = None,
            _ => {}
        }
        if quote.is_some() || !matches!(letter, ' ' | '\t') {
            word.push(letter);
        }
    }
    words.push(word);
    words.retain(|word| !word.is_empty());
    quote.is_none().then_some(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plain_command_has_its_words() {
        for (line, words) in [
            ("ls", vec!["ls"]),
            (" ls -la  src ", vec!["ls", "-la", "src"]),
            (
                "git commit -m 'fix; it'",
                vec!["git", "commit", "-m", "'fix; it'"],
            ),
            ("echo \"a | b\" *.rs", vec!["echo", "\"a | b\"", "*.rs"]),
            (
                "cargo test --lib modules::approval",
                vec!["cargo", "test", "--lib", "modules::approval"],
            ),
        ] {
            let words: Vec<String> = words.into_iter().map(str::to_owned).collect();
            assert_eq!(plain(line), Some(words), "{line}");
        }
    }

    #[test]
    fn what_is_not_one_plain_command_has_none() {
        for line in [
            "",
            " ",
            "#ls",
            "ls #x",
            "ls; rm x",
            "ls && rm x",
            "ls & rm x",
            "ls|sh",
            "ls\nrm x",
            "ls\r\nrm x",
            "ls\\\nrm",
            "ls $(rm x)",
            "ls `rm x`",
            "ls $HOME",
            "ls ${x}",
            "ls > x",
            "ls >> x",
            "ls < x",
            "ls 2>&1",
            "ls <(rm x)",
            "ls <<< x",
            "(ls)",
            "{ ls; }",
            "ls {a,b}",
            "X=1 ls",
            "X=1",
            "'ls'",
            "\"ls\" x",
            "l''s",
            "l\\s",
            "~/ls",
            "l?",
            "! ls",
            "time ls",
            "if ls",
            "for i in x",
            "while ls",
            "function ls",
            "coproc ls",
            "ls 'a",
            "ls \"a\\\"",
            "ls \"$x\"",
            "ls \"`x`\"",
            "ls $'a'",
            "[[ a ]]",
            "ls \u{7}",
            "ls 'a\nb'",
            "ls\u{a0}x;",
            "[ a ]",
        ] {
            assert_eq!(plain(line), None, "{line:?}");
        }
        assert_eq!(plain(&"a ".repeat(10_000)), None);
        assert_eq!(plain(&format!("ls {}", "(".repeat(5_000))), None);
    }
}
