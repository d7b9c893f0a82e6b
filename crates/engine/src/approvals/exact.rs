//! What an approval is bound to: the exact action, the definition of the hook, the question.

use std::path::Path;

use anyhook_core::event::{Event, Map};
use anyhook_core::handler::Handler;
use anyhook_core::hook::Hook;
use anyhook_core::manifest::Action;
use anyhook_core::question::{AnswerLifetime, Question};
use anyhook_core::result::HookResult;
use serde_json::Value;

use super::AskedQuestion;
use crate::lists::PASSING;
use crate::text::cut;
use crate::{files, trust};

/// The longest line that stands for an action, in bytes.
const SUMMARY: usize = 300;

/// The exact final action of an event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExactAction {
    /// Names the action: host, event and every field that is part of it, as the hooks left them.
    pub hash: String,
    /// Names the call: the same with every id. Two processes that are told of one call have one name for it.
    pub call: String,
    /// The whole action as JSON, for a person.
    pub text: String,
    /// The action in one line.
    pub summary: String,
}

impl ExactAction {
    /// Returns what would happen without a refusal: the event with everything that the hooks rewrote.
    pub fn of(event: &Event, result: &HookResult) -> Self {
        let mut data = event.data.json().into_owned();
        rewrite(&mut data, result);
        let origin = event.origin.as_deref();
        let host = origin.map_or("", |origin| &origin.host);
        // Two tools of a host may have one canonical name, and do different things.
        let tool = origin.and_then(|origin| Some(&*origin.tool.as_ref()?.name));
        let name = |data: &Map| {
            // Who wrote the fields of an object in another order meant the same.
            let mut sorted = Value::Object(data.clone());
            sorted.sort_all_objects();
            files::name_of(&[
                host.as_bytes(),
                event.name.as_str().as_bytes(),
                tool.unwrap_or_default().as_bytes(),
                sorted.to_string().as_bytes(),
            ])
        };
        let call = name(&data);
        leave_passing_out(&mut data);
        let named = tool.map(|tool| format!("// {host} calls this tool {}\n", Value::from(tool)));
        let fields = serde_json::to_string_pretty(&data).unwrap_or_default();
        Self {
            hash: name(&data),
            call,
            summary: summary(&data),
            text: format!("{}{fields}", named.unwrap_or_default()),
        }
    }
}

/// Writes into the data of an event what the hooks rewrote.
pub(super) fn rewrite(data: &mut Map, result: &HookResult) {
    for rewrite in result.effects.patch() {
        match &rewrite.value {
            Some(value) => drop(data.insert(rewrite.field.to_string(), value.json())),
            None => drop(data.shift_remove(&*rewrite.field)),
        }
    }
}

/// Leaves what is no part of an action.
pub(super) fn leave_passing_out(data: &mut Map) {
    data.retain(|field, _| !PASSING.contains(&&**field));
}

fn summary(data: &Map) -> String {
    let line = match (data.get("tool_name"), data.get("tool_input")) {
        (Some(Value::String(tool)), Some(input)) => format!("{tool} {input}"),
        (_, _) => Value::Object(data.clone()).to_string(),
    };
    cut(line, SUMMARY)
}

/// Returns a question as a person can answer it later, or nothing where an answer could not be bound to anything.
pub(super) fn put(question: &Question, hook: &Hook, exact: &ExactAction) -> Option<AskedQuestion> {
    let (definition, longest) = definition(hook)?;
    let asks = serde_json::to_vec(&(&question.prompt, &question.options)).ok()?;
    let source = hook.info.source.as_ref();
    Some(AskedQuestion {
        key: files::name_of(&[exact.hash.as_bytes(), definition.as_bytes(), &asks]),
        hook: hook.info.name.to_string(),
        place: source.map(|source| format!("{}:{}", source.file, source.line)),
        definition: Some(definition),
        prompt: question.prompt.to_string(),
        options: question.options.clone(),
        longest,
    })
}

/// Names what a hook does, and tells how long it can be relied on to do that.
///
/// A declared hook is its entry, its manifest's place and every script of its package, so any change makes it another one.
/// What code of this process does tomorrow cannot be known. What Anyhook itself asks, because a call would change what
/// guards the agent, is answered for once and no longer.
pub(super) fn definition(hook: &Hook) -> Option<(String, AnswerLifetime)> {
    let Handler::Declared(action) = &hook.handler else {
        let own = hook.info.name.starts_with("anyhook:");
        let longest = if own {
            AnswerLifetime::Once
        } else {
            AnswerLifetime::Session
        };
        let source = format!("{:?}", hook.info.source);
        let parts = [
            "in process",
            hook.event.as_str(),
            &hook.info.name,
            &source,
            hook.when.as_str(),
        ];
        return Some((files::name_of(&parts.map(str::as_bytes)), longest));
    };
    if let Action::Broken(_) = **action {
        return None;
    }
    let source = hook.info.source.as_ref()?;
    let manifest = Path::new(&*source.file);
    let info = &hook.info;
    let entry = serde_json::to_vec(&(&info.name, info.priority, info.guard, hook)).ok()?;
    let mut parts = vec![source.file.as_bytes().to_vec(), entry];
    match &hook.copied {
        Some(copied) => {
            let own = manifest.strip_prefix(&copied.root).ok()?;
            parts.extend(scripts(&copied.folder.join(own), &copied.folder)?);
        }
        None => parts.extend(scripts(manifest, &trust::package_root(manifest))?),
    }
    let parts: Vec<&[u8]> = parts.iter().map(Vec::as_slice).collect();
    Some((files::name_of(&parts), AnswerLifetime::Always))
}

/// Returns names and hashes of the scripts of a package. One that is there and cannot be read could be anything.
fn scripts(manifest: &Path, root: &Path) -> Option<Vec<Vec<u8>>> {
    let bytes = files::read_document(manifest).ok()?;
    let mut parts = Vec::new();
    for script in trust::scripts(&bytes, root).ok()? {
        let path = root.join(&script);
        // Of a linked folder the files behind it are in the list as well.
        let content = if path.is_dir() {
            let real = path.canonicalize().ok()?;
            real.into_os_string().into_encoded_bytes()
        } else {
            files::digest(&files::read_script(&path).ok()?).into_bytes()
        };
        parts.push(script.as_os_str().as_encoded_bytes().to_vec());
        parts.push(content);
    }
    Some(parts)
}
