//! Takes the text of a table apart.

/// One section: its name, and its lines.
pub(super) struct TableSection {
    pub(super) name: String,
    pub(super) lines: Vec<TableLine>,
}

/// A field, and its items.
pub(super) type TableLine = (String, Vec<Item>);

/// What stands in a line.
#[derive(Debug, Clone)]
pub(super) enum Item {
    Word(TableWord),
    Pair(TableWord, TableWord),
    Field(String, Vec<Item>),
}

/// A word, or a text in quotes.
#[derive(Debug, Clone)]
pub(super) struct TableWord {
    /// Without the quotes; with the escapes of Rust, if it had any.
    pub(super) text: String,
    pub(super) is_quoted: bool,
}

impl TableWord {
    pub(super) fn plain(text: &str) -> Self {
        Self {
            text: text.to_owned(),
            is_quoted: false,
        }
    }

    /// Tells whether it is a constant of Rust: in capitals, or with a path.
    pub(super) fn is_constant(&self) -> bool {
        let is_letter = |letter: char| letter.is_ascii_uppercase() || letter == '_';
        let mut letters = self.text.chars();
        let is_named = letters.all(|letter| is_letter(letter) || letter.is_ascii_digit());
        let is_name = is_named && self.text.contains(is_letter);
        let is_path = self.text.contains("::") || ["true", "false"].contains(&&*self.text);
        !self.is_quoted && (is_name || is_path)
    }

    /// Writes it as a text of Rust.
    pub(super) fn literal(&self) -> String {
        if self.is_quoted {
            format!("\"{}\"", self.text)
        } else {
            format!("{:?}", self.text)
        }
    }

    pub(super) fn is_number(&self) -> bool {
        !self.is_quoted && self.text.bytes().all(|byte| byte.is_ascii_digit())
    }
}

/// Reads the sections of a text. The first one has no name.
pub(super) fn sections(text: &str) -> Result<Vec<TableSection>, String> {
    let mut whole: Vec<(usize, String)> = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let words = line.trim_end();
        if words.is_empty() || words.starts_with('#') {
            continue;
        }
        match whole.last_mut() {
            Some((_, before)) if words.starts_with(' ') => {
                before.push(' ');
                before.push_str(words.trim_start());
            }
            _ => whole.push((number, words.to_owned())),
        }
    }
    let mut sections = vec![TableSection {
        name: String::new(),
        lines: Vec::new(),
    }];
    for (number, line) in whole {
        let name = line
            .strip_prefix('[')
            .and_then(|name| name.strip_suffix(']'));
        if let Some(name) = name {
            sections.push(TableSection {
                name: name.to_owned(),
                lines: Vec::new(),
            });
            continue;
        }
        let (name, rest) = line.split_once(' ').unwrap_or((&line, ""));
        let mut reading = ItemParser { rest };
        let items = reading
            .items(None)
            .map_err(|wrong| format!("line {number}: {wrong}"))?;
        if let Some(section) = sections.last_mut() {
            section.lines.push((name.to_owned(), items));
        }
    }
    Ok(sections)
}

struct ItemParser<'t> {
    rest: &'t str,
}

impl ItemParser<'_> {
    fn items(&mut self, end: Option<char>) -> Result<Vec<Item>, String> {
        let mut items = Vec::new();
        loop {
            self.rest = self.rest.trim_start();
            if self.rest.is_empty() {
                return end.map_or(Ok(items), |_| Err("a `(` without its `)`".to_owned()));
            }
            if let Some(rest) = end.and_then(|end| self.rest.strip_prefix(end)) {
                self.rest = rest;
                return Ok(items);
            }
            let word = self.word()?;
            items.push(if let Some(rest) = self.rest.strip_prefix('=') {
                self.rest = rest;
                Item::Pair(word, self.word()?)
            } else if let Some(rest) = self.rest.strip_prefix('(') {
                self.rest = rest;
                Item::Field(word.text, self.items(Some(')'))?)
            } else {
                Item::Word(word)
            });
        }
    }

    fn word(&mut self) -> Result<TableWord, String> {
        if let Some(rest) = self.rest.strip_prefix('"') {
            let mut is_escaped = false;
            let end = rest.find(|letter| {
                let ends = letter == '"' && !is_escaped;
                is_escaped = letter == '\\' && !is_escaped;
                ends
            });
            let end = end.ok_or("a text without its second quote")?;
            let (text, rest) = rest.split_at(end);
            self.rest = rest.strip_prefix('"').unwrap_or(rest);
            return Ok(TableWord {
                text: text.to_owned(),
                is_quoted: true,
            });
        }
        let ends = |letter: char| letter.is_whitespace() || "=()".contains(letter);
        let (text, rest) = self
            .rest
            .split_at(self.rest.find(ends).unwrap_or(self.rest.len()));
        self.rest = rest;
        Ok(TableWord::plain(text))
    }
}
