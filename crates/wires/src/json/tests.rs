use proptest::prelude::*;
use serde_json::json;

use super::*;

/// What is read in a text that is a payload, and in one that a hook printed.
fn shown(text: &str) -> String {
    let read = match object(text.as_bytes()) {
        Ok(fields) => format!("{:?}", Value::Object(fields).to_string()),
        Err(error) => format!("{} at {:?}", error.what, error.at),
    };
    let ParsedOutput {
        objects,
        text,
        broken,
        doubt,
    } = printed(text);
    let objects: Vec<String> = objects
        .into_iter()
        .map(|one| Value::Object(one).to_string())
        .collect();
    format!(
        "  payload: {read}\n  printed: {objects:?} {text:?} broken {broken:?} doubt {doubt:?}\n"
    )
}

#[test]
fn what_is_read_in_a_text() {
    let mut all = String::new();
    for row in include_str!("tests/texts.txt").lines() {
        if let Some(name) = row.strip_prefix("# ") {
            all += &format!("\n# {name}\n");
            continue;
        }
        let text: String = serde_json::from_str(row).unwrap();
        all += &format!("{row}\n{}", shown(&text));
    }
    insta::assert_snapshot!(all);
}

#[test]
fn bytes_that_are_no_text_are_read_lossily() {
    let invalid = object(b"{\"a\": \"x\xff\xfey\"}").unwrap();
    assert_eq!(Value::Object(invalid), json!({"a": "x\u{fffd}\u{fffd}y"}));
}

#[test]
fn depth_is_bounded() {
    let nested = |depth: usize| {
        let text = format!("{{\"a\": {}{}}}", "[".repeat(depth), "]".repeat(depth));
        object(text.as_bytes())
    };
    assert!(nested(126).is_ok());
    for depth in [127, 2_000, 1_000_000] {
        assert_eq!(
            nested(depth).unwrap_err().what,
            "nested deeper than 127 levels"
        );
    }
}

#[test]
fn a_line_of_many_braces_is_read_in_one_pass() {
    let text = format!("x{}", "{\"".repeat(200_000));
    assert_eq!(printed(&text).text, text);
}

/// JSON without keys that stand twice, written in all ways that are legal.
fn values() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        (-1e300..1e300).prop_map(Value::from),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 32, 4, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            proptest::collection::btree_map(any::<String>(), inner, 0..4)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn arbitrary_bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..64)) {
        let _ = object(&bytes);
        let _ = printed(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn almost_json_never_panics(text in r#"\{?(["\\{}\[\]:,ud8c1 \n\t]|é|true){0,24}"#) {
        let _ = object(text.as_bytes());
        let _ = printed(&text);
    }

    #[test]
    fn valid_json_is_read_as_serde_json_reads_it(value in values(), pretty in any::<bool>()) {
        let value = json!({ "a": value });
        let text = if pretty { format!("{value:#}") } else { value.to_string() };
        let expected: Value = serde_json::from_str(&text).unwrap();
        prop_assert_eq!(object(text.as_bytes()).map(Value::Object), Ok(expected.clone()));
        let read = printed(&format!("{text}\n{text}"));
        prop_assert_eq!(read.objects.len(), 2);
        prop_assert_eq!(Value::Object(read.objects[1].clone()), expected);
    }

    #[test]
    fn mending_changes_nothing_that_is_valid(value in values()) {
        let text = value.to_string();
        let mended = RepairedText::new(&text);
        prop_assert_eq!(mended.text, text);
    }
}
