//! `docs/reference/events.md`: every event, from the taxonomy.

use std::fmt::Write as _;

use crate::taxonomy::{COMMON, EVENTS, EventSpec, Field, Presence};

const HEAD: &str = "\
# Events

<!-- Written by the test `generated_events_page_is_current` from crates/core/src/taxonomy. -->

An event is a name and a JSON object. A name that is not on this page is a legal event too: hooks that are registered for it are
asked. `anyhook list events NAME` prints the fields of an event with their meaning, the field that matchers look at, and what can
be rewritten. [schema/events](../../schema/events) has a JSON Schema for each, and `fixtures/events` an example.

What refusing an event means depends on its class:

| Class | Refusing it |
|---|---|
| gate | prevents what is about to happen |
| continuation | means that the agent goes on working |
| after | comes too late, and is told to the model |
| notice | is shown to the person; no hook can answer |

A `null` counts as absent. Fields that the taxonomy does not name stay untouched under their own names. Fields in **bold** are in
every such event.

";

pub(super) fn page() -> String {
    let mut page = String::from(HEAD);
    writeln!(page, "Any event may carry {}.", fields(COMMON)).unwrap();
    page.push_str(
        "\n## All events\n\n| Event | Also called | Class | Fields |\n|---|---|---|---|\n",
    );
    for spec in EVENTS {
        row(&mut page, spec).unwrap();
    }
    page
}

fn row(page: &mut String, spec: &EventSpec) -> std::fmt::Result {
    let names = spec.universal.iter().chain(spec.aliases);
    let names: Vec<&str> = names.copied().filter(|name| *name != spec.name).collect();
    let (name, names, class) = (spec.name, names.join(", "), spec.class.as_str());
    let names = if names.is_empty() { "-" } else { &names };
    writeln!(
        page,
        "| `{name}` | {names} | {class} | {} |",
        fields(spec.fields)
    )
}

fn fields(fields: &[Field]) -> String {
    let name = |field: &Field| match field.presence {
        Presence::Required => format!("**{}**", field.name),
        Presence::Optional => field.name.to_owned(),
    };
    fields.iter().map(name).collect::<Vec<_>>().join(", ")
}
