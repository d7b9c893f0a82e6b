//! Compiles the tables of this crate into statics, so that no event reads one. What is wrong in a table is an error of the build.

#![expect(
    clippy::disallowed_methods,
    clippy::indexing_slicing,
    reason = "it runs at the build, which has no engine and stops at a place that is not there"
)]

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;
use std::path::PathBuf;
use std::{env, fs};

/// What is wrong in a table, and in which line.
type TableError = (usize, String);

/// Makes code of a table.
type Compiler = fn(&str) -> Result<String, TableError>;

fn main() {
    let folder = |name| PathBuf::from(env::var_os(name).unwrap_or_default());
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=tables");
    let compilers: [(&str, Compiler); 4] = [
        ("events", events),
        ("fields", fields),
        ("secrets", secrets),
        ("arguments", arguments),
    ];
    for (table, compile) in compilers {
        let file = format!("tables/{table}.txt");
        let out = folder("OUT_DIR").join(table).with_extension("rs");
        let text = fs::read_to_string(folder("CARGO_MANIFEST_DIR").join(&file));
        let failed = |cause: std::io::Error| (0, cause.to_string());
        let code = text.map_err(failed).and_then(|text| compile(&text));
        let written = code.and_then(|code| fs::write(out, code).map_err(failed));
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
struct CatalogueRow<'t> {
    says: HashMap<&'t str, &'t str>,
    fields: String,
}

impl<'t> CatalogueRow<'t> {
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

fn events(text: &str) -> Result<String, TableError> {
    let (mut common, mut rows) = (String::new(), Vec::<CatalogueRow<'_>>::new());
    for (line, text) in lines(text) {
        let wrong = || no_line(line, text);
        let Some(said) = text.strip_prefix("  ") else {
            if let Some((head, summary)) = text.split_once(" | ") {
                let (class, name) = head.split_once(' ').ok_or_else(wrong)?;
                let says = [("class", class), ("name", name), ("summary", summary)];
                rows.push(CatalogueRow {
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
    let (mut index, mut constants) = (Vec::new(), String::new());
    for (at, row) in rows.iter().enumerate() {
        code += &row.code();
        let mut names = ["name", "universal", "aliases"]
            .map(|key| row.words(key))
            .concat();
        names.dedup();
        constants.extend(names.iter().filter_map(|name| constant(name)));
        index.extend(names.into_iter().map(|name| (name.len(), name, at)));
    }
    index.sort_unstable();
    let index: Vec<_> = index.into_iter().map(|(_, name, at)| (name, at)).collect();
    let _ = writeln!(
        code,
        "];\nstatic INDEX: &[(&str, usize)] = &{index:?};\n\
         macro_rules! event_names {{ ($make:ident) => {{ $make! {{ {constants} }} }} }}\npub(crate) use event_names;"
    );
    Ok(code)
}

/// The constant of an event of Amplifier: the names of all other agents have a hyphen or no colon.
fn constant(name: &str) -> Option<String> {
    let is_its = |sign: char| sign.is_ascii_lowercase() || matches!(sign, ':' | '_');
    let is_named = name.contains(':') && name.chars().all(is_its);
    is_named.then(|| format!("{} = {name:?}; ", name.replace(':', "_").to_uppercase()))
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

/// The fields of hooks.json.
fn fields(text: &str) -> Result<String, TableError> {
    let (mut shared, mut code, mut words) = (Vec::new(), String::new(), BTreeMap::new());
    for (line, text) in lines(text) {
        if let Some(form) = text.split_once(" = ").filter(|_| text.starts_with('@')) {
            shared.push(form);
            continue;
        }
        let columns: Vec<&str> = text.split(" | ").collect();
        let [object, name, marks, form, summary] = columns[..] else {
            return Err((
                line,
                "a field has five columns, with ` | ` between them".to_owned(),
            ));
        };
        let form = shared.iter().fold(form.to_owned(), |form, (name, shared)| {
            form.replace(name, shared)
        });
        let listed = form
            .trim_start_matches("{\"anyOf\": [")
            .strip_prefix("{\"enum\": [");
        if let Some((listed, _)) = listed.and_then(|listed| listed.split_once(']')) {
            words.insert(
                name.replace(['-', ' '], "_").to_uppercase(),
                listed.to_owned(),
            );
        }
        let marked = |mark: &str| marks.split(' ').find_map(|said| said.strip_prefix(mark));
        let _ = writeln!(
            code,
            "FieldSpec {{ level: ManifestLevel::{}, name: {name:?}, summary: {summary:?}, form: {form:?}, of: {:?}, also: {:?}, \
             closed: {} }},",
            capital(object),
            marked("of:"),
            marked("also:"),
            marked("closed").is_some(),
        );
    }
    let words = words.into_iter().map(|(name, words)| {
        format!(
            "/// The words that this field may hold.\npub(in crate::manifest) const {name}: &[&str] = &[{words}];\n"
        )
    });
    Ok(format!(
        "/// Every field of a manifest.\npub static FIELDS: &[FieldSpec] = &[\n{code}];\n\
         pub(in crate::manifest) mod choices {{\n{}}}\n",
        words.collect::<String>()
    ))
}

fn no_line(line: usize, text: &str) -> TableError {
    let what = format!("`{text}` is no line of this table: its head says what there is");
    (line, what)
}

/// A rule of the table of secrets.
type RuleRow<'t> = HashMap<&'t str, &'t str>;

fn secrets(text: &str) -> Result<String, TableError> {
    let (mut fields, mut rules) = (Vec::new(), Vec::<RuleRow<'_>>::new());
    for (line, text) in lines(text) {
        let wrong = || no_line(line, text);
        let said = text
            .strip_prefix("  ")
            .map(|said| said.split_once(": ").ok_or_else(wrong));
        match (said.transpose()?, text.split_once(' ')) {
            (Some((key, said)), _) => {
                rules.last_mut().ok_or_else(wrong)?.insert(key, said);
            }
            (None, Some(("fields", names))) => fields.extend(names.split(' ')),
            (None, Some((class @ ("secret" | "personal"), id))) => {
                rules.push([("class", class), ("id", id)].into());
            }
            (None, _) => return Err(wrong()),
        }
    }
    let (mut code, mut begins) = (String::new(), [0u32; 256]);
    let mut keywords: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for (at, rule) in rules.iter().enumerate() {
        let (compiled, near) = rule_code(rule)
            .ok_or_else(|| (0, format!("a line is missing of the rule {rule:?}")))?;
        code += &compiled;
        for keyword in near {
            let lower = keyword.to_ascii_lowercase();
            let (first, second) = (
                lower.as_bytes().first().copied().unwrap_or_default(),
                lower.as_bytes().get(1).copied(),
            );
            for first in [first, first.to_ascii_uppercase()] {
                begins[usize::from(first)] |= second.map_or(u32::MAX, |second| 1 << (second & 31));
            }
            keywords
                .entry((first, second))
                .or_default()
                .push((keyword, at));
        }
    }
    let mut arms = String::new();
    for ((first, second), keywords) in keywords {
        let second = second.map_or("_".to_owned(), |second| second.to_string());
        let _ = writeln!(arms, "({first}, {second}) => &{keywords:?},");
    }
    Ok(format!(
        "static ROWS: [RedactionRule; {}] = [{code}];\n\
         /// Every rule. Of two that find the same place the earlier one names it.\npub static RULES: &[RedactionRule] = &ROWS;\n\
         pub(super) static FIELDS: &[&str] = &{fields:?};\n#[allow(clippy::unreadable_literal, reason = \"the build writes it\")]\npub(super) static BEGINS: [u32; 256] = {begins:?};\n\
         pub(super) fn keywords(first: u8, second: u8) -> &'static [(&'static str, usize)] {{\n\
         match (first, second) {{ {arms} _ => &[] }} }}\n",
        rules.len(),
    ))
}

/// The code of a rule, and the texts near which it is looked for.
fn rule_code(rule: &RuleRow<'_>) -> Option<(String, Vec<String>)> {
    let plain = |key: &str| Some(rule.get(key)?.replace("\\n", "\n").replace("\\t", "\t"));
    let texts = |key: &str, between| {
        Some(
            plain(key)?
                .split(between)
                .map(str::to_owned)
                .collect::<Vec<_>>(),
        )
    };
    rule.get("source")
        .filter(|source| source.starts_with("https://"))?;
    let (shape, near) = if let Some(prefixes) = texts("begins", ' ') {
        let mut then = rule.get("then")?.split(' ');
        let (body, least, word) = (capital(then.next()?), then.next()?, then.next());
        let is_word = word.is_some();
        (
            format!(
                "Token {{ prefixes: &{prefixes:?}, body: CharacterSet::{body}, least: {least}, is_word: {is_word} }}"
            ),
            prefixes,
        )
    } else {
        let near = texts("near", '|').unwrap_or_default();
        let place = match rule.get("digits") {
            Some(least) => format!("Digits({least})"),
            None => format!("Words(&{near:?})"),
        };
        (
            format!(
                "Pattern {{ near: Prefilter::{place}, regex: {:?} }}",
                rule.get("regex")?
            ),
            near,
        )
    };
    let check = rule.get("check").map_or("|_| true".to_owned(), |check| {
        format!("super::checks::{check}")
    });
    let code = format!(
        "RedactionRule {{ id: {:?}, class: RedactionClass::{}, shape: SecretShape::{shape}, check: {check}, made: {:?}, good: {:?}, bad: {:?}, compiled: OnceLock::new() }},\n",
        rule.get("id")?,
        capital(rule.get("class")?),
        plain("made").unwrap_or_default(),
        texts("good", '|')?,
        plain("bad")?,
    );
    Some((code, near))
}

fn arguments(text: &str) -> Result<String, TableError> {
    let (mut rows, mut everywhere) = (Vec::new(), String::new());
    let mut index: BTreeMap<(usize, &str), Vec<usize>> = BTreeMap::new();
    for (line, text) in lines(text) {
        let columns: Vec<&str> = text.split('|').collect();
        let [names, word, secrets] = columns[..] else {
            return Err((
                line,
                "a row has names, a word and secrets, with `|` between them".to_owned(),
            ));
        };
        let secrets: String = secrets.split(' ').map(secret_code).collect();
        if names == "*" {
            everywhere = secrets;
            continue;
        }
        for name in names.split(' ') {
            index
                .entry((name.len(), name))
                .or_default()
                .push(rows.len());
        }
        rows.push(format!(
            "ProgramSecrets {{ word: {word:?}, secrets: &[{secrets}] }},\n"
        ));
    }
    let mut code = format!(
        "static ROWS: &[ProgramSecrets] = &[{}];\nstatic EVERYWHERE: &[SecretArgument] = &[{everywhere}];\n\
         static NAMES: &[(&str, &[usize])] = &[",
        rows.concat()
    );
    for ((_, name), rows) in index {
        let _ = write!(code, "({name:?}, &{rows:?}), ");
    }
    Ok(code + "];\n")
}

fn secret_code(secret: &str) -> String {
    // `/p:X` has its own slash.
    let marked = secret.split_once('/').filter(|(name, _)| !name.is_empty());
    let (name, mark) = marked.unwrap_or((secret, ""));
    let endings = [('+', "Attached"), ('=', "BehindEquals"), ('!', "Next")];
    let ending = endings.iter().find(|(ending, _)| name.ends_with(*ending));
    let takes = match (name, ending) {
        ("@1", _) => "FirstOperand",
        ("@-", _) => "LastOperand",
        ("@*", _) => "EachOperand",
        ("<", _) => "Input",
        (_, Some((_, takes))) => takes,
        (_, None) => "Any",
    };
    let name = name.trim_end_matches(['+', '=', '!']);
    format!("SecretArgument {{ name: {name:?}, takes: SecretPosition::{takes}, mark: {mark:?} }}, ")
}
