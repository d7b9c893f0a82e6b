//! What a host understands of an answer: the limit to which a result is fitted.
//!
//! The world's hosts differ in what they hear. [`Capabilities`] is one host's answer for one event; everything that a hook says is
//! fitted to it, and what does not pass is a [`Loss`](crate::fit::Loss).
//!
//! ```
//! use anyhook_core::can::{Capabilities, RewriteCoupling, Deferral, InjectionSupport, Visibility, TextCoupling};
//! use anyhook_core::effects::{Lifetime, Placement, Role};
//! use anyhook_core::result::Kind;
//!
//! /// A host that understands a refusal, and shows the model a line of text if the action goes on.
//! static MODEST: Capabilities = Capabilities {
//!     verdicts: &[Kind::Deny],
//!     rewrite: &["tool_input"],
//!     coupling: RewriteCoupling::Permission,
//!     inject: Some(InjectionSupport {
//!         roles: &[Role::System],
//!         lifetimes: &[Lifetime::Stored],
//!         places: &[Placement::Message],
//!         when_refused: Visibility::No,
//!     }),
//!     notify: Visibility::No,
//!     native: &[],
//!     later: Deferral::Outbox,
//!     texts: TextCoupling::Beside,
//! };
//! assert!(MODEST.says(Kind::Deny) && !MODEST.says(Kind::Ask));
//! assert!(MODEST.says(Kind::Continue), "saying nothing is always possible");
//! assert!(MODEST.manner().is_some());
//! ```

use crate::effects::{Lifetime, Placement, Role};
use crate::result::Kind;

/// What a host lets a hook say about one event.
///
/// The two ends of the scale:
///
/// ```
/// use anyhook_core::can::{Capabilities, Visibility};
/// use anyhook_core::result::Kind;
///
/// assert!(Capabilities::EVERYTHING.says(Kind::Halt));
/// assert_eq!(Capabilities::NOTHING.manner(), None);
/// assert_eq!(Capabilities::NOTHING.notify, Visibility::No);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Capabilities {
    /// The verdicts it understands besides Continue.
    pub verdicts: &'static [Kind],
    /// The fields that it takes a new value for.
    pub rewrite: &'static [&'static str],
    /// What a rewrite needs to be said with.
    pub coupling: RewriteCoupling,
    /// How it takes texts for the model; nothing where it takes none.
    pub inject: Option<InjectionSupport>,
    /// Whether it shows texts to the person.
    pub notify: Visibility,
    /// Whose native answers it takes.
    pub native: &'static [&'static str],
    /// Where an injection or a notice goes that it cannot take now.
    pub later: Deferral,
    /// Whether a text for the model can stand in one answer with something else.
    pub texts: TextCoupling,
}

/// Whether a text for the model can stand in one answer with a verdict or a rewrite.
///
/// ```
/// use anyhook_core::can::{Capabilities, Deferral, TextCoupling};
/// use anyhook_core::fit::{Substitute, LossKind};
/// use anyhook_core::result::HookResult;
/// use anyhook_core::taxonomy::Class;
///
/// // An answer is one thing: a prompt that changed, or a text beside it.
/// static ONE: Capabilities = Capabilities {
///     rewrite: &["prompt"],
///     later: Deferral::Outbox,
///     texts: TextCoupling::Alone,
///     ..Capabilities::EVERYTHING
/// };
/// let both = HookResult::proceed().modify("prompt", "deploy").inject("the tests are red");
/// let (said, losses) = both.fit(Class::Gate, &["prompt"], &ONE);
/// assert!(said.effects.rewrite("prompt").is_some() && said.effects.inject().is_empty());
/// assert_eq!((&losses[0].what, losses[0].became), (&LossKind::Injection, Substitute::Later));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextCoupling {
    /// It can.
    Beside,
    /// It cannot: the verdict or the rewrite is said, and the text waits.
    Alone,
}

/// What a rewrite needs to be said with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RewriteCoupling {
    /// It stands alone.
    Free,
    /// It comes with a permission: said with Ask, or with an Allow that a hook or a person really gave.
    Permission,
    /// It comes with an approval and nothing else: said with an Allow that a hook or a person gave, even where an Allow alone
    /// cannot be said.
    Approval,
}

/// How a host takes a text for the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InjectionSupport {
    /// The roles it can give it.
    pub roles: &'static [Role],
    /// The lifetimes it can give it.
    pub lifetimes: &'static [Lifetime],
    /// The places it can put it.
    pub places: &'static [Placement],
    /// Whether it still takes it when the action is refused.
    pub when_refused: Visibility,
}

/// Whether something reaches its reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Visibility {
    /// It does.
    Yes,
    /// It does not.
    No,
}

/// Where a text goes that cannot be said now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Deferral {
    /// To the session's next event that can (the outbox).
    Outbox,
    /// Nowhere: an injection becomes a notice, a notice is lost.
    Never,
}

impl Capabilities {
    /// Everything: an event emitted in process.
    pub const EVERYTHING: Self = Self {
        verdicts: &[Kind::Allow, Kind::Ask, Kind::Deny, Kind::Halt],
        inject: Some(InjectionSupport {
            roles: &[Role::System, Role::User, Role::Assistant],
            lifetimes: &[Lifetime::Stored, Lifetime::Ephemeral],
            places: &[Placement::Message, Placement::LastToolResult],
            when_refused: Visibility::Yes,
        }),
        notify: Visibility::Yes,
        ..Self::NOTHING
    };

    /// Nothing: an event that takes no answer.
    pub const NOTHING: Self = Self {
        verdicts: &[],
        rewrite: &[],
        coupling: RewriteCoupling::Free,
        inject: None,
        notify: Visibility::No,
        native: &[],
        later: Deferral::Never,
        texts: TextCoupling::Beside,
    };

    /// Tells whether a verdict of this kind can be said.
    pub fn says(&self, kind: Kind) -> bool {
        kind == Kind::Continue || self.verdicts.contains(&kind)
    }
    /// Returns how it takes texts for the model. A manner without a role, a lifetime or a place takes none.
    pub fn manner(&self) -> Option<&InjectionSupport> {
        let whole = |m: &&InjectionSupport| {
            !m.roles.is_empty() && !m.lifetimes.is_empty() && !m.places.is_empty()
        };
        self.inject.as_ref().filter(whole)
    }
}
