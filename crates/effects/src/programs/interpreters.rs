//! Interpreters: inline code, scripts and modules.

use super::call::Call;
use super::words;
use crate::command::{Inner, Input};
use crate::effect::{Certainty, Kind, Object};
use crate::word::{Part, Word};

/// Code in an option, a module, a script, or what the input says.
pub(super) fn runs(call: &mut Call<'_>) {
    let at = call.reading.operands.first().map(|operand| operand.at);
    let words = at
        .and_then(|at| call.command.words.get(at..))
        .unwrap_or_default()
        .to_vec();
    let name = call.row.name();
    let inline: &[&str] = match name {
        "python" => &["c"],
        "perl" => &["e", "E"],
        "node" | "tsx" => &["e", "p"],
        "php" => &["r", "B", "R", "E"],
        _ => &["e"],
    };
    // Python ends its options at `-c` and `-m`: what follows belongs to the code.
    let code: Vec<Word> = inline
        .iter()
        .flat_map(|option| call.reading.values(option))
        .cloned()
        .collect();
    if call.reading.unreadable && code.is_empty() {
        call.anything();
    }
    if name == "node" {
        measures(call);
    }
    let language = if name == "tsx" { "node" } else { name };
    for text in &code {
        code_runs(call, language, text, &words);
    }
    let module: Option<Word> = call
        .reading
        .values("m")
        .next()
        .cloned()
        .filter(|_| name == "python");
    if let Some(module) = &module {
        python_module(call, module, &words);
    }
    if matches!(name, "perl" | "ruby") {
        edits(call, &words, !code.is_empty());
    }
    // After the code they go on with what they read.
    let goes_on = match name {
        "python" | "node" | "tsx" | "php" => call.may("i") || call.may("a"),
        "perl" => call.may("d"),
        _ => false,
    };
    if goes_on {
        input(call, language);
    }
    if !code.is_empty() || module.is_some() || call.has("V") || call.has("v") && words.is_empty() {
        return;
    }
    match words.split_first() {
        Some((first, rest)) if first.known().as_deref() != Some("-") && !super::is_input(first) => {
            script(call, first, rest);
        }
        _ => input(call, language),
    }
}

/// Node writes what it measured into its folder, and options of its engine that are not listed may name a file.
fn measures(call: &mut Call<'_>) {
    if ["cpu-prof", "heap-prof", "prof"]
        .iter()
        .any(|option| call.may(option))
    {
        call.act_path(Kind::Write, &Word::text("."), Certainty::Likely, true);
    }
    if !call.reading.unlisted.is_empty() {
        call.effect(Kind::Write, Object::Unknown, Certainty::Unknown);
    }
}

/// `-i` edits files in place, `-n` and `-p` read them.
fn edits(call: &mut Call<'_>, words: &[Word], has_code: bool) {
    let files = words.get(usize::from(!has_code)..).unwrap_or_default();
    let in_place = call.may("i");
    if !(in_place || (has_code && (call.may("n") || call.may("p")))) {
        return;
    }
    if call.row.name() == "perl" && !files.iter().all(is_only_a_file) {
        call.anything();
    }
    let suffix = call.reading.values("i").last().cloned();
    for word in files {
        call.act_path(Kind::Read, word, Certainty::Exact, false);
        if in_place {
            call.act_path(Kind::Write, word, Certainty::Exact, false);
        }
        if let Some(suffix) = &suffix {
            call.keeps_copy(word, suffix);
        }
    }
}

/// Whether Perl only opens a file: it runs a name with `|` at an end, and writes one that begins with `>`.
fn is_only_a_file(word: &Word) -> bool {
    let runs = |letter: char| letter.is_whitespace() || "|<>+&".contains(letter);
    if let Some(text) = word.known() {
        return !text.starts_with(runs) && !text.ends_with(runs);
    }
    let ends = |part: &Part, end: fn(&str) -> Option<char>| match part {
        Part::Text(text) => end(text).is_none_or(|letter| !runs(letter)),
        Part::Glob(pattern) => end(pattern).is_some_and(char::is_alphanumeric),
        Part::Unknown | Part::Split => false,
    };
    let first = word
        .parts
        .first()
        .is_some_and(|part| ends(part, |text| text.chars().next()));
    first
        && word
            .parts
            .last()
            .is_some_and(|part| ends(part, |text| text.chars().last()))
}

fn code_runs(call: &mut Call<'_>, language: &'static str, text: &Word, arguments: &[Word]) {
    call.acts.runs.push(Inner::Code {
        language,
        text: text.clone(),
        arguments: arguments.to_vec(),
        folders: call.folders.clone(),
    });
}

fn script(call: &mut Call<'_>, first: &Word, rest: &[Word]) {
    if call.row.name() == "tsx" {
        return;
    }
    call.act_path(Kind::Read, first, Certainty::Exact, false);
    call.acts.runs.push(Inner::File {
        file: first.clone(),
        shell: false,
        arguments: rest.to_vec(),
        folders: call.folders.clone(),
    });
    call.opaque = true;
}

fn input(call: &mut Call<'_>, language: &'static str) {
    match call.command.input.clone() {
        Input::Inherited => {}
        Input::Text(text) => code_runs(call, language, &Word::text(text), &[]),
        Input::File(file) => script(call, &file, &[]),
        Input::Unknown { .. } => code_runs(call, language, &Word::unknown(), &[]),
    }
}

/// `python -m pip install x` is `pip install x`.
fn python_module(call: &mut Call<'_>, module: &Word, words: &[Word]) {
    let Some(name) = module.known() else {
        call.anything();
        return;
    };
    if words::MODULES.contains(&&*name) {
        for word in words
            .iter()
            .filter(|word| !word.head().starts_with('-'))
            .take(1)
        {
            call.act_path(Kind::Read, word, Certainty::Exact, false);
        }
        for word in words
            .iter()
            .filter(|word| !word.head().starts_with('-'))
            .skip(1)
        {
            call.act_path(Kind::Write, word, Certainty::Exact, false);
        }
        return;
    }
    // The words behind the module are its own, also those that python would know.
    let all = &call.command.words;
    let at = all.iter().position(|word| {
        word.known().is_some_and(|text| {
            text == "-m"
                || (text.starts_with('-') && !text.starts_with("--") && text.ends_with('m'))
        })
    });
    let at = at.map_or_else(
        || {
            all.iter()
                .position(|word| word.head().starts_with("-m"))
                .unwrap_or_default()
                + 1
        },
        |at| at + 2,
    );
    let behind = all.get(at..).unwrap_or_default().to_vec();
    if super::find(&name).is_some() && name != "python" {
        let mut inner = vec![Word::text(&*name)];
        inner.extend(behind);
        call.run(inner, false);
        return;
    }
    call.opaque = true;
    if matches!(&*name, "venv" | "virtualenv") {
        for word in behind.iter().filter(|word| !word.head().starts_with('-')) {
            call.act_path(Kind::Write, word, Certainty::Exact, true);
        }
    }
}

/// `deno run URL`: the code of another machine, or a package.
pub(super) fn fetched(call: &mut Call<'_>) {
    for word in call.words() {
        let head = word.head().to_ascii_lowercase();
        if head.starts_with("http:") || head.starts_with("https:") {
            call.connect(&word, Certainty::Exact);
            code_runs(call, "node", &Word::unknown(), &[]);
        } else if head.starts_with("npm:") || head.starts_with("jsr:") {
            call.named(Kind::Install, Some(&word.without(4)), Certainty::Exact);
        }
    }
}

/// `deno eval TEXT`.
pub(super) fn evaluates(call: &mut Call<'_>) {
    let text = call.words().first().cloned().unwrap_or_else(Word::unknown);
    code_runs(call, "node", &text, &[]);
}
