//! Every public item of the library crates is used in an example, on the page where a reader looks it up.
//!
//! The page of a type or trait is its own documentation with that of its members in the same module; other items stand on
//! the page of their module. An example counts for an item if it stands on the item's page or on that of its module, names the item
//! in the code that a reader sees, is compiled, and asserts something (or says `no_run`, where running it would touch the
//! world). A member is named by `.member`, `Type::member`, or, of a trait, by the `fn member` of an implementation.
//!
//! What the words cannot tell: whether the example shows the item well. That is for whoever reviews it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::{Done, Failure};
use crate::say;
use crate::source::{Item, Sort, Token, public_items, tokens};
use crate::workspace::Workspace;

/// Rows of a table are looked up in the table, by their id: their pages are no chapters.
const ROWS: &[&str] = &["crates/wires/src/hosts"];

/// The roots of the crates whose pages are read as a book.
const ROOTS: &[&str] = &[
    "crates/core/src/lib.rs",
    "crates/engine/src/lib.rs",
    "crates/wires/src/lib.rs",
    "crates/readers/src/lib.rs",
];

pub(crate) fn run(workspace: &Workspace) -> Done {
    let mut findings = Vec::new();
    for root in ROOTS {
        let mut book = Book::default();
        book.read(workspace, PathBuf::from(root), root)?;
        let missing = book.missing();
        say::line(format!(
            "{root}: {} of {} public items are used in an example on their page",
            book.items.len() - missing.len(),
            book.items.len()
        ));
        findings.extend(missing);
    }
    Failure::unless_empty(findings)
}

/// The public items of one crate, and the examples of each page.
#[derive(Debug, Default)]
struct Book {
    items: Vec<Entry>,
    /// The examples of each type's and trait's own page, by its module and its name.
    nouns: BTreeMap<(PathBuf, String), Vec<Example>>,
    /// The examples of each public module, by the file that it begins in.
    modules: BTreeMap<PathBuf, Vec<Example>>,
}

/// An item and where it stands.
#[derive(Debug)]
struct Entry {
    item: Item,
    file: PathBuf,
    /// The public module on whose page it is listed.
    module: PathBuf,
}

impl Book {
    /// Reads a module's file and all modules below it; `module` is the page that lists its items.
    fn read(
        &mut self,
        workspace: &Workspace,
        file: PathBuf,
        module: impl AsRef<Path>,
    ) -> Result<(), Failure> {
        let text = workspace.read(&file)?;
        let module = module.as_ref();
        for (name, is_public) in self.add(&file, module, &text) {
            let folder = match file.file_stem() {
                Some(stem) if stem == "lib" => file.with_file_name(""),
                _ => file.with_extension(""),
            };
            let below = folder.join(name).with_extension("rs");
            // A file under another name, by `#[path]`, is one platform's form of something and lists nothing.
            if ROWS.iter().any(|folder| below.starts_with(folder)) {
                continue;
            }
            if !is_public && !workspace.root.join(&below).is_file() {
                continue;
            }
            let page = if is_public {
                below.clone()
            } else {
                module.to_path_buf()
            };
            self.read(workspace, below, page)?;
        }
        Ok(())
    }

    /// Adds the items and examples of one file, and returns its modules: name, and whether it is public.
    fn add(&mut self, file: &Path, module: &Path, text: &str) -> Vec<(String, bool)> {
        if file == module {
            let own = self.modules.entry(module.to_path_buf()).or_default();
            let docs = text
                .lines()
                .filter_map(|line| line.trim_start().strip_prefix("//!"));
            own.extend(examples(docs));
        }
        let mut modules = Vec::new();
        for item in public_items(text) {
            let own = match &item.sort {
                Sort::Noun | Sort::Block => self.noun(module, &item.name),
                Sort::Member(of) => self.noun(module, of),
                // What has no page of its own is not seen with others.
                Sort::Free => &mut Vec::new(),
                Sort::Module(is_public) => {
                    modules.push((item.name.clone(), *is_public));
                    continue;
                }
            };
            own.extend(examples(item.docs.lines()));
            if item.sort != Sort::Block {
                self.items.push(Entry {
                    item,
                    file: file.to_path_buf(),
                    module: module.to_path_buf(),
                });
            }
        }
        modules
    }

    fn noun(&mut self, module: &Path, name: &str) -> &mut Vec<Example> {
        let page = (module.to_path_buf(), name.to_owned());
        self.nouns.entry(page).or_default()
    }

    /// One line for each item that no example uses.
    fn missing(&self) -> Vec<String> {
        let missing = self.items.iter().filter(|entry| !self.shows(entry));
        missing.map(Entry::finding).collect()
    }

    fn shows(&self, entry: &Entry) -> bool {
        let item = &entry.item;
        let noun = match &item.sort {
            Sort::Noun => Some(&item.name),
            Sort::Member(of) => Some(of),
            Sort::Free | Sort::Block | Sort::Module(_) => None,
        };
        let of_noun = noun.and_then(|name| self.nouns.get(&(entry.module.clone(), name.clone())));
        let of_module = self.modules.get(&entry.module);
        let own = examples(item.docs.lines());
        let seen = own
            .iter()
            .chain(of_noun.into_iter().flatten())
            .chain(of_module.into_iter().flatten());
        seen.into_iter().any(|example| example.names(item))
    }
}

impl Entry {
    fn finding(&self) -> String {
        let owner = match &self.item.sort {
            Sort::Member(of) => format!("{of}::"),
            Sort::Noun | Sort::Free | Sort::Block | Sort::Module(_) => String::new(),
        };
        let (file, line, name) = (self.file.display(), self.item.line, &self.item.name);
        format!("{file}:{line}: no example uses `{owner}{name}`")
    }
}

/// The words of an example that a reader sees.
#[derive(Debug)]
struct Example(Vec<Token>);

impl Example {
    fn names(&self, item: &Item) -> bool {
        let word = |at: usize| self.0.get(at).map_or("", |token| token.text.as_str());
        (0..self.0.len()).any(|at| {
            if word(at) != item.name {
                return false;
            }
            let Sort::Member(of) = &item.sort else {
                return true;
            };
            // The index of the word before, far away where there is none.
            let before = |count: usize| word(at.wrapping_sub(count));
            let of_type = before(1) == ":" && before(2) == ":" && before(3) == of;
            before(1) == "." || before(1) == "fn" || of_type
        })
    }
}

/// The examples among the lines of a documentation that are compiled and prove something.
fn examples<'a>(docs: impl Iterator<Item = &'a str>) -> Vec<Example> {
    let mut found = Vec::new();
    let mut open: Option<(&str, String)> = None;
    for line in docs.map(|line| line.strip_prefix(' ').unwrap_or(line)) {
        match (line.strip_prefix("```"), &mut open) {
            (Some(info), None) => open = Some((info.trim(), String::new())),
            (Some(_), Some((info, code))) => {
                found.extend(example(info, code));
                open = None;
            }
            (None, Some((_, code))) => {
                code.push_str(line);
                code.push('\n');
            }
            (None, None) => {}
        }
    }
    found
}

fn example(info: &str, code: &str) -> Option<Example> {
    let marks = || info.split(',').map(str::trim);
    let is_rust = marks().all(|mark| matches!(mark, "" | "rust" | "no_run" | "should_panic"));
    let proves = |words: &[Token]| {
        let mut calls = words.iter().map(|token| token.text.as_str());
        calls.any(|word| word.starts_with("assert"))
    };
    let all = tokens(code);
    let counts = is_rust && (proves(&all) || marks().any(|mark| mark == "no_run"));
    let is_hidden = |line: &&str| *line == "#" || line.starts_with("# ");
    let seen: Vec<&str> = code.lines().filter(|line| !is_hidden(line)).collect();
    counts.then(|| Example(tokens(&seen.join("\n"))))
}
