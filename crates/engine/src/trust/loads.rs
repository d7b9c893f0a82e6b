//! What a script in a language other than a shell's loads from its own package, by the plain names in its text.
//!
//! Only lines that load are looked at, and only names that a file below the package may have.

use super::programs::Language;

/// Words with which a line of JavaScript, Ruby, Perl, PHP or Lua loads a file.
const LOADING: &[&str] = &[
    "require",
    "import",
    "from",
    "export",
    "require_relative",
    "load",
    "include",
    "include_once",
    "require_once",
    "do",
    "dofile",
    "loadfile",
    "source",
    "autoload",
];
/// What stands for the folder of a script, before names that are put together.
const HERE: &[&str] = &[
    "__dirname",
    "__DIR__",
    "import.meta",
    "__FILE__",
    "__file__",
];

/// Tells whether a script loads code by a name that it computes.
pub(super) fn is_computed(text: &str, language: Language) -> bool {
    let marks: &[&str] = match language {
        Language::Python => &[
            "importlib",
            "__import__(",
            "exec(",
            "runpy",
            "spec_from_file",
        ],
        Language::Script => &["eval(", "new Function("],
        Language::Shell | Language::Other => &[],
    };
    let mut lines = text.lines().map(str::trim).filter(|line| !is_comment(line));
    lines.any(|line| {
        let is_marked = marks.iter().any(|mark| line.contains(mark));
        is_marked || language == Language::Script && loads_a_value(line)
    })
}

/// Tells whether a line of JavaScript loads what a variable names: `require(name)`, `import(name)`.
fn loads_a_value(line: &str) -> bool {
    let is_call = |call: &str| {
        line.split(call).skip(1).any(|rest| {
            let first = rest.trim_start().chars().next();
            let is_path = rest.trim_start().starts_with("path.") || rest.contains("__dirname");
            first.is_some_and(|c| c.is_alphabetic() || c == '_') && !is_path
        })
    };
    is_call("require(") || is_call("import(")
}

/// Returns the names of packages that a script in JavaScript loads: `name`, or `@scope/name`.
pub(super) fn packages(text: &str) -> Vec<String> {
    let lines = text.lines().map(str::trim).filter(|line| !is_comment(line));
    let loading = lines.filter(|line| {
        let mut words = line.split(|c: char| !c.is_alphanumeric() && c != '_');
        words.any(|word| matches!(word, "require" | "import" | "from" | "export"))
    });
    let is_name = |name: &&str| {
        let is_letter = |c: char| c.is_alphanumeric() || "-_.@/~".contains(c);
        !name.is_empty()
            && !name.starts_with(['.', '/'])
            && !name.contains("..")
            && name.chars().all(is_letter)
    };
    let names = loading.flat_map(quoted).filter(is_name);
    names
        .map(|name| {
            let parts = if name.starts_with('@') { 2 } else { 1 };
            name.split('/').take(parts).collect::<Vec<_>>().join("/")
        })
        .collect()
}

/// Returns the paths that a script loads, as they count from its folder; endings may be missing.
pub(super) fn plain(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for line in text.lines().map(str::trim).filter(|line| !is_comment(line)) {
        let mut words = line.split(|c: char| !c.is_alphanumeric() && c != '_');
        if !words.any(|word| LOADING.contains(&word)) {
            continue;
        }
        let names = quoted(line);
        let is_here = HERE.iter().any(|here| line.contains(here));
        let is_relative = line.contains("require_relative") || line.contains("dofile");
        if is_here {
            found.push(names.join("/"));
        }
        let is_path = |name: &&str| is_here || is_relative || name.starts_with('.');
        found.extend(names.into_iter().filter(is_path).map(str::to_owned));
    }
    found
}

/// The modules that a Python script imports.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Imports {
    /// As `a.b`; one that begins with a point counts from the script's own package.
    pub(super) modules: Vec<String>,
    /// What the script adds to the folders of modules, where it adds any: the names in that line.
    pub(super) folders: Option<Vec<String>>,
}

/// Returns what a Python script imports.
pub(super) fn python(text: &str) -> Imports {
    let mut imports = Imports::default();
    for line in text.lines().flat_map(|line| line.split(';')).map(str::trim) {
        let line = line.split('#').next().unwrap_or_default();
        if line.contains("sys.path") {
            imports
                .folders
                .get_or_insert_default()
                .extend(quoted(line).into_iter().map(str::to_owned));
        }
        if let Some(names) = line.strip_prefix("import ") {
            let names = names
                .split(',')
                .filter_map(|name| name.split_whitespace().next());
            imports.modules.extend(names.map(str::to_owned));
        } else if let Some((module, names)) = line
            .strip_prefix("from ")
            .and_then(|rest| rest.split_once(" import "))
        {
            let module = module.trim();
            imports.modules.push(module.to_owned());
            let names = names
                .split([',', '(', ')'])
                .filter_map(|name| name.split_whitespace().next());
            let dot = if module.ends_with('.') { "" } else { "." };
            imports.modules.extend(
                names
                    .filter(|name| *name != "*")
                    .map(|name| format!("{module}{dot}{name}")),
            );
        }
    }
    imports
}

fn is_comment(line: &str) -> bool {
    ["//", "/*", "* ", "#", "--"]
        .iter()
        .any(|start| line.starts_with(start))
}

/// Returns the texts in quotes of a line.
fn quoted(line: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = line;
    while let Some(at) = rest.find(['"', '\'', '`']) {
        let (mark, after) = rest.split_at(at).1.split_at(1);
        let Some((inside, behind)) = after.split_once(mark) else {
            break;
        };
        found.push(inside);
        rest = behind;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_files_that_a_script_loads_are_found_by_the_lines_that_load() {
        for (line, found) in [
            ("const a = require('./lib/a');", vec!["./lib/a"]),
            ("import { b } from \"../b.mjs\"", vec!["../b.mjs"]),
            ("import './side.js';", vec!["./side.js"]),
            ("} from './many'", vec!["./many"]),
            ("const c = await import(`./c.js`)", vec!["./c.js"]),
            ("export * from './d'", vec!["./d"]),
            ("const fs = require('fs');", vec![]),
            ("// require('./old')", vec![]),
            ("say('Change .env.example instead.')", vec![]),
            (
                "require(path.join(__dirname, 'lib', 'x'))",
                vec!["lib/x", "lib", "x"],
            ),
            ("require_relative 'rules'", vec!["rules"]),
            (
                "require __DIR__ . '/lib.php';",
                vec!["/lib.php", "/lib.php"],
            ),
            ("dofile('rules.lua')", vec!["rules.lua"]),
        ] {
            assert_eq!(plain(line), found, "{line}");
        }
    }

    #[test]
    fn the_modules_of_a_python_script_are_found() {
        let text = "import os, rules as r\nfrom a.b import c, d\nfrom . import e\nfrom .f import *\n\
                    sys.path.insert(0, join(here, 'lib'))\nprint('import x')\n";
        let modules = ["os", "rules", "a.b", "a.b.c", "a.b.d", ".", ".e", ".f"];
        let expected = Imports {
            modules: modules.map(str::to_owned).to_vec(),
            folders: Some(vec!["lib".to_owned()]),
        };
        assert_eq!(python(text), expected);
        assert_eq!(python("import sys\n").folders, None);
    }
}
