//! Reading the text of a manifest, and understanding it once.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use anyhook_core::manifest::{Action, Code, Finding, Group, Manifest, Parsed, Place, Severity};
use serde::{Deserialize, Serialize};

use super::form::parse_in;
use super::shown;
use crate::files::plan::Bytes;
use crate::trust::{HeldCopy, package_root};

/// So many are kept; with more of them all are understood again, so that a program that runs for months stays small.
const MOST: usize = 1024;

/// What files say that were read before, for programs that load them again and again: a text is understood once.
#[derive(Debug, Default)]
pub(crate) struct Manifests(Mutex<BTreeMap<PathBuf, Understood>>);

/// The bytes of a manifest, what they say, and the folder of the package.
#[derive(Debug, Clone)]
pub(super) struct Understood {
    pub(super) root: PathBuf,
    pub(super) bytes: Arc<[u8]>,
    pub(super) manifest: Arc<Manifest>,
}

/// The same as a plan keeps it: what was read and checked is neither read nor checked again.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Kept {
    root: PathBuf,
    text: Bytes,
    /// What the text says.
    manifest: Bytes,
}

impl Kept {
    /// Writes down what a text says; nothing where only a host can tell that.
    pub(super) fn of(understood: &Understood) -> Option<Self> {
        Some(Self {
            root: understood.root.clone(),
            text: Bytes(understood.bytes.to_vec()),
            manifest: Bytes(postcard::to_allocvec(&*understood.manifest).ok()?),
        })
    }

    /// Returns how long the text is.
    pub(super) fn length(&self) -> usize {
        self.text.0.len()
    }
}

impl Manifests {
    /// Returns what a plan kept of the manifest that stands at `at`; nothing where that cannot be read.
    pub(super) fn kept(&self, at: &Path, kept: &Kept) -> Option<Understood> {
        let known = self.known().get(at).cloned();
        if let Some(known) = known.filter(|known| *known.bytes == *kept.text.0) {
            return Some(known);
        }
        let understood = Understood {
            root: kept.root.clone(),
            bytes: kept.text.0.as_slice().into(),
            manifest: Arc::new(postcard::from_bytes(&kept.manifest.0).ok()?),
        };
        self.know(at, &understood);
        Some(understood)
    }

    /// Reads a manifest, or says in words for a person why that is not possible. The file is read each time.
    pub(super) fn read(&self, file: &Path) -> Result<Understood, Unusable> {
        self.read_as(file, &package_root(file), file)
    }

    /// Reads the trusted copy of a manifest, in the copy of its package.
    pub(super) fn read_copy(&self, file: &Path, copy: &HeldCopy) -> Result<Understood, Unusable> {
        self.read_as(&copy.manifest, &copy.folder, file)
    }

    /// Reads what stands at `at` as the manifest `file` of a package.
    fn read_as(&self, at: &Path, root: &Path, file: &Path) -> Result<Understood, Unusable> {
        let bytes = crate::files::read_document(at).map_err(|error| {
            Unusable::Unread(format!("`{}` cannot be read: {error}", shown(file)))
        })?;
        let known = self.known().get(at).cloned();
        if let Some(known) = known.filter(|known| *known.bytes == *bytes) {
            return Ok(known);
        }
        let understood = Understood {
            root: root.to_owned(),
            manifest: Arc::new(understand(root, file, &bytes)?),
            bytes: bytes.into(),
        };
        self.know(at, &understood);
        Ok(understood)
    }

    fn know(&self, at: &Path, understood: &Understood) {
        let mut known = self.known();
        if known.len() >= MOST {
            known.clear();
        }
        known.insert(at.to_owned(), understood.clone());
    }

    fn known(&self) -> MutexGuard<'_, BTreeMap<PathBuf, Understood>> {
        // Nothing under this lock can panic halfway through a change.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A file of which nothing runs, and why.
#[derive(Debug)]
pub(super) enum Unusable {
    /// It is not there, or holds no manifest.
    Unread(String),
    /// It is a manifest, of another version or with a part that means nothing.
    Misread(String),
}

impl Unusable {
    pub(super) fn why(&self) -> &str {
        match self {
            Self::Unread(why) | Self::Misread(why) => why,
        }
    }
}

fn understand(root: &Path, file: &Path, bytes: &[u8]) -> Result<Manifest, Unusable> {
    let wrong = |finding: &Finding| {
        let (file, at) = (shown(file), &finding.at);
        format!("`{file}:{}:{}`: {}", at.line, at.column, finding.message)
    };
    let parsed = parse_in(root, file, &String::from_utf8_lossy(bytes))
        .map_err(|finding| Unusable::Unread(wrong(&finding)))?;
    let has_groups = !parsed.manifest.groups.is_empty();
    usable(parsed).map_err(|finding| {
        if has_groups {
            Unusable::Misread(wrong(&finding))
        } else {
            Unusable::Unread(wrong(&finding))
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
pub fn usable(parsed: Parsed) -> Result<Manifest, Finding> {
    let Parsed {
        mut manifest,
        findings,
    } = parsed;
    // A host's own file holds more than hooks, which is the host's matter.
    let is_native = manifest.groups.iter().any(|group| group.speaks.is_some());
    for error in findings.into_iter().filter(is_error) {
        if !is_native && !broken_by(&mut manifest.groups, &error) {
            return Err(error);
        }
    }
    Ok(manifest)
}

/// Tells whether `anyhook check` calls it an error: an author relies on a field that is only misspelled.
fn is_error(finding: &Finding) -> bool {
    finding.severity == Severity::Error || is_slip(finding)
}

/// Tells whether a finding of the reader is about a field that is nearly another one.
#[doc(hidden)]
pub fn is_slip(finding: &Finding) -> bool {
    let help = finding.help.as_deref().unwrap_or_default();
    finding.code == Code::UnknownField && help.starts_with("did you mean")
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

#[cfg(test)]
mod tests {
    use super::*;

    /// A manifest with every field, and with parts that cannot be read.
    const EVERYTHING: &str = r#"{
        "version": 1, "mode": "shadow", "disable": ["lint", {"name": "x", "file": "/p/hooks.json"}], "data": ["notes/**"],
        "session": {"injection_size_limit": 8192, "strict": true},
        "sandbox": {"read": ["./**"], "network": "none", "memory": "512MB", "required": true},
        "hooks": {
            "pre-tool-use": [
                {"matcher": "mcp__.*|Ba?sh", "priority": -3, "sequential": true, "name": "all", "effect": ["net", "fs.write"], "hooks": [
                    {"type": "command", "command": "python3 a.py", "args": ["x"], "env": {"A": "b"}, "cwd": "sub", "shell": "bash",
                     "timeout": 1.5, "guard": true, "on-failure": "halt", "recheck": false, "once": true,
                     "sandbox": {"write": ["./out/**"]}, "windows": {"command": "a.ps1", "shell": "pwsh"}, "if-unsayable": "ask"},
                    {"type": "prompt", "prompt": "Is it safe? $ARGUMENTS", "enabled": false},
                    {"type": "http", "url": "https://example.com/hook", "headers": {"A": "$B"}}
                ]},
                {"matcher": "Edit|Write", "hooks": [
                    {"type": "rule", "when": "runs('rm')", "name": "no-rm", "then": {"deny": "no"}},
                    {"type": "rule", "when": "runs('cp')", "then": {"modify": {"tool_input.command": ["a", 1, null]}, "notify": "n"}},
                    {"type": "rule", "when": "runs('make')", "then": {"confine": {"network": "none"}}},
                    {"type": "builtin", "module": "redaction", "config": {"allowlist": ["cwd"]}},
                    {"type": "command"}, {"type": "rule", "when": "oops ==", "then": {"deny": "no"}}, 7
                ]}
            ],
            "stop": [{"matcher": "(", "hooks": [{"type": "command", "command": "./done.sh", "async": true}]}],
            "no-such-event": [{"hooks": [{"type": "command", "command": "true"}]}]
        }
    }"#;

    fn hooks_below(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                hooks_below(&path, found);
            } else if path.ends_with("hooks/hooks.json") {
                found.push(path);
            }
        }
    }

    #[test]
    fn what_a_plan_keeps_of_a_manifest_is_what_its_file_says_and_needs_no_file() {
        let place = tempfile::tempdir().unwrap();
        let everything = place.path().join("hooks.json");
        std::fs::write(&everything, EVERYTHING).unwrap();
        let mut files = vec![everything];
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        hooks_below(&root.join("examples"), &mut files);
        hooks_below(&root.join("fixtures"), &mut files);
        assert!(files.len() > 20, "{files:?}");
        for file in files {
            let read = Manifests::default().read(&file).unwrap();
            let kept = postcard::to_allocvec(&Kept::of(&read).unwrap()).unwrap();
            let kept: Kept = postcard::from_bytes(&kept).unwrap();
            let again = Manifests::default()
                .kept(Path::new("/gone"), &kept)
                .unwrap();
            assert_eq!(
                format!("{again:#?}"),
                format!("{read:#?}"),
                "{}",
                file.display()
            );
        }
    }

    #[test]
    fn a_file_of_a_host_is_in_no_plan() {
        let place = tempfile::tempdir().unwrap();
        let file = place.path().join(".claude/settings.json");
        std::fs::create_dir(place.path().join(".claude")).unwrap();
        let hook = r#"{"hooks": [{"type": "command", "command": "exit 0"}]}"#;
        std::fs::write(&file, format!(r#"{{"hooks": {{"PreToolUse": [{hook}]}}}}"#)).unwrap();
        let read = Manifests::default().read(&file).unwrap();
        assert_eq!(read.manifest.groups.len(), 1);
        assert!(Kept::of(&read).is_none());
    }

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
        assert!(read().unwrap_err().why().contains("hooks.json"));
        std::fs::remove_file(&file).unwrap();
        assert!(read().unwrap_err().why().contains("cannot be read"));
        write("pre-tool-use");
        assert_eq!(read().unwrap().groups[0].event, first.groups[0].event);
    }
}
