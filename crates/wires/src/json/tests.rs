use proptest::prelude::*;
use serde_json::json;

use super::*;

fn read(text: &str) -> Result<Value, (String, Option<(usize, usize)>)> {
    object(text.as_bytes())
        .map(Value::Object)
        .map_err(|error| (error.what, error.at))
}

#[test]
fn what_is_no_object_is_refused_with_its_place() {
    let refused = [
        ("", "it ends before the JSON is complete", (1, 1)),
        ("  \n", "it ends before the JSON is complete", (2, 1)),
        ("{", "it ends before the JSON is complete", (1, 1)),
        (r#"{"a": "b"#, "it ends before the JSON is complete", (1, 8)),
        ("[1]", "an array, not an object", (1, 1)),
        ("null", "null, not an object", (1, 1)),
        ("{} {}", "trailing characters", (1, 4)),
        ("{}x", "trailing characters", (1, 3)),
        ("{\"a\": 1,}", "trailing comma", (1, 9)),
        ("{\n  // no\n}", "key must be a string", (2, 3)),
        ("{\"a\": NaN}", "expected value", (1, 7)),
        ("{\"a\": Infinity}", "expected value", (1, 7)),
        ("{\"a\": 1e400}", "number out of range", (1, 11)),
        ("{\"a\": \"\\x\"}", "invalid escape", (1, 9)),
        ("{'a': 1}", "key must be a string", (1, 2)),
    ];
    for (text, what, at) in refused {
        assert_eq!(read(text), Err((what.to_owned(), Some(at))), "{text:?}");
    }
}

#[test]
fn a_key_that_stands_twice_is_refused_at_every_depth() {
    let refused = [
        (r#"{"a": 1, "a": 1}"#, "a", (1, 12)),
        (
            r#"{"t": {"file_path": "ok", "file_path": ".env"}}"#,
            "file_path",
            (1, 37),
        ),
        (r#"{"t": [{"a": {"b": 1, "b": 2}}]}"#, "b", (1, 25)),
        (r#"{"a": 1, "\u0061": 2}"#, "a", (1, 17)),
        // Two different halves of a pair are read as the same character, so these are the same key.
        (r#"{"\ud800": 1, "\ud801": 2}"#, "\u{fffd}", (1, 22)),
    ];
    for (text, key, at) in refused {
        let what = format!("duplicate key `{key}`");
        assert_eq!(read(text), Err((what, Some(at))), "{text}");
    }
}

#[test]
fn what_is_almost_json_is_read_lossily() {
    let mended = [
        ("\u{feff}{\"a\": 1}", json!({"a": 1})),
        ("\u{feff}\u{feff}\u{feff}{\"a\": 1}", json!({"a": 1})),
        (r#"{"a": "\ud83d"}"#, json!({"a": "\u{fffd}"})),
        (
            r#"{"a": "\ude00x\ud83d\ud83d\ude00"}"#,
            json!({"a": "\u{fffd}x\u{fffd}😀"}),
        ),
        (r#"{"a": "\\ud83d"}"#, json!({"a": "\\ud83d"})),
        ("{\"a\": \"x\ty\nz\u{0}\"}", json!({"a": "x\ty\nz\0"})),
        ("{\"a\nb\": 1}", json!({"a\nb": 1})),
    ];
    for (text, expected) in mended {
        assert_eq!(read(text), Ok(expected), "{text:?}");
    }
    let invalid = object(b"{\"a\": \"x\xff\xfey\"}").unwrap();
    assert_eq!(Value::Object(invalid), json!({"a": "x\u{fffd}\u{fffd}y"}));
}

#[test]
fn the_place_of_an_error_counts_letters() {
    let text = "{\"a\": \"x\ty\",\n \"ü\": \"\\ud83d\", \"b\": }";
    assert_eq!(
        read(text),
        Err(("expected value".to_owned(), Some((2, 22))))
    );
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

fn print(objects: Vec<Value>, text: &str) -> Printed {
    let maps = objects
        .into_iter()
        .map(|object| object.as_object().unwrap().clone());
    Printed {
        objects: maps.collect(),
        text: text.to_owned(),
        broken: None,
        doubt: None,
    }
}

#[test]
fn an_object_that_may_be_a_piece_of_something_else_is_doubted() {
    for (text, doubted) in [
        ("{}", false),
        (" {} \n", false),
        ("\u{feff}{}", false),
        ("loading...\n{}\ndone", false),
        ("{}\n{}", false),
        ("{} {}", false),
        ("{\"a\": \"\\ud83d\"}", false),
        ("loading... {\"a\": 1}", true),
        ("true{\"a\": 1}", true),
        ("\u{202e}{\"a\": 1}", true),
        ("{\"a\": 1}}", true),
        ("{\"a\": 1} done", true),
        ("{\"a\": \"x\ny\"}", true),
    ] {
        let read = printed(text);
        assert_eq!(read.broken, None, "{text:?}");
        assert_eq!(read.doubt.is_some(), doubted, "{text:?}");
    }
}

#[test]
fn documents_and_text_are_told_apart() {
    let cases = [
        ("", print(vec![], "")),
        (" \n", print(vec![], "")),
        ("branch: main\n", print(vec![], "branch: main")),
        ("{}", print(vec![json!({})], "")),
        (
            "{\"a\": 1}\n{\"b\": 2} {\"c\": 3}",
            print(vec![json!({"a": 1}), json!({"b": 2}), json!({"c": 3})], ""),
        ),
        (
            "Welcome!\n{\"a\": 1}",
            print(vec![json!({"a": 1})], "Welcome!"),
        ),
        (
            "loading... {\"a\": 1}",
            print(vec![json!({"a": 1})], "loading..."),
        ),
        ("{\"a\": 1}\nbye", print(vec![json!({"a": 1})], "bye")),
        ("fn main() {", print(vec![], "fn main() {")),
        ("say {\"a\"} twice", print(vec![], "say {\"a\"} twice")),
        ("[info] started", print(vec![], "[info] started")),
        ("{\"a\": \"x\ty\"}", print(vec![json!({"a": "x\ty"})], "")),
        ("\u{feff}{\"a\": 1}", print(vec![json!({"a": 1})], "")),
    ];
    for (text, expected) in cases {
        let read = Printed {
            doubt: None,
            ..printed(text)
        };
        assert_eq!(read, expected, "{text:?}");
    }
}

#[test]
fn what_looks_like_json_and_is_none_is_named_with_its_line() {
    let broken = [
        (
            "{\"a\": }",
            "line 1 of its output looks like JSON and is none (expected value): `{\"a\": }`",
        ),
        (
            "{'a': 1}",
            "line 1 of its output looks like JSON and is none (key must be a string): `{'a': 1}`",
        ),
        (
            "{\"a\": 1, \"a\": 2}",
            "line 1 of its output looks like JSON and is none (duplicate key `a`): `{\"a\": 1, \"a\": 2}`",
        ),
        ("[1]", "it printed an array, not an object"),
        (
            "Welcome!\n{\"a\": 1,\n \"b\": x}",
            "line 3 of its output looks like JSON and is none (expected value): `\"b\": x}`; \
             before it stands `Welcome!`: does a shell profile print that?",
        ),
    ];
    for (text, expected) in broken {
        assert_eq!(printed(text).broken.as_deref(), Some(expected), "{text:?}");
    }
    let both = printed("{\"a\": 1}\n{\"b\": ");
    assert_eq!(both.objects.len(), 1);
    assert!(both.broken.is_some());
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
        let mended = Mended::new(&text);
        prop_assert_eq!(mended.text, text);
    }
}
