//! Text for people: strange text made safe to show, and what is read out of the text of programs.
//!
//! ```
//! use anyhook_engine::text::{version_in, word};
//!
//! assert_eq!(word("it's mine"), r"'it'\''s mine'");
//! assert_eq!(version_in("codex-cli 0.169.0").as_deref(), Some("0.169.0"));
//! ```

#[doc(inline)]
pub use anyhook_wires::settings::command::quoted as word;

/// Takes out of a text what a terminal would obey, or not show: our own words may quote anybody's.
#[doc(hidden)]
pub fn plain(text: &str) -> String {
    let tame = |c: char| {
        if c == '\n' || !moves_or_hides(c) {
            c
        } else {
            '?'
        }
    };
    text.chars().map(tame).collect()
}

/// Quotes a text of a stranger in a sentence of ours: on one line, and so short that it pushes nothing out of sight.
pub(crate) fn quoted(text: &str, most: usize) -> String {
    cut(plain(text).replace(['\n', '`'], "?"), most)
}

/// Cuts a text that is too long, and says so.
pub(crate) fn cut(mut text: String, most: usize) -> String {
    if text.len() > most {
        text.truncate(text.floor_char_boundary(most));
        text.push('…');
    }
    text
}

/// Writes what a terminal would obey, or not show, as escapes; what makes a sign an emoji, too.
pub(crate) fn visible(text: &str) -> String {
    tame(text).replace('\u{fe0f}', "\\u{fe0f}")
}

/// Makes a text of others safe to show in a line of ours: what would end the line is an escape too, so that none forges a line
/// of its own.
#[doc(hidden)]
pub fn line(text: &str) -> String {
    tame(text).replace('\n', "\\n").replace('\t', "\\t")
}

/// Writes what would move the cursor or hide what stands beside it as an escape: what a terminal or a log is given of the
/// texts of others.
#[doc(hidden)]
pub fn tame(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' | '\t' => shown.push(c),
            c if moves_or_hides(c) => shown.extend(c.escape_unicode()),
            c => shown.push(c),
        }
    }
    shown
}

/// Tells whether a character would move the cursor, change the direction of text, or take no room.
#[doc(hidden)]
pub fn moves_or_hides(c: char) -> bool {
    let is_invisible = matches!(c,
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{fe00}'..='\u{fe0e}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}');
    c.is_control() || is_invisible
}

/// Finds the first version in what a program says: its name stands there, too, and a full stop.
///
/// ```
/// use anyhook_engine::text::version_in;
///
/// assert_eq!(version_in("GitHub Copilot CLI 1.0.102."), Some("1.0.102".to_owned()));
/// assert_eq!(version_in("codex-cli 0.169.0"), Some("0.169.0".to_owned()));
/// assert_eq!(version_in("no such option"), None);
/// ```
pub fn version_in(text: &str) -> Option<String> {
    versions_in(text).next()
}

/// Finds every version in a text: numbers between points, with whatever is written behind `-` or `+`. What a sentence puts
/// around them is no part of them.
#[doc(hidden)]
pub fn versions_in(text: &str) -> impl Iterator<Item = String> {
    let words = text.split(|c: char| c.is_whitespace() || "()[]{}<>,:;@/'\"`=".contains(c));
    let words = words.map(|word| {
        let word = word.trim_matches(|c: char| !c.is_ascii_alphanumeric());
        word.strip_prefix(['v', 'V']).unwrap_or(word)
    });
    let is_version = |word: &&str| {
        let numbers = word.split(['-', '+']).next().unwrap_or_default();
        let is_number = |part: &str| !part.is_empty() && part.chars().all(|c| c.is_ascii_digit());
        numbers.contains('.') && numbers.split('.').all(is_number)
    };
    words.filter(is_version).map(str::to_owned)
}
