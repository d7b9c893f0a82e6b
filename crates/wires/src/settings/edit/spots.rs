//! Where the entries of a text stand, and the way to each.

use std::ops::Range;
use std::rc::Rc;

use jsonc_parser::ast::{Object, Value};
use jsonc_parser::common::Ranged;

use super::{EditError, Form, Found, printed};
use crate::settings::json::{self, Container, Tree};
use crate::settings::{Entry, Settings, Shape, command};

/// An entry, and the way to it: objects and lists from the outermost, with the child that leads on.
pub(super) struct Spot {
    pub(super) found: Found,
    way: Way,
    /// How many steps of the way lead to the event's own item: a group, or the entry itself.
    item: usize,
    /// The event's item as it is.
    pub(super) value: serde_json::Value,
    /// The entry as it is.
    pub(super) said: serde_json::Value,
}

impl Spot {
    pub(super) fn is(&self, entry: &Entry, settings: &Settings) -> bool {
        self.found.event == entry.event && self.value == printed::wrapped(settings, entry)
    }

    /// What the event's item says, and for which event.
    pub(super) fn meaning(self) -> (String, serde_json::Value) {
        (self.found.event, self.value)
    }

    pub(super) fn item(&self) -> Range<usize> {
        let step = self.way.get(self.item);
        step.map(|(list, at)| list.child(*at)).unwrap_or_default()
    }

    pub(super) fn entry(&self) -> Range<usize> {
        let step = self.way.last();
        step.map(|(list, at)| list.child(*at)).unwrap_or_default()
    }

    /// Cuts out what stands at a range on the way, and whatever around it would be left with nothing in it.
    pub(super) fn cut(&self, tree: &Tree<'_>, range: &Range<usize>) -> String {
        let mut steps = self
            .way
            .iter()
            .rev()
            .skip_while(|(list, at)| list.child(*at) != *range);
        let Some(mut pick) = steps.next() else {
            return tree.text.to_owned();
        };
        let mut inner = range.clone();
        for next in steps {
            let outer = next.0.child(next.1);
            let around = [outer.start..inner.start, inner.end..outer.end];
            let has_comment = around.into_iter().any(|gap| tree.has_comment(gap));
            if !pick.0.is_alone(tree, pick.1) || has_comment {
                break;
            }
            inner = outer;
            pick = next;
        }
        pick.0.remove(tree, pick.1)
    }
}

/// Finds every entry of a text.
pub(super) fn spots(tree: &Tree<'_>, form: Form<'_>) -> Result<Vec<Spot>, EditError> {
    let mut looking = Looking {
        text: tree.text,
        form,
        spots: Vec::new(),
    };
    looking.at(&tree.root, form.file.at, Vec::new())?;
    Ok(looking.spots)
}

struct Looking<'a> {
    text: &'a str,
    form: Form<'a>,
    spots: Vec<Spot>,
}

/// Containers from the outermost, each with the child that leads on.
type Way = Vec<(Rc<Container>, usize)>;

impl Looking<'_> {
    fn at(&mut self, value: &Value<'_>, at: &[&str], mut way: Way) -> Result<(), EditError> {
        let Some((name, rest)) = at.split_first() else {
            return self.hooks(value, &way);
        };
        let object = object(self.text, value, "the settings")?;
        if let Some(index) = property(self.text, object, name)? {
            way.push((Rc::new(Container::object(object)), index));
            if let Some(property) = object.properties.get(index) {
                self.at(&property.value, rest, way)?;
            }
        }
        Ok(())
    }

    fn hooks(&mut self, value: &Value<'_>, way: &Way) -> Result<(), EditError> {
        if self.form.settings.shape == Shape::List {
            return self.list(None, value, way);
        }
        let events = object(self.text, value, "the hooks")?;
        let container = Rc::new(Container::object(events));
        for (index, event) in events.properties.iter().enumerate() {
            property(self.text, events, event.name.as_str())?;
            let mut way = way.clone();
            way.push((Rc::clone(&container), index));
            self.list(Some(event.name.as_str()), &event.value, &way)?;
        }
        Ok(())
    }

    /// The list of an event. What is no list is not ours, and stays: the host knows what it means.
    fn list(&mut self, event: Option<&str>, value: &Value<'_>, way: &Way) -> Result<(), EditError> {
        let Value::Array(list) = value else {
            let has_a_name = event.is_some();
            return if has_a_name {
                Ok(())
            } else {
                Err(shape(self.text, value, "the hooks", "a list"))
            };
        };
        let container = Rc::new(Container::array(list));
        for (index, item) in list.elements.iter().enumerate() {
            let mut way = way.clone();
            way.push((Rc::clone(&container), index));
            let group = item.as_object().and_then(|group| group.get_array("hooks"));
            match group.filter(|_| event.is_some()) {
                None => self.entry(event, item, item, way.len() - 1, way),
                Some(entries) => {
                    let container = Rc::new(Container::array(entries));
                    for (at, entry) in entries.elements.iter().enumerate() {
                        let mut way = way.clone();
                        let group = way.len() - 1;
                        way.push((Rc::clone(&container), at));
                        self.entry(event, entry, item, group, way);
                    }
                }
            }
        }
        Ok(())
    }

    fn entry(
        &mut self,
        event: Option<&str>,
        entry: &Value<'_>,
        item: &Value<'_>,
        at: usize,
        way: Way,
    ) {
        let entry = json::value(entry);
        let action = entry.get("action").unwrap_or(&entry);
        let text = |value: Option<&serde_json::Value>| {
            value.and_then(|text| Some(text.as_str()?.to_owned()))
        };
        let named = event
            .map(str::to_owned)
            .or_else(|| text(entry.get("trigger")));
        let fields = self.form.settings.commands.iter();
        let posted = text(action.get("url")).filter(|url| command::is_ours(url));
        let found = Found {
            event: named.unwrap_or_default(),
            commands: fields
                .filter_map(|field| text(action.get(*field)))
                .chain(posted)
                .collect(),
            kind: text(action.get("type")).unwrap_or_else(|| "command".to_owned()),
        };
        let value = json::value(item);
        self.spots.push(Spot {
            found,
            way,
            item: at,
            value,
            said: entry,
        });
    }
}

pub(super) fn object<'v, 'a>(
    text: &str,
    value: &'v Value<'a>,
    what: &str,
) -> Result<&'v Object<'a>, EditError> {
    value
        .as_object()
        .ok_or_else(|| shape(text, value, what, "an object"))
}

pub(super) fn shape(text: &str, value: &Value<'_>, what: &str, wanted: &str) -> EditError {
    let found = json::kind(value);
    EditError::at(
        text,
        value.start(),
        format!("{what} must be {wanted}, found {found}"),
    )
}

/// Finds a property. One that is written twice is refused: which of the two holds depends on who reads.
pub(super) fn property(
    text: &str,
    object: &Object<'_>,
    name: &str,
) -> Result<Option<usize>, EditError> {
    let named = object.properties.iter().enumerate();
    let mut named = named.filter(|(_, property)| property.name.as_str() == name);
    let first = named.next();
    match named.next() {
        Some((_, second)) => {
            let what = format!("`{}` stands here twice", name.escape_debug());
            Err(EditError::at(text, second.start(), what))
        }
        None => Ok(first.map(|(index, _)| index)),
    }
}
