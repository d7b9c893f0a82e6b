//! Lines of an ordinary day, changed: other quotes, wrappers, options, variables, folders, links, redirections,
//! here-documents.

use std::sync::LazyLock;

use crate::grammar::{Dice, quoted};

/// The committed lines of an ordinary day: reading, searching, editing, git.
pub(crate) static EVERYDAY: LazyLock<Vec<String>> = LazyLock::new(|| {
    lines(&[
        include_str!("../../../../fixtures/lines/everyday.txt"),
        include_str!("../../../../fixtures/lines/everyday-more.txt"),
    ])
});

/// The committed lines that build, test and run code.
pub(crate) static BUILDS: LazyLock<Vec<String>> = LazyLock::new(|| {
    lines(&[
        include_str!("../../../../fixtures/lines/builds.txt"),
        include_str!("../../../../fixtures/lines/builds-more.txt"),
    ])
});

fn lines(texts: &[&str]) -> Vec<String> {
    let lines = texts.iter().flat_map(|text| text.lines());
    let lines = lines.filter(|line| !line.starts_with('#') && !line.trim().is_empty());
    lines.map(|line| line.replace('⏎', "\n")).collect()
}

/// A line of an ordinary day, changed up to three times.
pub(crate) fn mutated(dice: &mut Dice) -> String {
    let at = dice.below(EVERYDAY.len() + BUILDS.len());
    let mut lines = EVERYDAY.iter().chain(&*BUILDS);
    let mut line = lines.nth(at).unwrap().clone();
    for _ in 0..=dice.below(3) {
        line = changed(dice, &line);
    }
    line
}

fn changed(dice: &mut Dice, line: &str) -> String {
    match dice.below(10) {
        0..=2 => with_word(dice, line, spelled),
        3 | 4 => with_word(dice, line, optional),
        5 => with_word(dice, line, placed),
        6 => redirected(dice, line),
        7 => named(dice, line),
        _ => wrapped(dice, line),
    }
}

/// The words of a line that stand between blanks, outside of quotes: where each begins and ends.
fn words(line: &str) -> Vec<(usize, usize)> {
    let (mut words, mut begin, mut quote, mut skip) = (Vec::new(), None, None, false);
    for (at, letter) in line.char_indices() {
        let is_blank = quote.is_none() && !skip && letter.is_whitespace();
        match (is_blank, begin) {
            (true, Some(first)) => {
                words.push((first, at));
                begin = None;
            }
            (false, None) => begin = Some(at),
            _ => {}
        }
        if skip {
            skip = false;
        } else if quote == Some(letter) {
            quote = None;
        } else if letter == '\\' && quote != Some('\'') {
            skip = true;
        } else if quote.is_none() && matches!(letter, '\'' | '"' | '`') {
            quote = Some(letter);
        }
    }
    words.extend(begin.map(|first| (first, line.len())));
    words
}

/// Whether a word is the same with and without quotes.
fn is_plain(word: &str) -> bool {
    word.chars()
        .all(|letter| letter.is_ascii_alphanumeric() || "_./-".contains(letter))
}

/// Writes one of the words in another way.
fn with_word(
    dice: &mut Dice,
    line: &str,
    change: fn(&mut Dice, &str) -> Option<(String, String)>,
) -> String {
    // The text of a here-document is no line.
    let words = if line.contains("<<") {
        Vec::new()
    } else {
        words(line)
    };
    if words.is_empty() {
        return line.to_owned();
    }
    let (begin, end) = words[dice.below(words.len())];
    match change(dice, &line[begin..end]) {
        Some((front, word)) => format!("{front}{}{word}{}", &line[..begin], &line[end..]),
        None => line.to_owned(),
    }
}

/// Other quotes, variables, substitutions, patterns.
fn spelled(dice: &mut Dice, word: &str) -> Option<(String, String)> {
    const KEYWORDS: &[&str] = &[
        "if", "then", "else", "fi", "for", "in", "do", "done", "while", "case", "esac", "time",
    ];
    if !is_plain(word) || KEYWORDS.contains(&word) {
        return None;
    }
    let (first, rest) = word.split_at(1);
    let alone = |word: String| Some((String::new(), word));
    match dice.below(12) {
        0 => alone(format!("\"{word}\"")),
        1 => alone(format!("'{word}'")),
        2 => alone(format!("\\{word}")),
        3 => alone(format!("{first}''{rest}")),
        4 => alone(format!("$'\\x{:02x}'{rest}", first.as_bytes()[0])),
        5 => alone(format!("$(echo {word})")),
        6 => alone(format!("`printf %s {word}`")),
        7 => alone(format!("${{zz:-{word}}}")),
        8 => Some((format!("zz={word}; "), "$zz".to_owned())),
        9 => Some((format!("export zz={word} && "), "\"${zz}\"".to_owned())),
        10 if word.len() > 2 && !word.starts_with('-') => {
            alone(format!("{}?", &word[..word.len() - 1]))
        }
        _ => alone(format!("{{{word},}}")),
    }
}

/// Options abbreviated, joined, apart, negated.
fn optional(dice: &mut Dice, word: &str) -> Option<(String, String)> {
    let alone = |word: String| Some((String::new(), word));
    if let Some(long) = word.strip_prefix("--") {
        let (name, value) = long
            .split_once('=')
            .map_or((long, None), |(name, value)| (name, Some(value)));
        if name.len() < 4 || !is_plain(name) {
            return None;
        }
        return match (dice.below(4), value) {
            (0, Some(value)) => alone(format!("--{name} {value}")),
            (1, None) => alone(format!("--no-{name}")),
            (2, None) => alone(format!("--no-{name} --{name}")),
            _ => {
                let name = &name[..2 + dice.below(name.len() - 2)];
                alone(value.map_or(format!("--{name}"), |value| format!("--{name}={value}")))
            }
        };
    }
    let short = word
        .strip_prefix('-')
        .filter(|short| short.len() > 1 && is_plain(short))?;
    let (first, rest) = short.split_at(1);
    alone(if dice.chance(50) {
        format!("-{first} -{rest}")
    } else {
        format!("-{first} {rest}")
    })
}

/// Another way to a file.
fn placed(dice: &mut Dice, word: &str) -> Option<(String, String)> {
    if !is_plain(word) || !word.contains('.') || word.starts_with(['-', '/', '.']) {
        return None;
    }
    let alone = |word: String| Some((String::new(), word));
    match dice.below(8) {
        0 => alone(format!("./{word}")),
        1 => alone(format!("src/../{word}")),
        2 => alone(format!("\"$PWD\"/{word}")),
        3 => alone(format!("~/{word}")),
        4 => alone(format!("$HOME/{word}")),
        5 => Some(("cd src && ".to_owned(), format!("../{word}"))),
        6 => Some((format!("ln -s {word} zzl; "), "zzl".to_owned())),
        _ => Some((format!("cp {word} zzc\n"), "zzc".to_owned())),
    }
}

fn redirected(dice: &mut Dice, line: &str) -> String {
    if line.contains("<<") {
        return format!("{{ {line}\n}} > zzo");
    }
    match dice.below(10) {
        0 => format!("{line} > zzo"),
        1 => format!("{line} >> zzo 2>&1"),
        2 => format!("{line} &> zzo"),
        3 => format!("{line} 2>/dev/null"),
        4 => format!("{line} < README.md"),
        5 => format!("{line} | tee zzo"),
        6 => format!("{line} | xargs echo"),
        7 => format!("< data.json {line}"),
        8 => format!("cat <<E | {line}\na $HOME\nE\n"),
        _ => format!("{line} > >(cat > zzo)"),
    }
}

/// Another name of the program.
fn named(dice: &mut Dice, line: &str) -> String {
    let end = line.find(|letter: char| !letter.is_ascii_alphanumeric() && letter != '-');
    let (name, rest) = line.split_at(end.unwrap_or(line.len()));
    if name.is_empty()
        || !rest.starts_with([' '])
        || ["for", "if", "while", "case", "until", "time"].contains(&name)
    {
        return line.to_owned();
    }
    let front = [
        "command ",
        "/usr/bin/",
        "\\",
        "env ",
        "nice ",
        "timeout 2 ",
        "nohup ",
        "A=1 ",
        "exec ",
        "time ",
    ];
    match dice.below(3) {
        0 => format!("zzp={name}; $zzp{rest}"),
        1 => format!("$(which {name}){rest}"),
        _ => format!("{}{name}{rest}", dice.one(&front)),
    }
}

fn wrapped(dice: &mut Dice, line: &str) -> String {
    let text = quoted(line);
    match dice.below(16) {
        0 => format!("bash -c {text}"),
        1 => format!("sh -c {text}"),
        2 => format!("eval {text}"),
        3 => format!("(\n{line}\n)"),
        4 => format!("if true; then\n{line}\nfi"),
        5 => format!("zzf() {{\n{line}\n}}; zzf"),
        6 => format!("echo {text} | sh"),
        7 => format!("bash <<'ZZ'\n{line}\nZZ\n"),
        8 => format!("printf %s {text} > zz.sh; bash zz.sh"),
        9 => format!("cd src; {line}"),
        10 => format!("env A=1 sh -c {text}"),
        11 => format!("timeout 2 bash -c {text}"),
        12 => format!("echo README.md | xargs -I% sh -c {text}"),
        13 => format!("for zzi in 1 2; do\n{line}\ndone"),
        14 => format!("find README.md -exec sh -c {text} \\;"),
        _ => format!("cd docs && cd - && {line}"),
    }
}

/// The files that a line names: those of a name with an ending, below the folder.
pub(crate) fn named_files(line: &str) -> Vec<String> {
    let is_part = |letter: char| letter.is_ascii_alphanumeric() || "_./-".contains(letter);
    let words = line.split(|letter: char| !is_part(letter));
    let is_file = |word: &&str| {
        let last = word.rsplit('/').next().unwrap();
        let (stem, ending) = last.rsplit_once('.').unwrap_or_default();
        let is_short = (1..6).contains(&ending.len())
            && ending.chars().all(|letter| letter.is_ascii_alphabetic());
        is_short
            && !stem.is_empty()
            && !word.starts_with(['-', '/', '.'])
            && !word.contains("..")
            && word.len() < 60
    };
    words.filter(is_file).map(str::to_owned).collect()
}
