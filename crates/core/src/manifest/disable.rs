//! The hooks that a file switches off, by name.

use jsonc_parser::ast::{Object, Value};

use super::fields::{Complaint, ObjectFields, words};
use super::notes::FindingCollector;
use super::{Entry, Group, Place};

/// A name that is switched off, and where that is written.
///
/// ```
/// use anyhook_core::manifest::{DisableEntry, Manifest};
///
/// let parsed = Manifest::parse(
///     r#"{"version": 1, "disable": ["format", {"name": "lint.sh", "file": "/p/.claude/settings.json"}], "hooks": {}}"#,
/// )?;
/// let [first, second] = &parsed.manifest.disable[..] else { panic!() };
/// let DisableEntry { name, file, at } = first;
/// assert_eq!((name.as_str(), file, at.line, at.column), ("format", &None, 1, 28));
/// assert_eq!(second.file.as_deref(), Some("/p/.claude/settings.json"));
/// # Ok::<(), anyhook_core::manifest::Finding>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DisableEntry {
    /// The name of a hook, or of a group and then of all its hooks.
    pub name: String,
    /// The file of that hook; without it the name counts in every file.
    pub file: Option<String>,
    /// Where it stands.
    pub at: Place,
}

impl DisableEntry {
    /// Tells whether this hook is meant, if it is of the file that is meant.
    ///
    /// ```
    /// use anyhook_core::manifest::Manifest;
    ///
    /// let parsed = Manifest::parse(
    ///     r#"{"version": 1, "disable": ["style"], "hooks": {"stop": [{"name": "style", "hooks": [
    ///         {"type": "command", "command": "./format.sh"}
    ///     ]}]}}"#,
    /// )?;
    /// let group = &parsed.manifest.groups[0];
    /// assert!(parsed.manifest.disable[0].means(group, &group.entries[0]));
    /// # Ok::<(), anyhook_core::manifest::Finding>(())
    /// ```
    pub fn means(&self, group: &Group, entry: &Entry) -> bool {
        let is_it = |name: &Option<String>| name.as_deref() == Some(&*self.name);
        is_it(&entry.name)
            || is_it(&group.name)
            || is_it(&entry.called)
            || self.name == group.place_of(entry)
    }

    /// Tells whether it names a place, such as `Stop[0][1]`, which is that of some other hook in every other file.
    ///
    /// ```
    /// use anyhook_core::manifest::Manifest;
    ///
    /// let parsed = Manifest::parse(r#"{"version": 1, "disable": ["Stop[0][1]", "style[0]"], "hooks": {}}"#)?;
    /// let places: Vec<_> = parsed.manifest.disable.iter().map(|off| off.is_place()).collect();
    /// assert_eq!(places, [true, false]);
    /// # Ok::<(), anyhook_core::manifest::Finding>(())
    /// ```
    pub fn is_place(&self) -> bool {
        let inner = self.name.strip_suffix(']');
        let parts = inner.and_then(|inner| inner.rsplit_once("]["));
        let group = parts.and_then(|(before, _)| before.rsplit_once('['));
        let is_number = |text: &str| text.parse::<usize>().is_ok();
        group.is_some_and(|(_, group)| is_number(group))
            && parts.is_some_and(|(_, entry)| is_number(entry))
    }
}

/// Reads the list. What cannot be read switches nothing off.
pub(super) fn read(fields: &mut ObjectFields<'_, '_>) -> Vec<DisableEntry> {
    let list = fields.read("disable", |value| {
        let wrong = || Complaint::wanted("disable", "a list of names of hooks", value);
        let list = value.as_array();
        list.ok_or_else(|| wrong().help("write `[` and `]` around it"))
    });
    let elements = list.ok().map(|list| list.elements.iter().enumerate());
    let elements = elements.into_iter().flatten();
    elements
        .filter_map(|(index, element)| {
            let (name, file) = match element {
                Value::Object(object) => in_file(object, fields.notes)?,
                _ => match words(&format!("disable[{index}]"), element) {
                    Ok(name) => (name, None),
                    Err(complaint) => {
                        fields.notes.complain(element, complaint);
                        return None;
                    }
                },
            };
            let at = fields.notes.place(element);
            Some(DisableEntry { name, file, at })
        })
        .collect()
}

/// Reads the name of a hook of one file.
fn in_file(object: &Object<'_>, notes: &mut FindingCollector) -> Option<(String, Option<String>)> {
    let mut fields = ObjectFields::new(object, notes);
    fields.only(&["name", "file"].into_iter(), None);
    let (name, file) = (fields.words("name").ok(), fields.words("file").ok());
    if name.is_none() || file.is_none() {
        let help = Some(r#"write `{"name": "NAME", "file": "/PATH/OF/ITS/FILE"}`"#);
        let message = "`disable` needs the `name` of a hook and its `file`";
        notes.error(object, message, help);
    }
    Some((name?, Some(file?)))
}
