//! From a composite result to a flat one. What the form has no place for is left out.

use std::sync::Arc;

use anyhook_core::effects::{Injection, Level, Lifetime, Notice, Placement};
use anyhook_core::event::{Event, Map};
use anyhook_core::hook::HookInfo;
use anyhook_core::question::{DefaultAnswer, Question};
use anyhook_core::result::{HookId, HookResult, Kind, Verdict};
use serde_json::Value;

use super::ID;
use super::composite::DATA;
use super::flat::{ContextInjection, Flat, FlatAction, unknown};

impl Flat {
    /// Projects a composite result: what `emit` says.
    ///
    /// Deny wins over `ask_user`, that over `inject_context`, and that over `continue`. The data is that of the event with
    /// every rewrite, except after a refusal: then it is what the refusing hook gave, else nothing. `hooks` are those of
    /// the report, for the names of who said what; an empty slice where there is none. A reply is for a caller that collects
    /// replies, and no part of this.
    pub fn of(result: &HookResult, event: &Event, hooks: &[Arc<HookInfo>]) -> Self {
        let mut projection = Projection {
            hooks,
            flat: Self::default(),
        };
        projection.verdict(&result.verdict);
        projection.injections(result.effects.inject(), event.name.as_str());
        projection.notices(result.effects.notify());
        projection.natives(result);
        projection.data(result, event);
        projection.flat.suppress_output = result
            .effects
            .get()
            .is_some_and(|given| given.suppress_output);
        projection.flat
    }

    /// Projects a composite result as one hook's answer: as [`Flat::of`], but a change of the data that nothing
    /// outranks is a `modify`, so that a registry takes it up.
    pub fn answering(result: &HookResult, event: &Event, hooks: &[Arc<HookInfo>]) -> Self {
        let mut flat = Self::of(result, event, hooks);
        if flat.action == FlatAction::Continue && !result.effects.patch().is_empty() {
            flat.action = FlatAction::Modify;
        }
        flat
    }
}

struct Projection<'a> {
    hooks: &'a [Arc<HookInfo>],
    flat: Flat,
}

impl Projection<'_> {
    fn name(&self, by: Option<HookId>) -> Option<String> {
        let hook = self.hooks.get(by?.index())?;
        Some(hook.name.to_string())
    }

    /// Several reasons become one text, and what is no text is lost, but for the data of a refusal.
    fn verdict(&mut self, verdict: &Verdict) {
        self.flat.action = match verdict {
            Verdict::Continue => return,
            Verdict::Ask { questions } => return self.questions(questions),
            Verdict::Allow { .. } => FlatAction::Allowed,
            Verdict::Deny { .. } => FlatAction::Deny,
            Verdict::Halt { .. } => FlatAction::Halted,
        };
        let kind = verdict.kind();
        self.flat.reason = Some(verdict.text()).filter(|text| !text.is_empty());
        let reasons = verdict.reasons();
        let leading = reasons.first().and_then(|reason| reason.detail.as_ref());
        let data = leading.and_then(own_data).filter(|_| kind >= Kind::Deny);
        self.flat.data = data.cloned();
    }

    /// Several questions become one: every prompt, the shortest patience, the graver default; of choices that differ,
    /// only Allow and Deny mean the same everywhere.
    fn questions(&mut self, questions: &[Question]) {
        self.flat.action = FlatAction::AskUser;
        let Some(first) = questions.first() else {
            return;
        };
        let prompts: Vec<&str> = questions.iter().map(|one| &*one.prompt).collect();
        self.flat.approval_prompt = Some(prompts.join("\n"));
        let timeouts = questions.iter().map(|one| one.timeout.as_secs_f64());
        self.flat.approval_timeout = timeouts.fold(f64::INFINITY, f64::min);
        let is_allowed = questions
            .iter()
            .all(|one| one.default == DefaultAnswer::Allow);
        if is_allowed {
            self.flat.approval_default = DefaultAnswer::Allow;
        }
        let is_same = questions.iter().all(|one| one.options == first.options);
        if is_same && !first.options.is_empty() {
            self.flat.approval_options = Some(first.options.clone());
        }
    }

    /// Every injection keeps its settings in the list; the one text is for those who do not read it.
    fn injections(&mut self, injections: &[Injection], event: &str) {
        let Some(first) = injections.first() else {
            return;
        };
        if self.flat.action == FlatAction::Continue {
            self.flat.action = FlatAction::InjectContext;
        }
        let texts: Vec<&str> = injections.iter().map(|one| &*one.text).collect();
        self.flat.context_injection = Some(texts.join("\n\n"));
        self.flat.context_injection_role = first.role;
        self.flat.ephemeral = first.lifetime == Lifetime::Ephemeral;
        self.flat.append_to_last_tool_result = first.place == Placement::LastToolResult;
        let all = injections.iter().map(|one| ContextInjection {
            content: one.text.to_string(),
            role: one.role,
            ephemeral: one.lifetime == Lifetime::Ephemeral,
            append_to_last_tool_result: one.place == Placement::LastToolResult,
            hook_name: self.name(one.by).unwrap_or_else(unknown),
            event: event.to_owned(),
            name: one.name.as_deref().map(str::to_owned),
        });
        self.flat.context_injections = all.collect();
    }

    /// Several notices become one, as loud as the loudest.
    fn notices(&mut self, notices: &[Notice]) {
        let Some(first) = notices.first() else {
            return;
        };
        let texts: Vec<&str> = notices.iter().map(|one| &*one.text).collect();
        self.flat.user_message = Some(texts.join("\n"));
        let is_loud = |level: Level| notices.iter().any(|one| one.level == level);
        self.flat.user_message_level = [Level::Error, Level::Warning]
            .into_iter()
            .find(|level| is_loud(*level))
            .unwrap_or_default();
        self.flat.user_message_source = self.name(first.by);
    }

    fn natives(&mut self, result: &HookResult) {
        let own = result.effects.native().iter().filter(|it| it.wire == ID);
        for (name, value) in own.flat_map(|native| &native.fields) {
            self.extend(name, value);
        }
    }

    /// A further field is written; the two that a composite has no place for only where nothing else is said there.
    fn extend(&mut self, name: &str, value: &Value) {
        let text = || value.as_str().map(str::to_owned);
        match name {
            "reason" => self.flat.reason = self.flat.reason.take().or_else(text),
            "user_message_source" => {
                let source = self.flat.user_message_source.take();
                self.flat.user_message_source = source.or_else(text);
            }
            _ => {
                self.flat.extensions.insert(name.to_owned(), value.clone());
            }
        }
    }

    fn data(&mut self, result: &HookResult, event: &Event) {
        if result.verdict.kind() >= Kind::Deny {
            return;
        }
        let mut data = event.data.clone();
        for rewrite in result.effects.patch() {
            data.set(&rewrite.field, rewrite.value.as_ref());
        }
        self.flat.data = Some(data.json().into_owned());
    }
}

fn own_data(detail: &Value) -> Option<&Map> {
    detail.as_object()?.get(DATA)?.as_object()
}
