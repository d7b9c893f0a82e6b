//! The same for a file in TOML: each entry is a table of one list, `[[hooks]]`.
//!
//! Entries of ours are written behind everything else and cut out as whole lines, so what a person wrote stays as it was.
//! Entries of others are never moved.

use std::ops::Range;

use serde_json::Value;
use toml_edit::{Document, Table};

use super::spots::{EntrySpan, found};
use super::{EditError, SettingsForm, printed, value_at};
use crate::native_files::Syntax;
use crate::settings::SettingsEntry;

/// Finds every entry of a text.
pub(super) fn spots(text: &str, form: SettingsForm<'_>) -> Result<Vec<EntrySpan>, EditError> {
    let document = Document::parse(text).map_err(|error| {
        let at = error.span().map_or(0, |span| span.start);
        EditError::at(text, at, error.message().replace('\n', ", "))
    })?;
    let mut item = Some(document.as_item());
    for name in form.file.at {
        item = item.and_then(|item| item.get(*name));
    }
    let Some(item) = item else {
        return Ok(Vec::new());
    };
    let odd = |at: usize, what: &str| EditError::at(text, at, what.to_owned());
    let start = item.span().map_or(0, |span| span.start);
    let Some(tables) = item.as_array_of_tables() else {
        return Err(odd(start, "the hooks must be tables, each `[[hooks]]`"));
    };
    let values = value_at(text, Syntax::Toml, form.file.at).unwrap_or_default();
    let spot = |(table, value): (&Table, &Value)| {
        let lines = lines(text, table).ok_or_else(|| odd(start, "a hook here holds a table"))?;
        let line = EditError::at(text, lines.start, String::new()).line;
        Ok(EntrySpan {
            found: found(form, None, [value, value], line),
            item: lines.clone(),
            entry: lines,
            value: value.clone(),
        })
    };
    let values = values.as_array().into_iter().flatten();
    tables.iter().zip(values).map(spot).collect()
}

/// Writes an entry behind everything else.
pub(super) fn append(text: &str, form: SettingsForm<'_>, entry: &SettingsEntry) -> String {
    let gap = match text {
        "" => "",
        text if text.ends_with('\n') => "\n",
        _ => "\n\n",
    };
    format!("{text}{gap}{}", table(form, &entry.value))
}

/// Cuts an entry out, with the empty line before it.
pub(super) fn cut(text: &str, entry: &Range<usize>) -> String {
    let before = text.get(..entry.start).unwrap_or_default();
    let is_line = |line: &&str| line.is_empty() || line.ends_with('\n');
    let before = before.strip_suffix('\n').filter(is_line).unwrap_or(before);
    [before, text.get(entry.end..).unwrap_or_default()].concat()
}

/// Writes an entry. A text of JSON is one of TOML too.
fn table(form: SettingsForm<'_>, value: &Value) -> String {
    let fields = value.as_object().into_iter().flatten();
    let mut text = format!("[[{}]]\n", form.file.at.join("."));
    for (name, value) in fields {
        text.push_str(&format!("{name} = {}\n", printed::line(value)));
    }
    text
}

/// The lines from the head of a table to its last value; nothing where it holds more than values.
fn lines(text: &str, table: &Table) -> Option<Range<usize>> {
    let values = table.iter().map(|(_, item)| item.as_value()?.span());
    let ends: Option<Vec<usize>> = values.map(|span| Some(span?.end)).collect();
    let head = table.span()?;
    let last = ends?.into_iter().max().unwrap_or(head.start);
    let last = last.max(head.start);
    let end = text
        .get(last..)?
        .find('\n')
        .map_or(text.len(), |at| last + at + 1);
    Some(head.start..end)
}

#[cfg(test)]
mod tests {
    use crate::settings::command::ProgramReference;
    use crate::settings::edit::{SettingsForm, add, find, remove};
    use crate::settings::entries;

    const OWN: &str = "# mine\nmodel = \"k2\"\n\n[[hooks]]\nevent = \"Stop\"\ncommand = \"./done.sh\" # done\n\n[ui]\ndark = true\n";

    fn form(host: &str) -> (&'static crate::Host, SettingsForm<'static>) {
        let host = crate::host(host).unwrap();
        let settings = host.facts().settings.unwrap();
        let file = &settings.files[0];
        (host, SettingsForm { settings, file })
    }

    #[test]
    fn entries_go_in_once_and_come_out_without_a_trace() {
        for id in ["kimi-code", "mistral-vibe"] {
            let (host, form) = form(id);
            let ours = entries(
                host,
                form.settings,
                ProgramReference::at("/opt/any hook/anyhook"),
            );
            for text in ["", "a = 1\n", OWN] {
                let with = add(text, form, &ours).unwrap();
                assert_eq!(add(&with, form, &ours).unwrap(), with);
                let found = find(&with, form).unwrap();
                let many = found.iter().filter(|found| found.is_ours()).count();
                assert_eq!(
                    (many, remove(&with, form).unwrap().as_str()),
                    (ours.len(), text)
                );
                let events = found.iter().filter(|found| found.is_ours());
                let events: Vec<&str> = events.map(|found| &*found.event).collect();
                let wanted: Vec<&str> = host.rows().iter().map(|row| row.name).collect();
                assert_eq!(events, wanted, "{with}");
            }
        }
    }

    #[test]
    fn an_entry_of_ours_that_says_something_else_is_replaced_and_one_of_another_stays() {
        let (host, form) = form("kimi-code");
        let old = entries(
            host,
            form.settings,
            ProgramReference::at("/opt/old/anyhook"),
        );
        let new = entries(
            host,
            form.settings,
            ProgramReference::at("/opt/new/anyhook"),
        );
        let text = add(&add(OWN, form, &old).unwrap(), form, &new).unwrap();
        assert_eq!(text, add(OWN, form, &new).unwrap());
        assert_eq!(find(&text, form).unwrap()[0].commands, ["./done.sh"]);
    }

    #[test]
    fn an_entry_has_its_line_and_its_time() {
        let (_, form) = form("kimi-code");
        let text = "\n[[hooks]]\nevent = \"Stop\"\ncommand = \"true\"\ntimeout = 5\n";
        let all = find(text, form).unwrap();
        assert_eq!(all[0].line, 2);
        assert_eq!(all[0].timeout, Some(std::time::Duration::from_secs(5)));
    }

    #[test]
    fn what_is_no_list_of_tables_is_refused_as_it_is() {
        let (host, form) = form("kimi-code");
        let ours = entries(host, form.settings, ProgramReference::at("/opt/anyhook"));
        for text in [
            "hooks = []\n",
            "= 1",
            "[[hooks]]\nevent = \"Stop\"\n[hooks.more]\na = 1\n",
        ] {
            assert!(add(text, form, &ours).is_err(), "{text}");
        }
    }
}
