//! Asking a table directly, with the return shapes of the original.

use anyhook_core::effects::Injection;
use anyhook_core::event::{Event, Map};
use anyhook_core::report::Report;
use anyhook_core::result::{Reason, Verdict};
use anyhook_registry::HookRegistry;
use anyhook_wires::tools::also;
use serde_json::Value;

use super::mount::crashed;
use super::payload::CallerPayload;
use super::{HookTable, event, spec};

/// What the functions of `PreToolUse`, and of any event with a flat list, come to in short.
///
/// ```
/// use anyhook::athena::{TableAnswer, Return, run_pre_tool_use};
/// use anyhook::hooks;
/// use serde_json::json;
/// let hooks = hooks! { PreToolUse: [|_, _| Return::halt("stop here")] }.finish()?;
/// let said = run_pre_tool_use(&hooks, "bash", &json!({"command": "ls"}), None);
/// assert!(matches!(said, TableAnswer::Halt(why) if &*why.text == "stop here"));
/// # Ok::<(), anyhook::athena::Mistakes>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub enum TableAnswer {
    /// On with it: the call may happen.
    #[default]
    Ok,
    /// It may not. Besides `PreToolUse` only `PermissionRequest` can say it, in the safe profile.
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

/// What the functions of any other event come to, in full.
///
/// ```
/// use anyhook::athena::{Outputs, Return, TableAnswer, run_lifecycle_with_outputs};
/// use anyhook::core::effects::Injection;
/// use anyhook::hooks;
/// use serde_json::json;
///
/// let ticket = || Injection::new("Current ticket: ENG-1234");
/// let hooks = hooks! { ChatParams: [move |_, _| Return::inject(ticket())] }.finish()?;
/// let Outputs { answer: TableAnswer::Ok, injects, transform: None } =
///     run_lifecycle_with_outputs(&hooks, "ChatParams", &json!({"request": {}})) else { panic!() };
/// assert_eq!(injects, [ticket().ephemeral()]);
/// # Ok::<(), anyhook::athena::Mistakes>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Outputs {
    /// Whether the run ends or the permission is refused, and why.
    pub answer: TableAnswer,
    /// The messages for the conversation, in order; also those of before a halt.
    pub injects: Vec<Injection>,
    /// What the prompt becomes.
    pub transform: Option<String>,
}

/// Asks the functions of `PreToolUse` about a call: the first that refuses or halts is the answer.
pub fn run_pre_tool_use(
    hooks: &HookTable,
    tool: &str,
    input: &Value,
    id: Option<&str>,
) -> TableAnswer {
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
    if let TableAnswer::Halt(why) | TableAnswer::Deny(why) = ended(&report) {
        return PostTool::Halt(why);
    }
    let texts = report
        .result
        .effects
        .inject()
        .iter()
        .map(|said| &*said.text);
    // An empty text adds a line only where something stands before it.
    let texts: Vec<&str> = texts.skip_while(|text| text.is_empty()).collect();
    if texts.is_empty() {
        PostTool::Ok
    } else {
        PostTool::Augment(texts.join("\n"))
    }
}

/// Asks the functions of any event with a flat list, and returns whether they end the run.
///
/// ```
/// use anyhook::athena::{TableAnswer, Return, run_lifecycle};
/// use anyhook::hooks;
/// use serde_json::json;
/// let hooks = hooks! { Notification: [|_, _| Return::halt("enough")] }.finish()?;
/// let said = run_lifecycle(&hooks, "Notification", &json!({"message": "done"}));
/// assert!(matches!(said, TableAnswer::Halt(why) if &*why.text == "enough"));
/// # Ok::<(), anyhook::athena::Mistakes>(())
/// ```
pub fn run_lifecycle(hooks: &HookTable, event: &str, payload: &Value) -> TableAnswer {
    run_lifecycle_with_outputs(hooks, event, payload).answer
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
    let injects = report.result.effects.inject().iter().cloned();
    Outputs {
        answer: ended(&report),
        injects: injects.map(|said| Injection { by: None, ..said }).collect(),
        transform: CallerPayload::of(&event).and_then(|given| given.transform.clone()),
    }
}

/// Says how a dispatch ended.
fn ended(report: &Report) -> TableAnswer {
    let why = |reasons: &[Reason]| {
        let failed = report.faults().next().map(|(_, fault)| crashed(fault));
        let mut why = failed
            .or_else(|| reasons.first().cloned())
            .unwrap_or_default();
        why.by = None;
        why
    };
    match &report.result.verdict {
        Verdict::Halt { reasons } => TableAnswer::Halt(why(reasons)),
        Verdict::Deny { reasons } => TableAnswer::Deny(why(reasons)),
        // No return of a table approves or asks.
        Verdict::Continue | Verdict::Allow { .. } | Verdict::Ask { .. } => TableAnswer::Ok,
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
        hooks.mount(&registry);
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
