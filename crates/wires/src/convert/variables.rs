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
    let way = Way { from, to };
    let mut said = |text: &str| rewritten(text, &command.env, way, &mut lost);
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

/// Rewrites the names of variables in a text. Those that the hook sets itself stay.
fn rewritten(text: &str, own: &[(String, String)], way: Way, lost: &mut Vec<String>) -> String {
    let mut said = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find(is_of_name) {
        let (before, tail) = rest.split_at(start);
        said.push_str(before);
        let end = tail.find(|c| !is_of_name(c)).unwrap_or(tail.len());
        let (name, after) = tail.split_at(end);
        let is_own = own.iter().any(|(own, _)| own == name) || sets(text, name);
        let is_read = said.ends_with(['$', '{']);
        said.push_str(if is_own {
            name
        } else {
            way.name(name, is_read, lost)
        });
        rest = after;
    }
    said.push_str(rest);
    said
}

/// From one host to another.
#[derive(Clone, Copy)]
struct Way {
    from: Format,
    to: Format,
}

impl Way {
    /// Returns what a name is called there; itself where it is no variable of a host, or where nothing there is like it.
    fn name<'n>(self, name: &'n str, is_read: bool, lost: &mut Vec<String>) -> &'n str {
        let to = self.to.name();
        let nothing = format!("`{to}` sets no variable like `{name}`");
        let Some((_, holds)) = all(self.from).iter().find(|(known, _)| *known == name) else {
            let is_lost = is_read && is_of_host(name, self.from);
            lost.extend(is_lost.then_some(nothing));
            return name;
        };
        let mut same = written(self.to).iter().filter(|(_, other)| other == holds);
        let kept = same.clone().find(|(other, _)| *other == name);
        let Some((other, _)) = kept.or_else(|| same.next()) else {
            lost.push(nothing);
            return name;
        };
        if *holds == Variable::Package && !has_packages(self.to) {
            lost.push(format!(
                "`{name}` becomes `{other}`, which `{to}` sets for its plugins only"
            ));
        }
        other
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
fn is_of_host(name: &str, from: Format) -> bool {
    let begins = |known: &str| {
        let word = known.split_once('_').map_or(known, |(word, _)| word);
        name.starts_with(word)
    };
    match from {
        Format::Universal => {
            let (start, others) = OURS;
            name.starts_with(start) || others.contains(&name)
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
