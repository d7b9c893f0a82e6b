//! The lines of a script with their places, and whether a line turns away or refuses.

use anyhook_core::manifest::{Lines, Place};

/// One line of a script.
#[derive(Debug)]
pub(super) struct Line<'t> {
    /// Its text, without the white space around it.
    pub(super) text: &'t str,
    /// How many bytes of white space stand before it.
    pub(super) indent: usize,
    /// Where it stands, without the white space.
    pub(super) at: Place,
}

/// Takes a script apart; empty lines and comments are left out.
pub(super) fn lines(script: &str) -> Vec<Line<'_>> {
    let places = Lines::new(0, script);
    let mut start = 0;
    let mut all = Vec::new();
    for raw in script.split_inclusive('\n') {
        let text = raw.trim();
        let indent = raw.len() - raw.trim_start().len();
        let at = start + indent;
        start += raw.len();
        let is_comment = text.starts_with('#') || text.starts_with("//") || text.starts_with('*');
        if !text.is_empty() && !is_comment {
            let at = places.place(at..at + text.len());
            all.push(Line { text, indent, at });
        }
    }
    all
}

impl Line<'_> {
    /// Tells whether the line leads another way, or ends one: what stands behind it does not follow what stands before.
    pub(super) fn turns(&self) -> bool {
        const TURNS: &[&str] = &[
            "exit", "return", "else", "elif", "fi", "done", "esac", "}", "exec", "case", "if",
            "break", "continue",
        ];
        let is_turn = |word: &str| TURNS.contains(&word.trim_end_matches(';'));
        self.text.ends_with(";;") || self.text.split_whitespace().any(is_turn)
    }
}

/// Tells whether a text says in words that something is refused.
pub(super) fn refuses(text: &str) -> bool {
    const WORDS: &[&str] = &[
        "block",
        "deny",
        "denied",
        "forbid",
        "refus",
        "not allowed",
        "disallow",
        "prohibit",
        "reject",
    ];
    let text = text.to_lowercase();
    WORDS.iter().any(|word| text.contains(word))
}
