//! Archives of attackers. Each is signed by a trusted key, which a thief may have: what no policy can hold is refused all the same.

use anyhook_fleet::{Bundle, BundleFile, Trouble};
use serde_json::{Value, json};

use crate::room::{Computer, Lead, held, listed, trusted};

/// Signs a text that no build would write, as a thief of the key would.
fn forged(lead: &Lead, text: &[u8]) -> Vec<u8> {
    let honest = String::from_utf8(lead.signed()).unwrap();
    let id = lead.key.public("").id();
    let signature = lead.key.sign(b"anyhook policy 1\0", text);
    let head = honest.lines().next().unwrap();
    [
        format!("{head}\nsignature {id} {signature}\n\n").as_bytes(),
        text,
    ]
    .concat()
}

#[expect(clippy::needless_pass_by_value, reason = "what `json!` gives")]
fn text_of(files: Value) -> Vec<u8> {
    let rules = json!({"name": "acme", "revision": 5});
    json!({"rules": rules, "files": files})
        .to_string()
        .into_bytes()
}

fn with(path: &str) -> Vec<u8> {
    let hooks =
        json!({"path": "hooks/hooks.json", "content": {"text": "{\"version\": 1, \"hooks\": {}}"}});
    text_of(json!([hooks, {"path": path, "content": {"text": "x"}}]))
}

/// The attacks by name, each with the text that is signed.
fn attacks() -> Vec<(String, Vec<u8>)> {
    let hooks =
        json!({"path": "hooks/hooks.json", "content": {"text": "{\"version\": 1, \"hooks\": {}}"}});
    let paths = include_str!("paths.txt")
        .lines()
        .map(|row| serde_json::from_str(row).unwrap());
    let deep = format!("hooks/{}x", "a/".repeat(40));
    let long = format!("hooks/{}", "a".repeat(300));
    let mut attacks: Vec<(String, Vec<u8>)> = paths
        .chain([deep, long])
        .map(|path: String| (path.clone(), with(&path)))
        .collect();
    for (name, value) in [
        ("link", json!("/etc/shadow")),
        ("type", json!("symlink")),
        ("mode", json!(0o4755)),
        ("owner", json!(0)),
        ("content", json!({"text": "x", "base64": "eA=="})),
        ("content", json!({"base64": "%%%"})),
    ] {
        let mut file = json!({"path": "hooks/x", "content": {"text": "x"}});
        file[name] = value;
        attacks.push((format!("field {file}"), text_of(json!([hooks, file]))));
    }
    let many = (0..5_001).map(|at| json!({"path": format!("hooks/{at}"), "content": {"text": ""}}));
    let large = json!({"path": "hooks/x", "content": {"text": "x".repeat(33 << 20)}});
    let deep = ["[".repeat(100_000), "]".repeat(100_000)].concat();
    let twice = r#"{"rules": {"name": "a", "revision": 5, "revision": 6}, "files": []}"#;
    let nothing = json!([{"path": "hooks/hooks.json", "content": {"text": "{"}}]);
    let others = [
        ("no content", text_of(json!([hooks, {"path": "hooks/x"}]))),
        ("a file twice", text_of(json!([hooks, hooks]))),
        ("no hooks", text_of(json!([]))),
        ("many files", text_of(many.collect())),
        ("many bytes", text_of(json!([hooks, large]))),
        ("deep JSON", deep.into_bytes()),
        ("two documents", [with("hooks/x"), with("hooks/y")].concat()),
        ("a field twice", twice.into()),
        ("no UTF-8", b"{\"rules\": \"\xff\"}".to_vec()),
        ("hooks that mean nothing", text_of(nothing)),
    ];
    attacks.extend(others.map(|(name, text)| (name.to_owned(), text)));
    attacks
}

#[test]
fn what_no_policy_can_hold_is_refused_even_if_it_is_signed() {
    let (lead, machine) = held();
    let before = listed(&machine.path("."));
    for (name, text) in attacks() {
        let refused = machine.apply(&forged(&lead, &text));
        let refused = refused.expect_err(&name);
        let is_known = matches!(
            refused.trouble,
            Trouble::Hostile | Trouble::Form | Trouble::Unfit
        );
        assert!(is_known, "{name}: {refused}");
        assert_eq!(
            listed(&machine.path(".")),
            before,
            "{name}: something was written"
        );
    }
    assert_eq!(machine.verdict("npm publish").0, "deny");
}

#[test]
fn a_file_that_was_changed_anywhere_after_it_was_signed_is_refused() {
    let (lead, machine) = trusted();
    let file = lead.signed();
    let step = (file.len() / 300).max(1);
    for at in (0..file.len()).step_by(step) {
        let mut changed = file.clone();
        changed[at] ^= 1;
        assert!(machine.apply(&changed).is_err(), "byte {at}");
        assert!(machine.apply(&file[..at]).is_err(), "cut at {at}");
    }
    assert!(
        machine.apply(&[&file[..], b" {}"].concat()).is_err(),
        "more behind it"
    );
    assert!(machine.store().current().is_none());
    machine.apply(&file).unwrap();
}

#[test]
fn a_head_that_is_no_head_is_refused_without_reading_on() {
    let lead = Lead::new();
    let text = String::from_utf8(lead.signed()).unwrap();
    let line = text.lines().nth(1).unwrap();
    let many = text.replacen(line, &[line; 9].join("\n"), 1);
    for (name, file) in [
        ("nine signatures", many),
        (
            "a line that is no signature",
            text.replacen("signature", "sig", 1),
        ),
        (
            "a line without an end",
            format!("anyhook-policy 1\nsignature {}", "a".repeat(1000)),
        ),
        (
            "another version",
            text.replacen("anyhook-policy 1", "anyhook-policy 2", 1),
        ),
        ("nothing", String::new()),
        ("no signature", text.replacen(&format!("{line}\n"), "", 1)),
    ] {
        let refused = Bundle::verify(file.as_bytes(), &[lead.key.public("")]).unwrap_err();
        assert!(
            matches!(refused.trouble, Trouble::Form | Trouble::Unsigned),
            "{name}: {refused}"
        );
    }
}

#[test]
fn a_signature_of_one_policy_is_none_of_another() {
    let lead = Lead::new();
    let one = String::from_utf8(lead.signed()).unwrap();
    lead.hooks(&[]);
    let other = String::from_utf8(lead.signed()).unwrap();
    let head = one.split_once("\n\n").unwrap().0;
    let body = other.split_once("\n\n").unwrap().1;
    let machine = Computer::of(&lead, "machine-one");
    let refused = machine
        .apply(format!("{head}\n\n{body}").as_bytes())
        .unwrap_err();
    assert_eq!(refused.trouble, Trouble::Changed, "{refused}");
}

#[test]
fn a_lead_cannot_sign_a_link_by_mistake() {
    let lead = Lead::new();
    std::os::unix::fs::symlink("/etc/passwd", lead.folder().join("hooks/users")).unwrap();
    assert!(lead.refused().contains("no regular file"));
    let kept = BundleFile {
        path: "hooks/../x".into(),
        bytes: Vec::new(),
        run: false,
    };
    let bundle = Bundle {
        files: vec![kept],
        ..Lead::new().bundle()
    };
    assert!(bundle.text().is_err() && bundle.unpack(lead.place.path()).is_err());
}
