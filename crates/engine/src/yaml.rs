//! Reading YAML: one document, strict booleans, a budget, and a place for everything.
//!
//! ```
//! use anyhook::yaml::{self, Spanned};
//!
//! #[derive(serde::Deserialize)]
//! struct Page {
//!     title: Spanned<String>,
//! }
//!
//! let page: Page = yaml::read("title: hooks\n")?;
//! assert_eq!((&*page.title.value, yaml::of(&page.title).column), ("hooks", 8));
//!
//! // An alias bomb is refused, and what is wrong has a place.
//! let wrong = yaml::read::<Page>("title: [a\n").err().unwrap();
//! assert_eq!(wrong.at.line, 1);
//! assert!(yaml::LONGEST < 1024 * 1024);
//! # Ok::<(), anyhook::core::manifest::Finding>(())
//! ```

use anyhook_core::manifest::{Finding, Lines, Place, Severity};
use serde::de::DeserializeOwned;
use serde_saphyr::Location;
pub use serde_saphyr::Spanned;

/// A file that a person writes is a page: one of more than this is none, and an alias bomb needs no more to be one.
pub const LONGEST: u64 = 256 * 1024;

/// Reads a text, or tells what is wrong with it and where.
pub fn read<T: DeserializeOwned>(text: &str) -> Result<T, Finding> {
    let mut options = serde_saphyr::options! {
        strict_booleans: true,
        with_snippet: false,
        budget: serde_saphyr::budget! {
            max_events: 100_000,
            max_nodes: 20_000,
            max_aliases: 500,
            max_anchors: 100,
            max_depth: 48,
            max_documents: 1,
            max_merge_keys: 0,
        },
    };
    options.alias_limits.max_total_replayed_events = 20_000;
    serde_saphyr::from_str_with_options(text, options).map_err(|error| {
        let at = error.location().map_or_else(start, |at| found(text, at));
        let message = error.without_snippet().to_string();
        Finding {
            severity: Severity::Error,
            message: without_place(&message),
            help: None,
            at,
        }
    })
}

/// Returns where a value stands.
pub fn of<T>(spanned: &Spanned<T>) -> Place {
    place(spanned.referenced)
}

/// A message on one line, without the places that stand beside it.
fn without_place(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let line = words.join(" ");
    match line.split_once(" at line ") {
        Some((what, _)) => what.to_owned(),
        None => line,
    }
}

/// Where an error is. The parser counts lines and columns, and does not always say which byte that is.
fn found(text: &str, at: Location) -> Place {
    if at.span().byte_offset().is_some() {
        return place(at);
    }
    let (mark, body) = match text.strip_prefix('\u{feff}') {
        Some(body) => ('\u{feff}'.len_utf8(), body),
        None => (0, text),
    };
    let line = usize::try_from(at.line()).unwrap_or(usize::MAX).max(1);
    let column = usize::try_from(at.column()).unwrap_or(usize::MAX).max(1);
    let lines = body.split_inclusive('\n').take(line - 1);
    let start: usize = lines.map(str::len).sum();
    let rest = body.get(start..).unwrap_or_default();
    let chars = rest.chars().take_while(|char| *char != '\n');
    let from = start + chars.take(column - 1).map(char::len_utf8).sum::<usize>();
    let wrong = body.get(from..).and_then(|rest| rest.chars().next());
    let long = wrong.filter(|char| *char != '\n').map_or(0, char::len_utf8);
    Lines::new(mark, body).place(from..from + long)
}

/// The place of a text's first character.
fn start() -> Place {
    Place {
        span: 0..0,
        line: 1,
        column: 1,
    }
}

fn place(at: Location) -> Place {
    let span = at.span();
    let from = span.byte_offset().and_then(|at| usize::try_from(at).ok());
    let long = span.byte_len().and_then(|long| usize::try_from(long).ok());
    let from = from.unwrap_or_default();
    Place {
        span: from..from + long.unwrap_or_default(),
        line: u32::try_from(at.line()).unwrap_or(u32::MAX).max(1),
        column: u32::try_from(at.column()).unwrap_or(u32::MAX).max(1),
    }
}
