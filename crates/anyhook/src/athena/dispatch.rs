//! Asking a table directly, with the return shapes of the original.

use anyhook_core::event::{Event, Map};
use anyhook_core::report::Report;
use anyhook_core::result::{Reason, Verdict};
use anyhook_registry::HookRegistry;
use anyhook_wires::tools::also;
use serde_json::Value;

use super::input::InputSource;
use super::mount::crashed;
use super::payload::CallerPayload;
use super::{HookTable, Message, event, spec};

/// What the functions of `PreToolUse` come to.
///
/// ```
/// use anyhook::athena::{PreTool, Return, run_pre_tool_use};
/// use anyhook::hooks;
/// use serde_json::json;
/// let hooks = hooks! { PreToolUse: [|_, _| Return::halt("stop here")] }.finish()?;
/// let said = run_pre_tool_use(&hooks, "bash", &json!({"command": "ls"}), None);
/// assert!(matches!(said, PreTool::Halt(why) if &*why.text == "stop here"));
/// # Ok::<(), anyhook::athena::Mistakes>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub enum PreTool {
    /// The call may happen.
    Ok,
    /// It may not.
    Deny(Reason),
    /// The run ends.
    Halt(Reason),
}

/// What the functions of `PostToolUse` come to.
///
/// ```
/// use anyhook::athena::{PostTool, Return, run_post_tool_use};
/// use anyhook::hooks;
/// use serde_json::json;
/// let warn = |_: &anyhook::athena::EventInput<'_>, _: Option<&str>| Return::Augment("a warning".into());
/// let hooks = hooks! { PostToolUse: [warn, warn] }.finish()?;
/// let said = run_post_tool_use(&hooks, "bash", &json!({"result": "done"}), None);
/// assert_eq!(said, PostTool::Augment("a warning\na warning".into()));
/// # Ok::<(), anyhook::athena::Mistakes>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub enum PostTool {
    /// Nothing is added.
    Ok,
    /// The run ends.
    Halt(Reason),
    /// The model reads this below the result.
    Augment(String),
}

/// What the functions of any other event come to, in short.
///
/// ```
/// use anyhook::athena::{Lifecycle, run_lifecycle};
/// use anyhook::hooks;
/// use serde_json::json;
/// let hooks = hooks! { Stop: [|_, _| ()] }.finish()?;
/// assert_eq!(run_lifecycle(&hooks, "Stop", &json!({"session_id": "s1"})), Lifecycle::Ok);
/// # Ok::<(), anyhook::athena::Mistakes>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub enum Lifecycle {
    /// On with it.
    Ok,
    /// The run ends.
    Halt(Reason),
    /// The permission is refused. Only `PermissionRequest` can say it, in the safe profile.
    Deny(Reason),
}

/// What the functions of any other event come to, in full.
///
/// ```
/// use anyhook::athena::{Message, Outputs, Return, run_lifecycle_with_outputs};
/// use anyhook::hooks;
/// use serde_json::json;
///
/// let ticket = || Message::system("Current ticket: ENG-1234");
/// let hooks = hooks! { ChatParams: [move |_, _| Return::inject(ticket())] }.finish()?;
/// let Outputs { halt: None, deny: None, injects, transform: None } =
///     run_lifecycle_with_outputs(&hooks, "ChatParams", &json!({"request": {}})) else { panic!() };
/// assert_eq!(injects, [ticket()]);
/// # Ok::<(), anyhook::athena::Mistakes>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Outputs {
    /// Why the run ends, if it does.
    pub halt: Option<Reason>,
    /// Why the permission is refused, if it is; in the safe profile only.
    pub deny: Option<Reason>,
    /// The messages for the conversation, in order; also those of before a halt.
    pub injects: Vec<Message>,
    /// What the prompt becomes.
    pub transform: Option<String>,
}

/// Asks the functions of `PreToolUse` about a call: the first that refuses or halts is the answer.
pub fn run_pre_tool_use(hooks: &HookTable, tool: &str, input: &Value, id: Option<&str>) -> PreTool {
    let (_, report) = ask(hooks, "PreToolUse", input, Some((tool, id)));
    ended(&report)
}

/// Tells the functions of `PostToolUse` what a call came to: `result`, `arguments` and `cwd` of the payload. A halt beats
/// whatever was added (ATH-15).
///
/// ```
/// use anyhook::athena::{EventInput, PostTool, Return, run_post_tool_use};
/// use anyhook::hooks;
/// use serde_json::json;
/// let lint = |input: &EventInput<'_>, _: Option<&str>| match input.text("result") {
///     Some(text) if text.contains("warning") => Return::Augment("mend the warnings first".into()),
///     _ => Return::Ok,
/// };
/// let hooks = hooks! { PostToolUse: [lint] }.finish()?;
/// let said = run_post_tool_use(&hooks, "bash", &json!({"result": "1 warning"}), Some("c1"));
/// assert_eq!(said, PostTool::Augment("mend the warnings first".into()));
/// # Ok::<(), anyhook::athena::Mistakes>(())
/// ```
pub fn run_post_tool_use(
    hooks: &HookTable,
    tool: &str,
    payload: &Value,
    id: Option<&str>,
) -> PostTool {
    let (_, report) = ask(hooks, "PostToolUse", payload, Some((tool, id)));
    if let PreTool::Halt(why) | PreTool::Deny(why) = ended(&report) {
        return PostTool::Halt(why);
    }
    let mut text = String::new();
    for said in report.result.effects.inject() {
        // An empty text adds a line only where something stands before it.
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(&said.text);
    }
    if text.is_empty() {
        PostTool::Ok
    } else {
        PostTool::Augment(text)
    }
}

/// Asks the functions of any event with a flat list, and returns whether they end the run.
///
/// ```
/// use anyhook::athena::{Lifecycle, Return, run_lifecycle};
/// use anyhook::hooks;
/// use serde_json::json;
/// let hooks = hooks! { Notification: [|_, _| Return::halt("enough")] }.finish()?;
/// let said = run_lifecycle(&hooks, "Notification", &json!({"message": "done"}));
/// assert!(matches!(said, Lifecycle::Halt(why) if &*why.text == "enough"));
/// # Ok::<(), anyhook::athena::Mistakes>(())
/// ```
pub fn run_lifecycle(hooks: &HookTable, event: &str, payload: &Value) -> Lifecycle {
    let said = run_lifecycle_with_outputs(hooks, event, payload);
    match (said.halt, said.deny) {
        (Some(why), _) => Lifecycle::Halt(why),
        (None, Some(why)) => Lifecycle::Deny(why),
        (None, None) => Lifecycle::Ok,
    }
}

/// Asks the functions of any event with a flat list, and returns all that they said.
///
/// An event that there is not has no functions, as in the original.
///
/// ```
/// use anyhook::athena::{Outputs, Return, run_lifecycle_with_outputs};
/// use anyhook::hooks;
/// use serde_json::json;
/// let hooks = hooks! { UserPromptSubmit: [|_, _| Return::Transform("Deploy.".into())] }.finish()?;
/// let said = run_lifecycle_with_outputs(&hooks, "UserPromptSubmit", &json!({"prompt": "/deploy"}));
/// assert_eq!(said, Outputs { transform: Some("Deploy.".into()), ..Outputs::default() });
/// # Ok::<(), anyhook::athena::Mistakes>(())
/// ```
pub fn run_lifecycle_with_outputs(hooks: &HookTable, event: &str, payload: &Value) -> Outputs {
    let (event, report) = ask(hooks, event, payload, None);
    let (halt, deny) = match ended(&report) {
        PreTool::Ok => (None, None),
        PreTool::Halt(why) => (Some(why), None),
        PreTool::Deny(why) => (None, Some(why)),
    };
    let injects = report.result.effects.inject().iter();
    Outputs {
        halt,
        deny,
        injects: injects.map(Message::from).collect(),
        transform: CallerPayload::of(&event).and_then(|given| given.transform.clone()),
    }
}

/// Says how a dispatch ended.
fn ended(report: &Report) -> PreTool {
    let why = |reasons: &[Reason]| {
        let failed = report.faults().next().map(|(_, fault)| crashed(fault));
        let mut why = failed
            .or_else(|| reasons.first().cloned())
            .unwrap_or_default();
        why.by = None;
        why
    };
    match &report.result.verdict {
        Verdict::Halt { reasons } => PreTool::Halt(why(reasons)),
        Verdict::Deny { reasons } => PreTool::Deny(why(reasons)),
        // No return of a table approves or asks.
        Verdict::Continue | Verdict::Allow { .. } | Verdict::Ask { .. } => PreTool::Ok,
    }
}

/// Offers an event to the functions of a table, on the registry that the table keeps for this; `tool` is the tool's name
/// and the id of the call.
fn ask(
    hooks: &HookTable,
    name: &str,
    payload: &Value,
    tool: Option<(&str, Option<&str>)>,
) -> (Event, Report) {
    let registry = hooks.asked.get_or_init(|| {
        let registry = HookRegistry::new();
        hooks.mount_for(InputSource::Caller, &registry);
        registry
    });
    let mut event = match spec(name) {
        Some(spec) => {
            let own = payload.as_object().cloned().unwrap_or_default();
            event(spec, CallerPayload::new(spec, hooks.profile, own, tool))
        }
        // No handler can be registered for it.
        None => Event::new(name, Map::new()),
    };
    event.also = event.subject.as_deref().map_or(&[], also);
    let report = registry.dispatch_blocking(&mut event);
    (event, report)
}
