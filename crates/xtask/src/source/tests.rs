use super::*;

fn words(text: &str) -> String {
    tokens(text)
        .into_iter()
        .map(|token| token.text)
        .collect::<Vec<_>>()
        .join(" ")
}

fn lengths(text: &str) -> Vec<(String, usize, usize)> {
    functions(&tokens(text))
        .into_iter()
        .map(|found| (found.name, found.line, found.lines))
        .collect()
}

fn test_names(text: &str) -> Vec<(String, bool)> {
    tests_of(&tokens(text))
        .into_iter()
        .map(|test| (test.name, test.ignored))
        .collect()
}

#[test]
fn braces_in_strings_and_comments_are_no_code() {
    assert_eq!(words(r#"a("}{", b) // }"#), "a ( , b )");
    assert_eq!(words("a /* { /* } */ { */ b"), "a b");
    assert_eq!(words(r#"a("\"}", "\\") b"#), "a ( , ) b");
}

#[test]
fn raw_strings_end_at_their_own_number_of_hashes() {
    assert_eq!(words(r###"a(r##"}"# "{"##, br"\") b"###), "a ( , ) b");
    assert_eq!(words(r#"let r#fn = r; bar"x""#), "let r # fn = r ; bar");
}

#[test]
fn a_lifetime_is_no_character() {
    assert_eq!(
        words("fn f<'a>(x: &'a str, y: &'_ u8) { '{' }"),
        "fn f < ' a > ( x : & ' a str , y : & ' _ u8 ) { }"
    );
    assert_eq!(
        words(r"['\'', '\\', '}', '\u{7d}', b'{', '_']"),
        "[ , , , , b , ]"
    );
}

#[test]
fn a_string_that_never_ends_does_not_hang_the_lexer() {
    for text in ["\"", "\"\\", "r#\"", "/*", "'\\", "r", "'"] {
        assert!(tokens(text).len() <= 1, "{text}");
    }
}

#[test]
fn lines_are_counted_through_strings_and_comments() {
    let text = "/*\n*/ \"\n\n\" a\nr\"\n\" b";
    let lines: Vec<(String, usize)> = tokens(text)
        .into_iter()
        .map(|token| (token.text, token.line))
        .collect();
    assert_eq!(lines, [("a".to_owned(), 4), ("b".to_owned(), 6)]);
}

#[test]
fn strings_go_and_comments_stay_where_words_are_sought() {
    assert_eq!(without_strings("a \"XX\" // XX\n"), "a      // XX\n");
}

#[test]
fn a_function_is_as_long_as_from_its_fn_to_its_brace() {
    let text = "struct A;\n\nfn one() -> [u8; 2] {\n    [1, 2]\n}\nfn two(\n    a: u8,\n) {\n    let f: fn(u8) = |_| {};\n}\n";
    assert_eq!(
        lengths(text),
        [("one".to_owned(), 3, 3), ("two".to_owned(), 6, 5)]
    );
}

#[test]
fn a_function_without_a_body_has_no_length() {
    assert_eq!(
        lengths("trait T {\n fn a(&self);\n fn b(&self) {\n }\n}"),
        [("b".to_owned(), 3, 2)]
    );
}

#[test]
fn a_function_inside_another_is_measured_too() {
    let text = "fn outer() {\n    fn inner() {\n    }\n}";
    assert_eq!(
        lengths(text),
        [("outer".to_owned(), 1, 4), ("inner".to_owned(), 2, 2)]
    );
}

#[test]
fn items_below_cfg_test_are_test_lines() {
    let text =
        "fn a() {}\n#[cfg(test)]\nmod tests {\n    fn b() {}\n}\n#[cfg(not(test))]\nfn c() {}\n";
    assert_eq!(test_ranges(&tokens(text)), [2..=5]);
    assert_eq!(
        test_ranges(&tokens(
            "#[cfg(all(test, unix))]\n#[path = \"x\"]\nmod x;\nfn y() {}"
        )),
        [1..=3]
    );
    assert_eq!(
        test_ranges(&tokens("#![cfg(test)]\nfn y() {}")),
        [1..=usize::MAX]
    );
    assert_eq!(
        test_ranges(&tokens("#[cfg_attr(test, derive(Debug))]\nstruct S;")),
        []
    );
}

#[test]
fn modules_of_their_own_file_are_found_where_they_are_declared_for_tests() {
    let text = "#[cfg(test)]\nmod tests;\n#[cfg(test)]\npub(crate) mod laws;\nmod code;\n#[cfg(test)]\nmod here { mod deep; }";
    assert_eq!(test_modules(&tokens(text)), ["tests", "laws"]);
}

#[test]
fn tests_are_found_by_their_attribute() {
    let text = "
        #[test] fn a_plain_test() {}
        #[tokio::test(flavor = \"x\")]
        async fn a_test_of_a_runtime() {}
        #[test] #[ignore = \"slow\"] fn a_slow_test() {}
        #[cfg(test)] fn helper() {}
        fn shipped() {}
        // #[test] fn a_dead_test() {}
        proptest! {
            #![proptest_config(c)]
            /// Said once.
            #[test]
            fn a_law(x in 0..3_u8) { check(x) }
        }";
    let expected = [
        ("a_plain_test", false),
        ("a_test_of_a_runtime", false),
        ("a_slow_test", true),
        ("a_law", false),
    ];
    assert_eq!(
        test_names(text),
        expected.map(|(name, ignored)| (name.to_owned(), ignored))
    );
}

#[test]
fn a_bracket_is_closed_by_its_own_kind_of_depth() {
    let tokens = tokens("( [ ] { } ) )");
    assert_eq!(close(&tokens, 0), Some(5));
    assert_eq!(close(&tokens, 6), None);
}

#[test]
fn an_import_is_found_however_it_is_written() {
    let files = [
        ("lib.rs", "pub use session::Session;\nmod session;"),
        ("session.rs", ""),
        ("files.rs", ""),
        ("text.rs", "pub(in crate::text) fn f() {}"),
        (
            "load.rs",
            "use crate::{Session, files::{self, hex}};\nuse super::text::plain;",
        ),
        (
            "load/find.rs",
            "fn f() { super::super::text::plain() }\nuse super::files;",
        ),
        (
            "rules.rs",
            "// use crate::files;\nfn f() -> crate::text::Line { \"crate::load\" }",
        ),
    ];
    let files = files.map(|(file, text)| (file.to_owned(), text.to_owned()));
    let found = imports(&files.into());
    let told: Vec<String> = found
        .iter()
        .flat_map(|(of, taken)| taken.iter().map(move |(to, at)| format!("{of} {to} {at}")))
        .collect();
    assert_eq!(
        told,
        [
            "load files load.rs:1",
            "load session load.rs:1",
            "load text load.rs:2",
            "rules text rules.rs:2",
        ]
    );
    assert!(rings(&found).is_empty());
}
