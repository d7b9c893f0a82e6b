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
    fn a_list_of_commands_is_one_script() {
        assert_eq!(
            joined(json!({"commands": "[\"ls\",\"git push\"]"})),
            json!({"command": "ls\ngit push"})
        );
        assert_eq!(
            joined(json!({"commands": ["ls"]})),
            json!({"command": "ls"})
        );
        assert_eq!(
            joined(json!({"commands": "ls -l"})),
            json!({"command": "ls -l"})
        );
        assert_eq!(joined(json!({"command": "ls"})), json!({"command": "ls"}));
    }

    #[test]
    fn a_command_that_would_swallow_the_next_is_not_joined_with_it() {
        for open in [
            "echo '",
            "echo \"'\"'",
            "cat <<EOF",
            "echo \\",
            "x=(",
            "echo ${y:-",
            "echo `",
            "echo $'\\'' '",
        ] {
            let input = json!({"commands": [open, "rm -rf /", "'"]});
            assert_eq!(joined(input.clone()), input, "{open}");
        }
        let quoted = json!({"commands": ["echo \"it's\" (a)", "rm -rf /"]});
        assert_eq!(
            joined(quoted),
            json!({"command": "echo \"it's\" (a)\nrm -rf /"})
        );
    }

    #[test]
    fn what_is_no_list_of_texts_is_left_unread() {
        for input in [
            json!({"commands": [{"command": "rm", "args": ["-rf"]}]}),
            json!({"commands": []}),
            json!({"commands": 7}),
        ] {
            assert_eq!(joined(input.clone()), input);
        }
        let args = json!({"command": "rm", "args": "[\"-rf\"]"});
        assert_eq!(joined(args), json!({"args": "[\"-rf\"]"}));
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
