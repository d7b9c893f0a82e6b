//! Writing hooks in the form of a host's file or in the universal one, which is a row like the others here.

use anyhook_core::event::Map;
use anyhook_core::hook::{OnFault, WaitMode};
use anyhook_core::manifest::{Action, Command, DEADLINE, Entry, Group, Manifest};
use serde_json::Value;

use super::matchers::{self, MatcherMeaning, UNIVERSAL};
use super::universal::{self, of_command, of_http};
use super::{Conversion, variables};
use crate::json;
use crate::native_files::{
    EventsLocation, FailurePolicy, FileLayout, ListShape, MatcherSyntax, NativeFormat, PromptHook,
    RefusalValue,
};
use crate::tools;

/// The universal form.
pub(super) static UNIVERSAL_FILE: NativeFormat = NativeFormat {
    matching: UNIVERSAL,
    prompts: PromptHook::Judge,
    failure: FailurePolicy::Where("on-failure", RefusalValue::Word("deny")),
    writes: FileLayout {
        version: Some(1),
        holds: &["name", "when", "url", "sequential", "async", "enabled"],
        ..FileLayout::BARE
    },
    ..NativeFormat::BARE
};

/// Writes a whole file: the universal one of the files of a host, or that of a host.
pub(super) fn file(
    manifest: &Manifest,
    from: Option<&'static NativeFormat>,
    to: &'static NativeFormat,
    losses: &mut Conversion,
) -> Map {
    let mut events = Map::new();
    for off in &manifest.disable {
        losses.lose(
            &off.at,
            format!("`disable` has no place in a file of `{}`", to.host),
        );
    }
    let mut writing = NativeWriter { from, to, losses };
    for group in &manifest.groups {
        for event in writing.events(group) {
            let elements = writing.group(group, event);
            if !elements.is_empty() {
                let list = events
                    .entry(event)
                    .or_insert_with(|| Value::Array(Vec::new()));
                if let Value::Array(list) = list {
                    list.extend(elements);
                }
            }
        }
    }
    let mut top = Map::new();
    let version = to.writes.version.map(|version| match to.writes.list {
        ListShape::Triggers => Value::from(format!("v{version}")),
        ListShape::Groups | ListShape::Hooks => version.into(),
    });
    top.extend(version.map(|version| ("version".to_owned(), version)));
    if to.top == EventsLocation::Both {
        top.extend(events);
        return top;
    }
    let hooks = if to.writes.list == ListShape::Triggers {
        events.into_iter().flat_map(triggers).collect()
    } else {
        Value::Object(events)
    };
    top.insert("hooks".to_owned(), hooks);
    top
}

/// Says the hooks of an event as hooks that say it themselves.
fn triggers((event, hooks): (String, Value)) -> Vec<Value> {
    let Value::Array(hooks) = hooks else {
        return Vec::new();
    };
    let said = hooks.into_iter().enumerate().map(|(at, hook)| {
        let Value::Object(mut hook) = hook else {
            return hook;
        };
        let fields = ["type", "command"].into_iter();
        let action: Map = fields
            .filter_map(|field| hook.shift_remove_entry(field))
            .collect();
        // A name is asked for there.
        let name = hook.shift_remove("name");
        let name = name.unwrap_or_else(|| format!("{event} {}", at + 1).into());
        let mut said = json::map([("name", name), ("trigger", event.as_str().into())]);
        said.extend(hook);
        said.insert("action".to_owned(), Value::Object(action));
        Value::Object(said)
    });
    said.collect()
}

struct NativeWriter<'a> {
    /// The form that becomes the universal one.
    from: Option<&'static NativeFormat>,
    to: &'static NativeFormat,
    losses: &'a mut Conversion,
}

impl NativeWriter<'_> {
    fn holds(&self, field: &str) -> bool {
        self.to.writes.holds.contains(&field)
    }

    /// Names a group's event; nothing where the host has none, and several where it has one for each tool.
    fn events<'g>(&mut self, group: &'g Group) -> Vec<&'g str> {
        if self.from.is_some() {
            let name = group.spec.map(|spec| spec.universal.unwrap_or(spec.name));
            return vec![name.unwrap_or(&group.event)];
        }
        let canonical = group.spec.map_or(&*group.event, |spec| spec.name);
        let rows = crate::host(self.to.host).map_or(&[][..], |host| host.rows());
        let own = group.speaks.as_ref().filter(|own| own.host == self.to.host);
        if let (Some(speaks), None) = (&group.speaks, own) {
            let what = format!("its scripts speak the words of `{}`", speaks.host);
            self.losses.lose(&group.at, what);
        }
        let is_it = |name: &str| own.is_none_or(|own| *own.native == *name);
        let names = rows.iter().filter(|row| row.event == canonical);
        let names = names.map(|row| row.name).filter(|name| is_it(name));
        let names: Vec<&str> = if self.to.matching == MatcherSyntax::Nothing {
            names
                .filter(|name| matchers::fits(self.to, name, &group.matcher))
                .collect()
        } else {
            names.take(1).collect()
        };
        if names.is_empty() {
            let host = self.to.host;
            let what = format!("`{host}` has no event `{canonical}`: its hooks are left out");
            self.losses.lose(&group.at, what);
        }
        names
    }

    /// Writes a group as the elements of its event's list.
    fn group(&mut self, group: &Group, event: &str) -> Vec<Value> {
        let mut head = Map::new();
        let Some(matcher) = (match self.from {
            Some(from) => universal::matcher(group, from, self.losses),
            None => Some(self.matcher(group).unwrap_or_default()),
        }) else {
            let what = "its matcher selects what a universal one cannot: its hooks are left out";
            self.losses.lose(&group.at, what);
            return Vec::new();
        };
        let matcher = Some(matcher).filter(|matcher| !matcher.is_empty());
        head.extend(matcher.map(|matcher| ("matcher".to_owned(), matcher.into())));
        if group.sequential && self.holds("sequential") {
            head.insert("sequential".to_owned(), true.into());
        }
        if let (Some(speaks), Some(_)) = (&group.speaks, self.from) {
            let said = format!("{} {}", speaks.host, speaks.native);
            head.insert("speaks".to_owned(), said.into());
        }
        if group.name.is_some() && self.holds("name") {
            self.losses.lose(&group.at, "a group has no name there");
        }
        let entries = group.entries.iter();
        let hooks: Vec<Map> = entries
            .filter_map(|entry| self.entry(entry, event))
            .collect();
        // A group without hooks asks no hook.
        if hooks.is_empty() {
            return Vec::new();
        }
        if self.to.writes.list != ListShape::Groups {
            let flat = hooks
                .into_iter()
                .map(|hook| hook.into_iter().chain(head.clone()).collect());
            return flat.map(Value::Object).collect();
        }
        let hooks = hooks.into_iter().map(Value::Object).collect();
        head.insert("hooks".to_owned(), hooks);
        vec![Value::Object(head)]
    }

    /// Says a matcher with the host's names of tools.
    fn matcher(&mut self, group: &Group) -> Option<String> {
        let meaning = matchers::read(UNIVERSAL, group.matcher_text.as_deref());
        if self.to.matching == MatcherSyntax::Nothing && meaning != MatcherMeaning::All {
            let what =
                "there are no matchers there: its hooks are asked about every tool of each event";
            self.losses.lose(&group.at, what);
            return None;
        }
        let is_tool = group.spec.and_then(|spec| spec.subject) == Some("tool_name");
        let meaning = match meaning {
            MatcherMeaning::Names(names) if is_tool => {
                MatcherMeaning::of_names(names.iter().map(|name| self.tool(name)))
            }
            MatcherMeaning::Somewhere(ref pattern) if is_tool => {
                let what =
                    format!("the names of tools in the pattern `{pattern}` stay what they are");
                self.losses.lose(&group.at, what);
                meaning
            }
            other => other,
        };
        matchers::write(self.to.matching, &meaning)
    }

    fn tool(&self, name: &str) -> String {
        let canonical = tools::canonical(name);
        let rows = crate::host(self.to.host).map_or(&[][..], |host| host.facts().tools.rows);
        let row = rows.iter().find(|row| row.is == canonical);
        row.map_or(canonical, |row| row.name).to_owned()
    }

    fn entry(&mut self, entry: &Entry, event: &str) -> Option<Map> {
        let mut fields = match self.action(entry) {
            Ok(fields) => fields,
            // What is wrong with it is told already.
            Err(_) if self.from.is_some() && matches!(entry.action, Action::Broken(_)) => {
                return None;
            }
            Err(why) => {
                self.losses
                    .lose(&entry.at, format!("{why}: the hook is left out"));
                return None;
            }
        };
        let name = entry.name.as_ref().or(entry.called.as_ref());
        let when = entry.when.as_ref().map(|when| &when.text);
        for (field, text) in [("name", name), ("when", when)] {
            if let Some(text) = text.filter(|_| self.holds(field)) {
                fields.insert(field.to_owned(), text.as_str().into());
            }
        }
        self.timeout(entry, event, &mut fields);
        self.failure(entry, event, &mut fields);
        if entry.pace == WaitMode::Background && self.holds("async") {
            fields.insert("async".to_owned(), true.into());
        }
        if !entry.enabled {
            fields.insert("enabled".to_owned(), false.into());
        }
        if entry.only.is_some() {
            let what = "the hook is asked about everything that the matcher of its group selects";
            self.losses.lose(&entry.at, what);
        }
        if entry.when.is_some() && !self.holds("when") {
            let what = "without `when` the hook is asked about everything that its matcher selects";
            self.losses.lose(&entry.at, what);
        }
        self.losses.hooks.push(entry.at.span.clone());
        Some(fields)
    }

    /// Says what a hook does, or why the host cannot do it.
    fn action(&mut self, entry: &Entry) -> Result<Map, String> {
        let host = self.to.host;
        if !entry.enabled && !self.holds("enabled") {
            return Err("it is switched off".to_owned());
        }
        match &entry.action {
            Action::Command(command) if command.server.is_some() => {
                Err("it calls a tool of a server that only its own agent describes".to_owned())
            }
            Action::Command(command) => Ok(self.command(command, entry)),
            Action::Prompt(prompt) if self.to.prompts == PromptHook::Judge => {
                let text = prompt.prompt.as_str().into();
                Ok(json::map([("type", "prompt".into()), ("prompt", text)]))
            }
            Action::Prompt(_) => Err(format!("a prompt is no judge at `{host}`")),
            Action::Http(http) if self.holds("url") => Ok(of_http(http)),
            Action::Http(_) => Err(format!("`{host}` asks no server")),
            Action::Rule(_) => Err("a rule runs in a universal file only".to_owned()),
            Action::Builtin(_) => Err("a built-in module runs in a universal file only".to_owned()),
            Action::Broken(why) => Err(format!("it cannot run ({why})")),
        }
    }

    fn command(&mut self, command: &Command, entry: &Entry) -> Map {
        if self.from.is_some() {
            return of_command(command);
        }
        let (command, lost) = variables::to_native(command, self.to);
        for what in lost {
            self.losses.lose(&entry.at, what);
        }
        let line = self.to.commands_here().next().unwrap_or("command");
        let fields = of_command(&command).into_iter();
        fields
            .filter_map(|(name, value)| match name.as_str() {
                "type" => Some((name, value)),
                "command" => Some((line.to_owned(), value)),
                "cwd" => self.holds("cwd").then(|| (self.to.cwd.to_owned(), value)),
                _ => self.holds(&name).then_some((name, value)),
            })
            .collect()
    }

    /// Says how long a hook may take, unless it is what the host means anyway.
    fn timeout(&mut self, entry: &Entry, event: &str, fields: &mut Map) {
        let (time, rule) = (entry.timeout.unwrap_or(DEADLINE), &self.to.timeout);
        if time == rule.of(event) {
            return;
        }
        match rule.fields.first() {
            Some(field) => {
                fields.insert((*field).to_owned(), rule.unit.number(time));
            }
            None => self
                .losses
                .lose(&entry.at, "how long it may take cannot be said there"),
        }
    }

    /// Says what a failure means.
    fn failure(&mut self, entry: &Entry, event: &str, fields: &mut Map) {
        let refuses = match entry.on_failure {
            Some(rule) => rule != OnFault::Continue,
            None => entry.guard,
        };
        let what = match (self.to.failure, refuses) {
            (FailurePolicy::Where(field, value), true) => {
                let value = match value {
                    RefusalValue::True => Value::Bool(true),
                    RefusalValue::Word(word) | RefusalValue::Unless(word, _) => word.into(),
                };
                fields.insert(field.to_owned(), value);
                (entry.on_failure == Some(OnFault::Halt))
                    .then(|| "a failure that halts refuses at most there".to_owned())
            }
            (FailurePolicy::On(events), false) if events.contains(&event) => {
                Some(format!("a failure on `{event}` always refuses there"))
            }
            (FailurePolicy::On(events), true) if !events.contains(&event) => {
                Some(format!("a failure on `{event}` never refuses there"))
            }
            (FailurePolicy::Never, true) => Some("a failure never refuses there".to_owned()),
            (_, _) => None,
        };
        if let Some(what) = what {
            self.losses.lose(&entry.at, what);
        }
    }
}
