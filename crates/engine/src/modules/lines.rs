//! Files of JSON lines that modules write, and their names.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use anyhook_core::event::{Event, TIMESTAMP};
use anyhook_core::fault::Fault;
use serde_json::Value;

use super::failed;
use crate::files::{self, FileError, with_causes};
use crate::stores::{is_torn, once};
use crate::world::World;

/// The longest name of a file or folder that is made of an id.
const LONGEST: usize = 100;

/// Writes one record to the file of a template; what is written to is named where that fails.
pub(super) fn write(
    what: &str,
    template: &str,
    given: &[(&str, &str)],
    record: &Value,
    world: &World,
) -> Result<(), Box<Fault>> {
    let Some(path) = path(template, world, given) else {
        return Err(Box::new(failed(format!(
            "the {what} has no folder: there is no home"
        ))));
    };
    append(&path, record).map_err(|error| {
        let why = with_causes(&error);
        Box::new(failed(format!("the {what} could not be written: {why}")))
    })
}

/// Returns when an event was emitted; of one without a time, when it is written down.
pub(super) fn moment(event: &Event, world: &World) -> Value {
    let mut stamped = event.clone();
    stamped.at = event.at.or(Some(world.clock.now()));
    let moment = stamped.get(TIMESTAMP);
    moment.map_or(Value::Null, Cow::into_owned)
}

/// Appends one line to a private file, in one call. Folders that are missing are made, for this user only.
fn append(path: &Path, record: &Value) -> Result<(), FileError> {
    if let Some(folder) = path.parent().filter(|folder| !folder.is_dir()) {
        files::private_dir(folder)?;
    }
    let mut line = record.to_string().into_bytes();
    line.push(b'\n');
    let mut file = files::appending(path)?;
    if is_torn(&file) {
        line.insert(0, b'\n');
    }
    once(&mut file, &line).map_err(|source| FileError::Io {
        doing: "append to",
        path: path.to_owned(),
        source,
    })
}

/// Makes a path of a template: `{state}` is the folder of what we remember and `~` the home; everything else in braces is
/// given, and cleaned. Nothing where a folder is needed that is not there.
fn path(template: &str, world: &World, given: &[(&str, &str)]) -> Option<PathBuf> {
    let places = world.places.as_ref();
    let mut text = template.to_owned();
    for (name, value) in given {
        text = text.replace(&format!("{{{name}}}"), &cleaned(value));
    }
    let path = match (text.strip_prefix("{state}/"), text.strip_prefix("~/")) {
        (Some(rest), _) => places?.state.join(rest),
        (None, Some(rest)) => places?.home.join(rest),
        (None, None) => PathBuf::from(text),
    };
    Some(world.absolute(&path))
}

/// Makes one name of a file out of any text: it cannot lead to another folder, and two texts never share one.
fn cleaned(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let tame = |c: char| if is_plain(c) { c } else { '-' };
    let plain: String = text.chars().map(tame).take(LONGEST).collect();
    let plain = plain.trim_start_matches(['.', '-']);
    if plain == text && !plain.is_empty() {
        return plain.to_owned();
    }
    let digest = files::digest(text.as_bytes());
    let short: String = digest.chars().take(8).collect();
    format!("{plain}~{short}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_id_leaves_its_folder_and_no_two_share_a_name() {
        let ids = [
            "s1",
            "S1",
            "",
            ".",
            "..",
            "../../etc/cron.d/x",
            "a/b",
            "a-b",
            "a\0b",
            "~",
            "/",
            "-rf",
            "a\nb",
            "é",
            "e",
            "{project}",
        ];
        let names: std::collections::BTreeSet<String> = ids.iter().map(|id| cleaned(id)).collect();
        assert_eq!(names.len(), ids.len(), "{names:?}");
        for name in &names {
            assert!(!name.starts_with('.') && !name.starts_with('-'), "{name}");
            assert!(!name.contains(['/', '\0', '\n', '{']), "{name}");
        }
        assert!(cleaned(&"x".repeat(5000)).len() < 128);
    }
}
