//! The entries in a text of settings, for a caller that only reads them, such as `doctor`.

use std::time::Duration;

use serde_json::Value;

use super::spots::{spots, value_of};
use super::{EditError, FoundEntry, SettingsForm, json, split};
use crate::settings::EntryValue;

/// One entry as it stands in a text.
///
/// ```
/// use anyhook_wires::settings::Scope;
/// use anyhook_wires::settings::edit::{SettingsForm, LocatedEntry, standing};
///
/// let claude = anyhook_wires::host("claude-code").ok_or("no such host")?;
/// let settings = claude.facts().settings.ok_or("no settings")?;
/// let file = settings.files_of(Scope::User, "linux").next().ok_or("no file")?;
/// let text = r#"{"hooks": {
///     "Stop": [{"hooks": [{"type": "command", "command": "./done.sh", "timeout": 5}]}]
/// }}"#;
/// let all: Vec<LocatedEntry> = standing(text, SettingsForm { settings, file })?;
/// assert_eq!((all[0].found.event.as_str(), all[0].line), ("Stop", 2));
/// assert_eq!(all[0].timeout, Some(std::time::Duration::from_secs(5)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LocatedEntry {
    /// The entry.
    pub found: FoundEntry,
    /// The line that it begins in, from 1.
    pub line: usize,
    /// The matcher of its group, or its own.
    pub matcher: Option<String>,
    /// How long the host waits for it, where the entry says so.
    pub timeout: Option<Duration>,
}

/// Lists the entries of a text, with their places.
///
/// ```
/// use anyhook_wires::settings::Scope;
/// use anyhook_wires::settings::edit::{SettingsForm, standing};
///
/// let settings = anyhook_wires::host("claude-code").and_then(|host| host.facts().settings).unwrap();
/// let file = settings.files_of(Scope::User, "linux").next().unwrap();
/// let error = standing("{\n  oops\n}", SettingsForm { settings, file }).unwrap_err();
/// assert_eq!((error.line, error.column), (2, 3));
/// ```
pub fn standing(text: &str, form: SettingsForm<'_>) -> Result<Vec<LocatedEntry>, EditError> {
    let (_, body) = split(text);
    let all = spots(body, form)?.into_iter().map(|spot| {
        let group = spot.value.get("matcher");
        let matcher = spot.said.get("matcher").or(group);
        LocatedEntry {
            line: EditError::at(body, spot.entry.start, String::new()).line,
            matcher: matcher.and_then(Value::as_str).map(str::to_owned),
            timeout: timeout(form.settings.entry, &spot.said),
            found: spot.found,
        }
    });
    Ok(all.collect())
}

/// Looks up a value of a text by the fields that lead to it. A text that cannot be read has none.
///
/// ```
/// use anyhook_wires::settings::edit::value_at;
/// let text = "{ /* mine */ \"hooksConfig\": {\"enabled\": false} }";
/// assert_eq!(value_at(text, &["hooksConfig", "enabled"]), Some(false.into()));
/// assert_eq!(value_at("{", &["hooksConfig"]), None);
/// ```
pub fn value_at(text: &str, at: &[&str]) -> Option<Value> {
    let (_, body) = split(text);
    let tree = json::parse(body).ok()?;
    Some(json::value(value_of(body, &tree.root, at).ok()??))
}

/// Looks up a value of a TOML text by the fields that lead to it. A text that cannot be read has none.
///
/// ```
/// use anyhook_wires::settings::edit::toml_at;
/// let text = "[features]\nhooks = false\n";
/// assert_eq!(toml_at(text, &["features", "hooks"]), Some(false.into()));
/// assert_eq!(toml_at("= 1", &["features"]), None);
/// ```
pub fn toml_at(text: &str, at: &[&str]) -> Option<Value> {
    let (_, body) = split(text);
    let whole: Value = toml_edit::de::from_str(body).ok()?;
    let mut at = at.iter();
    at.try_fold(&whole, |inner, name| inner.get(*name)).cloned()
}

fn timeout(fields: &[(&str, EntryValue)], entry: &Value) -> Option<Duration> {
    fields.iter().find_map(|(name, part)| {
        let value = entry.get(*name)?;
        match part {
            EntryValue::Timeout(unit) => unit.time(value.as_f64()?),
            EntryValue::Object(fields) => timeout(fields, value),
            _ => None,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Scope;

    const TEXT: &str = "\u{feff}{\n  // mine\n  \"hooks\": {\n    \"Stop\": [\n      {\"matcher\": \"x\", \"hooks\": \
                        [{\"type\": \"command\", \"command\": \"true\", \"timeout\": 2}]}\n    ]\n  }\n}\n";

    fn form() -> SettingsForm<'static> {
        let settings = crate::host("claude-code")
            .and_then(|host| host.facts().settings)
            .unwrap();
        let file = settings.files_of(Scope::User, "linux").next().unwrap();
        SettingsForm { settings, file }
    }

    #[test]
    fn an_entry_has_its_line_its_matcher_and_its_timeout() {
        let all = standing(TEXT, form()).unwrap();
        let expected = LocatedEntry {
            found: FoundEntry {
                event: "Stop".to_owned(),
                commands: vec!["true".to_owned()],
                kind: "command".to_owned(),
            },
            line: 5,
            matcher: Some("x".to_owned()),
            timeout: Some(Duration::from_secs(2)),
        };
        assert_eq!(all, [expected]);
    }

    #[test]
    fn a_value_is_found_by_its_way_and_what_is_broken_has_none() {
        let text = "{\"a\": {\"b\": true,},}";
        assert_eq!(value_at(text, &["a", "b"]), Some(Value::Bool(true)));
        assert_eq!(value_at(text, &["a", "c"]), None);
        assert_eq!(value_at("{", &["a"]), None);
        assert_eq!(value_at("{\"a\": 1, \"a\": 2}", &["a"]), None);
    }

    #[test]
    fn a_value_of_toml_is_found_by_its_way() {
        let text = "features = { hooks = false }\n[hooks.state.\"a:stop:0:0\"]\ntrusted_hash = \"sha256:1\"\nenabled = true\n";
        assert_eq!(
            toml_at(text, &["features", "hooks"]),
            Some(Value::Bool(false))
        );
        assert_eq!(
            toml_at(text, &["hooks", "state"]),
            Some(serde_json::json!({"a:stop:0:0": {"trusted_hash": "sha256:1", "enabled": true}}))
        );
        assert_eq!(toml_at(text, &["hooks", "none"]), None);
        assert_eq!(toml_at("= 1", &["hooks"]), None);
    }
}
