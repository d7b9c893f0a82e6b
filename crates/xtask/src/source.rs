//! Rust source as words, read without a parser.
//!
//! The lexer knows strings, characters, lifetimes, raw strings and nested comments, which is all that a brace counter
//! needs. It refuses to understand macros: what a macro writes is not seen.

mod imports;
mod items;
mod lexer;
#[cfg(test)]
mod tests;

pub(crate) use imports::{Imports, imports, rings};
pub(crate) use items::{Test, close, functions, test_modules, test_ranges, tests_of};
pub(crate) use lexer::{tokens, without_strings};

/// One word, or one character that belongs to no word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Token {
    /// The word itself.
    pub(crate) text: String,
    /// Its line, from 1.
    pub(crate) line: usize,
}
