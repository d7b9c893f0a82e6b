//! What a command of a hook runs. The table of programs says it, by which a line of an agent is read too.

use anyhook_effects::command::{Command, Inner, Input};
use anyhook_effects::effect::Certainty;
use anyhook_effects::options::Given;
use anyhook_effects::places::Places;
use anyhook_effects::programs::{Program, act, find};
use anyhook_effects::word::Word;

use super::follow::has_ending_of_code;
use crate::lists::{PROGRAM_FILES, RUN_VARIABLES, RUNNERS};

/// Something that a command runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Ran {
    /// The first word of a command.
    Program(String),
    /// A file.
    File(String),
    /// A file that a shell reads, whatever its first line says.
    Script(String),
    /// A text that a shell reads.
    Shell(String),
    /// A text of another language.
    Code(String),
    /// What another program prints.
    Piped,
    /// A module, as `a.b`.
    Module(String),
    /// A folder from which later words may count.
    Folder(String),
}

/// As many programs that run each other are followed; of more, every word may be a file.
const DEEPEST: usize = 16;

/// Returns what runs by a variable of the environment.
pub(super) fn by_variable(name: &str, value: &str) -> Vec<Ran> {
    let words = value.split([' ', ':', '=']).filter(|word| !word.is_empty());
    let files = words.filter(|_| RUN_VARIABLES.contains(&name));
    files.map(|word| Ran::File(word.to_owned())).collect()
}

/// Returns what a command runs that has this on its standard input.
pub(super) fn executed(words: &[String], input: &Input) -> Vec<Ran> {
    within(words, input, 0)
}

fn within(words: &[String], input: &Input, depth: usize) -> Vec<Ran> {
    if depth > DEEPEST {
        return words.iter().cloned().map(Ran::File).collect();
    }
    let set: Vec<_> = words.iter().map_while(|word| assignment(word)).collect();
    let set_count = set.len();
    let by_variables = set
        .into_iter()
        .flat_map(|(name, value)| by_variable(name, value));
    let mut ran: Vec<Ran> = by_variables.collect();
    let words = words.get(set_count..).unwrap_or_default();
    let Some((program, rest)) = words.split_first() else {
        return ran;
    };
    ran.push(Ran::Program(program.clone()));
    let name = program.rsplit(['/', '\\']).next().unwrap_or(program);
    let mut operands = rest.iter().filter(|word| !word.starts_with('-'));
    match name {
        "." | "source" => ran.extend(operands.next().cloned().map(Ran::Script)),
        "trap" => ran.extend(operands.next().cloned().map(Ran::Shell)),
        "cd" | "pushd" => ran.extend(operands.next().cloned().map(Ran::Folder)),
        "eval" => ran.push(Ran::Shell(rest.join(" "))),
        "exec" | "builtin" => {
            let options = rest.iter().take_while(|word| word.starts_with('-')).count();
            let inner = rest.get(options..).unwrap_or_default();
            ran.extend(within(inner, input, depth + 1));
        }
        _ => ran.extend(by_table(name, words, input, depth)),
    }
    ran
}

fn by_table(name: &str, words: &[String], input: &Input, depth: usize) -> Vec<Ran> {
    let command = Command {
        words: words.iter().map(|word| Word::text(word.as_str())).collect(),
        assigned: Vec::new(),
        input: input.clone(),
        folders: Vec::new(),
        certainty: Certainty::Exact,
    };
    let acts = act(&command, &Places::default());
    let mut ran = by_options(name, &command.words);
    for inner in acts.runs {
        match inner {
            Inner::Command { command, .. } => {
                let set = command.assigned.iter();
                let set = set.map(|(name, value)| format!("{name}={}", written(value)));
                let words: Vec<String> = set.chain(command.words.iter().map(written)).collect();
                ran.extend(within(&words, &command.input, depth + 1));
            }
            Inner::File { file, shell, .. } if shell => ran.push(Ran::Script(written(&file))),
            Inner::File { file, .. } => ran.push(Ran::File(written(&file))),
            Inner::Shell { text, .. } => ran.push(text_of(&text, Ran::Shell)),
            Inner::Code { text, .. } => ran.push(text_of(&text, Ran::Code)),
            Inner::Elsewhere { .. } => {}
        }
    }
    ran.extend(by_words(name, words));
    ran
}

/// Returns the row of a program, also of one with a version: `python3.12`.
fn row(name: &str) -> Option<&'static Program> {
    let plain = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    find(name).or_else(|| find(plain))
}

/// Returns the modules and files that options name.
fn by_options(name: &str, words: &[Word]) -> Vec<Ran> {
    let Some(row) = row(name) else {
        return Vec::new();
    };
    let mut files = PROGRAM_FILES.iter().filter_map(|one| one.split_once('='));
    let files = files.find(|(program, _)| row.name() == *program);
    let is_program = |given: &Given| {
        given.option.of_value.contains(['x', 'f', 'F'])
            || files.is_some_and(|(_, names)| names.split(',').any(|name| given.option.is(name)))
    };
    let mut ran = Vec::new();
    for given in row.options.read(words, 1).given {
        let Some(value) = given.value.as_ref().map(written) else {
            continue;
        };
        if row.name() == "python" && given.option.is("m") {
            ran.push(Ran::Module(value));
        } else if is_program(&given) {
            ran.push(Ran::File(value));
        }
    }
    ran
}

/// Returns the script that a program runs behind a verb: the first word with the ending of code, unless a word of which nothing
/// is known stands before it. `uv run --with rich a.py` runs `a.py`, and `uv run ruff check a.py` does not.
fn by_words(name: &str, words: &[String]) -> Option<Ran> {
    let rest = words.get(1..).filter(|_| RUNNERS.contains(&name))?;
    let verb = usize::from(rest.first().is_some_and(|word| word == "run"));
    let mut is_of_option = false;
    for word in rest.iter().skip(verb) {
        let is_option = word.starts_with('-');
        if !is_option && has_ending_of_code(word.as_ref()) {
            return Some(Ran::File(word.clone()));
        }
        if !is_option && !is_of_option {
            return None;
        }
        is_of_option = is_option;
    }
    None
}

fn text_of(text: &Word, ran: fn(String) -> Ran) -> Ran {
    let known = text.known();
    known.map_or(Ran::Piped, |text| ran(text.into_owned()))
}

fn written(word: &Word) -> String {
    let known = word.known();
    known.map_or_else(
        || format!("{}${{?}}", word.head()),
        std::borrow::Cow::into_owned,
    )
}

fn assignment(word: &str) -> Option<(&str, &str)> {
    let (name, value) = word.split_once('=')?;
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let is_one = !name.is_empty()
        && name.chars().all(is_name)
        && !name.starts_with(|c: char| c.is_ascii_digit());
    is_one.then_some((name, value))
}
