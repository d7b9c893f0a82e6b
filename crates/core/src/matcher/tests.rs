use proptest::prelude::*;

use super::*;

/// A subject that goes by this name alone.
const fn named(name: &str) -> Subject<'_> {
    Subject {
        name,
        also: &[],
        canonical: None,
    }
}

fn selects(matcher: &str, name: &str) -> Hit {
    Matcher::parse(matcher).unwrap().selects(Some(&named(name)))
}

#[test]
fn omitted_empty_and_star_select_everything() {
    for text in ["", "*", " ", " * "] {
        let matcher = Matcher::parse(text).unwrap();
        assert_eq!((matcher.is_all(), matcher.as_str()), (true, text));
        assert_eq!(selects(text, "Write"), Hit::Name);
    }
    assert!(Matcher::all().is_all());
}

#[test]
fn a_plain_list_is_exact_and_anything_else_is_a_pattern_and_case_counts() {
    let rows = "
        Write|Edit          Edit                   Name
        Write,Edit          Edit                   Name
        Write|Edit          NotebookEdit           No
        Write|Edit          Edit2                  No
        Write|              Bash                   No
        mcp__memory         mcp__memory__read      No
        Edit.*              NotebookEdit           Name
        ^Edit$              NotebookEdit           No
        mcp__.*__write      mcp__memory__write_all Name
        (?i)write           WRITE                  Name
        Write               write                  No
        Wri.e               write                  No
    ";
    for row in rows.lines().filter(|row| !row.trim().is_empty()) {
        let [matcher, name, hit] = row.split_whitespace().collect::<Vec<_>>()[..] else {
            panic!("{row}")
        };
        assert_eq!(format!("{:?}", selects(matcher, name)), hit, "{row}");
    }
    assert_eq!(selects("Write, Edit", "Edit"), Hit::Name);
    assert_eq!(selects("Write|Edit", ""), Hit::No);
}

#[test]
fn the_own_name_is_a_better_hit_than_an_alias() {
    let subject = Subject {
        name: "apply_patch",
        also: &["Write", "Edit"],
        canonical: None,
    };
    let hit = |text: &str| Matcher::parse(text).unwrap().selects(Some(&subject));
    assert_eq!(hit("apply_patch|Write"), Hit::Name);
    assert_eq!(hit("Edit"), Hit::Alias);
    assert_eq!(hit("^Ed"), Hit::Alias);
    assert_eq!(hit("Bash"), Hit::No);
}

#[test]
fn a_matcher_without_a_subject_selects() {
    let matcher = Matcher::parse("Write").unwrap();
    assert_eq!(matcher.selects(None), Hit::Name);
    assert_eq!(matcher.selects(Some(&named("Bash"))), Hit::No);
}

#[test]
fn a_list_without_a_name_is_refused_because_it_would_select_nothing() {
    for text in ["|", ",", " | , "] {
        let error = Matcher::parse(text).unwrap_err();
        assert_eq!(error.to_string(), "the list has no name in it");
    }
}

#[test]
fn an_unanchored_matcher_reads_names_as_patterns() {
    for text in ["edit", ""] {
        let matcher = Matcher::unanchored(text).unwrap();
        assert_eq!(matcher.selects(Some(&named("notebook_edit"))), Hit::Name);
    }
    assert_eq!(Matcher::unanchored("*").unwrap_err().offset, 0);
}

#[test]
fn a_compiled_pattern_keeps_its_own_flags() {
    let regex = RegexBuilder::new("write")
        .case_insensitive(true)
        .build()
        .unwrap();
    let matcher = Matcher::from(regex);
    assert_eq!(matcher.as_str(), "write");
    assert_eq!(matcher.selects(Some(&named("WRITE"))), Hit::Name);
}

#[test]
fn an_error_tells_its_place_and_what_to_write_instead() {
    let found: Vec<_> = [
        "^(?!Bash)",
        "Write(",
        "a(b)c(d",
        "foo)",
        "Write|*",
        "^(a)\\1",
        "[a-",
        "\\p{L}",
        "é(?<=x)",
    ]
    .into_iter()
    .map(|text| Matcher::parse(text).unwrap_err())
    .map(|error| (error.offset, error.reason, error.help))
    .collect();
    insta::assert_debug_snapshot!("pattern_errors", found);
}

#[test]
fn a_pattern_that_would_grow_without_bound_is_refused() {
    let error = Matcher::parse("((a{1000}){1000}){1000}").unwrap_err();
    assert_eq!(error.reason, "compiled regex exceeded size limit");
    let long = format!("{}(", "é".repeat(100_000));
    assert!(Matcher::parse(&long).is_err());
}

proptest! {
    #[test]
    fn a_bar_means_or(left in "[A-Za-z_]{1,4}", right in "[A-Za-z_]{1,4}", name in "[A-Za-z_]{1,4}") {
        let either = selects(&left, &name) == Hit::Name || selects(&right, &name) == Hit::Name;
        prop_assert_eq!(selects(&format!("{left}|{right}"), &name) == Hit::Name, either);
        prop_assert_eq!(selects(&format!("{left}|{right}"), &left), Hit::Name);
    }

    #[test]
    fn an_exact_list_agrees_with_the_anchored_pattern(names in proptest::collection::vec("[A-Za-z_]{1,3}", 1..4), name in "[A-Za-z_]{1,3}") {
        let list = names.join("|");
        prop_assert_eq!(selects(&list, &name), selects(&format!("^(?:{list})$"), &name));
    }

    #[test]
    fn no_text_panics(text in "\\PC{0,24}|[(\\[*+?{}|\\\\^$.a-c]{0,12}", name in ".{0,8}") {
        if let Ok(matcher) = Matcher::parse(&text) {
            prop_assert_eq!(matcher.as_str(), text.as_str());
            matcher.selects(Some(&Subject { name: &name, also: &["Write"], canonical: None }));
        }
    }
}

#[test]
fn a_pattern_that_is_too_long_is_refused_without_being_compiled() {
    let error = Matcher::parse(&"(a|b)".repeat(160_000)).unwrap_err();
    assert_eq!(error.reason, "a pattern is at most 8192 bytes long");
    let names = vec!["Bash"; 3000].join("|");
    assert!(Matcher::parse(&names).is_ok(), "a list is no pattern");
}

fn pcre(pattern: &str, name: &str) -> bool {
    Matcher::pcre(pattern).unwrap().selects(Some(&named(name))) == Hit::Name
}

#[test]
fn a_pattern_of_another_engine_may_look_around_and_refer_back() {
    assert!(!pcre("^(?!bash$)", "bash") && pcre("^(?!bash$)", "bash2"));
    assert!(pcre("(?<=mcp__)files", "mcp__files") && !pcre("(?<!mcp__)files", "mcp__files"));
    assert!(pcre(r"^(\w)\1", "aab") && !pcre(r"^(\w)\1", "abb"));
    assert!(pcre(r"\bfiles\b(?=$)", "mcp files") && !pcre(r"\Bfiles(?=$)", "mcp files"));
    assert!(pcre("(?>a+)b", "aab") && pcre("(?i)BASH", "bash"));
    assert!(pcre("^bash$", "bash\n") && !pcre("^bash$", "bash\nx"));
}

#[test]
fn a_pattern_that_engines_read_differently_is_refused_with_its_place() {
    for row in include_str!("differ.txt").lines().skip(1) {
        let (offset, pattern) = row.split_once(' ').unwrap();
        let error = Matcher::pcre(pattern).unwrap_err();
        assert!(
            error.reason.contains("engines differ"),
            "{pattern}: {error}"
        );
        assert_eq!(error.offset.to_string(), offset, "{pattern}");
    }
    for broken in ["(", ")", "[", "*", "[z-a]", r"\", "(a)\\2"] {
        assert!(Matcher::pcre(broken).is_err(), "{broken}");
    }
}

#[test]
fn a_name_that_takes_too_long_to_match_is_selected() {
    let name = format!("{}c", "a".repeat(40));
    assert!(pcre(r"^(?:(a+)\1?)+$", &name));
    assert!(!pcre(r"^(?:(a+)\1?)+$", "c"));
}
