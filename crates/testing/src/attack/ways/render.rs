//! Rendering the rows of a way as a command line.

use data_encoding::{BASE64, HEXLOWER};

use super::encode::{ansi, octal, quoted, reversed};
use super::forms::{FileName, SpelledName};
use super::{Aim, Way};

impl Way {
    /// Writes the line of a maker; nothing where these rows do not go together.
    pub(super) fn line(&self, maker: &str, aim: &Aim) -> Option<String> {
        let written = self.named(aim, maker)?;
        let row = match self.program {
            Some((_, form)) => &renamed(maker, form)?,
            None => maker,
        };
        let line = format!("{}{}", written.before, filled(row, aim, &written.word));
        let mut rows = self.around.iter();
        rows.try_fold(line, |line, (_, row)| around(&line, row))
    }

    /// The target in the form of this way; a line that does not name its target has no form of it.
    fn named(&self, aim: &Aim, row: &str) -> Option<SpelledName> {
        let whole = aim.name().unwrap_or_default();
        let below_home = whole.strip_prefix("~/");
        let name = FileName {
            root: below_home.map_or("", |_| "~/"),
            rest: below_home.unwrap_or(&whole),
        };
        let Some((_, form)) = self.form else {
            return Some(name.plain());
        };
        let can_be_written = row.contains("{p}") && !name.rest.is_empty() && name.rest != "~";
        can_be_written.then(|| name.written(form)).flatten()
    }
}

/// Words that only a shell knows at the beginning of a line.
const OF_THE_SHELL: [&str; 22] = [
    "for", "while", "if", "case", "until", "set", "exec", "coproc", "source", "cd", "function",
    "select", "trap", "time", "mapfile", "eval", "read", "test", "printf", "shopt", "pushd",
    "declare",
];

fn filled(row: &str, aim: &Aim, word: &str) -> String {
    let name = aim.name().unwrap_or_default();
    let last = name.rsplit('/').next().unwrap_or_default();
    row.replace("{p}", word)
        .replace("{t}", &name)
        .replace("{b}", last)
        .replace("{e}", &name.replace('/', "\\/"))
        .replace("{h}", aim.host())
}

/// Writes the program of a line in another way; a line that begins with a word of the shell has none.
fn renamed(row: &str, form: &str) -> Option<String> {
    let (program, rest) = row.split_once(' ')?;
    let is_program = program.len() > 1
        && program
            .chars()
            .all(|letter| letter.is_ascii_lowercase() || letter.is_ascii_digit());
    if !is_program || program == "echo" || OF_THE_SHELL.contains(&program) {
        return None;
    }
    let (first, others) = program.split_at_checked(1)?;
    let (second, more) = others.split_at_checked(1)?;
    let word = form
        .replace("{n}", program)
        .replace("{a}", first)
        .replace("{z}", others)
        .replace("{b}", second)
        .replace("{y}", more)
        .replace("{x}", &ansi(program));
    Some(format!("{word} {rest}"))
}

/// Puts a row around a line.
fn around(line: &str, row: &str) -> Option<String> {
    let has_end = line.ends_with('\n');
    let needs = |name: &str| row.contains(name);
    if needs("{nosingle}") && line.contains(['\'', '\n'])
        || needs("{ticked}") && line.contains(['`', '\\', '$'])
    {
        return None;
    }
    let simple = || {
        if is_simple(line) {
            line.to_owned()
        } else {
            format!("bash -c {}", quoted(line))
        }
    };
    // What follows on the same line would end up in a here-document.
    let is_open =
        has_end && row.contains("{line}") && !row.contains("{line}\n") && !row.ends_with("{line}");
    if is_open {
        return None;
    }
    let json = || serde_json::json!({"scripts": {"zz": line}}).to_string();
    // One after the other, so that nothing is filled into what was filled in.
    let fills: [(&str, &dyn Fn() -> String); 12] = [
        ("{line}", &|| line.to_owned()),
        ("{simple}", &simple),
        ("{quotedsimple}", &|| quoted(&simple())),
        ("{quoted}", &|| quoted(line)),
        ("{bangquoted}", &|| quoted(&format!("!{line}"))),
        ("{base64}", &|| BASE64.encode(line.as_bytes())),
        ("{octal}", &|| octal(line)),
        ("{hex}", &|| HEXLOWER.encode(line.as_bytes())),
        ("{reversed}", &|| quoted(&reversed(line))),
        ("{json}", &|| quoted(&json())),
        ("{nosingle}", &|| line.to_owned()),
        ("{ticked}", &|| line.to_owned()),
    ];
    let found = fills
        .iter()
        .filter_map(|(name, fill)| Some((row.find(name)?, *name, fill)));
    let (_, name, fill) = found.min_by_key(|(at, ..)| *at)?;
    Some(row.replace(name, &fill()))
}

/// Tells whether a line is one simple command, so that words may stand before it.
fn is_simple(line: &str) -> bool {
    let begins_with_word =
        line.starts_with(|letter: char| letter.is_ascii_lowercase() || letter == '/');
    let first = line.split(' ').next().unwrap_or_default();
    begins_with_word
        && !first.contains(['=', '('])
        && !OF_THE_SHELL.contains(&first)
        && !line.contains([';', '|', '&', '\n', '<', '>', '(', '{', '`', '~', '$'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_put_around_a_line() {
        assert_eq!(
            around("rm x", "sh -c {quoted}").as_deref(),
            Some("sh -c 'rm x'")
        );
        assert_eq!(
            around("a; b", "env {simple}").as_deref(),
            Some("env bash -c 'a; b'")
        );
        assert_eq!(
            around("rm x", "timeout 5 {simple}").as_deref(),
            Some("timeout 5 rm x")
        );
        assert_eq!(around("rm", "x {hex}").as_deref(), Some("x 726d"));
        assert_eq!(around("echo `x`", "x=`{ticked}`"), None);
        assert_eq!(
            around("cat <<E\nE\n", "({line}\n)").as_deref(),
            Some("(cat <<E\nE\n\n)")
        );
        assert_eq!(around("cat <<E\nE\n", "if {line}; fi"), None);
        assert_eq!(
            around("echo {line}", "sh -c {quoted}").as_deref(),
            Some("sh -c 'echo {line}'")
        );
    }

    #[test]
    fn a_program_has_other_names() {
        assert_eq!(
            renamed("rm -rf {p}", "{a}''{z}").as_deref(),
            Some("r''m -rf {p}")
        );
        assert_eq!(
            renamed("rm x", "$'{x}'").as_deref(),
            Some("$'\\x72\\x6d' x")
        );
        assert_eq!(renamed("echo x > {p}", "\"{n}\""), None);
        assert_eq!(renamed("> {p}", "\"{n}\""), None);
    }
}
