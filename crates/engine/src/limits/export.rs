//! The receiver of the record in the background: `[export]` in `config.toml`.

use toml_edit::{Item, TableLike};

use super::ConfigError;
use super::config::{Wrong, first, text};
use super::fleet::level;
use crate::stores::Keep;
use crate::world::{ConfigFiles, World};

/// The receiver that gets every record; none where nothing is configured.
///
/// ```
/// use anyhook_engine::limits::Exported;
/// use anyhook_engine::world::ConfigFiles;
///
/// let place = tempfile::tempdir()?;
/// let user = place.path().join("config.toml");
/// std::fs::write(&user, "[export]\notlp = \"http://127.0.0.1:4318\"\n")?;
/// let files = ConfigFiles { managed: None, user: Some(user) };
/// assert_eq!(Exported::read(&files)?.otlp.as_deref(), Some("http://127.0.0.1:4318"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Exported {
    /// The address of the receiver: OTLP over HTTP.
    pub otlp: Option<String>,
    /// What it wants to see in the header `Authorization`.
    pub authorization: Option<String>,
    /// How much of each record it gets: all that the record holds, which is without secrets, unless less is asked for.
    pub level: Keep,
}

impl Exported {
    /// Reads what is configured for this machine and person: the managed file where it has the table, else the person's own.
    pub fn of(world: &World) -> Result<Self, ConfigError> {
        Self::read(&ConfigFiles::of(world))
    }

    /// Reads what is configured in these files.
    pub fn read(files: &ConfigFiles) -> Result<Self, ConfigError> {
        Ok(first(files, "export", of_table)?.unwrap_or_default().0)
    }
}

fn of_table(table: &dyn TableLike) -> Result<Exported, Wrong> {
    let mut found = Exported::default();
    for (name, item) in table.iter() {
        match name {
            "otlp" => found.otlp = Some(address(item)?),
            "level" => found.level = level("export", item)?,
            "authorization" => found.authorization = Some(text("export", name, item)?),
            _ => return Err((item.span(), format!("unknown field `export.{name}`"))),
        }
    }
    Ok(found)
}

fn address(item: &Item) -> Result<String, Wrong> {
    let text = text("export", "otlp", item)?;
    if text.starts_with("http://") || text.starts_with("https://") {
        return Ok(text);
    }
    let what = "`export.otlp` must be an address such as `http://127.0.0.1:4318`";
    Err((item.span(), what.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_administrator_decides_where_records_go_and_a_mistake_is_named_with_its_place() {
        let place = tempfile::tempdir().unwrap();
        let read = |managed: &str, user: &str| {
            let written = |name: &str, text: &str| {
                std::fs::write(place.path().join(name), text).unwrap();
                Some(place.path().join(name))
            };
            let files = ConfigFiles {
                managed: written("managed.toml", managed),
                user: written("user.toml", user),
            };
            let folder = format!("{}/", place.path().display());
            Exported::read(&files).map_err(|error| error.to_string().replace(&folder, ""))
        };
        let user = "[export]\notlp = \"http://a\"\nauthorization = \"Bearer x\"\n";
        assert_eq!(read("", "").unwrap(), Exported::default());
        assert_eq!(
            read("", user).unwrap().authorization.as_deref(),
            Some("Bearer x")
        );
        let managed = read("[export]\notlp = \"https://b\"\n", user).unwrap();
        let expected = Exported {
            otlp: Some("https://b".into()),
            authorization: None,
            level: Keep::Payload,
        };
        assert_eq!(managed, expected);
        let level = "[export]\notlp = \"https://b\"\nlevel = \"decisions\"\n";
        assert_eq!(read(level, user).unwrap().level, Keep::Verdicts);
        assert_eq!(
            read("", "[export]\nlevel = \"all\"\n").unwrap_err(),
            "`user.toml:2:9`: `export.level` must be `decisions`, `shapes` or `redacted`"
        );
        assert_eq!(read("[export]\n", user).unwrap(), Exported::default());
        assert_eq!(
            read("", "[export]\notlp = \"file:///x\"\n").unwrap_err(),
            "`user.toml:2:8`: `export.otlp` must be an address such as `http://127.0.0.1:4318`"
        );
        assert_eq!(
            read("", "[export]\nto = 1\n").unwrap_err(),
            "`user.toml:2:6`: unknown field `export.to`"
        );
    }
}
