//! What a later policy changes: hooks, files, and what it says itself, line by line.

use std::collections::BTreeSet;

use anyhook::packages::hook_changes;
use anyhook::text::{line, tame};
use similar::TextDiff;

use crate::bundle::Bundle;
use crate::error::PolicyError;

/// Says what a policy changes against another one, a line for each thing; empty where they say the same.
///
/// ```
/// use anyhook_fleet::{Bundle, BundleFile, PolicyRules, diff};
///
/// let policy = |rules: &str, hooks: &str| -> Result<Bundle, anyhook_fleet::PolicyError> {
///     let file = BundleFile { path: "hooks/hooks.json".into(), bytes: hooks.as_bytes().to_vec(), run: false };
///     Ok(Bundle { rules: PolicyRules::read(rules.as_bytes())?, files: vec![file] })
/// };
/// let old = policy(r#"{"name": "acme", "revision": 1}"#, r#"{"version": 1, "hooks": {}}"#)?;
/// let new = policy(r#"{"name": "acme", "revision": 2}"#, r#"{"version": 1, "hooks": {"pre-tool-use": [
///     {"hooks": [{"type": "rule", "name": "no-rm", "when": "runs('rm')", "then": {"deny": "no"}}]}]}}"#)?;
/// let told = diff(&old, &new)?;
/// assert!(told.contains("+  \"revision\": 2,") && told.contains("+ hook no-rm"), "{told}");
/// assert_eq!(diff(&old, &old)?, "");
/// # Ok::<(), anyhook_fleet::PolicyError>(())
/// ```
pub fn diff(old: &Bundle, new: &Bundle) -> Result<String, PolicyError> {
    let mut told = hooks(old, new)?;
    let files = |bundle| -> BTreeSet<&str> { Bundle::paths(bundle).collect() };
    for path in files(old).union(&files(new)) {
        let sign = match (old.kept(path), new.kept(path)) {
            (None, _) => '+',
            (_, None) => '-',
            (was, now) if was != now => '~',
            _ => continue,
        };
        told.push_str(&format!("{sign} file {path}\n"));
    }
    for text in [settings, rules] {
        let (was, now) = (text(old), text(new));
        let lines = TextDiff::from_lines(&was, &now);
        told.push_str(&lines.unified_diff().context_radius(1).to_string());
    }
    Ok(tame(&told))
}

fn settings(bundle: &Bundle) -> String {
    let file = bundle.kept("config.toml");
    let bytes = file.map(|file| file.bytes.as_slice());
    String::from_utf8_lossy(bytes.unwrap_or_default()).into_owned()
}

fn rules(bundle: &Bundle) -> String {
    serde_json::to_string_pretty(&bundle.rules).unwrap_or_default() + "\n"
}

fn hooks(old: &Bundle, new: &Bundle) -> Result<String, PolicyError> {
    let place =
        tempfile::tempdir().map_err(PolicyError::io("make", "a temporary folder".as_ref()))?;
    let unpacked = |name: &str, bundle: &Bundle| {
        let folder = place.path().join(name);
        bundle.unpack(&folder)?;
        Ok::<_, PolicyError>(bundle.manifests(&folder))
    };
    let (before, after) = (unpacked("old", old)?, unpacked("new", new)?);
    let changes = hook_changes(&before, &after).into_iter().map(|change| {
        let allows = "  (can approve without a question)";
        let allows = if change.may_allow { allows } else { "" };
        let name = line(&change.name);
        let [was, now] = [&change.before, &change.after].map(|words| words.as_deref().map(line));
        match (was, now) {
            (None, Some(now)) => format!("+ hook {name}: {now}{allows}\n"),
            (Some(was), None) => format!("- hook {name}: {was}\n"),
            (Some(was), Some(now)) => format!("~ hook {name}: {was}\n      now: {now}{allows}\n"),
            (None, None) => String::new(),
        }
    });
    Ok(changes.collect())
}
