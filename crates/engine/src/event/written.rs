//! The event as hooks read it, and their answers: each in the words of the file that the hook came from.

use std::sync::Arc;

use anyhook_core::event::{Data, Event, Map};
use anyhook_core::fault::{Fault, FaultKind};
use anyhook_core::handler::HandlerResult;
use anyhook_core::hook::{Hook, HookDialect};
use anyhook_core::manifest::Action;
use anyhook_core::matcher::Hit;
use anyhook_core::taxonomy::Class;
use anyhook_core::transcript::{Capture, End, Transcript};
use anyhook_wires::hosts::universal::UNIVERSAL;
use anyhook_wires::native_files::NativeFormat;
use anyhook_wires::payload;
use serde_json::Value;

use super::turn::EventRun;
use crate::files;
use crate::limits;
use crate::runners::{EventPart, RunnerContext, asker, prompt};

/// The key by which Claude Code would not wait for a hook that prints it.
pub(super) const ASYNC: &str = "async";

/// Reads an answer as the host would whose file the hook came from, and makes its words safe to show.
pub(super) fn read(hook: &Hook, raw: &Transcript, event: &Event) -> HandlerResult {
    limits::tame(understood(hook, raw, event))
}

fn understood(hook: &Hook, raw: &Transcript, event: &Event) -> HandlerResult {
    match hook.action() {
        // A model was asked in words of ours, whichever file asked for it.
        Some(Action::Prompt(_)) => return prompt::read(raw, event),
        Some(Action::Http(_)) => asker::failure(raw)?,
        _ => {}
    }
    if let Some(line) = async_line(hook, &raw.stdout.kept) {
        return understood(hook, &afterwards(raw, line), event);
    }
    let speaks = hook.speaks.as_deref();
    let mut said = match speaks
        .and_then(|speaks| Some((speaks, anyhook_wires::host(&speaks.host)?)))
    {
        Some((speaks, host)) => host.read_as(raw, event, &speaks.native),
        None if is_prose(hook, raw, event) => {
            let text = "a guard printed text that is no answer: it is unknown whether it refuses";
            Err(Box::new(Fault::new(FaultKind::InvalidAnswer, text)))
        }
        None => UNIVERSAL.read_result(raw, event),
    };
    // A reader of the text must not take it for all that there was.
    if let (1.., Ok(said)) = (raw.stdout.dropped, &mut said)
        && !said.effects.inject().is_empty()
        && let Some(last) = said.effects.edit().inject.last_mut()
    {
        last.text = limits::not_kept(&last.text, raw.stdout.dropped).into();
    }
    said
}

/// Tells whether a hook asks by what it prints not to be waited for.
pub(super) fn says_async(hook: &Hook, said: &[u8]) -> bool {
    let is_async = |text: &[u8]| {
        let object = serde_json::from_slice::<Map>(text);
        object.is_ok_and(|object| object.get(ASYNC) == Some(&Value::Bool(true)))
    };
    let is_universal = || is_async(said) || said.split(|byte| *byte == b'\n').any(is_async);
    async_line(hook, said).is_some() || (hook.speaks.is_none() && is_universal())
}

/// Returns the length of the first line, its end included, where the host of the hook would not wait for it by that line.
fn async_line(hook: &Hook, said: &[u8]) -> Option<usize> {
    let host = anyhook_wires::host(&hook.speaks.as_deref()?.host)?;
    let end = said.iter().position(|byte| *byte == b'\n');
    let is_async = host.leaves(said.get(..end.unwrap_or(said.len()))?);
    is_async.then(|| end.map_or(said.len(), |end| end + 1))
}

/// What a hook says after that line: the first line that is an object, else all of it.
fn afterwards(raw: &Transcript, line: usize) -> Transcript {
    let rest = raw.stdout.kept.get(line..).unwrap_or_default();
    let mut lines = rest.split(|byte| *byte == b'\n');
    let is_answer = |line: &&[u8]| serde_json::from_slice::<Map>(line).is_ok();
    let kept = lines.find(is_answer).unwrap_or(rest).to_vec();
    let stdout = Capture { kept, ..raw.stdout };
    Transcript {
        stdout,
        ..raw.clone()
    }
}

/// Tells whether a guard succeeded with words where an answer decides. Of a hook that guards nothing they are a log.
fn is_prose(hook: &Hook, raw: &Transcript, event: &Event) -> bool {
    if !hook.info.guard || event.name.class() != Class::Gate || raw.end != End::Code(0) {
        return false;
    }
    let text = raw.stdout.text();
    let may_be_object = |line: &str| line.trim_start().starts_with('{');
    let is_said = text.lines().any(may_be_object) || serde_json::from_str::<Value>(&text).is_ok();
    !text.trim().is_empty() && !is_said
}

impl EventRun<'_> {
    /// Writes the event for these hooks, once for each form that they read.
    pub(super) fn share(&mut self, event: &Event, hooks: &[&Hook]) -> RunnerContext {
        let shared = self.plain(event, hooks);
        if !shared.payload.is_empty() {
            self.payload = self.write(&shared.payload);
        }
        RunnerContext {
            payload_file: self.payload.as_ref().map(|file| file.path().to_path_buf()),
            ..shared
        }
    }

    /// What hooks share, without the file.
    pub(super) fn plain(&self, event: &Event, hooks: &[&Hook]) -> RunnerContext {
        let context = self.context;
        let project = context.project(event);
        let mut natives: Vec<(HookDialect, Vec<EventPart>)> = Vec::new();
        for speaks in hooks.iter().filter_map(|hook| hook.speaks.as_deref()) {
            if !natives.iter().any(|(form, _)| form == speaks) {
                let parts = self.native(event, speaks, &project.to_string_lossy());
                natives.push((speaks.clone(), parts));
            }
        }
        let by_alias = |hook: &&Hook| hook.speaks.is_none() && hook.selects(event) == Hit::Alias;
        let parts = if hooks.iter().any(by_alias) {
            universal_parts(event)
        } else {
            Vec::new()
        };
        let is_read = hooks
            .iter()
            .any(|hook| hook.speaks.is_none() && is_told(hook));
        let payload = is_read.then(|| line(&UNIVERSAL.write_event(event)));
        RunnerContext {
            payload: payload.unwrap_or_default(),
            natives,
            parts,
            payload_file: None,
            project,
            projects: context.strangers(event),
            session: context.session(event),
            pass: self.pass,
            configured: Arc::clone(&self.configured),
            stand_in: context.model.cloned(),
            own: context.own.clone(),
            last_call: self.held.last.clone(),
            tally: self.tally.clone(),
            keeps: self.keeps,
        }
    }

    /// Writes an event as hooks of a host's own file read it: the bytes that this host sent, unless something was
    /// rewritten or it calls the event otherwise.
    fn native(&self, event: &Event, speaks: &HookDialect, project: &str) -> Vec<EventPart> {
        let whole = |payload| {
            vec![EventPart {
                payload,
                event: None,
            }]
        };
        let own = event.origin.as_deref();
        let own = own.filter(|own| own.host == speaks.host && own.native == speaks.native);
        let raw = own.and_then(|own| own.raw.as_ref());
        if let Some(raw) = raw.filter(|_| self.is_as_it_came(event)) {
            return whole(Arc::clone(raw));
        }
        let Some(host) = anyhook_wires::host(&speaks.host) else {
            return whole(Arc::default());
        };
        let format = NativeFormat::of_host(&speaks.host).filter(|_| own.is_none());
        let mut event = event.clone();
        if format.is_some() {
            let place = Map::from_iter([("cwd".to_owned(), project.into())]);
            event.data.fill(&place);
            event = payload::with_absolute_paths(event);
        }
        let written = |event: &Event| {
            let mut payload = host.write_as(event, &speaks.native);
            if let Some(format) = format {
                format.complete(&mut payload, event);
            }
            line(&payload)
        };
        let parts = payload::parts(&event, host);
        if parts.is_empty() {
            return whole(written(&event));
        }
        let part = |part: Event| EventPart {
            payload: written(&part),
            event: Some(Arc::new(part)),
        };
        parts.into_iter().map(part).collect()
    }

    fn is_as_it_came(&self, event: &Event) -> bool {
        match (&self.came, &event.data) {
            (Some(Data::Json(came)), Data::Json(now)) => Arc::ptr_eq(came, now),
            (Some(_) | None, _) => false,
        }
    }

    /// A hook does not depend on this file: without it, `get` reads the standard input.
    fn write(&self, payload: &[u8]) -> Option<tempfile::NamedTempFile> {
        use std::io::Write as _;
        let world = self.context.world;
        let folder = world.places.as_ref()?.payloads();
        files::private_dir(&folder).ok()?;
        world.sweep_payloads();
        // The name says what is in it: a hook beside a guard must not be able to show the guard another event.
        let prefix = format!("{}-", files::digest(payload));
        let file = tempfile::Builder::new().prefix(&prefix).tempfile_in(folder);
        let mut file = file.ok()?;
        file.write_all(payload).ok()?;
        Some(file)
    }
}

/// Writes an event for universal hooks that asked for a part of what it does. The canonical tools are those of Claude Code,
/// which has none for patches.
fn universal_parts(event: &Event) -> Vec<EventPart> {
    let parts = payload::parts(event, &anyhook_wires::hosts::claude_code::CLAUDE_CODE);
    let part = |part: Event| EventPart {
        payload: line(&UNIVERSAL.write_event(&part)),
        event: Some(Arc::new(part)),
    };
    parts.into_iter().map(part).collect()
}

/// Tells whether a hook is given the event in writing; one without a process or a model looks at the event itself.
fn is_told(hook: &Hook) -> bool {
    !matches!(
        hook.action(),
        None | Some(Action::Rule(_) | Action::Builtin(_))
    )
}

fn line(payload: &Value) -> Arc<[u8]> {
    // Every value of JSON can be written.
    let mut line = serde_json::to_vec(payload).unwrap_or_default();
    line.push(b'\n');
    line.into()
}
