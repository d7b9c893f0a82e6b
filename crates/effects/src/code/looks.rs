//! Whether a code of JavaScript only looks at the packages that it loads: what a package has may do anything when it is called,
//! or where the language calls it unasked.

use super::tokens::CodeToken::{self, End, Name, Number, Sign, Text};
use super::tokens::TokenCursor;
use crate::programs::words;

/// Tells whether a code calls nothing of a package, and gives nothing of it a name by which another value would be called.
pub(super) fn only(tokens: &[CodeToken<'_>]) -> bool {
    (0..tokens.len()).all(|at| {
        let code = TokenCursor { tokens, at };
        match code.token() {
            Name(name) | Text(Some(name)) if words::NODE_CALLED.contains(&name) => false,
            // They stand for themselves only.
            Name("Object" | "JSON") => code.behind(1) == Sign('.'),
            Name("for") => matches!(code.behind(2), Name(name) if is_giving(name)),
            Sign('(') => is_look(code),
            Sign('=') => is_new_name(code),
            _ => true,
        }
    })
}

fn is_giving(name: &str) -> bool {
    ["const", "let", "var"].contains(&name)
}

/// Tells whether a bracket is no call, or one of what only looks: it prints, tells names, or works on a text.
fn is_look(code: TokenCursor<'_, '_>) -> bool {
    const BEFORE: [&str; 9] = [
        "require", "import", "if", "for", "while", "return", "typeof", "in", "else",
    ];
    let all = (1..=code.at).map(|count| code.before(count));
    let before = all.into_iter().find(|token| *token != End);
    let of = code.before(3);
    let is_own = code.before(4) != Sign('.');
    match before {
        Some(Name(name)) if code.before(2) != Sign('.') => BEFORE.contains(&name),
        Some(Name(name)) => match (of, name) {
            (Name("console"), _) | (Name("Object"), "keys" | "values" | "entries") => is_own,
            (Name("JSON"), "stringify") => is_own && has_one_word(code),
            _ if words::NODE_OF_TEXTS.contains(&name) => match (code.behind(1), code.behind(2)) {
                (Sign(')'), _) => true,
                (Text(_) | Number(_), Sign(')')) => !is_of_package(code, of),
                // A pattern with its flags.
                (Text(None), Name(_)) => code.behind(3) == Sign(')') && !is_of_package(code, of),
                _ => false,
            },
            _ => words::NODE_OF_LISTS.contains(&name) && is_arrow(code) && has_one_word(code),
        },
        Some(Sign(')' | ']' | '.') | Text(_) | Number(_)) => false,
        _ => true,
    }
}

/// Tells whether the function that is called here, asked of this value, may be one of a package: that gets the text as it is.
fn is_of_package(code: TokenCursor<'_, '_>, of: CodeToken<'_>) -> bool {
    match of {
        // What a function of a value gives: `Object.keys(x).join(',')`.
        Sign(')') => {
            let mut depth = 0;
            let begin = (3..=code.at).find(|count| {
                match code.before(*count) {
                    Sign(')' | ']' | '}') => depth += 1,
                    Sign('(' | '[' | '{') => depth -= 1,
                    _ => {}
                }
                depth == 0
            });
            let called = begin.map(|count| (code.before(count + 2), code.before(count + 1)));
            !matches!(called, Some((Sign('.'), Name(_))))
        }
        // The parameter of a function, or what such a call gave.
        Name(_) if code.before(4) != Sign('.') => {
            let mut all = code.tokens.windows(4);
            !all.any(|all| match all {
                [name, Sign('='), Sign('>'), _] | [Sign('('), name, Sign(')'), Sign('=')] => {
                    *name == of
                }
                [Name(word), name, Sign('='), Name("Object" | "JSON")] => {
                    is_giving(word) && *name == of
                }
                _ => false,
            })
        }
        _ => true,
    }
}

/// Tells whether the first word of a call is a function that the code itself has: `x => …`.
fn is_arrow(code: TokenCursor<'_, '_>) -> bool {
    matches!(
        [1, 2, 3, 4, 5].map(|count| code.behind(count)),
        [Name(_), Sign('='), Sign('>'), ..]
            | [Sign('('), Sign(')'), Sign('='), Sign('>'), _]
            | [Sign('('), Name(_), Sign(')'), Sign('='), Sign('>')]
    )
}

/// Tells whether a call has one word, or others behind it that begin with `null`.
fn has_one_word(code: TokenCursor<'_, '_>) -> bool {
    let mut depth = 0;
    for at in 0..code.tokens.len() {
        match code.behind(at) {
            Sign('(' | '[' | '{') => depth += 1,
            Sign(')' | ']' | '}') if depth == 1 => return true,
            Sign(')' | ']' | '}') => depth -= 1,
            Sign(',') if depth == 1 => return code.behind(at + 1) == Name("null"),
            _ => {}
        }
    }
    false
}

/// Tells whether a sign of equality gives a value to new names alone, or is one of a comparison or of a function.
fn is_new_name(code: TokenCursor<'_, '_>) -> bool {
    match (code.before(1), code.behind(1)) {
        (_, Sign('=' | '>')) | (Sign('=' | '!' | '<' | '>'), _) => true,
        (Name(_), _) => matches!(code.before(2), Name(name) if is_giving(name)),
        (Sign('}'), _) => {
            let is_name = |at: &usize| matches!(code.before(*at), Name(_) | Sign(',' | ':'));
            let begin = (2..=code.at).find(|at| !is_name(at)).unwrap_or_default();
            let given = code.before(begin + 1);
            code.before(begin) == Sign('{') && matches!(given, Name(name) if is_giving(name))
        }
        _ => false,
    }
}
