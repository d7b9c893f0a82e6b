//! Compiles the tables of programs and of words into statics. A test looks at what stands in them.

use std::collections::BTreeMap;
use std::env::var_os;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::{fs, io};

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=programs");
    let out = PathBuf::from(var_os("OUT_DIR").unwrap_or_default());
    let table = fs::read_to_string("programs/programs.txt")?;
    fs::write(out.join("programs.rs"), programs(&table))?;
    let lists = fs::read_to_string("programs/words.txt")?;
    fs::write(out.join("words.rs"), words(&lists))
}

fn says(line: &&str) -> bool {
    !line.is_empty() && !line.starts_with('#')
}

/// A row of the table of programs.
struct ProgramRow<'t> {
    /// Its names, each whole.
    names: Vec<String>,
    options: String,
    operands: &'t str,
    does: &'t str,
    function: &'t str,
}

fn programs(text: &str) -> String {
    let mut shared: Vec<(&str, &str)> = Vec::new();
    let mut rows: Vec<ProgramRow<'_>> = Vec::new();
    for line in text.lines().filter(says) {
        if let Some(options) = line.split_once(" = ").filter(|_| line.starts_with('@')) {
            shared.push(options);
            continue;
        }
        let mut columns = line.split(';').map(str::trim);
        let mut column = || columns.next().unwrap_or_default();
        let (names, options) = (column(), column().to_owned());
        let replaced =
            |options: String, (name, shared): &(&str, &str)| options.replace(name, shared);
        rows.push(ProgramRow {
            names: whole(names),
            options: shared.iter().fold(options, replaced),
            operands: column(),
            does: column(),
            function: column(),
        });
    }
    let compiled: String = rows.iter().map(|row| compiled(row, &rows)).collect();
    let of_row = |(at, row): (usize, &ProgramRow<'_>)| {
        row.names.clone().into_iter().map(move |name| (name, at))
    };
    let index: BTreeMap<String, usize> = rows.iter().enumerate().flat_map(of_row).collect();
    let index: Vec<(String, usize)> = index.into_iter().collect();
    format!(
        "pub(crate) static PROGRAMS: &[Program] = &[\n{compiled}];\npub(crate) static NAMES: &[(&str, usize)] = &{index:?};\n"
    )
}

/// The names of a row: of a verb only the first one is written with its program.
fn whole(names: &str) -> Vec<String> {
    let mut names = names.split('|');
    let first = names.next().unwrap_or_default();
    let above = first.rsplit_once(' ').map(|(above, _)| format!("{above} "));
    let above = above.unwrap_or_default();
    let others = names.map(|name| format!("{above}{name}"));
    std::iter::once(first.to_owned()).chain(others).collect()
}

/// The options of a row; behind a verb those of its program too, unless they end at the verb.
fn listing(row: &ProgramRow<'_>, rows: &[ProgramRow<'_>]) -> String {
    let above = row.names.first().and_then(|name| name.rsplit_once(' '));
    let is_above = |row: &&ProgramRow<'_>| {
        row.names.first().map(String::as_str) == above.map(|(name, _)| name)
    };
    let above = rows
        .iter()
        .find(is_above)
        .filter(|row| !row.options.starts_with('+'));
    let above = above.map_or("", |above| &above.options);
    let tokens = row
        .options
        .split_whitespace()
        .chain(above.split_whitespace());
    let options = tokens
        .filter(|token| !matches!(*token, "+" | "-"))
        .map(listed);
    let is = |sign: &str| row.options.split_whitespace().any(|token| token == sign);
    let (stops, single) = (is("+"), is("-"));
    let options: String = options.collect();
    format!("OptionTable {{ stops: {stops}, single: {single}, options: &[{options}] }}")
}

fn listed(token: &str) -> String {
    let (names, value) = token.split_at(token.find([':', '?', '%', '!']).unwrap_or(token.len()));
    let (of_value, of_flag) = value.split_once('!').unwrap_or((value, ""));
    let takes = match of_value.chars().next() {
        Some(':') => "Value",
        Some('?') => "Joined",
        Some('%') => "Number",
        _ => "Nothing",
    };
    let of_value = of_value.trim_start_matches([':', '?', '%']);
    let names: Vec<&str> = names.split(',').collect();
    format!(
        "OptionSpec {{ names: &{names:?}, value: OptionArity::{takes}, of_value: {of_value:?}, of_flag: {of_flag:?} }}, "
    )
}

fn compiled(row: &ProgramRow<'_>, rows: &[ProgramRow<'_>]) -> String {
    let listing = listing(row, rows);
    let operands: Vec<&str> = row.operands.split_whitespace().collect();
    let star = operands.iter().position(|token| token.ends_with('*'));
    let (first, rest) = operands.split_at(star.unwrap_or(operands.len()));
    let each = rest.first().map(|token| token.trim_end_matches('*'));
    let last: Vec<&str> = rest.iter().skip(1).copied().collect();
    let does: String = row.does.split_whitespace().map(deed).collect();
    let function = match row.function {
        "" => "None".to_owned(),
        path => format!("Some(super::{path})"),
    };
    let names = &row.names;
    format!(
        "Program {{ names: &{names:?}, options: {listing}, does: &[{does}], function: {function}, \
         operands: OperandRules {{ first: &{first:?}, each: {each:?}, last: &{last:?} }} }},\n",
    )
}

/// One thing that a row does anyway, or on a condition: `W:.(!d,D)`.
fn deed(token: &str) -> String {
    let conditional = token.strip_suffix(')').and_then(|it| it.split_once('('));
    let (token, when) = conditional.unwrap_or((token, ""));
    let (letters, text) = token.split_once(':').unwrap_or((token, ""));
    let (letters, perhaps) = (letters.trim_start_matches('?'), letters.starts_with('?'));
    let when = when.replace(',', " ");
    format!("Deed {{ letters: {letters:?}, text: {text:?}, perhaps: {perhaps}, when: {when:?} }}, ")
}

/// Lists of words, each a static of its name.
fn words(text: &str) -> String {
    let mut code = String::new();
    // A line that begins with a blank goes on.
    let text = text.replace("\n    ", " ");
    for (name, words) in text
        .lines()
        .filter(says)
        .filter_map(|line| line.split_once(':'))
    {
        let words: Vec<&str> = if words.contains('|') {
            words.split('|').map(str::trim).collect()
        } else {
            words.split_whitespace().collect()
        };
        let _ = match name.strip_suffix('=') {
            Some(name) => {
                let pairs = words.into_iter().filter_map(|word| word.split_once('='));
                let pairs: Vec<(&str, &str)> = pairs.collect();
                writeln!(
                    code,
                    "pub(crate) static {name}: &[(&str, &str)] = &{pairs:?};"
                )
            }
            None => writeln!(code, "pub(crate) static {name}: &[&str] = &{words:?};"),
        };
    }
    code
}
