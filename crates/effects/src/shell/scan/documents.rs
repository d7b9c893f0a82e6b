//! Here-documents: their delimiters, and where their bodies end.

use super::{Commands, Found, Scan, Unreadable};

/// A here-document whose body is still to come.
#[derive(Debug)]
pub(super) struct Pending {
    pub(super) delimiter: String,
    pub(super) strip: bool,
}

impl Scan<'_> {
    /// Reads the delimiter of a here-document, without its quotes.
    pub(super) fn delimiter(&self, mut at: usize) -> Found<(usize, String)> {
        while matches!(self.byte(at), Some(b' ' | b'\t')) {
            at += 1;
        }
        let mut delimiter = String::new();
        let mut quote = None;
        let rest = self.text.get(at..).ok_or(Unreadable)?;
        let mut letters = rest.char_indices().peekable();
        while let Some((place, letter)) = letters.next() {
            match (quote, letter) {
                (None | Some('"'), '$' | '`' | '\\') => {
                    // `\EOF` is usual; anything else that would be filled in is not.
                    match (quote, letter, letters.peek()) {
                        (None, '\\', Some((_, next))) if next.is_ascii_alphanumeric() => {}
                        _ => return Err(Unreadable),
                    }
                }
                (None, '\'' | '"') => quote = Some(letter),
                (Some(open), _) if letter == open => quote = None,
                (None, ' ' | '\t' | '\n' | ';' | '&' | '|' | '<' | '>' | '(' | ')') => {
                    return named(at + place, delimiter);
                }
                (_, '\n') => return Err(Unreadable),
                _ => delimiter.push(letter),
            }
        }
        if quote.is_some() {
            return Err(Unreadable);
        }
        named(self.text.len(), delimiter)
    }

    /// Goes over the bodies of here-documents behind a newline.
    pub(super) fn bodies(&self, mut at: usize, here: &mut Commands) -> Found {
        for pending in here.pending.drain(..) {
            loop {
                let end = self.end_of_line(at);
                let line = self.text.get(at..end).ok_or(Unreadable)?;
                if end >= self.text.len() && line != pending.delimiter && line.is_empty() {
                    return Ok(end);
                }
                at = (end + 1).min(self.text.len());
                let line = if pending.strip {
                    line.trim_start_matches('\t')
                } else {
                    line
                };
                if line == pending.delimiter || at >= self.text.len() {
                    break;
                }
            }
        }
        Ok(at)
    }
}

/// A delimiter of a here-document has a name.
fn named(end: usize, delimiter: String) -> Found<(usize, String)> {
    if delimiter.is_empty() {
        return Err(Unreadable);
    }
    Ok((end, delimiter))
}
