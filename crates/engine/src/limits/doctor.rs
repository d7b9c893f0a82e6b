//! The time at which `anyhook doctor` calls a hook slow: `[doctor]` in `config.toml`.

use std::time::Duration;

use toml_edit::{Item, TableLike};

use super::ConfigError;
use super::config::{Wrong, first};
use crate::world::{ConfigFiles, World};

/// What a hook may take in 95 of 100 events before `anyhook doctor` names it.
///
/// ```
/// use std::time::Duration;
///
/// use anyhook_engine::limits::Budget;
/// use anyhook_engine::world::ConfigFiles;
///
/// let place = tempfile::tempdir()?;
/// let user = place.path().join("config.toml");
/// std::fs::write(&user, "[doctor]\nbudget = 50\n")?;
/// let files = ConfigFiles { managed: None, user: Some(user) };
/// assert_eq!(Budget::read(&files)?, Budget(Duration::from_millis(50)));
/// assert_eq!(Budget::default(), Budget(Duration::from_millis(200)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget(pub Duration);

impl Default for Budget {
    /// The start of an interpreter is within it, so that it names only what a person can do something about.
    fn default() -> Self {
        Self(Duration::from_millis(200))
    }
}

impl Budget {
    /// Reads what is configured for this machine and person: the managed file where it has the table, else the person's own.
    pub fn of(world: &World) -> Result<Self, ConfigError> {
        Self::read(&ConfigFiles::of(world))
    }

    /// Reads what is configured in these files.
    pub fn read(files: &ConfigFiles) -> Result<Self, ConfigError> {
        Ok(first(files, "doctor", of_table)?.unwrap_or_default().0)
    }
}

fn of_table(table: &dyn TableLike) -> Result<Budget, Wrong> {
    let mut found = Budget::default();
    for (name, item) in table.iter() {
        match name {
            "budget" => found = Budget(millis(item)?),
            _ => return Err((item.span(), format!("unknown field `doctor.{name}`"))),
        }
    }
    Ok(found)
}

fn millis(item: &Item) -> Result<Duration, Wrong> {
    let millis = item
        .as_integer()
        .and_then(|millis| u64::try_from(millis).ok());
    let millis = millis.filter(|millis| (1..=600_000).contains(millis));
    let what = "`doctor.budget` must be a number of milliseconds from 1 to 600000";
    let millis = millis.ok_or_else(|| (item.span(), what.to_owned()))?;
    Ok(Duration::from_millis(millis))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_budget_of_the_administrator_counts_first_and_a_mistake_is_named_with_its_place() {
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
            let read = Budget::read(&files);
            read.map(|budget| budget.0.as_millis())
                .map_err(|error| error.to_string().replace(&folder, ""))
        };
        let user = "[doctor]\nbudget = 50\n";
        assert_eq!(read("", ""), Ok(200));
        assert_eq!(read("", user), Ok(50));
        assert_eq!(read("[doctor]\nbudget = 1000\n", user), Ok(1000));
        let wrong = "`doctor.budget` must be a number of milliseconds from 1 to 600000";
        for value in ["0", "-1", "600001", "\"50ms\""] {
            let text = format!("[doctor]\nbudget = {value}\n");
            assert_eq!(read("", &text), Err(format!("`user.toml:2:10`: {wrong}")));
        }
        assert_eq!(
            read("", "[doctor]\nslow = 1\n"),
            Err("`user.toml:2:8`: unknown field `doctor.slow`".to_owned())
        );
    }
}
