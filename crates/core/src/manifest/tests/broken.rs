//! Broken manifests, and every finding about each.

use super::render;

const CASES: &[(&str, &str)] = &[
    (
        "no_json",
        "{\n  \"version\": 1,\n  \"hooks\": { \"stop\": [ }\n}",
    ),
    ("single_quotes", "{\n  'version': 1\n}"),
    ("missing_comma", "{\n  \"version\": 1\n  \"hooks\": {}\n}"),
    (
        "truncated",
        "{\"version\": 1, \"hooks\": {\"stop\": [{\"hooks\": [{\"type\": \"comm",
    ),
    ("empty", "  \n"),
    ("a_list", "[1, 2]"),
    ("nothing_in_it", "{}"),
    (
        "file_level",
        "{\n  \"vresion\": 1,\n  \"version\": 2,\n  \"mode\": \"shaddow\",\n  \"hooks\": [],\n  \"description\": 3\n}",
    ),
    (
        "version_is_text",
        "{\"version\": \"1\", \"hooks\": {\"stop\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"x\"}]}]}}",
    ),
    (
        "unknown_names",
        r#"{
  "version": 1,
  "hooks": {
    "pre-tool-us": [{ "matchr": "Write", "hooks": [{ "type": "command", "command": "x", "gaurd": true }] }],
    "PreToolUze": [{ "hooks": [] }],
    "my-hook:debug": [{ "hooks": [{ "type": "comand", "command": "x" }, { "type": "http", "url": "y" }] }],
    "evil\u001b[31m\u202e": []
  }
}"#,
    ),
    (
        "broken_matchers",
        r#"{
  "version": 1,
  "hooks": {
    "pre-tool-use": [
      { "matcher": "^(?!Bash)", "hooks": [{ "type": "command", "command": "./guard", "guard": true }] },
      { "matcher": "Write(", "hooks": [{ "type": "command", "command": "x" }] },
      { "matcher": "\u0028é(", "hooks": [{ "type": "command", "command": "x" }] },
      { "matcher": "|", "hooks": [{ "type": "command", "command": "x" }] },
      { "matcher": ["Write"], "hooks": [{ "type": "command", "command": "x" }] },
      { "matcher": "Write", "matcher": "Edit", "hooks": [{ "type": "command", "command": "x", "guard": true }] }
    ],
    "stop": [{ "matcher": "Write", "hooks": [{ "type": "command", "command": "x" }] }]
  }
}"#,
    ),
    (
        "written_twice",
        r#"{
  "version": 1,
  "hooks": {
    "pre-tool-use": [{ "hooks": [{ "type": "command", "command": "a" }], "hooks": [{ "type": "command", "command": "b" }] }],
    "pre-tool-use": [{ "hooks": [{ "type": "command", "command": "c", "guard": true }] }]
  },
  "hooks": {
    "pre-tool-use": [{ "hooks": [{ "type": "command", "command": "d", "command": "e", "guard": true }] }]
  }
}"#,
    ),
    (
        "fields_in_the_wrong_place",
        r#"{
  "version": 1,
  "guard": true,
  "hooks": {
    "PreToolUse": [
      { "guard": true, "onFailure": "deny", "hooks": [{ "type": "command", "command": "x", "matcher": "Bash", "async": true }] }
    ]
  }
}"#,
    ),
    (
        "wrong_shapes",
        r#"{
  "version": 1,
  "hooks": {
    "pre-tool-use": { "matcher": "Write", "hooks": [{ "type": "command", "command": "x", "guard": true }] },
    "post-tool-use": "echo done",
    "stop": [
      "echo done",
      { "hooks": { "type": "command", "command": "x", "guard": true } },
      { "hooks": "echo done" },
      { "matcher": "x" },
      { "hooks": [[], null, "echo done"] }
    ]
  }
}"#,
    ),
    (
        "a_hook_in_the_place_of_a_group",
        r#"{
  "version": 1,
  "hooks": {
    "PreToolUse": [
      { "command": "bin/validate", "timeout": 15 },
      { "matcher": "Bash", "type": "command", "command": "bin/guard", "guard": true }
    ]
  }
}"#,
    ),
    (
        "wrong_fields_of_a_group",
        r#"{
  "version": 1,
  "hooks": {
    "stop": [
      { "priority": "high", "sequential": 1, "name": "", "mode": "off", "description": [], "hooks": [{ "type": "command", "command": "x" }] },
      { "priority": 1.5, "hooks": [{ "type": "command", "command": "x", "guard": true }] },
      { "priority": 3000000000, "hooks": [] }
    ]
  }
}"#,
    ),
    (
        "wrong_fields_of_an_entry",
        r#"{
  "version": 1,
  "hooks": {
    "stop": [{ "hooks": [
      { "command": "x" },
      { "type": "command" },
      { "type": "command", "command": " " },
      { "type": "command", "command": "a\u0000b" },
      { "type": "command", "command": ["x"], "args": "y", "env": [], "cwd": "" },
      { "type": "command", "command": "x", "args": ["a", 1], "env": { "A": 1, "B=C": "x", "": "x", "D": "1", "D": "2" } },
      { "type": "command", "command": "x", "guard": "yes", "recheck": 0, "once": "no", "name": 1, "mode": 1 },
      { "type": "command", "command": "x", "on-failure": "blok", "if-unsayable": "never", "timeout": "soon" },
      { "type": "command", "command": "x", "on-failure": "deny", "onFailure": "continue", "timeout": 60000 },
      { "type": "command", "command": "x", "prompt": "y" },
      { "type": "prompt", "prompt": "x", "command": "y", "args": [] },
      { "type": "prompt" },
      { "type": 1 }
    ] }]
  }
}"#,
    ),
];

#[test]
fn a_broken_manifest_shows_all_of_its_errors_at_once() {
    for (name, text) in CASES {
        insta::assert_snapshot!(*name, render(text));
    }
}
