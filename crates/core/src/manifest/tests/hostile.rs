//! Text from an adversary: nothing panics, nothing overflows, every place is inside the text.

use proptest::prelude::*;

use super::*;

/// Parses any text, and checks what must hold for every finding and every place.
fn survives(text: &str) {
    let (manifest, findings) = match Manifest::parse(text) {
        Ok(parsed) => (Some(parsed.manifest), parsed.findings),
        Err(finding) => (None, vec![finding]),
    };
    for finding in &findings {
        assert!(text.get(finding.at.span.clone()).is_some(), "{finding:?}");
        assert!(
            finding.at.line >= 1 && finding.at.column >= 1,
            "{finding:?}"
        );
        assert!(!finding.message.contains(char::is_control), "{finding:?}");
    }
    let errors = findings
        .iter()
        .any(|finding| finding.severity == Severity::Error);
    for entry in manifest
        .iter()
        .flat_map(|manifest| &manifest.groups)
        .flat_map(|group| &group.entries)
    {
        assert!(text.get(entry.at.span.clone()).is_some(), "{entry:?}");
        if let Action::Broken(why) = &entry.action {
            assert!(errors && !why.is_empty(), "{entry:?}");
        }
    }
}

#[test]
fn nesting_cannot_exhaust_the_stack() {
    for open in ["[", "{\"a\":", "{\"hooks\":{\"stop\":[{\"hooks\":["] {
        let finding = Manifest::parse(&open.repeat(100_000)).unwrap_err();
        assert_eq!(finding.message, "maximum nesting depth exceeded");
    }
    let deep = format!("{{\"x\": {}1{}}}", "[".repeat(400), "]".repeat(400));
    assert!(Manifest::parse(&deep).is_ok());
}

#[test]
fn a_very_long_line_of_entries_is_read_in_one_go() {
    let entry = r#"{"type":"command","command":"é","gaurd":1},"#;
    let text = format!(
        r#"{{"version":1,"hooks":{{"stop":[{{"hooks":[{}]}}]}}}}"#,
        entry.repeat(5_000)
    );
    let parsed = parse(&text);
    let last = parsed
        .findings
        .last()
        .map(|finding| (finding.at.line, finding.at.column));
    let width = entry.chars().count();
    let start = r#"{"version":1,"hooks":{"stop":[{"hooks":["#.len();
    let column = start + 4_999 * width + r#"{"type":"command","command":"é","#.chars().count() + 1;
    assert_eq!(
        (parsed.findings.len(), last),
        (5_000, Some((1, u32::try_from(column).unwrap())))
    );
}

/// A value of any kind, with the words of a manifest in it.
fn value() -> impl Strategy<Value = String> {
    let word = prop_oneof![
        prop::sample::select(vec![
            "command",
            "prompt",
            "Write|Edit",
            "^(?!x)",
            "(",
            "deny",
            "blok",
            "shadow",
            "",
            "*",
            "\\u0000",
            "é"
        ])
        .prop_map(|word| format!("\"{word}\"")),
        prop::sample::select(vec![
            "1", "0", "-1", "1.5", "1e999", "NaN", "true", "null", "[]", "{}"
        ])
        .prop_map(String::from),
    ];
    let keys = "version hooks mode matcher priority sequential name type command prompt args env cwd guard recheck \
        on-failure onFailure timeout once if-unsayable stop pre-tool-use PreToolUse tool:pre unheard-of";
    let key = prop::sample::select(keys.split_whitespace().collect::<Vec<_>>());
    word.prop_recursive(6, 64, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5)
                .prop_map(|list| format!("[{}]", list.join(","))),
            prop::collection::vec((key.clone(), inner), 0..6).prop_map(|fields| {
                let fields: Vec<_> = fields
                    .iter()
                    .map(|(key, value)| format!("\"{key}\":{value}"))
                    .collect();
                format!("{{{}}}", fields.join(","))
            }),
        ]
    })
}

proptest! {
    #[test]
    fn any_text_is_survived(text in any::<String>()) {
        survives(&text);
    }

    #[test]
    fn any_json_of_our_words_is_survived(events in value(), group in value(), entry in value()) {
        survives(&events);
        survives(&format!(r#"{{"hooks": {events}}}"#));
        survives(&format!(r#"{{"hooks": {{"stop": [{group}, {events}], "stop": {entry}}}}}"#));
        survives(&format!(r#"{{"hooks": {{"PreToolUse": [{{"hooks": [{entry}, {group}]}}]}}}}"#));
    }

    #[test]
    fn any_damage_to_a_good_manifest_is_survived(
        whole in prop::sample::select(vec![SEED, EVERY_FIELD]),
        at in any::<prop::sample::Index>(),
        gone in 0..40_usize,
        put in "[\\[\\]{}\",:0-9a-zé\u{feff}\r\n/*\\\\]{0,6}",
    ) {
        let mut chars: Vec<char> = whole.chars().collect();
        let start = at.index(chars.len());
        let end = (start + gone).min(chars.len());
        chars.splice(start..end, put.chars());
        survives(&chars.into_iter().collect::<String>());
    }
}
