//! Redirections and here-documents.

use std::cell::OnceCell;
use std::rc::Rc;

use super::super::tree::{RawWord, Redirect, RedirectKind, WordPiece};
use super::pieces::LexMode;
use super::{Parse, ParseFailure, Parser, name_length};
use crate::programs::words;

/// Redirections; a longer one stands before what it begins with.
const REDIRECTIONS: &[(&str, RedirectKind)] = &[
    ("&>>", RedirectKind::Both),
    ("&>", RedirectKind::Both),
    ("<<<", RedirectKind::Text),
    ("<<-", RedirectKind::Document),
    ("<<", RedirectKind::Document),
    (">>", RedirectKind::Append),
    (">|", RedirectKind::Write),
    (">&", RedirectKind::CopyOut),
    ("<&", RedirectKind::CopyIn),
    ("<>", RedirectKind::ReadWrite),
    (">", RedirectKind::Write),
    ("<", RedirectKind::Read),
];

/// A here-document whose body is still to come.
pub(super) struct PendingHeredoc {
    end: String,
    is_quoted: bool,
    strips_tabs: bool,
    body: Rc<OnceCell<RawWord>>,
}

impl Parser<'_> {
    /// Reads the bodies of the here-documents of the line before.
    pub(super) fn documents(&mut self) -> Parse<()> {
        for pending in std::mem::take(&mut self.pending) {
            let mut body = String::new();
            while let Some(line) = self.rest().split_inclusive('\n').next() {
                self.at += line.len();
                let line = if pending.strips_tabs {
                    line.trim_start_matches('\t')
                } else {
                    line
                };
                if line.trim_end_matches('\n') == pending.end {
                    break;
                }
                body.push_str(line);
            }
            let raw = if pending.is_quoted {
                vec![WordPiece::Quoted(body)]
            } else {
                let mut inner = self.inner(&body);
                let raw = inner.up_to_end(LexMode::Document)?;
                self.resume(&inner);
                raw
            };
            pending.body.set(raw).map_err(|_| ParseFailure)?;
        }
        Ok(())
    }

    /// Reads a redirection, if one stands here.
    pub(super) fn redirect(&mut self) -> Parse<Option<Redirect>> {
        let rest = self.rest();
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let mut front = rest.get(..digits).unwrap_or_default();
        // `{v}>x` opens a descriptor of its own.
        let length = rest.strip_prefix('{').map_or(0, name_length);
        if length > 0 && rest.as_bytes().get(length + 1) == Some(&b'}') {
            front = rest.get(..length + 2).unwrap_or_default();
        }
        let behind = rest.get(front.len()..).unwrap_or_default();
        let Some((operator, kind)) = REDIRECTIONS.iter().find(|row| behind.starts_with(row.0))
        else {
            return Ok(None);
        };
        // A variable gets a number, which must not decide what words mean.
        let name = front.trim_start_matches('{').trim_end_matches('}');
        if words::HAZARDS.contains(&name) || matches!(name, "IFS" | "PATH" | "HOME" | "PWD") {
            return Err(ParseFailure);
        }
        let is_process = behind.starts_with("<(") || behind.starts_with(">(");
        if is_process || (!front.is_empty() && operator.starts_with('&')) {
            return Ok(None);
        }
        self.at += front.len() + operator.len();
        self.blanks();
        let target = self.word()?.ok_or(ParseFailure)?;
        let descriptor = match front {
            "" => None,
            _ if front.starts_with('{') => Some(10),
            digits => Some(digits.parse().map_err(|_| ParseFailure)?),
        };
        let target = match kind {
            RedirectKind::Document => self.delimiter(&target, *operator == "<<-")?,
            _ => Rc::new(OnceCell::from(target)),
        };
        Ok(Some(Redirect {
            descriptor,
            kind: *kind,
            target,
        }))
    }

    /// Notes that a here-document begins behind this line.
    fn delimiter(&mut self, word: &[WordPiece], strips_tabs: bool) -> Parse<Rc<OnceCell<RawWord>>> {
        let mut end = String::new();
        let mut is_quoted = false;
        for piece in word {
            let (WordPiece::Bare(text) | WordPiece::Quoted(text)) = piece else {
                return Err(ParseFailure);
            };
            is_quoted |= matches!(piece, WordPiece::Quoted(_));
            end.push_str(text);
        }
        if end.is_empty() || end.contains('\n') {
            return Err(ParseFailure);
        }
        let body = Rc::new(OnceCell::new());
        self.pending.push(PendingHeredoc {
            end,
            is_quoted,
            strips_tabs,
            body: Rc::clone(&body),
        });
        Ok(body)
    }
}
