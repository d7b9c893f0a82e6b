//! Reading the answer of a hook that is written for Cursor, by Cursor's own rule.
//!
//! JSON counts on exit 0; exit 2 refuses on gates and is a failure elsewhere, as is every other code. What a hook says
//! where Cursor does not enforce it, such as a question before a file is read, is heard here: it was meant. An `allow` is
//! what every hook of a gate prints, and approves nothing.

use anyhook_core::event::{Event, Map};
use anyhook_core::handler::Said;
use anyhook_core::question::Question;
use anyhook_core::result::{HookResult, Kind, Verdict};
use anyhook_core::transcript::Transcript;
use serde_json::Value;

use super::ID;
use super::row::{CursorRow, Form, Messages, is_served};
use super::table::TOOLS;
use crate::answer::{self, Answer, NO_REASON, Nesting, SPECIFIC, invalid};
use crate::dialects::{BLOCK, SUCCESS, blocked, code, failed};
use crate::payload;

/// Reads an answer. An event that Cursor does not have is refused by exit 2 like its gates.
pub(super) fn read(raw: &Transcript, event: &Event, row: Option<&CursorRow>) -> Said {
    match code(raw)? {
        SUCCESS => document(raw, event, row),
        BLOCK if row.is_none_or(CursorRow::is_gate) => Ok(refused(raw, event, row)),
        code => Err(failed(code, raw).into()),
    }
}

fn refused(raw: &Transcript, event: &Event, row: Option<&CursorRow>) -> HookResult {
    if answer::trimmed(&raw.stdout.text()).is_empty() {
        return blocked(Ok(HookResult::proceed()), None, raw);
    }
    let said = document(raw, event, row);
    let decided = said.as_ref().ok().map(|said| &said.verdict);
    let reason = decided
        .map(Verdict::text)
        .filter(|text| !text.is_empty() && text != NO_REASON);
    blocked(said, reason.as_deref(), raw)
}

/// Reads the one document.
fn document(raw: &Transcript, event: &Event, row: Option<&CursorRow>) -> Said {
    let stdout = raw.stdout.text();
    let text = answer::trimmed(&stdout);
    if text.is_empty() {
        return match row.filter(|row| row.form == Form::Permission) {
            Some(_) => Err(invalid("it printed nothing, and Cursor wants a `permission`").into()),
            None => Ok(HookResult::proceed()),
        };
    }
    let (top, problem) = answer::document(text, raw)?;
    let mut decoding = Decoding {
        event,
        row,
        top,
        answer: Answer::default(),
    };
    decoding.answer.problems.extend(problem);
    decoding.whole().settled()
}

struct Decoding<'a> {
    event: &'a Event,
    row: Option<&'a CursorRow>,
    top: Map,
    answer: Answer,
}

impl Decoding<'_> {
    fn say(&mut self, more: HookResult) {
        let said = std::mem::take(&mut self.answer.result);
        self.answer.result = said.then(more);
    }

    fn form(&self) -> Form {
        self.row.map_or(Form::None, |row| row.form)
    }

    fn whole(mut self) -> Answer {
        let given = self.top.len();
        self.decision();
        self.values();
        self.natives();
        let is_unknown = given > 0 && self.top.len() == given && !speaks_claude(&self.top);
        if is_unknown && self.form() == Form::Permission {
            let names: Vec<String> = self.top.keys().map(|key| format!("`{key}`")).collect();
            let problem = format!(
                "it answered with {}, which Cursor does not know",
                names.join(", ")
            );
            self.answer.problems.push(problem);
        }
        self.foreign()
    }

    /// Takes what decides, and the texts that belong to it.
    fn decision(&mut self) {
        let user = self.text("user_message");
        let agent = self.text("agent_message");
        match self.verdict() {
            Kind::Deny | Kind::Halt => {
                let both = [agent, user];
                let mut texts = both.into_iter().flatten();
                let reason = texts.next().unwrap_or_else(|| NO_REASON.to_owned());
                let more = texts.next().filter(|text| *text != reason);
                let said = HookResult::deny(reason);
                self.say(more.into_iter().fold(said, HookResult::notify));
            }
            Kind::Ask => {
                let more = user.is_some().then(|| agent.clone()).flatten();
                let prompt = user.or(agent);
                let prompt =
                    prompt.unwrap_or_else(|| "A hook wants a person to approve this.".to_owned());
                let more = more.filter(|text| *text != prompt);
                let said = HookResult::asks(Question::new(prompt));
                self.say(more.into_iter().fold(said, HookResult::inject));
            }
            Kind::Continue | Kind::Allow => {
                let is_shown = self
                    .row
                    .is_none_or(|row| row.messages != Messages::PersonIfRefused);
                let said = user
                    .filter(|_| is_shown)
                    .into_iter()
                    .fold(HookResult::proceed(), HookResult::notify);
                self.say(agent.into_iter().fold(said, HookResult::inject));
            }
        }
        if let Some(text) = self.text("followup_message") {
            self.say(HookResult::deny(text));
        }
    }

    /// Takes `permission`, which counts on gates, and `continue`, which counts for a prompt. On another gate that may be a
    /// word of Claude Code's; after the fact nothing can be stopped.
    fn verdict(&mut self) -> Kind {
        let permission = answer::taken(&mut self.top, "permission");
        if self.row.is_some_and(|row| !row.is_gate()) {
            self.top.shift_remove("continue");
            return Kind::Continue;
        }
        let kind = permission.map_or(Kind::Continue, |value| self.permission(&value));
        if self.form() != Form::Continue {
            return kind;
        }
        match answer::flag(&mut self.top, "continue", &mut self.answer.problems) {
            None | Some(true) => kind,
            Some(false) => Kind::Deny,
        }
    }

    /// Reads a permission. A refusal in other words is understood, and a mistake.
    fn permission(&mut self, value: &Value) -> Kind {
        let word = value.as_str().unwrap_or_default();
        let lower = word.trim().to_ascii_lowercase();
        let kind = match &*lower {
            "ask" => Kind::Ask,
            "deny" | "block" => Kind::Deny,
            _ => Kind::Continue,
        };
        if !["allow", "ask", "deny"].contains(&word) {
            let wrong = answer::wrong("permission", value, "allow, deny or ask");
            self.answer.problems.push(wrong);
        }
        kind
    }

    /// Takes texts for the model, new arguments and a new result.
    fn values(&mut self) {
        if let Some(text) = self.text("additional_context") {
            self.say(HookResult::proceed().inject(text));
        }
        if let Some(input) = self.object("updated_input")
            && self.rewrites("tool_input")
        {
            match payload::canonical_input(self.event, ID, &TOOLS, input) {
                Ok(input) => self.say(HookResult::proceed().modify("tool_input", input)),
                Err(error) => self.answer.problems.push(error.what),
            }
        }
        if let Some(output) = self.object("updated_mcp_tool_output")
            && self.rewrites("tool_result")
            && is_served(self.event)
        {
            self.say(HookResult::proceed().modify("tool_result", output));
        }
    }

    /// Tells whether the event takes a new value for a field: elsewhere the host ignores it.
    fn rewrites(&self, field: &str) -> bool {
        let row = self.row.map(|row| row.native.can.rewrite);
        row.is_none_or(|fields| fields.contains(&field))
    }

    fn natives(&mut self) {
        let names = self.row.map_or(&[][..], |row| row.natives);
        let top = &mut self.top;
        let fields: Map = names
            .iter()
            .filter_map(|(name, _)| Some(((*name).to_owned(), answer::taken(top, name)?)))
            .collect();
        if !fields.is_empty() {
            self.say(HookResult::proceed().native(ID, fields));
        }
    }

    /// Reads the rest as the host does: hooks may answer in Claude Code's words.
    fn foreign(self) -> Answer {
        let mut said = self.answer;
        if !speaks_claude(&self.top) {
            return said;
        }
        let mut rest = answer::read(self.top, self.event, Nesting::Nested);
        rest.distrust();
        said.problems.append(&mut rest.problems);
        said.result = said.result.then(rest.result);
        said
    }

    fn text(&mut self, key: &str) -> Option<String> {
        answer::text(&mut self.top, key, &mut self.answer.problems)
    }

    fn object(&mut self, key: &str) -> Option<Value> {
        answer::object(&mut self.top, key, &mut self.answer.problems).map(Value::Object)
    }
}

fn speaks_claude(top: &Map) -> bool {
    ["decision", "continue", SPECIFIC]
        .iter()
        .any(|key| top.contains_key(*key))
}
