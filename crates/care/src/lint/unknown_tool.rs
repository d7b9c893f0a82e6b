//! A matcher that selects no tool.

use anyhook_core::manifest::Group;
use anyhook_core::matcher::{Hit, Subject};
use anyhook_core::taxonomy::nearest;
use anyhook_wires::hosts::HOSTS;
use anyhook_wires::native_files::{FORMATS, Matching, NativeFormat};
use anyhook_wires::{host, tools};

use super::Note;
use super::linted::Linted;

pub(super) fn find(linted: &Linted<'_>) -> Vec<Note> {
    let groups = linted.manifest.groups.iter();
    let notes = groups.filter_map(|group| {
        let subject = group.spec.and_then(|spec| spec.subject);
        if subject == Some("tool_name") {
            of_group(linted, group).or_else(|| of_host(linted, group))
        } else {
            of_words(linted, group)
        }
    });
    notes.collect()
}

/// Looks at a matcher of an event whose subject is one of a few words.
fn of_words(linted: &Linted<'_>, group: &Group) -> Option<Note> {
    let text = group.matcher_text.as_deref()?;
    let words = words(linted, group);
    let is_judged = !words.is_empty() && !group.matcher.is_all();
    let dead = || !words.iter().any(|word| selects(group, word));
    let mut names = text.split(['|', ',']).map(str::trim);
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_- ,|".contains(c);
    let slip = names.find_map(|name| {
        let near = nearest(name, words.iter().copied());
        near.filter(|near| *near != name && text.chars().all(is_plain))
    });
    if !is_judged || (slip.is_none() && !dead()) {
        return None;
    }
    let event = group
        .speaks
        .as_ref()
        .map_or(&*group.event, |speaks| &speaks.native);
    let message = format!("`{event}` is about none of what the matcher `{text}` names");
    let all: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
    let help = match slip {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("it is about one of {}", all.join(", ")),
    };
    Some(Note::new(linted.matcher_at(group), message).help(help))
}

/// The words that an event is about, at the host of the file; in a universal one, at any host.
fn words(linted: &Linted<'_>, group: &Group) -> Vec<&'static str> {
    let is_read = |format: &&&NativeFormat| linted.format.is_none_or(|own| own.host == format.host);
    let is_it = |format: &NativeFormat, native: &str| {
        let row = host(format.host).and_then(|host| host.row(native));
        let same = row.map(|row| row.event) == group.spec.map(|spec| spec.name);
        row.is_some() && same
    };
    let rows = FORMATS.iter().filter(is_read).flat_map(|format| {
        let rows = format.words.iter();
        rows.filter(|(native, _)| is_it(format, native))
    });
    let mut words: Vec<&str> = rows.flat_map(|(_, words)| words.iter().copied()).collect();
    words.sort_unstable();
    words.dedup();
    words
}

/// Looks for a name that only other hosts have, in the file of one that minds the case.
fn of_host(linted: &Linted<'_>, group: &Group) -> Option<Note> {
    let minds = |format: &&NativeFormat| matches!(format.matching, Matching::Names(_));
    let format = linted.format.filter(minds)?;
    let rows = host(format.host)?.facts().tools.rows;
    let renamed = |name: &str| rows.iter().any(|row| row.is == name);
    let canonical = tools::all().filter(|name| tools::canonical(name) == *name && !renamed(name));
    let own: Vec<&str> = canonical.chain(rows.iter().map(|row| row.name)).collect();
    let names = group
        .matcher_text
        .as_deref()?
        .split(['|', ','])
        .map(str::trim);
    let names: Vec<&str> = names.collect();
    let slip = names.iter().find_map(|name| {
        let near = own.iter().find(|own| own.eq_ignore_ascii_case(name))?;
        (!names.contains(near) && !own.contains(name)).then_some((name, near))
    });
    let (name, near) = slip?;
    let message = format!("`{}` has no tool `{name}`, and minds the case", format.host);
    Some(Note::new(linted.matcher_at(group), message).help(format!("did you mean `{near}`?")))
}

fn of_group(linted: &Linted<'_>, group: &Group) -> Option<Note> {
    // What Cursor's shell events look at is a command, and no name.
    if group.entries.iter().any(|entry| entry.only.is_some()) {
        return None;
    }
    let text = group.matcher_text.as_deref()?;
    let at = linted.matcher_at(group);
    if let Some((name, near)) = misspelled(text) {
        let message = format!("no agent has a tool `{name}`");
        return Some(Note::new(at, message).help(format!("did you mean `{near}`?")));
    }
    let is_foreign = text.to_lowercase().contains("mcp");
    if group.matcher.is_all() || is_foreign || known().any(|tool| selects(group, tool)) {
        return None;
    }
    let message = "the matcher selects no tool that any agent has";
    // Nothing is selected, so that a short name or one far from any is worth a guess too.
    let is_name = text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let near = nearest(text, known()).filter(|_| is_name);
    let help = near.map_or_else(
        || {
            "`anyhook list hosts` shows what each agent calls its tools; names are case-sensitive"
                .to_owned()
        },
        |near| {
            format!(
                "did you mean `{near}`? `anyhook list hosts` shows what each agent calls its tools"
            )
        },
    );
    Some(Note::new(at, message).help(help))
}

/// Finds a name in a list that is nearly a tool's.
fn misspelled(text: &str) -> Option<(&str, &'static str)> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_- ,|".contains(c);
    if !text.chars().all(is_plain) {
        return None;
    }
    let names = text.split(['|', ',']).map(str::trim);
    let is_judged = |name: &&str| name.len() > 3 && !name.starts_with("mcp__");
    let mut unknown = names.filter(|name| is_judged(name) && !known().any(|tool| tool == *name));
    unknown.find_map(|name| {
        let near = nearest(name, known()).filter(|near| is_slip(name, near))?;
        Some((name, near))
    })
}

/// Tells whether a word is another one with letters swapped, in another case, or with one letter more or less: a name of
/// a tool that we do not know is no slip.
fn is_slip(word: &str, known: &str) -> bool {
    let letters = |text: &str| {
        let mut letters: Vec<char> = text.to_lowercase().chars().collect();
        letters.sort_unstable();
        letters
    };
    let same = |(one, other): &(u8, u8)| one == other;
    let start = word.bytes().zip(known.bytes()).take_while(same).count();
    let end = word
        .bytes()
        .rev()
        .zip(known.bytes().rev())
        .take_while(same)
        .count();
    let shorter = word.len().min(known.len());
    let one_more = word.len().abs_diff(known.len()) == 1 && start + end >= shorter;
    letters(word) == letters(known) || one_more
}

pub(super) fn selects(group: &Group, name: &str) -> bool {
    let subject = Subject {
        name,
        also: &[],
        canonical: None,
    };
    group.matcher.selects(Some(&subject)) != Hit::No
}

/// Every name that any host has for a tool.
pub(super) fn known() -> impl Iterator<Item = &'static str> {
    let own = HOSTS.iter().flat_map(|host| host.facts().tools.rows);
    tools::all().chain(own.flat_map(|row| [row.name, row.is]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_is_found_and_no_tool_of_a_server_is_one() {
        assert_eq!(misspelled("Edit|Wirte"), Some(("Wirte", "Write")));
        for text in ["mcp__Writes", "Bash|mcp__Reads", "Deploy", "Write|Edit"] {
            assert_eq!(misspelled(text), None, "{text}");
        }
    }
}
