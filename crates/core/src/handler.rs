//! What a hook does when it is asked: the trait that everything implements which is not a process.

use std::fmt;
use std::future::Future;
use std::pin::Pin;

use crate::event::Event;
use crate::fault::{Fault, FaultKind};
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

/// Whatever a closure may return: a result, nothing (it only looked), or an error, which is a [`Fault`] of the hook.
///
/// ```
/// use anyhook_core::handler::IntoSaid;
/// use anyhook_core::result::HookResult;
/// assert!(().into_said().unwrap().is_identity());
/// let failed: Result<HookResult, &str> = Err("the linter is not installed");
/// assert_eq!(&*failed.into_said().unwrap_err().text, "the linter is not installed");
/// ```
pub trait IntoSaid {
    /// Turns it into what came back from the hook.
    fn into_said(self) -> Said;
}

impl IntoSaid for HookResult {
    fn into_said(self) -> Said {
        Ok(self)
    }
}

impl IntoSaid for () {
    fn into_said(self) -> Said {
        Ok(HookResult::proceed())
    }
}

impl<R: IntoSaid, E: fmt::Display> IntoSaid for Result<R, E> {
    fn into_said(self) -> Said {
        match self {
            Ok(said) => said.into_said(),
            Err(error) => Err(Box::new(Fault::new(FaultKind::Errored, error.to_string()))),
        }
    }
}

impl<F, R> HookHandler for F
where
    F: Fn(&Event) -> R + Send + Sync,
    R: IntoSaid,
{
    fn handle<'a>(&'a self, event: &'a Event) -> Handled<'a> {
        Handled::Ready(self(event).into_said())
    }
}

/// Makes a handler of an async function or closure. It is given the event itself: a copy that shares its data.
///
/// ```
/// use anyhook_core::event::Event;
/// use anyhook_core::handler::later;
/// use anyhook_core::hook::Hook;
/// use anyhook_core::result::HookResult;
///
/// async fn review(event: Event) -> HookResult {
///     match event.subject.as_deref() {
///         Some("Write") => HookResult::ask("write this file?"),
///         _ => HookResult::proceed(),
///     }
/// }
/// let named = Hook::on("tool:pre", later(review));
/// let closure = Hook::on("tool:post", later(|event: Event| async move { drop(event) }));
/// # let _ = (named, closure);
/// ```
pub fn later<F, Fut>(handler: F) -> impl HookHandler
where
    F: Fn(Event) -> Fut + Send + Sync,
    Fut: Future<Output: IntoSaid> + Send + 'static,
{
    Later(handler)
}

struct Later<F>(F);

impl<F, Fut> HookHandler for Later<F>
where
    F: Fn(Event) -> Fut + Send + Sync,
    Fut: Future<Output: IntoSaid> + Send + 'static,
{
    fn handle<'a>(&'a self, event: &'a Event) -> Handled<'a> {
        let answer = (self.0)(event.clone());
        Handled::Pending(Box::pin(async move { answer.await.into_said() }))
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
