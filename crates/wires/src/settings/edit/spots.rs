//! Where the entries of a text stand, and the way to each.

use jsonc_parser::cst::{CstContainerNode, CstNode, CstObject, CstRootNode};
use serde_json::Value;

use super::{EditError, Form, Found, wrapped};
use crate::settings::json::{self, value_of};
use crate::settings::{Entry, Settings, Shape, command};

/// An entry, and the way to it.
pub(super) struct Spot {
    pub(super) found: Found,
    /// The tree: a node of it may not be asked for what is around it once the tree is gone.
    _root: CstRootNode,
    /// The fields and elements that lead to it, from the outermost; the last one is the entry.
    way: Vec<CstNode>,
    /// How many steps of the way lead to the event's own item: a group, or the entry itself.
    item: usize,
    /// The event's item as it is.
    pub(super) value: Value,
    /// The entry as it is.
    pub(super) said: Value,
}

impl Spot {
    pub(super) fn is(&self, entry: &Entry, settings: &Settings) -> bool {
        self.found.event == entry.event && self.value == wrapped(settings, entry)
    }

    /// What the event's item says, and for which event.
    pub(super) fn meaning(&self) -> (String, Value) {
        (self.found.event.clone(), self.value.clone())
    }

    /// The way to the event's item.
    pub(super) fn way_to_item(&self) -> &[CstNode] {
        self.way.get(..self.item).unwrap_or_default()
    }

    pub(super) fn way(&self) -> &[CstNode] {
        &self.way
    }

    /// Returns where the entry begins and ends.
    pub(super) fn place(&self) -> std::ops::Range<usize> {
        self.way.last().map_or(0..0, |entry| {
            let start = json::start(entry);
            start..start + entry.to_string().len()
        })
    }
}

/// Finds every entry of a text.
pub(super) fn spots(
    text: &str,
    root: &CstRootNode,
    form: Form<'_>,
) -> Result<Vec<Spot>, EditError> {
    let mut looking = Looking {
        text,
        root,
        form,
        spots: Vec::new(),
    };
    let mut way = Vec::new();
    let mut inner = root.value();
    for name in form.file.at {
        let outer = object(text, inner.as_ref(), "the settings")?;
        inner = field(text, &outer, name)?;
        let Some(value) = &inner else {
            return Ok(Vec::new());
        };
        way.extend(value.parent().map(CstNode::Container));
    }
    looking.hooks(inner.as_ref(), &way)?;
    Ok(looking.spots)
}

struct Looking<'a> {
    text: &'a str,
    root: &'a CstRootNode,
    form: Form<'a>,
    spots: Vec<Spot>,
}

impl Looking<'_> {
    fn hooks(&mut self, hooks: Option<&CstNode>, way: &[CstNode]) -> Result<(), EditError> {
        if self.form.settings.shape == Shape::List {
            let list = elements(hooks);
            let list = list.ok_or_else(|| shape(self.text, hooks, "the hooks", "a list"))?;
            self.list(None, list, way);
            return Ok(());
        }
        let events = object(self.text, hooks, "the hooks")?;
        for event in events.properties() {
            let name = event.decoded_name().unwrap_or_default();
            let list = field(self.text, &events, &name)?;
            // What is no list is not ours, and stays: the host knows what it means.
            if let Some(list) = elements(list.as_ref()) {
                let event = CstNode::Container(CstContainerNode::ObjectProp(event));
                self.list(Some(&name), list, &with(way, event));
            }
        }
        Ok(())
    }

    fn list(&mut self, event: Option<&str>, list: Vec<CstNode>, way: &[CstNode]) {
        for item in list {
            let group = item
                .as_object()
                .and_then(|group| group.array_value("hooks"));
            let way = with(way, item);
            match group.filter(|_| event.is_some()) {
                None => self.entry(event, way.clone(), way.len()),
                Some(entries) => {
                    for entry in entries.elements() {
                        self.entry(event, with(&way, entry), way.len());
                    }
                }
            }
        }
    }

    fn entry(&mut self, event: Option<&str>, way: Vec<CstNode>, item: usize) {
        let value = |at: usize| way.get(at).map(value_of).unwrap_or_default();
        let (said, value) = (value(way.len() - 1), value(item - 1));
        let action = said.get("action").unwrap_or(&said);
        let text = |value: Option<&Value>| Some(value?.as_str()?.to_owned());
        let named = event.map(str::to_owned);
        let fields = self.form.settings.commands.iter();
        let posted = text(action.get("url")).filter(|url| command::is_ours(url));
        let found = Found {
            event: named
                .or_else(|| text(said.get("trigger")))
                .unwrap_or_default(),
            commands: fields
                .filter_map(|field| text(action.get(*field)))
                .chain(posted)
                .collect(),
            kind: text(action.get("type")).unwrap_or_else(|| "command".to_owned()),
        };
        self.spots.push(Spot {
            _root: self.root.clone(),
            found,
            way,
            item,
            value,
            said,
        });
    }
}

fn with(way: &[CstNode], step: CstNode) -> Vec<CstNode> {
    way.iter().cloned().chain([step]).collect()
}

fn elements(node: Option<&CstNode>) -> Option<Vec<CstNode>> {
    Some(node?.as_array()?.elements())
}

pub(super) fn object(
    text: &str,
    node: Option<&CstNode>,
    what: &str,
) -> Result<CstObject, EditError> {
    let object = node.and_then(CstNode::as_object);
    object.ok_or_else(|| shape(text, node, what, "an object"))
}

pub(super) fn shape(text: &str, node: Option<&CstNode>, what: &str, wanted: &str) -> EditError {
    let found = node.map(value_of).unwrap_or_default();
    let found = match crate::json::kind(&found) {
        "an array" => "a list",
        kind => kind,
    };
    let at = node.map_or(0, json::start);
    EditError::at(text, at, format!("{what} must be {wanted}, found {found}"))
}

/// Finds the value of a field. One that is written twice is refused: which of the two holds depends on who reads.
pub(super) fn field(
    text: &str,
    object: &CstObject,
    name: &str,
) -> Result<Option<CstNode>, EditError> {
    let properties = object.properties().into_iter();
    let mut named = properties.filter(|one| one.decoded_name().as_deref() == Some(name));
    let first = named.next();
    match named.next() {
        Some(second) => {
            let what = format!("`{}` stands here twice", name.escape_debug());
            let second = CstNode::Container(CstContainerNode::ObjectProp(second));
            Err(EditError::at(text, json::start(&second), what))
        }
        None => Ok(first.and_then(|property| property.value())),
    }
}
