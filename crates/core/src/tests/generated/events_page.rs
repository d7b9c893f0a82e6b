//! `docs/reference/events.md`: every event, from the taxonomy and its examples.

use std::fmt::Write as _;

use crate::taxonomy::{COMMON, EVENTS, EventSpec, Field, FieldKind, Presence};

use super::event_schemas;
use super::files;

const HEAD: &str = "\
# Events

<!-- Written by the test `generated_events_page_is_current` from crates/core/src/taxonomy. -->

An event is a name and a JSON object. Each event below has one canonical name, and means the same under every other name
beside it. A name that is not on this page is a legal event too: hooks that are registered for it are asked.

What refusing an event means depends on its class:

| Class | Refusing it |
|---|---|
| gate | prevents what is about to happen |
| continuation | means that the agent goes on working |
| after | comes too late, and is told to the model |
| notice | is shown to the person; no hook can answer |

A field is *required* where every emitter gives it. A `null` counts as absent, and fields that are not named here stay
untouched under their own names. The last column says who has the field: a seed document, `amplifier`, `ex_athena` or one
of its facts, or a host.

## Fields that any event may carry

";

pub(super) fn page() -> String {
    let mut page = String::from(HEAD);
    fields(&mut page, COMMON).unwrap();
    page.push_str("\n## All events\n\n| Event | Universal | Class | What |\n|---|---|---|---|\n");
    for spec in EVENTS {
        let universal = spec.universal.map(code).unwrap_or_default();
        let anchor = spec.name.replace(':', "");
        let (name, class, about) = (spec.name, spec.class.word(), spec.summary);
        writeln!(
            page,
            "| [`{name}`](#{anchor}) | {universal} | {class} | {about} |"
        )
        .unwrap();
    }
    for spec in EVENTS {
        section(&mut page, spec).unwrap();
        let example = files::text(&format!(
            "fixtures/events/{}.json",
            spec.name.replace(':', ".")
        ));
        write!(page, "\n```json\n{example}```\n").unwrap();
    }
    page
}

fn section(page: &mut String, spec: &EventSpec) -> std::fmt::Result {
    writeln!(page, "\n## {}\n\n{}\n", spec.name, spec.summary)?;
    let mut names: Vec<String> = spec.universal.map(code).into_iter().collect();
    names.extend(spec.aliases.iter().map(|name| code(name)));
    names.retain(|name| *name != code(spec.name));
    if !names.is_empty() {
        writeln!(page, "- Also called: {}", names.join(", "))?;
    }
    writeln!(page, "- Class: {}", spec.class.word())?;
    if let Some(subject) = spec.subject {
        writeln!(page, "- Matchers look at: `{subject}`")?;
    }
    if !spec.mutable.is_empty() {
        let mutable: Vec<String> = spec.mutable.iter().map(|name| code(name)).collect();
        writeln!(
            page,
            "- Said to a host when rewritten: {}",
            mutable.join(", ")
        )?;
    }
    writeln!(
        page,
        "- Schema: [`{file}`](../../{file})",
        file = event_schemas::file(spec)
    )?;
    if spec.fields.is_empty() {
        return writeln!(page, "\nIt has no fields of its own.");
    }
    page.push('\n');
    fields(page, spec.fields)
}

fn fields(page: &mut String, fields: &[Field]) -> std::fmt::Result {
    page.push_str("| Field | Kind | What | From |\n|---|---|---|---|\n");
    for field in fields {
        let kind = match field.kind {
            FieldKind::Enum(words) => {
                let words: Vec<String> = words.iter().map(|word| code(word)).collect();
                words.join(", ")
            }
            kind => kind.as_str().to_owned(),
        };
        let required = match field.presence {
            Presence::Required => ", required",
            Presence::Optional => "",
        };
        writeln!(
            page,
            "| `{}` | {kind}{required} | {} | {} |",
            field.name, field.summary, field.source
        )?;
    }
    Ok(())
}

fn code(name: &str) -> String {
    format!("`{name}`")
}
