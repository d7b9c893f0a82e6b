//! Inline code of other languages, read as far as it only computes and prints.
//!
//! It is a list of what is harmless. A name that is not in it, called or not, makes the code unreadable.

use std::path::PathBuf;

use crate::effect::Certainty::Likely;
use crate::effect::{Effect, Kind, Object};
use crate::places::objects;
use crate::programs::words;
use crate::word::Word;

mod python;

/// Returns what a piece of code does that runs in one of these folders, or none if it cannot be read.
pub fn read(language: &str, text: &str, folders: &[PathBuf]) -> Option<Vec<Effect>> {
    if language == "python" && prints_names(text) {
        return Some(vec![imported(language)]);
    }
    if language == "python" {
        let found = python::read(text)?;
        let effect = |(kind, file): (Kind, String)| {
            let objects = objects(&Word::text(file), folders).into_iter();
            objects.map(move |(object, sure)| Effect::new(kind, object, sure, language))
        };
        let files = found.files.into_iter().flat_map(effect);
        return Some(
            files
                .chain(found.imports.then(|| imported(language)))
                .collect(),
        );
    }
    // These escapes end no text, and a backslash in front of one is left, which makes the code unreadable.
    let text = &*text.replace("\\n", " ").replace("\\t", " ");
    let (mut files, mut modules) = (Vec::new(), Vec::new());
    let computes = match language {
        "node" => {
            // What a name in quotes takes out of an object is not in the list of words.
            let left = without_modules(text, &mut files, &mut modules)?;
            // Comments of pages, and ends of lines that look like blanks, are read in another way here.
            let odd = ["<!--", "-->", "#", "\r", "\u{2028}", "\u{2029}"];
            !odd.iter().any(|odd| text.contains(odd))
                && !has_quoted_keys(&left)
                && only(&left, words::NODE, "/`[")
        }
        "perl" if is_line_by_line(text) => true,
        "ruby" | "perl" => only(text, words::SCRIPTS, "`|<>/#%@&*$?"),
        _ => false,
    };
    if !computes {
        return None;
    }
    // What `require` names is code of the project, also where it looks like data.
    let imports = !modules.is_empty();
    files.extend(
        modules
            .into_iter()
            .filter(|name| name.starts_with(['.', '/'])),
    );
    let reads = files
        .iter()
        .flat_map(|file| objects(&Word::text(file), folders));
    let reads = reads.map(|(object, sure)| Effect::new(Kind::Read, object, sure, language));
    Some(reads.chain(imports.then(|| imported(language))).collect())
}

/// Takes out of a code of JavaScript what reads a file by its name, and the modules that it asks for. Those of Node and of packages
/// do anything, and so does the process: of them only a few forms may be there.
fn without_modules(
    text: &str,
    files: &mut Vec<String>,
    modules: &mut Vec<String>,
) -> Option<String> {
    let mut text = text.to_owned();
    for form in ["process.versions", "process.version", "process.argv"] {
        text = text.replace(form, "0 ");
    }
    let of_fs = [
        "require('fs')",
        "require(\"fs\")",
        "require('node:fs')",
        "require(\"node:fs\")",
    ];
    for module in of_fs {
        text = text.replace(&format!("const fs = {module}"), "const x = 0 ");
    }
    let modules_of_files = of_fs.into_iter().chain(["fs"]);
    let reading = modules_of_files.flat_map(|module| {
        let functions = ["readFileSync", "readdirSync", "existsSync", "statSync"];
        functions.map(|function| format!("{module}.{function}"))
    });
    let mut read = |left: String, function: String| without_files(&left, &function, files);
    let text = reading.into_iter().try_fold(text, &mut read)?;
    let left = without_files(&text, "require", modules)?;
    let is_harmless = |name: &String| {
        name.starts_with(['.', '/'])
            || name.ends_with("/package.json")
            || ["path", "os", "url"].contains(&name.as_str())
    };
    let whole = left.trim().trim_end_matches(';');
    let is_version = ["0 .version", "console.log(0 .version)"].contains(&whole);
    (is_version || modules.iter().all(is_harmless)).then_some(left)
}

/// Whether a text in quotes is the name of a field: what stands before it begins an object, or goes on with one.
fn has_quoted_keys(text: &str) -> bool {
    let (mut quote, mut before) = (None, ' ');
    for (at, letter) in text.char_indices() {
        match quote {
            Some((open, begins)) if letter == open => {
                let behind = text.get(at + 1..).unwrap_or_default();
                if matches!(begins, '{' | ',') && behind.trim_start().starts_with(':') {
                    return true;
                }
                (quote, before) = (None, letter);
            }
            None if matches!(letter, '"' | '\'') => quote = Some((letter, before)),
            None if !letter.is_whitespace() => before = letter,
            Some(_) | None => {}
        }
    }
    false
}

/// Whether a code of Python imports modules and prints what they have, without a call: `import x; print(x.__version__)`.
fn prints_names(text: &str) -> bool {
    let is_name = |name: &str| {
        let mut parts = name.trim().split('.');
        parts.all(|part| {
            let is_letter = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
            !part.is_empty() && part.chars().all(is_letter)
        })
    };
    let are_names = |names: &str| names.split(',').all(is_name);
    let is_import = |rest: &str| match rest.split_once(" import ") {
        Some((module, names)) => is_name(module) && are_names(names),
        None => false,
    };
    let is_text = |text: &str| {
        let inner = |quote| text.strip_prefix(quote)?.strip_suffix(quote);
        let inner = inner('\'').or_else(|| inner('"'));
        inner.is_some_and(|inner| !inner.contains(['\'', '"', '\\']))
    };
    let are_told = |told: &str| {
        told.split(',')
            .all(|one| is_name(one) || is_text(one.trim()))
    };
    let mut parts = text.split([';', '\n']).map(str::trim);
    let is_harmless = |part: &str| {
        let inside = |rest: &str| rest.strip_suffix(')').is_some_and(are_told);
        part.is_empty()
            || part.strip_prefix("import ").is_some_and(are_names)
            || part.strip_prefix("from ").is_some_and(is_import)
            || part.strip_prefix("print(").is_some_and(inside)
    };
    // The environment holds secrets.
    text.contains("import ") && !text.contains("environ") && parts.all(is_harmless)
}

/// A module that is imported may be a file of the folder: code that is not read.
fn imported(language: &str) -> Effect {
    let code = Object::opaque(language);
    Effect::new(Kind::Exec, code, Likely, "import")
}

/// Takes out each call of this function that names one file in a text, and returns what is left; none if one names it in
/// another way, or wants more than to read it.
fn without_files(text: &str, function: &str, files: &mut Vec<String>) -> Option<String> {
    let mut left = String::new();
    let mut quote = None;
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
        let begins = !left.ends_with(is_word) && !left.trim_end().ends_with('.');
        let behind = rest
            .strip_prefix(function)
            .filter(|_| quote.is_none() && begins);
        if let Some(behind) = behind.filter(|behind| !behind.starts_with(is_word)) {
            let (file, behind) = quoted(behind.strip_prefix('(')?)?;
            let (mode, behind) = behind.split_once(')')?;
            let mode = mode.trim_matches([',', ' ', '\'', '"']);
            rest = ["", "r", "rb", "utf8", "utf-8"]
                .contains(&mode)
                .then_some(behind)?;
            // What looks like an address may be asked over the network.
            if file.contains("://") {
                return None;
            }
            files.push(file.to_owned());
            // What follows is a word of its own.
            left.push_str("0 ");
            continue;
        }
        match quote {
            Some(open) if letter == open => quote = None,
            None if matches!(letter, '"' | '\'') => quote = Some(letter),
            _ => {}
        }
        left.push(letter);
        rest = rest.get(letter.len_utf8()..).unwrap_or_default();
    }
    Some(left)
}

/// The text in quotes at the beginning, if it is one that stands for itself, and what follows.
fn quoted(text: &str) -> Option<(&str, &str)> {
    let open = text
        .chars()
        .next()
        .filter(|open| matches!(open, '"' | '\''))?;
    let (inside, behind) = text.get(1..)?.split_once(open)?;
    let plain = !inside.is_empty() && !inside.contains(['\\', '{', '\n', '$', '#', '`', '\'', '"']);
    plain.then_some((inside, behind))
}

/// Whether a code of Perl only prints or changes the lines that it reads: `print if /x/`, `s/x/y/g`.
fn is_line_by_line(text: &str) -> bool {
    let is_plain = |pattern: &str| {
        // A group that was found, behind which a bracket begins code, and the end of the line.
        let mut pattern = pattern.strip_suffix('$').unwrap_or(pattern).to_owned();
        let brackets = if pattern.contains('$') { "" } else { "{}[]" };
        for group in '1'..='9' {
            pattern = pattern.replace(&format!("${group}"), "");
        }
        // What begins with `$` or `@` is filled in, and `(?{…})` and the flag `e` run code.
        let plain = |letter: char| {
            letter.is_alphanumeric()
                || " _-.,:;=<>\"'^+*?|!%~&()\\".contains(letter)
                || brackets.contains(letter)
        };
        pattern.chars().all(plain) && !pattern.contains("(?") && !pattern.contains("(*")
    };
    let one = |part: &str| {
        let part = part.trim();
        let tests = ["print if /", "print unless /"];
        let tested = tests.iter().find_map(|test| part.strip_prefix(test));
        let (rest, count) = match (tested, part.strip_prefix("s/")) {
            (Some(rest), _) => (rest, 1),
            (None, Some(rest)) => (rest, 2),
            (None, None) => return part.is_empty(),
        };
        let mut pieces: Vec<&str> = rest.split('/').collect();
        let flags = pieces.pop().unwrap_or_default();
        pieces.len() == count
            && pieces.iter().all(|piece| is_plain(piece))
            && flags.chars().all(|flag| "gims".contains(flag))
    };
    !text.contains("\\/") && text.split(';').all(one)
}

/// Whether all words of a code outside of its quotes are among those that are harmless, and no letter there is refused.
fn only(text: &str, harmless: &[&str], refused: &str) -> bool {
    let mut word = String::new();
    let mut quote = None;
    for letter in text.chars().chain(Some(' ')) {
        match quote {
            Some(open) if letter == open => quote = None,
            // What a text fills in is code too.
            Some(_) if matches!(letter, '{' | '\\' | '#' | '\n' | '\r') => return false,
            Some(_) => {}
            None if letter.is_alphanumeric() || letter == '_' => word.push(letter),
            None if letter == '\\' || refused.contains(letter) => return false,
            None => {
                let number = word.starts_with(|letter: char| letter.is_ascii_digit());
                if !word.is_empty() && !number && !harmless.contains(&&*word) {
                    return false;
                }
                word.clear();
                if matches!(letter, '"' | '\'') {
                    quote = Some(letter);
                }
            }
        }
    }
    quote.is_none()
}
