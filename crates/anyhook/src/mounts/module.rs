//! What a module is: something that a session mounts, and that says how it is cleaned up.

mod error;

use std::fmt;
use std::time::Duration;

use anyhook_core::fault::{Fault, FaultKind};
use anyhook_core::handler::{BoxFuture, HandlerResult, IntoHandlerResult};
use anyhook_engine::Session;
use anyhook_registry::drivers::future::bounded;
use serde_json::Value;

pub use error::{MountError, MountErrorKind};

/// The mount of one module takes no longer than this.
const PATIENCE: Duration = Duration::from_secs(30);

/// A mount that goes on.
///
/// ```
/// use anyhook::mounts::{Cleanup, MountFuture};
///
/// let mounting: MountFuture<'_> = Box::pin(async { Ok(Some(Cleanup::new(|| ()))) });
/// assert!(pollster::block_on(mounting).is_ok_and(|cleanup| cleanup.is_some()));
/// ```
pub type MountFuture<'a> = BoxFuture<'a, Result<Option<Cleanup>, MountError>>;

/// A module: most are functions of a session and a configuration.
///
/// The session that it is given keeps an account of what is registered through it: handlers, contributors, capabilities,
/// cleanups. All of that is taken back when the module is unmounted, when the session ends, and when mounting fails. A panic
/// is a failure.
///
/// ```
/// use anyhook::Session;
/// use anyhook::core::event::Event;
/// use anyhook::core::result::HookResult;
/// use anyhook::mounts::{Catalogue, Cleanup, ModuleEntry, Mount, MountFuture};
/// use anyhook::session::Setup;
/// use serde_json::{Value, json};
///
/// // A function.
/// fn read_only(session: &Session, config: &Value) -> Result<(), String> {
///     let reason = config["reason"].as_str().ok_or("`reason` is missing")?.to_owned();
///     session.hooks().on("tool:pre", move |_: &Event| HookResult::deny(&reason));
///     Ok(())
/// }
///
/// // Or a type, whose mount may wait for something.
/// struct Greeting;
/// impl Mount for Greeting {
///     fn mount<'a>(&'a self, session: &'a Session, _: &'a Value) -> MountFuture<'a> {
///         Box::pin(async move {
///             session.hooks().on("session:start", |_: &Event| HookResult::proceed().inject("hello"));
///             Ok(Some(Cleanup::later(|| async { /* say goodbye */ })))
///         })
///     }
/// }
///
/// let catalogue = Catalogue::default().with("read-only", read_only).with("greeting", Greeting);
/// let session = Session::with("s1", Setup::default());
/// let entries = vec![ModuleEntry::new("greeting", json!({})), ModuleEntry::new("read-only", json!({}))];
/// let outcomes = catalogue.mount_blocking(&session, &entries.into());
/// let failures: Vec<String> = outcomes.iter().filter_map(|one| one.error()).map(|e| e.to_string()).collect();
/// assert_eq!(failures, ["`reason` is missing"]);
/// ```
pub trait Mount: Send + Sync {
    /// Registers what the module does, and returns what is to be done when it goes.
    fn mount<'a>(&'a self, session: &'a Session, config: &'a Value) -> MountFuture<'a>;

    /// Tells what asking its handlers comes to.
    fn asking(&self) -> ExecutionMode {
        ExecutionMode::InProcess
    }

    /// Tells what is wrong with it that can be seen without mounting it.
    fn look(&self) -> Vec<ModuleProblem> {
        Vec::new()
    }
}

impl fmt::Debug for dyn Mount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Mount")
    }
}

/// What asking the handlers of a module comes to.
///
/// ```
/// use anyhook::mounts::{ExecutionMode, Mount};
///
/// let function = |_: &anyhook::Session, _: &serde_json::Value| ();
/// assert_eq!(function.asking(), ExecutionMode::InProcess);
/// assert_ne!(function.asking(), ExecutionMode::Processes, "nothing is started");
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ExecutionMode {
    /// Code of this process is called.
    #[default]
    InProcess,
    /// Processes are started.
    Processes,
}

/// Something wrong with a module that was seen without mounting it.
///
/// ```
/// use anyhook::mounts::ModuleProblem;
///
/// let seen = ModuleProblem {
///     check: "handlers",
///     what: "`./check.sh` is not there".into(),
///     fix: Some("write it".into()),
/// };
/// assert!(anyhook::mounts::CHECKS.iter().any(|check| check.slug == seen.check));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModuleProblem {
    /// The check that it belongs to, by its slug.
    pub check: &'static str,
    /// What is wrong.
    pub what: String,
    /// What to do about it.
    pub fix: Option<String>,
}

impl<F, R> Mount for F
where
    F: Fn(&Session, &Value) -> R + Send + Sync,
    R: IntoCleanup,
{
    fn mount<'a>(&'a self, session: &'a Session, config: &'a Value) -> MountFuture<'a> {
        let mounted = self(session, config).into_mounted();
        Box::pin(async move { mounted })
    }
}

/// What a module's function may return: nothing, a cleanup, one perhaps, or an error.
///
/// ```
/// use anyhook::mounts::{Cleanup, IntoCleanup};
///
/// assert!(().into_mounted().is_ok_and(|cleanup| cleanup.is_none()));
/// assert!(Some(Cleanup::new(|| ())).into_mounted().is_ok_and(|cleanup| cleanup.is_some()));
/// let failed: Result<(), &str> = Err("no licence");
/// assert_eq!(failed.into_mounted().unwrap_err().to_string(), "no licence");
/// ```
pub trait IntoCleanup {
    /// Turns it into what came of mounting.
    fn into_mounted(self) -> Result<Option<Cleanup>, MountError>;
}

impl IntoCleanup for () {
    fn into_mounted(self) -> Result<Option<Cleanup>, MountError> {
        Ok(None)
    }
}

impl IntoCleanup for Cleanup {
    fn into_mounted(self) -> Result<Option<Cleanup>, MountError> {
        Ok(Some(self))
    }
}

impl IntoCleanup for Option<Cleanup> {
    fn into_mounted(self) -> Result<Option<Cleanup>, MountError> {
        Ok(self)
    }
}

impl<R: IntoCleanup, E: fmt::Display> IntoCleanup for Result<R, E> {
    fn into_mounted(self) -> Result<Option<Cleanup>, MountError> {
        match self {
            Ok(mounted) => mounted.into_mounted(),
            Err(error) => Err(MountError::new(MountErrorKind::Failed, error.to_string())),
        }
    }
}

/// What is to be done when a module goes. It runs once.
///
/// ```
/// use anyhook::mounts::Cleanup;
///
/// let closed = Cleanup::new(|| ());
/// let flushed = Cleanup::later(|| async { Err::<(), _>("the disk is full") });
/// assert!(pollster::block_on(closed.run()).is_ok());
/// assert_eq!(&*pollster::block_on(flushed.run()).unwrap_err().text, "the disk is full");
/// ```
pub struct Cleanup(Box<dyn FnOnce() -> BoxFuture<'static, HandlerResult> + Send>);

impl Cleanup {
    /// Makes one of a closure.
    pub fn new<R: IntoHandlerResult>(call: impl FnOnce() -> R + Send + 'static) -> Self {
        Self(Box::new(move || {
            let said = call().into_said();
            Box::pin(async move { said })
        }))
    }

    /// Makes one of an async closure.
    pub fn later<Fut>(call: impl FnOnce() -> Fut + Send + 'static) -> Self
    where
        Fut: Future<Output: IntoHandlerResult> + Send + 'static,
    {
        Self(Box::new(move || {
            let future = call();
            Box::pin(async move { future.await.into_said() })
        }))
    }

    /// Does it.
    pub fn run(self) -> BoxFuture<'static, HandlerResult> {
        (self.0)()
    }
}

impl fmt::Debug for Cleanup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Cleanup")
    }
}

/// Mounts a module under a name, whatever it does: a panic is an error, and the wait has an end. Its cleanup is the session's.
pub(super) async fn mount(
    module: &dyn Mount,
    session: &Session,
    name: &str,
    config: &Value,
) -> Result<(), MountError> {
    let failed = |fault: Box<Fault>| match (fault.kind, fault.text.split_once(": ")) {
        (FaultKind::TimedOut, _) => {
            let text = format!("mounting it took longer than {PATIENCE:?}");
            MountError::new(MountErrorKind::TimedOut, text)
        }
        (_, words) => {
            let words = words.map_or(String::new(), |(_, words)| format!(": {words}"));
            let text = format!("it panicked while it was mounted{words}");
            MountError::new(MountErrorKind::Panicked, text)
        }
    };
    let done = bounded(|| module.mount(session, config), PATIENCE).await;
    let done = done.map_err(failed)?;
    if let Some(cleanup) = done? {
        session.register_cleanup_async(name, move || cleanup.run());
    }
    Ok(())
}
