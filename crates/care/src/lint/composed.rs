//! The answers that a script puts together: objects in the arguments of `echo`, `printf` and `jq -n`, and in what Python
//! and JavaScript print, of which some values are only known when the script runs.
//!
//! What is not surely printed, or cannot be read as one object, is left out: a finding about it would be a guess.

use std::ops::Range;

use serde_json::{Map, Value, json};

use super::literals::{self, Literal};
use super::open_objects::read;

/// Stands for a value that is known when the script runs.
pub(super) const OPEN: &str = "\0";

/// What may stand for a word or a text.
const WORDS: &[&str] = &[
    "text", "block", "deny", "ask", "allow", "approve", "continue", "halt", "modify",
];

/// An answer of which some values are open.
#[derive(Debug)]
pub(super) struct Composed {
    object: Map<String, Value>,
    pub(super) at: Range<usize>,
}

impl Composed {
    /// Takes an answer that stands whole in a script for one whose texts are filled in, where they look so.
    pub(super) fn of(literal: Literal) -> Self {
        let object = literal.object.into_iter();
        Self {
            object: object.map(|(key, value)| (key, opened(value))).collect(),
            at: literal.at,
        }
    }

    /// Tells whether it names its event, which is known when the script runs: hosts look at it.
    fn names_an_open_event(&self) -> bool {
        let names = |(key, value): (&String, &Value)| key == "hookEventName" && is_open(value);
        let objects = self.object.values().filter_map(Value::as_object);
        self.object.iter().chain(objects.flatten()).any(names)
    }

    /// Returns the objects that it may become: whatever a host hears, it hears in one of these.
    pub(super) fn filled(&self) -> Vec<Map<String, Value>> {
        if !self.object.values().any(is_open) {
            return vec![self.object.clone()];
        }
        let words = WORDS.iter().map(|word| (*word, json!(word)));
        let others = [
            json!(false),
            json!(true),
            json!({"command": "true"}),
            json!(["text"]),
            json!(1),
        ];
        let others = others.iter().flat_map(|other| {
            let words = WORDS.iter();
            words.map(move |word| (*word, other.clone()))
        });
        let candidates = words.chain(others);
        candidates
            .map(|(word, other)| {
                let fill = |(key, value): (&String, &Value)| {
                    (key.clone(), filled(key, value, word, &other))
                };
                self.object.iter().map(fill).collect()
            })
            .collect()
    }
}

pub(super) fn opened(value: Value) -> Value {
    match value {
        Value::String(text) if is_filled_in(&text) => OPEN.into(),
        Value::Object(object) => {
            let fields = object.into_iter();
            fields.map(|(key, value)| (key, opened(value))).collect()
        }
        value => value,
    }
}

/// Fields that hold a text in every form of an answer; what others hold depends on the form.
fn is_text(key: &str) -> bool {
    key.ends_with("ecision") || key.ends_with("eason") || key.ends_with("essage") || key == "action"
}

fn filled(key: &str, value: &Value, word: &str, other: &Value) -> Value {
    match value {
        Value::String(text) if text == OPEN && is_text(key) => word.into(),
        Value::String(text) if text == OPEN => other.clone(),
        Value::Object(object) => {
            let fields = object.iter();
            fields
                .map(|(key, value)| (key.clone(), filled(key, value, word, other)))
                .collect()
        }
        value => value.clone(),
    }
}

fn is_open(value: &Value) -> bool {
    match value {
        Value::String(text) => text == OPEN,
        Value::Object(object) => object.values().any(is_open),
        Value::Array(list) => list.iter().any(is_open),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

/// Tells whether a text may be filled in when the script runs.
pub(super) fn is_filled_in(text: &str) -> bool {
    text.contains(['%', '$', '`', '{'])
}

/// Finds the answers of a script: those that stand whole in it, and those that it surely prints, of which a value is open.
pub(super) fn all(script: &str) -> Vec<Composed> {
    let whole = literals::answers(script).into_iter().map(Composed::of);
    let mut all: Vec<Composed> = whole.collect();
    for open in answers(script) {
        if !all.iter().any(|other| other.at.contains(&open.at.start)) {
            all.push(open);
        }
    }
    all.retain(|one| !one.names_an_open_event());
    all.sort_by_key(|one| one.at.start);
    all
}

fn answers(script: &str) -> Vec<Composed> {
    let mut found: Vec<Composed> = Vec::new();
    for (at, _) in script.match_indices('{') {
        if found.last().is_some_and(|last| last.at.contains(&at)) {
            continue;
        }
        found.extend(answer(script, at));
    }
    found
}

fn answer(script: &str, at: usize) -> Option<Composed> {
    let (before, rest) = script.split_at_checked(at)?;
    let way = Way::of(before)?;
    // Longer answers are written by no hand.
    let rest = rest.get(..rest.floor_char_boundary(4096))?;
    let is_quoted = before.ends_with('"') && way == Way::Shell;
    let (object, length) = if is_quoted {
        let plain = rest.replace("\\\"", "\"");
        let (object, length) = read(&plain)?;
        let taken = plain.get(..length)?;
        // Each quotation mark of the text has a backslash in the script.
        (object, length + taken.matches('"').count())
    } else {
        read(rest)?
    };
    if way == Way::Shell && !ends(rest.get(length..)?) {
        return None;
    }
    let found = Composed {
        object,
        at: at..at + length,
    };
    // What stands whole in the text is read as it stands, unless it has a backslash before every quotation mark.
    let is_other = is_quoted || found.object.values().any(is_open);
    let is_ours = is_other && literals::is_answer(&found.object);
    (is_ours && !found.names_an_open_event()).then_some(found)
}

/// Tells whether the argument ends behind the object, and what the command prints goes nowhere else.
fn ends(behind: &str) -> bool {
    let behind = behind.trim_start().trim_start_matches("\\n");
    let line = behind.lines().next().unwrap_or_default();
    behind.starts_with(['\'', '"']) && !line.contains(['>', '|', ')'])
}

/// How an object is printed.
#[derive(Debug, PartialEq, Eq)]
enum Way {
    Shell,
    Call,
}

impl Way {
    /// Tells how what stands before an object prints it; nothing where it surely does not, or that cannot be told.
    fn of(before: &str) -> Option<Self> {
        const CALLS: &[&str] = &[
            "print(json.dumps(",
            "console.log(JSON.stringify(",
            "process.stdout.write(JSON.stringify(",
        ];
        let lines = before.rsplit('\n');
        let mut statement = String::new();
        for (index, line) in lines.enumerate() {
            let line = match (index, line.strip_suffix('\\')) {
                (0, _) => line,
                (_, Some(line)) => line,
                (_, None) => break,
            };
            statement.insert_str(0, line);
        }
        let statement = statement.trim_start();
        if CALLS.contains(&statement) {
            return Some(Self::Call);
        }
        let start = ["&& ", "|| ", "; ", "then ", "else ", "{ "]
            .iter()
            .filter_map(|mark| Some(statement.rfind(mark)? + mark.len()))
            .max();
        let command = statement.get(start.unwrap_or(0)..)?.trim_start();
        let argument = command.strip_suffix(['\'', '"'])?;
        let (program, options) = argument.split_once(char::is_whitespace)?;
        let is_said = match program {
            // An object that other words stand before is a part of a sentence.
            "echo" | "printf" => options.split_whitespace().all(|word| word.starts_with('-')),
            "jq" => {
                let mut words = options.split_whitespace();
                let is_null = |word: &str| {
                    let short = word.starts_with('-') && !word.starts_with("--");
                    word == "--null-input" || (short && word.contains('n'))
                };
                words.any(is_null) && !options.contains(['|', '>', '(', '`'])
            }
            _ => false,
        };
        is_said.then_some(Self::Shell)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn objects(script: &str) -> Vec<Value> {
        let found = answers(script).into_iter();
        found.map(|found| Value::Object(found.object)).collect()
    }

    #[test]
    fn an_answer_that_is_put_together_is_found_in_each_way_of_printing_it() {
        let open = json!({"decision": "block", "reason": OPEN});
        for script in [
            r#"printf '{"decision": "block", "reason": "%s"}\n' "$why""#,
            r#"echo "{\"decision\": \"block\", \"reason\": \"$why\"}""#,
            r#"echo '{"decision": "block", "reason": "'"$why"'"}'"#,
            "jq -n --arg why \"$why\" '{decision: \"block\", reason: $why}'",
            "jq -cn \\\n  --arg why \"$why\" \\\n  '{\n    \"decision\": \"block\",\n    reason: (\"no, \" + $why)\n  }'",
            r#"[ -f x ] || { echo "{\"decision\": \"block\", \"reason\": \"${why}\"}"; exit 0; }"#,
            r#"    print(json.dumps({"decision": "block", "reason": f"no {why}"}))"#,
            "console.log(JSON.stringify({decision: 'block', reason}));",
        ] {
            assert_eq!(objects(script), std::slice::from_ref(&open), "{script}");
        }
        let nested = "jq -n '{hookSpecificOutput: {permissionDecision: $d, n: 1, ok: true}}'";
        assert_eq!(
            objects(nested),
            [json!({"hookSpecificOutput": {"permissionDecision": OPEN, "n": 1, "ok": true}})]
        );
    }

    #[test]
    fn what_is_not_surely_printed_is_no_answer() {
        for script in [
            "said=$(jq -n --arg w \"$w\" '{decision: $w}')",
            "jq -n --arg w \"$w\" '{decision: $w}' > answer.json",
            "jq -n --arg w \"$w\" '{decision: $w}' | curl -d @- host",
            "# jq -n '{decision: $w}'",
            "jq '{decision: .x}' file",
            "jq -n \"$(get)\" '{decision: $w}'",
            "echo saying '{\"decision\": \"%s\"}'",
            "log '{\"decision\": \"%s\"}'",
            "payload = {\"decision\": verdict}",
            "jq -n '{($key): \"block\", decision: $w}'",
            "jq -n '{decision: $w",
            // It stands whole in the text.
            "echo '{\"decision\": \"block\"}'",
            "jq -n '{name: $w}'",
            // More is added to it, and it is not known what.
            "jq -n '{decision: $w} + $more'",
            "jq -n '{decision: \"block\", hookSpecificOutput: {hookEventName: $e}}'",
        ] {
            assert_eq!(objects(script), Vec::<Value>::new(), "{script}");
        }
    }

    #[test]
    fn an_open_value_becomes_whatever_it_may_be() {
        let found = answers("jq -n '{decision: $d, updatedInput: $i}'");
        let filled = found[0].filled();
        for wanted in [
            json!({"decision": "deny", "updatedInput": {"command": "true"}}),
            json!({"decision": "block", "updatedInput": "block"}),
        ] {
            assert!(filled.contains(wanted.as_object().unwrap()), "{wanted}");
        }
    }
}
