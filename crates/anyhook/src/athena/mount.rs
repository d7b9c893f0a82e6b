//! Mounting: a function of a table becomes a hook of a registry, and what it returns becomes a result.

use std::sync::Arc;

use anyhook_core::effects::{Injection, Placement, Role};
use anyhook_core::event::Event;
use anyhook_core::fault::{Fault, FaultKind};
use anyhook_core::handler::{HandlerReply, HandlerResult, HookHandler};
use anyhook_core::hook::{Hook, OnFault, Recheck};
use anyhook_core::matcher::Matcher;
use anyhook_core::result::{HookResult, Reason, Verdict};
use anyhook_registry::HookRegistry;
use anyhook_registry::registry::Handle;

use super::entries::{TableEntry, selects};
use super::input::InputSource;
use super::payload::TRANSFORM;
use super::specs::{AthenaEvent, InjectionHandling, ListKind};
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
        self.mount_for(InputSource::Registry, registry)
    }

    pub(super) fn mount_for(&self, asker: InputSource, registry: &HookRegistry) -> Vec<Handle> {
        let hooks = self.rows.iter().map(|row| hook(row, self.profile, asker));
        hooks.map(|hook| registry.register(hook)).collect()
    }
}

/// Makes the hook of an entry.
fn hook(row: &TableEntry, profile: Profile, asker: InputSource) -> Hook {
    let TableEntry { spec, matcher, .. } = row;
    let spec = *spec;
    let function = row.function.clone();
    // In the original a tool has one name; the registry's own matching knows all of them.
    let own = matcher.clone().filter(|_| profile == Profile::Compat);
    let handler = move |event: &Event| -> HandlerResult {
        let name = event.subject.as_deref().unwrap_or_default();
        let is_other = |own: &Matcher| !selects(own, profile, name);
        if own.as_ref().is_some_and(is_other) {
            return Ok(HookResult::proceed());
        }
        let input = EventInput {
            event,
            spec,
            profile,
            asker,
        };
        let said = function.call(&input);
        let said = said.map_err(|why| Box::new(Fault::new(FaultKind::Errored, why)))?;
        result(&input, said)
    };
    let mut hook = Hook::in_process(spec.canonical, &row.at.to_string(), ClosureHandler(handler));
    hook = hook.on_fault(OnFault::Halt);
    if profile == Profile::Safe && spec.knows(&Return::deny(""), profile, asker) {
        // What was checked is what happens, even if it is rewritten afterwards.
        hook.recheck = Recheck::Yes;
    }
    Arc::make_mut(&mut hook.info).source = Some(row.source());
    match matcher.clone().filter(|_| profile == Profile::Safe) {
        Some(matcher) => hook.when(matcher),
        None => hook,
    }
}

impl AthenaEvent {
    /// Tells whether a return means something at this event.
    pub(super) fn knows(&self, said: &Return, profile: Profile, asker: InputSource) -> bool {
        match said {
            Return::Ok | Return::Halt(_) => true,
            Return::Deny(_) => {
                let asks = self.canonical == "approval:required" && profile == Profile::Safe;
                self.list == ListKind::PreTool || asks
            }
            Return::Inject(_) => self.list == ListKind::Flat,
            Return::Transform(_) => {
                // The original gives its caller every transform, and its loop hears that of a prompt.
                let given = profile == Profile::Compat && asker == InputSource::Caller;
                self.canonical == "prompt:submit" || given && self.list == ListKind::Flat
            }
            Return::Augment(_) => self.list == ListKind::PostTool,
            Return::Other(_) => false,
        }
    }
}

/// A closure that says a result or a fault, as it is.
struct ClosureHandler<F>(F);

impl<F: Fn(&Event) -> HandlerResult + Send + Sync> HookHandler for ClosureHandler<F> {
    fn handle<'a>(&'a self, event: &'a Event) -> HandlerReply<'a> {
        HandlerReply::Ready((self.0)(event))
    }
}

/// Makes a result of a return.
fn result(input: &EventInput<'_>, said: Return) -> HandlerResult {
    let EventInput {
        spec,
        profile,
        asker,
        ..
    } = *input;
    if !spec.knows(&said, profile, asker) {
        return match profile {
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
        Return::Transform(prompt) if profile == Profile::Compat && asker == InputSource::Caller => {
            HookResult::proceed().modify(TRANSFORM, prompt)
        }
        Return::Transform(prompt) => HookResult::proceed().modify("prompt", prompt),
        Return::Augment(text) if text.is_empty() && asker == InputSource::Registry => {
            HookResult::proceed()
        }
        Return::Augment(text) => HookResult::proceed().injecting(Injection {
            place: Placement::LastToolResult,
            role: Role::System,
            ..Injection::new(text)
        }),
        Return::Inject(messages) => {
            let compat = profile == Profile::Compat;
            if compat
                && asker == InputSource::Registry
                && spec.injects == InjectionHandling::Dropped
            {
                return Ok(HookResult::proceed());
            }
            let brief = !compat && spec.canonical == "athena:chat-params";
            let all = messages.into_iter().map(|message| {
                let text = message.injection();
                if brief { text.ephemeral() } else { text }
            });
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
