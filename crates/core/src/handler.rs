//! What a hook does when it is asked: the trait of every handler that is not a process.
//!
//! Most handlers are closures. What they return becomes a [`HandlerResult`]: a result, nothing at all, or an error.
//!
//! ```
//! use anyhook_core::event::Event;
//! use anyhook_core::handler::{HandlerReply, Handler, HookHandler, HandlerResult};
//! use anyhook_core::hook::Hook;
//! use anyhook_core::result::HookResult;
//!
//! /// Refuses what is too long to be read by a person.
//! fn short(event: &Event) -> Result<HookResult, &'static str> {
//!     let command = event.get("tool_input").ok_or("no `tool_input`")?;
//!     match command.to_string().len() {
//!         0..=200 => Ok(HookResult::proceed()),
//!         _ => Ok(HookResult::deny("write a script instead, so that it can be reviewed")),
//!     }
//! }
//!
//! let hook = Hook::in_process("tool:pre", "short", short);
//! assert!(matches!(hook.handler, Handler::InProcess(_)));
//!
//! let broken = Event::new("tool:pre", serde_json::json!({}));
//! let HandlerReply::Ready(said) = short.handle(&broken) else { panic!("it is no async function") };
//! let said: HandlerResult = said;
//! assert_eq!(&*said.unwrap_err().text, "no `tool_input`");
//! ```

use std::fmt;
use std::future::Future;
use std::pin::Pin;

use serde::Serialize;

use crate::asking::AskRound;
use crate::event::Event;
use crate::fault::{Fault, FaultKind};
use crate::manifest::Action;
use crate::result::HookResult;

/// What came back from a hook: a result, or the fact that it failed.
pub type HandlerResult = Result<HookResult, Box<Fault>>;

/// A future in a box, as a trait object's method returns it.
///
/// ```
/// use std::task::{Context, Poll, Waker};
///
/// use anyhook_core::handler::{BoxFuture, HandlerResult};
/// use anyhook_core::result::HookResult;
///
/// let mut answer: BoxFuture<'_, HandlerResult> = Box::pin(async { Ok(HookResult::allow()) });
/// let context = &mut Context::from_waker(Waker::noop());
/// assert_eq!(answer.as_mut().poll(context), Poll::Ready(Ok(HookResult::allow())));
/// ```
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// How a handler answers: at once, or later. An answer that is ready costs no allocation.
///
/// ```
/// use anyhook_core::event::Event;
/// use anyhook_core::handler::{HandlerReply, HookHandler, later};
/// use anyhook_core::result::HookResult;
///
/// let event = Event::new("tool:pre", serde_json::json!({}));
/// let at_once = |_: &Event| HookResult::proceed();
/// let in_a_while = later(|_: Event| async { HookResult::proceed() });
/// assert!(matches!(at_once.handle(&event), HandlerReply::Ready(Ok(_))));
/// assert!(matches!(in_a_while.handle(&event), HandlerReply::Pending(_)));
/// ```
pub enum HandlerReply<'a> {
    /// The answer.
    Ready(HandlerResult),
    /// The answer, when it is awaited.
    Pending(BoxFuture<'a, HandlerResult>),
}

impl fmt::Debug for HandlerReply<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ready(said) => f.debug_tuple("Ready").field(said).finish(),
            Self::Pending(_) => f.write_str("Pending"),
        }
    }
}

/// A function from an event to a result.
///
/// The caller may ask from several threads at once. The implementer must not block for long in [`HandlerReply::Ready`], and
/// returns failure as a [`Fault`]; a panic is caught and becomes one.
///
/// ```
/// use anyhook_core::event::Event;
/// use anyhook_core::handler::{HandlerReply, HookHandler};
/// use anyhook_core::result::HookResult;
///
/// struct NoWrites;
/// impl HookHandler for NoWrites {
///     fn handle<'a>(&'a self, event: &'a Event) -> HandlerReply<'a> {
///         HandlerReply::Ready(Ok(match event.subject.as_deref() {
///             Some("Write") => {
///                 HookResult::deny("this session is read-only; propose the change in words")
///             }
///             _ => HookResult::proceed(),
///         }))
///     }
/// }
///
/// let event = Event::new("tool:pre", serde_json::json!({"tool_name": "Write"}));
/// let HandlerReply::Ready(Ok(said)) = NoWrites.handle(&event) else { panic!() };
/// assert_eq!(said.verdict.text(), "this session is read-only; propose the change in words");
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no hook",
    label = "is called with an event and answers with a result",
    note = "a hook is a closure `|event: &Event| HookResult::proceed()`, or a type that implements `HookHandler`",
    note = "an async closure or function is registered with `on_async`, or wrapped in `later`"
)]
pub trait HookHandler: Send + Sync {
    /// Answers an event.
    fn handle<'a>(&'a self, event: &'a Event) -> HandlerReply<'a>;

    /// Answers an event, and is told whether this is the second asking, about what was rewritten since the first. Most
    /// handlers answer alike. A handler that wraps another passes it on.
    ///
    /// ```
    /// use anyhook_core::event::Event;
    /// use anyhook_core::handler::{HandlerReply, HookHandler};
    /// use anyhook_core::report::AskRound;
    /// use anyhook_core::result::HookResult;
    ///
    /// struct Once(Box<dyn HookHandler>);
    /// impl HookHandler for Once {
    ///     fn handle<'a>(&'a self, event: &'a Event) -> HandlerReply<'a> {
    ///         self.handle_as(event, AskRound::First)
    ///     }
    ///     fn handle_as<'a>(&'a self, event: &'a Event, asked: AskRound) -> HandlerReply<'a> {
    ///         match asked {
    ///             AskRound::First => self.0.handle_as(event, asked),
    ///             AskRound::Again => HandlerReply::Ready(Ok(HookResult::deny("it was rewritten"))),
    ///         }
    ///     }
    /// }
    ///
    /// let (once, event) = (Once(Box::new(|_: &Event| ())), Event::new("tool:pre", serde_json::json!({})));
    /// assert!(matches!(once.handle(&event), HandlerReply::Ready(Ok(said)) if said.is_identity()));
    /// assert!(matches!(once.handle_as(&event, AskRound::Again), HandlerReply::Ready(Ok(said)) if !said.is_identity()));
    /// ```
    fn handle_as<'a>(&'a self, event: &'a Event, asked: AskRound) -> HandlerReply<'a> {
        match asked {
            AskRound::First | AskRound::Again => self.handle(event),
        }
    }
}

/// Whatever a closure may return: a result, nothing (it only looked), or an error, which is a [`Fault`] of the hook.
///
/// ```
/// use anyhook_core::handler::IntoHandlerResult;
/// use anyhook_core::result::HookResult;
/// assert!(().into_said().unwrap().is_identity());
/// let failed: Result<HookResult, &str> = Err("the linter is not installed");
/// assert_eq!(&*failed.into_said().unwrap_err().text, "the linter is not installed");
/// ```
#[diagnostic::on_unimplemented(
    message = "a hook cannot return `{Self}`",
    label = "returns `{Self}`",
    note = "return `()` to only look, a `HookResult` to answer, or a `Result` of either with an error that can be displayed",
    note = "an async closure or function is registered with `on_async`, or wrapped in `later`"
)]
pub trait IntoHandlerResult {
    /// Turns it into what came back from the hook.
    fn into_said(self) -> HandlerResult;
}

impl IntoHandlerResult for HookResult {
    fn into_said(self) -> HandlerResult {
        Ok(self)
    }
}

impl IntoHandlerResult for () {
    fn into_said(self) -> HandlerResult {
        Ok(HookResult::proceed())
    }
}

impl<R: IntoHandlerResult, E: fmt::Display> IntoHandlerResult for Result<R, E> {
    fn into_said(self) -> HandlerResult {
        match self {
            Ok(said) => said.into_said(),
            Err(error) => Err(Box::new(Fault::new(FaultKind::Errored, error.to_string()))),
        }
    }
}

impl<F, R> HookHandler for F
where
    F: Fn(&Event) -> R + Send + Sync,
    R: IntoHandlerResult,
{
    fn handle<'a>(&'a self, event: &'a Event) -> HandlerReply<'a> {
        HandlerReply::Ready(self(event).into_said())
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
/// assert!(!named.is_declared() && !closure.is_declared(), "both are code of this process");
/// ```
pub fn later<F, Fut>(handler: F) -> impl HookHandler
where
    F: Fn(Event) -> Fut + Send + Sync,
    Fut: Future<Output: IntoHandlerResult> + Send + 'static,
{
    FutureHandler(handler)
}

struct FutureHandler<F>(F);

impl<F, Fut> HookHandler for FutureHandler<F>
where
    F: Fn(Event) -> Fut + Send + Sync,
    Fut: Future<Output: IntoHandlerResult> + Send + 'static,
{
    fn handle<'a>(&'a self, event: &'a Event) -> HandlerReply<'a> {
        let answer = (self.0)(event.clone());
        HandlerReply::Pending(Box::pin(async move { answer.await.into_said() }))
    }
}

/// How a hook answers: by code in this process, or by what its manifest declares, which a runner carries out.
///
/// ```
/// use anyhook_core::event::Event;
/// use anyhook_core::handler::Handler;
/// use anyhook_core::hook::Hook;
/// use anyhook_core::manifest::{Action, Prompt};
///
/// let judge = Action::Prompt(Prompt { prompt: "Does $ARGUMENTS leak a secret?".into() });
/// let declared = Hook::new("tool:pre", "judge", Handler::Declared(Box::new(judge)));
/// let code = Hook::new("tool:pre", "watch", Handler::InProcess(Box::new(|_: &Event| ())));
/// assert!(declared.is_declared() && !code.is_declared());
/// ```
#[derive(Serialize)]
pub enum Handler {
    /// Code in this process; asked one after the other. Two functions cannot be told apart.
    InProcess(#[serde(skip)] Box<dyn HookHandler>),
    /// A declared action; those of one priority are asked side by side.
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
