//! A mistake in `config.toml`, in plain words.

use std::ops::Range;
use std::path::Path;

use anyhook_core::manifest::LineIndex;
use anyhook_core::taxonomy::nearest;
use toml_edit::Item;

use crate::text::plain;

/// A file of settings that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ConfigError(pub(super) String);

impl ConfigError {
    pub(super) fn wrong(file: &Path, text: &str, span: Option<Range<usize>>, what: &str) -> Self {
        let place = LineIndex::new(0, text).place(span.unwrap_or(0..0));
        let (file, what) = (file.display(), plain(what));
        Self(format!("`{file}:{}:{}`: {what}", place.line, place.column))
    }
}

/// Says what is wrong in a table. Its own readers say what a value must be, the others what they expected.
pub(super) fn said(table: &str, item: &Item, at: Option<&Range<usize>>, message: &str) -> String {
    if let Some(rest) = message.strip_prefix("unknown field `") {
        // Between the names stand the words of the sentence.
        let mut names = rest.split('`').step_by(2);
        let name = names.next().unwrap_or_default();
        let known: Vec<&str> = names.collect();
        return unknown("field", &format!("{table}.{name}"), &known);
    }
    let fields = item
        .as_table_like()
        .into_iter()
        .flat_map(|table| table.iter());
    let mut fields = fields.filter(|(_, value)| {
        let span = value.span();
        span.zip(at)
            .is_some_and(|(span, at)| span.contains(&at.start))
    });
    let name = fields
        .next()
        .map_or_else(|| table.to_owned(), |(name, _)| format!("{table}.{name}"));
    match message.split_once(", expected ") {
        Some((_, wanted)) => format!(
            "`{name}` must be {}",
            wanted.replace("a sequence", "a list")
        ),
        None => format!("`{name}` {message}"),
    }
}

/// Says that a name is unknown, and which may have been meant.
pub(super) fn unknown(kind: &str, name: &str, known: &[&str]) -> String {
    let own = name.rsplit('.').next().unwrap_or(name);
    let help = match nearest(own, known.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("known are `{}`", known.join("`, `")),
    };
    format!("unknown {kind} `{name}`: {help}")
}
