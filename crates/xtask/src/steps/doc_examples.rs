//! Every public item of the library crates is used in an example, on the page where a reader looks it up.
//!
//! The page of a type or trait is its own documentation with that of its members in the same module; other items stand on
//! the page of their module. An example counts for an item if it stands on the item's page or on that of its module, names the item
//! in the code that a reader sees, is compiled, and asserts something (or says `no_run`, where running it would touch the
//! world). A member is named by `.member`, `Type::member`, or, of a trait, by the `fn member` of an implementation.
//!
//! What the words cannot tell: whether the example shows the item well. That is for whoever reviews it. What a macro
//! writes is not seen either, and a row of a table (`ROWS`) is no page.

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
        book.read(workspace, Path::new(root), Path::new(root))?;
        let missing = book.missing();
        say::line(format!(
            "{root}: {} of {} public items are used in an example on their page",
            book.items.len() - missing.len(),
            book.items.len()
        ));
        findings.extend(book.idle);
        findings.extend(missing);
    }
    Failure::unless_empty(findings)
}

/// The public items of one crate, and the examples of each page.
#[derive(Debug, Default)]
struct Book {
    items: Vec<Entry>,
    /// One line for each example that proves nothing.
    idle: Vec<String>,
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
    fn read(&mut self, workspace: &Workspace, file: &Path, module: &Path) -> Result<(), Failure> {
        let text = workspace.read(file)?;
        for (name, is_public) in self.add(file, module, &text) {
            let folder = match file.file_stem() {
                Some(stem) if stem == "lib" => file.with_file_name(""),
                _ => file.with_extension(""),
            };
            let below = folder.join(name).with_extension("rs");
            let is_row = ROWS.iter().any(|folder| below.starts_with(folder));
            // A file under another name, by `#[path]`, is one platform's form of something and lists nothing.
            let is_elsewhere = !is_public && !workspace.root.join(&below).is_file();
            if is_row || is_elsewhere {
                continue;
            }
            let page = if is_public { &below } else { module };
            self.read(workspace, &below, page)?;
        }
        Ok(())
    }

    /// Adds the items and examples of one file, and returns its modules: name, and whether it is public.
    fn add(&mut self, file: &Path, module: &Path, text: &str) -> Vec<(String, bool)> {
        if file == module {
            let docs = text
                .lines()
                .filter_map(|line| line.trim_start().strip_prefix("//!"));
            let all = examples(docs);
            self.judge(file, 1, &all);
            let page = module.to_path_buf();
            self.modules.entry(page).or_default().extend(all);
        }
        let mut modules = Vec::new();
        for item in public_items(text) {
            let all = examples(item.docs.lines());
            self.judge(file, item.line, &all);
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
            own.extend(all);
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

    fn judge(&mut self, file: &Path, line: usize, examples: &[Example]) {
        let idle = examples.iter().filter(|example| !example.proves);
        let file = file.display();
        let said = idle.map(|_| format!("{file}:{line}: an example asserts nothing"));
        self.idle.extend(said);
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

/// An example that is compiled.
#[derive(Debug)]
struct Example {
    /// The words that a reader sees.
    words: Vec<Token>,
    /// Whether it asserts something, or says that it cannot.
    proves: bool,
}

impl Example {
    fn names(&self, item: &Item) -> bool {
        let word = |at: usize| self.words.get(at).map_or("", |token| token.text.as_str());
        (0..self.words.len()).any(|at| {
            if !self.proves || word(at) != item.name {
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

/// The examples among the lines of a documentation that are compiled.
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
    if !marks().all(|mark| matches!(mark, "" | "rust" | "no_run" | "should_panic")) {
        return None;
    }
    let is_hidden = |line: &&str| *line == "#" || line.starts_with("# ");
    let seen: Vec<&str> = code.lines().filter(|line| !is_hidden(line)).collect();
    let words = tokens(&seen.join("\n"));
    let mut calls = words.iter().map(|token| token.text.as_str());
    let proves =
        calls.any(|word| word.starts_with("assert")) || marks().any(|mark| mark == "no_run");
    Some(Example { words, proves })
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "crates/a/src/lib.rs";

    fn missing(text: &str) -> Vec<String> {
        let mut book = Book::default();
        book.add(Path::new(FILE), Path::new(FILE), text);
        book.missing()
    }

    fn idle(text: &str) -> Vec<String> {
        let mut book = Book::default();
        book.add(Path::new(FILE), Path::new(FILE), text);
        book.idle
    }

    #[test]
    fn an_item_that_no_example_uses_is_found_with_its_place() {
        let text =
            "/// A noun.\npub struct A;\nimpl A {\n    /// A verb.\n    pub fn go(&self) {}\n}\n";
        assert_eq!(
            missing(text),
            [
                "crates/a/src/lib.rs:2: no example uses `A`",
                "crates/a/src/lib.rs:5: no example uses `A::go`",
            ]
        );
    }

    #[test]
    fn an_example_counts_for_all_that_it_uses_on_its_page() {
        let text = "/// ```\n/// assert!(A.go() && A::stop(&A));\n/// ```\npub struct A;\n\
            impl A {\n pub fn go(&self) {}\n pub fn stop(&self) {}\n pub fn wait(&self) {}\n}\npub struct B;\n";
        assert_eq!(
            missing(text),
            [
                "crates/a/src/lib.rs:8: no example uses `A::wait`",
                "crates/a/src/lib.rs:10: no example uses `B`",
            ]
        );
    }

    #[test]
    fn an_example_of_the_module_counts_for_what_the_module_lists() {
        let text = "//! ```\n//! assert_eq!(A::new().go(), f(MOST));\n//! ```\npub struct A;\n\
            impl A { pub fn new() {}\n pub fn go() {} }\npub const MOST: u8 = 1;\npub fn f() {}\npub fn g() {}\n";
        assert_eq!(
            missing(text),
            ["crates/a/src/lib.rs:9: no example uses `g`"]
        );
        let elsewhere = Path::new("crates/a/src/other.rs");
        let mut book = Book::default();
        book.add(Path::new(FILE), Path::new(FILE), text);
        book.add(elsewhere, elsewhere, "pub struct A;");
        assert_eq!(
            book.missing().len(),
            2,
            "an `A` of another module is another one"
        );
    }

    #[test]
    fn the_documentation_of_an_impl_stands_on_the_page_of_its_type() {
        let text = "pub struct A;\n/// ```\n/// assert!(A.go());\n/// ```\nimpl A { pub fn go(&self) {} }\n";
        assert_eq!(missing(text), Vec::<String>::new());
    }

    #[test]
    fn a_word_in_a_string_a_comment_or_a_hidden_line_is_no_use() {
        for line in ["// A", "\"A\";", "# use a::A;"] {
            let text = format!("/// ```\n/// {line}\n/// assert!(true);\n/// ```\npub struct A;\n");
            assert_eq!(missing(&text).len(), 1, "{line}");
        }
    }

    #[test]
    fn a_member_is_used_by_a_dot_its_type_or_an_implementation() {
        let used = |code: &str| {
            let text = format!(
                "/// ```\n/// assert!({code});\n/// ```\npub trait A {{ fn go(&self); }}\n"
            );
            missing(&text).is_empty()
        };
        assert!(used("A && a.go()"));
        assert!(used("A::go(&a)"));
        assert!(used("impl A for B { fn go(&self) {} }"));
        assert!(!used("A && go()"));
        assert!(!used("A && C::go()"));
    }

    #[test]
    fn what_is_not_compiled_is_no_example_and_what_asserts_nothing_is_found() {
        let text = |info: &str| format!("/// ```{info}\n/// A.go()\n/// ```\npub struct A;\n");
        let finding = ["crates/a/src/lib.rs:4: an example asserts nothing"];
        assert_eq!(idle(&text("")), finding);
        assert_eq!(idle(&text("rust")), finding);
        for info in ["text", "toml", "ignore"] {
            assert_eq!(idle(&text(info)), Vec::<String>::new());
            assert_eq!(missing(&text(info)).len(), 1, "{info}");
        }
        assert_eq!(idle(&text("no_run")), Vec::<String>::new());
        assert_eq!(missing(&text("no_run")), Vec::<String>::new());
    }
}
