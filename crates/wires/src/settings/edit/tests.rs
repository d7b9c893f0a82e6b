use super::*;
use crate::hosts::claude_code::CLAUDE_CODE;
use crate::settings::command::ProgramReference;
use crate::settings::{Scope, entries};

fn form() -> SettingsForm<'static> {
    let settings = CLAUDE_CODE.facts().settings.unwrap();
    let file = settings.files_of(Scope::User, "linux").next().unwrap();
    SettingsForm { settings, file }
}

/// Two entries are enough to see how they are put in.
fn two() -> Vec<SettingsEntry> {
    let settings = CLAUDE_CODE.facts().settings.unwrap();
    let all = entries(&CLAUDE_CODE, settings, ProgramReference::at("/bin/anyhook"));
    let wanted = ["PreToolUse", "Stop"];
    all.into_iter()
        .filter(|entry| wanted.contains(&entry.event))
        .collect()
}

fn added(text: &str) -> String {
    let once = add(text, form(), &two()).unwrap();
    assert_eq!(add(&once, form(), &two()).unwrap(), once, "adding twice");
    once
}

/// Adds, and takes out again what was added.
fn there_and_back(text: &str) -> String {
    remove(&added(text), form()).unwrap()
}

#[test]
fn what_stands_in_a_file_stays_as_it_is() {
    let text = "{\n    // mine\n    \"model\": \"opus\", /* why */\n    \"hooks\": {\n        \"PreToolUse\": [\n            {\"matcher\": \"Bash\", \"hooks\": [{\"type\": \"command\", \"command\": \"./a.sh\"}]} // a\n        ]\n    }\n}\n";
    insta::assert_snapshot!(added(text));
}

#[test]
fn an_empty_file_becomes_one_line_per_event() {
    insta::assert_snapshot!(added(""));
}

#[test]
fn adding_and_removing_gives_the_same_bytes() {
    let hook = r#"{"hooks": [{"type": "command", "command": "./a.sh"}]}"#;
    let texts = [
        "{\n  \"a\": 1\n}\n".to_owned(),
        "{\n  \"a\": 1,\n}\n".to_owned(),
        "{\r\n\t\"a\": [1, 2],\r\n\t\"b\": {} // c\r\n}".to_owned(),
        "{\n  \"a\": 1 // last\n  // tail\n}".to_owned(),
        "{\n  \"a\": 1, // last\n  /* tail */\n}".to_owned(),
        "{\"a\":1}".to_owned(),
        "{\"a\":1,}".to_owned(),
        "{ \"a\": 1 }\n".to_owned(),
        "\u{feff}{\"a\": 1 /* x */}".to_owned(),
        format!("{{\"hooks\": {{\"Stop\": [{hook}]}}}}"),
        format!("{{\"hooks\": {{\"Stop\": [{hook},]}},}}"),
        format!("{{\n  \"hooks\": {{\n    \"Stop\": [\n      {hook}\n    ]\n  }}\n}}\n"),
        format!(
            "{{\n  \"hooks\": {{\n    \"Stop\": [\n      {hook}, // one\n      {hook} // two\n      // three\n    ]\n  }}\n}}\n"
        ),
        format!(
            "// first\n{{\n  \"hooks\": {{ \"Notification\": [{hook}] }}, // {{\n  \"z\": \"\\\"//\"\n}}\n// end"
        ),
    ];
    for text in texts {
        assert_eq!(there_and_back(&text), text);
    }
}

#[test]
fn an_entry_that_says_something_else_is_replaced_and_one_that_is_there_twice_goes() {
    let old = entries(
        &CLAUDE_CODE,
        CLAUDE_CODE.facts().settings.unwrap(),
        ProgramReference::at("/old/anyhook"),
    );
    let start = "{\n  \"a\": 1\n}\n";
    let text = add(start, form(), &old).unwrap();
    let new = add(&text, form(), &two()).unwrap();
    assert_eq!(new, added(start));
    let item = printed::line(&printed::wrapped(&Settings::BARE, &two()[0]));
    let twice = insert(&new, form(), "PreToolUse", &item).unwrap();
    assert_eq!(add(&twice, form(), &two()).unwrap(), new);
}

#[test]
fn an_entry_of_ours_in_a_foreign_group_is_taken_out_alone() {
    let text = r#"{"hooks": {"Stop": [{"matcher": "", "hooks": [
        {"type": "command", "command": "anyhook run Stop --host claude-code"},
        {"type": "command", "command": "./mine.sh"} // keep
    ]}]}}"#;
    let expected = r#"{"hooks": {"Stop": [{"matcher": "", "hooks": [
        {"type": "command", "command": "./mine.sh"} // keep
    ]}]}}"#;
    assert_eq!(remove(text, form()).unwrap(), expected);
}

#[test]
fn a_list_with_a_comment_in_it_stays() {
    let text = "{\"hooks\": {\n  // about stopping\n  \"Stop\": [\n    /* none */\n  ]}}";
    assert_eq!(there_and_back(text), text);
}

#[test]
fn a_text_that_is_not_understood_is_refused_with_its_place() {
    let refused = |text: &str| {
        let added = add(text, form(), &two()).unwrap_err();
        assert_eq!(remove(text, form()).unwrap_err(), added);
        added.to_string()
    };
    let said = [
        "{\n  \"a\": 1\n  \"b\": 2\n}",
        "{\n  'a': 1\n}",
        "{\"hooks\": {\"Stop\": [}}",
        "[]",
        "// nothing",
        "{\n  \"hooks\": []\n}",
        "{\n  \"hooks\": {},\n  \"hooks\": {}\n}",
        "{\"hooks\": {\"Stop\": [],\n \"Stop\": []}}",
        "{} {}",
    ]
    .map(refused);
    insta::assert_snapshot!(said.join("\n"));
    let error = add("{\"hooks\": {\"Stop\": 1}}", form(), &two()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "line 1, column 20: `Stop` must be a list, found a number"
    );
}

#[test]
fn groups_of_others_are_taken_out_whole_and_come_back() {
    let text = r#"{
  "hooks": {
    // before tools
    "PreToolUse": [
      {"matcher": "Bash", "hooks": [
        {"type": "command", "command": "./a.sh"}, // first
        {"type": "command", "command": "./b.sh", "timeout": 5}
      ]},
      {"hooks": [{"type": "http", "url": "https://example.com"}]},
      {"hooks": [{"type": "command", "command": "./c.sh"}, {"type": "prompt", "prompt": "?"}]}
    ],
    "Stop": [{"hooks": [{"type": "command", "command": "./d.sh"}]}]
  },
  "model": "opus"
}
"#;
    let ours = added(text);
    let places: Vec<_> = ["a.sh\"}", "5}", "c.sh\"}", "d.sh\"}"]
        .map(|ends| {
            let end = ours.find(ends).unwrap() + ends.len();
            ours.split_at(end).0.rfind('{').unwrap()..end
        })
        .into();
    let RemovedEntries { rest, taken } = take(&ours, form(), &places).unwrap();
    let taken = taken.unwrap();
    insta::assert_snapshot!(format!("{rest}\n{taken}"));
    assert_eq!(add(&rest, form(), &two()).unwrap(), rest);
    let back = put_back(&rest, form(), &taken).unwrap();
    let commands = |text: &str| {
        let mut all = find(text, form()).unwrap();
        all.sort_by_key(|found| (found.event.clone(), found.commands.clone()));
        // What comes back stands behind what stayed, and so in another line.
        for found in &mut all {
            found.line = 0;
        }
        all
    };
    assert_eq!(commands(&back), commands(&ours));
}

#[test]
fn deep_nesting_is_read_and_endless_nesting_refused() {
    let deep = |levels: usize| {
        format!(
            "{{\n  \"a\": {}1{}\n}}\n",
            "[".repeat(levels),
            "]".repeat(levels)
        )
    };
    assert_eq!(there_and_back(&deep(400)), deep(400));
    assert!(add(&deep(100_000), form(), &two()).is_err());
}
