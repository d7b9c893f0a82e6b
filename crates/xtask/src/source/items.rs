//! Functions, tests and test modules among the words.

use std::ops::RangeInclusive;

use super::Token;

/// A function with a body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Function {
    /// Its name.
    pub(crate) name: String,
    /// The line of its `fn`.
    pub(crate) line: usize,
    /// From the `fn` to the closing brace, both counted.
    pub(crate) lines: usize,
}

/// A function below a `#[test]` attribute of any path that ends so.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Test {
    /// Its name.
    pub(crate) name: String,
    /// Whether a plain run leaves it out.
    pub(crate) ignored: bool,
}

/// Every function that has a body, also those inside others.
pub(crate) fn functions(tokens: &[Token]) -> Vec<Function> {
    let mut found = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        let Some(name) = tokens
            .get(at + 1)
            .filter(|name| token.text == "fn" && is_name(name))
        else {
            continue;
        };
        let Some(end) = item_end(tokens, at + 2).and_then(|end| tokens.get(end)) else {
            continue;
        };
        if end.text == "}" {
            let lines = end.line - token.line + 1;
            found.push(Function {
                name: name.text.clone(),
                line: token.line,
                lines,
            });
        }
    }
    found
}

/// The lines that exist only for tests: each item below `#[cfg(test)]`.
pub(crate) fn test_ranges(tokens: &[Token]) -> Vec<RangeInclusive<usize>> {
    let mut ranges = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        let Some(attribute) = Attribute::at(tokens, at).filter(Attribute::is_cfg_test) else {
            continue;
        };
        if attribute.inner {
            return vec![1..=usize::MAX];
        }
        let behind = Attribute::skip(tokens, attribute.end);
        if let Some(end) = item_end(tokens, behind).and_then(|end| tokens.get(end)) {
            ranges.push(token.line..=end.line);
        }
    }
    ranges
}

/// The modules that are declared here for tests only and live in a file of their own.
pub(crate) fn test_modules(tokens: &[Token]) -> Vec<String> {
    let mut names = Vec::new();
    for at in 0..tokens.len() {
        let Some(attribute) = Attribute::at(tokens, at).filter(Attribute::is_cfg_test) else {
            continue;
        };
        let item = tokens.iter().skip(Attribute::skip(tokens, attribute.end));
        let words: Vec<&Token> = item
            .take_while(|token| !matches!(token.text.as_str(), "{" | "="))
            .take(9)
            .collect();
        let module = words.windows(3).find_map(|three| match three {
            [module, name, end] if module.text == "mod" && end.text == ";" => {
                Some(name.text.clone())
            }
            _ => None,
        });
        names.extend(module);
    }
    names
}

/// Every test function, with those inside `proptest!`.
pub(crate) fn tests_of(tokens: &[Token]) -> Vec<Test> {
    let mut tests = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let (mut is_test, mut ignored) = (false, false);
        while let Some(attribute) = Attribute::at(tokens, at) {
            is_test |= attribute.path_ends_in("test");
            ignored |= attribute.path_ends_in("ignore");
            at = attribute.end;
        }
        if is_test && let Some(name) = function_name(tokens, at) {
            tests.push(Test { name, ignored });
        }
        at += 1;
    }
    tests
}

/// The index of the bracket that closes the one at `open`.
pub(crate) fn close(tokens: &[Token], open: usize) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, token) in tokens.iter().enumerate().skip(open) {
        match token.text.as_str() {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth = depth.checked_sub(1)?,
            _ => {}
        }
        if depth == 0 {
            return Some(at);
        }
    }
    None
}

/// The index of the last word of the item around `from`: its closing brace, or its semicolon.
pub(super) fn item_end(tokens: &[Token], from: usize) -> Option<usize> {
    let mut at = from;
    loop {
        match tokens.get(at)?.text.as_str() {
            ";" => return Some(at),
            "{" => return close(tokens, at),
            "(" | "[" => at = close(tokens, at)?,
            _ => {}
        }
        at += 1;
    }
}

/// The name in `pub(crate) async fn name`, where a function begins at `at`.
fn function_name(tokens: &[Token], at: usize) -> Option<String> {
    let words: Vec<&Token> = tokens.iter().skip(at).take(9).collect();
    let name = words.windows(2).find_map(|two| match two {
        [word, name] if word.text == "fn" && is_name(name) => Some(name),
        _ => None,
    });
    name.map(|name| name.text.clone())
}

pub(super) fn is_name(token: &Token) -> bool {
    token
        .text
        .starts_with(|c: char| c.is_alphabetic() || c == '_')
}

/// `#[path(words)]`, or `#![path(words)]`.
pub(super) struct Attribute<'a> {
    words: Vec<&'a str>,
    inner: bool,
    /// The index behind its bracket.
    pub(super) end: usize,
}

impl<'a> Attribute<'a> {
    pub(super) fn at(tokens: &'a [Token], at: usize) -> Option<Self> {
        let is =
            |index: usize, text: &str| tokens.get(index).is_some_and(|token| token.text == text);
        if !is(at, "#") {
            return None;
        }
        let inner = is(at + 1, "!");
        let open = at + 1 + usize::from(inner);
        if !is(open, "[") {
            return None;
        }
        let end = close(tokens, open)?;
        let words = tokens
            .get(open + 1..end)?
            .iter()
            .map(|token| token.text.as_str())
            .collect();
        Some(Self {
            words,
            inner,
            end: end + 1,
        })
    }

    /// The index behind all attributes that begin at `at`.
    fn skip(tokens: &'a [Token], mut at: usize) -> usize {
        while let Some(attribute) = Self::at(tokens, at) {
            at = attribute.end;
        }
        at
    }

    pub(super) fn is_cfg_test(&self) -> bool {
        self.words.first() == Some(&"cfg")
            && (self.words.contains(&"test") || self.words.contains(&"doctest"))
            && !self.words.contains(&"not")
    }

    fn path_ends_in(&self, name: &str) -> bool {
        let path = self
            .words
            .iter()
            .take_while(|word| !matches!(**word, "(" | "="));
        path.last() == Some(&name)
    }
}
