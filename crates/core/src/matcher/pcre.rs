//! Patterns that were written for PCRE or JavaScript, which look around and refer back.
//!
//! `fancy-regex` reads them as they stand, byte by byte as PCRE does without its flag `u`. A construct that means another
//! thing there is refused: it would select other tools without a word.

use std::iter;

use fancy_regex::{BytesMode, Error, Regex, RegexBuilder};

use super::PatternError;

/// So often a match may try another way; with more it counts as a match, and the hook is asked.
const STEPS: usize = 20_000;

/// The escapes that mean the same in all of these engines, beside signs that mean themselves.
const ESCAPES: &str = "dDwWsSAzZtnrf123456789";

/// How groups begin that mean the same in all of them.
const GROUPS: &[&str] = &[
    "(?:", "(?=", "(?!", "(?<", "(?>", "(?P<", "(?i)", "(?i:", "(?-i)", "(?-i:", "(?s)", "(?s:",
    "(?m)", "(?m:",
];

/// The edge of a word and its opposite, which the engine itself only knows with tables of Unicode.
const EDGE: &str = r"(?:(?<=\w)(?!\w)|(?<!\w)(?=\w))";
const NO_EDGE: &str = r"(?:(?<=\w)(?=\w)|(?<!\w)(?!\w))";

/// Compiles a pattern.
pub(super) fn compile(text: &str) -> Result<Regex, PatternError> {
    let pattern = checked(text).map_err(|offset| {
        let rest = text.get(offset..).unwrap_or_default();
        let construct: String = rest.chars().take(3).collect();
        PatternError {
            reason: format!("`{construct}` is not supported, as engines differ in what it means"),
            offset,
            help: "write the characters that it stands for".into(),
        }
    })?;
    let mut builder = RegexBuilder::new(&pattern);
    builder.bytes_mode(BytesMode::Ascii).backtrack_limit(STEPS);
    builder.delegate_size_limit(super::PATTERN_SIZE);
    builder.build().map_err(|error| PatternError {
        offset: match &error {
            Error::ParseError(offset, _) => *offset,
            _ => 0,
        },
        reason: error.to_string(),
        help: "in a pattern `.*` is any text and `\\(` is a bracket; without a `matcher` a group is for every tool".into(),
    })
}

/// Tells whether a name is selected. The end of a name is also before a last line break, as in PCRE.
pub(super) fn is_match(regex: &Regex, name: &str) -> bool {
    let mut names = iter::once(name).chain(name.strip_suffix('\n'));
    names.any(|name| regex.is_match(name.as_bytes()).unwrap_or(true))
}

/// Returns the pattern as the engine reads it, or where a construct begins that means another thing in another engine.
fn checked(text: &str) -> Result<String, usize> {
    let mut out = String::with_capacity(text.len());
    let mut in_class = false;
    let mut chars = text.char_indices();
    while let Some((at, char)) = chars.next() {
        let rest = text.get(at..).unwrap_or_default();
        let begins = |all: &[&str]| all.iter().any(|one| rest.starts_with(one));
        if char == '\\' {
            match chars.next() {
                Some((_, 'b')) if !in_class && !begins(&[r"\b{"]) => out.push_str(EDGE),
                Some((_, 'B')) if !in_class => out.push_str(NO_EDGE),
                Some((_, next)) if ESCAPES.contains(next) || is_sign(next) => {
                    out.extend([char, next]);
                }
                _ => return Err(at),
            }
            continue;
        }
        let differs = match (char, in_class) {
            (_, true) => begins(&["[", "&&", "--", "~~"]),
            ('[', false) => begins(&["[]", "[^]"]),
            ('(', false) => begins(&["(?", "(*"]) && !begins(GROUPS),
            ('{', false) => begins(&["{,"]),
            (_, false) => false,
        };
        if differs || !char.is_ascii() {
            return Err(at);
        }
        in_class = char == '[' || in_class && char != ']';
        out.push(char);
    }
    Ok(out)
}

/// Tells whether a sign means itself behind a `\`.
fn is_sign(char: char) -> bool {
    char.is_ascii_punctuation() && !"<>".contains(char)
}
