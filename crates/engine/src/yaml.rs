//! Reading YAML: one document, strict booleans, a budget, and a place for everything.
//!
//! ```
//! use anyhook_engine::yaml::{self, Spanned};
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
//! # Ok::<(), anyhook_engine::core::manifest::Finding>(())
//! ```

mod words;

use anyhook_core::manifest::{Code, Finding, LineIndex, Place, Severity};
use serde::de::DeserializeOwned;
use serde_saphyr::Location;
pub use serde_saphyr::Spanned;
use words::words;

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
        let (message, help) = words(error.without_snippet());
        Finding {
            code: Code::BadValue,
            severity: Severity::Error,
            message,
            help,
            at,
        }
    })
}

/// Returns where a value stands.
pub fn of<T>(spanned: &Spanned<T>) -> Place {
    place(spanned.referenced)
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
    LineIndex::new(mark, body).place(from..from + long)
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[derive(Debug, serde::Deserialize)]
    #[serde(rename_all = "kebab-case", deny_unknown_fields)]
    #[expect(dead_code, reason = "what is read is of no interest here")]
    struct Page {
        title: String,
        #[serde(default)]
        hook_index: usize,
        #[serde(default)]
        is_open: bool,
        #[serde(default)]
        list: Vec<String>,
        #[serde(default)]
        fields: BTreeMap<String, String>,
    }

    fn told(text: &str) -> String {
        let finding = read::<Page>(text).unwrap_err();
        let help = finding.help.map(|help| format!("; {help}"));
        format!(
            "{}:{}: {}{}",
            finding.at.line,
            finding.at.column,
            finding.message,
            help.unwrap_or_default()
        )
    }

    #[test]
    fn what_is_wrong_is_told_in_words_for_its_author() {
        let wrong = [
            "",
            "- a\n",
            "title: [a]\n",
            "title: a\nlist: b\n",
            "title: a\nfields: [b]\n",
            "title: a\nhook-index: -1\n",
            "title: a\nis-open: yes\n",
            "title: a\ntitle: b\n",
            "title: a\n---\ntitle: b\n",
            "title: a\nhookindex: 1\n",
            "title:\n",
        ];
        let told = wrong.map(told);
        assert_eq!(
            told,
            [
                "1:1: the file ends where more belongs",
                "1:1: fields belong here, each as `name: value`",
                "1:8: one value belongs here, and no list or mapping",
                "2:7: a list belongs here: `[one, two]`, or lines that begin with `-`",
                "2:9: fields belong here, each as `name: value`",
                "2:13: a whole number from 0 up belongs here",
                "2:10: `true` or `false` belongs here",
                "2:1: the field `title` stands here a second time",
                "2:1: a file is one document: a line of `---` begins another",
                "2:1: unknown field `hookindex`, expected one of title, hook-index, is-open, list, \
                 fields; did you mean `hook-index`?",
                "1:6: a text belongs here, and there is none",
            ]
        );
    }
}
