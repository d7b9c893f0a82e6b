use std::collections::VecDeque;

use anyhook_core::event::Event;
use serde_json::json;

use super::*;

/// A person who types what was written down before.
struct Typist {
    lines: VecDeque<TerminalInput>,
    shown: String,
}

impl Typist {
    fn new(lines: &[&str]) -> Self {
        Self {
            lines: lines
                .iter()
                .map(|line| TerminalInput::Line((*line).into()))
                .collect(),
            shown: String::new(),
        }
    }
}

impl Screen for Typist {
    fn say(&mut self, text: &str) -> io::Result<()> {
        self.shown.push_str(text);
        Ok(())
    }

    fn hear(&mut self, _within: Duration) -> io::Result<TerminalInput> {
        Ok(self.lines.pop_front().unwrap_or(TerminalInput::Late))
    }
}

fn answers(lines: &[&str], questions: &[Question]) -> (Vec<Answer>, String) {
    let event = Event::new("tool:pre", json!({"tool_name": "Bash"}));
    let asks: Vec<DialogQuestion<'_>> = questions
        .iter()
        .map(|question| DialogQuestion {
            hook: "gate",
            question,
        })
        .collect();
    let mut person = Typist::new(lines);
    let said = put(
        &mut person,
        &Dialog {
            event: &event,
            action: "{}",
            before: None,
            asks: &asks,
        },
    );
    (said, person.shown)
}

fn with(labels: &[&str]) -> Question {
    Question {
        options: labels.iter().map(|label| Choice::labelled(label)).collect(),
        ..Question::new("push?")
    }
}

#[test]
fn a_choice_is_a_number_a_label_or_a_plain_yes() {
    let plain = Question::new("push?");
    let own = with(&["Allow once", "Allow always", "Deny"]);
    let one = |line: &str, question: &Question| answers(&[line], std::slice::from_ref(question)).0;
    assert_eq!(one("y", &plain), [Answer::AllowOnce]);
    assert_eq!(one("NO", &plain), [Answer::Deny]);
    assert_eq!(one("1", &plain), [Answer::Chose(0)]);
    assert_eq!(one("2", &own), [Answer::Chose(1)]);
    assert_eq!(one(" allow ALWAYS ", &own), [Answer::Chose(1)]);
}

#[test]
fn what_is_no_choice_is_asked_again_and_then_is_a_no() {
    let own = with(&["Allow once", "Deny"]);
    // A yes is no word for a question with choices of its own.
    let (said, shown) = answers(&["y", "", "1"], std::slice::from_ref(&own));
    assert_eq!(said, [Answer::Chose(0)]);
    assert_eq!(shown.matches("none of the choices").count(), 2);
    let (said, _) = answers(&["y", "0", "99999", "1"], &[own]);
    assert_eq!(said, [Answer::Deny]);
}

#[test]
fn one_no_ends_the_dialog_and_silence_is_too_late() {
    let both = [Question::new("one?"), Question::new("two?")];
    let (said, shown) = answers(&["n", "y"], &both);
    assert_eq!(said, [Answer::Deny]);
    assert!(!shown.contains("two?"));
    let (said, shown) = answers(&[], &both);
    assert_eq!(said, [Answer::TimedOut, Answer::TimedOut]);
    assert!(!shown.contains("two?"));
    assert_eq!(
        answers(&["y"], &both).0,
        [Answer::AllowOnce, Answer::TimedOut]
    );
}

#[test]
fn the_person_sees_the_exact_action_and_what_hooks_and_the_action_change() {
    let input = json!({"file_path": "a.rs", "old_string": "one\ntwo", "new_string": "one\n2"});
    let event = Event::new(
        "tool:pre",
        json!({"tool_name": "Edit", "tool_input": input}),
    );
    let question = with(&["Allow once", "Allow always", "Deny"]);
    let asks = [DialogQuestion {
        hook: "gate",
        question: &question,
    }];
    let mut person = Typist::new(&["3"]);
    let dialog = Dialog {
        event: &event,
        action: "{\n  \"file_path\": \"a.rs\"\n}",
        before: Some("{\n  \"file_path\": \"b.rs\"\n}"),
        asks: &asks,
    };
    assert_eq!(put(&mut person, &dialog), [Answer::Chose(2)]);
    assert_eq!(
        person.shown,
        "
anyhook: tool:pre, this exact action:
  {
    \"file_path\": \"a.rs\"
  }
Hooks changed it:
  @@ -1,3 +1,3 @@
   {
  -  \"file_path\": \"b.rs\"
  +  \"file_path\": \"a.rs\"
   }
It replaces text:
  @@ -1,2 +1,2 @@
   one
  -two
  +2
gate asks:
  push?
  1  Allow once (this once)
  2  Allow always (this exact action, until the session ends)
  3  Deny (refuse)
Your choice, by number or word: "
    );
}

#[test]
fn the_person_sees_what_a_write_replaces_in_a_file_that_is_there() {
    let place = tempfile::tempdir().unwrap();
    std::fs::write(place.path().join("a.rs"), "one\n\u{1b}[2Jtwo\n").unwrap();
    let shown = |file: &str, content: &str, cwd: Option<&Path>| {
        let input = json!({"file_path": file, "content": content});
        let data = json!({"tool_name": "Write", "tool_input": input, "cwd": cwd});
        let event = Event::new("tool:pre", data);
        let mut person = Typist::new(&[]);
        let dialog = Dialog {
            event: &event,
            action: "{}",
            before: None,
            asks: &[],
        };
        assert_eq!(put(&mut person, &dialog), []);
        let begins = "\nanyhook: tool:pre, this exact action:\n  {}\n";
        person.shown.strip_prefix(begins).map(str::to_owned)
    };
    let here = Some(place.path());
    let replaced = shown("a.rs", "one\n2\n", here).unwrap();
    assert_eq!(
        replaced,
        format!(
            "It replaces what is in the file now:\n  @@ -1,2 +1,2 @@\n   one\n  -{}\n  +2\n",
            visible("\u{1b}[2Jtwo")
        )
    );
    let nothing = Some(String::new());
    assert_eq!(shown("a.rs", "one\n\u{1b}[2Jtwo\n", here), nothing);
    assert_eq!(shown("b.rs", "one\n", here), nothing);
    assert_eq!(shown(".", "one\n", here), nothing);
    assert_eq!(shown("Cargo.toml", "one\n", None), nothing);
}

#[test]
fn nothing_of_a_hook_draws_on_the_terminal_or_looks_like_ours() {
    let event = Event::new("tool:pre", json!({}));
    let question = Question::new("sure?\u{1b}[2J\u{202e}\r");
    let asks = [DialogQuestion {
        hook: "gate\nYour choice, by number or word: 1",
        question: &question,
    }];
    let mut person = Typist::new(&["n"]);
    let dialog = Dialog {
        event: &event,
        action: "{\"command\": \"\u{1b}]0;x\u{7}\"}",
        before: None,
        asks: &asks,
    };
    put(&mut person, &dialog);
    let is_hidden = |c: char| (c.is_control() && c != '\n') || c == '\u{202e}';
    assert_eq!(person.shown.find(is_hidden), None, "{}", person.shown);
    assert!(
        person
            .shown
            .contains("gate Your choice, by number or word: 1 asks:\n")
    );
}
