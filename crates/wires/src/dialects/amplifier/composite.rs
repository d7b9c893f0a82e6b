//! From a flat result to a composite one, and back.

use std::sync::Arc;
use std::time::Duration;

use anyhook_core::effects::{Injection, Level, Lifetime, Notice, Placing};
use anyhook_core::event::{Event, Map};
use anyhook_core::fit::{Became, Loss, Lost};
use anyhook_core::hook::HookInfo;
use anyhook_core::question::{Question, Settled, Who};
use anyhook_core::result::{HookId, HookResult, Kind, Reason, Verdict};
use serde_json::{Value, json};

use super::ID;
use super::flat::{Action, ContextInjection, Flat};
use super::read::choice;
use crate::answer::NO_REASON;

/// What Amplifier asks where a hook gave no question.
const NO_QUESTION: &str = "Allow this operation?";

/// The key under which a refusal keeps its own data, beside whatever else belongs to its reason.
const DATA: &str = "data";

/// Who says it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Speaker {
    /// A hook: `data` is the changed event only in a `modify`, and otherwise a reply to whoever collects.
    Hook,
    /// A registry: `data` is what became of the event's data, whatever the action.
    Registry,
}

impl Flat {
    /// Reads the result as what one hook answered about this event.
    ///
    /// The `data` of a `modify` is the whole event: fields that differ were changed or added, fields that are not there
    /// go away (D6). The `data` of a refusal stays with its reason, and of any other answer it is a reply (D33).
    pub fn answer(self, event: &Event) -> HookResult {
        self.composite(event, Speaker::Hook)
    }

    /// Reads the result as what a registry made of all answers to this event: its `data` is the chained data (D4).
    pub fn emitted(self, event: &Event) -> HookResult {
        self.composite(event, Speaker::Registry)
    }

    fn composite(mut self, event: &Event, speaker: Speaker) -> HookResult {
        let mut said = HookResult::from(self.verdict());
        for injection in self.injections() {
            said = said.injecting(injection);
        }
        if let Some(text) = self.user_message.take() {
            said = said.notifying(Notice::new(text).at(self.user_message_level));
        }
        if self.suppress_output {
            said.effects.edit().suppress_output = true;
        }
        if let Some(data) = self.data.take() {
            if speaker == Speaker::Registry || self.action == Action::Modify {
                said = rewritten(said, &event.data.json(), &data);
            } else {
                said.effects.edit().reply = Some(Value::Object(data).into());
            }
        }
        let rest = self.rest();
        if rest.is_empty() {
            return said;
        }
        said.native(ID, rest)
    }

    /// Takes the verdict, with what belongs to it.
    fn verdict(&mut self) -> Verdict {
        match self.action {
            Action::Continue | Action::Modify | Action::InjectContext => Verdict::Continue,
            Action::Allowed => Verdict::Allow {
                reasons: [Reason::new(self.reason.take().unwrap_or_default())].into(),
            },
            Action::Deny => Verdict::Deny {
                reasons: [self.refusal()].into(),
            },
            Action::Halted => Verdict::Halt {
                reasons: [self.refusal()].into(),
            },
            Action::AskUser => Verdict::Ask {
                questions: [self.question()].into(),
            },
        }
    }

    fn refusal(&mut self) -> Reason {
        let text = self.reason.take().filter(|text| !text.is_empty());
        let mut reason = Reason::new(text.unwrap_or_else(|| NO_REASON.to_owned()));
        reason.detail = self.data.take().map(|data| json!({ DATA: data }));
        reason
    }

    fn question(&mut self) -> Question {
        let prompt = self.approval_prompt.take();
        let mut question = Question::new(prompt.unwrap_or_else(|| NO_QUESTION.to_owned()));
        question.options = self.approval_options.take().unwrap_or_default();
        if let Ok(timeout) = Duration::try_from_secs_f64(self.approval_timeout) {
            question.timeout = timeout;
        }
        question.default = self.approval_default;
        question
    }

    fn injections(&mut self) -> Vec<Injection> {
        let text = self.context_injection.take();
        if !self.context_injections.is_empty() {
            let all = std::mem::take(&mut self.context_injections);
            return all.into_iter().map(injection).collect();
        }
        let text = text.filter(|_| self.action == Action::InjectContext);
        let one = text.map(|content| {
            injection(ContextInjection {
                content,
                role: self.context_injection_role,
                ephemeral: self.ephemeral,
                append_to_last_tool_result: self.append_to_last_tool_result && self.ephemeral,
                hook_name: String::new(),
                event: String::new(),
                name: None,
            })
        });
        one.into_iter().collect()
    }

    /// What a composite has no place for, so that it comes back as it was.
    fn rest(&mut self) -> Map {
        let mut rest = std::mem::take(&mut self.extensions);
        let texts = [
            ("reason", self.reason.take()),
            ("user_message_source", self.user_message_source.take()),
        ];
        for (name, text) in texts {
            if let Some(text) = text {
                rest.insert(name.to_owned(), text.into());
            }
        }
        rest
    }

    /// Projects a composite result: what `emit` says (D4), and what it cannot say.
    ///
    /// Deny wins over `ask_user`, that over `inject_context`, and that over `continue`. The data is that of the event with
    /// every rewrite, except after a refusal: then it is what the refusing hook gave, else nothing. `hooks` are those of
    /// the report, for the names of who said what; an empty slice where there is none. A reply is for whoever collects
    /// replies, and no part of this.
    pub fn of(result: &HookResult, event: &Event, hooks: &[Arc<HookInfo>]) -> (Self, Vec<Loss>) {
        let mut projection = Projection {
            hooks,
            flat: Self::default(),
            losses: Vec::new(),
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
        (projection.flat, projection.losses)
    }

    /// Projects a composite result as one hook's answer: as [`Flat::of`], but a change of the data that nothing
    /// outranks is a `modify`, so that a registry takes it up.
    pub fn answering(
        result: &HookResult,
        event: &Event,
        hooks: &[Arc<HookInfo>],
    ) -> (Self, Vec<Loss>) {
        let (mut flat, losses) = Self::of(result, event, hooks);
        if flat.action == Action::Continue && !result.effects.patch().is_empty() {
            flat.action = Action::Modify;
        }
        (flat, losses)
    }
}

/// Reads a whole data object as the fields that changed, were added, or went away (D6).
fn rewritten(mut said: HookResult, before: &Map, after: &Map) -> HookResult {
    for (field, value) in after {
        if before.get(field) != Some(value) {
            said = said.modify(field.clone(), value.clone());
        }
    }
    for field in before.keys().filter(|field| !after.contains_key(*field)) {
        said = said.remove(field.clone());
    }
    said
}

fn injection(one: ContextInjection) -> Injection {
    let mut injection = Injection::new(one.content);
    injection.role = one.role;
    if one.ephemeral {
        injection.lifetime = Lifetime::Ephemeral;
    }
    if one.append_to_last_tool_result {
        injection.place = Placing::LastToolResult;
    }
    injection.name = one.name.map(Into::into);
    injection
}

struct Projection<'a> {
    hooks: &'a [Arc<HookInfo>],
    flat: Flat,
    losses: Vec<Loss>,
}

impl Projection<'_> {
    fn lose(&mut self, what: Lost, became: Became, by: Option<HookId>) {
        self.losses.push(Loss {
            what,
            became,
            by,
            text: None,
        });
    }

    fn name(&self, by: Option<HookId>) -> Option<String> {
        let hook = self.hooks.get(by?.index())?;
        Some(hook.name.to_string())
    }

    /// Several reasons become one text, and what is no text is lost, but for the data of a refusal.
    fn verdict(&mut self, verdict: &Verdict) {
        self.flat.action = match verdict {
            Verdict::Continue => return,
            Verdict::Ask { questions } => return self.questions(questions),
            Verdict::Allow { .. } => Action::Allowed,
            Verdict::Deny { .. } => Action::Deny,
            Verdict::Halt { .. } => Action::Halted,
        };
        let kind = verdict.kind();
        self.flat.reason = Some(verdict.text()).filter(|text| !text.is_empty());
        let reasons = verdict.reasons();
        let leading = reasons.first().and_then(|reason| reason.detail.as_ref());
        let data = leading.and_then(own_data).filter(|_| kind >= Kind::Deny);
        self.flat.data = data.cloned();
        let is_whole = reasons.iter().all(|reason| {
            let is_said = reason.detail.is_none() || (kind >= Kind::Deny && is_only_data(reason));
            reason.code.is_none() && is_said
        });
        if reasons.len() > 1 || !is_whole {
            let by = reasons.first().and_then(|reason| reason.by);
            self.lose(Lost::Verdict(kind), Became::Verdict(kind), by);
        }
    }

    /// Several questions become one: every prompt, the shortest patience, the graver default; of choices that differ,
    /// only Allow and Deny mean the same everywhere.
    fn questions(&mut self, questions: &[Question]) {
        self.flat.action = Action::AskUser;
        let Some(first) = questions.first() else {
            return;
        };
        let prompts: Vec<&str> = questions.iter().map(|one| &*one.prompt).collect();
        self.flat.approval_prompt = Some(prompts.join("\n"));
        let timeouts = questions.iter().map(|one| one.timeout.as_secs_f64());
        self.flat.approval_timeout = timeouts.fold(f64::INFINITY, f64::min);
        let is_allowed = questions.iter().all(|one| one.default == Settled::Allow);
        if is_allowed {
            self.flat.approval_default = Settled::Allow;
        }
        let is_same = questions.iter().all(|one| one.options == first.options);
        if is_same && !first.options.is_empty() {
            self.flat.approval_options = Some(first.options.clone());
        }
        let is_said = first.options.iter().all(|one| *one == choice(&one.label));
        if questions.len() > 1 || !is_said || first.who == Who::Host {
            let kind = Kind::Ask;
            self.lose(Lost::Verdict(kind), Became::Verdict(kind), first.by);
        }
    }

    /// Every injection keeps its settings in the list; the one text is for those who do not read it (D5).
    fn injections(&mut self, injections: &[Injection], event: &str) {
        let Some(first) = injections.first() else {
            return;
        };
        if self.flat.action == Action::Continue {
            self.flat.action = Action::InjectContext;
        }
        let texts: Vec<&str> = injections.iter().map(|one| &*one.text).collect();
        self.flat.context_injection = Some(texts.join("\n\n"));
        self.flat.context_injection_role = first.role;
        self.flat.ephemeral = first.lifetime == Lifetime::Ephemeral;
        self.flat.append_to_last_tool_result = first.place == Placing::LastToolResult;
        let all = injections.iter().map(|one| ContextInjection {
            content: one.text.to_string(),
            role: one.role,
            ephemeral: one.lifetime == Lifetime::Ephemeral,
            append_to_last_tool_result: one.place == Placing::LastToolResult,
            hook_name: self.name(one.by).unwrap_or("unknown".to_owned()),
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
        if notices.len() > 1 {
            self.lose(Lost::Notice, Became::Notice, first.by);
        }
    }

    fn natives(&mut self, result: &HookResult) {
        for native in result.effects.native() {
            if native.wire != ID {
                let what = Lost::Native(native.wire.clone());
                self.lose(what, Became::Nothing, native.by);
                continue;
            }
            for (name, value) in &native.fields {
                self.extend(name, value);
            }
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
        let patch = result.effects.patch();
        if result.verdict.kind() >= Kind::Deny {
            for rewrite in patch {
                let what = Lost::Rewrite(rewrite.field.clone());
                self.lose(what, Became::Nothing, rewrite.by);
            }
            return;
        }
        let mut data = event.data.clone();
        for rewrite in patch {
            data.set(&rewrite.field, rewrite.value.as_ref());
        }
        self.flat.data = Some(data.json().into_owned());
    }
}

fn own_data(detail: &Value) -> Option<&Map> {
    detail.as_object()?.get(DATA)?.as_object()
}

fn is_only_data(reason: &Reason) -> bool {
    let keys = reason.detail.as_ref().and_then(Value::as_object);
    keys.is_some_and(|map| map.len() == 1 && map.get(DATA).is_some_and(Value::is_object))
}
