//! A case to paste: the one that shows a hook best, with what it should have expected; without one, the smallest event.

use anyhook::core::effects::{Effects, Rewrite};
use anyhook::core::event::{Datum, EventName};
use anyhook::core::manifest::Action;
use anyhook::core::taxonomy;
use anyhook::wires::tools;
use anyhook::yaml::{self, Spanned};
use serde::Serialize;
use serde_json::{Map, Value, json};

use super::make;
use super::{Sightings, order};
use crate::case::text;
use crate::exercise::Sighting;
use crate::mutant::{Mutant, Mutation};
use crate::overrides;
use crate::plan::{Case, smallest};
use crate::roster::TestedHook;

/// What is kept of the case that it is like: whom it asks and what it expects are its own.
const KEPT: &[&str] = &[
    "event",
    "as",
    "workspace",
    "stubs",
    "env",
    "timeout",
    "given",
    "input",
];

/// A case to paste. It was not played: a person reads it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Sketch {
    /// The file to write it into.
    pub file: String,
    /// Its text.
    pub text: String,
}

/// What a sketch is made of.
struct SketchDraft<'d> {
    tested: &'d TestedHook,
    like: Option<&'d Case>,
    /// What it is about, for its name.
    about: &'d str,
    remark: String,
    /// The name that its event sends to the matcher.
    sent: Option<String>,
    expected: (&'static str, Value),
}

/// Sketches the case that asks a hook which no case asks.
pub(crate) fn unasked(tested: &TestedHook) -> Sketch {
    let draft = SketchDraft {
        tested,
        like: None,
        about: "is asked",
        remark: "Say what the hook is to answer.".to_owned(),
        sent: selected(tested),
        expected: ("fires", true.into()),
    };
    draft.written()
}

/// Sketches the case that would notice a mutant.
pub(super) fn noticing(mutant: &Mutant<'_>, seen: &Sightings<'_>) -> Sketch {
    let Mutant {
        tested, mutation, ..
    } = mutant;
    let near = near(mutation, seen.of(&tested.key));
    let who = &tested.who;
    let stranger = || make::newcomer(tested).or_else(|| make::stranger(tested));
    let (sent, expected) = match mutation {
        Mutation::MatcherWithout(name) => (Some(name.to_string()), ("fires", true.into())),
        Mutation::MatcherRemoved | Mutation::MatcherWidened => {
            (stranger().map(str::to_owned), ("fires", false.into()))
        }
        _ if near.is_none() => (selected(tested), expected(mutant, None)),
        _ => (None, expected(mutant, near.map(|(_, shown)| shown))),
    };
    let draft = SketchDraft {
        tested,
        like: near.and_then(|(at, _)| Some(&seen.ran.get(at)?.case)),
        about: &mutation.to_string(),
        remark: format!(
            "Notices: {mutation} ({}, {}:{})",
            who.name, who.file, who.line
        ),
        sent,
        expected,
    };
    draft.written()
}

/// The case that shows best what the mutant loses.
fn near<'s>(
    mutation: &Mutation,
    shown: Vec<(usize, &'s Sighting)>,
) -> Option<(usize, &'s Sighting)> {
    let is_one = |one: &Sighting| match mutation {
        Mutation::WhenRemoved => order::may_differ(mutation, one),
        _ => one.is_asked(),
    };
    let is_best = |one: &Sighting| match mutation {
        Mutation::ExitCode => one.has_refused_by_code,
        Mutation::Decision(kind) => one.verdicts.contains(kind),
        Mutation::Rewrite => one.has_rewritten,
        Mutation::Injection => one.has_injected,
        _ => one.has_acted(),
    };
    let shown = shown.into_iter().filter(|(_, one)| is_one(one));
    shown.min_by_key(|(_, one)| !is_best(one))
}

/// What a case expects that shows what the mutant loses.
fn expected(mutant: &Mutant<'_>, shown: Option<&Sighting>) -> (&'static str, Value) {
    let effects = shown.and_then(|shown| Some(&shown.said.as_ref()?.effects));
    let pair = |rewrite: &Rewrite| {
        let value = rewrite.value.as_ref().map(Datum::json);
        (rewrite.field.to_string(), value.unwrap_or_default())
    };
    match &mutant.mutation {
        // Where all hooks are asked there is no exit code.
        Mutation::ExitCode if mutant.tested.hook.event.is_glob() => ("decision", "deny".into()),
        Mutation::ExitCode => ("exit-code", 2.into()),
        Mutation::Decision(kind) => ("decision", kind.as_str().into()),
        Mutation::Rewrite => {
            let patch = effects.map(Effects::patch).unwrap_or_default();
            ("rewrites", patch.iter().map(pair).collect())
        }
        Mutation::Injection => {
            let told = effects.and_then(|effects| effects.inject().first());
            let line = told.and_then(|told| told.text.lines().next());
            ("injects", json!([{"$contains": line.unwrap_or_default()}]))
        }
        Mutation::WhenRemoved => ("fires", false.into()),
        _ => ("fires", true.into()),
    }
}

/// A name that the matcher selects, where it is not everything.
fn selected(tested: &TestedHook) -> Option<String> {
    let matcher = &tested.hook.when;
    let is_selected = |name: &&str| make::takes(matcher, name);
    let named = matcher.names().first().map(|name| &**name);
    let spelled = spelled(matcher.as_str());
    let own = Some(&*spelled).filter(is_selected);
    let found = named.or_else(|| tools::all().find(is_selected)).or(own);
    found.filter(|_| tested.is_choosy()).map(str::to_owned)
}

/// Spells what a plain pattern may select: `mcp__x` for `^mcp__.*`.
fn spelled(pattern: &str) -> String {
    let mut text = pattern.split('|').next().unwrap_or_default().to_owned();
    for any in [".*", ".+", r"\w+", r"\w*"] {
        text = text.replace(any, "x");
    }
    text.retain(|letter| letter.is_alphanumeric() || "_-:".contains(letter));
    text
}

impl SketchDraft<'_> {
    fn written(self) -> Sketch {
        let TestedHook { who, package, .. } = self.tested;
        let name = slug(&format!("{} {}", who.name, self.about));
        let file = package.tests.join(format!("cases/{name}.yaml"));
        let mut fields = Map::from_iter([("name".to_owned(), name.into())]);
        fields.extend(self.given());
        for (path, value) in self.variant() {
            put(&mut fields, &path, value);
        }
        if let Some(sent) = &self.sent {
            put(&mut fields, &self.subject(), sent.clone().into());
        }
        let (field, value) = &self.expected;
        let value = match value {
            Value::Bool(true) if self.tested.hook.event.is_glob() => json!([who.name]),
            value => value.clone(),
        };
        fields.insert("expected".to_owned(), json!({ *field: value }));
        let mut text = format!("# {}\n", self.remark);
        text::write(&fields, 0, &mut text);
        Sketch {
            file: package.names(&file).display().to_string(),
            text,
        }
    }

    /// What is sent, and whom it asks.
    fn given(&self) -> Map<String, Value> {
        let like = self.like.and_then(|case| yaml::read(&case.text).ok());
        let mut fields: Map<String, Value> = like.unwrap_or_default();
        fields.retain(|field, _| KEPT.contains(&field.as_str()));
        let mut asks = Map::new();
        asks.insert("event".to_owned(), self.event().universal().into());
        let tested = self.tested;
        if tested.hook.event.is_glob() {
            asks.insert("mode".to_owned(), "dispatch".into());
        } else if tested.hook_index > 0 {
            asks.insert("hook-index".to_owned(), tested.hook_index.into());
        }
        let entry = tested.entry_index.filter(|_| !tested.hook.event.is_glob());
        asks.extend(entry.map(|index| ("entry-index".to_owned(), index.into())));
        if self.like.is_none() && matches!(tested.hook.action(), Some(Action::Prompt(_))) {
            let answer = json!({"model-response": {"ok": true}});
            asks.insert("input".to_owned(), answer);
        }
        fields.shift_remove("event");
        asks.extend(fields);
        asks
    }

    /// The event of the case that it is like, else the first one that the hook is on.
    fn event(&self) -> EventName {
        if let Some(case) = self.like {
            return case.event.clone();
        }
        let on = &self.tested.hook.event;
        let known = taxonomy::EVENTS.iter().map(|row| EventName::new(row.name));
        let found = known.into_iter().find(|name| on.covers(name));
        found.unwrap_or_else(|| EventName::new(&self.tested.who.event))
    }

    /// What sets the variant apart that it is like: one case of a matrix has another expectation than the others.
    fn variant(&self) -> Vec<(String, Value)> {
        let Some(case) = self.like else {
            return Vec::new();
        };
        let payload = Value::Object(case.payload.value.clone());
        let is_its = |path: &str, value: &Value| {
            let mut set = payload.clone();
            overrides::set(&mut set, path, value).is_ok() && set == payload
        };
        let its = |(path, values): &(String, Spanned<Vec<Value>>)| {
            let value = values.value.iter().find(|value| is_its(path, value))?;
            Some((path.clone(), value.clone()))
        };
        case.spec.matrix.0.iter().filter_map(its).collect()
    }

    /// The field of the payload that the matcher is held against.
    fn subject(&self) -> String {
        let event = self.event();
        let subject = event.spec().and_then(|spec| spec.subject);
        let subject = subject.unwrap_or("tool_name");
        let is_it = |key: &&String| key.to_lowercase() == subject.replace('_', "");
        let payload = match self.like {
            Some(case) => Value::Object(case.payload.value.clone()),
            None => smallest(event.as_str()),
        };
        let mut keys = payload.as_object().into_iter().flat_map(Map::keys);
        keys.find(is_it).map_or(subject, String::as_str).to_owned()
    }
}

/// Overrides a field of the payload; what is set last holds.
fn put(fields: &mut Map<String, Value>, path: &str, value: Value) {
    let input = fields.entry("input").or_insert_with(|| json!({}));
    let overrides = input
        .as_object_mut()
        .map(|input| input.entry("overrides").or_insert_with(|| json!({})));
    if let Some(Value::Object(overrides)) = overrides {
        overrides.shift_remove(path);
        overrides.insert(path.to_owned(), value);
    }
}

/// A text as the name of a case.
fn slug(text: &str) -> String {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric());
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    let name = words.join("-").to_ascii_lowercase();
    let name = name.get(..64).unwrap_or(&name);
    name.trim_end_matches('-').to_owned()
}
