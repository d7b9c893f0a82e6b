//! `text -> text without secrets`: one table of rules, and how it is held against texts and JSON.
//!
//! ```
//! use anyhook_core::redact::{self, MatchedRules, LONGEST, Redactor, UNSCANNED};
//! use serde_json::json;
//!
//! let token = ["ghp_", "16C7e42F292c6912E7710c838347Ae178B4a"].concat();
//! let said = redact::text(&format!("clone with {token} please")).into_owned();
//! assert_eq!(said, "clone with [REDACTED:SECRET:github-token] please");
//!
//! // JSON keeps its shape; keys are texts too, and a field that is called a password is one.
//! let mut data = json!({"session_id": "s1", "env": {"password": "x", token: 1}});
//! let found = redact::value(&mut data);
//! assert_eq!(
//!     data,
//!     json!({"session_id": "s1", "env": {
//!         "password": "[REDACTED:SECRET:named-field]",
//!         "[REDACTED:SECRET:github-token]": 1,
//!     }})
//! );
//! assert_eq!(found, MatchedRules::from(["github-token", "named-field"]));
//!
//! // Who cannot look hides everything.
//! assert_eq!(redact::text(&"a".repeat(LONGEST + 1)), UNSCANNED);
//!
//! // What no rule names is left alone.
//! let own = Redactor::default().allowing(["user.email"]);
//! let mut data = json!({"user": {"email": "jane@example.org", "note": "jane@example.org"}});
//! own.value(&mut data);
//! assert_eq!(data["user"], json!({"email": "jane@example.org", "note": "[REDACTED:PII:email]"}));
//! ```
//!
//! A text is passed over once, for the beginnings of all rules together; only where one is seen a pattern is compiled and
//! held against the part around it. What cannot be scanned, because it is too long or too deep, is hidden as a whole.
//! Nothing is decoded: a secret in base64 or in another encoding is not seen, except in a header `Authorization: Basic`.

mod arguments;
mod checks;
mod rule;
mod scan;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::collections::BTreeSet;

use serde_json::Value;

use rule::FIELDS;
pub use rule::{CharacterSet, Prefilter, RULES, RedactionClass, RedactionRule, SecretShape};
use scan::RuleMask;

use crate::event::Map;

/// The names of the rules that found something.
pub type MatchedRules = BTreeSet<&'static str>;

/// The longest text that is scanned, in bytes; a longer one is hidden as a whole.
pub const LONGEST: usize = 1024 * 1024;

/// The text that replaces a value that could not be scanned.
pub const UNSCANNED: &str = "[REDACTED:UNSCANNED]";

/// The deepest value that is looked into.
const DEEPEST: usize = 128;

/// The rule of fields whose name says that they are secret.
const NAMED: &str = "named-field";
const NAMED_MARKER: &str = "[REDACTED:SECRET:named-field]";
/// The rule of arguments that a program takes for a secret.
const ARGUMENT: &str = "argument";
const ARGUMENT_MARKER: &str = "[REDACTED:SECRET:argument]";
/// The rule that is said of what could not be scanned.
const UNSCANNED_RULE: &str = "unscanned";

/// Hides the secrets and personal data of a text.
///
/// ```
/// use anyhook_core::redact::text;
/// assert_eq!(text("mail jane@example.org"), "mail [REDACTED:PII:email]");
/// assert_eq!(text("nothing to see"), "nothing to see");
/// ```
pub fn text(text: &str) -> Cow<'_, str> {
    Redactor::default().text(text, &mut MatchedRules::new())
}

/// Hides the secrets and personal data of a value, and says which rules found some.
///
/// ```
/// use anyhook_core::redact::value;
/// use serde_json::json;
///
/// let mut said = json!(["call +44 20 7946 0958", 7]);
/// assert_eq!(value(&mut said).len(), 1);
/// assert_eq!(said, json!(["call [REDACTED:PII:phone]", 7]));
/// ```
pub fn value(value: &mut Value) -> MatchedRules {
    Redactor::default().value(value)
}

/// Which rules are looked for, and where they are not.
///
/// ```
/// use anyhook_core::redact::{RedactionClass, MatchedRules, LONGEST, Redactor, UNSCANNED};
///
/// let secrets = Redactor::of(&[RedactionClass::Secret]);
/// let mut found = MatchedRules::new();
/// assert_eq!(secrets.text("jane@example.org", &mut found), "jane@example.org");
/// // Who cannot look hides everything.
/// assert_eq!(secrets.text(&"a".repeat(LONGEST + 1), &mut found), UNSCANNED);
/// assert!(found.contains("unscanned"));
/// ```
#[derive(Debug, Clone)]
pub struct Redactor {
    wanted: RuleMask,
    names_secrets: bool,
    /// The steps of each dotted path.
    allowed: Vec<Vec<Box<str>>>,
}

impl Default for Redactor {
    fn default() -> Self {
        Self::of(&[RedactionClass::Secret, RedactionClass::Personal])
    }
}

impl Redactor {
    /// Looks for the rules of these classes.
    pub fn of(classes: &[RedactionClass]) -> Self {
        let picked = Self::picking(|rule| classes.contains(&rule.class));
        if classes.contains(&RedactionClass::Secret) {
            picked.with_named_fields()
        } else {
            picked
        }
    }

    /// Looks for the rules that the caller picks.
    ///
    /// ```
    /// use anyhook_core::redact::{MatchedRules, Redactor};
    ///
    /// let mails = Redactor::picking(|rule| rule.id == "email");
    /// let said = mails.text("jane@example.org, 4111 1111 1111 1111", &mut MatchedRules::new()).into_owned();
    /// assert_eq!(said, "[REDACTED:PII:email], 4111 1111 1111 1111");
    /// ```
    pub fn picking(pick: impl Fn(&RedactionRule) -> bool) -> Self {
        let picked = RULES.iter().enumerate().filter(|(_, rule)| pick(rule));
        Self {
            wanted: picked.fold(0, |wanted, (at, _)| wanted | (1 << at)),
            names_secrets: false,
            allowed: Vec::new(),
        }
    }

    /// Hides fields too whose name says that they hold a secret, such as `password`.
    ///
    /// ```
    /// use anyhook_core::redact::Redactor;
    /// use serde_json::json;
    ///
    /// let mut data = json!({"env": {"password": "x"}});
    /// Redactor::picking(|_| false).with_named_fields().value(&mut data);
    /// assert_eq!(data["env"]["password"], "[REDACTED:SECRET:named-field]");
    /// ```
    pub fn with_named_fields(mut self) -> Self {
        self.names_secrets = true;
        self
    }

    /// Leaves these fields alone: dotted paths, in which `*` stands for any name or place.
    pub fn allowing<P: AsRef<str>>(mut self, paths: impl IntoIterator<Item = P>) -> Self {
        let steps = |path: P| path.as_ref().split('.').map(Box::from).collect();
        self.allowed.extend(paths.into_iter().map(steps));
        self
    }

    /// Hides what it finds in a text.
    pub fn text<'t>(&self, text: &'t str, found: &mut MatchedRules) -> Cow<'t, str> {
        if text.len() > LONGEST {
            found.insert(UNSCANNED_RULE);
            return UNSCANNED.to_owned().into();
        }
        let mut hits = scan::find(text, self.wanted);
        if self.names_secrets {
            let given = arguments::find(text).into_iter();
            hits.extend(given.map(|range| (range, RULES.len())));
            hits = scan::merged(hits);
        }
        if hits.is_empty() {
            return Cow::Borrowed(text);
        }
        let mut safe = String::with_capacity(text.len());
        let mut done = 0;
        for (range, at) in hits {
            let (id, marker) = match RULES.get(at) {
                Some(rule) => (rule.id, rule.marker()),
                None => (ARGUMENT, ARGUMENT_MARKER.to_owned()),
            };
            found.insert(id);
            safe.push_str(text.get(done..range.start).unwrap_or_default());
            safe.push_str(&marker);
            done = range.end;
        }
        safe.push_str(text.get(done..).unwrap_or_default());
        Cow::Owned(safe)
    }

    /// Hides what it finds in a value, keys included, and says which rules found something.
    pub fn value(&self, value: &mut Value) -> MatchedRules {
        let (mut found, mut way) = (MatchedRules::new(), Vec::new());
        self.inside(value, &mut way, &mut found);
        found
    }

    /// One field, whose name may say what it holds.
    fn field(
        &self,
        name: &str,
        value: &mut Value,
        way: &mut Vec<String>,
        found: &mut MatchedRules,
    ) {
        let is_told = match value {
            Value::String(text) => !text.is_empty() && !text.starts_with("[REDACTED:"),
            Value::Number(_) => true,
            Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => false,
        };
        if self.names_secrets && is_told && names_a_secret(name) {
            found.insert(NAMED);
            *value = NAMED_MARKER.into();
            return;
        }
        if let Value::Number(number) = value {
            let text = number.to_string();
            let is_time = name.contains("time") || name.ends_with("at") || is_id(name);
            let may_tell = !is_time && (14..=16).contains(&text.len());
            if may_tell && let Cow::Owned(safe) = self.text(&text, found) {
                *value = safe.into();
            }
            return;
        }
        self.inside(value, way, found);
    }

    /// Looks into a value, to which these steps lead from the outermost one.
    fn inside(&self, value: &mut Value, way: &mut Vec<String>, found: &mut MatchedRules) {
        if way.len() > DEEPEST {
            found.insert(UNSCANNED_RULE);
            *value = UNSCANNED.into();
            return;
        }
        match value {
            Value::String(text) => {
                if let Cow::Owned(safe) = self.text(text, found) {
                    *text = safe;
                }
            }
            Value::Array(list) => {
                self.arguments(list, found);
                for (at, value) in list.iter_mut().enumerate() {
                    way.push(at.to_string());
                    if !self.is_allowed(way) {
                        self.inside(value, way, found);
                    }
                    way.pop();
                }
            }
            Value::Object(fields) => {
                let is_event = way.is_empty();
                for (name, value) in fields.iter_mut() {
                    way.push(name.clone());
                    let is_left = is_event && is_id(name) || self.is_allowed(way);
                    if !is_left {
                        self.field(name, value, way, found);
                    }
                    way.pop();
                }
                self.keys(fields, found);
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    /// Hides what the words of a command give to a program.
    fn arguments(&self, list: &mut [Value], found: &mut MatchedRules) {
        let words: Option<Vec<&str>> = list.iter().map(Value::as_str).collect();
        let words = words.filter(|_| self.names_secrets).unwrap_or_default();
        for (place, range) in arguments::find_in_list(&words) {
            if let Some(Value::String(word)) = list.get_mut(place) {
                found.insert(ARGUMENT);
                word.replace_range(range, ARGUMENT_MARKER);
            }
        }
    }

    /// Hides what is in keys. Two that become one are told apart by a number, so that no value is lost.
    fn keys(&self, fields: &mut Map, found: &mut MatchedRules) {
        let mut own = MatchedRules::new();
        let mut is_telling = |name: &String| matches!(self.text(name, &mut own), Cow::Owned(_));
        if !fields.keys().any(&mut is_telling) {
            return;
        }
        let mut safe = Map::new();
        for (name, value) in std::mem::take(fields) {
            let plain = self.text(&name, found).into_owned();
            let mut key = plain.clone();
            let mut number = 2;
            while safe.contains_key(&key) {
                key = format!("{plain} {number}");
                number += 1;
            }
            safe.insert(key, value);
        }
        *fields = safe;
    }

    fn is_allowed(&self, way: &[String]) -> bool {
        self.allowed.iter().any(|path| {
            let mut steps = path.iter().zip(way);
            path.len() == way.len()
                && steps.all(|(wanted, step)| **wanted == **step || **wanted == *"*")
        })
    }
}

/// Tells whether a field of an event says which one it is, or when it happened.
fn is_id(name: &str) -> bool {
    matches!(name, "id" | "uuid" | "timestamp" | "ts") || name.ends_with("_id")
}

fn names_a_secret(name: &str) -> bool {
    let letters = || name.bytes().filter(u8::is_ascii_alphanumeric);
    // The length says of most names that they are none of these.
    let length = letters().count();
    let is = |secret: &&str| secret.bytes().eq(letters().map(|b| b.to_ascii_lowercase()));
    let mut names = FIELDS.iter().filter(|secret| secret.len() == length);
    names.any(is)
}
