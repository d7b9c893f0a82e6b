//! Objects as scripts write them: the JSON of a shell's argument, of a filter of `jq`, of Python and of JavaScript, whose
//! values may be expressions.

use serde_json::{Map, Value};

use super::composed::{OPEN, is_filled_in, opened};

/// Reads one object with open values, and how long it is.
pub(super) fn read(text: &str) -> Option<(Map<String, Value>, usize)> {
    let mut reader = Reader { text, at: 0 };
    let object = reader.object()?;
    Some((object, reader.at))
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
}

impl Reader<'_> {
    fn peek(&self) -> Option<char> {
        self.text.get(self.at..)?.chars().next()
    }

    fn skip(&mut self, is_it: impl Fn(char) -> bool) -> &str {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let taken = rest.find(|c| !is_it(c)).unwrap_or(rest.len());
        self.at += taken;
        rest.get(..taken).unwrap_or_default()
    }

    fn take(&mut self, wanted: char) -> Option<()> {
        self.skip(char::is_whitespace);
        (self.peek()? == wanted).then(|| self.at += wanted.len_utf8())
    }

    fn object(&mut self) -> Option<Map<String, Value>> {
        let mut object = Map::new();
        self.take('{')?;
        while self.take('}').is_none() {
            let key = self.key()?;
            let value = match self.take(':') {
                Some(()) => self.value()?,
                // The name stands for the value too.
                None if matches!(self.peek()?, ',' | '}') => OPEN.into(),
                None => return None,
            };
            object.insert(key, value);
            if self.take(',').is_none() && self.peek()? != '}' {
                return None;
            }
        }
        Some(object)
    }

    fn key(&mut self) -> Option<String> {
        self.skip(char::is_whitespace);
        let key = match self.peek()? {
            '"' | '\'' => self.string()?,
            _ => self
                .skip(|c| c.is_ascii_alphanumeric() || c == '_')
                .to_owned(),
        };
        (!key.is_empty() && !is_filled_in(&key)).then_some(key)
    }

    /// Reads a text between two marks; one with a backslash is left alone.
    fn string(&mut self) -> Option<String> {
        let mark = self.peek()?;
        self.at += mark.len_utf8();
        let text = self.skip(|c| c != mark && c != '\n').to_owned();
        self.take(mark)?;
        (!text.contains('\\')).then_some(text)
    }

    fn value(&mut self) -> Option<Value> {
        self.skip(char::is_whitespace);
        let start = self.at;
        match self.peek()? {
            '{' => return self.object().map(Value::Object),
            '"' | '\'' => {
                if let Some(text) = self.string()
                    && self.ends()
                {
                    return Some(if is_filled_in(&text) {
                        OPEN.into()
                    } else {
                        text.into()
                    });
                }
                self.at = start;
            }
            _ => {}
        }
        let expression = self.expression()?.trim();
        Some(match expression {
            "" => return None,
            "True" => true.into(),
            "False" => false.into(),
            _ => serde_json::from_str(expression).map_or_else(|_| OPEN.into(), opened),
        })
    }

    fn ends(&mut self) -> bool {
        self.skip(char::is_whitespace);
        matches!(self.peek(), Some(',' | '}'))
    }

    /// Reads up to the end of a value, over what stands in brackets and quotation marks.
    fn expression(&mut self) -> Option<&str> {
        let rest = self.text.get(self.at..)?;
        let mut depth = 0_usize;
        let mut quoted: Option<char> = None;
        let mut is_escaped = false;
        for (at, c) in rest.char_indices() {
            match (quoted, c) {
                _ if is_escaped => is_escaped = false,
                (_, '\\') => is_escaped = true,
                (Some(mark), _) if c == mark => quoted = None,
                (None, '"' | '\'' | '`') => quoted = Some(c),
                (None, ',' | '}') if depth == 0 => {
                    self.at += at;
                    return rest.get(..at);
                }
                (None, '(' | '[' | '{') => depth += 1,
                (None, ')' | ']' | '}') => depth = depth.checked_sub(1)?,
                (Some(_) | None, _) => {}
            }
        }
        None
    }
}
