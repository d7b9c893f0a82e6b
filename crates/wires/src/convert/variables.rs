//! The environment variables that a command expects: those that hosts set, by their content.

use anyhook_core::manifest::Command;

use super::Format;
use crate::native_files::Variable;

/// The variables of a universal hook that a host has too, the name to write first.
const UNIVERSAL: &[(&str, Variable)] = &[
    ("PACKAGE_ROOT", Variable::Package),
    ("PROJECT_DIR", Variable::Project),
    ("CLAUDE_PLUGIN_ROOT", Variable::Package),
    ("CLAUDE_PROJECT_DIR", Variable::Project),
];
/// The beginning of the names that only this program sets, and those of them that begin otherwise.
const OURS: (&str, &[&str]) = ("ANYHOOK_", &["file", "files"]);

/// The text before the name of a variable that is read: in a shell, in PowerShell, and in a program in quotes.
const READ: &[&str] = &[
    "$",
    "${",
    "${#",
    "'",
    "\"",
    "%",
    "env.",
    "env:",
    "printenv ",
];

/// A text in which every variable is one that the other host sets.
struct Rewritten {
    text: String,
    /// What is lost of it, as fragments.
    lost: Vec<String>,
}

fn all(format: Format) -> &'static [(&'static str, Variable)] {
    match format {
        Format::Universal => UNIVERSAL,
        Format::Native(format) => format.variables,
    }
}

/// The names that a host is to be written with: the universal ones are the first two of theirs.
fn written(format: Format) -> &'static [(&'static str, Variable)] {
    match format {
        Format::Universal => UNIVERSAL.get(..2).unwrap_or_default(),
        Format::Native(format) => format.variables,
    }
}

/// Names the variables of a command as another host does, and says what is lost.
pub(super) fn translated(command: &Command, from: Format, to: Format) -> (Command, Vec<String>) {
    let mut lost = Vec::new();
    let mut said = |text: &str| {
        let said = rewritten(text, &command.env, from, to);
        lost.extend(said.lost);
        said.text
    };
    let mut all = command.clone();
    let line = said(&command.command);
    // A universal line of plain words needs no quotes, and a shell needs them.
    let is_split = matches!((from, to), (Format::Universal, Format::Native(_)));
    all.command = if is_split && command.args.is_none() {
        quoted(&line)
    } else {
        line
    };
    let values = all.env.iter_mut().map(|(_, value)| value);
    let texts = all.args.iter_mut().flatten().chain(&mut all.cwd);
    texts.chain(values).for_each(|text| *text = said(text));
    for variant in &mut all.on {
        let values = variant.env.iter_mut().map(|(_, value)| value);
        let texts = variant.args.iter_mut().flatten().chain(&mut variant.cwd);
        let texts = texts.chain(&mut variant.command).chain(values);
        texts.for_each(|text| *text = said(text));
    }
    lost.sort();
    lost.dedup();
    (all, lost)
}

/// Rewrites the variables of a text. Those that the hook sets itself stay.
fn rewritten(text: &str, own: &[(String, String)], from: Format, to: Format) -> Rewritten {
    let mut said = Rewritten {
        text: String::with_capacity(text.len()),
        lost: Vec::new(),
    };
    let mut rest = text;
    while let Some(start) = rest.find(is_first) {
        let (before, tail) = rest.split_at(start);
        said.text.push_str(before);
        let end = tail.find(|c| !is_of_name(c)).unwrap_or(tail.len());
        let (name, after) = tail.split_at(end);
        let is_own = own.iter().any(|(own, _)| own == name) || sets(text, name);
        // A digit before it makes it a part of something else.
        let is_whole = !said.text.ends_with(is_of_name);
        let becomes = Becomes::of(name, &said.text, from, to);
        match becomes {
            Becomes::Itself => said.text.push_str(name),
            _ if is_own || !is_whole => said.text.push_str(name),
            Becomes::Other(other) => said.text.push_str(other),
            Becomes::OfPackages(other) => {
                said.text.push_str(other);
                let host = to.name();
                said.lose(format!(
                    "`{name}` becomes `{other}`, which `{host}` sets for its plugins only"
                ));
            }
            Becomes::Nothing => {
                said.text.push_str(name);
                said.lose(format!("`{}` sets no variable like `{name}`", to.name()));
            }
        }
        rest = after;
    }
    said.text.push_str(rest);
    said
}

impl Rewritten {
    fn lose(&mut self, what: String) {
        if !self.lost.contains(&what) {
            self.lost.push(what);
        }
    }
}

/// What becomes of a name.
enum Becomes {
    /// It is no variable of a host, or the other host sets it too.
    Itself,
    /// The other host has another name for the same.
    Other(&'static str),
    /// The same, in packages only.
    OfPackages(&'static str),
    /// The other host sets nothing like it.
    Nothing,
}

impl Becomes {
    fn of(name: &str, before: &str, from: Format, to: Format) -> Self {
        if !READ.iter().any(|read| before.ends_with(read)) {
            return Self::Itself;
        }
        let Some((_, holds)) = all(from).iter().find(|(known, _)| *known == name) else {
            let is_lost = is_of_host(name, before, from);
            return if is_lost { Self::Nothing } else { Self::Itself };
        };
        let mut same = written(to).iter().filter(|(_, other)| other == holds);
        let kept = same.clone().find(|(other, _)| *other == name);
        let Some((other, _)) = kept.or_else(|| same.next()) else {
            return Self::Nothing;
        };
        match (
            *holds == Variable::Package && !has_packages(to),
            *other == name,
        ) {
            (true, _) => Self::OfPackages(other),
            (false, true) => Self::Itself,
            (false, false) => Self::Other(other),
        }
    }
}

/// Tells whether a file that a host reads is that of a package.
fn has_packages(format: Format) -> bool {
    match format {
        Format::Universal => true,
        Format::Native(format) => format.files.iter().all(|file| file.contains("/*/")),
    }
}

/// Tells whether a name is one that the host of a file surely sets, though its value is unknown: it begins as others
/// of that host do.
fn is_of_host(name: &str, before: &str, from: Format) -> bool {
    let begins = |known: &str| {
        let word = known.split_once('_').map(|(word, _)| word);
        let rest = word.and_then(|word| name.strip_prefix(word));
        rest.is_some_and(|rest| rest.starts_with('_'))
    };
    match from {
        Format::Universal => {
            let (start, others) = OURS;
            let is_variable = before.ends_with(['$', '{']);
            name.starts_with(start) || others.contains(&name) && is_variable
        }
        Format::Native(format) => format.variables.iter().any(|(known, _)| begins(known)),
    }
}

/// Tells whether a command line gives a variable a value itself.
fn sets(text: &str, name: &str) -> bool {
    text.match_indices(name).any(|(at, _)| {
        let before = text.get(..at).unwrap_or_default();
        let after = text.get(at + name.len()..).unwrap_or_default();
        after.starts_with('=')
            && (before.is_empty() || before.ends_with([' ', ';', '\t', '\n', '&']))
    })
}

fn is_first(c: char) -> bool {
    c.is_ascii_alphabetic() || c == '_'
}

fn is_of_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// Puts `${NAME}` into double quotes where it stands outside of any: a universal line of plain words runs without a shell,
/// and that of a host is split by one.
fn quoted(line: &str) -> String {
    let mut said = String::with_capacity(line.len());
    let mut quote = None;
    let mut letters = line.char_indices();
    while let Some((at, letter)) = letters.next() {
        let rest = line.get(at..).unwrap_or_default();
        let end = rest.strip_prefix("${").and_then(|rest| rest.find('}'));
        if let (None, Some(end)) = (quote, end) {
            let whole = rest.get(..end + 3).unwrap_or_default();
            said.push('"');
            said.push_str(whole);
            said.push('"');
            letters
                .by_ref()
                .take(whole.chars().count() - 1)
                .for_each(drop);
            continue;
        }
        said.push(letter);
        match (quote, letter) {
            (Some('\''), '\'') | (Some('"'), '"') => quote = None,
            (None, '\'' | '"') => quote = Some(letter),
            (None | Some('"'), '\\') => said.extend(letters.next().map(|(_, next)| next)),
            (_, _) => {}
        }
    }
    said
}
