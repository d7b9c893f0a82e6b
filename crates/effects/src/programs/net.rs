//! Programs that connect to other machines.

use super::call::Call;
use crate::effect::{Certainty, Kind, Object};
use crate::word::{Part, Word};

/// Tells whether a word names a place on another machine: `machine:path`, or a URL. `None` if it cannot be read.
pub(super) fn is_remote(word: &Word) -> Option<bool> {
    let known = word.known();
    let text = known.as_deref().unwrap_or_else(|| word.head());
    let colon = text.find(':');
    let slash = text.find('/');
    match (colon, slash) {
        (Some(colon), Some(slash)) if slash < colon => Some(false),
        (Some(colon), _) => Some(colon > 0),
        (None, slash) if slash.is_some() || known.is_some() => Some(false),
        (None, _) => None,
    }
}

/// A URL of a file on this machine is read, or written by an upload.
fn local(call: &mut Call<'_>, url: &Word) {
    let head = url.head().to_ascii_lowercase();
    // A scheme in braces is one of several.
    let is_many = head.starts_with(['{', '[']);
    if !head.starts_with("file:") && !is_many {
        return;
    }
    let path = url.without(head.find('/').unwrap_or(head.len()));
    let path = path.without(if path.head().starts_with("//") { 2 } else { 0 });
    let path = path.without(if path.head().starts_with("localhost/") {
        9
    } else {
        0
    });
    let is_plain = path
        .known()
        .is_some_and(|path| !path.contains(['%', '{', '[', '?', '#']));
    let path = if is_plain && !is_many {
        path
    } else {
        Word::unknown()
    };
    call.act_path(Kind::Read, &path, Certainty::Exact, false);
    if call.may("T") {
        call.act_path(Kind::Write, &path, Certainty::Likely, false);
    }
}

/// `-d @FILE`, `-F x=@FILE`, `-o FILE`, `-O`, `-K FILE`.
pub(super) fn curl(call: &mut Call<'_>) {
    let folder = call.reading.values("output-dir").last().cloned();
    let in_folder = |word: &Word| match &folder {
        Some(folder) => {
            let mut parts = folder.parts.clone();
            parts.push(crate::word::Part::Text("/".to_owned()));
            parts.extend(word.parts.clone());
            Word { parts }
        }
        None => word.clone(),
    };
    let urls = call.reading.values("url").cloned();
    let urls: Vec<Word> = urls.chain(call.words()).collect();
    for url in urls {
        local(call, &url);
    }
    let own = call.name.clone();
    for given in call.reading.given.clone() {
        let sure = if given.sure {
            Certainty::Exact
        } else {
            Certainty::Unknown
        };
        call.name = format!("{own} {}", given.option.written());
        let value = given.value.clone().unwrap_or_else(Word::unknown);
        if given.option.is("o") {
            call.act_path(Kind::Write, &in_folder(&value), sure, false);
            if call.may("create-dirs") {
                super::files::above(call, Kind::Write, &in_folder(&value));
            }
        } else if given.option.is("K") {
            call.act_path(Kind::Read, &value, sure, false);
            call.effect(Kind::Net, Object::Unknown, Certainty::Unknown);
            call.effect(Kind::Write, Object::Unknown, Certainty::Unknown);
        } else if given.option.of_value.contains('a') {
            sends(call, &value, sure);
        } else if given.option.is("O") || given.option.is("remote-name-all") {
            let sure = sure.min(Certainty::Likely);
            for url in call.words() {
                let name = url.known().and_then(|url| {
                    let path = url.split(['?', '#']).next()?.to_owned();
                    let name = path.rsplit('/').next()?.to_owned();
                    Some(Word::text(name)).filter(|_| !call.may("J"))
                });
                call.act_path(
                    Kind::Write,
                    &in_folder(&name.unwrap_or_else(Word::unknown)),
                    sure,
                    false,
                );
            }
        } else if given.option.is("b") {
            let is_file = value.known().is_none_or(|text| !text.contains('='));
            if is_file && given.sure {
                call.act_path(Kind::Read, &value, sure, false);
            }
        }
    }
    call.name = own;
}

/// A value that begins with `@`, or holds `=@` or `=<`, is a file that is sent.
fn sends(call: &mut Call<'_>, value: &Word, sure: Certainty) {
    let head = value.head().to_owned();
    if value.known().is_none() && head.is_empty() {
        call.act_path(Kind::Read, &Word::unknown(), Certainty::Unknown, false);
        return;
    }
    let at = ["=@", "=<"]
        .iter()
        .filter_map(|mark| head.find(mark).map(|at| at + 2))
        .min();
    let at = if head.starts_with('@') { Some(1) } else { at };
    let at = at.or_else(|| {
        head.split_once('@')
            .filter(|(name, _)| {
                !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_')
            })
            .map(|(name, _)| name.len() + 1)
    });
    if let Some(at) = at {
        let file = value.without(at);
        let text = file
            .known()
            .map(|text| text.split(';').next().unwrap_or_default().to_owned());
        let file = text.map_or(file, Word::text);
        call.act_path(Kind::Read, &file, sure, false);
    }
}

/// Without `-O` it writes a file that the URL names.
pub(super) fn wget(call: &mut Call<'_>) {
    if call.may("i") {
        call.effect(Kind::Net, Object::Unknown, Certainty::Unknown);
    }
    if call.has("O") || call.has("spider") {
        return;
    }
    let folder = call.reading.values("P").last().cloned();
    if call.may("r") || call.may("m") || call.may("i") || call.may("p") {
        call.act_path(Kind::Write, &Word::text("."), Certainty::Likely, true);
        return;
    }
    for url in call.words() {
        let name = url.known().map(|url| {
            let path = url.split_once("://").map_or(&*url, |(_, path)| path);
            let name = path
                .split_once('/')
                .map_or("", |(_, path)| path.rsplit('/').next().unwrap_or_default());
            if name.is_empty() {
                "index.html".to_owned()
            } else {
                name.to_owned()
            }
        });
        let mut file = name.map_or_else(Word::unknown, Word::text);
        if let Some(folder) = &folder {
            let slash = std::iter::once(Part::Text("/".to_owned()));
            let parts = folder.parts.iter().cloned().chain(slash).chain(file.parts);
            file.parts = parts.collect();
        }
        call.act_path(Kind::Write, &file, Certainty::Likely, false);
    }
}

/// `http [METHOD] URL [ITEM…]`.
pub(super) fn httpie(call: &mut Call<'_>) {
    let mut words = call.words().into_iter().peekable();
    let is_method = |word: &Word| {
        word.known()
            .is_some_and(|text| !text.is_empty() && text.chars().all(|c| c.is_ascii_uppercase()))
    };
    if words.peek().is_some_and(is_method) {
        words.next();
    }
    if let Some(url) = words.next() {
        let text = url.known();
        let local = text.as_deref().is_some_and(|text| text.starts_with(':'));
        let url = if local {
            Word::text("http://localhost")
        } else {
            url.clone()
        };
        call.connect(&url, Certainty::Exact);
    }
    for item in words {
        let head = item.head().to_owned();
        if let Some(at) = head.find('@').filter(|at| *at > 0) {
            call.act_path(Kind::Read, &item.without(at + 1), Certainty::Exact, false);
        } else if item.known().is_none() {
            call.act_path(Kind::Read, &Word::unknown(), Certainty::Unknown, false);
        }
    }
    if call.has("d") && !call.has("o") {
        call.act_path(Kind::Write, &Word::unknown(), Certainty::Unknown, false);
    }
}

pub(super) fn loads_here(call: &mut Call<'_>) {
    if call.words().is_empty() {
        call.effect(Kind::Net, Object::Unknown, Certainty::Likely);
    }
}

/// Connects to what its operands name; `-e` runs a program, `-l` waits for others.
pub(super) fn sockets(call: &mut Call<'_>) {
    let words = call.words();
    call.acts.effects.retain(|effect| effect.kind != Kind::Net);
    let listens = call.row.name() == "nc" && call.has("l") && call.name.starts_with('n');
    for word in &words {
        let text = word.known().unwrap_or_default().to_lowercase();
        if text.starts_with("exec:") || text.starts_with("system:") || text.starts_with("shell:") {
            let at = text.find(':').unwrap_or_default() + 1;
            let line = word.without(at);
            call.shell(line, Vec::new());
        }
        for (mark, kind) in [
            ("open:", Kind::Write),
            ("create:", Kind::Write),
            ("gopen:", Kind::Write),
            ("file:", Kind::Write),
        ] {
            if text.starts_with(mark) && call.name == "socat" {
                let file = text.split(',').next().unwrap_or_default();
                call.act_path(
                    kind,
                    &Word::text(file.get(mark.len()..).unwrap_or_default()),
                    Certainty::Exact,
                    false,
                );
            }
        }
    }
    match words.first() {
        Some(first) if !listens && call.name != "socat" => call.connect(first, Certainty::Likely),
        _ => call.effect(Kind::Net, Object::Unknown, Certainty::Likely),
    }
}

/// `sshpass` runs a command; its relatives write keys.
pub(super) fn sshpass(call: &mut Call<'_>) {
    let at = call.reading.operands.first().map(|operand| operand.at);
    let words = at
        .and_then(|at| call.command.words.get(at..))
        .unwrap_or_default()
        .to_vec();
    match &*call.name {
        // The public half stands beside the private one.
        "ssh-keygen" => {
            let files: Vec<Word> = call.reading.values("f").cloned().collect();
            for mut file in files {
                file.parts.push(Part::Text(".pub".to_owned()));
                call.act_path(Kind::Write, &file, Certainty::Likely, false);
            }
        }
        "sshpass" | "ssh-agent" => call.run(words, false),
        "ssh-copy-id" | "ssh-keyscan" => {
            for word in words {
                call.connect(&word, Certainty::Exact);
            }
        }
        _ => {}
    }
}
