//! Mounting: a function of a table becomes a hook of a registry, and what it returns becomes a result.

use std::sync::Arc;

use anyhook_core::effects::{Injection, Placement, Role};
use anyhook_core::event::Event;
use anyhook_core::fault::{Fault, FaultKind};
use anyhook_core::handler::{HandlerReply, HandlerResult, HookHandler};
use anyhook_core::hook::{Hook, OnFault, Recheck};
use anyhook_core::result::{HookResult, Reason, Verdict};
use anyhook_registry::HookRegistry;
use anyhook_registry::registry::Handle;

use super::entries::{TableEntry, selects};
use super::payload::TRANSFORM;
use super::specs::{AthenaEvent, ListKind};
use super::{EventInput, HookTable, Profile, Return};

impl HookTable {
    /// Registers every function with a registry, in the order of the table; a session's registry makes them part of it.
    ///
    /// ```
    /// use anyhook::athena::Return;
    /// use anyhook::core::result::Kind;
    /// use anyhook::{HookRegistry, hooks};
    /// use serde_json::json;
    ///
    /// let registry = HookRegistry::new();
    /// let table = hooks! { PreToolUse: [|_, _| Return::deny("read-only")] }.finish()?;
    /// let handles = table.mount(&registry);
    /// let said = registry.emit_blocking("tool:pre", json!({"tool_name": "Write"})).result;
    /// assert_eq!((said.verdict.kind(), handles.len()), (Kind::Deny, 1));
    /// # Ok::<(), anyhook::athena::Mistakes>(())
    /// ```
    pub fn mount(&self, registry: &HookRegistry) -> Vec<Handle> {
        let hooks = self.rows.iter().map(|row| hook(row, self.profile));
        hooks.map(|hook| registry.register(hook)).collect()
    }
}

/// Makes the hook of an entry.
fn hook(row: &TableEntry, profile: Profile) -> Hook {
    let function = FunctionHandler {
        row: row.clone(),
        profile,
    };
    let mut hook = Hook::in_process(row.spec.canonical, &row.at.to_string(), function);
    hook = hook.on_fault(OnFault::Halt);
    if profile == Profile::Safe && row.spec.can_deny(profile) {
        // What was checked is what happens, even if it is rewritten afterwards.
        hook.recheck = Recheck::Yes;
    }
    Arc::make_mut(&mut hook.info).source = Some(row.at.source.clone());
    match row.matcher.clone().filter(|_| profile == Profile::Safe) {
        Some(matcher) => hook.when(matcher),
        None => hook,
    }
}

/// A function of a table, as a handler.
struct FunctionHandler {
    row: TableEntry,
    profile: Profile,
}

impl HookHandler for FunctionHandler {
    fn handle<'a>(&'a self, event: &'a Event) -> HandlerReply<'a> {
        HandlerReply::Ready(self.answer(event))
    }
}

impl FunctionHandler {
    fn answer(&self, event: &Event) -> HandlerResult {
        let Self { ref row, profile } = *self;
        // In the original a tool has one name; the registry's own matching knows all of them.
        let own = row.matcher.as_ref().filter(|_| profile == Profile::Compat);
        let name = event.subject.as_deref().unwrap_or_default();
        if own.is_some_and(|own| !selects(own, profile, name)) {
            return Ok(HookResult::proceed());
        }
        let spec = row.spec;
        let input = EventInput {
            event,
            spec,
            profile,
        };
        let said = row.function.call(&input);
        let said = said.map_err(|why| Box::new(Fault::new(FaultKind::Errored, why)))?;
        result(&input, said)
    }
}

impl AthenaEvent {
    fn can_deny(&self, profile: Profile) -> bool {
        let asks = self.canonical == "approval:required" && profile == Profile::Safe;
        self.list == ListKind::PreTool || asks
    }
}

impl EventInput<'_> {
    /// Tells whether a return means something at this event.
    fn knows(&self, said: &Return) -> bool {
        let spec = self.spec;
        match said {
            Return::Ok | Return::Halt(_) => true,
            Return::Deny(_) => spec.can_deny(self.profile),
            Return::Inject(_) => spec.list == ListKind::Flat,
            Return::Transform(_) => {
                // The original gives its caller every transform, and its loop hears that of a prompt.
                let given = self.profile == Profile::Compat && self.given().is_some();
                spec.canonical == "prompt:submit" || given && spec.list == ListKind::Flat
            }
            Return::Augment(_) => spec.list == ListKind::PostTool,
            Return::Other(_) => false,
        }
    }
}

/// Makes a result of a return.
fn result(input: &EventInput<'_>, said: Return) -> HandlerResult {
    let spec = input.spec;
    let (compat, is_called) = (input.profile == Profile::Compat, input.given().is_some());
    if !input.knows(&said) {
        return match input.profile {
            Profile::Compat => Ok(HookResult::proceed()),
            Profile::Safe => Err(Box::new(unknown(spec, &said))),
        };
    }
    Ok(match said {
        Return::Ok | Return::Other(_) => HookResult::proceed(),
        Return::Halt(why) => HookResult::from(Verdict::Halt {
            reasons: [why].into(),
        }),
        Return::Deny(why) => HookResult::from(Verdict::Deny {
            reasons: [why].into(),
        }),
        Return::Transform(prompt) if compat && is_called => {
            HookResult::proceed().modify(TRANSFORM, prompt)
        }
        Return::Transform(prompt) => HookResult::proceed().modify("prompt", prompt),
        Return::Augment(text) if text.is_empty() && !is_called => HookResult::proceed(),
        Return::Augment(text) => HookResult::proceed().injecting(Injection {
            place: Placement::LastToolResult,
            role: Role::System,
            ..Injection::new(text)
        }),
        Return::Inject(_) if compat && !is_called && !spec.hears_injections => {
            HookResult::proceed()
        }
        Return::Inject(messages) => {
            let brief = !compat && spec.canonical == "athena:chat-params";
            let all = messages.into_iter();
            let all = all.map(|text| if brief { text.ephemeral() } else { text });
            all.fold(HookResult::proceed(), HookResult::injecting)
        }
    })
}

fn unknown(spec: &AthenaEvent, said: &Return) -> Fault {
    let what = match said {
        Return::Other(value) => format!("`{value}`, which is no return"),
        other => format!("`{}`, which `{}` does not know", other.word(), spec.name),
    };
    Fault::new(FaultKind::InvalidAnswer, format!("it returned {what}"))
}

/// What a failed function is, as a reason: `hook_crashed`, with what it said.
pub(super) fn crashed(fault: &Fault) -> Reason {
    let message = fault
        .text
        .strip_prefix("the handler panicked: ")
        .unwrap_or(&fault.text);
    Reason {
        code: Some("hook_crashed".into()),
        detail: Some(serde_json::json!({"message": message, "kind": fault.kind.as_str()})),
        ..Reason::new(message)
    }
}
