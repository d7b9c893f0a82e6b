//! The floors of the crates that make up `anyhook`, and the rings of every crate.
//!
//! A module may import from its own floor and from the floors below it, never from one above. In no crate do modules import
//! each other in a ring, on one floor or across several. Between crates Cargo keeps both; inside a crate this file does.

use std::collections::BTreeMap;

use super::{Failure, say};
use crate::source::{Imports, imports, rings, test_modules, tokens};
use crate::workspace::Workspace;

/// One floor: modules that need nothing above them.
struct Floor {
    name: &'static str,
    /// The crate that it is a floor of.
    of: &'static str,
    /// What is on it.
    about: &'static str,
    modules: &'static [&'static str],
}

/// The floors, from the ground up. Every module of a crate that is named here stands on one.
#[rustfmt::skip]
static FLOORS: &[Floor] = &[
    Floor { name: "registry", of: "crates/registry", about: "handlers of a program, asked in this process; no file, no process, no manifest",
        modules: &["clock", "drivers", "registry"] },
    Floor { name: "ground", of: "crates/engine", about: "text for people, places, files, processes, shell lines, reports, the world",
        modules: &["actions", "text", "layers", "files", "stores", "shell", "words", "processes", "sandbox", "search", "policy", "world", "yaml"] },
    Floor { name: "memory", of: "crates/engine", about: "what a session remembers, what a person trusted and approved, how much a hook may say",
        modules: &["passphrase", "trust", "state", "limits", "approvals"] },
    Floor { name: "judges", of: "crates/engine", about: "who answers a question: a rule, a model, a person",
        modules: &["rules", "remote", "models", "approvers"] },
    Floor { name: "session", of: "crates/engine", about: "an agent in this process: its session, and the modules that are built in",
        modules: &["session", "modules"] },
    Floor { name: "line", of: "crates/engine", about: "one payload of a host to one reply: manifests, runners, our own guard, background and warm hooks",
        modules: &["folders", "load", "guarded", "runners", "platform", "background", "notify", "warm", "line"] },
    Floor { name: "care", of: "crates/care", about: "what people ask for, never an event: survey, lint, install, packages, the record, transcripts, verify, doctor",
        modules: &["survey", "lint", "install", "packages", "record", "transcripts", "verify", "doctor"] },
    Floor { name: "beside", of: "crates/anyhook", about: "other programs' ways to hooks: mount plans, the tables of ex_athena",
        modules: &["mounts", "athena"] },
];

/// Prints the floors, and finds every import against them and every ring.
pub(super) fn findings(workspace: &Workspace) -> Result<Vec<String>, Failure> {
    let crates = crates(workspace)?;
    let mut findings = Vec::new();
    for (name, files) in &crates {
        let imports = imports(files);
        findings.extend(ringed(name, &imports));
        let floors: Vec<&Floor> = FLOORS.iter().filter(|floor| floor.of == name).collect();
        if !floors.is_empty() {
            findings.extend(upward(name, &floors, &imports));
        }
    }
    let gone = FLOORS.iter().filter(|floor| !crates.contains_key(floor.of));
    findings.extend(gone.map(|floor| {
        format!(
            "{}: there is no such crate, and the floor `{}` is in it",
            floor.of, floor.name
        )
    }));
    for floor in FLOORS.iter().rev() {
        let Floor {
            name, of, about, ..
        } = floor;
        let modules = floor.modules.join(" ");
        say::line(format!("{name:>9}  {about}\n           {of}: {modules}"));
    }
    Ok(findings)
}

/// The files below `src` of each crate, with their texts, tests left out.
fn crates(workspace: &Workspace) -> Result<BTreeMap<String, BTreeMap<String, String>>, Failure> {
    let mut crates: BTreeMap<String, BTreeMap<String, String>> = BTreeMap::new();
    for file in workspace.rust_files()? {
        let text = file.to_string_lossy();
        let Some((name, below)) = text
            .split_once("/src/")
            .filter(|(name, _)| name.starts_with("crates/"))
        else {
            continue;
        };
        let files = crates.entry(name.to_owned()).or_default();
        files.insert(below.to_owned(), workspace.read(&file)?);
    }
    for files in crates.values_mut() {
        without_tests(files);
    }
    Ok(crates)
}

/// Takes out the files of modules that are declared for tests only, and those below them.
fn without_tests(files: &mut BTreeMap<String, String>) {
    let mut tests = Vec::new();
    for (file, text) in &*files {
        let folder = match file.as_str() {
            "lib.rs" | "main.rs" => "",
            other => other.trim_end_matches(".rs"),
        };
        let names = test_modules(&tokens(text)).into_iter();
        tests.extend(names.map(|name| {
            format!("{folder}/{name}")
                .trim_start_matches('/')
                .to_owned()
        }));
    }
    files.retain(|file, _| {
        let is_of = |test: &String| {
            file.strip_prefix(test)
                .is_some_and(|rest| rest.starts_with(['.', '/']))
        };
        !tests.iter().any(is_of)
    });
}

/// The rings of a crate, each with its imports.
fn ringed(name: &str, imports: &Imports) -> Vec<String> {
    let told = |ring: &Vec<String>| {
        let edges = edges(name, imports, ring).join(", ");
        format!(
            "{name}: these modules import each other in a ring: {edges}; move what both need into a module of its own"
        )
    };
    rings(imports).iter().map(told).collect()
}

/// The imports inside a ring, each with its first place.
fn edges(name: &str, imports: &Imports, ring: &[String]) -> Vec<String> {
    let all = imports.iter().filter(|(of, _)| ring.contains(of));
    let all = all.flat_map(|(of, taken)| taken.iter().map(move |(to, at)| (of, to, at)));
    all.filter(|(_, to, _)| ring.contains(to))
        .map(|(of, to, at)| format!("{of} -> {to} ({name}/src/{at})"))
        .collect()
}

/// The imports from a floor above, and the modules that stand on no floor or are not there.
fn upward(name: &str, floors: &[&Floor], imports: &Imports) -> Vec<String> {
    let of = |module: &str| {
        floors
            .iter()
            .position(|floor| floor.modules.contains(&module))
    };
    let called = |at: usize| floors.get(at).map_or("", |floor| floor.name);
    let mut findings = Vec::new();
    for (module, taken) in imports {
        let Some(own) = of(module) else {
            findings.push(format!("{name}: the module `{module}` stands on no floor"));
            continue;
        };
        let higher = taken
            .iter()
            .filter_map(|(to, at)| Some((to, at, of(to)?)))
            .filter(|(.., floor)| *floor > own);
        findings.extend(higher.map(|(to, at, floor)| {
            let (own, floor) = (called(own), called(floor));
            format!("{name}/src/{at}: `{module}` ({own}) imports `{to}` ({floor}), which is on a floor above")
        }));
    }
    let all = floors.iter().flat_map(|floor| floor.modules);
    let gone = all.filter(|module| !imports.contains_key(**module));
    findings.extend(gone.map(|module| format!("{name}: there is no module `{module}`")));
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(files: &[(&str, &str)]) -> Imports {
        let files = files
            .iter()
            .map(|(file, text)| ((*file).to_owned(), (*text).to_owned()));
        let mut files: BTreeMap<String, String> = files.collect();
        without_tests(&mut files);
        imports(&files)
    }

    const LOW: Floor = Floor {
        name: "low",
        of: "crates/x",
        about: "",
        modules: &["a"],
    };
    const HIGH: Floor = Floor {
        name: "high",
        of: "crates/x",
        about: "",
        modules: &["b"],
    };

    #[test]
    fn an_import_from_a_floor_above_is_found_with_its_place() {
        let imports = sample(&[("a.rs", "//! A.\nuse crate::b::B;\n"), ("b.rs", "")]);
        let found = upward("crates/x", &[&LOW, &HIGH], &imports);
        let told = "crates/x/src/a.rs:2: `a` (low) imports `b` (high), which is on a floor above";
        assert_eq!(found, [told]);
        assert!(upward("crates/x", &[&HIGH, &LOW], &imports).is_empty());
    }

    #[test]
    fn a_module_without_a_floor_and_a_floor_without_its_module_are_found() {
        let imports = sample(&[("a.rs", ""), ("c.rs", "")]);
        let told = [
            "crates/x: the module `c` stands on no floor",
            "crates/x: there is no module `b`",
        ];
        assert_eq!(upward("crates/x", &[&LOW, &HIGH], &imports), told);
    }

    #[test]
    fn a_ring_is_found_with_its_imports_and_what_to_do() {
        let imports = sample(&[
            ("a.rs", "use crate::b;"),
            ("b/x.rs", "fn f() { crate::a::g() }"),
            ("c.rs", "use crate::a;"),
        ]);
        let told = "crates/x: these modules import each other in a ring: \
                    a -> b (crates/x/src/a.rs:1), b -> a (crates/x/src/b/x.rs:1); \
                    move what both need into a module of its own";
        assert_eq!(ringed("crates/x", &imports), [told]);
    }

    #[test]
    fn tests_and_what_is_declared_for_tests_only_are_on_no_floor() {
        let imports = sample(&[
            (
                "a.rs",
                "#[cfg(test)]\nmod tests { use crate::b; }\n#[cfg(test)]\nmod far;",
            ),
            ("a/far.rs", "use crate::b;"),
            ("b.rs", "use crate::a;"),
        ]);
        assert!(ringed("crates/x", &imports).is_empty());
    }

    #[test]
    fn every_floor_has_a_name_and_says_what_is_on_it() {
        assert!(
            FLOORS
                .iter()
                .all(|floor| !floor.name.is_empty() && !floor.about.is_empty())
        );
    }
}
