//! How much of each event is kept: `[record]` and `[audit]` in `config.toml`.

use toml_edit::{Item, TableLike};

use super::ConfigError;
use super::config::{Wrong, first};
use crate::files::Durable;
use crate::stores::{Jsonl, Keep, Retention};
use crate::world::{ConfigFiles, World};

/// What is kept of each event, for how long, and whether an event may go on that could not be kept.
///
/// ```
/// use anyhook_engine::limits::Recorded;
/// use anyhook_engine::stores::Keep;
///
/// let usual = Recorded::default();
/// assert_eq!((usual.keep, usual.required), (Keep::Payload, false));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Recorded {
    /// How much of the input is kept.
    pub keep: Keep,
    /// How much of the record is kept, and for how long.
    pub retention: Retention,
    /// Whether a record must be on the disk before an action goes on.
    pub required: bool,
    /// Whether what the kernel refuses to confined hooks is seen and told.
    pub refusals: bool,
}

impl Default for Recorded {
    fn default() -> Self {
        Self {
            keep: Keep::default(),
            retention: Retention::default(),
            required: false,
            refusals: true,
        }
    }
}

impl Recorded {
    /// Reads what is configured for this machine and person. Of each table the managed file is taken as a whole where it
    /// says anything, else the person's own.
    pub fn of(world: &World) -> Result<Self, ConfigError> {
        Self::read(&ConfigFiles::of(world))
    }

    /// Reads what is configured in these files.
    pub fn read(files: &ConfigFiles) -> Result<Self, ConfigError> {
        let recorded = first(files, "record", of_record)?;
        let recorded = recorded.map_or_else(Self::default, |(recorded, _)| recorded);
        let (required, _) = first(files, "audit", of_audit)?.unwrap_or_default();
        Ok(Self {
            required,
            ..recorded
        })
    }

    /// Returns what holds where the files cannot be read, the strictest of each: a record is required, and no input is in it.
    pub fn unreadable() -> Self {
        Self {
            keep: Keep::Verdicts,
            required: true,
            ..Self::default()
        }
    }

    /// Opens the record of this machine and person; nothing where there is no home, unless a record is required: then every
    /// event fails to be kept, and says so.
    pub fn store(&self, world: &World) -> Option<Jsonl> {
        let folder = match (&world.places, self.required) {
            (Some(places), _) => places.reports(),
            (None, true) => "/dev/null/anyhook".into(),
            (None, false) => return None,
        };
        let durable = if self.required {
            Durable::Yes
        } else {
            Durable::No
        };
        Some(
            Jsonl::new(folder, self.keep)
                .retaining(self.retention)
                .durable(durable),
        )
    }
}

fn of_record(table: &dyn TableLike) -> Result<Recorded, Wrong> {
    let mut recorded = Recorded::default();
    let Recorded {
        keep,
        retention,
        refusals,
        ..
    } = &mut recorded;
    for (name, item) in table.iter() {
        match name {
            "input" => *keep = keep_of(item)?,
            "refusals" => {
                let what = "`record.refusals` must be `true` or `false`".to_owned();
                *refusals = item.as_bool().ok_or((item.span(), what))?;
            }
            "size" => retention.total = number(name, item, 1..=1_048_576)? << 20,
            "days" => {
                let days = number(name, item, 1..=36_500)?;
                retention.days = days.try_into().unwrap_or(u32::MAX);
            }
            _ => return Err((item.span(), format!("unknown field `record.{name}`"))),
        }
    }
    retention.segment = retention.segment.min(retention.total / 4);
    Ok(recorded)
}

fn keep_of(item: &Item) -> Result<Keep, Wrong> {
    match item.as_str() {
        Some("none") => Ok(Keep::Verdicts),
        Some("shape") => Ok(Keep::Shape),
        Some("redacted") => Ok(Keep::Payload),
        Some(_) | None => Err((
            item.span(),
            "`record.input` must be `none`, `shape` or `redacted`".to_owned(),
        )),
    }
}

fn number(name: &str, item: &Item, within: std::ops::RangeInclusive<u64>) -> Result<u64, Wrong> {
    let number = item
        .as_integer()
        .and_then(|number| u64::try_from(number).ok());
    let (least, most) = (within.start(), within.end());
    let what = || format!("`record.{name}` must be a whole number from {least} to {most}");
    number
        .filter(|number| within.contains(number))
        .ok_or_else(|| (item.span(), what()))
}

fn of_audit(table: &dyn TableLike) -> Result<bool, Wrong> {
    let mut required = false;
    for (name, item) in table.iter() {
        match name {
            "required" => {
                let what = "`audit.required` must be `true` or `false`".to_owned();
                required = item.as_bool().ok_or((item.span(), what))?;
            }
            _ => return Err((item.span(), format!("unknown field `audit.{name}`"))),
        }
    }
    Ok(required)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(managed: &str, user: &str) -> Result<Recorded, String> {
        let place = tempfile::tempdir().unwrap();
        let written = |name: &str, text: &str| {
            std::fs::write(place.path().join(name), text).unwrap();
            Some(place.path().join(name))
        };
        let files = ConfigFiles {
            managed: written("managed.toml", managed),
            user: written("user.toml", user),
        };
        let folder = format!("{}/", place.path().display());
        Recorded::read(&files).map_err(|error| error.to_string().replace(&folder, ""))
    }

    #[test]
    fn the_administrator_decides_about_each_table_that_is_managed() {
        let user = "[record]\ninput = \"none\"\nsize = 8\ndays = 7\n[audit]\nrequired = false\n";
        let own = read("", user).unwrap();
        assert_eq!(
            (own.keep, own.retention.total, own.retention.days),
            (Keep::Verdicts, 8 << 20, 7)
        );
        assert_eq!(
            own.retention.segment,
            2 << 20,
            "no segment is longer than a quarter of all"
        );
        let managed = read("[audit]\nrequired = true\n", user).unwrap();
        assert_eq!((managed.required, managed.keep), (true, Keep::Verdicts));
        assert_eq!(
            read("[record]\ninput = \"shape\"\n", user).unwrap().keep,
            Keep::Shape
        );
    }

    #[test]
    fn a_mistake_is_named_with_its_place_and_never_makes_the_record_optional() {
        for (text, expected) in [
            (
                "[record]\ninput = \"all\"\n",
                "`user.toml:2:9`: `record.input` must be `none`, `shape` or `redacted`",
            ),
            (
                "[record]\nsize = 0\n",
                "`user.toml:2:8`: `record.size` must be a whole number from 1 to 1048576",
            ),
            (
                "[record]\nrefusals = \"off\"\n",
                "`user.toml:2:12`: `record.refusals` must be `true` or `false`",
            ),
            (
                "[audit]\nrequired = 1\n",
                "`user.toml:2:12`: `audit.required` must be `true` or `false`",
            ),
            (
                "[audit]\nneeded = true\n",
                "`user.toml:2:10`: unknown field `audit.needed`",
            ),
        ] {
            assert_eq!(read("", text).unwrap_err(), expected);
        }
        let strict = Recorded::unreadable();
        assert_eq!((strict.required, strict.keep), (true, Keep::Verdicts));
        let seen = |text: &str| read("", text).unwrap().refusals;
        assert!(seen("") && seen("[record]\ndays = 7\n") && Recorded::unreadable().refusals);
        assert!(!seen("[record]\nrefusals = false\n"));
    }
}
