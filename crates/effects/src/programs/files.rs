//! Programs that make, change, show, find or remove files.

use super::call::Call;
use crate::command::{Input, Shape};
use crate::effect::{Certainty, Kind, Object};
use crate::word::{Part, Word};

/// `mkdir -p a/b` makes `a` too, and `rmdir -p a/b` removes it.
pub(super) fn parents(call: &mut Call<'_>) {
    let kind = if call.row.name() == "mkdir" {
        Kind::Write
    } else {
        Kind::Delete
    };
    if call.may("p") {
        for word in call.words() {
            above(call, kind, &word);
        }
    }
}

/// Notes the folders that a path names on its way.
pub(super) fn above(call: &mut Call<'_>, kind: Kind, word: &Word) {
    let Some(text) = word.known() else {
        // One of the folders on the way cannot be told.
        call.effect(kind, Object::Unknown, Certainty::Unknown);
        return;
    };
    let mut text = text.trim_end_matches('/');
    while let Some((above, _)) = text.rsplit_once('/').filter(|(above, _)| !above.is_empty()) {
        call.act_path(kind, &Word::text(above), Certainty::Likely, false);
        text = above;
    }
}

/// `mktemp TEMPLATE`: its last `X` are filled in.
pub(super) fn temporary(call: &mut Call<'_>) {
    if call.has("u") {
        return;
    }
    let folder = call
        .reading
        .values("p")
        .chain(call.reading.values("tmpdir"))
        .last()
        .cloned();
    let template = call.words().first().cloned();
    let in_temp = call.may("t") || call.may("p") || call.may("tmpdir") || template.is_none();
    let mut assigned = call.command.assigned.iter();
    let chosen = assigned.find_map(|(name, value)| (name == "TMPDIR").then(|| value.clone()));
    let mut parts = match (&folder, in_temp) {
        (Some(folder), _) => folder.parts.clone(),
        (None, true) if chosen.is_some() => chosen.unwrap_or_default().parts,
        (None, true) => vec![Part::Text("/tmp".to_owned())],
        (None, false) => Vec::new(),
    };
    if in_temp {
        parts.push(Part::Text("/".to_owned()));
    }
    let text = template.map_or(Some("tmp.XXXXXXXXXX".into()), |word| {
        word.known().map(std::borrow::Cow::into_owned)
    });
    match &text {
        Some(text) => {
            // The last run of this letter is filled in; what stands behind it stays.
            let end = text.rfind('X').map_or(text.len(), |at| at + 1);
            let (before, behind) = text.split_at_checked(end).unwrap_or((text, ""));
            let head = before.trim_end_matches('X');
            parts.push(Part::Text(head.to_owned()));
            parts.push(Part::Glob(FILLED.repeat(before.len() - head.len())));
            parts.push(Part::Text(behind.to_owned()));
        }
        None => parts.push(Part::Unknown),
    }
    parts.retain(|part| !matches!(part, Part::Text(text) | Part::Glob(text) if text.is_empty()));
    let word = Word { parts };
    call.act_path(Kind::Write, &word, Certainty::Likely, false);
    let plain = |given: &crate::options::Given| given.option.is("d") || given.option.is("q");
    let is_sure = call.reading.given.iter().all(plain) && call.reading.unlisted.is_empty();
    if is_sure && text.is_some() && !call.reading.unreadable && !word.head().starts_with('-') {
        call.acts.shape = Some(Shape::Word(joined(word)));
    }
}

/// What `mktemp` puts in the place of one `X`.
pub(crate) const FILLED: &str = "[0-9A-Za-z]";

/// The word with texts that stand side by side as one.
fn joined(word: Word) -> Word {
    let mut parts: Vec<Part> = Vec::new();
    for part in word.parts {
        match (parts.last_mut(), part) {
            (Some(Part::Text(last)), Part::Text(text)) => last.push_str(&text),
            (_, part) => parts.push(part),
        }
    }
    Word { parts }
}

/// With a list of names it reads every file of the list.
pub(super) fn of_a_list(call: &mut Call<'_>) {
    if call.may("files0-from") {
        call.effect(Kind::Read, Object::Unknown, Certainty::Unknown);
    }
}

/// `wc -l` of its input prints one number.
pub(super) fn counted(call: &mut Call<'_>) {
    of_a_list(call);
    let words = call.command.words.get(1..).unwrap_or_default();
    if let [word] = words
        && word
            .known()
            .is_some_and(|text| ["-l", "-w", "-c", "-m"].contains(&&*text))
    {
        call.acts.shape = Some(Shape::Number);
    }
}

/// `tee` and `cat` hand on what they read.
pub(super) fn passes(call: &mut Call<'_>) {
    let only_hands_on = call.row.name() == "tee"
        || (call.name == "cat"
            && call.reading.given.is_empty()
            && call.reading.operands.is_empty());
    if let (true, Input::Text(text)) = (only_hands_on, &call.command.input) {
        call.acts.prints = Some(text.clone());
    }
}

/// `less +!command` and `more +:w` do what they say at the start.
pub(super) fn plus_runs(call: &mut Call<'_>) {
    let plus = call.words().iter().any(|word| word.head().starts_with('+'));
    if plus {
        call.opaque = true;
    }
}

/// `split` writes files beside each other whose names begin alike.
pub(super) fn pieces(call: &mut Call<'_>) {
    let words = call.words();
    let prefix = match call.row.name() {
        _ if call.name == "csplit" => call.reading.values("f").next().cloned(),
        _ => words.get(1).cloned(),
    };
    let default = if call.name == "csplit" { "xx" } else { "x" };
    let mut name = prefix.unwrap_or_else(|| Word::text(default));
    name.parts.push(Part::Glob("*".to_owned()));
    call.act_path(Kind::Write, &name, Certainty::Likely, false);
}

pub(super) fn decodes(call: &mut Call<'_>) {
    let Input::Text(text) = &call.command.input else {
        return;
    };
    if call.has("d") && call.row.name() == call.name && call.words().is_empty() {
        let packed: String = text.chars().filter(|c| !c.is_whitespace()).collect();
        call.acts.prints = unpacked(&packed);
    }
}

/// Reads base64.
fn unpacked(text: &str) -> Option<String> {
    const LETTERS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut bytes = Vec::new();
    let (mut held, mut bits) = (0_u32, 0);
    for letter in text.trim_end_matches('=').chars() {
        let value = u32::try_from(LETTERS.find(letter)?).ok()?;
        held = (held << 6 | value) & 0xFFFF;
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            bytes.push(u8::try_from(held >> bits & 0xFF).ok()?);
        }
    }
    String::from_utf8(bytes).ok()
}

pub(super) fn last_name(call: &mut Call<'_>) {
    if let (true, [word]) = (call.reading.given.is_empty(), &*call.words()) {
        let text = word.known();
        let name = text.map(|text| {
            text.trim_end_matches('/')
                .rsplit('/')
                .next()
                .unwrap_or_default()
                .to_owned()
        });
        call.acts.prints = name.map(|name| format!("{name}\n"));
    }
}

pub(super) fn folder_name(call: &mut Call<'_>) {
    if let (true, [word]) = (call.reading.given.is_empty(), &*call.words()) {
        let folder = word
            .known()
            .map(|text| match text.trim_end_matches('/').rsplit_once('/') {
                Some(("", _)) => "/".to_owned(),
                Some((above, _)) => above.trim_end_matches('/').to_owned(),
                None => ".".to_owned(),
            });
        call.acts.prints = folder.map(|folder| format!("{folder}\n"));
    }
}

pub(super) fn prints_folder(call: &mut Call<'_>) {
    if let [folder] = &*call.folders {
        call.acts.prints = folder.to_str().map(|folder| format!("{folder}\n"));
    }
}

fn known(words: &[Word]) -> Option<Vec<String>> {
    let words = words
        .iter()
        .map(|word| word.known().map(std::borrow::Cow::into_owned));
    words.collect()
}

/// Only what each shell prints alike counts as known.
pub(super) fn echoes(call: &mut Call<'_>) {
    let words = call.command.words.get(1..).unwrap_or_default();
    let Some(words) = known(words) else { return };
    let (end, words) = match words.split_first() {
        Some((first, rest)) if first == "-n" => ("", rest),
        _ => ("\n", &*words),
    };
    let is_plain = !words.iter().any(|word| word.contains('\\'))
        && !words.first().is_some_and(|word| word.starts_with('-'));
    if is_plain {
        call.acts.prints = Some(words.join(" ") + end);
    }
}

pub(super) fn prints(call: &mut Call<'_>) {
    let words = call.command.words.get(1..).unwrap_or_default();
    let Some(words) = known(words) else { return };
    let words = match words.split_first() {
        Some((first, rest)) if first == "--" => rest,
        _ => &*words,
    };
    if let Some((format, values)) = words.split_first() {
        call.acts.prints = formatted(format, values);
    }
}

/// Fills in a format, if it holds only what every `printf` prints alike.
fn formatted(format: &str, values: &[String]) -> Option<String> {
    let mut all = String::new();
    let mut values = values.iter();
    loop {
        let before = values.len();
        let mut letters = format.chars();
        while let Some(letter) = letters.next() {
            match letter {
                '\\' => all.push(match letters.next()? {
                    'n' => '\n',
                    't' => '\t',
                    '\\' => '\\',
                    '"' => '"',
                    '\'' => '\'',
                    _ => return None,
                }),
                '%' => match letters.next()? {
                    '%' => all.push('%'),
                    's' => all.push_str(values.next().map_or("", |value| value)),
                    _ => return None,
                },
                letter => all.push(letter),
            }
        }
        if values.len() == 0 {
            return Some(all);
        }
        if values.len() == before {
            return Some(all);
        }
    }
}

/// `dd` takes no options but words such as `of=FILE`.
pub(super) fn dd(call: &mut Call<'_>) {
    for word in call.command.words.iter().skip(1) {
        let head = word.head();
        if head.starts_with("of=") {
            call.act_path(Kind::Write, &word.without(3), Certainty::Exact, false);
        } else if head.starts_with("if=") {
            call.act_path(Kind::Read, &word.without(3), Certainty::Exact, false);
        } else if word.known().is_none() && !head.contains('=') {
            call.effect(Kind::Write, Object::Unknown, Certainty::Unknown);
            call.effect(Kind::Read, Object::Unknown, Certainty::Unknown);
        }
    }
}

/// `chmod -x FILE`: a mode that looks like an option, so the first operand is a file too.
pub(super) fn mode_as_option(call: &mut Call<'_>) {
    let is_mode = |option: &String| matches!(&**option, "-r" | "-w" | "-x" | "-X" | "-s" | "-t");
    if call.reading.unlisted.iter().any(is_mode)
        && let Some(file) = call.words().first().cloned()
    {
        call.act_path(Kind::Write, &file, Certainty::Exact, false);
    }
}
