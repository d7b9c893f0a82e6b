//! Old names: through a link the program has another name, and then takes the command lines of that name.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use anyhook::wires::settings::command::OLD_NAME;

/// Returns the arguments that are meant when the program is called by this name.
///
/// `amplifier` and `aam` have our own command lines. `amplifier-core validate hook PATH` is `module validate PATH`. `anyhook-run` is
/// the name by which older versions put `anyhook run` into the settings of agents.
pub(crate) fn meant(name: &OsStr, args: Vec<OsString>) -> Vec<OsString> {
    let name = Path::new(name).file_name();
    let is_core = name == Some(OsStr::new("amplifier-core"));
    let is_version = matches!(args.as_slice(), [only] if only == "--version");
    let says_run = args.first().is_some_and(|first| first == "run");
    if name == Some(OsStr::new(OLD_NAME)) && !is_version && !says_run {
        return std::iter::once("run".into()).chain(args).collect();
    }
    match args.split_first() {
        Some((verb, [kind, rest @ ..])) if is_core && verb == "validate" => {
            let mut meant: Vec<OsString> =
                ["module", "validate", "--type"].map(OsString::from).into();
            meant.push(kind.clone());
            meant.extend(rest.iter().cloned());
            meant
        }
        _ => args,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn args(words: &[&str]) -> Vec<OsString> {
        words.iter().map(OsString::from).collect()
    }

    #[test]
    fn only_the_link_of_that_name_has_its_command_lines() {
        let line = args(&["validate", "hook", "./x", "-q"]);
        let meant_by = |name: &str| meant(OsStr::new(name), line.clone());
        assert_eq!(
            meant_by("/opt/bin/amplifier-core"),
            args(&["module", "validate", "--type", "hook", "./x", "-q"])
        );
        assert_eq!(meant_by("anyhook"), line);
        let other = args(&["run", "--host", "codex"]);
        assert_eq!(meant(OsStr::new("amplifier-core"), other.clone()), other);
    }

    #[test]
    fn by_the_name_of_older_entries_it_answers_events_and_says_its_version() {
        let meant_by = |words: &[&str]| meant(OsStr::new("/data/bin/anyhook-run"), args(words));
        let run = args(&["run", "Stop", "--host", "codex-cli"]);
        assert_eq!(meant_by(&["run", "Stop", "--host", "codex-cli"]), run);
        assert_eq!(meant_by(&["Stop", "--host", "codex-cli"]), run);
        assert_eq!(
            meant_by(&["trust", "--all"]),
            args(&["run", "trust", "--all"])
        );
        assert_eq!(meant_by(&["--version"]), args(&["--version"]));
    }
}
