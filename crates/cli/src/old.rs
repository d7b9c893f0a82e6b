//! Command lines under other names: the aliases that refusals print, and those of the tools that came before.

use std::ffi::{OsStr, OsString};
use std::path::Path;

/// What a command line begins with, and what that means.
const VERBS: &[(&str, &str)] = &[
    ("module list", "list modules"),
    ("module validate", "doctor --module"),
    ("stats", "log stats"),
    ("uninstall", "install --undo"),
    ("verify --quick", "doctor --verify=quick"),
    ("verify", "doctor --verify"),
    ("why", "explain --past"),
];

/// Returns the arguments that are meant when the program is called by this name.
///
/// `amplifier` and `aam` have our own command lines. `amplifier-core validate hook PATH` validates a module.
pub(crate) fn called(name: &OsStr, args: Vec<OsString>) -> Vec<OsString> {
    let name = Path::new(name).file_name();
    let is_core = name == Some(OsStr::new("amplifier-core"));
    match args.split_first() {
        Some((verb, [kind, rest @ ..])) if is_core && verb == "validate" => {
            let mut meant: Vec<OsString> = ["doctor", "--type"].map(OsString::from).into();
            meant.push(kind.clone());
            meant.push("--module".into());
            meant.extend(rest.iter().cloned());
            meant
        }
        _ => args,
    }
}

/// Tells whether a word is an alias.
pub(crate) fn is_alias(name: &str) -> bool {
    VERBS.iter().any(|(old, _)| *old == name)
}

/// Says above the help of a command that it was asked for under another name; nothing for its own.
pub(crate) fn explained(name: &str) -> String {
    let new = VERBS.iter().find(|(old, _)| *old == name);
    new.map_or_else(String::new, |(old, new)| {
        format!("`anyhook {old}` is another name of `anyhook {new}`.\n\n")
    })
}

/// Lists the aliases of one word.
pub(crate) fn listed() -> String {
    let words = VERBS.iter().filter(|(old, _)| !old.contains(' '));
    let rows = words.map(|(old, new)| format!("{old} = {new}"));
    format!("Other names: {}", rows.collect::<Vec<_>>().join(", "))
}

/// Returns the command line for one that begins with an alias.
pub(crate) fn meant(args: Vec<OsString>) -> Vec<OsString> {
    let begins = |old: &str| {
        let words = old.split(' ').count();
        args.len() >= words && old.split(' ').zip(&args).all(|(word, arg)| arg == word)
    };
    let Some((old, new)) = VERBS.iter().find(|(old, _)| begins(old)) else {
        return args;
    };
    let rest = args.iter().skip(old.split(' ').count()).cloned();
    new.split(' ').map(OsString::from).chain(rest).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn args(line: &str) -> Vec<OsString> {
        line.split_whitespace().map(OsString::from).collect()
    }

    #[test]
    fn only_the_link_of_that_name_has_its_command_lines() {
        let line = args("validate hook ./x");
        let called_by = |name: &str| called(OsStr::new(name), line.clone());
        assert_eq!(
            called_by("/opt/bin/amplifier-core"),
            args("doctor --type hook --module ./x")
        );
        assert_eq!(called_by("anyhook"), line);
        let other = args("run --host codex");
        assert_eq!(called(OsStr::new("amplifier-core"), other.clone()), other);
    }

    #[test]
    fn an_alias_means_a_command_and_takes_its_flags_along() {
        for (old, new) in [
            ("why k3f9 --json", "explain --past k3f9 --json"),
            (
                "module validate ./my-hook --type hook",
                "doctor --module ./my-hook --type hook",
            ),
            ("add why", "add why"),
            ("--version", "--version"),
        ] {
            assert_eq!(meant(args(old)), args(new), "{old}");
        }
    }

    #[test]
    fn every_alias_means_a_command_that_is_there() {
        for (old, new) in VERBS {
            let verb = new.split(' ').next();
            let is_known = crate::commands::rows().any(|row| Some(row.name) == verb);
            assert!(is_known, "{old} means {new}");
        }
    }
}
