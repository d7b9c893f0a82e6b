//! Reading the text of a manifest, and understanding it once.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use anyhook_core::manifest::{Finding, Manifest, Severity};

use super::{parse, shown};
use crate::trust::package_root;

/// What files say that were read before, for whoever loads them again and again: a text is understood once.
#[derive(Debug, Default)]
pub(crate) struct Manifests(Mutex<BTreeMap<PathBuf, Understood>>);

/// The bytes of a manifest, what they say, and the folder of the package.
#[derive(Debug, Clone)]
pub(super) struct Understood {
    pub(super) root: PathBuf,
    pub(super) bytes: Arc<[u8]>,
    pub(super) manifest: Arc<Manifest>,
}

impl Manifests {
    /// Reads a manifest, or says in words for a person why that is not possible. The file is read each time.
    pub(super) fn read(&self, file: &Path) -> Result<Understood, String> {
        let bytes = crate::trust::read(file)
            .map_err(|error| format!("`{}` cannot be read: {error}", shown(file)))?;
        let known = self.known().get(file).cloned();
        if let Some(known) = known.filter(|known| *known.bytes == *bytes) {
            return Ok(known);
        }
        let understood = Understood {
            root: package_root(file),
            manifest: Arc::new(understand(file, &bytes)?),
            bytes: bytes.into(),
        };
        self.known().insert(file.to_owned(), understood.clone());
        Ok(understood)
    }

    fn known(&self) -> MutexGuard<'_, BTreeMap<PathBuf, Understood>> {
        // Nothing under this lock can panic halfway through a change.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn understand(file: &Path, bytes: &[u8]) -> Result<Manifest, String> {
    let wrong = |finding: &Finding| {
        let (file, at) = (shown(file), &finding.at);
        format!("`{file}:{}:{}`: {}", at.line, at.column, finding.message)
    };
    let parsed = parse(file, &String::from_utf8_lossy(bytes)).map_err(|f| wrong(&f))?;
    let mut errors = parsed.findings.iter();
    let error = errors.find(|finding| finding.severity == Severity::Error);
    match error {
        // An error of an entry is a fault of that entry; here there is none that could fault.
        Some(error) if parsed.manifest.groups.is_empty() => Err(wrong(error)),
        Some(_) | None => Ok(parsed.manifest),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_was_not_changed_is_understood_once_and_a_changed_one_anew() {
        let place = tempfile::tempdir().unwrap();
        let file = place.path().join("hooks.json");
        let write = |event: &str| {
            let hook = r#"{"hooks": [{"type": "command", "command": "exit 0"}]}"#;
            let text = format!(r#"{{"version": 1, "hooks": {{"{event}": [{hook}]}}}}"#);
            std::fs::write(&file, text).unwrap();
        };
        let known = Manifests::default();
        let read = || known.read(&file).map(|read| read.manifest);
        write("pre-tool-use");
        let (first, second) = (read().unwrap(), read().unwrap());
        assert!(Arc::ptr_eq(&first, &second));
        // Of the same length.
        write("session-stop");
        assert_eq!(read().unwrap().groups[0].event, "session-stop");
        std::fs::write(&file, "{").unwrap();
        assert!(read().unwrap_err().contains("hooks.json"));
        std::fs::remove_file(&file).unwrap();
        assert!(read().unwrap_err().contains("cannot be read"));
        write("pre-tool-use");
        assert_eq!(read().unwrap().groups[0].event, first.groups[0].event);
    }
}
