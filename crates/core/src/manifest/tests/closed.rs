//! The closed form: the seed's own fields and nothing else.

use super::super::{closed_findings, closed_schema};
use super::*;

fn said(text: &str) -> Vec<(u32, u32, String)> {
    let found = closed_findings(text).into_iter();
    found
        .map(|found| (found.at.line, found.at.column, found.message))
        .collect()
}

#[test]
fn the_sample_of_the_seed_is_in_the_closed_form() {
    assert_eq!(said(SEED), []);
}

#[test]
fn every_extension_is_an_error_of_the_closed_form_in_its_place() {
    let text = r#"{
  "version": 1, "mode": "shadow",
  "hooks": {
    "PreToolUse": [],
    "stop": [{ "priority": 1, "hooks": [] }],
    "pre-tool-use": [{ "matcher": "Write", "hooks": [
      { "type": "command", "command": "x", "timeout": 1, "comand": "y" },
      { "type": "rule", "then": {} },
      { "type": "command", "prompt": "x", "timeout": "30" },
      { "type": "prompt", "prompt": " ", "timeout": 301 }
    ] }]
  }
}"#;
    let at = |line, column, text: &str| (line, column, text.to_owned());
    assert_eq!(
        said(text),
        [
            at(2, 17, "the closed form has no field `mode` here"),
            at(4, 5, "the closed form has no event `PreToolUse`"),
            at(5, 16, "the closed form has no field `priority` here"),
            at(
                5,
                40,
                "`hooks` must be a list of at least one, found an empty one"
            ),
            at(7, 58, "the closed form has no field `comand` here"),
            at(8, 17, "the closed form has no such type of hook"),
            at(8, 25, "the closed form has no field `then` here"),
            at(8, 33, "`then` says nothing"),
            at(9, 7, "`command` is missing"),
            at(
                9,
                54,
                "`timeout` must be a number of seconds, found a string"
            ),
            at(10, 37, "`prompt` is empty"),
            at(
                10,
                53,
                "`timeout` must be a whole number from 1 to 300, found `301`"
            ),
        ]
    );
}

#[test]
fn a_timeout_of_the_closed_form_is_a_whole_number_of_one_to_three_hundred() {
    let passes = |timeout: &str| {
        let text = format!(
            r#"{{"version": 1, "hooks": {{"stop": [{{"hooks": [
                {{"type": "command", "command": "x", "timeout": {timeout}}}]}}]}}}}"#
        );
        closed_findings(&text).is_empty()
    };
    let tried = ["1", "300", "0", "301", "1.5", "1e1", "-1", "null", "NaN"];
    assert_eq!(
        tried.map(passes),
        [true, true, false, false, false, false, false, false, false]
    );
}

#[test]
fn what_is_no_json_or_no_object_is_one_finding() {
    assert_eq!(
        said("[]"),
        [(
            1,
            1,
            "a manifest must be an object, found a list".to_owned()
        )]
    );
    assert_eq!(said("").len(), 1);
    assert_eq!(said("{").len(), 1);
    assert_eq!(said("{}").len(), 2);
}

#[test]
fn the_closed_schema_has_the_seeds_fields_and_ten_events() {
    let schema = closed_schema();
    let names = |at: &str| -> Vec<String> {
        let object = schema.pointer(at).unwrap().as_object().unwrap();
        object.keys().cloned().collect()
    };
    assert_eq!(names("/properties"), ["version", "hooks"]);
    assert_eq!(names("/$defs/group/properties"), ["matcher", "hooks"]);
    let mut fields = names("/$defs/hook/properties");
    fields.sort();
    assert_eq!(fields, ["command", "prompt", "timeout", "type"]);
    assert_eq!(names("/properties/hooks/properties").len(), 10);
}
