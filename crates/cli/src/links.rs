//! Old names: through a link the program has another name, and then takes the command lines of that name.

use std::ffi::{OsStr, OsString};
use std::path::Path;

/// Returns the arguments that are meant when the program is called by this name.
///
/// `amplifier` and `aam` have our own command lines. `amplifier-core validate hook PATH` is `module validate PATH`.
pub(crate) fn meant(name: &OsStr, args: Vec<OsString>) -> Vec<OsString> {
    let is_core = Path::new(name).file_name() == Some(OsStr::new("amplifier-core"));
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
}
