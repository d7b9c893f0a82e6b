//! Inline code of other languages, read as far as it only computes and prints.
//!
//! What is not known to be harmless makes the code unreadable.

use crate::effect::Certainty::{self, Exact, Likely};
use crate::effect::{Effect, EffectKind, Target};
use crate::places::{objects, tidy};
use crate::programs::words;
use crate::word::Word;

mod looks;
mod modules;
mod node;
mod python;
mod tokens;

pub(crate) use modules::CodeEnvironment;
use tokens::Findings;

/// Returns what a piece of code does, or none if it cannot be read.
pub(crate) fn read(language: &str, text: &str, place: &CodeEnvironment<'_>) -> Option<Vec<Effect>> {
    if language == "python" && prints_names(text) {
        return Some(vec![imported(language)]);
    }
    let found = match language {
        "python" => python::read(text, place)?,
        "node" => node::read(text)?,
        "ruby" | "perl" | "php" | "julia" | "Rscript" if is_harmless(language, text) => {
            Findings::default()
        }
        _ => return None,
    };
    let effects = |(kind, file): (EffectKind, String), most: Certainty| {
        let objects = objects(&Word::text(file), place.folders).into_iter();
        objects.filter_map(move |(object, sure)| {
            let object = match object {
                Target::Path(path) if kind == EffectKind::Delete => {
                    // Most names without an ending are folders.
                    let is_file = path.extension().is_some();
                    let is_there = !place.files.is_nowhere(&tidy(&path));
                    let of = if is_file { Target::Path } else { Target::Tree };
                    is_there.then(|| of(path))?
                }
                other => other,
            };
            Some(Effect::new(kind, object, sure.min(most), language))
        })
    };
    let files = found
        .files
        .into_iter()
        .flat_map(|file| effects(file, Exact));
    let given = found
        .given
        .into_iter()
        .flat_map(|file| effects(file, Likely));
    let imports = found.imports.then(|| imported(language));
    Some(files.chain(given).chain(imports).collect())
}

/// Tells whether a code of Ruby, Perl, PHP, Julia or R only computes and prints.
fn is_harmless(language: &str, text: &str) -> bool {
    // These escapes end no text, and a backslash in front of one is left, which makes the code unreadable.
    let text = text.replace("\\n", " ").replace("\\t", " ");
    // There it takes the name of a file.
    let reads = language == "julia" && text.contains("read");
    (language == "perl" && is_line_by_line(&text))
        || !reads && only(&text, words::SCRIPTS, "`|<>/#%@&*$?")
}

/// Whether a code of Python imports modules and prints what they have, without a call: `import x; print(x.__version__)`.
fn prints_names(text: &str) -> bool {
    let is_name = |name: &str| {
        let mut parts = name.trim().split('.');
        parts.all(|part| {
            let is_letter = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
            !part.is_empty()
                && part.chars().all(is_letter)
                && (!part.contains("__") || python::is_told(part))
        })
    };
    let are_names = |names: &str| names.split(',').all(is_name);
    let are_modules = |names: &str| names.split(',').all(|one| one.split(" as ").all(is_name));
    let is_import = |rest: &str| match rest.split_once(" import ") {
        Some((module, names)) => is_name(module) && are_names(names),
        None => false,
    };
    let is_text = |text: &str| {
        let inner = |quote| text.strip_prefix(quote)?.strip_suffix(quote);
        let inner = inner('\'').or_else(|| inner('"'));
        inner.is_some_and(|inner| !inner.contains(['\'', '"', '\\']))
    };
    // No module gives a function of its own such a name.
    let is_look = |one: &str| {
        let inside = |call: &&str| one.strip_prefix(*call)?.strip_suffix(')');
        let mut calls = words::PYTHON_LOOKS.iter().filter_map(inside);
        calls.any(|inside| inside.starts_with(char::is_alphabetic) && is_name(inside))
    };
    let are_told = |told: &str| {
        let mut all = told.split(',').map(str::trim);
        all.all(|one| is_name(one) || is_text(one) || is_look(one))
    };
    let mut parts = text.split([';', '\n']).map(str::trim);
    // Where modules are looked for: a folder of the project.
    let is_place = |part: &str| {
        let given = part.strip_prefix("sys.path.insert(0,");
        let given = given.or_else(|| part.strip_prefix("sys.path.append("));
        let given = given.and_then(|rest| rest.strip_suffix(')')).map(str::trim);
        let is_own = |given: &str| {
            let path = given.trim_matches(['"', '\'']);
            !path.starts_with(['/', '~']) && !path.contains("..")
        };
        given.is_some_and(|given| is_text(given) && is_own(given))
    };
    let is_harmless = |part: &str| {
        let inside = |rest: &str| rest.strip_suffix(')').is_some_and(are_told);
        part.is_empty()
            || is_place(part)
            || part.strip_prefix("import ").is_some_and(are_modules)
            || part.strip_prefix("from ").is_some_and(is_import)
            || part.strip_prefix("print(").is_some_and(inside)
    };
    // The environment holds secrets, and is found through any function; that module starts a browser.
    let odd = ["environ", "func_globals", "antigravity"];
    let is_odd = odd.iter().any(|odd| text.contains(odd));
    let mut words = text.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
    let names_secret = words.any(modules::says_secret);
    text.contains("import ") && !is_odd && !names_secret && parts.all(is_harmless)
}

/// A module that is imported may be a file of the folder: code that is not read.
fn imported(language: &str) -> Effect {
    let code = Target::opaque(language);
    Effect::new(EffectKind::Exec, code, Likely, "import")
}

/// Whether a code of Perl only prints or changes the lines that it reads: `print "$.: $_" if /x/`, `s/x/y/g`.
fn is_line_by_line(text: &str) -> bool {
    let is_plain = |pattern: &str| {
        // A group that was found, behind which a bracket begins code, and the end of the line.
        let mut pattern = pattern.strip_suffix('$').unwrap_or(pattern).to_owned();
        let brackets = if pattern.contains('$') { "" } else { "{}[]" };
        for known in "123456789_.".chars() {
            pattern = pattern.replace(&format!("${known}"), "x");
        }
        // What begins with `$` or `@` is filled in, and `(?{…})` and the flag `e` run code.
        let plain = |letter: char| {
            letter.is_alphanumeric()
                || " _-.,:;=<>\"'^+*?|!%~&()\\".contains(letter)
                || brackets.contains(letter)
        };
        pattern.chars().all(plain) && !pattern.contains("(?") && !pattern.contains("(*")
    };
    let is_printed = |told: &str| {
        let text = told
            .strip_prefix('"')
            .and_then(|rest| rest.strip_suffix('"'));
        let is_text = text.is_some_and(|text| is_plain(text) && !text.contains(['"', '\\']));
        told.is_empty() || words::OF_LINES.contains(&told) || is_text
    };
    let one = |part: &str| {
        let part = part.trim();
        let (told, condition) = match part
            .split_once(" if ")
            .or_else(|| part.split_once(" unless "))
        {
            Some((told, condition)) => (told, condition.trim().strip_prefix('/')),
            None => (part, None),
        };
        let prints = told
            .strip_prefix("print")
            .is_some_and(|told| is_printed(told.trim()));
        let (rest, count) = match (condition, part.strip_prefix("s/")) {
            (Some(rest), _) if prints => (rest, 1),
            (_, Some(rest)) => (rest, 2),
            _ => return part.is_empty() || prints && told == part,
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
    let (mut quote, mut before) = (None, ' ');
    for letter in text.chars().chain(Some(' ')) {
        match quote {
            Some(open) if letter == open => quote = None,
            // What a text fills in is code too.
            Some(_) if matches!(letter, '{' | '$' | '@' | '\\' | '#' | '\n' | '\r') => {
                return false;
            }
            Some(_) => {}
            None if letter.is_alphanumeric() || letter == '_' => word.push(letter),
            None if letter == '\\' || refused.contains(letter) => return false,
            // In PHP a value that is a text may be called by it.
            None if letter == '(' && "'\")]}".contains(before) => return false,
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
        if !letter.is_whitespace() {
            before = letter;
        }
    }
    quote.is_none()
}
