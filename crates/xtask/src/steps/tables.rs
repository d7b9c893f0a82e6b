//! One file and one row: each file in a table's folder has a row, and each row a file.
//!
//! A file that is no row says so in one of its first ten lines: `// no row: REASON`. A host has more places than its row; the
//! step names each that is missing.

mod hosts;

use std::collections::BTreeSet;
use std::fs;

use super::{Done, Failure};
use crate::say;
use crate::source::{Token, close, tokens};
use crate::workspace::Workspace;

/// A folder whose files are the rows of a table.
struct Table {
    folder: &'static str,
    file: &'static str,
    name: &'static str,
}

#[rustfmt::skip]
static TABLES: &[Table] = &[
    Table { folder: "crates/wires/src/hosts", file: "crates/wires/src/hosts.rs", name: "HOSTS" },
    Table { folder: "crates/wires/src/dialects", file: "crates/wires/src/dialects.rs", name: "DIALECTS" },
    Table { folder: "crates/engine/src/approvers", file: "crates/engine/src/approvers.rs", name: "APPROVERS" },
    Table { folder: "crates/engine/src/runners", file: "crates/engine/src/runners.rs", name: "RUNNERS" },
    Table { folder: "crates/engine/src/models/providers", file: "crates/engine/src/models/providers.rs", name: "PROVIDERS" },
    Table { folder: "crates/care/src/doctor", file: "crates/care/src/doctor.rs", name: "CHECKS" },
    Table { folder: "crates/engine/src/modules", file: "crates/engine/src/modules.rs", name: "MODULES" },
    Table { folder: "crates/anyhook/src/mounts/checks", file: "crates/anyhook/src/mounts/checks.rs", name: "CHECKS" },
    Table { folder: "crates/engine/src/stores", file: "crates/engine/src/stores.rs", name: "STORES" },
    Table { folder: "crates/care/src/lint", file: "crates/care/src/lint.rs", name: "LINTS" },
    Table { folder: "crates/cli/src/commands", file: "crates/cli/src/commands.rs", name: "COMMANDS" },
    Table { folder: "crates/readers/src", file: "crates/readers/src/lib.rs", name: "READERS" },
    Table { folder: "fuzz/src/targets", file: "fuzz/src/targets.rs", name: "TARGETS" },
    Table { folder: "crates/xtask/src/steps", file: "crates/xtask/src/steps.rs", name: "STEPS" },
    Table { folder: "crates/xtask/src/generators", file: "crates/xtask/src/generators.rs", name: "GENERATORS" },
];

/// The page that says where a new file goes.
const PAGE: &str = "CONTRIBUTING.md";

/// Files that are never a row.
const NEVER: &[&str] = &["lib", "main", "mod", "tests"];

/// Path heads that name no file of the folder.
const ELSEWHERE: &[&str] = &["alloc", "core", "crate", "self", "std", "super"];

pub(crate) fn run(workspace: &Workspace) -> Done {
    let mut findings = Vec::new();
    for table in TABLES {
        let Some(files) = files(workspace, table)? else {
            say::line(format!(
                "{}: `{}` has no files yet, skipped",
                table.name, table.folder
            ));
            continue;
        };
        if !workspace.has(table.file) {
            findings.push(format!("{}: `{}` is missing", table.name, table.file));
            continue;
        }
        let text = workspace.read(table.file)?;
        findings.extend(
            check(table.name, &files, &text)
                .into_iter()
                .map(|finding| format!("{}: {finding}", table.file)),
        );
    }
    findings.extend(untold(&workspace.read(PAGE)?));
    findings.extend(hosts::findings(workspace)?);
    Failure::unless_empty(findings)
}

/// The tables of which the page for contributors does not say where a new file goes.
fn untold(page: &str) -> Vec<String> {
    let is_told = |table: &&Table| {
        page.contains(&format!("`{}/<", table.folder))
            && page.contains(&format!("`{}`", table.name))
    };
    let untold = TABLES.iter().filter(|table| !is_told(table));
    let finding = |Table { folder, name, .. }: &Table| {
        format!(
            "{PAGE}: the table of \"Adding one\" has no row with `{folder}/<…>.rs` and `{name}`"
        )
    };
    untold.map(finding).collect()
}

/// The stems of a folder's files that ought to be rows; nothing where there are none.
fn files(workspace: &Workspace, table: &Table) -> Result<Option<BTreeSet<String>>, Failure> {
    let folder = workspace.root.join(table.folder);
    if !folder.is_dir() {
        return Ok(None);
    }
    let failure = |cause| Failure::because(format!("`{}`", table.folder), cause);
    let mut stems = BTreeSet::new();
    for entry in fs::read_dir(folder).map_err(failure)? {
        let name = entry
            .map_err(failure)?
            .file_name()
            .to_string_lossy()
            .into_owned();
        let Some(stem) = name
            .strip_suffix(".rs")
            .filter(|stem| !NEVER.contains(stem))
        else {
            continue;
        };
        let text = workspace.read(format!("{}/{name}", table.folder))?;
        if text
            .lines()
            .take(10)
            .all(|line| !line.trim_start().starts_with("// no row: "))
        {
            stems.insert(stem.to_owned());
        }
    }
    Ok(Some(stems).filter(|stems| !stems.is_empty()))
}

fn check(name: &str, files: &BTreeSet<String>, text: &str) -> Vec<String> {
    let tokens = tokens(text);
    let Some(rows) = heads(&tokens, name) else {
        return vec![format!(
            "there is no `static {name}` with its rows between brackets"
        )];
    };
    let modules = modules(&tokens);
    let mut findings = Vec::new();
    for file in files {
        if !modules.contains(file) {
            findings.push(format!("`{file}.rs` has no `mod {file};`"));
        }
        if !rows.contains(file) {
            findings.push(format!(
                "`{file}.rs` has no row in {name}; if it is no row, say `// no row: REASON` at its top"
            ));
        }
    }
    findings.extend(
        rows.difference(files)
            .map(|row| format!("the row `{row}::` in {name} has no file")),
    );
    findings
}

fn modules(tokens: &[Token]) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for three in tokens.windows(3) {
        if let [module, name, end] = three
            && module.text == "mod"
            && end.text == ";"
        {
            found.insert(name.text.clone());
        }
    }
    found
}

/// The first words of all lower-case paths between the brackets of the table.
fn heads(tokens: &[Token], name: &str) -> Option<BTreeSet<String>> {
    let is = |at: usize, text: &str| tokens.get(at).is_some_and(|token| token.text == text);
    let declared = (1..tokens.len())
        .find(|at| is(*at, name) && (is(at - 1, "static") || is(at - 1, "const")))?;
    let equals = (declared..tokens.len()).find(|at| is(*at, "="))?;
    let open = (equals..tokens.len()).find(|at| is(*at, "["))?;
    let end = close(tokens, open)?;
    let mut found = BTreeSet::new();
    for at in open + 1..end {
        let head = tokens.get(at)?;
        let leads = is(at + 1, ":") && is(at + 2, ":");
        // The word behind `crate::` and its like leads as well; any other word behind `::` is inside a module.
        let follows = is(at - 1, ":")
            && is(at - 2, ":")
            && !ELSEWHERE.iter().any(|elsewhere| is(at - 3, elsewhere));
        let is_lower = head.text.starts_with(|c: char| c.is_ascii_lowercase());
        if leads && !follows && is_lower && !ELSEWHERE.contains(&head.text.as_str()) {
            found.insert(head.text.clone());
        }
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "
        mod claude_code;
        mod universal;
        /// `mod ghost;` in a comment is none.
        pub static HOSTS: &[&dyn Host] = &[
            &claude_code::ClaudeCode, // other::Row
            &self::universal::UNIVERSAL,
            &Level::High,
        ];
        fn f() { elsewhere::g() }";

    fn names(names: &[&str]) -> BTreeSet<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn a_table_whose_files_and_rows_agree_has_no_findings() {
        assert_eq!(
            check("HOSTS", &names(&["claude_code", "universal"]), TEXT),
            Vec::<String>::new()
        );
    }

    #[test]
    fn a_file_without_a_module_and_a_row_is_found_twice() {
        let found = check(
            "HOSTS",
            &names(&["claude_code", "codex", "universal"]),
            TEXT,
        );
        assert_eq!(
            found,
            [
                "`codex.rs` has no `mod codex;`",
                "`codex.rs` has no row in HOSTS; if it is no row, say `// no row: REASON` at its top"
            ]
        );
    }

    #[test]
    fn a_row_without_a_file_is_found() {
        let found = check("HOSTS", &names(&["claude_code"]), TEXT);
        assert_eq!(found, ["the row `universal::` in HOSTS has no file"]);
    }

    #[test]
    fn a_table_that_is_not_there_is_found() {
        let found = check("STORES", &names(&["jsonl"]), TEXT);
        assert_eq!(
            found,
            ["there is no `static STORES` with its rows between brackets"]
        );
    }

    #[test]
    fn every_table_is_on_the_page_for_contributors() {
        let page = Workspace::find().unwrap().read(PAGE).unwrap();
        assert_eq!(untold(&page), Vec::<String>::new());
        let without = page.replace("crates/care/src/lint/<slug>.rs", "elsewhere");
        let told = "CONTRIBUTING.md: the table of \"Adding one\" has no row with `crates/care/src/lint/<…>.rs` and `LINTS`";
        assert_eq!(untold(&without), [told]);
    }

    #[test]
    fn the_steps_of_this_very_crate_agree() {
        let workspace = Workspace::find().unwrap();
        let table = TABLES.iter().find(|table| table.name == "STEPS").unwrap();
        let files = files(&workspace, table).unwrap().unwrap();
        assert!(files.contains("tables"));
        assert_eq!(
            check("STEPS", &files, &workspace.read(table.file).unwrap()),
            Vec::<String>::new()
        );
    }
}
