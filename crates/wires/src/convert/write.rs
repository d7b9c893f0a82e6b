//! Writing groups of hooks in a format.

use anyhook_core::effects::IfUnsayable;
use anyhook_core::event::Map;
use anyhook_core::hook::{At, Mode, OnFault, Pace};
use anyhook_core::manifest::{Action, Command, DEADLINE, Entry, Group, Manifest, Place};
use serde_json::{Value, json};

use super::matchers::{self, Meaning};
use super::shape::{lists, of_http, of_system, of_tool, triggers, version};
use super::{Format, Lost, answers, variables};
use crate::native_files::{Failure, List, Matching, Prompts, Refuses, Top};
use crate::settings::Unit;
use crate::tools;

struct Writing {
    from: Format,
    to: Format,
    lost: Vec<Lost>,
}

/// Writes a whole file.
pub(super) fn file(manifest: &Manifest, from: Format, to: Format) -> (String, Vec<Lost>) {
    let mut writing = Writing {
        from,
        to,
        lost: Vec::new(),
    };
    let mut events = Map::new();
    for group in &manifest.groups {
        for event in writing.events(group) {
            let elements = writing.group(group, &event);
            if elements.is_empty() {
                continue;
            }
            let list = events
                .entry(event)
                .or_insert_with(|| Value::Array(Vec::new()));
            if let Value::Array(list) = list {
                list.extend(elements);
            }
        }
    }
    let mut top = Map::new();
    top.extend(version(to).map(|version| ("version".to_owned(), version)));
    if let Some(first) = manifest.disable.first()
        && writing.field(&first.at, "disable")
    {
        let names = manifest.disable.iter().map(|off| match &off.file {
            Some(file) => json!({"name": off.name, "file": file}),
            None => off.name.as_str().into(),
        });
        top.insert("disable".to_owned(), names.collect());
    }
    if matches!(to, Format::Native(format) if format.top == Top::Both) {
        top.extend(events);
        let text = serde_json::to_string_pretty(&Value::Object(top)).unwrap_or_default();
        return (format!("{text}\n"), writing.lost);
    }
    let hooks = if lists(to) == List::Triggers {
        events.into_iter().flat_map(triggers).collect()
    } else {
        Value::Object(events)
    };
    top.insert("hooks".to_owned(), hooks);
    let text = serde_json::to_string_pretty(&Value::Object(top)).unwrap_or_default();
    (format!("{text}\n"), writing.lost)
}

impl Writing {
    fn lose(&mut self, at: &Place, what: impl Into<String>) {
        self.lost.push(Lost {
            at: at.clone(),
            what: what.into(),
        });
    }

    /// Names a group's event; nothing where the other format has none, and several where it has one for each tool.
    fn events(&mut self, group: &Group) -> Vec<String> {
        let canonical = group.spec.map_or(&*group.event, |spec| spec.name);
        let format = match self.to {
            Format::Universal => {
                let universal = group.spec.and_then(|spec| spec.universal);
                return vec![universal.unwrap_or(canonical).to_owned()];
            }
            Format::Native(format) => format,
        };
        let speaks = group
            .speaks
            .as_ref()
            .filter(|speaks| speaks.host == format.host);
        if let Some(speaks) = speaks {
            return vec![speaks.native.to_string()];
        }
        let rows = crate::host(format.host).map_or(&[][..], |host| host.rows());
        let names = rows
            .iter()
            .filter(|row| row.event == canonical)
            .map(|row| row.name);
        let names: Vec<&str> = if format.matching == Matching::Nothing {
            names
                .filter(|name| matchers::fits(format, name, &group.matcher))
                .collect()
        } else {
            names.take(1).collect()
        };
        if names.is_empty() {
            let what = format!(
                "`{}` has no event `{canonical}`: its hooks are left out",
                format.host
            );
            self.lose(&group.at, what);
        }
        names.into_iter().map(str::to_owned).collect()
    }

    /// Writes a group as the elements of its event's list.
    fn group(&mut self, group: &Group, event: &str) -> Vec<Value> {
        let matcher = self.matcher(group);
        if group.priority != 0 {
            self.field(&group.at, "priority");
        }
        let mut head = Map::new();
        head.extend(matcher.map(|matcher| ("matcher".to_owned(), matcher.into())));
        if group.sequential && self.field(&group.at, "sequential") {
            head.insert("sequential".to_owned(), true.into());
        }
        if !group.effects.is_empty() && self.field(&group.at, "effect") {
            head.insert("effect".to_owned(), json!(group.effects));
        }
        if let Some(name) = &group.name {
            if matches!(self.to, Format::Universal) {
                head.insert("name".to_owned(), name.as_str().into());
            } else {
                self.lose(&group.at, "a group has no name there");
            }
        }
        if matches!(self.to, Format::Universal) && group.priority != 0 {
            head.insert("priority".to_owned(), group.priority.into());
        }
        let entries = group.entries.iter();
        let hooks: Vec<Map> = entries
            .filter_map(|entry| {
                let fields = self.entry(entry, event)?;
                self.heard(group, entry);
                Some(fields)
            })
            .collect();
        // A group without hooks asks no hook.
        if hooks.is_empty() {
            return Vec::new();
        }
        if lists(self.to) != List::Groups {
            let flat = hooks.into_iter().map(|mut hook| {
                hook.extend(head.clone());
                Value::Object(hook)
            });
            return flat.collect();
        }
        head.insert(
            "hooks".to_owned(),
            hooks.into_iter().map(Value::Object).collect(),
        );
        vec![Value::Object(head)]
    }

    /// Says a matcher in the other format, with that host's names of tools.
    fn matcher(&mut self, group: &Group) -> Option<String> {
        let meaning = self.meaning(group);
        if let Format::Native(format) = self.to
            && format.matching == Matching::Nothing
            && meaning != Meaning::All
        {
            let what =
                "there are no matchers there: its hooks are asked about every tool of each event";
            self.lose(&group.at, what);
            return None;
        }
        let is_tool = group.spec.and_then(|spec| spec.subject) == Some("tool_name");
        let meaning = match meaning {
            Meaning::Names(names) if is_tool => {
                Meaning::Names(names.iter().map(|name| self.tool(name)).collect())
            }
            Meaning::Somewhere(ref pattern) | Meaning::Whole(ref pattern)
                if is_tool && self.from.name() != self.to.name() =>
            {
                let what =
                    format!("the names of tools in the pattern `{pattern}` stay what they are");
                self.lose(&group.at, what);
                meaning
            }
            other => other,
        };
        matchers::write(self.to, &meaning)
    }

    /// Says what the matcher of a group means: of the tools that its event is about, and of what its text selects.
    fn meaning(&mut self, group: &Group) -> Meaning {
        let text = group.matcher_text.as_deref();
        let form = match (self.from, &group.speaks) {
            (Format::Native(format), Some(speaks)) => {
                let mut forms = format.events.iter();
                forms.find(|form| form.native == &*speaks.native)
            }
            (Format::Native(_) | Format::Universal, _) => None,
        };
        let Some(form) = form else {
            return matchers::read(self.from, text);
        };
        if text.is_some() && form.at.is_some_and(|at| at != At::Subject) {
            let what = "its matcher looks at something else than the name of a tool: its hooks are asked about all of those";
            self.lose(&group.at, what);
        }
        match (form.tools, form.at) {
            (None, Some(At::Subject)) => matchers::read(self.from, text),
            (Some(tools), _) => matchers::read(Format::Universal, Some(tools)),
            (None, _) => Meaning::All,
        }
    }

    fn tool(&self, name: &str) -> String {
        let canonical = tools::canonical(name);
        let host = match self.to {
            Format::Universal => None,
            Format::Native(format) => crate::host(format.host),
        };
        let rows = host.map_or(&[][..], |host| host.facts().tools.rows);
        let row = rows.iter().find(|row| row.is == canonical);
        row.map_or(canonical, |row| row.name).to_owned()
    }

    /// Tells whether the other format has a field; where it has not, that is a loss.
    fn field(&mut self, at: &Place, name: &str) -> bool {
        let holds = match self.to {
            Format::Universal => true,
            Format::Native(format) => format.writes.holds.contains(&name),
        };
        if !holds {
            let what = format!("`{name}` has no place in a file of `{}`", self.to.name());
            self.lose(at, what);
        }
        holds
    }

    /// Tells whether a hook of type `prompt` decides there.
    fn judges(&self) -> bool {
        match self.to {
            Format::Universal => true,
            Format::Native(format) => format.prompts == Prompts::Judge,
        }
    }

    fn entry(&mut self, entry: &Entry, event: &str) -> Option<Map> {
        if let (false, Format::Native(_)) = (entry.enabled, self.to) {
            self.lose(&entry.at, "a hook that is switched off is left out");
            return None;
        }
        let mut fields = Map::new();
        match &entry.action {
            Action::Command(command) if command.server.is_some() => {
                fields.extend(self.call(command, &entry.at)?);
            }
            Action::Command(command) => self.command(command, entry, &mut fields),
            Action::Prompt(_) if !self.judges() => {
                self.lose(
                    &entry.at,
                    "a prompt is no judge there: the hook is left out",
                );
                return None;
            }
            Action::Prompt(prompt) => {
                fields.insert("type".to_owned(), "prompt".into());
                fields.insert("prompt".to_owned(), prompt.prompt.as_str().into());
            }
            Action::Http(http) if self.field(&entry.at, "url") => fields.extend(of_http(http)),
            Action::Http(_) => return None,
            Action::Rule(_) => {
                self.lose(
                    &entry.at,
                    "a rule runs in a universal file only: it is left out",
                );
                return None;
            }
            Action::Builtin(_) => {
                self.lose(
                    &entry.at,
                    "a built-in module runs in a universal file only: it is left out",
                );
                return None;
            }
            Action::Broken(why) => {
                self.lose(
                    &entry.at,
                    format!("a hook that cannot run is left out: {why}"),
                );
                return None;
            }
        }
        if let Some(name) = &entry.name
            && self.field(&entry.at, "name")
        {
            fields.insert("name".to_owned(), name.as_str().into());
        }
        self.timeout(entry, event, &mut fields);
        self.failure(entry, event, &mut fields);
        self.ours(entry, &mut fields);
        Some(fields)
    }

    fn command(&mut self, command: &Command, entry: &Entry, fields: &mut Map) {
        let (command, lost) = &variables::translated(command, self.from, self.to);
        for what in lost {
            self.lose(&entry.at, what);
        }
        let key = match self.to {
            Format::Universal => "command",
            Format::Native(format) => format.commands_here().next().unwrap_or("command"),
        };
        fields.insert("type".to_owned(), "command".into());
        fields.insert(key.to_owned(), command.command.as_str().into());
        if let Some(args) = &command.args
            && self.field(&entry.at, "args")
        {
            fields.insert("args".to_owned(), json!(args));
        }
        if !command.env.is_empty() && self.field(&entry.at, "env") {
            let env = command.env.iter();
            let env: Map = env
                .map(|(name, value)| (name.clone(), value.as_str().into()))
                .collect();
            fields.insert("env".to_owned(), Value::Object(env));
        }
        if let Some(cwd) = &command.cwd
            && self.field(&entry.at, "cwd")
        {
            let key = match self.to {
                Format::Universal => "cwd",
                Format::Native(format) => format.cwd,
            };
            fields.insert(key.to_owned(), cwd.as_str().into());
        }
        if let Some(shell) = command.shell
            && self.field(&entry.at, "shell")
        {
            fields.insert("shell".to_owned(), shell.name.into());
        }
        for variant in &command.on {
            if self.field(&entry.at, variant.os) {
                fields.insert(variant.os.to_owned(), Value::Object(of_system(variant)));
            }
        }
    }

    /// Says that the other host would not hear what a hook decides.
    fn heard(&mut self, group: &Group, entry: &Entry) {
        let decides = entry.mode == Mode::Enforce && entry.pace == Pace::Waited;
        let Action::Command(command) = &entry.action else {
            return;
        };
        let is_deaf = |spec| answers::is_deaf(self.from, self.to, spec, &command.command);
        if decides && group.spec.is_some_and(is_deaf) {
            let (from, to) = (self.from.name(), self.to.name());
            let what = format!(
                "`{to}` hears no refusal in the words of `{from}`; `anyhook install --host {to}` runs the hook there as it is"
            );
            self.lose(&entry.at, what);
        }
    }

    /// Says how long a hook may take, unless it is what the other format means anyway.
    fn timeout(&mut self, entry: &Entry, event: &str, fields: &mut Map) {
        let (default, unit, key) = match self.to {
            Format::Universal => (DEADLINE, Unit::Seconds, "timeout"),
            Format::Native(format) => {
                let key = format.timeout.fields.first().copied().unwrap_or("timeout");
                (format.timeout.of(event), format.timeout.unit, key)
            }
        };
        let time = entry.timeout.unwrap_or(DEADLINE);
        if time == default {
            return;
        }
        if let Format::Native(format) = self.to
            && format.timeout.fields.is_empty()
        {
            self.lose(&entry.at, "how long it may take cannot be said there");
            return;
        }
        fields.insert(key.to_owned(), unit.number(time));
    }

    /// Says what a failure means.
    fn failure(&mut self, entry: &Entry, event: &str, fields: &mut Map) {
        let default = if entry.guard {
            OnFault::Deny
        } else {
            OnFault::Continue
        };
        let rule = entry.on_failure.unwrap_or(default);
        let Format::Native(format) = self.to else {
            let word = match rule {
                OnFault::Continue if entry.guard => "continue",
                OnFault::Deny if !entry.guard => "deny",
                OnFault::Halt => "halt",
                OnFault::Continue | OnFault::Deny => return,
            };
            fields.insert("on-failure".to_owned(), word.into());
            return;
        };
        if rule == OnFault::Halt {
            self.lose(&entry.at, "a failure that halts refuses at most there");
        }
        match (format.failure, rule) {
            (Failure::Where(field, value), OnFault::Deny | OnFault::Halt) => {
                let value = match value {
                    Refuses::True => Value::Bool(true),
                    Refuses::Word(word) | Refuses::Unless(word, _) => word.into(),
                };
                fields.insert(field.to_owned(), value);
            }
            (Failure::On(events), OnFault::Continue) if events.contains(&event) => {
                self.lose(
                    &entry.at,
                    format!("a failure on `{event}` always refuses there"),
                );
            }
            (Failure::On(events), OnFault::Deny | OnFault::Halt) if !events.contains(&event) => {
                self.lose(
                    &entry.at,
                    format!("a failure on `{event}` never refuses there"),
                );
            }
            (Failure::Never, OnFault::Deny | OnFault::Halt) => {
                self.lose(&entry.at, "a failure never refuses there");
            }
            (_, _) => {}
        }
    }

    /// Writes the call of a tool, where the file has such hooks.
    fn call(&mut self, command: &Command, at: &Place) -> Option<Map> {
        let calls =
            matches!(self.to, Format::Native(format) if format.writes.holds.contains(&"server"));
        let tool = of_tool(command).filter(|_| calls);
        if tool.is_none() {
            let what = "it calls a tool of a server that only its own agent describes: the hook is left out";
            self.lose(at, what);
        }
        tool
    }

    /// Says what only the universal format has.
    fn ours(&mut self, entry: &Entry, fields: &mut Map) {
        let unsayable = match entry.if_unsayable {
            Some(IfUnsayable::Deny) => Some("deny"),
            Some(IfUnsayable::Ask) => Some("ask"),
            Some(IfUnsayable::Drop) => Some("drop"),
            None => None,
        };
        let all = [
            ("guard", entry.guard.then_some(Value::Bool(true))),
            ("recheck", (!entry.recheck).then_some(Value::Bool(false))),
            ("once", entry.once.then_some(Value::Bool(true))),
            ("wait", entry.wait.map(|wait| json!(wait.as_secs_f64()))),
            (
                "async",
                (entry.pace == Pace::Background).then_some(Value::Bool(true)),
            ),
            ("enabled", (!entry.enabled).then_some(Value::Bool(false))),
            (
                "mode",
                (entry.mode == Mode::Shadow).then_some("shadow".into()),
            ),
            ("if-unsayable", unsayable.map(Value::from)),
        ];
        if entry.when.is_some() {
            self.lose(
                &entry.at,
                "`when` is left out: the hook is asked about everything that its matcher selects",
            );
        }
        for (name, value) in all {
            if let Some(value) = value
                && self.field(&entry.at, name)
            {
                fields.insert(name.to_owned(), value);
            }
        }
    }
}
