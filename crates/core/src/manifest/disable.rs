//! The hooks that a file switches off, by name (D30).

use jsonc_parser::ast::Value;

use super::fields::{Complaint, Fields, text};
use super::{Entry, Group, Place};

/// A name that is switched off, and where that is written.
///
/// ```
/// use anyhook_core::manifest::{Disabled, Manifest};
///
/// let parsed = Manifest::parse(r#"{"version": 1, "disable": ["format"], "hooks": {}}"#)?;
/// let Disabled { name, at } = &parsed.manifest.disable[0];
/// assert_eq!((name.as_str(), at.line, at.column), ("format", 1, 28));
/// # Ok::<(), anyhook_core::manifest::Finding>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Disabled {
    /// The name of a hook, or of a group and then of all its hooks.
    pub name: String,
    /// Where it stands.
    pub at: Place,
}

impl Disabled {
    /// Tells whether this hook is meant. Only a name that its author gave counts: one that is made of a place in a file
    /// would be that of some other hook in every other file.
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
        is_it(&entry.name) || is_it(&group.name)
    }
}

/// Reads the list. What cannot be read switches nothing off.
pub(super) fn read(fields: &mut Fields<'_, '_>) -> Vec<Disabled> {
    let Some(value) = fields.value("disable").ok() else {
        return Vec::new();
    };
    let Value::Array(list) = value else {
        let complaint = Complaint::wanted("disable", "a list of names of hooks", value);
        let help = Some("write `[` and `]` around it");
        fields.notes.error(value, complaint.message, help);
        return Vec::new();
    };
    let mut disabled = Vec::with_capacity(list.elements.len());
    for (index, element) in list.elements.iter().enumerate() {
        match text(&format!("disable[{index}]"), element) {
            Ok(name) if name.trim().is_empty() => {
                fields.notes.error(element, "a name is empty", None);
            }
            Ok(name) => disabled.push(Disabled {
                name,
                at: fields.notes.place(element),
            }),
            Err(complaint) => fields.notes.error(element, complaint.message, None),
        }
    }
    disabled
}
