//! Plugins of Claude Code: a file beside them says that a folder is one, and which file holds its hooks.
//!
//! An author of that file could change what a trusted manifest means. So a manifest at its usual place keeps the root
//! that its place says, and where the file decides in whose words a manifest is, it is pinned with it.

use std::path::{Component, Path, PathBuf};

use anyhook_wires::native_files::{is_claude_plugin, is_in_words_of_claude};
use serde_json::Value;

use crate::files::read_json;

/// Where a plugin describes itself, below its root.
pub(super) const DESCRIPTION: &str = ".claude-plugin/plugin.json";
/// How many folders above a manifest may be the root of its plugin.
const HIGHEST: usize = 4;

/// Returns the root of the plugin that names this file as that of its hooks.
pub(super) fn root_of(manifest: &Path) -> Option<PathBuf> {
    let mut folders = manifest.ancestors().skip(1).take(HIGHEST);
    let root = folders.find(|root| {
        let named = named(root);
        named.iter().any(|file| file == manifest)
    })?;
    Some(root.to_owned())
}

/// Tells whether a file is the description of a plugin, which may hold hooks itself.
pub(crate) fn is_description(file: &Path) -> bool {
    file.ends_with(DESCRIPTION)
}

/// Returns the files that a plugin names as those of its hooks, and its description where hooks stand in that.
pub(crate) fn named(root: &Path) -> Vec<PathBuf> {
    let file = root.join(DESCRIPTION);
    let description: Value = read_json(&file).unwrap_or_default();
    let hooks = description.get("hooks");
    let list = hooks.and_then(Value::as_array).into_iter().flatten();
    let names = hooks.into_iter().chain(list).filter_map(Value::as_str);
    let is_below = |name: &&str| {
        let mut parts = Path::new(name).components();
        parts.all(|part| matches!(part, Component::CurDir | Component::Normal(_)))
    };
    let names = names.filter(is_below).map(|name| {
        let parts = Path::new(name).components();
        let parts = parts.filter(|part| *part != Component::CurDir);
        root.join(parts.collect::<PathBuf>())
    });
    let mut all: Vec<PathBuf> = names.collect();
    // A list with hooks in it is no form that we read: as a manifest it is an error, and not passed over.
    let list = hooks.and_then(Value::as_array).into_iter().flatten();
    if hooks.into_iter().chain(list).any(Value::is_object) {
        all.push(file);
    }
    all
}

/// Tells whether a manifest is that of a plugin, in Claude Code's words: it says so itself, or the plugin's description
/// stands at its root.
pub(crate) fn is_plugin(root: &Path, text: &str) -> bool {
    is_claude_plugin(text) || decides(root, text).is_some()
}

/// Returns the description, below the root, where there is one and it decides in whose words a manifest is.
pub(super) fn decides(root: &Path, text: &str) -> Option<PathBuf> {
    // Few packages have one, and the text of the others is not read for this question.
    let file = root.join(DESCRIPTION);
    let is_open = || !is_claude_plugin(text) && is_in_words_of_claude(text);
    (file.is_file() && is_open()).then_some(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn described(hooks: &str) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join(".claude-plugin")).unwrap();
        let text = format!(r#"{{"name": "x", "hooks": {hooks}}}"#);
        std::fs::write(folder.path().join(DESCRIPTION), text).unwrap();
        folder
    }

    #[test]
    fn the_root_of_a_plugin_is_the_folder_whose_description_names_the_file() {
        for hooks in [
            r#""./claude-hooks/hooks.json""#,
            r#"["a.json", "claude-hooks/hooks.json"]"#,
        ] {
            let folder = described(hooks);
            let root = |name: &str| super::super::package_root(&folder.path().join(name));
            assert_eq!(root("claude-hooks/hooks.json"), folder.path(), "{hooks}");
            assert_eq!(
                root("claude-hooks/other.json"),
                folder.path().join("claude-hooks")
            );
            assert_eq!(root("sub/hooks/hooks.json"), folder.path().join("sub"));
        }
        let folder = described(r#"{"PreToolUse": []}"#);
        let description = folder.path().join(DESCRIPTION);
        assert_eq!(super::super::package_root(&description), folder.path());
        assert_eq!(named(folder.path()), [description]);
        let folder = described(r#""../hooks/x.json""#);
        let inner = folder.path().join("hooks/x.json");
        assert_eq!(
            super::super::package_root(&inner),
            folder.path().join("hooks")
        );
    }

    #[test]
    fn a_description_that_is_put_beside_a_trusted_manifest_is_a_change_of_it() {
        let folder = tempfile::tempdir().unwrap();
        let text =
            r#"{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "exit 2"}]}]}}"#;
        let scripts = || crate::trust::scripts(text.as_bytes(), folder.path()).unwrap();
        assert!(!is_plugin(folder.path(), text));
        assert_eq!(scripts(), Vec::<PathBuf>::new());
        std::fs::create_dir(folder.path().join(".claude-plugin")).unwrap();
        std::fs::write(folder.path().join(DESCRIPTION), "{}").unwrap();
        assert!(is_plugin(folder.path(), text));
        assert_eq!(scripts(), [PathBuf::from(DESCRIPTION)]);
        // What only a universal file says keeps it one.
        let guard = text.replace(r#""type""#, r#""guard": true, "type""#);
        assert!(!is_plugin(folder.path(), &guard));
    }
}
