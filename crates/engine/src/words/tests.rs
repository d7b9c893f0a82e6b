use std::collections::BTreeMap;
use std::os::unix::ffi::OsStringExt as _;
use std::process::Command;

use proptest::prelude::*;

use super::*;

fn text(text: &str) -> Piece {
    Piece::Text(text.to_owned())
}

fn placeholder(name: &str) -> Piece {
    Piece::Placeholder(name.to_owned())
}

#[expect(
    clippy::unnecessary_wraps,
    reason = "it is compared with what `plan` returns"
)]
fn words<const N: usize>(words: [Vec<Piece>; N]) -> Option<Vec<ArgumentTemplate>> {
    Some(words.map(|pieces| ArgumentTemplate { pieces }).into())
}

#[test]
fn the_commands_of_the_seed_need_no_shell() {
    let script = words([
        vec![text("bash")],
        vec![placeholder("PACKAGE_ROOT"), text("/hooks/scripts/setup.sh")],
    ]);
    assert_eq!(plan("bash ${PACKAGE_ROOT}/hooks/scripts/setup.sh"), script);
    let tool = ["npx", "prettier", "--write"].map(|word| vec![text(word)]);
    let [first, second, third] = tool;
    assert_eq!(
        plan("npx prettier --write ${file}"),
        words([first, second, third, vec![placeholder("file")]])
    );
}

#[test]
fn quotes_and_escapes_are_resolved() {
    let planned = plan(r#"a 'b $c ${d}' "e \"${f}\" #" g\ h "" '' i#j k=l"#);
    let expected = words([
        vec![text("a")],
        vec![text("b $c ${d}")],
        vec![text("e \""), placeholder("f"), text("\" #")],
        vec![text("g h")],
        vec![],
        vec![],
        vec![text("i#j")],
        vec![text("k=l")],
    ]);
    assert_eq!(planned, expected);
}

#[test]
fn whatever_only_a_shell_understands_goes_to_a_shell() {
    for row in include_str!("shell.txt").lines() {
        let command: String = serde_json::from_str(row).unwrap();
        assert!(plan(&command).is_none(), "{row}");
    }
}

#[test]
fn a_value_is_never_split_and_never_expanded() {
    let Some(planned) = plan("echo ${file}.bak x") else {
        panic!("a plan of words")
    };
    let hostile = "a b; $(rm) * 'x' ${file}";
    let filled = fill(&planned, |_| hostile.as_ref());
    assert_eq!(
        filled,
        vec![
            OsString::from("echo"),
            format!("{hostile}.bak").into(),
            "x".into()
        ]
    );
}

#[test]
fn what_exists_as_a_program_is_no_builtin() {
    let words = [
        "exit", "cd", ".", ":", "[[", "if", "{", "export", "echo", "[", "test", "true", "kill",
        "git", "", "if in",
    ];
    let builtins: Vec<_> = words.into_iter().filter(|word| is_builtin(word)).collect();
    assert_eq!(
        builtins,
        ["exit", "cd", ".", ":", "[[", "if", "{", "export"]
    );
}

#[test]
fn placeholders_outside_of_quotes_are_found() {
    for row in include_str!("placeholders.txt").lines().skip(1) {
        let (command, expected) = row.split_once(" ⇒").unwrap();
        let command = command.replace('⏎', "\n");
        let found = unquoted_placeholders(&command).into_iter();
        let found = found.map(|range| format!(" {}", command.get(range).unwrap()));
        assert_eq!(found.collect::<String>(), expected, "{row}");
    }
}

/// The values that placeholders have in the properties: all that a shell could stumble over.
fn values() -> BTreeMap<&'static str, &'static str> {
    BTreeMap::from([
        ("A", ""),
        ("B_1", "two words  and * $(x)"),
        ("_c", "'\"\\\n`"),
    ])
}

/// What `sh` takes for the arguments of a command, with each placeholder in double quotes.
fn arguments_of_sh(command: &str) -> Vec<OsString> {
    let mut quoted = command.to_owned();
    for range in unquoted_placeholders(command).into_iter().rev() {
        quoted.insert(range.end, '"');
        quoted.insert(range.start, '"');
    }
    let output = Command::new("/bin/sh")
        .arg("-c")
        .arg(format!("printf '%s\\0' {quoted}"))
        .env_clear()
        .envs(values())
        .output()
        .unwrap();
    assert_eq!(
        (
            output.status.code(),
            String::from_utf8_lossy(&output.stderr).as_ref()
        ),
        (Some(0), ""),
        "{quoted}"
    );
    let mut arguments: Vec<_> = output
        .stdout
        .split(|byte| *byte == 0)
        .map(|word| OsString::from_vec(word.into()))
        .collect();
    arguments.pop();
    arguments
}

fn agrees_with_sh(command: &str) {
    if let Some(planned) = plan(command) {
        let all = values();
        let filled = fill(&planned, |name| {
            all.get(name).copied().unwrap_or_default().as_ref()
        });
        assert_eq!(filled, arguments_of_sh(command), "{command:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 250, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_command_of_words_means_the_same_to_sh(
        words in prop::collection::vec(
            prop::collection::vec(
                prop_oneof![
                    "[a-zA-Z0-9é%@+,./:^_-]{1,4}",
                    r"'[^'\x00]{0,6}'",
                    r#""([^"\\$`\x00]|\\["\\$`]){0,6}""#,
                    r"\\[ a-z;|&<>()$`'#*?~!\\{}\[\]]",
                    Just("${A}".to_owned()),
                    Just("${B_1}".to_owned()),
                    Just("\"x${_c}y\"".to_owned()),
                ],
                1..4,
            ),
            1..6,
        ),
    ) {
        let command = words.iter().map(|pieces| pieces.concat()).collect::<Vec<_>>().join(" \t");
        prop_assert!(plan(&command).is_some(), "{:?}", command);
        agrees_with_sh(&command);
    }

    #[test]
    fn a_command_of_anything_is_never_misread(
        pieces in prop::collection::vec(
            prop_oneof![
                6 => "[ab=#~^%,:/.-]",
                3 => Just(" ".to_owned()),
                3 => r#"['"\\]"#,
                2 => Just("${B_1}".to_owned()),
                1 => "[$`*?!{}\\[\\]\t\n;]",
            ],
            1..12,
        ),
    ) {
        agrees_with_sh(&pieces.concat());
    }

    #[test]
    fn every_range_is_a_placeholder_of_the_text(command in "[a \"'$\\\\{}()`#é:-]{0,24}") {
        for range in unquoted_placeholders(&command) {
            let is_placeholder = command.get(range).is_some_and(|found| found.starts_with('$'));
            prop_assert!(is_placeholder);
        }
    }
}
