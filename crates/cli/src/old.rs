//! Command lines that were written for other names: by refusals and pages of older versions, scripts, and the tools that came
//! before. One table says what each means now.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use anyhook::wires::settings::command::OLD_NAME;

/// What a command line begins with, and what that means. The first that fits holds; `$1` and `$2` are the words behind it.
const VERBS: &[(&[&str], &[&str])] = &[
    (
        &["approvals", "revoke", "--all"],
        &["approve", "--revoke", "all"],
    ),
    (&["approvals", "revoke"], &["approve", "--revoke"]),
    (&["approvals"], &["approve", "--revoke"]),
    (&["attack"], &["test", "--attack"]),
    (&["bench"], &["test", "--time"]),
    (&["config"], &["list", "config"]),
    (&["convert"], &["init", "--from", "$1", "--to", "$2"]),
    (&["disable"], &["list", "off"]),
    (&["enable"], &["list", "on"]),
    (&["events"], &["list", "events"]),
    (&["export"], &["log", "export"]),
    (&["hosts"], &["list", "hosts"]),
    (&["import"], &["log", "import"]),
    (&["module", "list"], &["list", "modules"]),
    (&["module", "validate"], &["doctor", "--module"]),
    (&["platform"], &["list", "platform"]),
    (&["policy"], &["fleet", "policy"]),
    (&["remove"], &["add", "--remove"]),
    (&["replay"], &["backtest", "--before", "record"]),
    (&["schema"], &["check", "--schema"]),
    (&["ship"], &["fleet", "ship"]),
    (&["stats"], &["log", "stats"]),
    (&["trust", "--list"], &["list", "config"]),
    (&["uninstall"], &["install", "--undo"]),
    (&["update"], &["add", "--update"]),
    (&["verify"], &["doctor", "--verify"]),
    (&["why"], &["explain", "--past"]),
];

/// Flags by command, and what each means; a value that follows stays where it is.
const FLAGS: &[(&str, &str, &[&str])] = &[
    ("add", "--dry-run", &["--update=try"]),
    ("add", "--project", &[]),
    ("approve", "--always", &["--for", "always"]),
    ("approve", "--list", &["--revoke"]),
    ("approve", "--note", &[]),
    ("approve", "--session", &["--for", "session"]),
    ("demo", "--agent", &["agent"]),
    ("demo", "--fast", &[]),
    ("doctor", "--quick", &["--verify=quick"]),
    ("doctor", "--quiet", &[]),
    ("doctor", "-q", &[]),
    ("init", "--from-claude", &["--from", "claude-code"]),
    ("install", "--yes", &[]),
    ("list", "--file", &["--manifest"]),
    ("list", "--host", &[]),
    ("log", "--asked", &["--said", "ask"]),
    ("log", "--before", &["--until"]),
    ("log", "--denied", &["--said", "deny"]),
    ("log", "--heads", &[]),
    ("log", "--path", &[]),
    ("log", "--would-deny", &["--said", "would-deny"]),
    ("trust", "--all", &[]),
    ("trust", "--yes", &[]),
];

/// Returns the arguments that are meant when the program is called by this name.
///
/// `amplifier` and `aam` have our own command lines. `amplifier-core validate hook PATH` validates a module. `anyhook-run` is the
/// name by which older versions put `anyhook run` into the settings of agents.
pub(crate) fn called(name: &OsStr, args: Vec<OsString>) -> Vec<OsString> {
    let name = Path::new(name).file_name();
    let is_core = name == Some(OsStr::new("amplifier-core"));
    let is_version = matches!(args.as_slice(), [only] if only == "--version");
    let says_run = args.first().is_some_and(|first| first == "run");
    if name == Some(OsStr::new(OLD_NAME)) && !is_version && !says_run {
        return std::iter::once("run".into()).chain(args).collect();
    }
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

/// Returns the command line of today for one that may be an older one. `--color` may stand before the command.
pub(crate) fn meant(mut args: Vec<OsString>) -> Vec<OsString> {
    let first = args
        .first()
        .map(|first| first.to_string_lossy().into_owned());
    let colors = match first.as_deref() {
        Some("--color") if args.len() > 2 => 2,
        Some(first) if first.starts_with("--color=") => 1,
        Some(_) | None => 0,
    };
    let rest = args.split_off(colors);
    let mut rest = meant_by(rest);
    // Behind the command, so that it is found by its first word.
    let at = rest.len().min(1);
    rest.splice(at..at, args);
    rest
}

fn meant_by(args: Vec<OsString>) -> Vec<OsString> {
    let begins = |old: &[&str]| {
        args.len() >= old.len() && args.iter().zip(old).all(|(arg, word)| arg == word)
    };
    let row = VERBS.iter().find(|(old, _)| begins(old));
    let args = match row {
        Some((old, new)) => renamed(new, args.get(old.len()..).unwrap_or_default()),
        None => args,
    };
    flags(args)
}

/// Puts the words of today before the rest, and the first of the rest where those have a place for them.
fn renamed(new: &[&str], rest: &[OsString]) -> Vec<OsString> {
    let mut rest = rest.iter().cloned();
    let mut meant = Vec::new();
    for word in new {
        match word.strip_prefix('$') {
            Some(_) => meant.extend(rest.next()),
            None => meant.push((*word).into()),
        }
    }
    meant.extend(rest);
    meant
}

/// Renames the flags before `--`.
fn flags(args: Vec<OsString>) -> Vec<OsString> {
    let mut rest = args.into_iter();
    let Some(verb) = rest.next() else {
        return Vec::new();
    };
    let mut meant = vec![verb.clone()];
    for arg in rest.by_ref() {
        if arg == "--" {
            meant.push(arg);
            break;
        }
        let text = arg.to_string_lossy().into_owned();
        let (name, value) = match text.split_once('=') {
            Some((name, value)) if name.starts_with("--") => (name, Some(value.to_owned())),
            _ => (&*text, None),
        };
        let known = FLAGS
            .iter()
            .find(|(of, old, _)| verb == *of && name == *old);
        match known {
            Some((_, _, new)) => {
                meant.extend(new.iter().map(OsString::from));
                meant.extend(value.map(OsString::from));
            }
            None => meant.push(arg),
        }
    }
    meant.extend(rest);
    meant
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
    fn by_the_name_of_older_entries_it_answers_events_and_says_its_version() {
        let called_by = |line: &str| called(OsStr::new("/data/bin/anyhook-run"), args(line));
        let run = args("run Stop --host codex-cli");
        assert_eq!(called_by("run Stop --host codex-cli"), run);
        assert_eq!(called_by("Stop --host codex-cli"), run);
        assert_eq!(called_by("trust --all"), args("run trust --all"));
        assert_eq!(called_by("--version"), args("--version"));
    }

    #[test]
    fn an_older_line_means_a_line_of_today_and_what_follows_two_dashes_is_no_flag() {
        for (old, new) in [
            ("why k3f9 --json", "explain --past k3f9 --json"),
            (
                "convert codex universal f.json",
                "init --from codex --to universal f.json",
            ),
            (
                "module validate ./my-hook --type hook",
                "doctor --module ./my-hook --type hook",
            ),
            ("log --denied src", "log --said deny src"),
            ("log -- --denied", "log -- --denied"),
            ("approvals revoke --all", "approve --revoke all"),
            ("add no-rm-rf", "add no-rm-rf"),
            ("--color always why x", "explain --color always --past x"),
            ("--version", "--version"),
        ] {
            assert_eq!(meant(args(old)), args(new), "{old}");
        }
    }

    #[test]
    fn every_older_line_means_a_command_that_is_there() {
        for (old, new) in VERBS {
            let is_known = crate::commands::rows().any(|row| row.name == new[0]);
            assert!(is_known || new[0] == "fleet", "{old:?} means {new:?}");
        }
    }
}
