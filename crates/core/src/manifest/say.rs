//! The wording of findings.

use jsonc_parser::ast::Value;
use jsonc_parser::errors::ParseError;

use crate::taxonomy::nearest;
use crate::words::joined;

/// Says what a value is, in words.
pub fn kind(value: &Value<'_>) -> &'static str {
    match value {
        Value::StringLit(_) => "a string",
        Value::NumberLit(_) => "a number",
        Value::BooleanLit(_) => "a boolean",
        Value::Object(_) => "an object",
        Value::Array(_) => "a list",
        Value::NullKeyword(_) => "`null`",
    }
}

/// Says what is wrong with a text that is no JSON, as the middle of a sentence.
pub fn syntax_error(error: &ParseError) -> String {
    let said = error.kind().to_string();
    let mut chars = said.chars();
    let first = chars.next().map(|first| first.to_ascii_lowercase());
    first.into_iter().chain(chars).collect()
}

/// Quotes what the file says: bounded, and without anything that a terminal would obey.
pub(super) fn quote(text: &str) -> String {
    const MOST: usize = 60;
    let mut quoted = String::from("`");
    for char in text.chars().take(MOST) {
        match char {
            '\'' | '"' | '\\' => quoted.push(char),
            other => quoted.extend(other.escape_debug()),
        }
    }
    quoted.push_str(if text.chars().nth(MOST).is_some() {
        "…`"
    } else {
        "`"
    });
    quoted
}

/// Names the known word that an unknown one was probably meant to be.
pub(super) fn did_you_mean<'k>(word: &str, known: impl Iterator<Item = &'k str>) -> Option<String> {
    // No known word is that long; also bounds the work that a hostile file can cause.
    let near = if word.len() > 64 {
        None
    } else {
        nearest(word, known)
    };
    near.map(|near| format!("did you mean `{near}`?"))
}

/// Names the word that was probably meant, or all that there are.
pub(super) fn advice(word: &str, known: &[&str]) -> String {
    let near = did_you_mean(word, known.iter().copied());
    let words: Vec<String> = known.iter().map(|word| format!("`{word}`")).collect();
    near.unwrap_or_else(|| format!("write {}", joined(&words, "or")))
}
