//! What a hook does when it is asked: the trait that everything implements which is not a process.

use std::fmt;
use std::future::Future;
use std::pin::Pin;

use crate::event::Event;
use crate::fault::Fault;
use crate::manifest::Action;
use crate::result::HookResult;

/// What came back from a hook: a result, or the fact that it failed.
pub type Said = Result<HookResult, Box<Fault>>;

/// A future in a box.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// How a handler answers: at once, or later. An answer that is ready costs no allocation.
pub enum Handled<'a> {
    /// The answer.
    Ready(Said),
    /// The answer, when it is awaited.
    Pending(BoxFuture<'a, Said>),
}

impl fmt::Debug for Handled<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ready(said) => f.debug_tuple("Ready").field(said).finish(),
            Self::Pending(_) => f.write_str("Pending"),
        }
    }
}

/// A function from an event to a result.
///
/// The caller may ask from several threads at once. The implementer must not block for long in [`Handled::Ready`], and
/// returns failure as a [`Fault`]; a panic is caught and becomes one (D13).
///
/// ```
/// use anyhook_core::event::Event;
/// use anyhook_core::handler::{Handled, HookHandler};
/// use anyhook_core::result::HookResult;
///
/// struct NoWrites;
/// impl HookHandler for NoWrites {
///     fn handle<'a>(&'a self, event: &'a Event) -> Handled<'a> {
///         Handled::Ready(Ok(match event.subject.as_deref() {
///             Some("Write") => HookResult::deny("this session is read-only; propose the change in words"),
///             _ => HookResult::proceed(),
///         }))
///     }
/// }
/// ```
pub trait HookHandler: Send + Sync {
    /// Answers an event.
    fn handle<'a>(&'a self, event: &'a Event) -> Handled<'a>;
}

impl<F> HookHandler for F
where
    F: Fn(&Event) -> HookResult + Send + Sync,
{
    fn handle<'a>(&'a self, event: &'a Event) -> Handled<'a> {
        Handled::Ready(Ok(self(event)))
    }
}

/// How a hook answers: by code in this process, or by what its manifest declares, which a runner carries out.
pub enum Handler {
    /// Code in this process; asked one after the other (D9).
    InProcess(Box<dyn HookHandler>),
    /// A declared action; those of one priority are asked side by side (D10).
    Declared(Box<Action>),
}

impl fmt::Debug for Handler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::InProcess(_) => f.write_str("InProcess"),
            Self::Declared(action) => f.debug_tuple("Declared").field(action).finish(),
        }
    }
}
