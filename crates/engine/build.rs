//! Makes constants of the texts in `tables`, so that a name which is not there does not compile.

use std::collections::BTreeMap;
use std::env::var_os;
use std::path::PathBuf;
use std::{fs, io};

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=tables");
    let lists = lists(&fs::read_to_string("tables/lists.txt")?)
        + &names(&fs::read_to_string("tables/names.txt")?);
    let commands = commands(&fs::read_to_string("tables/commands.txt")?)?;
    let folder = PathBuf::from(var_os("OUT_DIR").unwrap_or_default());
    fs::write(folder.join("lists.rs"), lists)?;
    fs::write(folder.join("commands.rs"), commands)
}

fn says(line: &&str) -> bool {
    !line.is_empty() && !line.starts_with('#')
}

/// The lists of a table, each with its name.
fn read(text: &str) -> Vec<(&str, Vec<&str>)> {
    let mut lists: Vec<(&str, Vec<&str>)> = Vec::new();
    for line in text.lines().filter(says) {
        if let (Some(entry), Some((_, entries))) = (line.strip_prefix("  "), lists.last_mut()) {
            entries.push(entry);
        } else {
            let mut words = line.split(' ');
            lists.push((words.next().unwrap_or_default(), words.collect()));
        }
    }
    lists
}

/// A constant of each list.
fn lists(text: &str) -> String {
    let code = read(text)
        .into_iter()
        .map(|(name, list)| format!("pub(crate) const {name}: &[&str] = &{list:?};\n"));
    code.collect()
}

/// A constant of all lists of names. What stands in quotes begins or ends with a blank.
fn names(text: &str) -> String {
    let plain = |entry: &str| {
        let inside = entry
            .strip_prefix('"')
            .and_then(|rest| rest.strip_suffix('"'));
        inside.unwrap_or(entry).to_owned()
    };
    let rows = read(text).into_iter().map(|(name, list)| {
        let list: Vec<String> = list.iter().map(|entry| plain(entry)).collect();
        format!("    ({name:?}, &{list:?}),\n")
    });
    let rows: String = rows.collect();
    format!("pub(crate) const NAMES: &[(&str, &[&str])] = &[\n{rows}];\n")
}

/// The rows of each kind of command.
fn commands(text: &str) -> io::Result<String> {
    let mut kinds: BTreeMap<&str, String> = BTreeMap::new();
    for line in text.lines().filter(says) {
        let mut fields = line.split('|').map(str::trim);
        let (kind, command) = (fields.next(), fields.next());
        let (Some(kind), Some(command)) = (kind, command.filter(|command| !command.is_empty()))
        else {
            return Err(io::Error::other(format!(
                "commands.txt: `{line}` has no command"
            )));
        };
        let more: Vec<&str> = fields
            .next()
            .unwrap_or_default()
            .split_whitespace()
            .collect();
        let program = command.split(' ').next().unwrap_or_default();
        let inner = program
            .strip_prefix('{')
            .and_then(|rest| rest.strip_suffix('}'));
        let mut programs: Vec<&str> = inner.unwrap_or(program).split(',').collect();
        // A name in capitals, or with a pattern in it, is compared when the command is.
        let is_open = |c: char| c.is_uppercase() || "*{}".contains(c);
        if programs.iter().any(|name| name.contains(is_open)) {
            programs.clear();
        }
        *kinds.entry(kind).or_default() += &format!(
            "CommandRow {{ programs: &{programs:?}, command: {command:?}, more: &{more:?} }}, "
        );
    }
    let kinds = kinds
        .iter()
        .map(|(kind, rows)| format!("({kind:?}, &[{rows}]),\n"));
    Ok(format!("&[\n{}]\n", kinds.collect::<String>()))
}
