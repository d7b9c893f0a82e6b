//! The tables of `config.toml`, each as it is read.

use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Deserializer};

use crate::files::Durability;
use crate::limits::InjectionLimits;
use crate::stores::{Jsonl, RecordDetail, Retention};
use crate::world::World;

/// Where the page stands if nothing else is said.
const PAGE: &str = "http://127.0.0.1:7467";
/// The most commands that tell a person of a question.
const MOST: usize = 8;

/// `[session]`, where TOML has no `null` for no limit.
#[derive(Default, Deserialize)]
#[serde(transparent)]
pub(super) struct SessionTable(#[serde(with = "SessionFields")] pub(super) InjectionLimits);

#[derive(Deserialize)]
#[serde(
    remote = "InjectionLimits",
    default = "InjectionLimits::default",
    deny_unknown_fields
)]
struct SessionFields {
    #[serde(deserialize_with = "limit")]
    injection_size_limit: Option<usize>,
    #[serde(deserialize_with = "limit")]
    injection_budget_per_turn: Option<u64>,
    strict: bool,
}

#[derive(Deserialize)]
#[serde(remote = "RecordDetail", rename_all = "lowercase")]
enum InputDetail {
    #[serde(rename = "none")]
    Verdicts,
    Shape,
    #[serde(rename = "redacted")]
    Payload,
}

/// `[audit]`.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct AuditTable {
    pub(super) required: bool,
}

/// What is kept of each event, for how long, and whether an event may go on that could not be kept.
///
/// ```
/// use anyhook_engine::config::RecordSettings;
/// use anyhook_engine::stores::RecordDetail;
///
/// let usual = RecordSettings::default();
/// assert_eq!((usual.keep, usual.required), (RecordDetail::Payload, false));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RecordSettings {
    /// How much of the input is kept.
    #[serde(rename = "input", with = "InputDetail")]
    pub keep: RecordDetail,
    /// How many bytes all of the record may take.
    #[serde(deserialize_with = "megabytes")]
    pub size: u64,
    /// For how many days it is kept.
    #[serde(deserialize_with = "days")]
    pub days: u64,
    /// Whether what the kernel refuses to confined hooks is seen and told.
    pub refusals: bool,
    /// Whether a record must be on the disk before an action goes on: `[audit]` says so.
    #[serde(skip)]
    pub required: bool,
}

impl Default for RecordSettings {
    fn default() -> Self {
        let Retention { total, days, .. } = Retention::default();
        Self {
            keep: RecordDetail::Payload,
            size: total,
            days: days.into(),
            refusals: true,
            required: false,
        }
    }
}

impl RecordSettings {
    /// Returns what is configured for the record. The line tells of a file that cannot be used.
    pub fn of(world: &World) -> Self {
        let record = world.config().record.clone();
        record.unwrap_or_else(|_| Self::unreadable())
    }

    /// Returns what holds where the files cannot be read, the strictest of each: a record is required, and no input is in it.
    pub fn unreadable() -> Self {
        Self {
            keep: RecordDetail::Verdicts,
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
            Durability::Yes
        } else {
            Durability::No
        };
        let store = Jsonl::new(folder, self.keep).retaining(self.retention());
        Some(store.durable(durable))
    }

    /// Returns how much of it is kept, in segments of at most a quarter of all.
    pub(super) fn retention(&self) -> Retention {
        Retention {
            segment: Retention::default().segment.min(self.size / 4),
            total: self.size,
            days: self.days.try_into().unwrap_or(u32::MAX),
        }
    }
}

/// What an answer of a person takes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AnswerSettings {
    /// Whether nothing is granted before a passphrase is set.
    #[serde(rename = "passphrase", deserialize_with = "required")]
    pub passphrase_required: bool,
    /// How long an event waits for an answer given elsewhere, at most: no time is not to wait. Nothing: it waits only as long
    /// as the hook that asks says, else it refuses, and the agent tries again.
    #[serde(deserialize_with = "wait")]
    pub wait: Option<Duration>,
}

impl AnswerSettings {
    /// Adds what the person says to what the administrator says: a passphrase is required where one of them requires it.
    pub(super) fn or(self, user: Self) -> Self {
        Self {
            passphrase_required: self.passphrase_required || user.passphrase_required,
            wait: self.wait.or(user.wait),
        }
    }

    /// Returns what holds where the files cannot be read: whether a passphrase is required is unknown then, so it is.
    pub fn unreadable() -> Self {
        Self {
            passphrase_required: true,
            wait: None,
        }
    }
}

/// What tells a person of a question.
///
/// ```
/// use anyhook_engine::config::NotifySettings;
/// assert_eq!(NotifySettings::default().page, "http://127.0.0.1:7467");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct NotifySettings {
    /// Programs with their arguments; each reads the question as JSON.
    #[serde(deserialize_with = "commands")]
    pub commands: Vec<Vec<String>>,
    /// Where the page stands that links lead to.
    #[serde(deserialize_with = "page")]
    pub page: String,
}

impl Default for NotifySettings {
    fn default() -> Self {
        Self {
            commands: Vec::new(),
            page: PAGE.to_owned(),
        }
    }
}

/// Which servers hooks of type `http` may ask, and which variables they may send.
///
/// ```
/// use anyhook_engine::config::HttpSettings;
///
/// let open = HttpSettings::default();
/// assert!(open.allows("hooks.example.com") && open.sends("TOKEN") && !open.names("intranet"));
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct HttpSettings {
    /// The hosts, where they are limited; `*.example.com` is every host below it.
    pub hosts: Option<Vec<String>>,
    /// The variables, where they are limited.
    #[serde(rename = "env")]
    pub variables: Option<Vec<String>>,
}

impl HttpSettings {
    /// Tells whether a host may be asked.
    pub fn allows(&self, host: &str) -> bool {
        self.hosts.is_none() || self.names(host)
    }

    /// Tells whether a host is on the list, so that its name may lead to a private address.
    pub fn names(&self, host: &str) -> bool {
        let is = |listed: &String| match listed.strip_prefix("*.") {
            Some(above) => {
                let rest = host.len().checked_sub(above.len());
                let split = rest.and_then(|rest| host.split_at_checked(rest));
                split.is_some_and(|(below, end)| {
                    end.eq_ignore_ascii_case(above) && below.ends_with('.') && below.len() > 1
                })
            }
            None => listed.eq_ignore_ascii_case(host),
        };
        self.hosts.iter().flatten().any(is)
    }

    /// Tells whether the value of a variable may be sent.
    pub fn sends(&self, variable: &str) -> bool {
        let listed = self.variables.as_ref();
        listed.is_none_or(|listed| listed.iter().any(|one| one == variable))
    }
}

/// How much a snapshot of what an action may destroy may take, and how long snapshots are kept.
///
/// ```
/// use anyhook_engine::config::UndoSettings;
/// let usual = UndoSettings::default();
/// assert_eq!((usual.time.as_secs(), usual.size >> 20, usual.days, usual.total >> 30), (2, 500, 7, 2));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct UndoSettings {
    /// The time that one may take.
    #[serde(deserialize_with = "milliseconds")]
    pub time: Duration,
    /// The bytes that one may take.
    #[serde(deserialize_with = "megabytes")]
    pub size: u64,
    /// The days that one is kept.
    #[serde(deserialize_with = "days")]
    pub days: u64,
    /// The bytes that all may take together.
    #[serde(deserialize_with = "megabytes")]
    pub total: u64,
}

impl Default for UndoSettings {
    fn default() -> Self {
        Self {
            time: Duration::from_secs(2),
            size: 500 << 20,
            days: 7,
            total: 2 << 30,
        }
    }
}

/// The receiver that gets every record; none where nothing is configured.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ExportSettings {
    /// The address of the receiver: OTLP over HTTP.
    #[serde(deserialize_with = "receiver")]
    pub otlp: Option<String>,
    /// What it wants to see in the header `Authorization`.
    pub authorization: Option<String>,
    /// How much of each record it gets: all that the record holds, which is without secrets, unless less is asked for.
    #[serde(with = "LevelDetail")]
    pub level: RecordDetail,
}

/// The server of a fleet, and what of the record it gets; the hooks themselves never ask it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FleetSettings {
    /// The address of the server, or those of a cluster with commas between them; none where nothing is configured.
    #[serde(deserialize_with = "servers")]
    pub server: Option<String>,
    /// The file of the person's key, which is called after the person.
    pub key: Option<PathBuf>,
    /// A file with the certificates that vouch for the server, where the system's own do not.
    pub authority: Option<PathBuf>,
    /// How much of each record leaves the machine: `decisions` unless more is asked for.
    #[serde(with = "LevelDetail")]
    pub level: RecordDetail,
}

impl Default for FleetSettings {
    fn default() -> Self {
        Self {
            server: None,
            key: None,
            authority: None,
            level: RecordDetail::Verdicts,
        }
    }
}

/// `[model]`; no key ever stands in it.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct ModelTable {
    pub(crate) provider: Option<String>,
    pub(crate) base_url: Option<String>,
    #[serde(rename = "model")]
    pub(crate) name: Option<String>,
    pub(crate) key_env: Option<String>,
}

/// A number, a word or a yes.
#[derive(Deserialize)]
#[serde(untagged)]
enum Scalar {
    Number(u64),
    Word(String),
    Yes(bool),
}

fn scalar<'de, D: Deserializer<'de>>(from: D) -> Option<Scalar> {
    Scalar::deserialize(from).ok()
}

fn must<E: serde::de::Error>(wanted: impl std::fmt::Display) -> E {
    E::custom(format_args!("must be {wanted}"))
}

fn limit<'de, D: Deserializer<'de>, T: TryFrom<u64>>(from: D) -> Result<Option<T>, D::Error> {
    match scalar(from) {
        Some(Scalar::Word(word)) if word == "none" => Ok(None),
        Some(Scalar::Number(number)) => Ok(number.try_into().ok()),
        Some(_) | None => Err(must("a whole number, or `\"none\"`")),
    }
}

fn number<'de, D: Deserializer<'de>>(from: D, of: &str, most: u64) -> Result<u64, D::Error> {
    match scalar(from) {
        Some(Scalar::Number(number)) if (1..=most).contains(&number) => Ok(number),
        Some(_) | None => Err(must(format_args!(
            "a whole number of {of} from 1 to {most}"
        ))),
    }
}

fn milliseconds<'de, D: Deserializer<'de>>(from: D) -> Result<Duration, D::Error> {
    number(from, "milliseconds", 600_000).map(Duration::from_millis)
}

fn megabytes<'de, D: Deserializer<'de>>(from: D) -> Result<u64, D::Error> {
    number(from, "megabytes", 1_048_576).map(|number| number << 20)
}

fn days<'de, D: Deserializer<'de>>(from: D) -> Result<u64, D::Error> {
    number(from, "days", 36_500)
}

fn word<'de, D: Deserializer<'de>>(
    from: D,
    fits: impl Fn(&str) -> bool,
    wanted: &str,
) -> Result<String, D::Error> {
    match scalar(from) {
        Some(Scalar::Word(word)) if fits(&word) => Ok(word),
        Some(_) | None => Err(must(wanted)),
    }
}

fn required<'de, D: Deserializer<'de>>(from: D) -> Result<bool, D::Error> {
    match scalar(from) {
        Some(Scalar::Word(word)) if word == "required" => Ok(true),
        Some(Scalar::Word(word)) if word == "optional" => Ok(false),
        Some(_) | None => Err(must("`\"required\"` or `\"optional\"`")),
    }
}

fn wait<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Duration>, D::Error> {
    match scalar(from) {
        Some(Scalar::Yes(true)) => Ok(Some(Duration::MAX)),
        Some(Scalar::Yes(false)) => Ok(Some(Duration::ZERO)),
        Some(Scalar::Number(seconds @ 1..=86_400)) => Ok(Some(Duration::from_secs(seconds))),
        Some(_) | None => Err(must(
            "`true`, `false`, or a number of seconds from 1 to 86400",
        )),
    }
}

fn commands<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Vec<String>>, D::Error> {
    let names_a_program = |words: &Vec<String>| words.first().is_some_and(|word| !word.is_empty());
    let commands = Vec::<Vec<String>>::deserialize(from).ok();
    commands
        .filter(|all| all.len() <= MOST && all.iter().all(names_a_program))
        .ok_or_else(|| must("up to 8 lists of a program and its arguments"))
}

fn page<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    let page = word(from, is_address, "an `http` or `https` address")?;
    Ok(page.trim_end_matches('/').to_owned())
}

fn receiver<'de, D: Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
    word(
        from,
        is_address,
        "an address such as `http://127.0.0.1:4318`",
    )
    .map(Some)
}

fn is_address(text: &str) -> bool {
    let rest = text
        .strip_prefix("https://")
        .or_else(|| text.strip_prefix("http://"));
    rest.is_some_and(|rest| !rest.is_empty())
        && !text.contains(|c: char| c.is_control() || c == ' ')
}

#[derive(Deserialize)]
#[serde(remote = "RecordDetail")]
enum LevelDetail {
    #[serde(rename = "decisions")]
    Verdicts,
    #[serde(rename = "shapes")]
    Shape,
    #[serde(rename = "redacted")]
    Payload,
}

/// Machines on the way could read what goes to another one without TLS.
fn servers<'de, D: Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
    let is_here = |rest: &str| {
        ["127.0.0.1", "localhost", "[::1]"].iter().any(|name| {
            let rest = rest.strip_prefix(name);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(':'))
        })
    };
    let is_safe = |address: &str| {
        address.starts_with("tls://") || address.strip_prefix("nats://").is_some_and(is_here)
    };
    let are_safe = |text: &str| text.split(',').all(is_safe) && !text.contains('@');
    let wanted = "an address such as `tls://nats.example.com:4222` without a name or a password; `nats://` is for this \
         machine alone";
    word(from, are_safe, wanted).map(Some)
}
