//! The environment variables that a command expects: those that hosts set, by their content.

use anyhook_core::manifest::Command;

use crate::native_files::{NativeFormat, VariableContent};

/// The variables of a universal hook that a host has too, the names to write first.
const UNIVERSAL: &[(&str, VariableContent)] = &[
    ("PACKAGE_ROOT", VariableContent::Package),
    ("PROJECT_DIR", VariableContent::Project),
    ("CLAUDE_PLUGIN_ROOT", VariableContent::Package),
    ("CLAUDE_PROJECT_DIR", VariableContent::Project),
];
/// The beginning of the names that only this program sets, and those of them that begin otherwise.
const OURS: (&str, &[&str]) = ("ANYHOOK_", &["file", "files"]);

/// Names the variables of a universal command as a host does, and says what is lost.
pub(super) fn to_native(command: &Command, to: &'static NativeFormat) -> (Command, Vec<String>) {
    let (mut said, mut lost) = (command.clone(), Vec::new());
    let values = said.env.iter_mut().map(|(_, value)| value);
    let texts = said.args.iter_mut().flatten().chain(&mut said.cwd);
    for text in texts.chain(values).chain([&mut said.command]) {
        *text = rewritten(text, &command.env, to, &mut lost);
    }
    lost.sort();
    lost.dedup();
    // A universal line of plain words needs no quotes, and a shell needs them.
    if said.args.is_none() {
        said.command = quoted(&said.command);
    }
    (said, lost)
}

/// Rewrites the names of variables in a text. Those that the hook sets itself stay.
fn rewritten(
    text: &str,
    own: &[(String, String)],
    to: &NativeFormat,
    lost: &mut Vec<String>,
) -> String {
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
            named(name, is_read, to, lost)
        });
        rest = after;
    }
    said.push_str(rest);
    said
}

/// Returns what a name is called there; itself where it is no variable of a host, or where nothing there is like it.
fn named<'n>(
    name: &'n str,
    is_read: bool,
    format: &NativeFormat,
    lost: &mut Vec<String>,
) -> &'n str {
    let to = format.host;
    let nothing = format!("`{to}` sets no variable like `{name}`");
    let Some((_, holds)) = UNIVERSAL.iter().find(|(known, _)| *known == name) else {
        let (start, others) = OURS;
        let is_ours = name.starts_with(start) || others.contains(&name);
        lost.extend((is_read && is_ours).then_some(nothing));
        return name;
    };
    let mut same = format.variables.iter().filter(|(_, other)| other == holds);
    let kept = same.clone().find(|(other, _)| *other == name);
    let Some((other, _)) = kept.or_else(|| same.next()) else {
        lost.push(nothing);
        return name;
    };
    let has_packages = format.files.iter().all(|file| file.contains("/*/"));
    if *holds == VariableContent::Package && !has_packages {
        lost.push(format!(
            "`{name}` becomes `{other}`, which `{to}` sets for its plugins only"
        ));
    }
    other
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
