//! What the table of Cursor does not say.
//!
//! What a hook says where Cursor does not enforce it, such as a question before a file is read, is heard here: it was meant. An
//! `allow` is what every hook of a gate prints, and approves nothing.

mod calls;

use anyhook_core::event::{Event, Map};
use anyhook_core::handler::HandlerResult;
use anyhook_core::question::Question;
use anyhook_core::result::{HookResult, Kind};
use serde_json::{Value, json};

use super::relative::decode::HookRun;
use super::relative::row::{Exit2Meaning, Form, HostRow, is_served};
use super::relative::{Host, HostFunctions, encode};
use crate::answer::{self, NO_REASON, SPECIFIC, invalid};
use crate::dialects::{BLOCK, SUCCESS, blocked, code, failed};
use crate::payload;

include!(concat!(env!("OUT_DIR"), "/cursor.rs"));

const ODD: HostFunctions = HostFunctions {
    open: |row, data| {
        calls::open(row, data);
        Ok(())
    },
    close: calls::close,
    lower: calls::lower,
    decode: read,
    before,
    // What is left means nothing to the host.
    after: |answer, _| answer.rest.clear(),
    value,
    natives: |answer| {
        answer.own_answers();
        // A value of another kind spoils the whole answer.
        answer.specific.retain(|name, value| match &**name {
            "env" => value.is_object(),
            "pluginPaths" => value.is_array(),
            _ => true,
        });
    },
    ..HostFunctions::BARE
};

/// Reads an answer. An event that Cursor does not have is refused by exit 2 like its gates.
fn read(run: HookRun<'_>) -> HandlerResult {
    let raw = run.raw;
    let stdout = raw.stdout.text();
    let text = answer::trimmed(&stdout);
    let document = || {
        if text.is_empty() {
            return Ok(HookResult::proceed());
        }
        run.document(text)?.settled()
    };
    match code(raw)? {
        SUCCESS if text.is_empty() && run.has_form(Form::Permit) => {
            Err(invalid("it printed nothing, and Cursor wants a `permission`").into())
        }
        SUCCESS => document(),
        BLOCK if run.exit_2() == Exit2Meaning::Blocks => {
            let said = document();
            let reason = said.as_ref().ok().map(|said| said.verdict.text());
            let reason = reason.filter(|text| !text.is_empty() && text != NO_REASON);
            Ok(blocked(said, reason.as_deref(), raw))
        }
        code => Err(failed(code, raw).into()),
    }
}

/// Takes Cursor's own words. What is left is read as the host does: hooks may answer in Claude Code's words.
fn before(run: HookRun<'_>, top: &mut Map, problems: &mut Vec<String>) -> HookResult {
    let HookRun {
        host, event, row, ..
    } = run;
    let given = top.len();
    let mut said = decision(row, top, problems);
    if let Some(text) = answer::text(top, "followup_message", problems) {
        said = said.then(HookResult::deny(text));
    }
    if let Some(text) = answer::text(top, "additional_context", problems) {
        said = said.inject(text);
    }
    let takes = |field: &str| row.is_none_or(|row| row.can.rewrite.contains(&field));
    if let Some(input) = answer::object(top, "updated_input", problems)
        && takes("tool_input")
    {
        match payload::canonical_input(event, host.id, host.facts.tools, input.into()) {
            Ok(input) => said = said.modify("tool_input", input),
            Err(error) => problems.push(error.what),
        }
    }
    if let Some(output) = answer::object(top, "updated_mcp_tool_output", problems)
        && takes("tool_result")
        && is_served(event)
    {
        said = said.modify("tool_result", Value::Object(output));
    }
    said = said.then(run.own_answers(top));
    let is_claudes = |key: &str| ["decision", "continue", SPECIFIC].contains(&key);
    let is_unknown = given > 0 && top.len() == given && !top.keys().any(|key| is_claudes(key));
    if is_unknown && row.is_some_and(|row| row.form == Form::Permit) {
        let names: Vec<String> = top.keys().map(|key| format!("`{key}`")).collect();
        let names = names.join(", ");
        problems.push(format!(
            "it answered with {names}, which Cursor does not know"
        ));
    }
    said
}

/// Takes what decides, and the texts that belong to it.
fn decision(row: Option<&HostRow>, top: &mut Map, problems: &mut Vec<String>) -> HookResult {
    let user = answer::text(top, "user_message", problems);
    let agent = answer::text(top, "agent_message", problems);
    match verdict(row, top, problems) {
        Kind::Deny | Kind::Halt => {
            let (reason, more) = match (agent, user) {
                (Some(agent), user) => (agent, user),
                (None, user) => (user.unwrap_or_else(|| NO_REASON.to_owned()), None),
            };
            let more = more.filter(|text| *text != reason);
            more.into_iter()
                .fold(HookResult::deny(reason), HookResult::notify)
        }
        Kind::Ask => {
            let more = agent.clone().filter(|_| user.is_some());
            let prompt = user.or(agent);
            let prompt =
                prompt.unwrap_or_else(|| "A hook wants a person to approve this.".to_owned());
            let more = more.filter(|text| *text != prompt);
            let said = HookResult::asks(Question::new(prompt));
            more.into_iter().fold(said, HookResult::inject)
        }
        Kind::Continue | Kind::Allow => {
            let user = user.filter(|_| row.is_none_or(|row| row.form != Form::Continue));
            let said = user
                .into_iter()
                .fold(HookResult::proceed(), HookResult::notify);
            agent.into_iter().fold(said, HookResult::inject)
        }
    }
}

/// Takes `permission`, which counts on gates, and `continue`, which counts for a prompt. On another gate that may be a
/// word of Claude Code's; after the fact nothing can be stopped. A refusal in other words is understood, and a mistake.
fn verdict(row: Option<&HostRow>, top: &mut Map, problems: &mut Vec<String>) -> Kind {
    let permission = answer::taken(top, "permission");
    if row.is_some_and(|row| row.exit_2 != Exit2Meaning::Blocks) {
        top.shift_remove("continue");
        return Kind::Continue;
    }
    let word = permission
        .as_ref()
        .and_then(Value::as_str)
        .unwrap_or_default();
    let kind = match &*word.trim().to_ascii_lowercase() {
        "ask" => Kind::Ask,
        "deny" | "block" => Kind::Deny,
        _ => Kind::Continue,
    };
    if let Some(value) = permission
        .as_ref()
        .filter(|_| !["allow", "ask", "deny"].contains(&word))
    {
        problems.push(answer::wrong("permission", value, "allow, deny or ask"));
    }
    let is_prompt = row.is_some_and(|row| row.form == Form::Continue);
    if is_prompt && answer::flag(top, "continue", problems) == Some(false) {
        return Kind::Deny;
    }
    kind
}

/// Returns a result as the object that the host takes: a text goes into one as servers write it.
fn value(host: &Host, event: &Event, field: &str, value: Value) -> Result<Value, String> {
    if field != "tool_result" {
        return encode::value(host, event, field, value);
    }
    let text = match value {
        Value::Object(fields) => return Ok(Value::Object(fields)),
        Value::String(text) => text,
        other => other.to_string(),
    };
    Ok(json!({"content": [{"type": "text", "text": text}]}))
}
