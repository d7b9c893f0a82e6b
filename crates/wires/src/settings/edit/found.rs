//! The entries that stand in a text of settings, and single values of one, for a caller that only reads them.

use std::time::Duration;

use serde_json::Value;

use super::spots::{spots, value_of};
use super::{EditError, SettingsForm, json, split};
use crate::native_files::Syntax;
use crate::settings::EntryValue;
use crate::settings::command::is_ours;

/// One entry as it stands in a text.
///
/// ```
/// use anyhook_wires::settings::Scope;
/// use anyhook_wires::settings::edit::{FoundEntry, SettingsForm, find};
///
/// let claude = anyhook_wires::host("claude-code").ok_or("no such host")?;
/// let settings = claude.facts().settings.ok_or("no settings")?;
/// let file = settings.files_of(Scope::User, "linux").next().ok_or("no file")?;
/// let text = r#"{"hooks": {
///     "Stop": [{"hooks": [{"type": "command", "command": "./done.sh", "timeout": 5}]}]
/// }}"#;
/// let all: Vec<FoundEntry> = find(text, SettingsForm { settings, file })?;
/// assert_eq!((all[0].event.as_str(), all[0].line), ("Stop", 2));
/// assert_eq!(all[0].timeout, Some(std::time::Duration::from_secs(5)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundEntry {
    /// The host's name for the event.
    pub event: String,
    /// Its command lines, or the address of ours to which it posts; none where it is neither.
    pub commands: Vec<String>,
    /// What it is: `command`, `http`, `prompt` and the like.
    pub kind: String,
    /// The line that it begins in, from 1.
    pub line: usize,
    /// The matcher of its group, or its own.
    pub matcher: Option<String>,
    /// How long the host waits for it, where the entry says so.
    pub timeout: Option<Duration>,
}

impl FoundEntry {
    /// Tells whether this is an entry of ours.
    pub fn is_ours(&self) -> bool {
        !self.commands.is_empty() && self.commands.iter().all(|command| is_ours(command))
    }
}

/// Lists every entry of a text, ours and those of others.
///
/// ```
/// use anyhook_wires::settings::Scope;
/// use anyhook_wires::settings::edit::{SettingsForm, find};
///
/// let settings = anyhook_wires::host("claude-code").and_then(|host| host.facts().settings).unwrap();
/// let file = settings.files_of(Scope::User, "linux").next().unwrap();
/// let error = find("{\n  oops\n}", SettingsForm { settings, file }).unwrap_err();
/// assert_eq!((error.line, error.column), (2, 3));
/// ```
pub fn find(text: &str, form: SettingsForm<'_>) -> Result<Vec<FoundEntry>, EditError> {
    let (_, body) = split(text);
    Ok(spots(body, form)?
        .into_iter()
        .map(|spot| spot.found)
        .collect())
}

/// Looks up a value of a text by the fields that lead to it. A text that cannot be read has none.
///
/// ```
/// use anyhook_wires::native_files::Syntax;
/// use anyhook_wires::settings::edit::value_at;
///
/// let text = "{ /* mine */ \"hooksConfig\": {\"enabled\": false} }";
/// assert_eq!(value_at(text, Syntax::Json, &["hooksConfig", "enabled"]), Some(false.into()));
/// assert_eq!(value_at("{", Syntax::Json, &["hooksConfig"]), None);
/// let text = "[features]\nhooks = false\n";
/// assert_eq!(value_at(text, Syntax::Toml, &["features", "hooks"]), Some(false.into()));
/// ```
pub fn value_at(text: &str, syntax: Syntax, at: &[&str]) -> Option<Value> {
    let (_, body) = split(text);
    match syntax {
        Syntax::Json => {
            let tree = json::parse(body).ok()?;
            Some(json::value(value_of(body, &tree.root, at).ok()??))
        }
        Syntax::Toml => {
            let whole: Value = toml_edit::de::from_str(body).ok()?;
            let mut at = at.iter();
            at.try_fold(&whole, |inner, name| inner.get(*name)).cloned()
        }
    }
}

/// Returns how long the host waits for an entry, where the entry says so.
pub(super) fn timeout(fields: &[(&str, EntryValue)], entry: &Value) -> Option<Duration> {
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
        let all = find(TEXT, form()).unwrap();
        let expected = FoundEntry {
            event: "Stop".to_owned(),
            commands: vec!["true".to_owned()],
            kind: "command".to_owned(),
            line: 5,
            matcher: Some("x".to_owned()),
            timeout: Some(Duration::from_secs(2)),
        };
        assert_eq!(all, [expected]);
    }

    #[test]
    fn a_value_is_found_by_its_way_and_what_is_broken_has_none() {
        let text = "{\"a\": {\"b\": true,},}";
        assert_eq!(
            value_at(text, Syntax::Json, &["a", "b"]),
            Some(Value::Bool(true))
        );
        assert_eq!(value_at(text, Syntax::Json, &["a", "c"]), None);
        assert_eq!(value_at("{", Syntax::Json, &["a"]), None);
        assert_eq!(value_at("{\"a\": 1, \"a\": 2}", Syntax::Json, &["a"]), None);
    }

    #[test]
    fn a_value_of_toml_is_found_by_its_way() {
        let text = "features = { hooks = false }\n[hooks.state.\"a:stop:0:0\"]\ntrusted_hash = \"sha256:1\"\nenabled = true\n";
        assert_eq!(
            value_at(text, Syntax::Toml, &["features", "hooks"]),
            Some(Value::Bool(false))
        );
        assert_eq!(
            value_at(text, Syntax::Toml, &["hooks", "state"]),
            Some(serde_json::json!({"a:stop:0:0": {"trusted_hash": "sha256:1", "enabled": true}}))
        );
        assert_eq!(value_at(text, Syntax::Toml, &["hooks", "none"]), None);
        assert_eq!(value_at("= 1", Syntax::Toml, &["hooks"]), None);
    }
}
