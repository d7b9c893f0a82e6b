//! The names of hooks.

use super::{Entry, Group};

impl Group {
    /// Names one of its hooks as its author did, else as people would call it, else by its place in the file.
    ///
    /// ```
    /// use anyhook_core::manifest::Manifest;
    ///
    /// let parsed = Manifest::parse(
    ///     r#"{"version": 1, "hooks": {"stop": [{"name": "style", "hooks": [
    ///         {"type": "command", "command": "./format.sh"},
    ///         {"type": "command", "command": "./lint.sh", "name": "lint"}
    ///     ]}]}}"#,
    /// )?;
    /// let group = &parsed.manifest.groups[0];
    /// let names: Vec<_> = group.entries.iter().map(|entry| group.name_of(entry)).collect();
    /// assert_eq!(names, ["style[0]", "lint"]);
    /// # Ok::<(), anyhook_core::manifest::Finding>(())
    /// ```
    pub fn name_of(&self, entry: &Entry) -> String {
        match (entry.called.as_ref().or(entry.name.as_ref()), &self.name) {
            (Some(name), _) => name.clone(),
            (None, Some(name)) if self.entries.len() == 1 => name.clone(),
            (None, Some(name)) => format!("{name}[{}]", entry.index),
            (None, None) => self.place_of(entry),
        }
    }

    /// Names one of its hooks by its place in the file, which is another hook once one before it goes.
    ///
    /// ```
    /// use anyhook_core::manifest::Manifest;
    ///
    /// let parsed = Manifest::parse(
    ///     r#"{"version": 1, "hooks": {"stop": [{"name": "style", "hooks": [
    ///         {"type": "command", "command": "./format.sh"}
    ///     ]}]}}"#,
    /// )?;
    /// let group = &parsed.manifest.groups[0];
    /// assert_eq!(group.place_of(&group.entries[0]), "stop[0][0]");
    /// # Ok::<(), anyhook_core::manifest::Finding>(())
    /// ```
    pub fn place_of(&self, entry: &Entry) -> String {
        let native = self.speaks.as_ref().map(|speaks| &*speaks.native);
        let event = native.unwrap_or(&self.event);
        format!("{event}[{}][{}]", self.index, entry.index)
    }
}
