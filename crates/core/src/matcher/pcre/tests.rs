//! What is refused, and in which words. Which names a pattern selects is compared with the original elsewhere.

use std::fmt::Write as _;

use crate::matcher::Matcher;

#[test]
fn a_pattern_that_only_the_original_can_take_is_refused_with_what_it_has_and_what_to_write() {
    let refused = [
        "^(?!bash$)",
        "(?<=m)cp",
        "(?>a)b",
        r"(a)\1",
        "(?P=x)",
        r"\p{L}",
        "(?R)",
        "(?1)",
        "(?(1)a)",
        "(?C1)",
        "(*UTF8)a",
        r"\R",
        r"\K",
        r"\0",
        r"\y",
        "a++",
        "[[.a.]]",
        r"[\Q]\E]",
        "(?m)^a",
        "(?x)a b",
    ];
    let elsewhere = [
        r"\<write\>",
        "a**",
        r"\u0077",
        "(?u)a",
        r"\v",
        r"\b{start}",
        "é+",
        "[é]",
        "[:alpha:]",
        "$a",
        "*",
        "(",
        ")",
        "[",
        "[z-a]",
        r"\",
        r"\xe9",
        r"[a-\d]",
        "(?<a>b)(?<a>c)",
        "(?#",
    ];
    let mut told = String::new();
    for pattern in refused.iter().chain(&elsewhere) {
        let error = Matcher::pcre(pattern).unwrap_err();
        writeln!(
            told,
            "{pattern}  at {}\n  {error}\n  help: {}",
            error.offset, error.help
        )
        .unwrap();
    }
    insta::assert_snapshot!(told);
}

#[test]
fn what_both_engines_know_is_taken_in_the_words_of_the_original() {
    for pattern in [
        "Write|Edit",
        r"^mcp__\w+__",
        r"\Qa.b\E",
        "(?i)bash",
        r"bash\Z",
        "(?#x)a",
        "(?<n>a)",
        "a{x",
        r"\h",
        "(?:é)+",
    ] {
        assert_eq!(Matcher::pcre(pattern).unwrap().as_str(), pattern);
    }
}
