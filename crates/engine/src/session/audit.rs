//! Events about what the session itself did.

use anyhook_core::event::Event;
use anyhook_core::events;
use anyhook_core::report::Audited;
use anyhook_core::result::{HookResult, Verdict};
use serde_json::{Value, json};

use super::{Failed, Processed, Session};

impl Session {
    /// Emits an event about what the session did. What is said about it changes nothing, except where it is a gate.
    pub(super) async fn audit(&self, event: &str, data: Value, done: &mut Processed) -> HookResult {
        let mut told = Event::new(event, data);
        let report = self.inner.hooks.dispatch(&mut told).await;
        for (id, fault) in report.faults() {
            let hook = report.hook(id).map_or("a hook", |hook| &*hook.name);
            let text = format!("`{hook}` failed about `{event}`: {fault}");
            done.remarks.push(text.into());
        }
        let said = report.result;
        let refuses = matches!(said.verdict, Verdict::Deny { .. } | Verdict::Halt { .. });
        let is_heard = refuses && event == events::APPROVAL_REQUIRED && said.effects.is_empty();
        if !said.is_identity() && !is_heard {
            let text = format!("what hooks said about `{event}` is not acted on");
            if !done.remarks.iter().any(|remark| **remark == *text) {
                done.remarks.push(text.into());
            }
        }
        said
    }

    /// Emits an event about what became of a text, and keeps it for the report: there is nothing of a payload in it.
    pub(super) async fn tell(&self, told: Audited, done: &mut Processed) {
        self.audit(told.event.as_str(), told.data.clone(), done)
            .await;
        done.audit.push(told);
    }

    /// Tells of a text that was refused.
    pub(super) async fn tell_fault(&self, failed: &Failed, event: &str, done: &mut Processed) {
        let told = Audited::new(events::HOOK_ERROR, about(failed, event));
        self.tell(told, done).await;
    }

    /// Tells of what failed outside of a result.
    #[doc(hidden)]
    pub async fn tell_faults(&self, faults: &[Failed], event: &str) {
        for failed in faults {
            let data = about(failed, event);
            self.inner.hooks.emit(events::HOOK_ERROR, data).await;
        }
    }
}

fn about(failed: &Failed, event: &str) -> Value {
    json!({
        "hook_name": failed.hook, "hook_event": event,
        "kind": failed.fault.kind.as_str(), "error": failed.fault.text,
    })
}
