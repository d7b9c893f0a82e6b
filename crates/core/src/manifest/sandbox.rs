//! `sandbox` of a file, a group or a hook, and `confine` of a rule: what a command may touch.

use std::num::NonZeroU32;

use jsonc_parser::ast::Value as Ast;
use serde::Deserialize;

use super::fields::{Complaint, FieldValue, ObjectFields, text};
use super::notes::FindingCollector;
use super::rule;
use super::say::{advice, quote};
use crate::sandbox::{FIELDS, Network, Sandbox, SandboxPath};

/// Reads the `sandbox` of an object that may stand in another one: where both say something, the narrower holds, and a part in
/// which this one asks for more is a warning.
pub(super) fn read(fields: &mut ObjectFields<'_, '_>, outer: Option<&Sandbox>) -> Option<Sandbox> {
    let own = match fields.value("sandbox") {
        FieldValue::Is(value) => value,
        FieldValue::Absent | FieldValue::Wrong => return outer.cloned(),
    };
    // One that cannot be read is an error of its hooks, so it opens nothing.
    let Some(sandbox) = object("sandbox", own, fields.notes) else {
        return outer.cloned();
    };
    let Some(outer) = outer else {
        return Some(sandbox);
    };
    let (both, in_vain) = outer.narrowed(&sandbox);
    if !in_vain.is_empty() {
        let named = in_vain.join("`, `");
        let message = format!(
            "`sandbox` asks for more than the one around it: `{named}` stays as narrow as there"
        );
        let help =
            "a hook is confined by its own `sandbox`, that of its group and that of the file";
        fields.notes.warn(own, message, Some(help));
    }
    Some(both)
}

/// Reads the object itself; `None` comes with a finding for each error.
pub(super) fn object(key: &str, value: &Ast<'_>, notes: &mut FindingCollector) -> Option<Sandbox> {
    let Ast::Object(object) = value else {
        notes.complain(value, Complaint::wanted(key, "an object", value));
        return None;
    };
    let before = notes.findings.len();
    // A part that is misspelled was meant to close or to limit something: it is never passed over.
    for prop in &object.properties {
        let name = prop.name.as_str();
        if !FIELDS.contains(&name) {
            let help = advice(name, FIELDS);
            let message = format!("`{key}` has no field {}", quote(name));
            notes.error(&prop.name, message, Some(&help));
        }
    }
    let mut fields = ObjectFields::new(object, notes);
    let networks: Vec<_> = Network::ALL.iter().map(|one| one.as_str()).collect();
    let sandbox = Sandbox {
        read: places("read", &mut fields),
        write: places("write", &mut fields),
        network: fields.choice("network", &networks).ok(),
        env: names(&mut fields),
        processes: fields.read("processes", processes).ok(),
        required: fields.boolean("required").or_else(false, true),
    };
    notes.first_error_since(before).is_none().then_some(sandbox)
}

/// Reads places, each of which has an error of its own.
fn places(key: &str, fields: &mut ObjectFields<'_, '_>) -> Option<Vec<SandboxPath>> {
    let no_list = |value: &Ast<'_>| {
        let complaint = Complaint::wanted(key, "a list of places", value);
        complaint.help(r#"such as `["./**", "~/.cache/pip/**"]`"#)
    };
    fields.each(key, no_list, place)
}

fn place(key: &str, value: &Ast<'_>) -> Result<SandboxPath, Complaint> {
    let text = text(key, value)?;
    text.parse::<SandboxPath>().map_err(|error| {
        // The error ends as it begins in words of ours; the place between them is a stranger's.
        Complaint::new(format!("{} {}", quote(&text), error.why)).help(error.help)
    })
}

fn names(fields: &mut ObjectFields<'_, '_>) -> Option<Vec<String>> {
    let names = fields.strings("env")?;
    let is_wrong = |name: &&String| {
        let name = name.strip_suffix('*').unwrap_or(name);
        name.contains(['*', '=']) || (name.is_empty() && names.iter().all(String::is_empty))
    };
    if let Some(wrong) = names.iter().find(is_wrong).map(|name| quote(name)) {
        let message = format!("{wrong} is no name of a variable");
        let help = "write a name, or the beginning of names: `LC_*`";
        let prop = fields.all("env").next();
        if let Some(prop) = prop {
            fields.notes.error(&prop.value, message, Some(help));
        }
    }
    Some(names)
}

fn processes(value: &Ast<'_>) -> Result<NonZeroU32, Complaint> {
    let json = rule::json(value)?;
    NonZeroU32::deserialize(&json).map_err(|_| {
        let found = quote(&json.to_string());
        let complaint = Complaint::new(format!("`processes` cannot be {found}"));
        complaint.help("write a whole number from 1 on")
    })
}

#[cfg(test)]
mod tests {
    use super::super::{Action, Entry, Manifest, Severity};
    use super::*;

    /// The only hook of a file with these `sandbox` texts, and what was found: line, column, message, help.
    fn read(file: &str, group: &str, hook: &str) -> (Entry, Vec<String>) {
        let field = |text: &str| match text {
            "" => String::new(),
            text => format!("\"sandbox\": {text}, "),
        };
        let text = format!(
            "{{\"version\": 1, {}\"hooks\": {{\"stop\": [\n{{{}\"hooks\": [\n{{{}\"type\": \"command\", \"command\": \"true\"}}]}}]}}}}",
            field(file),
            field(group),
            field(hook)
        );
        let parsed = Manifest::parse(&text).unwrap();
        let mut manifest = parsed.manifest;
        let found = parsed.findings.into_iter().map(|finding| {
            let help = finding.help.unwrap_or_default();
            let word = match finding.severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
            };
            format!(
                "{word} {}:{}: {}; {help}",
                finding.at.line, finding.at.column, finding.message
            )
        });
        (manifest.groups.remove(0).entries.remove(0), found.collect())
    }

    #[test]
    fn a_hook_without_a_sandbox_has_none_and_one_in_a_file_or_a_group_has_theirs() {
        assert_eq!(read("", "", "").0.sandbox, None);
        let said: Sandbox = serde_json::from_str(r#"{"network": "any", "processes": 5}"#).unwrap();
        for place in 0..3 {
            let mut at = ["", "", ""];
            at[place] = r#"{"network": "any", "processes": 5}"#;
            let (entry, found) = read(at[0], at[1], at[2]);
            assert_eq!(
                (entry.sandbox.as_ref(), found.len()),
                (Some(&said), 0),
                "{found:?}"
            );
        }
    }

    #[test]
    fn of_hook_group_and_file_the_narrowest_holds_and_what_is_wider_is_told() {
        let (entry, found) = read(
            r#"{"network": "loopback", "write": ["./**"], "processes": 9}"#,
            r#"{"write": ["./build/**"]}"#,
            r#"{"network": "any", "write": ["./build/x/**"], "required": true}"#,
        );
        let expected = r#"{"network": "loopback", "write": ["./build/x/**"], "processes": 9, "required": true}"#;
        let expected: Sandbox = serde_json::from_str(expected).unwrap();
        assert_eq!(entry.sandbox, Some(expected));
        assert_eq!(
            found,
            [
                "warning 3:13: `sandbox` asks for more than the one around it: `network` stays as narrow as there; \
              a hook is confined by its own `sandbox`, that of its group and that of the file"
            ]
        );
    }

    #[test]
    fn a_value_that_is_wrong_has_its_place_and_breaks_the_hooks_that_it_is_for() {
        for row in include_str!("sandbox.txt").split("\n\n").skip(1) {
            let (sandbox, expected) = row.split_once("\n  ").unwrap();
            let expected = expected.trim_end_matches('\n');
            let (entry, found) = read("", "", sandbox);
            assert_eq!(found, [format!("error {expected}")], "{sandbox}");
            assert!(matches!(entry.action, Action::Broken(_)), "{sandbox}");
        }
        let (entry, found) = read("", r#"{"processes": 0}"#, "");
        assert!(
            matches!(entry.action, Action::Broken(_)) && found.len() == 1,
            "{found:?}"
        );
    }

    #[test]
    fn a_sandbox_of_what_starts_nothing_is_told_to_have_no_effect() {
        let text = r#"{"version": 1, "hooks": {"stop": [{"hooks": [
            {"type": "rule", "then": {"notify": "x"}, "sandbox": {}}
        ]}]}}"#;
        let parsed = Manifest::parse(text).unwrap();
        let said: Vec<&str> = parsed
            .findings
            .iter()
            .map(|finding| &*finding.message)
            .collect();
        assert_eq!(said, ["`sandbox` has no effect on a hook of type `rule`"]);
    }
}
