//! Reading the text of a manifest.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhook_core::manifest::{
    Action, Code, Finding, Group, Manifest, ParsedManifest, Place, Severity,
};

use super::form::{parse, parse_in};
use super::shown;
use crate::trust::package_root;

/// The bytes of a manifest, what they say, and the folder of the package.
#[derive(Debug)]
pub(super) struct ReadManifest {
    pub(super) root: PathBuf,
    pub(super) bytes: Arc<[u8]>,
    pub(super) manifest: Manifest,
}

/// Reads a manifest, or says in words for a person why that is not possible.
pub(super) fn read(file: &Path) -> Result<ReadManifest, ManifestFault> {
    read_as(file, &package_root(file), file)
}

/// Reads what stands at `at`, such as a trusted copy, as the manifest `file` of a package.
pub(super) fn read_as(at: &Path, root: &Path, file: &Path) -> Result<ReadManifest, ManifestFault> {
    let bytes = crate::files::read_document(at).map_err(|error| {
        ManifestFault::Unread(format!("`{}` cannot be read: {error}", shown(file)))
    })?;
    Ok(ReadManifest {
        root: root.to_owned(),
        manifest: understand(root, file, &bytes)?,
        bytes: bytes.into(),
    })
}

/// A file of which nothing runs, and why.
#[derive(Debug)]
pub(super) enum ManifestFault {
    /// It is not there, or holds no manifest.
    Unread(String),
    /// It is a manifest, of another version or with a part that means nothing.
    Misread(String),
}

impl ManifestFault {
    pub(super) fn why(&self) -> &str {
        match self {
            Self::Unread(why) | Self::Misread(why) => why,
        }
    }
}

fn understand(root: &Path, file: &Path, bytes: &[u8]) -> Result<Manifest, ManifestFault> {
    let wrong = |finding: &Finding| {
        let (file, at) = (shown(file), &finding.at);
        format!("`{file}:{}:{}`: {}", at.line, at.column, finding.message)
    };
    let text = str::from_utf8(bytes).map_err(|error| {
        let line = 1 + bytes
            .iter()
            .take(error.valid_up_to())
            .filter(|byte| **byte == b'\n')
            .count();
        let file = shown(file);
        ManifestFault::Unread(format!(
            "`{file}:{line}`: this is no text in UTF-8; save it as UTF-8"
        ))
    })?;
    let parsed =
        parse_in(root, file, text).map_err(|finding| ManifestFault::Unread(wrong(&finding)))?;
    let has_groups = !parsed.manifest.groups.is_empty();
    usable(parsed).map_err(|finding| {
        if has_groups {
            ManifestFault::Misread(wrong(&finding))
        } else {
            ManifestFault::Unread(wrong(&finding))
        }
    })
}

/// Returns a manifest in which every entry that `anyhook check` would not have is broken, or the error that is no
/// entry's own: nothing of such a file runs.
///
/// ```
/// use anyhook_engine::load::{parse, usable};
///
/// let file = "hooks/hooks.json".as_ref();
/// let later = parse(file, r#"{"version": 2, "hooks": {"stop": [{"hooks": [{"type": "command", "command": "exit 2"}]}]}}"#)?;
/// assert!(usable(later).unwrap_err().message.contains("version"));
/// # Ok::<(), anyhook_engine::core::manifest::Finding>(())
/// ```
pub fn usable(parsed: ParsedManifest) -> Result<Manifest, Finding> {
    let mut manifest = parsed.manifest;
    // A host's own file holds more than hooks, which is the host's matter.
    let is_native = manifest.native.is_some();
    for error in parsed.findings.into_iter().filter(is_error) {
        if !is_native && !broken_by(&mut manifest.groups, &error) {
            return Err(error);
        }
    }
    Ok(manifest)
}

/// Reads a file as [`usable`] returns it, or says in words why nothing of it runs.
///
/// ```
/// let why = anyhook_engine::load::open("/nowhere/hooks.json".as_ref()).unwrap_err();
/// assert!(why.contains("No such file"), "{why}");
/// ```
pub fn open(file: &Path) -> Result<Manifest, String> {
    let bytes = crate::files::read_document(file)?;
    let read = parse(file, &String::from_utf8_lossy(&bytes)).and_then(usable);
    read.map_err(|finding| format!("line {}: {}", finding.at.line, finding.message))
}

/// Tells whether `anyhook check` calls it an error: an author relies on a field that is only misspelled.
fn is_error(finding: &Finding) -> bool {
    finding.severity == Severity::Error || finding.code == Code::MisspelledField
}

/// Breaks the entries that an error is about; nothing where it is about the file.
fn broken_by(groups: &mut [Group], error: &Finding) -> bool {
    let is_inside =
        |at: &Place| at.span.start <= error.at.span.start && error.at.span.end <= at.span.end;
    let Some(group) = groups.iter_mut().find(|group| is_inside(&group.at)) else {
        return false;
    };
    let is_one = group.entries.iter().any(|entry| is_inside(&entry.at));
    let about = group.entries.iter_mut();
    for entry in about.filter(|entry| !is_one || is_inside(&entry.at)) {
        if !matches!(entry.action, Action::Broken(_)) {
            entry.action = Action::Broken(error.message.clone());
        }
    }
    true
}
