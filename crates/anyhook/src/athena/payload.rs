//! The payload of a caller of `run_*`: its functions see it as it was given, and commands and rules see the fields of ours.

use std::any::Any;
use std::borrow::Cow;

use anyhook_core::event::{Data, Datum, Event, Foreign, Map};
use serde_json::Value;

use super::Profile;
use super::input::ORIGINAL;
use super::specs::{AthenaEvent, ListKind};

/// The field that a function's `Transform` sets in the compat profile, where nothing sees it before the answer.
pub(super) const TRANSFORM: &str = "athena:transform";

const PROMPT: &str = "prompt";

/// What a caller gave, and what became of it.
#[derive(Debug, Clone)]
pub(super) struct CallerPayload {
    /// What functions see: nothing is added but the tool's name, and in the safe profile the call's id.
    pub(super) own: Map,
    /// What commands and rules see.
    shown: Map,
    /// What the last transform made of the prompt.
    pub(super) transform: Option<String>,
    chains: bool,
}

impl CallerPayload {
    /// Takes the payload of a call; `tool` is the name of the tool and the id of the call.
    pub(super) fn new(
        spec: &AthenaEvent,
        profile: Profile,
        mut own: Map,
        tool: Option<(&str, Option<&str>)>,
    ) -> Self {
        let mut shown = match spec.list {
            ListKind::PreTool => Map::from_iter([("tool_input".to_owned(), own.clone().into())]),
            ListKind::PostTool | ListKind::Flat => canonical(spec, own.clone()),
        };
        if let Some((name, id)) = tool {
            for all in [&mut own, &mut shown] {
                all.insert("tool_name".into(), name.into());
            }
            shown.insert("tool_use_id".into(), id.into());
            if profile == Profile::Safe {
                own.insert("tool_use_id".into(), id.into());
            }
        }
        Self {
            own,
            shown,
            transform: None,
            chains: profile == Profile::Safe,
        }
    }

    /// Finds the payload of an event that a caller asks about.
    pub(super) fn of(event: &Event) -> Option<&Self> {
        match &event.data {
            Data::Foreign(foreign) => (&**foreign as &dyn Any).downcast_ref(),
            Data::Json(_) | Data::NoObject(_) => None,
        }
    }
}

impl Foreign for CallerPayload {
    fn text(&self, field: &str) -> Option<Cow<'_, str>> {
        self.shown.get(field)?.as_str().map(Cow::Borrowed)
    }

    fn set(&mut self, field: &str, value: Option<&Datum>) {
        let value = value.map(Datum::json);
        if [TRANSFORM, PROMPT].contains(&field) {
            let text = value.as_ref().and_then(Value::as_str);
            self.transform = text.map(str::to_owned);
        }
        let seen = [(&mut self.shown, true), (&mut self.own, self.chains)];
        for (all, _) in seen
            .into_iter()
            .filter(|(_, sees)| *sees && field != TRANSFORM)
        {
            match &value {
                Some(value) => drop(all.insert(field.to_owned(), value.clone())),
                None => drop(all.shift_remove(field)),
            }
        }
    }

    /// A transform into the very same prompt is one too, so no value is called the one that is there already.
    fn holds(&self, field: &str, value: Option<&Datum>) -> bool {
        value.is_none() && !self.shown.contains_key(field)
    }

    fn json(&self) -> Cow<'_, Map> {
        Cow::Borrowed(&self.shown)
    }

    fn copy(&self) -> Box<dyn Foreign> {
        Box::new(self.clone())
    }
}

/// Gives a payload the fields of ours that its keys are read from. The key of the original holds against a field of ours.
fn canonical(spec: &AthenaEvent, mut payload: Map) -> Map {
    for (key, from) in &spec.keys {
        let Some(field) = from.first().filter(|field| *field != key) else {
            continue;
        };
        if let Some(value) = payload.get(*key).cloned() {
            payload.insert((*field).to_owned(), value);
        }
    }
    if spec.canonical == "prompt:submit"
        && let Some(prompt) = payload.get(PROMPT).cloned()
    {
        payload.insert(ORIGINAL.into(), prompt);
    }
    payload
}
