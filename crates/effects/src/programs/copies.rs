//! Programs with sources and a target: `cp`, `mv`, `ln`, `install`, `rsync`, `scp`.

use super::call::Call;
use crate::effect::{Certainty, Kind, Object};
use crate::word::{Part, Word};

/// `-o ProxyCommand=…` of ssh and its relatives runs a command.
pub(super) fn options_run(call: &mut Call<'_>) {
    let values: Vec<Word> = call.reading.values("o").cloned().collect();
    for word in values {
        let text = word.known().map(|text| text.to_lowercase());
        let Some(text) = text else {
            call.may_run_code();
            continue;
        };
        let (key, value) = text.split_once(['=', ' ']).unwrap_or((&text, ""));
        match key.trim() {
            "proxycommand" | "localcommand" | "knownhostscommand" | "match" | "include"
            | "pkcs11provider"
                if value != "none" =>
            {
                call.shell(word.without(key.len() + 1), Vec::new());
            }
            _ => {}
        }
    }
}

pub(super) fn rsync(call: &mut Call<'_>) {
    let words = call.words();
    if call.has("n") {
        for word in words
            .iter()
            .filter(|word| super::net::is_remote(word) != Some(false))
        {
            call.connect(word, Certainty::Exact);
        }
        return;
    }
    let (target, sources) = words
        .split_last()
        .map_or((None, &[][..]), |(last, rest)| (Some(last), rest));
    let deletes = call.reading.given.iter().any(|given| {
        given.sure
            && given
                .option
                .names
                .iter()
                .any(|name| name.starts_with("del"))
    });
    if let (true, Some(target)) = (deletes, target)
        && super::net::is_remote(target) != Some(true)
    {
        call.act_path(Kind::Delete, target, Certainty::Exact, true);
    }
    if call.has("remove-source-files") {
        for source in sources {
            call.act_path(Kind::Delete, source, Certainty::Exact, true);
        }
    }
}

/// Which of these programs it is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    Copies,
    Moves,
    Links,
}

/// What becomes of the files, and whether folders are taken with all that is in them.
fn way(call: &Call<'_>) -> (Way, bool) {
    let any = |names: &[&str]| names.iter().any(|name| call.may(name));
    match call.row.name() {
        "mv" => (Way::Moves, true),
        "ln" => (Way::Links, false),
        "cp" if call.has("l") || call.has("s") => (Way::Links, any(&["a", "r", "R", "recursive"])),
        "cp" => (Way::Copies, any(&["a", "r", "R", "recursive"])),
        _ => (Way::Copies, false),
    }
}

pub(super) fn copy(call: &mut Call<'_>) {
    let (way, tree) = way(call);
    let words = call.words();
    if call.row.name() == "install" && call.has("d") {
        for word in &words {
            call.act_path(Kind::Write, word, Certainty::Exact, false);
            super::files::above(call, Kind::Write, word);
        }
        return;
    }
    let given: Vec<Word> = call.reading.values("t").cloned().collect();
    if call.may("t") && !call.has("t") {
        call.effect(Kind::Write, Object::Unknown, Certainty::Unknown);
    }
    let (target, sources) = match (given.last(), words.split_last()) {
        (Some(target), _) => (target.clone(), &*words),
        (None, Some((last, rest))) if !rest.is_empty() || way != Way::Links => (last.clone(), rest),
        (None, _) => (Word::text("."), &*words),
    };
    for source in sources {
        match way {
            Way::Copies => call.act_path(Kind::Read, source, Certainty::Exact, tree),
            Way::Moves => call.letter('m', Some(source), Certainty::Exact),
            // What is done to the link is done to what it names.
            Way::Links => {
                call.act_path(Kind::Read, source, Certainty::Likely, tree);
                call.act_path(Kind::Write, source, Certainty::Likely, tree);
                from_link(call, source, &target);
            }
        }
    }
    // A last word that is split may be none: then the one before it is the target.
    let splits = |word: &Word| word.parts.contains(&Part::Split);
    if words.iter().any(splits) {
        call.effect(Kind::Write, Object::Unknown, Certainty::Unknown);
    }
    let into_folder =
        !given.is_empty() || sources.len() > 1 || (way == Way::Links && words.len() == 1);
    if sources.is_empty() || call.may("parents") {
        call.act_path(Kind::Write, &target, Certainty::Exact, true);
    } else {
        lands(
            call,
            sources,
            &target,
            into_folder || is_folder(&target),
            tree,
        );
    }
    besides(call, &target);
}

/// A symbolic link that is relative counts from the folder in which the link stands.
fn from_link(call: &mut Call<'_>, source: &Word, target: &Word) {
    if !call.may("s") || source.head().starts_with('/') {
        return;
    }
    let above = target
        .known()
        .map(|text| match text.trim_end_matches('/').rsplit_once('/') {
            Some((above, _)) => Word::text(format!("{above}/")),
            None => Word::text(""),
        });
    // A target that is a folder holds the link.
    let mut whole = target.clone();
    whole.parts.push(Part::Text("/".to_owned()));
    for mut folder in [above.unwrap_or_else(Word::unknown), whole] {
        if folder.parts.is_empty() || folder.known().as_deref() == Some("") {
            continue;
        }
        folder.parts.extend(source.parts.iter().cloned());
        for kind in [Kind::Read, Kind::Write] {
            call.act_path(kind, &folder, Certainty::Likely, false);
        }
    }
}

/// Notes what else is written: copies of what was there, with a letter or more behind their names, and folders on the way.
fn besides(call: &mut Call<'_>, target: &Word) {
    if call.row.name() == "install" && call.may("D") {
        super::files::above(call, Kind::Write, target);
        call.act_path(Kind::Write, target, Certainty::Likely, false);
    }
    if !["b", "backup", "S"].iter().any(|name| call.has(name)) {
        return;
    }
    for effect in call.acts.effects.clone() {
        let path = match (&effect.kind, &effect.object) {
            (Kind::Write, Object::Path(path) | Object::Tree(path)) => {
                path.to_string_lossy().into_owned()
            }
            _ => continue,
        };
        let parts = vec![Part::Text(path), Part::Glob("*".to_owned())];
        call.act_path(Kind::Write, &Word { parts }, Certainty::Likely, false);
    }
}

/// Tells whether a word can only name a folder.
fn is_folder(target: &Word) -> bool {
    let text = target.known().unwrap_or_default();
    let ends = ["/", "/.", "/.."].iter().any(|end| text.ends_with(end));
    ends || matches!(&*text, "." | "..")
}

/// Notes what a copy writes: the target, or names in it. A target that may be a folder is both.
fn lands(call: &mut Call<'_>, sources: &[Word], target: &Word, is_folder: bool, tree: bool) {
    let many = |word: &Word| word.parts.iter().any(|part| matches!(part, Part::Glob(_)));
    if is_folder && !call.has("T") {
        into(call, sources, target, Certainty::Exact, tree);
    } else if call.has("T") {
        call.act_path(Kind::Write, target, Certainty::Exact, tree);
    } else if sources.iter().any(many) {
        call.act_path(Kind::Write, target, Certainty::Likely, tree);
        into(call, sources, target, Certainty::Exact, tree);
    } else {
        call.act_path(Kind::Write, target, Certainty::Exact, tree);
        if !tree {
            into(call, sources, target, Certainty::Likely, tree);
        }
    }
}

/// Notes each source as written into a folder under its own name.
fn into(call: &mut Call<'_>, sources: &[Word], target: &Word, sure: Certainty, tree: bool) {
    for source in sources {
        let Some(name) = last_part(source) else {
            call.act_path(Kind::Write, target, sure, true);
            continue;
        };
        let mut parts = target.parts.clone();
        let ends = matches!(parts.last(), Some(Part::Text(text)) if text.ends_with('/'));
        if !ends && !parts.is_empty() {
            parts.push(Part::Text("/".to_owned()));
        }
        parts.extend(name.parts);
        call.act_path(Kind::Write, &Word { parts }, sure, tree);
    }
}

/// Returns the last name of a path, if it is one and can be read.
fn last_part(word: &Word) -> Option<Word> {
    let mut parts = Vec::new();
    let whole = word.known();
    if let Some(text) = whole {
        let name = text
            .trim_end_matches('/')
            .rsplit('/')
            .next()
            .unwrap_or_default();
        let is_name = !matches!(name, "" | "." | "..");
        return is_name.then(|| Word::text(name));
    }
    for part in word.parts.iter().rev() {
        match part {
            Part::Text(text) => match text.rsplit_once('/') {
                Some((_, name)) => {
                    parts.push(Part::Text(name.to_owned()));
                    break;
                }
                None => parts.push(part.clone()),
            },
            Part::Glob(_) => parts.push(part.clone()),
            Part::Unknown | Part::Split => return None,
        }
    }
    parts.reverse();
    parts.retain(|part| *part != Part::Text(String::new()));
    (!parts.is_empty()).then_some(Word { parts })
}
