//! The parts of a code, and what stands around one of them.

use crate::effect::EffectKind;

/// What a code does to files, by the names that it has for them.
#[derive(Debug, Default)]
pub(super) struct Findings {
    pub(super) files: Vec<(EffectKind, String)>,
    /// What functions of the project may do to what they are given, besides to read it.
    pub(super) given: Vec<(EffectKind, String)>,
    /// Whether it runs modules, which are code that is not read.
    pub(super) imports: bool,
    /// Whether it loads packages of others, which it may only look at.
    pub(super) packages: bool,
}

/// The longest code that is read, in tokens.
pub(super) const LONGEST: usize = 4000;

/// A part of a code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CodeToken<'t> {
    Name(&'t str),
    /// A text, and what it is where it stands for itself.
    Text(Option<&'t str>),
    /// Where a text begins or ends to fill in what stands between.
    Filled,
    /// A `Path` of Python, of the file with this name.
    File(&'t str),
    Number(&'t str),
    Sign(char),
    /// The end of a line; in Python of a statement too.
    End,
}

use CodeToken::{End, Name};

/// A token among the others.
#[derive(Clone, Copy)]
pub(super) struct TokenCursor<'a, 't> {
    pub(super) tokens: &'a [CodeToken<'t>],
    pub(super) at: usize,
}

impl<'a, 't> TokenCursor<'a, 't> {
    pub(super) fn new(tokens: &'a [CodeToken<'t>], at: usize) -> Self {
        Self { tokens, at }
    }

    /// The same code, looked at from another token.
    pub(super) fn from(self, at: usize) -> Self {
        Self { at, ..self }
    }

    pub(super) fn token(&self) -> CodeToken<'t> {
        self.behind(0)
    }

    pub(super) fn behind(&self, count: usize) -> CodeToken<'t> {
        self.tokens.get(self.at + count).copied().unwrap_or(End)
    }

    pub(super) fn before(&self, count: usize) -> CodeToken<'t> {
        let at = self.at.checked_sub(count);
        at.and_then(|at| self.tokens.get(at).copied())
            .unwrap_or(End)
    }

    pub(super) fn has(&self, names: &[&str]) -> bool {
        let is_one = |token: &CodeToken<'_>| matches!(token, Name(name) if names.contains(name));
        self.tokens.iter().any(is_one)
    }
}

/// Puts a value in the place of each name that is given it once, and is only looked at. `given` tells where a name is given one.
pub(super) fn constants<'t>(
    tokens: &mut [CodeToken<'t>],
    given: impl Fn(TokenCursor<'_, 't>) -> Option<(&'t str, CodeToken<'t>)>,
    is_use: impl Fn(TokenCursor<'_, 't>) -> bool,
) {
    for at in 0..tokens.len() {
        let Some((name, value)) = given(TokenCursor::new(tokens, at)) else {
            continue;
        };
        let is_other = |other: &usize| *other != at && tokens.get(*other) == Some(&Name(name));
        let others: Vec<usize> = (0..tokens.len()).filter(is_other).collect();
        if !others
            .iter()
            .all(|at| is_use(TokenCursor::new(tokens, *at)))
        {
            continue;
        }
        // The value itself is held by no other name.
        let given = [(at + 2, CodeToken::Text(None))];
        for (other, value) in others.into_iter().map(|at| (at, value)).chain(given) {
            if let Some(token) = tokens.get_mut(other) {
                *token = value;
            }
        }
    }
}

/// What a text in quotes is, where it stands for itself.
pub(super) fn plain(inside: &str) -> Option<&str> {
    let odd = ['\\', '{', '\n', '$', '#', '`', '\'', '"'];
    (!inside.is_empty() && !inside.contains(odd)).then_some(inside)
}
