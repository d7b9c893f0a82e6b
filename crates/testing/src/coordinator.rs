//! A session for tests, with surroundings that keep what they were told.

use std::collections::BTreeMap;
use std::ops::Deref;
use std::sync::Arc;

use anyhook::core::ports::Approver;
use anyhook::mounts::{Catalogue, ModuleEntry, Mount, MountOutcome};
use anyhook::session::{HookFailure, Setup};
use anyhook::world::World;
use anyhook::{HookRegistry, Session};
use serde_json::Value;

use crate::{EventRecorder, MockApprover, MockContext, MockDisplay};

/// A session for tests: a real one, whose display, approver and conversation keep what they were told, and whose events
/// are recorded.
///
/// ```
/// use anyhook::Session;
/// use anyhook::core::event::Event;
/// use anyhook::core::hook::Hook;
/// use anyhook::core::result::{HookResult, Kind};
/// use anyhook_testing::{EventRecorder, MockApprover, TestCoordinator};
/// use serde_json::{Value, json};
///
/// // The module that is tested.
/// fn careful(session: &Session, config: &Value) {
///     let question = config["question"].as_str().unwrap_or("really?").to_owned();
///     let ask = move |_: &Event| HookResult::ask(&question).notify("asking");
///     session.hooks().register(Hook::on("tool:pre", ask).named("careful").priority(50));
/// }
///
/// let coordinator = TestCoordinator::asking(MockApprover::approving());
/// assert!(coordinator.mount("careful", careful, json!({"question": "push?"})).error().is_none());
/// assert_eq!(coordinator.hooks.handlers()["tool:pre"], ["careful"]);
///
/// let acted = coordinator.emit_blocking("tool:pre", json!({"tool_name": "Bash"}));
/// assert_eq!(acted.processed.result.verdict.kind(), Kind::Continue);
/// assert_eq!(coordinator.approver.asked(), ["push?"]);
/// assert_eq!(coordinator.display.shown()[0].2, "asking");
/// let recorder: &EventRecorder = &coordinator.recorder;
/// let approvals = ["approval:required", "approval:requested", "approval:decision", "approval:granted"];
/// assert_eq!(recorder.names(), [&["tool:pre"][..], &approvals].concat());
///
/// // Nothing of it is left, whether it has a cleanup or not.
/// assert_eq!(coordinator.unmount("careful"), []);
/// assert!(!coordinator.hooks.handlers().contains_key("tool:pre"));
/// ```
#[derive(Debug)]
pub struct TestCoordinator {
    /// Its hooks, with a view of the handlers.
    pub hooks: TestHooks,
    /// What was shown.
    pub display: Arc<MockDisplay>,
    /// Who was asked.
    pub approver: Arc<MockApprover>,
    /// The conversation.
    pub context: Arc<MockContext>,
    /// Every event that was emitted, as the hooks left it.
    pub recorder: EventRecorder,
    session: Session,
}

/// The name of old for a [`TestCoordinator`].
///
/// ```
/// use anyhook_testing::MockCoordinator;
/// assert_eq!(MockCoordinator::new().id(), "test-session");
/// ```
pub type MockCoordinator = TestCoordinator;

/// The hooks of a [`TestCoordinator`]: a registry, with a view of its handlers.
///
/// ```
/// use anyhook::core::event::Event;
/// use anyhook::core::hook::Hook;
/// use anyhook_testing::{TestCoordinator, TestHooks};
///
/// let coordinator = TestCoordinator::new();
/// let hooks: &TestHooks = &coordinator.hooks;
/// hooks.register(Hook::on("PreToolUse", |_: &Event| ()).named("lint"));
/// assert_eq!(coordinator.hooks.handlers()["tool:pre"], ["lint"]);
/// // The registry itself tells of the recorder too.
/// assert_eq!(hooks.list_handlers(Some("tool:pre"))["tool:pre"].len(), 2);
/// ```
#[derive(Debug)]
pub struct TestHooks(HookRegistry);

impl TestHooks {
    /// Returns the names of the handlers, by the event or the pattern that they are registered for, in the order in which
    /// they are asked. The recorder of the coordinator is none of them.
    pub fn handlers(&self) -> BTreeMap<String, Vec<String>> {
        self.0
            .list_handlers(None)
            .into_iter()
            .filter_map(|(event, mut names)| {
                // The recorder is one that every coordinator has.
                names.retain(|name| name != crate::recorder::NAME);
                (!names.is_empty()).then_some((event, names))
            })
            .collect()
    }
}

impl Deref for TestHooks {
    type Target = HookRegistry;

    fn deref(&self) -> &HookRegistry {
        &self.0
    }
}

impl Default for TestCoordinator {
    fn default() -> Self {
        Self::new()
    }
}

impl TestCoordinator {
    /// Makes one whose person says no.
    pub fn new() -> Self {
        Self::asking(MockApprover::denying())
    }

    /// Makes one with this person.
    pub fn asking(approver: MockApprover) -> Self {
        Self::with(approver, MockContext::new(), Setup::default())
    }

    /// Makes one with this person, this conversation, and whatever else a session is made of.
    ///
    /// ```
    /// use anyhook::core::event::Event;
    /// use anyhook::core::result::HookResult;
    /// use anyhook::session::{InjectionLimits, Setup};
    /// use anyhook_testing::{MockApprover, MockContext, TestCoordinator};
    /// use serde_json::json;
    ///
    /// let settings = InjectionLimits::read(&json!({"session": {"injection_budget_per_turn": 10}}))?;
    /// let setup = Setup { settings, ..Setup::default() };
    /// let coordinator = TestCoordinator::with(MockApprover::denying(), MockContext::new(), setup);
    /// coordinator.hooks.on("tool:post", |_: &Event| {
    ///     HookResult::proceed().inject("two warnings")
    /// });
    /// coordinator.emit_blocking("tool:post", json!({}));
    /// assert_eq!(coordinator.context.texts(), ["two warnings"]);
    /// # Ok::<(), anyhook::session::InjectionLimitsError>(())
    /// ```
    pub fn with(approver: MockApprover, context: MockContext, setup: Setup) -> Self {
        let display = Arc::new(MockDisplay::new());
        let (approver, context) = (Arc::new(approver), Arc::new(context));
        let person: Arc<dyn Approver> = Arc::clone(&approver) as Arc<dyn Approver>;
        let setup = Setup {
            display: Some(Arc::clone(&display) as _),
            context: Some(Arc::clone(&context) as _),
            approvers: vec![person],
            ..setup
        };
        let session = Session::with("test-session", setup);
        let recorder = EventRecorder::new();
        recorder.listen(session.hooks(), "*");
        Self {
            hooks: TestHooks(session.hooks().clone()),
            display,
            approver,
            context,
            recorder,
            session,
        }
    }

    /// Mounts a module, and tells what became of it.
    pub fn mount(&self, name: &str, module: impl Mount + 'static, config: Value) -> MountOutcome {
        let entry = ModuleEntry::new(name, config);
        let catalogue = Catalogue::new(World::real()).with(name, module);
        let mut outcomes = catalogue.mount_blocking(&self.session, &vec![entry.clone()].into());
        outcomes.pop().unwrap_or(MountOutcome {
            module: entry.module,
            kind: None,
            at: entry.at,
            became: anyhook::mounts::MountStatus::WasThere,
        })
    }

    /// Unmounts a module, and returns the cleanups that failed.
    pub fn unmount(&self, name: &str) -> Vec<HookFailure> {
        self.session.unmount_blocking(name)
    }

    /// Returns the session itself, which is what a module is mounted on.
    ///
    /// ```
    /// use anyhook_testing::TestCoordinator;
    /// assert_eq!(TestCoordinator::new().session().id(), "test-session");
    /// ```
    pub fn session(&self) -> &Session {
        &self.session
    }
}

impl Deref for TestCoordinator {
    type Target = Session;

    fn deref(&self) -> &Session {
        &self.session
    }
}
