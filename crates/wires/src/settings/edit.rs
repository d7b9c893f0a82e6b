//! Puts our entries into a text of settings and takes them out again.
//!
//! A text goes in, a text comes out; whoever calls reads and writes the file. A text that is not understood is refused as
//! it is: nothing is ever half done.

use std::ops::Range;
use std::rc::Rc;

use jsonc_parser::ast::{Object, Value};
use jsonc_parser::common::Ranged;

use super::command::is_ours;
use super::json::{self, Container};
use super::{Entry, Settings, SettingsFile, Shape};

mod printed;

/// A text that cannot be edited.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {what}")]
pub struct EditError {
    /// What is wrong with it: lowercase, no period.
    pub what: String,
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
}

impl EditError {
    pub(super) fn at(text: &str, place: usize, what: String) -> Self {
        let before = json::part(text, 0..place);
        let line = before.rsplit('\n').next().unwrap_or_default();
        Self {
            what,
            line: before.matches('\n').count() + 1,
            column: line.chars().count() + 1,
        }
    }
}

/// The form of one file.
#[derive(Debug, Clone, Copy)]
pub struct Form<'a> {
    /// How its host writes hooks.
    pub settings: &'a Settings,
    /// Where they stand in this file.
    pub file: &'a SettingsFile,
}

/// One entry that stands in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// The host's name for the event.
    pub event: String,
    /// Its command lines; none where it is no command.
    pub commands: Vec<String>,
    /// What it is: `command`, `http`, `prompt` and the like.
    pub kind: String,
}

impl Found {
    /// Tells whether this is an entry of ours.
    pub fn is_ours(&self) -> bool {
        !self.commands.is_empty() && self.commands.iter().all(|command| is_ours(command))
    }
}

/// Foreign entries that were taken out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Adopted {
    /// The text without them.
    pub rest: String,
    /// They alone, as settings of the same host; nothing where there were none.
    pub taken: Option<String>,
    /// The entries that stay, because nobody but their host can run them.
    pub kept: Vec<Found>,
}

/// Puts our entries into a text. One that stands there already is left as it is, one that says something else is replaced.
/// Adding twice changes nothing.
pub fn add(text: &str, form: Form<'_>, entries: &[Entry]) -> Result<String, EditError> {
    let (mark, body) = split(text);
    let mut body = if body.trim().is_empty() {
        printed::empty(form.settings)
    } else {
        body.to_owned()
    };
    let there = spots(&body, &json::parse(&body)?, form)?;
    for entry in entries {
        let mut there = there.iter();
        if !there.any(|spot| spot.is(entry, form.settings.shape)) {
            let item = printed::item(form.settings.shape, entry);
            body = insert(&body, form, entry.event, &item)?;
        }
    }
    body = strip(body, form, entries)?;
    Ok(format!("{mark}{body}"))
}

/// Takes our entries out of a text, with the lists and objects that nothing else stands in.
pub fn remove(text: &str, form: Form<'_>) -> Result<String, EditError> {
    let (mark, body) = split(text);
    if body.trim().is_empty() {
        return Ok(text.to_owned());
    }
    Ok(format!("{mark}{}", strip(body.to_owned(), form, &[])?))
}

/// Tells whether nothing stands in a text but what a new file begins with.
pub fn is_empty(text: &str, form: Form<'_>) -> bool {
    let (_, body) = split(text);
    let new = printed::empty(form.settings);
    let is_new = |body| {
        let values = json::parse(body).ok().zip(json::parse(&new).ok());
        values.is_some_and(|(body, new)| json::value(&body) == json::value(&new))
    };
    body.trim().is_empty() || (is_new(body) && !json::has_comment(body))
}

/// Lists the entries of a text.
pub fn find(text: &str, form: Form<'_>) -> Result<Vec<Found>, EditError> {
    let (_, body) = split(text);
    if body.trim().is_empty() {
        return Ok(Vec::new());
    }
    let root = json::parse(body)?;
    Ok(spots(body, &root, form)?
        .into_iter()
        .map(|spot| spot.found)
        .collect())
}

/// Takes foreign entries out of a text: those of which everything is a command. What stands in one group stays together.
pub fn adopt(text: &str, form: Form<'_>) -> Result<Adopted, EditError> {
    let (mark, body) = split(text);
    let mut rest = body.to_owned();
    let mut items: Vec<(String, String)> = Vec::new();
    loop {
        let root = json::parse(&rest)?;
        let spots = spots(&rest, &root, form)?;
        let may_go = |spot: &Spot| {
            let mut beside = spots.iter().filter(|other| other.item() == spot.item());
            beside.all(|other| !other.found.commands.is_empty() && !other.found.is_ours())
        };
        let Some(spot) = spots.iter().find(|spot| may_go(spot)) else {
            let kept = spots.into_iter().map(|spot| spot.found);
            let kept = kept.filter(|found| !found.is_ours()).collect();
            let taken = (!items.is_empty()).then(|| printed::all(form, &items));
            return Ok(Adopted {
                rest: format!("{mark}{rest}"),
                taken,
                kept,
            });
        };
        let item = spot.item();
        items.push((
            spot.found.event.clone(),
            json::part(&rest, item.clone()).to_owned(),
        ));
        rest = spot.cut(&rest, &item);
    }
}

/// Puts entries that [`adopt`] took out back into a text, behind what stands there. What is there already is not put twice.
pub fn put_back(text: &str, form: Form<'_>, taken: &str) -> Result<String, EditError> {
    let (mark, body) = split(text);
    let mut body = if body.trim().is_empty() {
        printed::empty(form.settings)
    } else {
        body.to_owned()
    };
    let (_, taken) = split(taken);
    let there = spots(&body, &json::parse(&body)?, form)?;
    let mut there: Vec<_> = there.into_iter().map(Spot::meaning).collect();
    for spot in spots(taken, &json::parse(taken)?, form)? {
        let raw = json::part(taken, spot.item());
        let meaning = spot.meaning();
        if !there.contains(&meaning) {
            body = insert(&body, form, &meaning.0, raw)?;
            there.push(meaning);
        }
    }
    Ok(format!("{mark}{body}"))
}

fn split(text: &str) -> (&str, &str) {
    match text.strip_prefix('\u{feff}') {
        Some(body) => ("\u{feff}", body),
        None => ("", text),
    }
}

/// Takes out every entry of ours except one of each of these.
fn strip(mut body: String, form: Form<'_>, keep: &[Entry]) -> Result<String, EditError> {
    loop {
        let root = json::parse(&body)?;
        let spots = spots(&body, &root, form)?;
        let mut kept = Vec::new();
        let superfluous = spots.iter().find(|spot| {
            let mut wanted = keep.iter();
            let is_wanted = wanted.any(|entry| spot.is(entry, form.settings.shape));
            let is_new = is_wanted && !kept.contains(&&*spot.found.event);
            kept.extend(is_new.then_some(&*spot.found.event));
            spot.found.is_ours() && !is_new
        });
        let Some(spot) = superfluous else { break };
        let cut = spot.cut(&body, &spot.entry());
        drop(root);
        body = cut;
    }
    Ok(body)
}

/// An entry, and the way to it: objects and lists from the outermost, with the child that leads on.
struct Spot {
    found: Found,
    way: Way,
    /// How many steps of the way lead to the event's own item: a group, or the entry itself.
    item: usize,
    /// The event's item as it is.
    value: serde_json::Value,
}

impl Spot {
    fn is(&self, entry: &Entry, shape: Shape) -> bool {
        self.found.event == entry.event && self.value == printed::wrapped(shape, &entry.value)
    }

    /// What the event's item says, and for which event.
    fn meaning(self) -> (String, serde_json::Value) {
        (self.found.event, self.value)
    }

    fn item(&self) -> Range<usize> {
        let step = self.way.get(self.item);
        step.map(|(list, at)| list.child(*at)).unwrap_or_default()
    }

    fn entry(&self) -> Range<usize> {
        let step = self.way.last();
        step.map(|(list, at)| list.child(*at)).unwrap_or_default()
    }

    /// Cuts out what stands at a range on the way, and whatever around it would be left with nothing in it.
    fn cut(&self, text: &str, range: &Range<usize>) -> String {
        let mut steps = self
            .way
            .iter()
            .rev()
            .skip_while(|(list, at)| list.child(*at) != *range);
        let Some(mut pick) = steps.next() else {
            return text.to_owned();
        };
        let mut inner = range.clone();
        for next in steps {
            let outer = next.0.child(next.1);
            let around = [outer.start..inner.start, inner.end..outer.end];
            let has_comment = around
                .into_iter()
                .any(|gap| json::has_comment(json::part(text, gap)));
            if !pick.0.is_alone(text, pick.1) || has_comment {
                break;
            }
            inner = outer;
            pick = next;
        }
        pick.0.remove(text, pick.1)
    }
}

/// Finds every entry of a text.
fn spots(text: &str, root: &Value<'_>, form: Form<'_>) -> Result<Vec<Spot>, EditError> {
    let mut looking = Looking {
        text,
        form,
        spots: Vec::new(),
    };
    looking.at(root, form.file.at, Vec::new())?;
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
        let found = Found {
            event: named.unwrap_or_default(),
            commands: fields
                .filter_map(|field| text(action.get(*field)))
                .collect(),
            kind: text(action.get("type")).unwrap_or_else(|| "command".to_owned()),
        };
        let value = json::value(item);
        self.spots.push(Spot {
            found,
            way,
            item: at,
            value,
        });
    }
}

/// Puts an item behind what stands in an event's list; what leads there is made where it is missing.
fn insert(text: &str, form: Form<'_>, event: &str, item: &str) -> Result<String, EditError> {
    let root = json::parse(text)?;
    let mut inner = &root;
    let is_list = form.settings.shape == Shape::List;
    let mut names = form.file.at.iter().copied().peekable();
    while let Some(name) = names.next() {
        let outer = object(text, inner, "the settings")?;
        let Some(index) = property(text, outer, name)? else {
            let empty = if is_list && names.peek().is_none() {
                "[]"
            } else {
                "{}"
            };
            let child = format!("{}: {empty}", printed::string(name));
            let made = Container::object(outer).append(text, &child);
            return insert(&made, form, event, item);
        };
        inner = outer
            .properties
            .get(index)
            .map_or(inner, |property| &property.value);
    }
    if is_list {
        return match inner {
            Value::Array(list) => Ok(Container::array(list).append(text, item)),
            other => Err(shape(text, other, "the hooks", "a list")),
        };
    }
    let events = object(text, inner, "the hooks")?;
    let Some(index) = property(text, events, event)? else {
        let child = format!("{}: [{item}]", printed::string(event));
        return Ok(Container::object(events).append(text, &child));
    };
    match events.properties.get(index).map(|property| &property.value) {
        Some(Value::Array(list)) => Ok(Container::array(list).append(text, item)),
        Some(other) => Err(shape(text, other, &format!("`{event}`"), "a list")),
        None => Ok(text.to_owned()),
    }
}

fn object<'v, 'a>(
    text: &str,
    value: &'v Value<'a>,
    what: &str,
) -> Result<&'v Object<'a>, EditError> {
    value
        .as_object()
        .ok_or_else(|| shape(text, value, what, "an object"))
}

fn shape(text: &str, value: &Value<'_>, what: &str, wanted: &str) -> EditError {
    let found = json::kind(value);
    EditError::at(
        text,
        value.start(),
        format!("{what} must be {wanted}, found {found}"),
    )
}

/// Finds a property. One that is written twice is refused: which of the two holds depends on who reads.
fn property(text: &str, object: &Object<'_>, name: &str) -> Result<Option<usize>, EditError> {
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

#[cfg(test)]
mod tests;
