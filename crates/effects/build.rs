//! Compiles the tables of programs and of words into statics. What is wrong in a table is an error of the build.

use std::collections::{BTreeMap, HashSet};
use std::fmt::Write as _;
use std::path::PathBuf;
use std::{env, fs};

/// Letters of the table that stand for an effect.
const LETTERS: &str = "rRwWudDmanNMcqCfFexkpPgXYbtA/-";
/// Letters that an option may have besides.
const OF_OPTIONS: &str = "^0";

/// What is wrong in a table: the line, and what it is.
type Wrong = (usize, String);

/// Makes code of a table.
type Compiler = fn(&str) -> Result<String, Wrong>;

fn main() {
    let folder = |name| PathBuf::from(env::var_os(name).unwrap_or_default());
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=programs");
    let compilers: [(&str, Compiler); 2] = [("programs", programs), ("words", words)];
    for (table, compile) in compilers {
        let path = folder("CARGO_MANIFEST_DIR")
            .join("programs")
            .join(table)
            .with_extension("txt");
        let out = folder("OUT_DIR").join(table).with_extension("rs");
        let text = fs::read_to_string(&path).map_err(|cause| (0, cause.to_string()));
        let code = text.and_then(|text| compile(&text));
        let written =
            code.and_then(|code| fs::write(&out, code).map_err(|cause| (0, cause.to_string())));
        if let Err((line, what)) = written {
            println!("cargo::error={}:{line}: {what}", path.display());
        }
    }
}

/// A row of the table of programs.
struct Row<'t> {
    line: usize,
    /// Its names, each whole.
    names: Vec<String>,
    options: String,
    operands: &'t str,
    does: &'t str,
    function: &'t str,
}

fn programs(text: &str) -> Result<String, Wrong> {
    let mut shared: Vec<(String, &str)> = Vec::new();
    let mut rows: Vec<Row<'_>> = Vec::new();
    for (line, text) in (1..).zip(text.lines()) {
        if text.is_empty() || text.starts_with('#') {
            continue;
        }
        if let Some((name, options)) = text.split_once(" = ").filter(|_| text.starts_with('@')) {
            shared.push((name.to_owned(), options));
            continue;
        }
        let mut columns = text.split(';').map(str::trim);
        let mut column = || columns.next().unwrap_or_default();
        let (names, options) = (column(), column());
        let mut options = options.to_owned();
        for (name, shared) in &shared {
            options = options.replace(name, shared);
        }
        rows.push(Row {
            line,
            names: whole(names),
            options,
            operands: column(),
            does: column(),
            function: column(),
        });
        if columns.next().is_some() {
            return Err((line, "a sixth column".to_owned()));
        }
    }
    let mut code = format!(
        "pub(crate) static PROGRAMS: [Program; {}] = [\n",
        rows.len()
    );
    let mut index = BTreeMap::new();
    for (at, row) in rows.iter().enumerate() {
        for name in &row.names {
            if index.insert(name, at).is_some() {
                return Err((row.line, format!("`{name}` has two rows")));
            }
        }
        code += &compiled(row, &rows)?;
    }
    let _ = writeln!(
        code,
        "];\npub(crate) static NAMES: [(&str, usize); {}] = {:?};",
        index.len(),
        index.iter().collect::<Vec<_>>()
    );
    Ok(code)
}

/// The names of a row: of a verb only the first one is written with its program.
fn whole(names: &str) -> Vec<String> {
    let first = names.split('|').next().unwrap_or_default();
    let above = first
        .rsplit_once(' ')
        .map_or(String::new(), |(above, _)| format!("{above} "));
    let others = names
        .split('|')
        .skip(1)
        .map(|name| format!("{above}{name}"));
    std::iter::once(first.to_owned()).chain(others).collect()
}

impl Row<'_> {
    fn known(&self, letters: &str, more: &str) -> Result<(), Wrong> {
        let is_known = |letter: char| LETTERS.contains(letter) || more.contains(letter);
        let Some(letter) = letters.chars().find(|letter| !is_known(*letter)) else {
            return Ok(());
        };
        Err((self.line, format!("`{letter}` is no letter of the table")))
    }

    fn is_named(&self, name: &str) -> bool {
        self.names.first().is_some_and(|own| own == name)
    }
}

/// The options of a row; behind a verb those of its program too, unless they end at the verb.
fn listing(row: &Row<'_>, rows: &[Row<'_>]) -> Result<String, Wrong> {
    let above = row.names.first().and_then(|name| name.rsplit_once(' '));
    let above = above.and_then(|(above, _)| rows.iter().find(|row| row.is_named(above)));
    let above = above.map_or("", |above| &above.options);
    let above = if above.starts_with('+') { "" } else { above };
    let mut listing = String::new();
    let mut names = HashSet::new();
    let own = row.options.split_whitespace().map(|token| (token, true));
    let outer = above.split_whitespace().map(|token| (token, false));
    for (token, is_own) in own
        .chain(outer)
        .filter(|(token, _)| !matches!(*token, "+" | "-"))
    {
        let (option, value) = token.split_at(token.find([':', '?', '!']).unwrap_or(token.len()));
        let (of_value, of_flag) = value.split_once('!').unwrap_or((value, ""));
        let takes = match of_value.chars().next() {
            Some(':') => "Value",
            Some('?') => "Joined",
            _ => "Nothing",
        };
        let of_value = of_value.trim_start_matches([':', '?']);
        row.known(of_value, OF_OPTIONS)?;
        row.known(of_flag, OF_OPTIONS)?;
        let option: Vec<&str> = option.split(',').collect();
        for name in &option {
            if !names.insert(*name) && is_own || name.starts_with('@') && name.len() > 1 {
                return Err((
                    row.line,
                    format!("option `{name}` is there twice, or unknown"),
                ));
            }
        }
        let _ = write!(
            listing,
            "Listed {{ names: &{option:?}, value: Takes::{takes}, of_value: {of_value:?}, of_flag: {of_flag:?} }}, "
        );
    }
    let is = |sign: &str| row.options.split_whitespace().any(|token| token == sign);
    let (stops, single) = (is("+"), is("-"));
    Ok(format!(
        "Listing {{ stops: {stops}, single: {single}, options: &[{listing}] }}"
    ))
}

fn compiled(row: &Row<'_>, rows: &[Row<'_>]) -> Result<String, Wrong> {
    let listing = listing(row, rows)?;
    row.known(&row.operands.replace(['*', ' '], ""), "v")?;
    let operands: Vec<&str> = row.operands.split_whitespace().collect();
    let star = operands.iter().position(|token| token.ends_with('*'));
    let (first, rest) = operands.split_at(star.unwrap_or(operands.len()));
    let each = rest.first().map(|token| token.trim_end_matches('*'));
    let last: Vec<&str> = rest.iter().skip(1).copied().collect();
    let mut does = Vec::new();
    for token in row.does.split_whitespace() {
        let (letters, text) = token.split_once(':').unwrap_or((token, ""));
        row.known(letters, "")?;
        does.push((letters, text));
    }
    let function = match row.function {
        "" => "None".to_owned(),
        path => format!("Some(super::{path})"),
    };
    let names = &row.names;
    Ok(format!(
        "Program {{ names: &{names:?}, options: {listing}, does: &{does:?}, function: {function}, \
         operands: Operands {{ first: &{first:?}, each: {each:?}, last: &{last:?} }} }},\n",
    ))
}

/// Lists of words, each a static of its name.
fn words(text: &str) -> Result<String, Wrong> {
    let mut lists: Vec<(&str, String)> = Vec::new();
    for (line, text) in (1..).zip(text.lines()) {
        if text.is_empty() || text.starts_with('#') {
            continue;
        }
        let wrong = || (line, "words of no list".to_owned());
        if text.starts_with(' ') {
            let (_, words) = lists.last_mut().ok_or_else(wrong)?;
            *words += text;
        } else {
            let (name, words) = text.split_once(':').ok_or_else(wrong)?;
            lists.push((name, words.to_owned()));
        }
    }
    let mut code = String::new();
    for (name, words) in lists {
        let words: Vec<&str> = if words.contains('|') {
            words.split('|').map(str::trim).collect()
        } else {
            words.split_whitespace().collect()
        };
        let _ = writeln!(code, "pub(crate) static {name}: &[&str] = &{words:?};");
    }
    Ok(code)
}
