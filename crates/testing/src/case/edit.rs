//! Changing the expectations of a case in its text: every other line, and every comment, stays as it is.

use serde_json::Value;

use anyhook::yaml;

/// The key below which expectations stand.
const EXPECTED: &str = "expected";

/// A longer list stands on lines of its own.
const WIDE: usize = 80;

/// Writes these expectations into a text.
pub(crate) fn set(text: &str, fields: &[(&'static str, Value)]) -> Result<String, String> {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let found = lines.iter().position(|line| key_of(line) == Some(EXPECTED));
    let block = found.unwrap_or(lines.len());
    if found.is_none() {
        lines.push(format!("{EXPECTED}:"));
    }
    unfold(&mut lines, block)?;
    for (field, value) in fields {
        let indent = indent_of_children(&lines, block);
        let (from, to) = extent(&lines, block, indent, field);
        let comment = lines
            .get(from)
            .filter(|_| from < to)
            .and_then(|line| comment_of(line));
        let written = written(field, value, indent, comment.as_deref().unwrap_or_default());
        lines.splice(from..to, written);
    }
    let mut text = lines.join("\n");
    text.push('\n');
    Ok(text)
}

/// Returns the line of an expectation, the first one being 1. What a host expects of its own begins at a line, and stands
/// before what all expect. Where all stand on one line, it is that one.
pub(crate) fn line_of(text: &str, own: Option<u32>, field: &str) -> Option<u32> {
    let lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let below = |block: usize| {
        let (from, to) = extent(&lines, block, indent_of_children(&lines, block), field);
        (from < to).then_some(from)
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
        let has = |line: &String, name: &str| line.contains(&format!("\"{name}\""));
        let is_json = text.trim_start().starts_with('{');
        let block = lines.iter().position(|line| has(line, EXPECTED));
        let block = block.filter(|_| is_json)?;
        let mut below = lines.iter().skip(block);
        below.position(|line| has(line, field)).map(|at| block + at)
    };
    u32::try_from(of_host().or_else(of_all).or_else(of_json)? + 1).ok()
}

/// Turns `expected: {…}` on one line into lines of their own.
fn unfold(lines: &mut Vec<String>, block: usize) -> Result<(), String> {
    let Some(line) = lines.get(block).cloned() else {
        return Ok(());
    };
    let rest = line.split_once(':').map_or("", |(_, rest)| rest);
    let comment = comment_of(&line).unwrap_or_default();
    let rest = rest.strip_suffix(comment.as_str()).unwrap_or(rest).trim();
    if rest.is_empty() {
        return Ok(());
    }
    let wrong = || "its `expected` is written in a form that cannot be changed in place".to_owned();
    if !rest.starts_with('{') {
        return Err(wrong());
    }
    let folded: Value = yaml::read(rest).map_err(|_| wrong())?;
    let pairs = folded.as_object().into_iter().flatten();
    let children: Vec<String> = pairs
        .flat_map(|(key, value)| written(key, value, 2, ""))
        .collect();
    lines.splice(block..=block, [format!("{EXPECTED}:{comment}")]);
    lines.splice((block + 1)..=block, children);
    Ok(())
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

/// How far the expectations are indented; 2 where there are none.
fn indent_of_children(lines: &[String], block: usize) -> usize {
    let mut below = lines
        .iter()
        .skip(block + 1)
        .filter(|line| !says_nothing(line));
    below.next().map_or(0, |line| indent(line)).max(2)
}

/// The lines of one expectation; where there is none, the place behind the last one.
fn extent(lines: &[String], block: usize, wide: usize, field: &str) -> (usize, usize) {
    let mut end = block + 1;
    let mut found: Option<(usize, usize)> = None;
    let mut is_ours = false;
    for (at, line) in lines.iter().enumerate().skip(block + 1) {
        if says_nothing(line) {
            // What is indented deeper is part of a text, or was said about a part of the value.
            let is_inside = is_ours && !line.trim().is_empty() && indent(line) > wide;
            if let (true, Some((_, to))) = (is_inside, &mut found) {
                *to = at + 1;
            }
            continue;
        }
        if indent(line) < wide {
            break;
        }
        let is_child = indent(line) == wide && !line.trim_start().starts_with("- ");
        if is_child {
            is_ours = key_of(line.trim_start()) == Some(field);
            if is_ours {
                found = Some((at, at + 1));
            }
        } else if let (true, Some((_, to))) = (is_ours, &mut found) {
            *to = at + 1;
        }
        end = at + 1;
    }
    found.unwrap_or((end, end))
}

/// The comment at the end of a line, with the spaces before it. Where a quote is open, a `#` begins none.
fn comment_of(line: &str) -> Option<String> {
    let starts = line.match_indices(" #").map(|(at, _)| at);
    let mut starts = starts.filter(|at| {
        let before = line.get(..*at).unwrap_or_default();
        ['"', '\'']
            .iter()
            .all(|quote| before.matches(*quote).count() % 2 == 0)
    });
    let at = starts.next()?;
    let before = line.get(..at).unwrap_or_default();
    line.get(before.trim_end().len()..).map(str::to_owned)
}

/// Writes one expectation.
fn written(field: &str, value: &Value, wide: usize, comment: &str) -> Vec<String> {
    let margin = " ".repeat(wide);
    let flow = flow(value);
    let line = format!("{margin}{field}: {flow}{comment}");
    match value {
        Value::Array(list) if !list.is_empty() && line.len() > WIDE => {
            let items = list
                .iter()
                .map(|item| format!("{margin}  - {}", self::flow(item)));
            let first = format!("{margin}{field}:{comment}");
            std::iter::once(first).chain(items).collect()
        }
        Value::Object(map) if !map.is_empty() && line.len() > WIDE => {
            let pairs = map
                .iter()
                .flat_map(|(key, value)| written(&quoted(key), value, wide + 2, ""));
            let first = format!("{margin}{field}:{comment}");
            std::iter::once(first).chain(pairs).collect()
        }
        _ => vec![line],
    }
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
    fn every_other_line_and_every_comment_stays() {
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
            "# about\nname: a\nexpected: # see below\n  # the code\n  exit-code: 2   # fine\n  \
             stderr-contains: [\"it's: #1\"]\n\n  # what else\n  stdout-json: {decision: block}\n  max-ms: 9 # stays\n  \
             stdout-contains: [\"yes\", a b]\n# the end\ntags: [x]\n"
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
            "name: a\nexpected: # why\n  exit-code: 0\n  decision: deny\n"
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
