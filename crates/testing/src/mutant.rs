//! A mutant: one hook of a package, broken in one way.

mod answer;
mod breaking;

use anyhook::core::result::Kind;

use crate::roster::TestedHook;
pub(crate) use breaking::{negated, widened, without};

/// One way to break a hook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Mutation {
    /// It is not there, as if its matcher selected nothing.
    Disabled,
    /// Exit code 2 becomes 0, and nothing that it says refuses either.
    ExitCode,
    /// The verdict of this kind is dropped; everything else that it says stays.
    Decision(Kind),
    /// Its rewrites are dropped.
    Rewrite,
    /// What it tells the model is dropped.
    Injection,
    /// Its matcher selects everything.
    MatcherRemoved,
    /// Its matcher selects more: names become parts of names, a pattern loses its anchors.
    MatcherWidened,
    /// Its matcher selects all but this name.
    MatcherWithout(Box<str>),
    /// Its `when` holds where it did not, and the other way round.
    WhenNegated,
    /// Its `when` always holds.
    WhenRemoved,
}

impl serde::Serialize for Mutation {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl std::fmt::Display for Mutation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Disabled => f.write_str("hook disabled"),
            Self::ExitCode => f.write_str("exit code 2 becomes 0"),
            Self::Decision(kind) => write!(f, "decision `{}` dropped", kind.as_str()),
            Self::Rewrite => f.write_str("rewrite dropped"),
            Self::Injection => f.write_str("context for the model dropped"),
            Self::MatcherRemoved => f.write_str("matcher removed"),
            Self::MatcherWidened => f.write_str("matcher widened"),
            Self::MatcherWithout(name) => write!(f, "matcher without `{name}`"),
            Self::WhenNegated => f.write_str("`when` negated"),
            Self::WhenRemoved => f.write_str("`when` removed"),
        }
    }
}

/// One hook of a package, broken.
pub(crate) struct Mutant<'t> {
    pub(crate) tested: &'t TestedHook,
    pub(crate) mutation: Mutation,
    /// Why it survives whatever the cases expect: none shows what it breaks.
    pub(crate) unseen: Option<&'static str>,
}
