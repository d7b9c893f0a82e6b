//! Checks which crates a crate may depend on, and on which floor of its crate a module is.
//!
//! `anyhook` without its default features is what a small program links, so it has no runtime, no argument parser, no
//! HTTP client, no second regex engine and no YAML. `anyhook-registry` is what a program takes that only wants its own
//! handlers asked: few crates, and none that touches the world. The pure crates name every direct dependency here: adding one is a
//! decision, and a reviewer sees it.

mod floors;

use super::{Done, Failure};
use crate::say;
use crate::workspace::{Workspace, capture};

/// A crate that does no input or output, and everything that it may depend on directly.
struct Pure {
    name: &'static str,
    allowed: &'static [&'static str],
    /// What only a feature brings that this repository's own generators enable: in no one else's tree otherwise.
    generators: &'static [&'static str],
}

const PURE: &[Pure] = &[
    Pure {
        name: "anyhook-core",
        allowed: &[
            "jsonc-parser",
            "regex-lite",
            "serde",
            "serde_json",
            "strsim",
        ],
        generators: &["schemars"],
    },
    Pure {
        name: "anyhook-wires",
        allowed: &[
            "anyhook-core",
            "jsonc-parser",
            "serde",
            "serde_json",
            "thiserror",
            "toml_edit",
        ],
        generators: &[],
    },
    Pure {
        name: "anyhook-effects",
        allowed: &[
            "foldhash",
            "serde",
            "serde_json",
            "shuck-ast",
            "shuck-parser",
        ],
        generators: &[],
    },
];

/// Crates that touch the world: none of them may stand anywhere below a pure crate.
const WORLD: &[&str] = &[
    "async-io",
    "async-std",
    "crossterm",
    "dirs",
    "etcetera",
    "getrandom",
    "hyper",
    "libc",
    "mio",
    "nix",
    "reqwest",
    "rusqlite",
    "rustix",
    "smol",
    "socket2",
    "tempfile",
    "tokio",
    "ureq",
    "windows-sys",
];

/// The crate of those who want a registry alone, and how many crates its tree may have at most, itself included.
const REGISTRY: (&str, usize) = ("anyhook-registry", 25);

/// What the engine without default features must not bring along.
const HEAVY: &[&str] = &[
    "async-std",
    "clap",
    "hyper",
    "mio",
    "regex",
    "reqwest",
    "smol",
    "tokio",
    "ureq",
];

pub(crate) fn run(workspace: &Workspace) -> Done {
    let mut findings = floors::findings(workspace)?;
    let engine = names(workspace, &["-p", "anyhook", "--no-default-features"])?;
    findings.extend(
        heavy(&engine)
            .map(|name| format!("anyhook --no-default-features has `{name}` in its tree")),
    );
    findings.extend(too_much(&names(workspace, &["-p", REGISTRY.0])?));
    for Pure {
        name,
        allowed,
        generators,
    } in PURE
    {
        let usual = names(workspace, &["-p", name])?;
        let stray = usual
            .iter()
            .filter(|found| generators.contains(&found.as_str()));
        findings.extend(stray.map(|found| format!("{name} has `{found}` without being asked")));
        let all = names(workspace, &["-p", name, "--all-features"])?;
        let world = all.iter().filter(|found| WORLD.contains(&found.as_str()));
        findings.extend(world.map(|found| format!("{name} is pure and has `{found}` in its tree")));
        let direct = names(workspace, &["-p", name, "--all-features", "--depth", "1"])?;
        let strange = direct
            .iter()
            .filter(|found| !allowed.contains(&found.as_str()))
            .filter(|found| !generators.contains(&found.as_str()));
        findings.extend(strange.map(|found| {
            format!("{name} depends on `{found}`, which is not in its list in crates/xtask/src/steps/tree.rs")
        }));
    }
    Failure::unless_empty(findings)
}

fn heavy(names: &[String]) -> impl Iterator<Item = &String> {
    names.iter().filter(|name| {
        HEAVY.contains(&name.as_str()) || name.contains("yaml") || name.contains("saphyr")
    })
}

/// What is wrong with the crates below the registry: there are too many, or one touches the world.
fn too_much(below: &[String]) -> Vec<String> {
    let (name, most) = REGISTRY;
    let world = below.iter().filter(|found| WORLD.contains(&found.as_str()));
    let mut findings: Vec<String> = world
        .map(|found| format!("{name} has `{found}` in its tree, which touches the world"))
        .collect();
    let count = below.len() + 1;
    if count > most {
        let all = below.join(" ");
        findings.push(format!(
            "{name} has {count} crates in its tree, itself included, and may have {most}: {all}"
        ));
    }
    findings
}

/// The crates below one crate, without itself.
fn names(workspace: &Workspace, which: &[&str]) -> Result<Vec<String>, Failure> {
    let mut command = workspace.cargo(&[
        "tree", "--edges", "normal", "--prefix", "none", "--format", "{p}",
    ]);
    Ok(below(&capture(command.args(which))?))
}

fn below(tree: &str) -> Vec<String> {
    let mut names: Vec<String> = tree
        .lines()
        .skip(1)
        .filter_map(|line| line.split_whitespace().next())
        .map(str::to_owned)
        .collect();
    names.sort();
    names.dedup();
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tree_is_read_without_its_root_and_without_repetitions() {
        let tree = "anyhook v0.1.0 (/somewhere)\nserde v1.0.1\nserde_derive v1.0.1 (proc-macro)\nserde v1.0.1 (*)\n";
        assert_eq!(below(tree), ["serde", "serde_derive"]);
    }

    #[test]
    fn a_registry_with_too_many_crates_or_one_that_touches_the_world_is_found() {
        let crates =
            |count: usize| -> Vec<String> { (1..count).map(|n| format!("c{n}")).collect() };
        assert!(too_much(&crates(25)).is_empty());
        let [many] = &too_much(&crates(26))[..] else {
            panic!()
        };
        assert!(many.starts_with("anyhook-registry has 26 crates in its tree, itself included, and may have 25: c1 c2"), "{many}");
        let world = too_much(&["serde".to_owned(), "tokio".to_owned()]);
        assert_eq!(
            world,
            ["anyhook-registry has `tokio` in its tree, which touches the world"]
        );
    }

    #[test]
    fn regex_lite_is_not_regex_and_any_yaml_is_yaml() {
        let names = [
            "regex-lite",
            "regex",
            "serde_yaml_ng",
            "yaml-rust2",
            "tokio",
            "clap_lex",
        ]
        .map(str::to_owned);
        let found: Vec<&String> = heavy(&names).collect();
        assert_eq!(found, ["regex", "serde_yaml_ng", "yaml-rust2", "tokio"]);
    }
}
