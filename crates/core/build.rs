//! Compiles the tables of this crate into statics, so that no event reads one. What is wrong in a table is an error of the build.

#![expect(
    clippy::disallowed_methods,
    reason = "it runs at the build, which has no engine"
)]

use std::collections::HashMap;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::{env, fs};

/// What is wrong in a table, and in which line.
type Wrong = (usize, String);

/// Makes code of a table.
type Compiler = fn(&str) -> Result<String, Wrong>;

fn main() {
    let folder = |name| PathBuf::from(env::var_os(name).unwrap_or_default());
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=tables");
    let compilers: [(&str, Compiler); 1] = [("events", events)];
    for (table, compile) in compilers {
        let file = format!("tables/{table}.txt");
        let out = folder("OUT_DIR").join(table).with_extension("rs");
        let text = fs::read_to_string(folder("CARGO_MANIFEST_DIR").join(&file));
        let code = text
            .map_err(|cause| (0, cause.to_string()))
            .and_then(|text| compile(&text));
        let written =
            code.and_then(|code| fs::write(out, code).map_err(|cause| (0, cause.to_string())));
        if let Err((line, what)) = written {
            println!("cargo::error={file}:{line}: {what}");
        }
    }
}

/// The lines of a table that say something, with their numbers.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let all = (1..).zip(text.lines());
    all.filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'))
}

/// A row of the catalogue of events.
#[derive(Default)]
struct Event<'t> {
    says: HashMap<&'t str, &'t str>,
    fields: String,
}

impl<'t> Event<'t> {
    fn words(&self, key: &str) -> Vec<&'t str> {
        self.says
            .get(key)
            .map(|words| words.split(' ').collect())
            .unwrap_or_default()
    }

    fn code(&self) -> String {
        let text = |key| self.says.get(key).copied();
        let twins = self.words("twins");
        let twins: Vec<_> = twins
            .iter()
            .filter_map(|twin| twin.split_once('='))
            .collect();
        format!(
            "EventSpec {{ name: {:?}, universal: {:?}, aliases: &{:?}, class: Class::{}, subject: {:?}, mutable: &{:?}, \
             twins: &{twins:?}, fields: &[{}], summary: {:?} }},\n",
            text("name").unwrap_or_default(),
            text("universal"),
            self.words("aliases"),
            capital(text("class").unwrap_or_default()),
            text("subject"),
            self.words("mutable"),
            self.fields,
            text("summary").unwrap_or_default(),
        )
    }
}

fn events(text: &str) -> Result<String, Wrong> {
    let (mut common, mut rows) = (String::new(), Vec::<Event<'_>>::new());
    for (line, text) in lines(text) {
        let wrong = || {
            (
                line,
                format!("`{text}` is no line of this table: its head says what there is"),
            )
        };
        let Some(said) = text.strip_prefix("  ") else {
            if let Some((head, summary)) = text.split_once(" | ") {
                let (class, name) = head.split_once(' ').ok_or_else(wrong)?;
                let says = [("class", class), ("name", name), ("summary", summary)];
                rows.push(Event {
                    says: says.into(),
                    fields: String::new(),
                });
            } else if text != "common" {
                return Err(wrong());
            }
            continue;
        };
        if let Some(field) = said.strip_prefix("- ") {
            let fields = rows.last_mut().map_or(&mut common, |row| &mut row.fields);
            *fields += &field_code(field).ok_or_else(wrong)?;
        } else {
            let (key, words) = said.split_once(": ").ok_or_else(wrong)?;
            let is_key = ["universal", "aliases", "subject", "mutable", "twins"].contains(&key);
            let row = rows.last_mut().filter(|_| is_key).ok_or_else(wrong)?;
            row.says.insert(key, words);
        }
    }
    let mut code = format!(
        "/// The fields that any event may carry besides its own.\npub static COMMON: &[Field] = &[{common}];\n\
         /// Every event of the catalogue, in reading order.\npub static EVENTS: &[EventSpec] = &["
    );
    let mut index = Vec::new();
    for (at, row) in rows.iter().enumerate() {
        code += &row.code();
        let mut names = ["name", "universal", "aliases"]
            .map(|key| row.words(key))
            .concat();
        names.dedup();
        index.extend(names.into_iter().map(|name| (name.len(), name, at)));
    }
    index.sort_unstable();
    let index: Vec<_> = index.into_iter().map(|(_, name, at)| (name, at)).collect();
    let _ = writeln!(code, "];\nstatic INDEX: &[(&str, usize)] = &{index:?};");
    Ok(code)
}

fn field_code(field: &str) -> Option<String> {
    let mut columns = field.split(" | ");
    let (name, kind) = columns.next()?.split_once(' ')?;
    let (summary, source) = (columns.next()?, columns.next()?);
    let (kind, presence) = match kind.strip_suffix('!') {
        Some(kind) => (kind, "Required"),
        None => (kind, "Optional"),
    };
    let kind = if kind.contains('/') {
        format!("Enum(&{:?})", kind.split('/').collect::<Vec<_>>())
    } else {
        capital(kind)
    };
    Some(format!(
        "Field {{ name: {name:?}, kind: FieldKind::{kind}, presence: Presence::{presence}, summary: {summary:?}, \
         source: {source:?} }}, "
    ))
}

fn capital(word: &str) -> String {
    let (first, rest) = word.split_at_checked(1).unwrap_or_default();
    first.to_ascii_uppercase() + rest
}
