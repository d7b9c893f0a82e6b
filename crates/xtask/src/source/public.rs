//! Public items and their documentation, as a reader of the crate's pages meets them.
//!
//! Whatever is `pub` counts as public: the lint `unreachable_pub` keeps that true. Fields and variants are part of the
//! declaration that their type's page shows, so they are no items of their own.

use super::items::{Attribute, close, is_name, item_end};
use super::{Token, tokens};

/// One public item, or a module of any visibility.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Item {
    /// What it is.
    pub(crate) sort: Sort,
    /// Its name.
    pub(crate) name: String,
    /// The line of its keyword.
    pub(crate) line: usize,
    /// The text of its `///` lines.
    pub(crate) docs: String,
}

/// What an item is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Sort {
    /// A structure, an enumeration, a union or a trait: what has a page and members.
    Noun,
    /// A function, a constant or a type of this structure, enumeration or trait.
    Member(String),
    /// Anything else: a free function, a constant, a static, another name for a type.
    Free,
    /// The documentation of an `impl`, which stands on the page of this type and is no item of its own.
    Block,
    /// A module with a file of its own, and whether it is public.
    Module(bool),
}

/// The public items of one file, without those that exist only for tests.
pub(crate) fn public_items(text: &str) -> Vec<Item> {
    let tokens = tokens(text);
    let mut reader = Reader {
        tokens: &tokens,
        lines: text.lines().collect(),
        found: Vec::new(),
    };
    reader.items(0, tokens.len(), &Place::Module);
    reader.found
}

/// Where an item stands.
enum Place {
    Module,
    /// In an `impl` of this type that belongs to no trait.
    Type(String),
    /// In this public trait, whose items are as public as itself.
    Trait(String),
}

struct Reader<'a> {
    tokens: &'a [Token],
    lines: Vec<&'a str>,
    found: Vec<Item>,
}

impl Reader<'_> {
    fn items(&mut self, from: usize, to: usize, place: &Place) {
        let mut at = from;
        while at < to {
            at = self.item(at, place).max(at + 1);
        }
    }

    /// Reads the item at `start`, and returns the index behind it.
    fn item(&mut self, start: usize, place: &Place) -> usize {
        let (mut at, mut is_test) = (start, false);
        while let Some(attribute) = Attribute::at(self.tokens, at) {
            is_test |= attribute.is_cfg_test();
            at = attribute.end;
        }
        let (is_public, at) = self.visibility(at);
        let at = self.modifiers(at);
        let (keyword, name) = (self.word(at), self.word(at + 1));
        let behind = item_end(self.tokens, at).map_or(usize::MAX, |end| end + 1);
        if is_test {
            return behind;
        }
        let is_public = is_public || matches!(place, Place::Trait(_));
        match keyword {
            "mod" if self.word(at + 2) == ";" => self.add(start, at, Sort::Module(is_public)),
            "impl" => {
                if let Some(of) = self.implemented(at) {
                    self.add_named(&of, start, at, Sort::Block);
                    self.body(at, behind, &Place::Type(of));
                }
            }
            "struct" | "enum" | "union" if is_public => self.add(start, at, Sort::Noun),
            "trait" if is_public => {
                let place = Place::Trait(name.to_owned());
                self.add(start, at, Sort::Noun);
                self.body(at, behind, &place);
            }
            "fn" | "const" | "static" | "type" if is_public => {
                let sort = match place {
                    Place::Module => Sort::Free,
                    Place::Type(of) | Place::Trait(of) => Sort::Member(of.clone()),
                };
                self.add(start, at, sort);
            }
            _ if self.tokens.get(at).is_some_and(is_name) => {}
            _ => return at + 1,
        }
        behind
    }

    /// Reads the items between the braces of what begins at `at` and ends before `behind`.
    fn body(&mut self, at: usize, behind: usize, place: &Place) {
        if let Some(open) = self.open(at) {
            self.items(open + 1, behind - 1, place);
        }
    }

    fn add(&mut self, start: usize, keyword: usize, sort: Sort) {
        if let Some(name) = self.tokens.get(keyword + 1).filter(|name| is_name(name)) {
            self.add_named(&name.text, start, keyword, sort);
        }
    }

    fn add_named(&mut self, name: &str, start: usize, keyword: usize, sort: Sort) {
        let line = self.tokens.get(keyword).map_or(0, |token| token.line);
        // Comments are no words, so the documentation begins behind the last word before the item.
        let last = start.checked_sub(1).and_then(|at| self.tokens.get(at));
        let first = last.map_or(0, |token| token.line);
        let lines = self.lines.iter().take(line).skip(first);
        let docs: Vec<&str> = lines
            .filter_map(|line| line.trim_start().strip_prefix("///"))
            .collect();
        self.found.push(Item {
            sort,
            name: name.to_owned(),
            line,
            docs: docs.join("\n"),
        });
    }

    fn word(&self, at: usize) -> &str {
        self.tokens.get(at).map_or("", |token| &token.text)
    }

    /// Whether everybody sees what begins at `at`, and the index behind the words that say so.
    fn visibility(&self, at: usize) -> (bool, usize) {
        match (self.word(at), self.word(at + 1)) {
            ("pub", "(") => (
                false,
                close(self.tokens, at + 1).map_or(at + 1, |end| end + 1),
            ),
            ("pub", _) => (true, at + 1),
            _ => (false, at),
        }
    }

    /// The index behind `const`, `async` and their like before a `fn`, `impl` or `trait`.
    fn modifiers(&self, mut at: usize) -> usize {
        while matches!(
            self.word(at),
            "const" | "async" | "unsafe" | "extern" | "default"
        ) && matches!(
            self.word(at + 1),
            "fn" | "async" | "unsafe" | "extern" | "impl" | "trait"
        ) {
            at += 1;
        }
        at
    }

    /// The brace that opens the body of the `impl` or `trait` at `at`.
    fn open(&self, at: usize) -> Option<usize> {
        (at..self.tokens.len()).find(|index| self.word(*index) == "{")
    }

    /// The type of the `impl` at `at`, if it is no implementation of a trait.
    fn implemented(&self, at: usize) -> Option<String> {
        let (mut depth, mut name) = (0_usize, None);
        for index in at + 1..self.open(at)? {
            match self.word(index) {
                "<" => depth += 1,
                ">" if self.word(index - 1) != "-" => depth = depth.saturating_sub(1),
                "for" if depth == 0 => return None,
                "where" if depth == 0 => break,
                word if depth == 0 && self.tokens.get(index).is_some_and(is_name) => {
                    name = Some(word.to_owned());
                }
                _ => {}
            }
        }
        name
    }
}
