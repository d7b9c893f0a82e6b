//! The expectations of a case in its text: their block is written anew, and every other line stays as it is.

use serde_json::{Map, Value};

use anyhook::yaml;

/// The key below which expectations stand.
const EXPECTED: &str = "expected";

/// A longer list stands on lines of its own.
const WIDE: usize = 80;

/// Writes these expectations into a text, with those that it has.
pub(crate) fn set(text: &str, fields: &[(&'static str, Value)]) -> Result<String, String> {
    let wrong = || "its `expected` is written in a form that cannot be changed in place".to_owned();
    let lines: Vec<&str> = text.lines().collect();
    let begin = lines.iter().position(|line| key_of(line) == Some(EXPECTED));
    let begin = begin.unwrap_or(lines.len());
    let head = lines.get(begin).and_then(|line| line.split_once(':'));
    let rest = head.map_or("", |(_, rest)| rest).trim();
    // An anchor, a tag or an alias says something of the block that would be lost.
    if !rest.is_empty() && !rest.starts_with(['{', '#']) {
        return Err(wrong());
    }
    let case: Value = yaml::read(text).map_err(|_| wrong())?;
    let mut expected = match case.get(EXPECTED) {
        None | Some(Value::Null) => Map::new(),
        Some(Value::Object(expected)) => expected.clone(),
        Some(_) => return Err(wrong()),
    };
    expected.extend(
        fields
            .iter()
            .map(|(field, value)| ((*field).to_owned(), value.clone())),
    );
    let (before, block) = lines.split_at_checked(begin).unwrap_or((&lines, &[]));
    let block = block.iter().skip(1);
    let inside = block
        .clone()
        .take_while(|line| says_nothing(line) || indent(line) > 0);
    // What stands between the block and the next key belongs to that key.
    let inside: Vec<&&str> = inside.collect();
    let long = inside
        .iter()
        .rposition(|line| indent(line) > 0)
        .map_or(0, |last| last + 1);
    let own = expected
        .iter()
        .flat_map(|(field, value)| written(&quoted(field), value, 2));
    let before = before.iter().map(|line| (*line).to_owned());
    let after = block.skip(long).map(|line| (*line).to_owned());
    let head = std::iter::once(format!("{EXPECTED}:"));
    let all: Vec<String> = before.chain(head).chain(own).chain(after).collect();
    Ok(all.join("\n") + "\n")
}

/// Returns the line of an expectation, the first one being 1. What a host expects of its own begins at a line, and stands
/// before what all expect. Where all stand on one line, it is that one.
pub(crate) fn line_of(text: &str, own: Option<u32>, field: &str) -> Option<u32> {
    let lines: Vec<&str> = text.lines().collect();
    let below = |block: usize| {
        let lines = lines.iter().enumerate().skip(block + 1);
        let mut inside = lines.filter(|(_, line)| !says_nothing(line)).peekable();
        let wide = inside.peek().map_or(0, |(_, line)| indent(line));
        let mut inside = inside.take_while(|(_, line)| wide > 0 && indent(line) >= wide);
        let is_it = |line: &str| indent(line) == wide && key_of(line.trim_start()) == Some(field);
        inside.find(|(_, line)| is_it(line)).map(|(at, _)| at)
    };
    let folded = |at: usize| lines.get(at).filter(|line| line.contains('{'));
    let of_host = || {
        let first = usize::try_from(own?).ok()?.checked_sub(1)?;
        match folded(first) {
            Some(line) => line.contains(field).then_some(first),
            None => below(first.checked_sub(1)?),
        }
    };
    let of_all = || {
        let mut keys = lines.iter().map(|line| key_of(line));
        let block = keys.position(|key| key == Some(EXPECTED))?;
        below(block).or_else(|| folded(block).map(|_| block))
    };
    // A case in JSON is read too: there the names are quoted.
    let of_json = || {
        let has = |line: &str, name: &str| line.contains(&format!("\"{name}\""));
        let is_json = text.trim_start().starts_with('{');
        let block = lines.iter().position(|line| has(line, EXPECTED));
        let block = block.filter(|_| is_json)?;
        let mut below = lines.iter().skip(block);
        below.position(|line| has(line, field)).map(|at| block + at)
    };
    u32::try_from(of_host().or_else(of_all).or_else(of_json)? + 1).ok()
}

/// The key of a line of a mapping, without quotes; nothing where the line is none.
fn key_of(line: &str) -> Option<&str> {
    let (key, rest) = line.split_once(':')?;
    let is_end = rest.is_empty() || rest.starts_with([' ', '\t']);
    let key = key.trim_end().trim_matches(['"', '\'']);
    (is_end && !key.starts_with([' ', '#', '-'])).then_some(key)
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

fn says_nothing(line: &str) -> bool {
    let line = line.trim();
    line.is_empty() || line.starts_with('#')
}

/// Writes one expectation.
fn written(field: &str, value: &Value, wide: usize) -> Vec<String> {
    let margin = " ".repeat(wide);
    let line = format!("{margin}{field}: {}", flow(value));
    let long = line.len() > WIDE;
    let inner: Vec<String> = match value {
        Value::Array(list) if long && !list.is_empty() => list
            .iter()
            .map(|item| format!("{margin}  - {}", flow(item)))
            .collect(),
        Value::Object(map) if long && !map.is_empty() => {
            let pairs = map.iter();
            pairs
                .flat_map(|(key, value)| written(&quoted(key), value, wide + 2))
                .collect()
        }
        _ => return vec![line],
    };
    std::iter::once(format!("{margin}{field}:"))
        .chain(inner)
        .collect()
}

/// Writes a value on one line: JSON is YAML, and words need no quotes.
fn flow(value: &Value) -> String {
    match value {
        Value::String(text) => quoted(text),
        Value::Array(list) => {
            let items: Vec<String> = list.iter().map(flow).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Object(map) if map.is_empty() => "{}".to_owned(),
        Value::Object(map) => {
            let pairs: Vec<String> = map
                .iter()
                .map(|(key, value)| format!("{}: {}", quoted(key), flow(value)))
                .collect();
            format!("{{{}}}", pairs.join(", "))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => value.to_string(),
    }
}

/// Words that YAML does not read as text.
const NO_TEXT: &[&str] = &[
    "true", "false", "null", "yes", "no", "on", "off", "y", "n", "nan", "inf",
];

fn quoted(text: &str) -> String {
    let is_word = text.starts_with(|c: char| c.is_ascii_alphabetic())
        && !text.ends_with(' ')
        && text
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || " -_./".contains(c))
        && !NO_TEXT.contains(&text.to_ascii_lowercase().as_str());
    if is_word {
        text.to_owned()
    } else {
        Value::from(text).to_string()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_line_outside_of_the_block_stays() {
        let text = "# about\nname: a\nexpected: # see below\n  # the code\n  exit-code: 0   # fine\n  \
                    stderr-contains:\n  - one\n  - two # too\n\n  # what else\n  stdout-json:\n    decision: approve\n    \
                    nested: |\n      # no comment\n  max-ms: 9 # stays\n# the end\ntags: [x]\n";
        let fields = [
            ("exit-code", json!(2)),
            ("stderr-contains", json!(["it's: #1"])),
            ("stdout-json", json!({"decision": "block"})),
            ("stdout-contains", json!(["yes", "a b"])),
        ];
        assert_eq!(
            set(text, &fields).unwrap(),
            "# about\nname: a\nexpected:\n  exit-code: 2\n  stderr-contains: [\"it's: #1\"]\n  \
             stdout-json: {decision: block}\n  max-ms: 9\n  stdout-contains: [\"yes\", a b]\n# the end\ntags: [x]\n"
        );
    }

    #[test]
    fn expectations_that_are_not_there_are_made() {
        let fields = [("decision", json!("deny"))];
        let wanted = "name: a\nexpected:\n  decision: deny\n";
        for text in ["name: a", "name: a\nexpected:\n", "name: a\nexpected: {}\n"] {
            assert_eq!(set(text, &fields).unwrap(), wanted, "{text}");
        }
        assert_eq!(
            set(
                "name: a\nexpected: {exit-code: 0, decision: 'allow'} # why\n",
                &fields
            )
            .unwrap(),
            "name: a\nexpected:\n  exit-code: 0\n  decision: deny\n"
        );
    }

    #[test]
    fn the_line_of_an_expectation_is_found_in_every_form() {
        let text = "name: a\nfiles: {}\nexpected: # see\n  # exit-code\n  exit-code: 2\n\n  'stdout-json':\n    \
                    decision: deny\n  stderr-contains:\n  - decision\ntags: [x]\n";
        let found = [
            "exit-code",
            "stdout-json",
            "stderr-contains",
            "decision",
            "tags",
        ];
        let found = found.map(|field| line_of(text, None, field));
        assert_eq!(found, [Some(5), Some(7), Some(9), None, None]);
        let folded = "name: a\nexpected: {exit-code: 2}\n";
        assert_eq!(line_of(folded, None, "exit-code"), Some(2));
        assert_eq!(line_of("name: a\n", None, "exit-code"), None);
        let json = "{\"name\": \"a\",\n \"expected\": {\n  \"exit-code\": 2}}\n";
        assert_eq!(line_of(json, None, "exit-code"), Some(3));
    }

    #[test]
    fn what_is_long_stands_on_lines_of_its_own() {
        let long = "a sentence that is so long that it takes a line, and another one";
        let fields = [
            ("reason-contains", json!([long, long])),
            (
                "stdout-json",
                json!({"reason": long, "and": {"so on": long}}),
            ),
        ];
        let lines = set("name: a\n", &fields).unwrap();
        let back: Value = yaml::read(&lines).unwrap();
        assert_eq!(
            back["expected"],
            json!({"reason-contains": [long, long], "stdout-json": {"reason": long, "and": {"so on": long}}})
        );
        assert!(lines.lines().all(|line| line.len() < 120), "{lines}");
    }
}
