//! Statements that a call sends to a database.

use anyhook_core::event::Map;
use anyhook_effects::command::{Input, ShellCommand};
use anyhook_effects::programs::read;
use anyhook_effects::word::Part;
use serde_json::Value;

use super::Facts;
use super::sent::strings;
use crate::lists::{
    DATABASE_TOOLS, SQL_ALL, SQL_ANY, SQL_CLIENTS, SQL_DROPS, SQL_EXECUTES, SQL_OBJECTS,
    STATEMENT_FIELDS,
};

/// What `sql` takes.
pub(super) const STATEMENTS: &[&str] = &["drop", "truncate", "delete-all", "alter"];

impl Facts<'_> {
    /// Tells whether a database gets one of these statements, or one that cannot be read.
    pub(super) fn sql(&self, wanted: &[String]) -> bool {
        let is_one = |one: &&str| wanted.is_empty() || wanted.iter().any(|word| word == one);
        let is_wanted = |text: &str| statements(text).iter().any(is_one);
        let mut commands = self.call().commands.iter();
        let is_sent = |sent: DatabaseInput<'_>| match sent {
            DatabaseInput::Text(text) => is_wanted(text),
            DatabaseInput::File(file) => self.text_of(&file).is_none_or(|text| is_wanted(&text)),
            DatabaseInput::Unknown => true,
        };
        // What is typed into a process that waits.
        let typed = self.input().and_then(|input| input.get("input"));
        let typed = typed.filter(|_| self.tool().ends_with("__interact_with_process"));
        let written = self.input().map(fields).unwrap_or_default().into_iter();
        // Each text for a database may be a statement.
        let tool = self.tool().to_lowercase();
        let mut words = tool.split(|letter: char| !letter.is_alphanumeric());
        let is_database = words.any(|word| DATABASE_TOOLS.contains(&word));
        let texts = self
            .input()
            .filter(|_| is_database && tool.starts_with("mcp__"));
        let found = texts.and_then(|input| of_documents(&tool, input));
        let texts = texts.into_iter().flat_map(Map::values);
        let mut texts = written.chain(typed).chain(texts).flat_map(strings);
        found.is_some_and(|one| is_one(&one))
            || texts.any(is_wanted)
            || commands.any(|command| sent_to_database(command).into_iter().any(is_sent))
    }

    /// Reads a file of statements; nothing where it is not there, or longer than one is that a person reads.
    fn text_of(&self, file: &str) -> Option<String> {
        const LONGEST: u64 = 256 * 1024;
        let bytes = crate::files::read_up_to(&self.folders().cwd.join(file), LONGEST).ok()?;
        String::from_utf8(bytes).ok()
    }
}

/// Returns what stands under keys that hold statements, at any depth.
fn fields(input: &Map) -> Vec<&Value> {
    let mut found = Vec::new();
    for (key, value) in input {
        let key = key.to_lowercase().replace(['_', '-'], "");
        match value {
            _ if STATEMENT_FIELDS.contains(&&*key) => found.push(value),
            Value::Object(inner) => found.extend(fields(inner)),
            Value::Array(all) => {
                found.extend(all.iter().filter_map(Value::as_object).flat_map(fields));
            }
            _ => {}
        }
    }
    found
}

/// Returns what a tool does to all of a collection of documents by its arguments.
fn of_documents(tool: &str, input: &Map) -> Option<&'static str> {
    let text = serde_json::to_string(input).unwrap_or_default();
    let is_any = ["\"filter\":{}", "\"query\":{}"]
        .iter()
        .any(|it| text.contains(it));
    if text.contains("\"$out\":") {
        Some("drop")
    } else {
        (is_any && tool.contains("many")).then_some("delete-all")
    }
}

/// What a command sends to a database.
enum DatabaseInput<'c> {
    Text(&'c str),
    File(String),
    Unknown,
}

/// Returns what a command sends to a database.
fn sent_to_database(command: &ShellCommand) -> Vec<DatabaseInput<'_>> {
    const FILES: &[&str] = &["-f", "--file", "-i", "--input", "-init", "--queries-file"];
    let name = command.program();
    let mut clients = SQL_CLIENTS.iter().filter_map(|row| row.split_once('='));
    let Some((_, options)) = clients.find(|(client, _)| name == *client) else {
        return Vec::new();
    };
    let is_mongo = name.starts_with("mongo");
    let mut sent = Vec::new();
    // `-Xf FILE`, as the row of the program says, and `--file=FILE`.
    let (_, reading) = read(command);
    let in_rows = ["f", "init"]
        .into_iter()
        .flat_map(|name| reading.values(name));
    for word in in_rows {
        let file = word.known().map(str::to_owned);
        sent.push(file.map_or(DatabaseInput::Unknown, DatabaseInput::File));
    }
    let mut words = command.words.iter().skip(1);
    while let Some(word) = words.next() {
        let head = word.head();
        if let (Some(text), Some(_)) = (joined(head, options), word.known()) {
            sent.push(DatabaseInput::Text(text));
            continue;
        }
        let script = head.strip_prefix('@').filter(|_| name == "sqlplus");
        if let Some(script) = script {
            sent.push(DatabaseInput::File(script.into()));
            continue;
        }
        let of_file = FILES
            .iter()
            .find_map(|option| head.strip_prefix(option)?.strip_prefix('='));
        if let Some(file) = of_file {
            sent.push(DatabaseInput::File(file.into()));
            continue;
        }
        let is_value = options.split(',').any(|option| {
            let is_last = || option.len() == 2 && !head.starts_with("--") && head.starts_with('-');
            option == head || is_last() && head.ends_with(option.trim_start_matches('-'))
        });
        let is_file = FILES.contains(&head);
        let text = if is_value || is_file {
            words.next()
        } else {
            Some(word)
        };
        let Some(text) = text else { break };
        sent.push(match text.parts.as_slice() {
            [Part::Text(file)] if is_file || is_mongo && file.contains(".js") => {
                DatabaseInput::File(file.clone())
            }
            [Part::Text(text)] => DatabaseInput::Text(text),
            _ if is_value || is_file => DatabaseInput::Unknown,
            // An address of a database that a variable holds is no statement.
            _ => DatabaseInput::Text(text.head()),
        });
    }
    sent.extend(match &command.input {
        Input::Text(text) => Some(DatabaseInput::Text(text)),
        Input::File(file) if matches!(file.parts.as_slice(), [Part::Text(_)]) => {
            Some(DatabaseInput::File(file.head().to_owned()))
        }
        Input::File(_) | Input::Unknown { .. } => Some(DatabaseInput::Unknown),
        Input::Inherited => None,
    });
    sent
}

/// The text that is joined to one of these options: `-cTEXT`, also behind other letters, and `--command=TEXT`.
fn joined<'t>(word: &'t str, options: &str) -> Option<&'t str> {
    let mut options = options.split(',').filter(|option| !option.is_empty());
    options.find_map(|option| {
        let rest = if option.starts_with("--") {
            word.strip_prefix(option)?.strip_prefix('=')?
        } else {
            let letters = word.strip_prefix('-');
            let letters = letters.filter(|rest| !rest.starts_with('-'))?;
            letters.split_once(option.trim_start_matches('-'))?.1
        };
        Some(rest).filter(|rest| !rest.is_empty())
    })
}

/// Finds the kinds of the statements in a text, without what stands in comments and quotes.
fn statements(text: &str) -> Vec<&'static str> {
    let mut found = Vec::new();
    let squeezed = text.split_whitespace().collect::<String>().to_lowercase();
    if SQL_DROPS
        .iter()
        .any(|word| squeezed.contains(&word.replace(' ', "")))
    {
        found.push("drop");
    }
    if SQL_ALL.iter().any(|word| squeezed.contains(word)) {
        found.push("delete-all");
    }
    // What is put into quotes to be executed counts like what stands there without.
    let is_executed = SQL_EXECUTES.iter().any(|word| squeezed.contains(word));
    let bare = if is_executed {
        text.replace('\'', " ")
    } else {
        bare(text)
    };
    for statement in bare.split(';') {
        let words = words(statement);
        let has = |word: &str| words.iter().any(|one| one == word);
        let at = |word: &str| words.iter().position(|one| one == word);
        let follows = |first: &str, then: &[&str]| {
            let next = at(first).and_then(|at| words.get(at + 1));
            next.is_some_and(|next| then.contains(&next.as_str()))
        };
        let is_all = || {
            let condition = at("WHERE").and_then(|at| words.get(at + 1..));
            let condition = condition.map(|words| words.join(" "));
            condition.is_none_or(|words| {
                let mut any = words.split(" OR ");
                any.any(|one| one.split(" AND ").all(is_met))
            })
        };
        if follows("DROP", SQL_OBJECTS) {
            found.push(if has("ALTER") { "alter" } else { "drop" });
        } else if has("ALTER") && (has("DROP") || follows("DELETE", &["WHERE"])) {
            found.push("alter");
        }
        if has("TRUNCATE") {
            found.push("truncate");
        }
        // `DELETE FROM t`, and `DELETE t FROM t` of MySQL.
        let deletes = at("DELETE").is_some_and(|at| {
            let mut next = words.iter().skip(at + 1).take(2);
            next.any(|word| word == "FROM")
        });
        let all = (deletes || at("UPDATE").is_some() && has("SET")) && is_all();
        if all || has("MERGE") && follows("THEN", &["DELETE"]) {
            found.push("delete-all");
        }
    }
    found
}

/// Returns the words of a statement in capitals, its comparisons among them.
fn words(statement: &str) -> Vec<String> {
    let class = |letter: char| match letter {
        '<' | '>' | '=' | '!' | '%' => 1,
        _ if letter.is_alphanumeric() || letter == '_' => 2,
        _ => 0,
    };
    let letters: Vec<char> = statement.chars().collect();
    let all = letters.chunk_by(|one, next| class(*one) == class(*next));
    let all = all.filter(|word| word.first().is_some_and(|letter| class(*letter) > 0));
    all.map(|word| word.iter().collect::<String>().to_uppercase())
        .collect()
}

/// Tells whether each row meets a condition: of constants, of a column and itself, or of what each id or text is.
fn is_met(condition: &str) -> bool {
    let is_number = |word: &str| word.bytes().all(|letter| letter.is_ascii_digit());
    match *condition.split(' ').collect::<Vec<_>>() {
        // Texts in quotes are left out, but for a pattern that each text meets.
        ["="] | [.., "LIKE" | "ILIKE", "%"] => true,
        [one, "=", other] if one == other => true,
        [one, _, other] if is_number(one) && is_number(other) => true,
        [.., column, "<" | ">" | ">=" | "<>" | "!=", "0" | "1"] => {
            column == "ID" || column.ends_with("_ID")
        }
        _ => SQL_ANY.contains(&condition),
    }
}

/// Returns a statement without its comments and without what stands in quotes, but for a pattern that each text meets.
fn bare(text: &str) -> String {
    let mut bare = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        let skipped = match letter {
            '\'' => rest
                .get(1..)
                .and_then(|inside| inside.find('\''))
                .map(|at| at + 2),
            '-' if rest.starts_with("--") => Some(rest.find('\n').unwrap_or(rest.len())),
            '/' if rest.starts_with("/*") && !rest.starts_with("/*!") => {
                rest.find("*/").map(|at| at + 2)
            }
            _ => None,
        };
        match skipped {
            Some(_) if rest.starts_with("'%'") => bare.push_str(" % "),
            Some(_) => bare.push(' '),
            None => bare.push(letter),
        }
        rest = rest
            .get(skipped.unwrap_or(letter.len_utf8())..)
            .unwrap_or_default();
    }
    bare
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_are_found_behind_comments_and_not_in_quotes() {
        for (text, found) in [
            ("DROP TABLE users", &["drop"][..]),
            ("drop/**/database x; select 1", &["drop"]),
            ("-- why\ntruncate orders", &["truncate"]),
            ("delete from t", &["delete-all"]),
            ("DELETE FROM t WHERE 1=1", &["delete-all"]),
            ("update t set a = 1", &["delete-all"]),
            ("ALTER TABLE t DROP COLUMN a", &["alter"]),
            ("db.dropDatabase()", &["drop"]),
            ("db.users.deleteMany({ })", &["delete-all"]),
            ("delete from t where id >= 1", &["delete-all"]),
            ("update t set a = 1 where user_id <> 0", &["delete-all"]),
            ("delete from t where 'a'='a'", &["delete-all"]),
            ("delete from t where 2>1", &["delete-all"]),
            ("delete from t where id = id", &["delete-all"]),
            ("delete from t where a like '%'", &["delete-all"]),
            ("delete from t where not false", &["delete-all"]),
            ("do $$ begin execute 'drop table t'; end $$", &["drop"]),
            ("delete from t where id = 3", &[]),
            ("delete from t where id = 1", &[]),
            ("delete from t where id > 100", &[]),
            ("delete from t where x = 'x'", &[]),
            ("delete from t where a like 'b%'", &[]),
            ("delete from t where a.id = b.id", &[]),
            ("update t set a = 'x' where b >= 1", &[]),
            ("update t set n = n + 1 where id in (1, 2)", &[]),
            ("select 'DROP TABLE users'", &[]),
            ("select * from t -- drop table x", &[]),
            ("insert into t values ('truncate')", &[]),
            ("explain select drop_date from t", &[]),
        ] {
            assert_eq!(statements(text), found, "{text}");
        }
    }
}
