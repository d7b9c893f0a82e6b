//! Programs that find files or read words, and run a command for each: `find`, `fd`, `xargs`, `parallel`.

use super::call::Call;
use super::words;
use crate::command::Input;
use crate::effect::{Certainty, Kind, Object};
use crate::places::{objects, tidy};
use crate::word::{Part, Word};

/// What `find` does to what it finds; each takes so many words.
const FILES_OF_FIND: &[(&str, Kind)] = &[
    ("-fprint", Kind::Write),
    ("-fprint0", Kind::Write),
    ("-fls", Kind::Write),
    ("-fprintf", Kind::Write),
    ("-newer", Kind::Read),
    ("-anewer", Kind::Read),
    ("-cnewer", Kind::Read),
    ("-samefile", Kind::Read),
    ("-files0-from", Kind::Read),
];

/// The words of `find` that begin with `-` and leave it printing the names of what it finds, and nothing else.
const TESTS: &str = "-a -and -o -or -not -name -iname -path -ipath -wholename -regex -iregex -regextype -type -size -empty -mtime \
    -mmin -atime -amin -ctime -cmin -newer -user -group -perm -executable -readable -writable -maxdepth -mindepth \
    -depth -mount -xdev -prune -print -print0 -true -false";

/// Roots, then tests and actions.
pub(super) fn find(call: &mut Call<'_>) {
    let words: Vec<Word> = call.command.words.iter().skip(1).cloned().collect();
    let is_test = |word: &Word| {
        let head = word.head();
        head.starts_with('-') || head.starts_with('(') || head.starts_with('!')
    };
    let links = |word: &&Word| matches!(word.known().as_deref(), Some("-L" | "-P" | "-H"));
    let first = words.iter().take_while(links).count();
    let rest = words.get(first..).unwrap_or_default();
    let end = rest.iter().position(is_test).unwrap_or(rest.len());
    let (roots, tests) = rest.split_at(end);
    let mut roots = roots.to_vec();
    if roots.is_empty() {
        roots.push(Word::text("."));
    }
    for root in &roots {
        call.act_path(Kind::Read, root, Certainty::Exact, true);
    }
    let unreadable = |word: &Word| !matches!(word.parts.first(), None | Some(Part::Text(_)));
    let may_act = rest.iter().any(|word| {
        word.parts.contains(&Part::Split)
            || (unreadable(word) && word.parts.len() == 1 && tests.is_empty())
    });
    if may_act {
        call.effect(Kind::Delete, Object::Unknown, Certainty::Unknown);
        call.may_run_code();
    }
    actions(call, &roots, tests);
    let is_other = |word: &Word| match word.known() {
        Some(text) => {
            let behind = text.strip_prefix('-');
            // `-7` is a value.
            let is_word = |rest: &str| !rest.starts_with(|letter: char| letter.is_ascii_digit());
            behind.is_some_and(is_word) && !TESTS.split(' ').any(|test| test == text)
        }
        None => true,
    };
    if first == 0 && !rest.iter().any(is_other) {
        let name = name_alone(tests);
        let names = roots
            .iter()
            .flat_map(|root| found(root, root, name.as_deref()));
        call.lists(&roots, names.collect());
    }
}

fn actions(call: &mut Call<'_>, roots: &[Word], tests: &[Word]) {
    let own = call.name.clone();
    let mut at = 0;
    while let Some(word) = tests.get(at) {
        at += 1;
        let text = word.known().unwrap_or_default();
        call.name = format!("{own} {text}");
        match &*text {
            "-delete" => {
                let before = tests.get(..at - 1).unwrap_or_default();
                match name_alone(before) {
                    Some(name) => {
                        for word in roots.iter().flat_map(|root| found(root, root, Some(&name))) {
                            call.act_path(Kind::Delete, &word, Certainty::Likely, false);
                        }
                    }
                    None => {
                        for root in roots {
                            call.act_path(Kind::Delete, root, Certainty::Likely, true);
                        }
                    }
                }
            }
            "-exec" | "-execdir" | "-ok" | "-okdir" => {
                let rest = tests.get(at..).unwrap_or_default();
                let ends = |word: &Word| matches!(word.known().as_deref(), Some(";" | "+"));
                let end = rest.iter().position(ends).unwrap_or(rest.len());
                let inner = rest.get(..end).unwrap_or_default();
                let before = tests.get(..at - 1).unwrap_or_default();
                let name = name_alone(before);
                executed(call, roots, inner, (name.as_deref(), text.ends_with("dir")));
                at += end + 1;
            }
            text => {
                let row = FILES_OF_FIND.iter().find(|(name, _)| *name == text);
                if let (Some((_, kind)), Some(file)) = (row, tests.get(at)) {
                    call.act_path(*kind, file, Certainty::Exact, false);
                    at += 1;
                } else if takes_value(text) {
                    at += 1;
                }
            }
        }
    }
    call.name = own;
}

/// The name that every file has which is found, where tests in a row say one.
fn name_alone(tests: &[Word]) -> Option<String> {
    let known: Option<Vec<_>> = tests.iter().map(Word::known).collect();
    let known = known?;
    let chooses = ["-o", "-or", "!", "-not", ",", "(", ")", "-a", "-and"];
    if known.iter().any(|word| chooses.contains(&&**word)) {
        return None;
    }
    let mut pairs = known.windows(2);
    pairs.find_map(|pair| match pair {
        [test, name] if *test == "-name" => Some(name.to_string()),
        _ => None,
    })
}

/// What is found from a root, which is written as `at`: all below it, or what has this name; the root itself too, if it may
/// have the name. A root that is `.` is left out: no program removes that.
fn found(root: &Word, at: &Word, name: Option<&str>) -> Vec<Word> {
    let below = |pattern: String| {
        let mut word = at.clone();
        if !word.head().ends_with('/') || word.parts.len() > 1 {
            word.parts.push(Part::Text("/".to_owned()));
        }
        word.parts.push(Part::Glob(pattern));
        word
    };
    let mut words = match name {
        Some(name) => vec![below(name.to_owned()), below(format!("**/{name}"))],
        None => vec![below("**".to_owned())],
    };
    let text = root.known();
    let own = text
        .as_deref()
        .map(|text| text.rsplit('/').next().unwrap_or_default());
    let is_folder = matches!(own, Some("" | "." | ".."));
    if !is_folder && name.zip(own).is_none_or(|(name, own)| may_have(own, name)) {
        words.push(at.clone());
    }
    words
}

/// Tells whether a name may match the pattern of `-name`.
fn may_have(own: &str, name: &str) -> bool {
    let ends = name.split_once('*').zip(name.rsplit_once('*'));
    match ends {
        _ if name.contains(['?', '[', '\\']) => true,
        Some(((head, _), (_, tail))) => own.starts_with(head) && own.ends_with(tail),
        None => own == name,
    }
}

fn takes_value(test: &str) -> bool {
    words::FIND_TAKES.contains(&test)
}

/// In place of `{}` stands what matches below the roots; `-execdir` runs in the folder of each file.
fn executed(
    call: &mut Call<'_>,
    roots: &[Word],
    inner: &[Word],
    (name, from_own_folder): (Option<&str>, bool),
) {
    let folders = call.folders.clone();
    if from_own_folder {
        // It runs in the folder of each file, so words without `{}` mean other files each time.
        call.folders = Vec::new();
    }
    for root in roots {
        let each = objects(root, &folders).into_iter();
        let absolute: Option<Vec<Word>> = each
            .map(|(object, _)| match object {
                Object::Path(path) => Some(Word::text(tidy(&path).to_string_lossy().into_owned())),
                _ => None,
            })
            .collect();
        match absolute.filter(|places| !places.is_empty()) {
            Some(places) => {
                for word in places.iter().flat_map(|at| found(root, at, name)) {
                    run_with_found(call, inner, &word);
                }
            }
            None => run_with_found(call, inner, &Word::unknown()),
        }
    }
    call.folders = folders;
}

/// Runs the words of `-exec` with what was found in place of `{}`.
fn run_with_found(call: &mut Call<'_>, inner: &[Word], found: &Word) {
    let filled = |word: &Word| match word.known() {
        Some(text) if &*text == "{}" => found.clone(),
        Some(text) if text.contains("{}") => Word::unknown(),
        _ => word.clone(),
    };
    call.run(inner.iter().map(filled).collect(), false);
}

/// `fd -x` takes all words behind it.
pub(super) fn fd(call: &mut Call<'_>) {
    let words = &call.command.words;
    let runs = |word: &Word| {
        matches!(
            word.known().as_deref(),
            Some("-x" | "-X" | "--exec" | "--exec-batch")
        )
    };
    if let Some(at) = words.iter().position(runs) {
        let own = words.get(..at).unwrap_or_default();
        let mut inner = words.get(at + 1..).unwrap_or_default().to_vec();
        call.acts.runs.clear();
        let is_plain = |word: &Word| word.known().is_some_and(|text| !text.contains('{'));
        match found_by_fd(own).filter(|_| inner.iter().all(is_plain)) {
            Some(found) => {
                inner.extend(found);
                call.run(inner, false);
            }
            None => call.run(inner, true),
        }
    }
    if call.reading.operands.len() < 2 {
        call.act_path(Kind::Read, &Word::text("."), Certainty::Likely, true);
    }
}

/// What `fd` finds below the folder that it runs in: all, or what has one of these endings. None where other options or
/// folders are named before the command.
fn found_by_fd(own: &[Word]) -> Option<Vec<Word>> {
    let mut own = own.iter().skip(1);
    let (mut names, mut patterns) = (Vec::new(), 0);
    while let Some(word) = own.next() {
        match word.known().as_deref() {
            Some("-e" | "--extension") => names.push(format!("*.{}", own.next()?.known()?)),
            Some(text) if !text.starts_with('-') && patterns == 0 => patterns += 1,
            _ => return None,
        }
    }
    let here = Word::text(".");
    if names.is_empty() {
        return Some(found(&here, &here, None));
    }
    let all = names
        .iter()
        .flat_map(|name| found(&here, &here, Some(name)));
    Some(all.collect())
}

/// Words of the input follow the known ones, or stand in place of a mark.
pub(super) fn xargs(call: &mut Call<'_>) {
    let marked = call
        .reading
        .values("I")
        .chain(call.reading.values("replace"))
        .chain(call.reading.values("J"))
        .last();
    let mark = marked.and_then(|word| word.known().map(std::borrow::Cow::into_owned));
    let mark = mark.or_else(|| call.may("replace").then(|| "{}".to_owned()));
    let Some(start) = call.reading.operands.first().map(|operand| operand.at) else {
        return;
    };
    let inner = call.command.words.get(start..).unwrap_or_default();
    if let Some((mark, names)) = mark
        .as_deref()
        .and_then(|mark| names_for(call, mark, start))
    {
        for name in names {
            let filled = inner.iter().map(|word| in_place(word, mark, &name));
            call.run_with(filled.collect(), false, Vec::new(), Input::Inherited);
        }
        return;
    }
    let fill = |word: &Word| match (&mark, word.known()) {
        (Some(mark), Some(text)) if text.contains(&**mark) => Word::unknown(),
        _ => word.clone(),
    };
    let inner: Vec<Word> = inner.iter().map(fill).collect();
    let more = mark.is_none();
    call.run_with(inner, more, Vec::new(), Input::Inherited);
}

/// The names of its input that stand in place of the mark, where no other option says what a name is.
fn names_for<'m>(call: &Call<'_>, mark: &'m str, start: usize) -> Option<(&'m str, Vec<Word>)> {
    let joined = format!("-I{mark}");
    let usual = ["-0", "-r", "-t", "-I", mark, &joined];
    let own = call.command.words.get(1..start).unwrap_or_default();
    let is_usual = |word: &Word| word.known().is_some_and(|text| usual.contains(&&*text));
    match &call.command.input {
        Input::Unknown { names, .. } if own.iter().all(is_usual) && !names.is_empty() => {
            Some((mark, names.clone()))
        }
        _ => None,
    }
}

/// A word with a name in each place of the mark.
fn in_place(word: &Word, mark: &str, name: &Word) -> Word {
    let Some(text) = word.known().filter(|text| text.contains(mark)) else {
        return word.clone();
    };
    let mut parts = Vec::new();
    for (at, piece) in text.split(mark).enumerate() {
        if at > 0 {
            parts.extend(name.parts.iter().cloned());
        }
        if !piece.is_empty() {
            parts.push(Part::Text(piece.to_owned()));
        }
    }
    Word { parts }
}

/// Its command is text for a shell, with marks in it.
pub(super) fn parallel(call: &mut Call<'_>) {
    let Some(start) = call.reading.operands.first().map(|operand| operand.at) else {
        call.anything();
        return;
    };
    let words = call.command.words.get(start..).unwrap_or_default();
    let marks = |word: &&Word| word.known().is_some_and(|text| text.starts_with(":::"));
    let end = words
        .iter()
        .position(|word| marks(&word))
        .unwrap_or(words.len());
    let inner = words.get(..end).unwrap_or_default();
    let fill = |word: &Word| match word.known() {
        Some(text) if text.contains(['{', ';', '|', '&', '$', '>']) => Word::unknown(),
        _ => word.clone(),
    };
    let has_text = |word: &Word| {
        word.known()
            .is_some_and(|text| text.contains([';', '|', '&', '$', '>', ' ']))
    };
    if inner.is_empty() || inner.iter().any(has_text) {
        call.shell(Word::unknown(), Vec::new());
    } else {
        call.run_with(
            inner.iter().map(fill).collect(),
            true,
            Vec::new(),
            Input::Inherited,
        );
    }
}
