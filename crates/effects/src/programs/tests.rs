use std::collections::HashSet;

use super::*;
use crate::command::Input;
use crate::effect::{Certainty, Target};
use crate::tests::{rows, table_now};
use crate::word::Part;

/// Lines of commands, and below each what it does. `$X` is an unreadable word, `@X` one that may be several, `*` and `?`
/// are patterns; `<<<` gives known input and `|` unknown input.
const TABLE: &str = include_str!("table.txt");

fn word(text: &str) -> Word {
    if text.contains('\'') {
        return Word::text(text.replace('\'', ""));
    }
    let mut parts: Vec<Part> = Vec::new();
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        let end = match letter {
            '$' | '@'
                if rest.len() > 1
                    && rest.chars().nth(1).is_some_and(|c| c.is_ascii_uppercase()) =>
            {
                parts.push(if letter == '$' {
                    Part::Unknown
                } else {
                    Part::Split
                });
                2
            }
            '*' | '?' => {
                parts.push(Part::Glob(letter.to_string()));
                1
            }
            letter => {
                match parts.last_mut() {
                    Some(Part::Text(text)) => text.push(letter),
                    _ => parts.push(Part::Text(letter.to_string())),
                }
                letter.len_utf8()
            }
        };
        rest = rest.get(end..).unwrap();
    }
    Word { parts }
}

fn split(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut quoted = false;
    let mut word = String::new();
    for letter in line.chars() {
        match letter {
            '\'' => {
                quoted = !quoted;
                word.push('\'');
            }
            ' ' if !quoted => words.push(std::mem::take(&mut word)),
            letter => word.push(letter),
        }
    }
    words.push(word);
    words
}

pub(super) fn command(line: &str) -> ShellCommand {
    let mut words = split(line);
    let mut input = Input::Inherited;
    if let Some(at) = words.iter().position(|word| word == "<<<") {
        let text = words.split_off(at).pop().unwrap();
        input = Input::Text(text.trim_matches('\'').replace("\\n", "\n"));
    } else if words.first().is_some_and(|word| word == "|") {
        words.remove(0);
        input = Input::unknown();
    }
    let is_assigned = |word: &&String| {
        word.split_once('=').is_some_and(|(name, _)| {
            name.chars()
                .all(|c| c.is_ascii_uppercase() || c == '_' || c.is_ascii_digit())
        })
    };
    let count = words.iter().take_while(is_assigned).count();
    let assigned = words.drain(..count).collect::<Vec<_>>();
    ShellCommand {
        words: words.iter().map(|text| word(text)).collect(),
        assigned: assigned
            .iter()
            .filter_map(|text| text.split_once('='))
            .map(|(name, value)| (name.to_owned(), word(value)))
            .collect(),
        input,
        folders: vec!["/p".into()],
        certainty: Certainty::Exact,
        branch: None,
    }
}

pub(super) fn places() -> Places {
    Places {
        folder: "/p".into(),
        project: "/p".into(),
        home: Some("/h".into()),
        ..Places::default()
    }
}

fn shown(word: &Word) -> String {
    let part = |part: &Part| match part {
        Part::Text(text) => text.clone(),
        Part::Glob(glob) => format!("<{glob}>"),
        Part::Of(_) | Part::Unknown => "$".to_owned(),
        Part::Split => "@".to_owned(),
    };
    word.parts.iter().map(part).collect()
}

fn all_shown(words: &[Word]) -> String {
    words.iter().map(shown).collect::<Vec<_>>().join(" ")
}

/// An effect as one line: `fs.write /p/x exact through tee`.
pub(crate) fn line_of(effect: &Effect) -> String {
    let kind = serde_json::to_value(effect.kind).unwrap();
    let sure = serde_json::to_value(effect.certainty).unwrap();
    let object = match &effect.object {
        Target::Path(path) => path.display().to_string(),
        Target::Tree(path) => format!("{}/**", path.display().to_string().trim_end_matches('/')),
        Target::Pattern(pattern) => format!("pattern {pattern}"),
        Target::Host(host) => format!("host {host}"),
        Target::Name(name) => format!("'{name}'"),
        Target::Unknown => "?".to_owned(),
        Target::Program { name, opaque, .. } => {
            format!("{name}{}", if *opaque { " opaque" } else { "" })
        }
        Target::Push(push) => {
            let mut text = format!(
                "{} [{}]",
                push.remote.as_deref().unwrap_or("?"),
                push.refs.join(" ")
            );
            text.push_str(if push.forced { " forced" } else { "" });
            text.push_str(if push.deleted { " deleted" } else { "" });
            text
        }
    };
    format!(
        "{} {object} {} through {}",
        kind.as_str().unwrap(),
        sure.as_str().unwrap(),
        effect.through
    )
}

pub(crate) fn runs_of(inner: &NestedCommand) -> String {
    match inner {
        NestedCommand::Command(command) => {
            let assigned: Vec<String> = command
                .assigned
                .iter()
                .map(|(name, value)| format!("{name}={} ", shown(value)))
                .collect();
            let folders = if command.folders == [std::path::PathBuf::from("/p")] {
                String::new()
            } else {
                format!(" in {:?}", command.folders)
            };
            format!(
                "runs {}{}{folders}",
                assigned.concat(),
                all_shown(&command.words)
            )
        }
        NestedCommand::Shell {
            text, arguments, ..
        } => format!("shell {} ({})", shown(text), all_shown(arguments)),
        NestedCommand::File {
            file,
            shell,
            arguments,
            ..
        } => format!(
            "file {}{} ({})",
            shown(file),
            if *shell { " as shell" } else { "" },
            all_shown(arguments)
        ),
        NestedCommand::Loaded { file, .. } => format!("loads {}", shown(file)),
        NestedCommand::Code { language, text, .. } => format!("code {language} {}", shown(text)),
        NestedCommand::Elsewhere { inner, mounts } => {
            let mounts = mounts
                .iter()
                .map(|mount| format!("{}={} ", mount.there.display(), mount.here.display()));
            format!("elsewhere {}{}", mounts.collect::<String>(), runs_of(inner))
        }
    }
}

/// All that a line does. The exec effect of the program itself stands there only if it is opaque.
fn told(line: &str) -> Vec<String> {
    let acts = act(&command(line), &places());
    let own = acts.effects.first().map(line_of).unwrap_or_default();
    let mut told: Vec<String> = acts.effects.iter().skip(1).map(line_of).collect();
    if told.len() >= 12
        && EffectKind::ALL.iter().all(|kind| {
            acts.effects
                .iter()
                .any(|effect| effect.kind == *kind && effect.object == Target::Unknown)
        })
    {
        told.retain(|line| !line.contains(" ? unknown "));
        told.insert(0, "anything".to_owned());
    }
    if own.contains(" opaque ") {
        told.insert(0, own);
    }
    told.extend(acts.runs.iter().map(runs_of));
    told.extend(acts.prints.map(|text| format!("prints {text:?}")));
    told
}

#[test]
fn each_line_of_the_table_does_what_stands_below_it() {
    let lines = TABLE
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with([' ', '#']));
    assert!(lines.count() >= 300);
    let now = table_now(TABLE, told);
    assert!(now == TABLE, "table.txt as it is now:\n{now}<end>");
}

#[test]
fn each_row_has_a_line_in_the_table() {
    let mut used = HashSet::new();
    for line in TABLE
        .lines()
        .filter(|line| !line.starts_with(' ') && !line.starts_with('#') && !line.is_empty())
    {
        let called = called(&command(line).words);
        used.extend(
            called
                .row
                .into_iter()
                .chain(called.outer)
                .map(Program::name),
        );
    }
    let missing: Vec<&str> = programs()
        .map(Program::name)
        .filter(|name| !used.contains(name))
        .collect();
    assert_eq!(missing, Vec::<&str>::new());
}

#[test]
fn an_abbreviation_means_only_options_that_begin_with_it() {
    for row in programs() {
        let listing = row.options;
        for name in listing
            .options
            .iter()
            .flat_map(|option| option.names)
            .filter(|name| name.len() > 1)
        {
            for end in 1..name.len() {
                let Some(begin) = name.get(..end) else {
                    continue;
                };
                let found = listing.long(begin);
                let begins = |option: &&crate::options::OptionSpec| {
                    option.names.iter().any(|known| known.starts_with(begin))
                };
                assert!(found.iter().all(begins), "{} {begin}", row.name());
            }
            assert_eq!(listing.long(name).len(), 1, "{} {name}", row.name());
        }
    }
}

#[test]
fn hostile_words_are_read_without_a_panic_and_never_make_a_writer_a_reader() {
    let hostile = [
        "",
        "-",
        "--",
        "---",
        "-=",
        "--=",
        "=",
        "-\u{202e}",
        "--\u{0}",
        "é",
        "-é=x",
        "\u{1f600}",
        "$X",
        "@X",
        "*",
        "-$X",
        "--out$X",
        "a$X",
        ":",
        "+",
        "+:",
        "@",
        "%",
        "//",
        "..",
        "\\",
        "{}",
        ";",
        "-- ",
    ];
    for row in programs() {
        for (at, one) in hostile.iter().enumerate() {
            for other in [hostile[(at * 7 + 3) % hostile.len()], "x"] {
                let mut command = command("x");
                command.words = row
                    .name()
                    .split(' ')
                    .map(Word::text)
                    .chain([word(one), word(other)])
                    .collect();
                let acts = act(&command, &places());
                assert!(
                    acts.effects
                        .iter()
                        .any(|effect| effect.kind == EffectKind::Exec),
                    "{}",
                    row.name()
                );
            }
        }
    }
    for program in [
        "bin/frob",
        "$X/bin/frob",
        "./rm",
        "/",
        "bin/",
        "../bin/rm",
        "\u{1f600}",
        "-",
        "git-",
        "git-$X",
        "a/$X",
    ] {
        assert!(
            !act(&command(&format!("{program} x")), &places())
                .effects
                .is_empty(),
            "{program}"
        );
    }
    for line in ["sort $X", "sort -$X", "sort --out$X", "sort @X", "sort *"] {
        let acts = act(&command(line), &places());
        assert!(
            acts.effects
                .iter()
                .any(|effect| effect.kind == EffectKind::Write
                    && effect.certainty == Certainty::Unknown),
            "{line}"
        );
    }
    for line in ["sort -- $X", "sort ./$X", "grep x $X"] {
        let acts = act(&command(line), &places());
        assert!(
            !acts
                .effects
                .iter()
                .any(|effect| effect.kind == EffectKind::Write),
            "{line}"
        );
    }
}

/// Asserts what the lines of a section are to the pattern behind each.
fn all_meet(section: &str) {
    for row in rows(include_str!("patterns.txt"), section) {
        let [line, pattern, wanted] = row.split(" ⇒ ").collect::<Vec<_>>()[..] else {
            panic!("{row}")
        };
        let is_option = |word: &&str| word.starts_with(['-', '!']);
        let (options, program): (Vec<_>, Vec<_>) = pattern.split(' ').partition(is_option);
        let program = program.join(" ");
        let pattern = CommandPattern::of(&program, &options);
        let done = crate::shell::read(line, &Places::default(), &crate::places::NoFiles);
        let all = done.commands.iter().map(|command| pattern.meets(command));
        let most = all.max().unwrap_or(CommandMatch::No);
        assert_eq!(format!("{most:?}"), wanted, "{row}");
    }
}

#[test]
fn a_rule_asks_by_meaning() {
    all_meet("by meaning");
}

#[test]
fn every_letter_of_every_row_means_something_and_no_option_is_there_twice() {
    const LETTERS: &str = "rRwWudDmalnNMcqCfFexkpPgXYBbtAs/-";
    let is_known = |text: &str, more: &str| {
        let mut letters = text.chars();
        letters.all(|letter| LETTERS.contains(letter) || more.contains(letter))
    };
    for row in programs() {
        let name = row.name();
        let OperandRules { first, each, last } = row.operands;
        let mut operands = first.iter().chain(each.as_ref()).chain(last);
        assert!(operands.all(|letters| is_known(letters, "v")), "{name}");
        for deed in row.does {
            assert!(is_known(deed.letters, ""), "{name}");
            let mut options = deed.when.trim_start_matches('!').split(' ');
            let is_there =
                |one: &str| ["", "*", "+", "<"].contains(&one) || row.options.named(one).is_some();
            assert!(options.all(is_there), "{name}: {}", deed.when);
        }
        let mut names = HashSet::new();
        for option in row.options.options {
            let letters = [option.of_value, option.of_flag].concat();
            assert!(is_known(&letters, "^02"), "{name}: {letters}");
            for own in option.names {
                let is_new = names.insert(own) || name.contains(' ');
                assert!(
                    is_new && (own.len() == 1 || !own.starts_with('@')),
                    "{name}: {own}"
                );
            }
        }
    }
}

#[test]
fn every_name_of_every_row_finds_its_row() {
    for row in programs() {
        for name in row.names {
            let found = find(name);
            assert!(
                found.is_some_and(|found| std::ptr::eq(found, row)),
                "{name}"
            );
        }
    }
    assert!(programs().flat_map(|row| row.names).count() > 1000);
    assert!(find("npm i-do-not-exist").is_none() && find("i").is_none());
}

#[test]
fn a_pattern_finds_a_subcommand_behind_options_with_values_and_nothing_else() {
    all_meet("a subcommand");
}

#[test]
fn an_option_is_found_in_any_spelling_and_an_exception_frees_its_own_command_alone() {
    all_meet("options and exceptions");
}
