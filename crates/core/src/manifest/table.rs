//! The fields of hooks.json in one table: the reader, the closed form, the schema and the page about the format use it.

use std::time::Duration;

// `FIELDS`, compiled of `tables/fields.txt`.
include!(concat!(env!("OUT_DIR"), "/fields.rs"));

/// How long a hook that is a command may take where its entry has no `timeout`.
///
/// ```
/// assert_eq!(anyhook_core::manifest::DEADLINE.as_secs(), 30);
/// ```
pub const DEADLINE: Duration = Duration::from_secs(30);

/// A field of a manifest.
///
/// ```
/// use anyhook_core::manifest::{FIELDS, FieldSpec, ManifestLevel};
///
/// let FieldSpec { summary, form, .. } =
///     FIELDS.iter().find(|field| field.level == ManifestLevel::Entry && field.name == "guard").unwrap();
/// assert!(summary.starts_with("Whether its own failure blocks"));
/// assert_eq!(*form, r#"{"type": "boolean", "default": false}"#);
/// ```
#[derive(Debug, Clone, Copy)]
pub struct FieldSpec {
    /// The object that it is a field of.
    pub level: ManifestLevel,
    /// Its name.
    pub name: &'static str,
    /// What it means, as one sentence.
    pub summary: &'static str,
    /// What it holds, as the text of a JSON Schema.
    pub form: &'static str,
    /// The type of hook that it belongs to; `None` if it belongs to every type, or to no hook.
    pub of: Option<&'static str>,
    /// The same name as Claude Code would write it, which is read as well.
    pub also: Option<&'static str>,
    /// Whether the closed form has it.
    pub closed: bool,
}

/// The objects of a manifest, from the outermost.
///
/// ```
/// use anyhook_core::manifest::{FIELDS, ManifestLevel};
///
/// let levels = |name| FIELDS.iter().filter(move |field| field.name == name).map(|field| field.level);
/// assert_eq!(levels("mode").collect::<Vec<_>>(), [ManifestLevel::File, ManifestLevel::Group, ManifestLevel::Entry]);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ManifestLevel {
    /// The whole file.
    File,
    /// A group of hooks.
    Group,
    /// One hook.
    Entry,
}

/// Returns the fields of one object.
pub(super) fn of(level: ManifestLevel) -> impl Iterator<Item = &'static FieldSpec> + Clone {
    FIELDS.iter().filter(move |field| field.level == level)
}

/// Returns the names of the fields of one object.
pub(super) fn names(level: ManifestLevel) -> impl Iterator<Item = &'static str> + Clone {
    of(level).map(|field| field.name)
}

/// The name of a field as the table has it: some are also written as Claude Code would write them.
pub(super) fn canonical(name: &str) -> &str {
    if !name.bytes().any(|letter| letter.is_ascii_uppercase()) {
        return name;
    }
    let field = FIELDS.iter().find(|field| field.also == Some(name));
    field.map_or(name, |field| field.name)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::{EFFECTS, VERSION, closed_schema, entry, schema};
    use super::*;
    use crate::sandbox;

    #[test]
    fn every_field_is_explained_by_one_sentence_in_every_form() {
        let closed = closed_schema();
        for field in FIELDS {
            assert!(field.summary.ends_with('.'), "{}", field.name);
            let object = match field.level {
                ManifestLevel::File => "",
                ManifestLevel::Group => "/$defs/group",
                ManifestLevel::Entry => "/$defs/hook",
            };
            let of_closed = closed.pointer(&format!("{object}/properties/{}", field.name));
            assert_eq!(of_closed.is_some(), field.closed, "{}", field.name);
            let is_told = |form: &Value| {
                form.get("description")
                    .is_none_or(|told| told == field.summary)
            };
            assert!(of_closed.is_none_or(is_told), "{}", field.name);
        }
    }

    #[test]
    fn a_field_of_a_type_of_hook_names_a_type_that_there_is() {
        let wrong = FIELDS.iter().filter(|field| {
            let known = |of| entry::TYPES.iter().any(|(kind, _)| *kind == of);
            field
                .of
                .is_some_and(|of| field.level != ManifestLevel::Entry || !known(of))
        });
        assert_eq!(
            wrong.map(|field| field.name).collect::<Vec<_>>(),
            Vec::<&str>::new()
        );
    }

    #[test]
    fn the_schema_names_the_words_that_are_read() {
        let schema = schema();
        let named = |at: &str| schema.pointer(at).unwrap_or_else(|| panic!("{at}")).clone();
        let keys = |at: &str| {
            named(at)
                .as_object()
                .unwrap()
                .keys()
                .cloned()
                .collect::<Vec<_>>()
        };
        assert_eq!(keys("/properties/sandbox/properties"), sandbox::FIELDS);
        assert_eq!(
            named("/$defs/group/properties/effect/anyOf/0/enum"),
            json!(EFFECTS)
        );
        let hook = |rest: &str| named(&format!("/$defs/hook/properties/{rest}"));
        assert_eq!(hook("type/enum"), json!(entry::TYPES.map(|(kind, _)| kind)));
        assert_eq!(hook("shell/enum"), json!(choices::SHELL));
        assert_eq!(hook("timeout/default"), DEADLINE.as_secs());
        assert_eq!(named("/properties/version/const"), VERSION);
    }
}
