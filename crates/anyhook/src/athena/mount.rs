//! Mounting: a function of a table becomes a hook of a registry, and what it returns becomes a result.

use std::sync::Arc;

use anyhook_core::effects::{Injection, Placing, Role};
use anyhook_core::event::Event;
use anyhook_core::fault::{Fault, FaultKind};
use anyhook_core::handler::{Handled, HookHandler, Said};
use anyhook_core::hook::{Hook, OnFault, Recheck};
use anyhook_core::result::{HookResult, Reason, Verdict};
use anyhook_registry::HookRegistry;
use anyhook_registry::registry::Handle;

use super::entries::Row;
use super::specs::{List, Spec};
use super::{Hooks, Input, Return};

impl Hooks {
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
        let hooks = self.rows.iter().map(hook);
        hooks.map(|hook| registry.register(hook)).collect()
    }
}

/// Makes the hook of an entry.
fn hook(row: &Row) -> Hook {
    let spec = row.spec;
    let function = row.function.clone();
    let handler = move |event: &Event| -> Said {
        let said = function.call(&Input { event, spec });
        let said = said.map_err(|why| Box::new(Fault::new(FaultKind::Errored, why)))?;
        result(spec, said)
    };
    let mut hook = Hook::in_process(spec.canonical, &row.at.to_string(), Answers(handler));
    hook = hook.on_fault(OnFault::Halt);
    if spec.knows(&Return::deny("")) {
        // What was checked is what happens, even if it is rewritten afterwards.
        hook.recheck = Recheck::Yes;
    }
    Arc::make_mut(&mut hook.info).source = Some(row.source());
    match row.matcher.clone() {
        Some(matcher) => hook.when(matcher),
        None => hook,
    }
}

impl Spec {
    /// Tells whether a return means something at this event.
    fn knows(&self, said: &Return) -> bool {
        match said {
            Return::Ok | Return::Halt(_) => true,
            Return::Deny(_) => self.list == List::PreTool || self.canonical == "approval:required",
            Return::Inject(_) => self.list == List::Flat,
            Return::Transform(_) => self.canonical == "prompt:submit",
            Return::Augment(_) => self.list == List::PostTool,
            Return::Other(_) => false,
        }
    }
}

/// A closure that says a result or a fault, as it is.
struct Answers<F>(F);

impl<F: Fn(&Event) -> Said + Send + Sync> HookHandler for Answers<F> {
    fn handle<'a>(&'a self, event: &'a Event) -> Handled<'a> {
        Handled::Ready((self.0)(event))
    }
}

/// Makes a result of a return.
fn result(spec: &Spec, said: Return) -> Said {
    if !spec.knows(&said) {
        return Err(Box::new(unknown(spec, &said)));
    }
    Ok(match said {
        Return::Ok | Return::Other(_) => HookResult::proceed(),
        Return::Halt(why) => HookResult::from(Verdict::Halt {
            reasons: [why].into(),
        }),
        Return::Deny(why) => HookResult::from(Verdict::Deny {
            reasons: [why].into(),
        }),
        Return::Transform(prompt) => HookResult::proceed().modify("prompt", prompt),
        Return::Augment(text) if text.is_empty() => HookResult::proceed(),
        Return::Augment(text) => HookResult::proceed().injecting(Injection {
            place: Placing::LastToolResult,
            role: Role::System,
            ..Injection::new(text)
        }),
        Return::Inject(messages) => {
            let is_brief = spec.canonical == "athena:chat-params";
            let all = messages.into_iter().map(|message| {
                let text = message.injection();
                if is_brief { text.ephemeral() } else { text }
            });
            all.fold(HookResult::proceed(), HookResult::injecting)
        }
    })
}

fn unknown(spec: &Spec, said: &Return) -> Fault {
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
