//! Programs that make, copy, move, pack out or print files and names.

use super::call::Call;
use crate::command::{Input, OutputShape};
use crate::effect::Certainty::{self, Exact, Likely};
use crate::effect::EffectKind;
use crate::word::{Part, Word};

/// `mkdir -p a/b` makes `a` too, and `rmdir -p a/b` removes it; `git init a/b` makes both without being asked.
pub(super) fn parents(call: &mut Call<'_>) {
    let letter = if call.row.name() == "rmdir" { 'd' } else { 'w' };
    if call.may("p") || call.row.name() == "git init" {
        for word in call.words() {
            above(call, letter, &word);
        }
    }
}

/// Notes the folders that a path names on its way.
pub(super) fn above(call: &mut Call<'_>, letter: char, word: &Word) {
    let is_last = |part: &Part| match part {
        Part::Text(text) | Part::Glob(text) => !text.contains('/'),
        Part::Of(_) => true,
        Part::Unknown | Part::Split => false,
    };
    let mut behind = word.parts.iter().skip(usize::from(!word.head().is_empty()));
    let known = word.known().map(str::to_owned);
    let guessed = || behind.all(is_last).then(|| format!("{}_", word.head()));
    let Some(text) = known.or_else(guessed) else {
        // One of the folders on the way cannot be told.
        call.letter(letter, None, Certainty::Unknown);
        return;
    };
    let mut text = text.trim_end_matches('/');
    while let Some((above, _)) = text.rsplit_once('/').filter(|(above, _)| !above.is_empty()) {
        call.letter(letter, Some(&Word::text(above)), Likely);
        text = above;
    }
}

/// `mktemp TEMPLATE`: its last `X` are filled in, so that the name is a new one; here they stand for themselves.
pub(super) fn temporary(call: &mut Call<'_>) {
    if call.has("u") {
        return;
    }
    let template = call.words().into_iter().next();
    let is_in_folder = template.is_none() || call.may("t p tmpdir");
    let template = template.unwrap_or_else(|| Word::text("tmp.XXXXXXXXXX"));
    let is_known = template.known().is_some();
    let mut assigned = call.command.assigned.iter();
    let chosen = assigned.find_map(|(name, value)| (name == "TMPDIR").then(|| value.clone()));
    let folder = call.values("p tmpdir").pop().or(chosen);
    let word = if is_in_folder {
        folder
            .unwrap_or_else(|| Word::text("/tmp"))
            .below(&template)
    } else {
        template
    };
    call.likely("w", &word);
    if call.has_only(&["d", "q", "t"]) && is_known && !word.head().starts_with('-') {
        call.acts.shape = Some(OutputShape::Word(word));
    }
}

/// `date +%Y-%m-%d` prints digits, and no name in front of them.
pub(super) fn dated(call: &mut Call<'_>) {
    let is_told = |field: &str| {
        let mut letters = field.chars();
        let number = letters
            .next()
            .filter(|it| "CFGHMSTUVWYdgjmsuwy".contains(*it));
        number.is_some() && matches!(letters.as_str(), "" | "-" | "_" | ":" | "." | "T")
    };
    let known = Word::all_known(call.command.words.get(1..).unwrap_or_default());
    let format = match known.as_deref() {
        Some([utc @ .., format]) if utc.iter().all(|it| *it == "-u") => format.strip_prefix("+%"),
        _ => None,
    };
    let ends = |it: &str| it.rsplit('%').next().is_some_and(|last| last.len() == 1);
    if format.is_some_and(|it| it.split('%').all(is_told) && ends(it)) {
        call.acts.shape = Some(OutputShape::Text(Word::of("<->")));
    }
}

/// `wc -l` of its input prints one number, and so do those that count processors.
pub(super) fn counted(call: &mut Call<'_>) {
    let words = Word::all_known(&call.words_from(1)).map(|words| words.join(" "));
    let is_one = match (call.row.name(), words.as_deref()) {
        ("wc", Some(words)) => matches!(words, "-l" | "-w" | "-c" | "-m"),
        ("nproc", Some(words)) => matches!(words, "" | "--all" | "_NPROCESSORS_ONLN"),
        _ => false,
    };
    if is_one {
        call.acts.shape = Some(OutputShape::Text(Word::of("<->")));
    }
}

/// `tee` and `cat` hand on what they read.
pub(super) fn passes(call: &mut Call<'_>) {
    let only_hands_on =
        call.row.name() == "tee" || call.name == "cat" && call.command.words.len() == 1;
    let is_empty = |word: &Word| word.says(&["/dev/null"]);
    match &call.command.input {
        Input::Text(text) if only_hands_on => call.acts.prints = Some(text.clone()),
        _ if call.name == "cat" && !only_hands_on && call.words_from(1).iter().all(is_empty) => {
            call.acts.prints = Some(String::new());
        }
        _ => {}
    }
}

/// `split` writes files beside each other whose names begin alike.
pub(super) fn pieces(call: &mut Call<'_>) {
    let (prefix, usual) = if call.name == "csplit" {
        (call.values("f").pop(), "xx")
    } else {
        (call.words().get(1).cloned(), "x")
    };
    let name = prefix.unwrap_or_else(|| Word::text(usual));
    call.likely("w", &name.with_pattern("*"));
}

/// `basename` and `dirname` of one word.
pub(super) fn last_name(call: &mut Call<'_>) {
    let [word] = &*call.words_from(1) else {
        return;
    };
    if word.head().starts_with('-') {
        return;
    }
    call.acts.prints = word
        .known()
        .map(|text| match text.trim_end_matches('/').rsplit_once('/') {
            _ if call.row.name() == "basename" => format!("{}\n", file_name(text)),
            Some(("", _)) => "/\n".to_owned(),
            Some((above, _)) => format!("{}\n", above.trim_end_matches('/')),
            None => ".\n".to_owned(),
        });
}

pub(super) fn prints_folder(call: &mut Call<'_>) {
    let words = call.words_from(1);
    if let ([folder], true) = (
        &*call.folders,
        words.iter().all(|word| word.says(&["-L", "-P"])),
    ) {
        call.acts.prints = folder.to_str().map(|folder| format!("{folder}\n"));
    }
}

/// Only what each shell prints alike counts as known.
pub(super) fn echoes(call: &mut Call<'_>) {
    let words = call.words_from(1);
    let Some(words) = Word::all_known(&words) else {
        return;
    };
    let (end, words) = match words.split_first() {
        Some((&"-n", rest)) => ("", rest),
        _ => ("\n", &*words),
    };
    let is_option = words.first().is_some_and(|word| word.starts_with('-'));
    if !is_option && !words.iter().any(|word| word.contains('\\')) {
        call.acts.prints = Some(words.join(" ") + end);
    }
}

pub(super) fn prints(call: &mut Call<'_>) {
    let words = call.words_from(1);
    let words = Word::all_known(&words).unwrap_or_default();
    let words = words.strip_prefix(&["--"]).unwrap_or(&words);
    let parts = words.split_first();
    call.acts.prints = parts.and_then(|(format, values)| formatted(format, values));
}

/// Fills in a format, if it holds only what every `printf` prints alike.
fn formatted(format: &str, values: &[&str]) -> Option<String> {
    let mut all = String::new();
    let mut values = values.iter();
    loop {
        let before = values.len();
        let mut letters = format.chars();
        while let Some(letter) = letters.next() {
            match letter {
                '\\' => match letters.next()? {
                    'n' => all.push('\n'),
                    't' => all.push('\t'),
                    plain @ ('\\' | '"' | '\'') => all.push(plain),
                    _ => return None,
                },
                '%' => match letters.next()? {
                    '%' => all.push('%'),
                    's' => all.push_str(values.next().map_or("", |value| value)),
                    _ => return None,
                },
                letter => all.push(letter),
            }
        }
        if values.len() == 0 || values.len() == before {
            return Some(all);
        }
    }
}

/// `dd` takes no options but words such as `of=FILE`.
pub(super) fn dd(call: &mut Call<'_>) {
    for word in call.words_from(1) {
        match word.head().get(..3) {
            Some("of=") => call.does("w", &word.without(3)),
            Some("if=") => call.does("r", &word.without(3)),
            _ if word.known().is_none() && !word.head().contains('=') => call.unknown("rw"),
            _ => {}
        }
    }
}

/// `rsync`: what it removes at the target or at the source.
pub(super) fn rsync(call: &mut Call<'_>) {
    let words = call.words();
    if call.has("n") {
        let is_remote = |word: &&Word| super::net::is_remote(word) != Some(false);
        for word in words.iter().filter(is_remote) {
            call.does("n", word);
        }
    } else if let Some((target, sources)) = words.split_last() {
        let deletes = "delete del delete-before delete-during delete-after delete-excluded delete-delay delete-missing-args";
        if call.has(deletes) && super::net::is_remote(target) != Some(true) {
            call.does("D", target);
        }
        if call.has("remove-source-files") {
            for source in sources {
                call.does("D", source);
            }
        }
    }
}

/// `cp`, `mv`, `ln` and `install`: sources and a target.
pub(super) fn copy(call: &mut Call<'_>) {
    let words = call.words();
    let name = call.row.name();
    if name == "install" && call.has("d") {
        for word in &words {
            call.does("w", word);
            above(call, 'w', word);
        }
        return;
    }
    let links = name == "ln" || name == "cp" && call.has("l s");
    let tree = name == "mv" || name == "cp" && call.may("a r");
    let given = call.values("t").pop();
    // A last word that is split may be none: then the one before it is the target.
    if call.may("t") && !call.has("t") || words.iter().any(Word::may_vanish) {
        call.unknown("w");
    }
    let (target, sources) = match (&given, words.split_last()) {
        (Some(target), _) => (target.clone(), &*words),
        (None, Some((last, rest))) if !rest.is_empty() || !links => (last.clone(), rest),
        (None, _) => (Word::text("."), &*words),
    };
    for source in sources {
        match name {
            // What is done to the link is done to what it names.
            _ if links => {
                call.likely(if tree { "RW" } else { "rw" }, source);
                from_link(call, source, &target);
            }
            "mv" => call.does("m", source),
            _ => call.does(if tree { "R" } else { "r" }, source),
        }
    }
    let is_many = given.is_some() || sources.len() > 1 || links && words.len() == 1;
    // What the target held is lost.
    if sources.iter().any(|source| source.says(&["/dev/null"])) {
        call.likely("d", &target);
    }
    if sources.is_empty() || call.may("parents") {
        call.does("W", &target);
    } else {
        lands(call, sources, &target, is_many || is_folder(&target));
    }
    if name == "install" && call.may("D") {
        above(call, 'w', &target);
        call.likely("w", &target);
    }
    if call.has("b backup S") {
        call.unknown("w");
    }
}

/// A symbolic link that is relative counts from the folder in which the link stands.
fn from_link(call: &mut Call<'_>, source: &Word, target: &Word) {
    if !call.may("s") || source.head().starts_with('/') {
        return;
    }
    let above = target.known().map(|text| {
        let above = text.trim_end_matches('/').rsplit_once('/');
        Word::text(above.map_or(String::new(), |(above, _)| format!("{above}/")))
    });
    // A target that is a folder holds the link.
    let folders = [
        above.unwrap_or_else(Word::unknown),
        Word::joined(&[target, &Word::text("/")]),
    ];
    for folder in folders.iter().filter(|folder| !folder.parts.is_empty()) {
        call.likely("rw", &Word::joined(&[folder, source]));
    }
}

/// The last name of a path.
pub(super) fn file_name(text: &str) -> &str {
    let text = text.trim_end_matches('/');
    text.rsplit('/').next().unwrap_or_default()
}

/// Tells whether a word can only name a folder.
fn is_folder(target: &Word) -> bool {
    let text = target.known().unwrap_or_default();
    matches!(text.rsplit('/').next(), Some("" | "." | "..")) && !text.is_empty()
}

/// Notes what a copy writes: the target, or names in it. A target that may be a folder is both.
fn lands(call: &mut Call<'_>, sources: &[Word], target: &Word, is_folder: bool) {
    let tree = call.row.name() == "mv" || call.row.name() == "cp" && call.may("a r");
    let is_target = call.has("T");
    if is_target || !is_folder {
        call.does(if tree { "W" } else { "w" }, target);
    }
    if is_target || tree && !is_folder {
        return;
    }
    let sure = if is_folder { Exact } else { Likely };
    for source in sources {
        match last_part(source) {
            Some(name) => call.act_path(EffectKind::Write, &target.below(&name), sure, tree),
            None => call.act_path(EffectKind::Write, target, sure, true),
        }
    }
}

/// Returns the last name of a path, if it is one and can be read.
fn last_part(word: &Word) -> Option<Word> {
    if let Some(text) = word.known() {
        let name = file_name(text);
        return (!matches!(name, "" | "." | "..")).then(|| Word::text(name));
    }
    let mut parts = Vec::new();
    for part in word.parts.iter().rev() {
        match part {
            Part::Text(text) => {
                let name = text.rsplit('/').next().unwrap_or_default();
                parts.push(Part::Text(name.to_owned()));
                if name.len() < text.len() {
                    break;
                }
            }
            Part::Glob(_) | Part::Of(_) => parts.push(part.clone()),
            Part::Unknown | Part::Split => return None,
        }
    }
    parts.reverse();
    parts.retain(|part| *part != Part::Text(String::new()));
    (!parts.is_empty()).then_some(Word { parts })
}
