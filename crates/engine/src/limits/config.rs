//! The limits that a person configured: `[session]` in `config.toml`.

use std::ops::Range;
use std::path::{Path, PathBuf};

use anyhook_core::manifest::Lines;
use toml_edit::{Document, Item, TableLike};

use super::{Asking, Budget, Exported, Fleet, Reach, Recorded, Settings};
use crate::text::plain;
use crate::world::{ConfigFiles, World};

/// The table of these settings.
const TABLE: &str = "session";

/// The word for no limit; TOML has no `null`.
const NONE: &str = "none";

/// What is configured, and where.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Configured {
    /// The limits; what is missing has its default.
    pub settings: Settings,
    /// The file that has the table; nothing where none has.
    pub from: Option<PathBuf>,
}

/// A file of settings that cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// It cannot be read.
    #[error("`{}` cannot be read: {why}", file.display())]
    Unreadable {
        /// Which one.
        file: PathBuf,
        /// Why not.
        why: String,
    },
    /// Something in it is wrong.
    #[error("`{}:{line}:{column}`: {what}", file.display())]
    Wrong {
        /// Which one.
        file: PathBuf,
        /// The line.
        line: u32,
        /// The column.
        column: u32,
        /// What is wrong.
        what: String,
    },
}

impl Configured {
    /// Reads what is configured for this machine and person.
    ///
    /// ```
    /// use anyhook_engine::limits::{Configured, Settings};
    /// use anyhook_engine::world::World;
    ///
    /// let homeless = World { places: None, ..World::real() };
    /// # if !std::path::Path::new("/etc/anyhook/config.toml").exists() {
    /// assert_eq!(Configured::of(&homeless)?.settings, Settings::default());
    /// # }
    /// # Ok::<(), anyhook_engine::limits::ConfigError>(())
    /// ```
    pub fn of(world: &World) -> Result<Self, ConfigError> {
        Self::read(&ConfigFiles::of(world))
    }

    /// Reads what is configured in these files. The managed file is taken as a whole where it says anything, else the
    /// person's own.
    pub fn read(files: &ConfigFiles) -> Result<Self, ConfigError> {
        let found = first(files, TABLE, of_table)?;
        Ok(found.map_or_else(Self::default, |(settings, from)| Self {
            settings,
            from: Some(from),
        }))
    }
}

/// Returns what is wrong in the files of settings of this machine and person, each mistake once.
///
/// ```
/// use anyhook_engine::limits::mistakes;
/// use anyhook_engine::world::World;
///
/// let homeless = World { places: None, managed: "/nowhere".into(), ..World::real() };
/// assert_eq!(mistakes(&homeless).len(), 0);
/// ```
pub fn mistakes(world: &World) -> Vec<ConfigError> {
    let all = [
        Configured::of(world).err(),
        Recorded::of(world).err(),
        Asking::of(world).err(),
        Reach::of(world).err(),
        Budget::of(world).err(),
        Exported::of(world).err(),
        Fleet::of(world).err(),
    ];
    let mut told: Vec<ConfigError> = Vec::new();
    for mistake in all.into_iter().flatten() {
        if !told
            .iter()
            .any(|known| known.to_string() == mistake.to_string())
        {
            told.push(mistake);
        }
    }
    told
}

/// Reads a table of the first file that has it, and tells which: the managed file, else the person's own.
pub(super) fn first<T>(
    files: &ConfigFiles,
    name: &str,
    of_table: impl Fn(&dyn TableLike) -> Result<T, Wrong>,
) -> Result<Option<(T, PathBuf)>, ConfigError> {
    for file in [&files.managed, &files.user].into_iter().flatten() {
        if let Some(found) = of_file(file, name, &of_table)? {
            return Ok(Some((found, file.clone())));
        }
    }
    Ok(None)
}

/// Reads a table of a file; nothing where the file is not there, or does not have the table.
pub(super) fn of_file<T>(
    file: &Path,
    name: &str,
    of_table: impl FnOnce(&dyn TableLike) -> Result<T, Wrong>,
) -> Result<Option<T>, ConfigError> {
    if crate::files::is_nowhere(file) {
        return Ok(None);
    }
    let bytes = crate::files::read_document(file).map_err(|why| ConfigError::Unreadable {
        file: file.into(),
        why,
    })?;
    let text = String::from_utf8_lossy(&bytes);
    let wrong = |(span, what): (Option<Range<usize>>, String)| {
        let place = Lines::new(0, &text).place(span.unwrap_or(0..0));
        ConfigError::Wrong {
            file: file.into(),
            line: place.line,
            column: place.column,
            what: plain(&what),
        }
    };
    let document = parsed(&text).map_err(wrong)?;
    let Some(item) = document.get(name) else {
        return Ok(None);
    };
    let table = item
        .as_table_like()
        .ok_or_else(|| wrong((item.span(), format!("`{name}` must be a table"))))?;
    of_table(table).map(Some).map_err(wrong)
}
fn parsed(text: &str) -> Result<Document<&str>, Wrong> {
    Document::parse(text).map_err(|error| (error.span(), error.message().to_owned()))
}

/// What is wrong, and where.
pub(super) type Wrong = (Option<Range<usize>>, String);

/// Reads a text of a table.
pub(super) fn text(table: &str, name: &str, item: &Item) -> Result<String, Wrong> {
    let text = item.as_str().map(str::to_owned);
    text.ok_or_else(|| (item.span(), format!("`{table}.{name}` must be a text")))
}

fn of_table(table: &dyn TableLike) -> Result<Settings, Wrong> {
    let mut settings = Settings::default();
    for (name, item) in table.iter() {
        match name {
            "injection_size_limit" => settings.injection_size_limit = limit(name, item)?,
            "injection_budget_per_turn" => settings.injection_budget_per_turn = limit(name, item)?,
            "strict" => {
                let wanted = "`true` or `false`";
                settings.strict = item.as_bool().ok_or_else(|| must(name, item, wanted))?;
            }
            _ => return Err((item.span(), format!("unknown field `{TABLE}.{name}`"))),
        }
    }
    Ok(settings)
}

fn limit<T: TryFrom<i64>>(name: &str, item: &Item) -> Result<Option<T>, Wrong> {
    if item.as_str() == Some(NONE) {
        return Ok(None);
    }
    let number = item.as_integer().and_then(|number| number.try_into().ok());
    let wanted = "a whole number, or `\"none\"`";
    number.map(Some).ok_or_else(|| must(name, item, wanted))
}

fn must(name: &str, item: &Item, wanted: &str) -> Wrong {
    (item.span(), format!("`{TABLE}.{name}` must be {wanted}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(managed: Option<&str>, user: Option<&str>) -> Result<Configured, String> {
        let place = tempfile::tempdir().unwrap();
        let written = |name: &str, text: Option<&str>| {
            let file = place.path().join(name);
            std::fs::write(&file, text?).unwrap();
            Some(file)
        };
        let files = ConfigFiles {
            managed: written("managed.toml", managed),
            user: written("user.toml", user),
        };
        let folder = format!("{}/", place.path().display());
        Configured::read(&files).map_err(|error| error.to_string().replace(&folder, ""))
    }

    #[test]
    fn what_is_missing_has_its_default_and_none_is_no_limit() {
        let found = read(
            None,
            Some("[model]\n[session]\ninjection_size_limit = \"none\"\n"),
        )
        .unwrap();
        let expected = Settings {
            injection_size_limit: None,
            ..Settings::default()
        };
        assert_eq!(found.settings, expected);
        assert_eq!(
            read(None, Some("[model]\n")).unwrap(),
            Configured::default()
        );
        assert_eq!(read(None, None).unwrap(), Configured::default());
    }

    #[test]
    fn what_is_managed_is_taken_as_a_whole() {
        let managed = "[session]\nstrict = true\n";
        let user = "[session]\ninjection_budget_per_turn = 1000000\n";
        let found = read(Some(managed), Some(user)).unwrap().settings;
        assert_eq!(
            (found.strict, found.injection_budget_per_turn),
            (true, Some(10_000))
        );
    }

    #[test]
    fn what_cannot_be_understood_is_named_with_its_line_and_column() {
        let cases = [
            (
                "session = 1\n",
                "`user.toml:1:11`: `session` must be a table",
            ),
            (
                "[session]\ninjection_size_limit = -1\n",
                "`user.toml:2:24`: `session.injection_size_limit` must be a whole number, or `\"none\"`",
            ),
            (
                "[session]\nstrict = \"yes\"\n",
                "`user.toml:2:10`: `session.strict` must be `true` or `false`",
            ),
            (
                "[session]\nfast = 1\n",
                "`user.toml:2:8`: unknown field `session.fast`",
            ),
        ];
        for (text, expected) in cases {
            assert_eq!(read(None, Some(text)).unwrap_err(), expected);
        }
        assert!(
            read(None, Some("[session\n"))
                .unwrap_err()
                .starts_with("`user.toml:1:")
        );
    }
}
