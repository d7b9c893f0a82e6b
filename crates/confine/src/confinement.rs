//! What a command may touch, as data: what `sandbox` in `hooks.json` and the flags of `anyhook confine` say.

use std::fmt;
use std::num::{NonZeroU32, NonZeroU64};
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::place::{Place, PlaceError, Target};
use crate::roots::Roots;

/// What a command may touch.
///
/// What is not said is the strict reading: it reads the project and the folders of the system, writes nothing and has no
/// network. A limit that is not said is no limit, and without `env` every variable passes.
///
/// `P` is how a place is written: as people write it ([`Place`]), or as the helper gets it ([`Target`], see [`Spec`]).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
#[serde(bound(deserialize = "P: Deserialize<'de>, Confinement<P>: Default"))]
#[serde(default)]
pub struct Confinement<P = Place> {
    /// What it may read and execute, beside the folders of the system.
    pub read: Vec<P>,
    /// What it may change, and read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub write: Vec<P>,
    /// Whom it may connect to.
    pub network: Network,
    /// The variables that pass, where only some do; a name may end in `*`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub env: Option<Vec<String>>,
    /// How much memory each of its processes may reserve.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory: Option<Memory>,
    /// How many processes and threads it may have at a time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub processes: Option<NonZeroU32>,
    /// How many seconds each of its processes may use a processor.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpu: Option<NonZeroU64>,
    /// Whether it may not run where any of this cannot be had.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub required: bool,
}

/// A confinement whose places are found: what the helper program gets.
pub type Spec = Confinement<Target>;

impl Default for Confinement<Place> {
    fn default() -> Self {
        Self {
            read: vec![Place::project()],
            ..Self::nothing()
        }
    }
}

impl Default for Spec {
    fn default() -> Self {
        Self::nothing()
    }
}

impl<P> Confinement<P> {
    /// Nothing but the folders of the system, without any limit.
    fn nothing() -> Self {
        Self {
            read: Vec::new(),
            write: Vec::new(),
            network: Network::None,
            env: None,
            memory: None,
            processes: None,
            cpu: None,
            required: false,
        }
    }
}

/// The variables that the default confinement of a package lets pass: who and where, and what our own hooks are told.
const ENV_OF_PACKAGE: &[&str] = &[
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "PWD",
    "LANG",
    "LC_*",
    "TZ",
    "TERM",
    "NO_COLOR",
    "TMPDIR",
    "PACKAGE_ROOT",
    "PROJECT_DIR",
    "PROJECT_ROOT",
    "CLAUDE_PLUGIN_ROOT",
    "CLAUDE_PROJECT_DIR",
    "PYTHONDONTWRITEBYTECODE",
    "ANYHOOK_*",
];

impl Confinement {
    /// What holds for a package that was added from elsewhere and says nothing itself: it reads the project and its own copy,
    /// writes its private folder, and has no network.
    pub fn of_package() -> Self {
        Self {
            read: vec![Place::project(), Place::package()],
            write: vec![Place::private()],
            env: Some(ENV_OF_PACKAGE.iter().map(ToString::to_string).collect()),
            ..Self::nothing()
        }
    }

    /// Finds the places of this confinement.
    pub fn spec(&self, roots: &Roots) -> Result<Spec, PlaceError> {
        let find = |places: &[Place]| {
            let found = places.iter().map(|place| place.target(roots));
            found.collect::<Result<Vec<Target>, PlaceError>>()
        };
        let programs = roots
            .programs
            .iter()
            .filter_map(|folder| Target::folder(folder));
        let mut read = find(&self.read)?;
        read.extend(programs);
        Ok(Spec {
            read,
            write: find(&self.write)?,
            network: self.network,
            env: self.env.clone(),
            memory: self.memory,
            processes: self.processes,
            cpu: self.cpu,
            required: self.required,
        })
    }
}

impl Spec {
    /// Writes what the helper program gets as its first argument.
    pub fn to_argument(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Says whether a variable of this name passes.
    pub fn passes(&self, name: &str) -> bool {
        let fits = |pattern: &String| match pattern.strip_suffix('*') {
            Some(start) => name.starts_with(start),
            None => name == pattern,
        };
        self.env.as_ref().is_none_or(|env| env.iter().any(fits))
    }
}

/// Whom a command may connect to.
///
/// None of them opens Unix sockets to services of this machine (Docker, the session bus, an SSH agent): through these a
/// command would act outside of its confinement.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Network {
    /// Nothing.
    #[default]
    None,
    /// Programs that it started itself, on a loopback of its own.
    Loopback,
    /// Every address of the internet protocols.
    Any,
}

impl Network {
    /// Every network, in the order of what it opens.
    pub const ALL: &[Self] = &[Self::None, Self::Loopback, Self::Any];

    /// Returns the word for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Loopback => "loopback",
            Self::Any => "any",
        }
    }
}

/// An amount of memory: a number of bytes, or a text such as `512MB`. A kilobyte has 1,024 bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(try_from = "Amount", into = "String")]
pub struct Memory(NonZeroU64);

/// The two forms in which an amount is written.
#[derive(Deserialize)]
#[serde(untagged)]
enum Amount {
    Bytes(u64),
    Text(String),
}

/// The units of memory, the largest first.
const UNITS: &[(&str, u64)] = &[("GB", 1 << 30), ("MB", 1 << 20), ("KB", 1 << 10)];

/// A text that says no amount of memory.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no amount of memory: write a number of bytes, or one such as `512MB` or `2GB`")]
pub struct MemoryError(String);

impl Memory {
    /// Returns the number of bytes.
    pub fn bytes(self) -> u64 {
        self.0.get()
    }
}

impl FromStr for Memory {
    type Err = MemoryError;

    fn from_str(text: &str) -> Result<Self, MemoryError> {
        let unit = UNITS.iter().find_map(|(unit, bytes)| {
            let count = text.strip_suffix(unit)?;
            Some((count.trim_end(), *bytes))
        });
        let (count, bytes) = unit.unwrap_or((text, 1));
        let count = count
            .parse()
            .ok()
            .and_then(|count: u64| count.checked_mul(bytes));
        let bytes = count.and_then(NonZeroU64::new);
        bytes.map(Self).ok_or_else(|| MemoryError(text.to_owned()))
    }
}

impl TryFrom<Amount> for Memory {
    type Error = MemoryError;

    fn try_from(amount: Amount) -> Result<Self, MemoryError> {
        match amount {
            Amount::Bytes(bytes) => NonZeroU64::new(bytes)
                .map(Self)
                .ok_or_else(|| MemoryError(bytes.to_string())),
            Amount::Text(text) => text.parse(),
        }
    }
}

impl From<Memory> for String {
    fn from(memory: Memory) -> Self {
        memory.to_string()
    }
}

impl fmt::Display for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bytes = self.bytes();
        match UNITS.iter().find(|(_, size)| bytes.is_multiple_of(*size)) {
            Some((unit, size)) => write!(f, "{}{unit}", bytes / size),
            None => write!(f, "{bytes}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(value: serde_json::Value) -> Result<Confinement, String> {
        serde_json::from_value(value).map_err(|error| error.to_string())
    }

    #[test]
    fn what_is_not_said_is_the_strict_reading() {
        let said = read(json!({})).unwrap();
        assert_eq!(said, Confinement::default());
        assert_eq!(said.read, [Place::project()]);
        assert_eq!((said.write.len(), said.network), (0, Network::None));
        let write = read(json!({"write": ["./build/**"]})).unwrap();
        assert_eq!(
            write.read,
            [Place::project()],
            "what may be written takes nothing from what may be read"
        );
        assert_eq!(read(json!({"read": []})).unwrap().read, []);
    }

    #[test]
    fn a_confinement_is_read_as_it_is_written() {
        let all = json!({
            "read": ["./**", "~/.config/git/config"], "write": ["${PRIVATE}/**"], "network": "loopback",
            "env": ["PATH", "LC_*"], "memory": "512MB", "processes": 64, "cpu": 10, "required": true,
        });
        let said = read(all.clone()).unwrap();
        assert_eq!(serde_json::to_value(&said).unwrap(), all);
        assert_eq!(said.memory.map(Memory::bytes), Some(512 << 20));
    }

    #[test]
    fn a_field_or_a_word_that_is_unknown_is_an_error() {
        assert!(
            read(json!({"netwrok": "any"}))
                .unwrap_err()
                .contains("unknown field `netwrok`")
        );
        assert!(
            read(json!({"network": "some"}))
                .unwrap_err()
                .contains("unknown variant `some`")
        );
        assert!(read(json!({"processes": 0})).is_err());
        assert!(read(json!({"cpu": -1})).is_err());
        assert!(
            read(json!({"write": ["./*.rs"]}))
                .unwrap_err()
                .contains("knows folders and files")
        );
    }

    #[test]
    fn an_amount_of_memory_has_one_short_form() {
        for (text, bytes) in [
            ("1024", 1 << 10),
            ("1KB", 1 << 10),
            ("512 MB", 512 << 20),
            ("2GB", 2 << 30),
            ("7", 7),
        ] {
            let memory: Memory = text.parse().unwrap();
            assert_eq!(memory.bytes(), bytes, "{text}");
            assert_eq!(
                memory.to_string().parse::<Memory>().unwrap(),
                memory,
                "{text}"
            );
        }
        for text in [
            "",
            "0",
            "0MB",
            "MB",
            "-1",
            "1.5GB",
            "99999999999GB",
            "1TB",
            "much",
        ] {
            let told = text.parse::<Memory>().unwrap_err().to_string();
            assert!(told.contains(&format!("`{text}`")), "{told}");
        }
    }

    #[test]
    fn variables_pass_by_name_or_by_the_beginning_of_a_name() {
        let with = |env: Option<Vec<String>>| Spec {
            env,
            ..Spec::default()
        };
        assert!(with(None).passes("AWS_SECRET"));
        assert!(!with(Some(Vec::new())).passes("PATH"));
        let some = with(Some(vec!["PATH".to_owned(), "LC_*".to_owned()]));
        let passing = |name: &&&str| some.passes(name);
        let names = ["PATH", "PATHS", "LC_ALL", "XLC_ALL", "LC_"];
        assert_eq!(
            names.iter().filter(passing).collect::<Vec<_>>(),
            [&"PATH", &"LC_ALL", &"LC_"]
        );
    }

    #[test]
    fn what_the_helper_gets_says_the_same() {
        let roots = Roots {
            project: "/p".into(),
            home: Some("/h".into()),
            package: Some("/k".into()),
            private: Some("/s".into()),
            programs: vec!["/h/.nvm".into()],
        };
        let spec = Confinement::of_package().spec(&roots).unwrap();
        let argument = spec.to_argument();
        assert!(
            argument.starts_with(
                r#"{"read":["/p/","/k/","/h/.nvm/"],"write":["/s/"],"network":"none","env":["PATH""#
            ),
            "{argument}"
        );
        assert_eq!(serde_json::from_str::<Spec>(&argument).unwrap(), spec);
    }
}
