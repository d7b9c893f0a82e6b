//! What a later policy changes: hooks, settings, exceptions, digests, keys.

use std::collections::BTreeSet;

use anyhook::packages::hook_changes;
use anyhook::text::{line, tame};
use serde_json::{Map, Value};

use crate::bundle::Bundle;
use crate::error::PolicyError;

/// Says what a policy changes against another one, a line for each thing; empty where they say the same.
///
/// ```
/// use anyhook_fleet::{Bundle, Kept, Rules, diff};
///
/// let policy = |rules: &str, hooks: &str| -> Result<Bundle, anyhook_fleet::PolicyError> {
///     let file = Kept { path: "hooks/hooks.json".into(), bytes: hooks.as_bytes().to_vec(), run: false };
///     Ok(Bundle { rules: Rules::read(rules.as_bytes())?, files: vec![file] })
/// };
/// let old = policy(r#"{"name": "acme", "revision": 1}"#, r#"{"version": 1, "hooks": {}}"#)?;
/// let new = policy(r#"{"name": "acme", "revision": 2}"#, r#"{"version": 1, "hooks": {"pre-tool-use": [
///     {"hooks": [{"type": "rule", "name": "no-rm", "when": "runs('rm')", "then": {"deny": "no"}}]}]}}"#)?;
/// let told = diff(&old, &new)?;
/// assert!(told.contains("revision  1 -> 2") && told.contains("+ hook no-rm"), "{told}");
/// assert_eq!(diff(&old, &old)?, "");
/// # Ok::<(), anyhook_fleet::PolicyError>(())
/// ```
pub fn diff(old: &Bundle, new: &Bundle) -> Result<String, PolicyError> {
    let mut told = String::new();
    if old.rules.revision != new.rules.revision {
        told.push_str(&format!(
            "revision  {} -> {}\n",
            old.rules.revision, new.rules.revision
        ));
    }
    told.push_str(&hooks(old, new)?);
    told.push_str(&files(old, new));
    told.push_str(&rules(old, new));
    Ok(tame(&told))
}

fn hooks(old: &Bundle, new: &Bundle) -> Result<String, PolicyError> {
    let place =
        tempfile::tempdir().map_err(PolicyError::io("make", "a temporary folder".as_ref()))?;
    let mut manifests = Vec::new();
    for (name, bundle) in [("old", old), ("new", new)] {
        let folder = place.path().join(name);
        bundle.unpack(&folder)?;
        manifests.push(bundle.manifests(&folder));
    }
    let [before, after] = &manifests[..] else {
        return Ok(String::new());
    };
    let changes = hook_changes(before, after).into_iter().map(|change| {
        let allows = if change.may_allow {
            "  (can approve without a question)"
        } else {
            ""
        };
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

/// Files that are no manifest, by name: settings line by line.
fn files(old: &Bundle, new: &Bundle) -> String {
    let mut told = String::new();
    let names = |bundle: &Bundle| {
        bundle
            .files
            .iter()
            .map(|file| file.path.clone())
            .collect::<BTreeSet<_>>()
    };
    for path in names(old).union(&names(new)) {
        let find = |bundle: &Bundle| bundle.files.iter().find(|file| file.path == *path).cloned();
        let sign = match (find(old), find(new)) {
            (None, Some(_)) => "+",
            (Some(_), None) => "-",
            (Some(was), Some(now)) if was != now => "~",
            _ => continue,
        };
        told.push_str(&format!("{sign} file {path}\n"));
        if path == "config.toml" {
            let lines = |bundle: &Bundle| {
                let text =
                    String::from_utf8_lossy(bundle.file(path).unwrap_or_default()).into_owned();
                text.lines().map(str::to_owned).collect::<Vec<_>>()
            };
            told.push_str(&listed("setting", &lines(old), &lines(new)));
        }
    }
    told
}

fn rules(old: &Bundle, new: &Bundle) -> String {
    let of = |bundle: &Bundle| match serde_json::to_value(&bundle.rules) {
        Ok(Value::Object(fields)) => fields,
        Ok(_) | Err(_) => Map::new(),
    };
    let (old, new) = (of(old), of(new));
    let names: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
    let names = names.into_iter().filter(|name| *name != "revision");
    let each = |value: Option<&Value>| -> Vec<String> {
        let list = value.and_then(Value::as_array).into_iter().flatten();
        list.map(Value::to_string).collect()
    };
    let change = |name: &String| {
        let (was, now) = (old.get(name), new.get(name));
        if was.or(now).is_some_and(Value::is_array) {
            return listed(name, &each(was), &each(now));
        }
        let text = |value: Option<&Value>| value.unwrap_or(&Value::Null).to_string();
        if was == now {
            return String::new();
        }
        format!("~ {name}  {} -> {}\n", text(was), text(now))
    };
    names.map(change).collect()
}

fn listed(what: &str, old: &[String], new: &[String]) -> String {
    let gone = old
        .iter()
        .filter(|one| !new.contains(one))
        .map(|one| format!("- {what} {}\n", one.trim_end()));
    let come = new
        .iter()
        .filter(|one| !old.contains(one))
        .map(|one| format!("+ {what} {}\n", one.trim_end()));
    gone.chain(come).collect()
}
