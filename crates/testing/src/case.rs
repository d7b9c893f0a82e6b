//! A case as it is written: the seed's fields, and ours.

pub(crate) mod text;

use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;

use anyhook::core::fault::FaultKind;
use anyhook::core::result::Kind;
use anyhook::yaml::Spanned;
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

/// What a case runs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CaseMode {
    /// One entry of one group, alone: its own exit code and output.
    #[default]
    Hook,
    /// Everything that the event meets, as in production: what all hooks say together.
    Dispatch,
}

/// One file of `cases/`.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) struct CaseFile {
    pub(crate) name: Spanned<String>,
    pub(crate) description: Option<String>,
    pub(crate) event: Spanned<String>,
    #[serde(default)]
    pub(crate) mode: CaseMode,
    pub(crate) hook_index: Option<Spanned<usize>>,
    pub(crate) entry_index: Option<Spanned<usize>>,
    #[serde(rename = "as")]
    pub(crate) hosts: Option<Spanned<NameSelector>>,
    #[serde(default)]
    pub(crate) matrix: Pairs<Vec<Value>>,
    pub(crate) workspace: Option<Spanned<Value>>,
    #[serde(default)]
    pub(crate) stubs: BTreeMap<String, Spanned<Value>>,
    #[serde(default)]
    pub(crate) env: BTreeMap<String, String>,
    pub(crate) skip: Option<Spanned<String>>,
    pub(crate) timeout: Option<Spanned<f64>>,
    /// What the session has seen before.
    #[serde(default)]
    pub(crate) given: InitialState,
    #[serde(default)]
    pub(crate) input: CaseInput,
    #[serde(default)]
    pub(crate) expected: Expectations,
}

/// What the session has seen before.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub(crate) struct InitialState {
    /// The marks that are set.
    pub(crate) marks: Vec<String>,
}

/// What the hook reads.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub(crate) struct CaseInput {
    pub(crate) fixture: Option<Spanned<String>>,
    pub(crate) overrides: Pairs<Value>,
    pub(crate) before: Vec<EarlierEvent>,
    /// What every model says that is asked.
    pub(crate) model_response: Option<Spanned<Value>>,
}

/// An event that happened earlier in the same session.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) struct EarlierEvent {
    pub(crate) event: Spanned<String>,
    pub(crate) fixture: Option<Spanned<String>>,
    #[serde(default)]
    pub(crate) overrides: Pairs<Value>,
}

/// What has to be true afterwards; what is not named is not looked at.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub(crate) struct Expectations {
    pub(crate) exit_code: Option<Spanned<i32>>,
    pub(crate) stdout_contains: Vec<String>,
    pub(crate) stderr_contains: Vec<String>,
    pub(crate) not_contains: Vec<String>,
    pub(crate) stdout_json: Option<Spanned<Value>>,
    pub(crate) timeout: Option<bool>,
    pub(crate) fault: Option<FaultKind>,
    pub(crate) prompt_contains: Vec<Spanned<String>>,
    pub(crate) files: Pairs<Value>,
    pub(crate) on: BTreeMap<String, Spanned<HostExpectations>>,
    pub(crate) fires: Option<NameSelector>,
    pub(crate) decision: Option<Spanned<Kind>>,
    pub(crate) reason_contains: Option<Vec<String>>,
    pub(crate) rewrites: Option<Pairs<Value>>,
    pub(crate) injects: Option<Vec<Value>>,
    pub(crate) losses: Option<Vec<String>>,
}

/// What all hooks say together, where one host differs.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) struct HostExpectations {
    pub(crate) fires: Option<NameSelector>,
    pub(crate) decision: Option<Spanned<Kind>>,
    pub(crate) reason_contains: Option<Vec<String>>,
    pub(crate) rewrites: Option<Pairs<Value>>,
    pub(crate) injects: Option<Vec<Value>>,
    pub(crate) losses: Option<Vec<String>>,
}

/// `true`, `false`, a name, or a list of names.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(
    untagged,
    expecting = "this must be true, false, a name, or a list of names"
)]
pub(crate) enum NameSelector {
    Any(bool),
    One(String),
    These(Vec<String>),
}

impl NameSelector {
    /// The names that it says; `true` and `false` say none.
    pub(crate) fn names(&self) -> &[String] {
        match self {
            Self::Any(_) => &[],
            Self::One(name) => std::slice::from_ref(name),
            Self::These(names) => names,
        }
    }
}

/// The pairs of a mapping in the order of the file, each value with its place.
#[derive(Debug, Clone)]
pub(crate) struct Pairs<T>(pub(crate) Vec<(String, Spanned<T>)>);

impl<T> Default for Pairs<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Pairs<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct PairsVisitor<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for PairsVisitor<T> {
            type Value = Pairs<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a mapping")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Pairs<T>, A::Error> {
                let mut pairs = Vec::new();
                while let Some(pair) = map.next_entry()? {
                    pairs.push(pair);
                }
                Ok(Pairs(pairs))
            }
        }
        from.deserialize_map(PairsVisitor(PhantomData))
    }
}
