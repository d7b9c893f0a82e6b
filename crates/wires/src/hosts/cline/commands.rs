//! The shell commands of one call: the kit runs a list of them, and hooks look at one.

use anyhook_core::event::Map;
use serde_json::Value;

const MANY: &str = "commands";
const ONE: &str = "command";

/// Puts a list of commands where hooks look for one. A list that cannot be read as one script stays as it is: a guard would
/// look at something that is not there.
pub(super) fn join(input: &mut Map) {
    // Arguments that stand beside a program are not part of what a guard would look at.
    if input.contains_key("args") {
        input.shift_remove(ONE);
        return;
    }
    if let Some(script) = input.get(MANY).and_then(script) {
        input.shift_remove(MANY);
        input.insert(ONE.to_owned(), script.into());
    }
}

/// Puts one command back into the list that it came from. One that is not what that list says takes its place.
pub(super) fn split(input: &mut Map, was: &Map) {
    let Some(many) = was.get(MANY).filter(|_| !was.contains_key(ONE)) else {
        return;
    };
    let Some(Value::String(one)) = input.shift_remove(ONE) else {
        return;
    };
    let list = Value::from(vec![one.clone()]);
    let many = match many {
        many if script(many).as_ref() == Some(&one) => many.clone(),
        Value::String(_) => list.to_string().into(),
        _ => list,
    };
    input.insert(MANY.to_owned(), many);
}

/// Returns the commands as one script, if every one of them ends where it seems to: what is left open would swallow the next.
fn script(commands: &Value) -> Option<String> {
    let written = commands.as_str().map(serde_json::from_str::<Value>);
    let list = match (commands, written) {
        (Value::Array(_), _) => commands.clone(),
        (_, Some(Ok(list @ Value::Array(_)))) => list,
        (Value::String(one), _) => return Some(one.clone()),
        _ => return None,
    };
    let texts = list.as_array()?.iter().map(Value::as_str);
    let texts: Vec<&str> = texts.collect::<Option<_>>()?;
    let is_closed = texts.len() == 1 || texts.iter().all(|text| is_closed(text));
    (is_closed && !texts.is_empty()).then(|| texts.join("\n"))
}

/// Tells whether a command leaves nothing open: no quote, no bracket, no here-document, no line that goes on. What is not
/// certain is open.
fn is_closed(command: &str) -> bool {
    if command.contains("<<") || command.contains("$'") {
        return false;
    }
    let mut quote = None;
    let mut depth = 0_i32;
    let mut letters = command.chars();
    while let Some(letter) = letters.next() {
        match (quote, letter) {
            (None | Some('"'), '\\') if letters.next().is_none() => return false,
            (None, '\'' | '"' | '`') => quote = Some(letter),
            (Some(open), _) if open == letter => quote = None,
            (None, '(' | '{') => depth += 1,
            (None, ')' | '}') => depth -= 1,
            _ => {}
        }
    }
    quote.is_none() && depth == 0
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn joined(mut input: Value) -> Value {
        join(input.as_object_mut().unwrap());
        input
    }

    #[test]
    fn commands_are_one_script_only_where_none_swallows_the_next() {
        let rows = include_str!("commands.txt").lines();
        for row in rows.filter(|row| !row.starts_with("# ")) {
            let [input, expected] = crate::tests::both(row);
            assert_eq!(joined(input), expected, "{row}");
        }
    }

    #[test]
    fn one_command_goes_back_into_the_list_that_it_came_from() {
        let back = |mut now: Value, was: Value| {
            split(now.as_object_mut().unwrap(), was.as_object().unwrap());
            now
        };
        let was = json!({"commands": ["ls", "pwd"]});
        assert_eq!(back(json!({"command": "ls\npwd"}), was.clone()), was);
        assert_eq!(
            back(json!({"command": "id"}), was),
            json!({"commands": ["id"]})
        );
        let text = json!({"commands": "[\"ls\"]"});
        assert_eq!(
            back(json!({"command": "id"}), text),
            json!({"commands": "[\"id\"]"})
        );
        let one = json!({"command": "ls"});
        assert_eq!(back(one.clone(), one.clone()), one);
    }
}
