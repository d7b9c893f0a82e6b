//! What a rule says, with texts filled from the event. A placeholder fills text and nothing else: what it brings is never
//! read again, and cannot add a field, a verdict or a placeholder.

use anyhook_core::event::Map;
use anyhook_core::manifest::{Action, Code, Entry, Finding, Place, RuleAnswer, Severity};
use anyhook_core::result::{HookResult, Kind};
use serde_json::Value;

use super::Facts;
use super::sent::strings;
use crate::text::{plain, quoted};

/// The longest text that one placeholder brings, in characters.
const LONGEST: usize = 500;

/// Says what a rule says about an event. A rewrite that needs a value which is not there is an error.
pub(crate) fn said(then: &RuleAnswer, facts: &Facts<'_>) -> Result<HookResult, String> {
    let text = |text: &str| fill(text, facts, MissingPolicy::IsToldSo);
    let mut result = match &then.verdict {
        None => HookResult::proceed(),
        Some((kind, reason)) => {
            let reason = text(reason)?;
            match kind {
                Kind::Continue => HookResult::proceed(),
                Kind::Allow => HookResult::allow_because(reason),
                Kind::Ask => HookResult::ask(reason),
                Kind::Deny => HookResult::deny(reason),
                Kind::Halt => HookResult::halt(reason),
            }
        }
    };
    for (field, value) in &then.modify {
        result = result.modify(field.clone(), filled(value, facts)?);
    }
    for injection in &then.inject {
        result = result.inject(text(injection)?);
    }
    for notice in &then.notify {
        result = result.notify(text(notice)?);
    }
    Ok(result)
}

/// What becomes of a placeholder without a value.
#[derive(Clone, Copy)]
enum MissingPolicy {
    /// The text says that there is none.
    IsToldSo,
    /// Nothing may be made up.
    IsAnError,
}

fn filled(value: &Value, facts: &Facts<'_>) -> Result<Value, String> {
    match value {
        Value::String(text) => fill(text, facts, MissingPolicy::IsAnError).map(Value::String),
        Value::Array(items) => {
            let items: Result<Vec<Value>, String> =
                items.iter().map(|item| filled(item, facts)).collect();
            items.map(Value::Array)
        }
        Value::Object(fields) => {
            let fields = fields
                .iter()
                .map(|(key, value)| Ok((key.clone(), filled(value, facts)?)));
            fields.collect::<Result<Map, String>>().map(Value::Object)
        }
        other => Ok(other.clone()),
    }
}

fn fill(text: &str, facts: &Facts<'_>, missing: MissingPolicy) -> Result<String, String> {
    let mut filled = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("{{") {
        filled.push_str(before);
        let Some((name, tail)) = after.split_once("}}") else {
            filled.push_str("{{");
            rest = after;
            continue;
        };
        let path: Vec<String> = name.trim().split('.').map(str::to_owned).collect();
        match (facts.field(&path), missing) {
            (Some(value), missing) => filled.push_str(&shown(&value, missing)),
            (None, MissingPolicy::IsToldSo) => filled.push_str("(none)"),
            (None, MissingPolicy::IsAnError) => {
                return Err(format!("the event has no `{}`", name.trim()));
            }
        }
        rest = tail;
    }
    filled.push_str(rest);
    Ok(filled)
}

/// A text for a reader is short and has nothing that a terminal obeys; a value for a tool is whole.
fn shown(value: &Value, missing: MissingPolicy) -> String {
    let text = match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    match missing {
        MissingPolicy::IsAnError => text,
        MissingPolicy::IsToldSo => {
            let text = plain(&text);
            let mut short: String = text.chars().take(LONGEST).collect();
            if short.len() < text.len() {
                short.push('…');
            }
            short
        }
    }
}

/// Finds placeholders that name nothing.
pub(super) fn check(entry: &Entry) -> Vec<Finding> {
    let Action::Rule(then) = &entry.action else {
        return Vec::new();
    };
    let verdict = then.verdict.iter().map(|(_, text)| text.as_str());
    let told = then.inject.iter().chain(&then.notify).map(String::as_str);
    let written = then.modify.iter().flat_map(|(_, value)| strings(value));
    let texts = verdict.chain(told).chain(written);
    texts.filter_map(|text| wrong(text, &entry.at)).collect()
}

/// The longest name of a field that is shown.
const SHOWN: usize = 80;

fn wrong(text: &str, at: &Place) -> Option<Finding> {
    let is_name = |name: &str| {
        let letters = |part: &str| {
            !part.is_empty() && part.chars().all(|c| c == '_' || c.is_ascii_alphanumeric())
        };
        name.split('.').all(letters)
    };
    let mut rest = text;
    while let Some((_, after)) = rest.split_once("{{") {
        let (name, tail) = after.split_once("}}").unwrap_or((after, ""));
        if !is_name(name.trim()) {
            return Some(Finding {
                code: Code::BadCondition,
                severity: Severity::Error,
                message: format!("`{{{{{}}}}}` is no field", quoted(name.trim(), SHOWN)),
                help: Some(
                    "a placeholder is `{{tool_input.file_path}}`: names with dots between them"
                        .into(),
                ),
                at: at.clone(),
            });
        }
        rest = tail;
    }
    as_in_a_shell(text).map(|name| Finding {
        code: Code::NoEffect,
        severity: Severity::Warning,
        message: format!("`${{{name}}}` is no placeholder in a rule, and stays as it is"),
        help: Some(format!("write `{{{{{name}}}}}`")),
        at: at.clone(),
    })
}

/// Finds a field that is written as a command line would write a variable. No variable of a shell has a dot in its name.
fn as_in_a_shell(text: &str) -> Option<&str> {
    let mut names = text.split("${").skip(1);
    names.find_map(|after| {
        let (name, _) = after.split_once('}')?;
        let is_field = name.contains('.')
            && name.split('.').all(|part| {
                !part.is_empty() && part.chars().all(|c| c == '_' || c.is_ascii_alphanumeric())
            });
        is_field.then_some(name)
    })
}
