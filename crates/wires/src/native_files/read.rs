//! From the text of a host's file to groups of hooks.

use std::collections::BTreeMap;

use anyhook_core::event::EventName;
use anyhook_core::hook::{HookDialect, MatchCondition, Mode};
use anyhook_core::manifest::{
    Code, Entry, Finding, FindingCollector, Group, LineIndex, Manifest, ParsedManifest, Place, kind,
};
use anyhook_core::matcher::Matcher;
use jsonc_parser::ast::{Object, ObjectProp};
use jsonc_parser::common::Ranged;

use super::node::{self, Node, NodeAccess};
use super::{
    EventsLocation, FailurePolicy, ListShape, NativeFormat, Syntax, conditions, entry, is_ours,
    names,
};
use crate::Host;
use crate::hosts::universal::table::READ;

/// The groups so far, and what they are read by.
struct NativeReader {
    format: &'static NativeFormat,
    host: &'static Host,
    notes: FindingCollector,
    groups: Vec<Group>,
    counts: BTreeMap<&'static str, usize>,
}

impl NativeFormat {
    /// Reads a file of this host. Text that cannot be parsed is the one finding that leaves nothing.
    pub fn read(&'static self, text: &str, syntax: Syntax) -> Result<ParsedManifest, Finding> {
        let (top, lines) = parse(text, syntax)?;
        let mut notes = FindingCollector::new(lines);
        let Some(host) = crate::host(self.host) else {
            let message = "this version of anyhook does not know the host of this file";
            notes.error(&top, message, None);
            return Ok(parsed(self, notes, Vec::new()));
        };
        if top.as_object().is_none() {
            let message = format!("the file must hold an object, found {}", kind(&top));
            notes.error(&top, message, None);
            return Ok(parsed(self, notes, Vec::new()));
        }
        if let Some((off, value)) = self.off.and_then(|off| Some((off, top.get(off)?)))
            && value.is(true)
        {
            let message = format!("`{off}` switches all hooks of this file off");
            notes.warn(value, message, None).code(Code::NoEffect);
            return Ok(parsed(self, notes, Vec::new()));
        }
        let mut reading = NativeReader {
            format: self,
            host,
            notes,
            groups: Vec::new(),
            counts: BTreeMap::new(),
        };
        // A second `hooks` replaces the first for the host; here both count, so that no guard goes by being written twice.
        let all = top.fields().iter();
        for field in all.filter(|field| field.name.as_str() == "hooks") {
            reading.hooks(&field.value);
        }
        let is_bare = match self.top {
            EventsLocation::Hooks => false,
            EventsLocation::HooksOrBare => top.get("hooks").is_none(),
            EventsLocation::Both => true,
        };
        if is_bare {
            reading.bare(&top);
        }
        names::tell_apart(&mut reading.groups);
        Ok(parsed(self, reading.notes, reading.groups))
    }

    /// Returns the fields of hooks and groups that [`NativeFormat::read`] takes no notice of, with their places.
    pub fn unread(&self, text: &str, syntax: Syntax) -> Vec<(Place, String)> {
        let is_bare = |key: &str| self.top != EventsLocation::Hooks && self.calls(key);
        unread(text, syntax, is_bare, |key| {
            let failure = matches!(self.failure, FailurePolicy::Where(field, _) if field == key);
            let times = self.timeout.fields;
            failure
                || key == self.cwd
                || READ.contains(&key)
                || times.contains(&key)
                || self.commands_here().any(|field| field == key)
        })
    }
}

fn parsed(
    format: &NativeFormat,
    mut notes: FindingCollector,
    groups: Vec<Group>,
) -> ParsedManifest {
    notes.findings.sort_by_key(|finding| finding.at.span.start);
    ParsedManifest {
        manifest: Manifest {
            version: 1,
            mode: Mode::Enforce,
            disable: Vec::new(),
            groups,
            native: Some(format.host),
        },
        findings: notes.findings,
    }
}

pub(super) fn parse(text: &str, syntax: Syntax) -> Result<(Node<'_>, LineIndex), Finding> {
    let body = text.strip_prefix('\u{feff}').unwrap_or(text);
    let lines = LineIndex::new(text.len() - body.len(), body);
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
    let is_known = |field: &ObjectProp<'_>| rows.iter().any(|row| row.name == field.name.as_str());
    let events = top.get("hooks").map(NodeAccess::fields).unwrap_or_default();
    top.get("version").is_none() && !events.is_empty() && events.iter().all(is_known)
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
    let lists = top.get("hooks").map(NodeAccess::fields).unwrap_or_default();
    let listed = top.get("hooks").map(NodeAccess::items).unwrap_or_default();
    let bare = top
        .fields()
        .iter()
        .filter(|field| is_bare(field.name.as_str()));
    let groups = lists.iter().chain(bare).flat_map(|list| list.value.items());
    let groups = groups.chain(listed);
    let hooks = groups.flat_map(|group| {
        let inner = group
            .get("hooks")
            .map(NodeAccess::items)
            .unwrap_or_default();
        std::iter::once(group).chain(inner)
    });
    hooks
        .flat_map(NodeAccess::fields)
        .filter(|field| !is_read(field.name.as_str()))
        .map(|field| {
            let at = lines.place(field.name.start()..field.name.end());
            (at, conditions::shown(field.name.as_str()))
        })
        .collect()
}

impl NativeReader {
    fn hooks(&mut self, hooks: &Node<'_>) {
        if self.format.writes.list != ListShape::Triggers {
            return self.events(hooks);
        }
        let Node::Array(list) = hooks else {
            let message = format!("`hooks` must be a list of hooks, found {}", kind(hooks));
            self.notes.error(hooks, message, None);
            return;
        };
        for hook in &list.elements {
            self.triggered(hook);
        }
    }

    /// Reads a hook that says itself when it runs, and what.
    fn triggered(&mut self, hook: &Node<'_>) {
        let trigger = hook.get("trigger");
        let Some((trigger, native)) = trigger.and_then(|trigger| Some((trigger, trigger.word()?)))
        else {
            let message = "a hook must name its `trigger`, as a string";
            self.notes.error(trigger.unwrap_or(hook), message, None);
            return;
        };
        let Some(event) = self.format.event_of(native) else {
            return self.unknown(native, trigger);
        };
        // What the action says is what an entry of the other hosts says itself.
        let mut fields = hook.fields().to_vec();
        let action = hook
            .get("action")
            .map(NodeAccess::fields)
            .unwrap_or_default();
        fields.extend(action.iter().cloned());
        let flat = Node::Object(Object {
            range: hook.range(),
            properties: fields,
        });
        let native = native.to_owned();
        self.element(event, &native, &flat);
    }

    /// Reads the events at the top of a file, which may hold other things too.
    fn bare(&mut self, top: &Node<'_>) {
        for field in top.fields() {
            let mut rows = self.host.rows().iter();
            if let Some(row) = rows.find(|row| row.name == field.name.as_str()) {
                self.event(row.event, field);
            } else if self.near(field.name.as_str()).is_some() {
                self.unknown(field.name.as_str(), &field.name);
            }
        }
    }

    fn events(&mut self, hooks: &Node<'_>) {
        if hooks.as_object().is_none() {
            let message = format!("`hooks` must be an object of events, found {}", kind(hooks));
            self.notes.error(hooks, message, None);
        }
        for field in hooks.fields() {
            let name = field.name.as_str();
            let is_line = |node: &Node<'_>| {
                node.get("command")
                    .and_then(NodeAccess::word)
                    .is_some_and(is_ours)
            };
            let groups = field.value.items().iter();
            let mut hooks =
                groups.flat_map(|group| group.get("hooks").map_or(&[][..], NodeAccess::items));
            let is_own = self.format.own.contains(&name);
            if is_own && hooks.all(is_line) {
                continue;
            }
            if is_own {
                let message = format!("only `{}` itself runs hooks on `{name}`", self.format.host);
                let help = "write the guard for every agent: as `pre-tool-use` it holds there too";
                let notes = self.notes.warn(&field.name, message, Some(help));
                notes.code(Code::ReadOtherwise);
                continue;
            }
            match self.format.event_of(name) {
                Some(event) => self.event(event, field),
                None => self.unknown(name, &field.name),
            }
        }
    }

    /// Returns the event of the host whose name is like this.
    fn near(&self, native: &str) -> Option<&'static str> {
        let mut names = self.format.names();
        names.find(|name| name.eq_ignore_ascii_case(native))
    }

    /// An event that the host does not have is dropped there too.
    fn unknown(&mut self, native: &str, at: &impl Ranged) {
        let help = self
            .near(native)
            .map(|near| format!("did you mean `{near}`?"));
        let name = conditions::shown(native);
        let message = format!(
            "`{}` has no event `{name}`, and ignores it",
            self.format.host
        );
        let notes = self.notes.warn(at, message, help.as_deref());
        notes.code(Code::UnknownEvent);
    }

    fn event(&mut self, event: &'static str, field: &ObjectProp<'_>) {
        let (native, value) = (field.name.as_str(), &field.value);
        let Node::Array(list) = value else {
            let message = format!("an event must hold a list, found {}", kind(value));
            self.notes.error(value, message.as_str(), None);
            let mut group = self.empty(event, native, value);
            group.entries.push(self.broken(value, message));
            self.groups.push(group);
            return;
        };
        for element in &list.elements {
            self.element(event, native, element);
        }
    }

    /// Reads one element of an event's list: a group of hooks, or a hook that stands alone.
    fn element(&mut self, event: &'static str, native: &str, element: &Node<'_>) {
        let mut group = self.empty(event, native, element);
        let matcher = conditions::matcher(self.format, native, element, &mut self.notes);
        let (matcher, only) = conditions::of_event(self.format, native, matcher);
        group.matcher = matcher.unwrap_or_else(Matcher::all);
        group.sequential = element.get("sequential").is_some_and(|node| node.is(true));
        group.matcher_text = element
            .get("matcher")
            .and_then(NodeAccess::word)
            .map(str::to_owned);
        match element.get("hooks") {
            Some(Node::Array(entries)) => {
                for node in &entries.elements {
                    self.entry(&mut group, element, node, only.as_ref());
                }
            }
            Some(hooks) => {
                let message = format!("`hooks` must be a list of hooks, found {}", kind(hooks));
                self.notes.error(hooks, message.as_str(), None);
                group.entries.push(self.broken(hooks, message));
            }
            None => self.entry(&mut group, element, element, only.as_ref()),
        }
        // A group of our own entries only is none.
        if !group.entries.is_empty() {
            *self.counts.entry(event).or_default() += 1;
            self.groups.push(group);
        }
    }

    fn entry(
        &mut self,
        group: &mut Group,
        element: &Node<'_>,
        node: &Node<'_>,
        only: Option<&MatchCondition>,
    ) {
        let native = group.speaks.as_ref().map(|speaks| speaks.native.clone());
        let native = native.unwrap_or_default();
        let about = entry::EntryContext {
            format: self.format,
            native: &native,
            event: &group.event,
        };
        if let Some(mut entry) = entry::read(&about, node, &mut self.notes) {
            entry.index = group.entries.len();
            entry.only = entry.only.or_else(|| only.cloned());
            entry.called = names::of(element, node, &entry.action);
            group.entries.push(entry);
        }
    }

    fn broken(&self, node: &Node<'_>, message: String) -> Entry {
        entry::broken(message, self.notes.place(node))
    }

    fn empty(&self, event: &'static str, native: &str, node: &Node<'_>) -> Group {
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
            at: self.notes.place(node),
            index: self.counts.get(event).copied().unwrap_or(0),
            speaks: Some(HookDialect {
                host: self.format.host.into(),
                native: native.into(),
            }),
        }
    }
}
