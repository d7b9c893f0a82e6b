//! `policy.json`: what a policy says besides its hooks, packages and settings.

use anyhook::policy::{ExpiryAction, PolicyException, VouchedPackage};
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};

use crate::error::{PolicyError, Trouble};
use crate::keys::NamedKey;

/// What a policy says besides its files.
///
/// ```
/// use anyhook_fleet::PolicyRules;
///
/// let rules = PolicyRules::read(br#"{"name": "acme", "revision": 12, "exceptions": [
///     {"hook": "no-publish", "owner": "grace", "reason": "release 4", "until": "2026-12-31"}
/// ]}"#)?;
/// assert_eq!((&*rules.name, rules.revision), ("acme", 12));
/// assert!(PolicyRules::read(br#"{"name": "acme", "revision": 12, "ecxeptions": []}"#).is_err());
/// # Ok::<(), anyhook_fleet::PolicyError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PolicyRules {
    /// Whose policy it is.
    pub name: String,
    /// Its number: a machine takes a higher one only.
    pub revision: u64,
    /// How long it holds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub holds: Option<PolicyValidity>,
    /// Keys that it adds and takes away.
    #[serde(default)]
    pub keys: KeyChanges,
    /// The packages of repositories that need no question to a person.
    #[serde(default)]
    pub trusted: Vec<VouchedPackage>,
    /// The exceptions.
    #[serde(default)]
    pub exceptions: Vec<ExceptionGrant>,
}

/// How long a policy holds, and what happens then.
///
/// ```
/// use anyhook_fleet::PolicyValidity;
/// let holds: PolicyValidity = serde_json::from_str(r#"{"days": 14, "then": "notice"}"#)?;
/// assert_eq!(holds.end(0), Ok(Some(14 * 86_400_000)));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PolicyValidity {
    /// So many days after its source last said that it is the one to have.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub days: Option<u32>,
    /// The last day, whatever the source says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<String>,
    /// What happens then.
    #[serde(default)]
    pub then: ExpiryAction,
}

/// The keys that a policy adds to those that a machine trusts, and those that count no more.
///
/// ```
/// use anyhook_fleet::KeyChanges;
/// assert!(KeyChanges::default().revoked.is_empty());
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeyChanges {
    /// The texts of public keys, which are trusted from now on.
    #[serde(default)]
    pub trusted: Vec<String>,
    /// The ids of keys that are trusted no more.
    #[serde(default)]
    pub revoked: Vec<String>,
}

/// An exception as the lead writes it.
///
/// ```
/// use anyhook_fleet::ExceptionGrant;
/// let granted: ExceptionGrant = serde_json::from_str(
///     r#"{"hook": "no-publish", "machines": ["0a1b2c3d4e5f6071"], "owner": "grace", "reason": "r", "until": "1970-01-01"}"#,
/// )?;
/// assert_eq!(granted.exception()?.until, 86_400_000, "it holds on its last day");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExceptionGrant {
    /// The hook that does not block.
    pub hook: String,
    /// The accounts that it is for; all where none is named.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub people: Vec<String>,
    /// The machines that it is for; all where none is named.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub machines: Vec<String>,
    /// Who granted it.
    pub owner: String,
    /// Why.
    pub reason: String,
    /// Its last day.
    pub until: String,
}

impl PolicyRules {
    /// Reads and judges them.
    pub fn read(text: &[u8]) -> Result<Self, PolicyError> {
        let rules: Self = serde_json::from_slice(text)?;
        rules.judged().map_err(|why| Trouble::Form.error(why))?;
        Ok(rules)
    }

    /// Says what is wrong with them.
    pub(crate) fn judged(&self) -> Result<(), String> {
        let is_plain = |text: &str| {
            !text.trim().is_empty() && text.len() <= 500 && !text.chars().any(char::is_control)
        };
        if !is_plain(&self.name) || self.revision == 0 {
            return Err("`name` is a text, and `revision` a number from 1".into());
        }
        if let Some(holds) = &self.holds {
            holds.end(0)?;
        }
        for granted in &self.exceptions {
            let texts = [&granted.hook, &granted.owner, &granted.reason];
            if !texts.into_iter().all(|text| is_plain(text)) {
                return Err("an exception names its `hook`, its `owner` and its `reason`".into());
            }
            end_of(&granted.until)?;
        }
        for vouched in &self.trusted {
            let is_digest =
                |text: &str| text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
            if !is_digest(&vouched.manifest) || !is_digest(&vouched.package) {
                return Err(
                    "`trusted` has two digests for each package: anyhook fleet policy digest FILE"
                        .into(),
                );
            }
        }
        for key in &self.keys.trusted {
            NamedKey::read(key).map_err(|error| format!("`keys.trusted`: {error}"))?;
        }
        Ok(())
    }

    /// Returns when they end if their source confirmed them at this time.
    pub(crate) fn end(&self, confirmed: i64) -> Result<Option<i64>, PolicyError> {
        let Some(holds) = &self.holds else {
            return Ok(None);
        };
        holds.end(confirmed).map_err(|why| Trouble::Form.error(why))
    }
}

impl PolicyValidity {
    /// Returns when it ends if its source confirmed it at this time.
    pub fn end(&self, confirmed: i64) -> Result<Option<i64>, String> {
        let days = self
            .days
            .map(|days| confirmed.saturating_add(i64::from(days) * DAY));
        let last = self.until.as_deref().map(end_of).transpose()?;
        Ok(days.into_iter().chain(last).min())
    }
}

impl ExceptionGrant {
    /// Makes it as the machines obey it.
    pub fn exception(&self) -> Result<PolicyException, String> {
        Ok(PolicyException {
            hook: self.hook.clone(),
            people: self.people.clone(),
            owner: self.owner.clone(),
            reason: self.reason.clone(),
            until: end_of(&self.until)?,
        })
    }
}

const DAY: i64 = 24 * 60 * 60 * 1000;

/// Returns the end of a day, by the clock of Greenwich.
fn end_of(day: &str) -> Result<i64, String> {
    let wrong = |_| format!("`{}` is no day; write it as 2026-12-31", day.escape_debug());
    let date: Date = day.parse().map_err(wrong)?;
    let begin = date.to_zoned(TimeZone::UTC).map_err(wrong)?;
    Ok(begin.timestamp().as_millisecond().saturating_add(DAY))
}

/// Writes a time as people read it.
pub(crate) fn shown(millis: i64) -> String {
    let time = Timestamp::from_millisecond(millis).unwrap_or_default();
    time.strftime("%Y-%m-%d %H:%MZ").to_string()
}
