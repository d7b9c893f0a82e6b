use super::*;
use crate::tests::rows;

/// Lines, by what a test says of them.
const ROWS: &str = include_str!("rows.txt");

#[test]
fn a_substitution_ends_where_bash_ends_it() {
    for text in rows(ROWS, "ends") {
        let line = format!("a {text}x b");
        let (List(steps), _) = super::line(&line).unwrap();
        let Node::Simple(simple) = &steps[0].node else {
            panic!("{text}");
        };
        assert_eq!(simple.words.len(), 3, "{text}");
        let behind = simple.words[1].last();
        assert_eq!(behind, Some(&WordPiece::Bare("x".to_owned())), "{text}");
    }
}

#[test]
fn what_is_not_closed_or_too_deep_is_unreadable() {
    let deep = |open: &str| format!("echo {}", open.repeat(10_000));
    for text in rows(ROWS, "is not closed") {
        assert_eq!(line(&text), Err(ParseFailure), "{text}");
    }
    for open in [
        "$(", "(", "${a:-", "\"$(", "@(a|", "<(", "$((", "\"${a:-", "$[", "$(( $(", "f() ",
    ] {
        assert_eq!(line(&deep(open)), Err(ParseFailure), "{open}");
    }
}

#[test]
fn everyday_lines_are_read() {
    for text in rows(ROWS, "everyday").chain([String::new()]) {
        assert!(line(&text).is_ok(), "{text}");
    }
}
