//! Words of a shell that stand for several paths: `*`, `?`, `[…]`, `{a,b}` and variables.

use std::collections::BTreeSet;

/// The most words that one word with braces stands for.
const MOST_WORDS: usize = 256;

/// What a word is for whoever looks for paths.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Word<'a> {
    /// One path.
    Plain(&'a str),
    /// All paths that match.
    Pattern(String),
    /// Any path that ends like this; what stands before comes from a variable.
    Tail(String),
    /// No path that can be told.
    Nothing,
}

impl<'a> Word<'a> {
    pub fn of(word: &'a str) -> Self {
        if word.is_empty() {
            return Self::Nothing;
        }
        if !word.contains(['$', '`', '*', '?', '[']) {
            return Self::Plain(word);
        }
        let open = opened(word);
        match open.split_once('/') {
            Some(("*", tail)) if word.starts_with(['$', '`']) => tail_of(tail),
            None if open.chars().all(|c| c == '*') && word.starts_with(['$', '`']) => Self::Nothing,
            _ => Self::Pattern(open),
        }
    }
}

/// A tail counts only if it says something: a last name without a wildcard, or two names of which one has none.
fn tail_of(tail: &str) -> Word<'static> {
    let names: Vec<&str> = tail.split('/').filter(|name| !name.is_empty()).collect();
    let is_literal = |name: &&str| !name.contains(['*', '?', '[']);
    let says = match names.split_last() {
        Some((last, before)) => is_literal(last) || before.iter().any(is_literal),
        None => false,
    };
    if says {
        Word::Tail(names.join("/"))
    } else {
        Word::Nothing
    }
}

/// Writes every variable and substitution as `*`.
fn opened(word: &str) -> String {
    let mut open = String::new();
    let mut letters = word.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '$' => {
                match letters.peek().copied() {
                    Some('{') => while letters.next().is_some_and(|c| c != '}') {},
                    Some('(') => while letters.next().is_some_and(|c| c != ')') {},
                    _ => {
                        while letters
                            .next_if(|c| c.is_alphanumeric() || "_@*#?!".contains(*c))
                            .is_some()
                        {}
                    }
                }
                open.push('*');
            }
            '`' => {
                while letters.next().is_some_and(|c| c != '`') {}
                open.push('*');
            }
            other => open.push(other),
        }
    }
    open
}

/// Tells whether a path matches a pattern, name by name.
pub fn matches(path: &str, pattern: &str) -> bool {
    let mut names = path.split('/');
    let mut patterns = pattern.split('/');
    loop {
        match (names.next(), patterns.next()) {
            (Some(name), Some(pattern)) if name_matches(name, pattern) => {}
            (None, None) => return true,
            (_, _) => return false,
        }
    }
}

/// Tells whether the last names of a path match a pattern.
pub fn ends_with(path: &str, tail: &str) -> bool {
    let count = tail.split('/').count();
    let names: Vec<&str> = path.split('/').collect();
    let from = names.len().checked_sub(count);
    let last = from.and_then(|from| names.get(from..));
    last.is_some_and(|last| matches(&last.join("/"), tail))
}

/// Returns the first names of a pattern.
pub fn head(pattern: &str, names: usize) -> &str {
    match pattern.match_indices('/').nth(names.saturating_sub(1)) {
        Some((at, _)) => pattern.get(..at).unwrap_or(pattern),
        None => pattern,
    }
}

/// As a shell does it: `*` any letters, `?` and `[…]` one, and none of them a leading dot.
pub fn name_matches(name: &str, pattern: &str) -> bool {
    if name.starts_with('.') && pattern.starts_with(['*', '?', '[']) {
        return false;
    }
    glob(name, pattern)
}

/// Tells whether a name matches a pattern; a set in brackets counts as any letter.
pub fn glob(name: &str, pattern: &str) -> bool {
    let name: Vec<char> = name.chars().collect();
    let pattern = tokens(pattern);
    let (mut n, mut p) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while let Some(letter) = name.get(n) {
        match pattern.get(p) {
            Some(Token::Any) => {
                star = Some((n, p));
                p += 1;
            }
            Some(Token::One) => (n, p) = (n + 1, p + 1),
            Some(Token::Is(wanted)) if wanted == letter => (n, p) = (n + 1, p + 1),
            Some(Token::Is(_)) | None => match star {
                Some((from, at)) => {
                    star = Some((from + 1, at));
                    (n, p) = (from + 1, at + 1);
                }
                None => return false,
            },
        }
    }
    pattern.iter().skip(p).all(|token| *token == Token::Any)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Token {
    Any,
    One,
    Is(char),
}

fn tokens(pattern: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut letters = pattern.chars();
    while let Some(letter) = letters.next() {
        tokens.push(match letter {
            '*' => Token::Any,
            '?' => Token::One,
            '[' if letters.as_str().contains(']') => {
                // The first letter of a set may be the bracket itself.
                letters.next();
                while letters.next().is_some_and(|c| c != ']') {}
                Token::One
            }
            other => Token::Is(other),
        });
    }
    tokens
}

/// Expands `{a,b}`. Of a word with too many meanings the rest is a pattern, in which braces stand for anything.
pub fn braces(word: &str) -> BTreeSet<String> {
    let mut done = BTreeSet::new();
    let mut open = vec![word.to_owned()];
    while let Some(word) = open.pop() {
        let Some((before, choices, after)) = innermost(&word) else {
            done.insert(word);
            continue;
        };
        if done.len() + open.len() >= MOST_WORDS {
            let end = word.rfind('}').and_then(|at| word.get(at + 1..));
            let start = word.find('{').and_then(|at| word.get(..at));
            done.extend(start.zip(end).map(|(start, end)| format!("{start}*{end}")));
            continue;
        }
        let choices = choices.split(',');
        open.extend(choices.map(|choice| format!("{before}{choice}{after}")));
    }
    done
}

/// The last opened brace with its end: there are none inside it.
fn innermost(word: &str) -> Option<(&str, &str, &str)> {
    let is_variable = |at: usize| word.get(..at).is_some_and(|before| before.ends_with('$'));
    let opened = word.rmatch_indices('{').map(|(at, _)| at);
    for at in opened.filter(|at| !is_variable(*at)) {
        let (before, rest) = (word.get(..at)?, word.get(at + 1..)?);
        if let Some((choices, after)) = rest.split_once('}')
            && choices.contains(',')
        {
            return Some((before, choices, after));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_as_in_a_shell() {
        let cases = [
            ("/p/hooks/hooks.json", "/p/hook?/*.json", true),
            ("/p/hooks/hooks.json", "/p/*", false),
            ("/p/hooks/hooks.json", "/p/h[a-z]oks/hooks.j*n", true),
            ("/p/.claude/x", "/p/*/x", false),
            ("/p/.claude/x", "/p/.c*/x", true),
            ("aaaaaaaaaaaaaaaaaaaaaaaa", "*a*a*a*a*a*a*a*a*b", false),
            ("[x", "[x", true),
        ];
        for (path, pattern, expected) in cases {
            assert_eq!(matches(path, pattern), expected, "{path} {pattern}");
        }
    }

    #[test]
    fn words_with_variables_are_tails_patterns_or_nothing() {
        let tail = |text: &str| Word::Tail(text.into());
        let pattern = |text: &str| Word::Pattern(text.into());
        assert_eq!(Word::of("a/b"), Word::Plain("a/b"));
        assert_eq!(Word::of("$d/hooks.json"), tail("hooks.json"));
        assert_eq!(Word::of("${d:-x}/hooks/*"), tail("hooks/*"));
        assert_eq!(Word::of("$(pwd)/x"), tail("x"));
        assert_eq!(Word::of("hooks/$f.json"), pattern("hooks/*.json"));
        assert_eq!(Word::of("$d/*.json"), Word::Nothing);
        assert_eq!(Word::of("$f"), Word::Nothing);
    }

    #[test]
    fn braces_are_expanded_and_bounded() {
        let set = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
        assert_eq!(braces("{a,b{c,d}}/x"), set(&["a/x", "bc/x", "bd/x"]));
        assert_eq!(braces("${a,b}{x}"), set(&["${a,b}{x}"]));
        assert!(braces(&"{a,b}".repeat(64)).len() <= 2 * MOST_WORDS);
    }
}
