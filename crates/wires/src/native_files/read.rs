//! From the text of a host's file to groups of hooks.

use std::collections::BTreeMap;
use std::ops::Range;

use anyhook_core::event::EventName;
use anyhook_core::hook::{Mode, Only, Speaks};
use anyhook_core::manifest::{
    Code, Entry, Finding, Group, Lines, Lowered, Manifest, Parsed, Place, Severity,
};
use anyhook_core::matcher::Matcher;

use super::node::{self, Field, Node, Of};
use super::{Failure, List, NativeFormat, Syntax, Top, conditions, entry, names};
use crate::Host;

/// What is found on the way.
#[derive(Debug)]
pub(super) struct Notes {
    lines: Lines,
    findings: Vec<Finding>,
}

impl Notes {
    pub(super) fn error(&mut self, span: &Range<usize>, message: impl Into<String>) {
        self.push(Code::BadValue, Severity::Error, span, message.into(), None);
    }

    pub(super) fn no_type(&mut self, span: &Range<usize>, message: impl Into<String>) {
        let code = Code::UnknownType;
        self.push(code, Severity::Error, span, message.into(), None);
    }

    pub(super) fn warn(
        &mut self,
        code: Code,
        span: &Range<usize>,
        message: impl Into<String>,
        help: &str,
    ) {
        let help = (!help.is_empty()).then(|| help.to_owned());
        self.push(code, Severity::Warning, span, message.into(), help);
    }

    fn push(
        &mut self,
        code: Code,
        severity: Severity,
        span: &Range<usize>,
        message: String,
        help: Option<String>,
    ) {
        let at = self.place(span);
        self.findings.push(Finding {
            code,
            severity,
            message,
            help,
            at,
        });
    }

    pub(super) fn place(&self, span: &Range<usize>) -> Place {
        self.lines.place(span.clone())
    }
}

/// The groups so far, and what they are read by.
struct Reading {
    format: &'static NativeFormat,
    host: &'static dyn Host,
    notes: Notes,
    groups: Vec<Group>,
    counts: BTreeMap<&'static str, usize>,
}

/// Reads a whole file.
pub(super) fn file(
    format: &'static NativeFormat,
    text: &str,
    syntax: Syntax,
) -> Result<Parsed, Finding> {
    let (top, lines) = parse(text, syntax)?;
    let mut notes = Notes {
        lines,
        findings: Vec::new(),
    };
    let Some(host) = crate::host(format.host) else {
        notes.error(
            &top.span,
            "this version of anyhook does not know the host of this file",
        );
        return Ok(parsed(notes, Vec::new()));
    };
    if !top.is_table() {
        notes.error(
            &top.span,
            format!("the file must hold an object, found {}", top.kind()),
        );
        return Ok(parsed(notes, Vec::new()));
    }
    if let Some((off, value)) = format.off.and_then(|off| Some((off, top.get(off)?)))
        && value.value == Of::Bool(true)
    {
        let message = format!("`{off}` switches all hooks of this file off");
        notes.warn(Code::NoEffect, &value.span, message, "");
        return Ok(parsed(notes, Vec::new()));
    }
    let mut reading = Reading {
        format,
        host,
        notes,
        groups: Vec::new(),
        counts: BTreeMap::new(),
    };
    // A second `hooks` replaces the first for the host; here both count, so that no guard goes by being written twice.
    for field in top.fields().iter().filter(|field| field.key == "hooks") {
        reading.hooks(&field.node);
    }
    let is_bare = match format.top {
        Top::Hooks => false,
        Top::HooksOrBare => top.get("hooks").is_none(),
        Top::Both => true,
    };
    if is_bare {
        reading.bare(&top);
    }
    names::tell_apart(&mut reading.groups);
    Ok(parsed(reading.notes, reading.groups))
}

fn parsed(mut notes: Notes, groups: Vec<Group>) -> Parsed {
    notes.findings.sort_by_key(|finding| finding.at.span.start);
    Parsed {
        manifest: Manifest {
            version: 1,
            mode: Mode::Enforce,
            disable: Vec::new(),
            groups,
            session: Lowered::default(),
        },
        findings: notes.findings,
    }
}

pub(super) fn parse(text: &str, syntax: Syntax) -> Result<(Node, Lines), Finding> {
    let body = text.strip_prefix('\u{feff}').unwrap_or(text);
    let lines = Lines::new(text.len() - body.len(), body);
    let top = match syntax {
        Syntax::Json => node::json(body, &lines),
        Syntax::Toml => node::toml(body, &lines),
    };
    Ok((top?, lines))
}

/// Tells whether a text names no version, and no event but by this host's own name.
pub(super) fn is_all_of(format: &NativeFormat, text: &str) -> bool {
    let Ok((top, _)) = parse(text, Syntax::Json) else {
        return false;
    };
    let rows = crate::host(format.host).map_or(&[][..], |host| host.rows());
    let is_known = |field: &Field| rows.iter().any(|row| row.name == field.key);
    let events = top.get("hooks").map(Node::fields).unwrap_or_default();
    top.get("version").is_none() && !events.is_empty() && events.iter().all(is_known)
}

/// The fields of a hook that are read whatever the host; `if`, `async` and `shell` are judged, with a finding.
const READ: &[&str] = &[
    "type",
    "args",
    "env",
    "cwd",
    "name",
    "prompt",
    "url",
    "headers",
    "allowedEnvVars",
    "if",
    "async",
    "asyncRewake",
    "shell",
    "matcher",
    "hooks",
    "sequential",
    "trigger",
    "action",
    "enabled",
];

/// Returns the fields of hooks and groups that no host reads.
pub(super) fn unread_by(format: &NativeFormat, text: &str, syntax: Syntax) -> Vec<(Place, String)> {
    let is_bare = |key: &str| format.top != Top::Hooks && format.calls(key);
    unread(text, syntax, is_bare, |key| {
        let failure = matches!(format.failure, Failure::Where(field, _) if field == key);
        let times = format.timeout.fields;
        failure
            || key == format.cwd
            || READ.contains(&key)
            || times.contains(&key)
            || format.commands_here().any(|field| field == key)
    })
}

/// Returns the fields of hooks and groups of which the second is not true. Fields at the top of the file of which the first
/// is true are events.
pub(crate) fn unread(
    text: &str,
    syntax: Syntax,
    is_bare: impl Fn(&str) -> bool,
    is_read: impl Fn(&str) -> bool,
) -> Vec<(Place, String)> {
    let Ok((top, lines)) = parse(text, syntax) else {
        return Vec::new();
    };
    let lists = top.get("hooks").map(Node::fields).unwrap_or_default();
    let listed = top.get("hooks").map(Node::items).unwrap_or_default();
    let bare = top.fields().iter().filter(|field| is_bare(&field.key));
    let groups = lists.iter().chain(bare).flat_map(|list| list.node.items());
    let groups = groups.chain(listed);
    let hooks = groups.flat_map(|group| {
        let inner = group.get("hooks").map(Node::items).unwrap_or_default();
        std::iter::once(group).chain(inner)
    });
    hooks
        .flat_map(Node::fields)
        .filter(|field| !is_read(&field.key))
        .map(|field| (lines.place(field.at.clone()), conditions::shown(&field.key)))
        .collect()
}

impl Reading {
    fn hooks(&mut self, hooks: &Node) {
        if self.format.writes.list != List::Triggers {
            return self.events(hooks);
        }
        let Of::List(list) = &hooks.value else {
            let message = format!("`hooks` must be a list of hooks, found {}", hooks.kind());
            return self.notes.error(&hooks.span, message);
        };
        for hook in list {
            self.triggered(hook);
        }
    }

    /// Reads a hook that says itself when it runs, and what.
    fn triggered(&mut self, hook: &Node) {
        let Some(trigger) = hook.get("trigger") else {
            let message = "a hook must name its `trigger`";
            return self.notes.error(&hook.span, message);
        };
        let Some(native) = trigger.text() else {
            let message = format!("`trigger` must be a string, found {}", trigger.kind());
            return self.notes.error(&trigger.span, message);
        };
        let Some(event) = self.event_of(native) else {
            return self.unknown(native, &trigger.span);
        };
        // What the action says is what an entry of the other hosts says itself.
        let mut fields = hook.fields().to_vec();
        let action = hook.get("action").map(Node::fields).unwrap_or_default();
        fields.extend(action.iter().cloned());
        let flat = Node {
            value: Of::Table(fields),
            span: hook.span.clone(),
        };
        let native = native.to_owned();
        self.element(event, &native, &flat);
    }

    /// Reads the events at the top of a file, which may hold other things too.
    fn bare(&mut self, top: &Node) {
        for field in top.fields() {
            let mut rows = self.host.rows().iter();
            if let Some(row) = rows.find(|row| row.name == field.key) {
                self.event(row.event, field);
            } else if self.near(&field.key).is_some() {
                self.unknown(&field.key, &field.at);
            }
        }
    }

    /// Returns what an event of the host is here.
    fn event_of(&self, native: &str) -> Option<&'static str> {
        let mut more = self.format.more.iter();
        match more.find(|(name, _)| *name == native) {
            Some((_, event)) => Some(event),
            None => self.host.row(native).map(|row| row.event),
        }
    }

    fn events(&mut self, hooks: &Node) {
        if !hooks.is_table() {
            let message = format!(
                "`hooks` must be an object of events, found {}",
                hooks.kind()
            );
            self.notes.error(&hooks.span, message);
        }
        for field in hooks.fields() {
            if self.format.own.contains(&&*field.key) {
                let message = format!(
                    "only `{}` itself runs hooks on `{}`",
                    self.format.host, field.key
                );
                let help = "write the guard for every agent: as `pre-tool-use` it holds there too";
                self.notes
                    .warn(Code::ReadOtherwise, &field.at, message, help);
                continue;
            }
            match self.event_of(&field.key) {
                Some(event) => self.event(event, field),
                None => self.unknown(&field.key, &field.at),
            }
        }
    }

    /// Returns the event of the host whose name is like this.
    fn near(&self, native: &str) -> Option<&'static str> {
        let rows = self.host.rows().iter().map(|row| row.name);
        let mut names = rows.chain(self.format.more.iter().map(|(name, _)| *name));
        names.find(|name| name.eq_ignore_ascii_case(native))
    }

    /// An event that the host does not have is dropped there too.
    fn unknown(&mut self, native: &str, at: &Range<usize>) {
        let help = self
            .near(native)
            .map(|near| format!("did you mean `{near}`?"))
            .unwrap_or_default();
        let name = conditions::shown(native);
        let message = format!(
            "`{}` has no event `{name}`, and ignores it",
            self.format.host
        );
        self.notes.warn(Code::UnknownEvent, at, message, &help);
    }

    fn event(&mut self, event: &'static str, field: &Field) {
        let Of::List(list) = &field.node.value else {
            let message = format!("an event must hold a list, found {}", field.node.kind());
            self.notes.error(&field.node.span, message.as_str());
            let mut group = self.empty(event, &field.key, &field.node);
            group.entries.push(self.broken(&field.node, message));
            self.groups.push(group);
            return;
        };
        for element in list {
            self.element(event, &field.key, element);
        }
    }

    /// Reads one element of an event's list: a group of hooks, or a hook that stands alone.
    fn element(&mut self, event: &'static str, native: &str, element: &Node) {
        let mut group = self.empty(event, native, element);
        let matcher = conditions::matcher(self.format, native, element, &mut self.notes);
        let (matcher, only) = conditions::of_event(self.format, native, matcher);
        group.matcher = matcher.unwrap_or_else(Matcher::all);
        group.sequential = element
            .get("sequential")
            .is_some_and(|node| node.value == Of::Bool(true));
        group.matcher_text = element
            .get("matcher")
            .and_then(Node::text)
            .map(str::to_owned);
        match element.get("hooks").map(|hooks| (&hooks.value, hooks)) {
            Some((Of::List(entries), _)) => {
                for node in entries {
                    self.entry(event, &mut group, (element, node), only.as_ref());
                }
            }
            Some((_, hooks)) => {
                let message = format!("`hooks` must be a list of hooks, found {}", hooks.kind());
                self.notes.error(&hooks.span, message.as_str());
                group.entries.push(self.broken(hooks, message));
            }
            None => self.entry(event, &mut group, (element, element), only.as_ref()),
        }
        // A group of our own entries only is none.
        if !group.entries.is_empty() {
            *self.counts.entry(event).or_default() += 1;
            self.groups.push(group);
        }
    }

    fn entry(
        &mut self,
        event: &'static str,
        group: &mut Group,
        (element, node): (&Node, &Node),
        only: Option<&Only>,
    ) {
        let native = group.speaks.as_ref().map(|speaks| speaks.native.clone());
        let native = native.unwrap_or_default();
        let about = entry::About {
            format: self.format,
            native: &native,
            event,
        };
        if let Some(mut entry) = entry::read(&about, node, &mut self.notes) {
            entry.index = group.entries.len();
            entry.only = entry.only.or_else(|| only.cloned());
            entry.called = names::of(element, node, &entry.action);
            group.entries.push(entry);
        }
    }

    fn broken(&self, node: &Node, message: String) -> Entry {
        Entry::broken(message, Mode::Enforce, self.notes.place(&node.span))
    }

    fn empty(&self, event: &'static str, native: &str, node: &Node) -> Group {
        Group {
            event: event.to_owned(),
            spec: EventName::new(event).spec(),
            matcher: Matcher::all(),
            matcher_text: None,
            effects: Vec::new(),
            priority: 0,
            sequential: false,
            name: None,
            mode: Mode::Enforce,
            sandbox: None,
            entries: Vec::new(),
            at: self.notes.place(&node.span),
            index: self.counts.get(event).copied().unwrap_or(0),
            speaks: Some(Speaks {
                host: self.format.host,
                native: native.into(),
            }),
        }
    }
}
