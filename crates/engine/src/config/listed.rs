//! Every setting with its value, for a person who asks what holds.

use std::path::PathBuf;

use toml_edit::{Document, Item};

use super::{Config, ConfigDocument};
use crate::world::World;

/// What holds where no file has the table, and what holds where it has a mistake.
const DEFAULTS: &str = include_str!("defaults.toml");
const STRICTEST: &str = include_str!("strictest.toml");

/// One setting of `config.toml`.
///
/// ```
/// use anyhook_engine::config::{SettingSource, listed};
/// use anyhook_engine::world::World;
///
/// let world = World { places: None, managed: "/nowhere".into(), ..World::real() };
/// let all = listed(&world);
/// let days = all.iter().find(|one| one.name == "undo.days").unwrap();
/// assert_eq!((days.value.as_str(), &days.source), ("7", &SettingSource::Default));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedSetting {
    /// Its table and its key.
    pub name: String,
    /// Its value, as it is written there; empty where it has none. What may be a secret is not shown.
    pub value: String,
    /// Where it comes from.
    pub source: SettingSource,
}

/// Where a setting comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SettingSource {
    /// A file has it.
    File(PathBuf),
    /// No file has it.
    Default,
    /// Its table cannot be read, so the stricter value holds.
    Mistake,
}

/// Lists every setting but those of `[model]`.
pub fn listed(world: &World) -> Vec<ListedSetting> {
    let files = Config::files(world).map(ConfigDocument::open);
    let config = world.config();
    let (Ok(defaults), Ok(strictest)) = (Document::parse(DEFAULTS), Document::parse(STRICTEST))
    else {
        return Vec::new();
    };
    let mut all = Vec::new();
    for (table, keys) in defaults.iter() {
        for (key, usual) in keys.as_table().into_iter().flatten() {
            let (value, source) = if config.is_wrong(table) {
                let strict = strictest.get(table).and_then(|keys| keys.get(key));
                let strict = strict.map(|value| text(STRICTEST, value));
                (strict, SettingSource::Mistake)
            } else {
                let (value, source) = written(&files, table, key).unzip();
                (value, source.unwrap_or(SettingSource::Default))
            };
            let value = value.unwrap_or_else(|| text(DEFAULTS, usual));
            let is_hidden = key == "authorization" && !value.is_empty();
            all.push(ListedSetting {
                name: format!("{table}.{key}"),
                value: if is_hidden {
                    "(hidden)".to_owned()
                } else {
                    value
                },
                source,
            });
        }
    }
    all
}

/// Finds what the files say: a table holds as a whole, but of `[approve]` each key does, and what is required stays so.
fn written(files: &[ConfigDocument], table: &str, key: &str) -> Option<(String, SettingSource)> {
    let found = |file: &ConfigDocument| {
        let document = file.document.as_ref().ok()?;
        let value = text(document.raw(), document.get(table)?.get(key)?);
        Some((value, SettingSource::File(file.path.clone()?)))
    };
    let has_table = |file: &&ConfigDocument| {
        let document = file.document.as_ref();
        document.is_ok_and(|document| document.contains_key(table))
    };
    let mut with_table = files.iter().filter(has_table);
    if table != "approve" {
        return with_table.next().and_then(found);
    }
    let said: Vec<_> = with_table.filter_map(found).collect();
    let required = said.iter().find(|(value, _)| value == "required");
    required.or(said.first()).cloned()
}

/// The value as a person writes it.
fn text(raw: &str, value: &Item) -> String {
    let written = || value.span().and_then(|span| raw.get(span));
    value
        .as_str()
        .or_else(written)
        .unwrap_or_default()
        .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_listed_as_the_default_is_the_default() {
        let place = tempfile::tempdir().unwrap();
        let (none, file) = (Config::read([None, None]), place.path().join("config.toml"));
        let said = DEFAULTS.lines().filter(|line| !line.ends_with(" = \"\""));
        std::fs::write(&file, said.collect::<Vec<_>>().join("\n")).unwrap();
        let read = Config::read([None, Some(file)]);
        assert_eq!(read.mistakes(), []);
        let held = |config: &Config| format!("{config:?}");
        assert_eq!(held(&read), held(&none));
    }

    #[test]
    fn what_is_listed_as_the_strictest_holds_where_a_table_has_a_mistake() {
        let place = tempfile::tempdir().unwrap();
        let file = place.path().join("config.toml");
        std::fs::write(&file, STRICTEST).unwrap();
        let read = Config::read([None, Some(file)]);
        assert_eq!(
            read.record.unwrap(),
            super::super::RecordSettings::unreadable()
        );
        assert_eq!(
            read.approve.unwrap(),
            super::super::AnswerSettings::unreadable()
        );
        let http = read.http.unwrap();
        assert!(!http.allows("example.com") && !http.sends("TOKEN"));
    }
}
