//! `session`: lower limits of what hooks may say to the model.

use jsonc_parser::ast::Value as Ast;

use super::Lowered;
use super::fields::{Complaint, Fields};
use super::say::quote;

pub(super) const FIELDS: &[&str] = &[
    "injection_size_limit",
    "injection_budget_per_turn",
    "strict",
];

/// Reads the object. What cannot be read lowers nothing, and is an error of the file.
pub(super) fn read(file: &mut Fields<'_, '_>) -> Lowered {
    let Some(object) = file.object("session", "an object") else {
        return Lowered::default();
    };
    let mut fields = Fields::new(object, file.notes);
    fields.only(&FIELDS.iter().copied(), None);
    Lowered {
        injection_size_limit: limit(&mut fields, "injection_size_limit"),
        injection_budget_per_turn: limit(&mut fields, "injection_budget_per_turn"),
        strict: fields.boolean("strict").or_else(false, true),
    }
}

fn limit<T: std::str::FromStr>(fields: &mut Fields<'_, '_>, key: &str) -> Option<T> {
    let read = fields.read(key, |value| match value {
        Ast::NumberLit(literal) => literal.value.parse().map_err(|_| {
            let found = quote(literal.value);
            Complaint::new(format!("`{key}` must be a whole number, found {found}"))
        }),
        other => Err(Complaint::wanted(key, "a whole number", other)),
    });
    read.ok()
}

#[cfg(test)]
mod tests {
    use super::super::Manifest;
    use super::*;

    fn read(session: &str) -> (Lowered, Vec<String>) {
        let text = format!(r#"{{"version": 1, "hooks": {{}}, "session": {session}}}"#);
        let parsed = Manifest::parse(&text).unwrap();
        let found = parsed.findings.into_iter().map(|finding| finding.message);
        (parsed.manifest.session, found.collect())
    }

    #[test]
    fn a_limit_that_cannot_be_read_is_an_error_and_lowers_nothing() {
        let all = Lowered {
            injection_size_limit: Some(0),
            injection_budget_per_turn: Some(7),
            strict: true,
        };
        let cases = [
            (
                r#"{"injection_size_limit": 0, "injection_budget_per_turn": 7, "strict": true}"#,
                (all, vec![]),
            ),
            (
                "1",
                (
                    Lowered::default(),
                    vec!["`session` must be an object, found a number"],
                ),
            ),
            (
                r#"{"injection_size_limit": -1}"#,
                (
                    Lowered::default(),
                    vec!["`injection_size_limit` must be a whole number, found `-1`"],
                ),
            ),
            (
                r#"{"injection_budget_per_turn": null}"#,
                (
                    Lowered::default(),
                    vec!["`injection_budget_per_turn` must be a whole number, found `null`"],
                ),
            ),
            (
                r#"{"fast": 1}"#,
                (Lowered::default(), vec!["unknown field `fast`"]),
            ),
        ];
        for (text, (session, found)) in cases {
            let found = found.into_iter().map(String::from).collect();
            assert_eq!(read(text), (session, found), "{text}");
        }
    }
}
