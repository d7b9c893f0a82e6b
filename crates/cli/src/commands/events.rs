//! `anyhook list events`: the points of an agent's life at which a hook can be asked.

use anyhook::core::taxonomy::{self, Class, EVENTS, EventSpec, Field, FieldKind, Presence};
use serde_json::json;

use crate::error::{CliError, no_event};
use crate::exit::Exit;
use crate::form::JsonFlag;
use crate::ui::{self, paint};

/// Lists the events, or shows one, in any spelling.
pub(super) fn run(name: Option<&str>, form: JsonFlag) -> Result<Exit, CliError> {
    let rows: Vec<&EventSpec> = match name {
        None => EVENTS.iter().collect(),
        Some(name) => vec![taxonomy::find(name).ok_or_else(|| no_event(name))?],
    };
    let all: Vec<_> = rows.iter().map(|row| as_json(row)).collect();
    form.say(&all, |_| match &*rows {
        [one] => page(one),
        many => table(many),
    })
}

fn as_json(row: &EventSpec) -> serde_json::Value {
    json!({
        "name": row.name, "universal": row.universal, "aliases": row.aliases, "class": row.class.as_str(),
        "subject": row.subject, "mutable": row.mutable, "summary": row.summary,
        "fields": row.fields.iter().map(field_as_json).collect::<Vec<_>>(),
    })
}

fn field_as_json(field: &Field) -> serde_json::Value {
    let words = match field.kind {
        FieldKind::Enum(words) => json!(words),
        _ => json!(null),
    };
    json!({
        "name": field.name, "kind": field.kind.as_str(), "words": words,
        "required": field.presence == Presence::Required, "summary": field.summary, "source": field.source,
    })
}

fn refusing(class: Class) -> &'static str {
    match class {
        Class::Gate => "refusing prevents it",
        Class::Continuation => "refusing means: go on working",
        Class::After => "it has happened; refusing tells the model",
        Class::Notice => "no hook can answer; texts go to the person",
    }
}

fn table(rows: &[&EventSpec]) -> String {
    let (universal, rest): (Vec<&EventSpec>, Vec<&EventSpec>) =
        rows.iter().partition(|row| row.universal.is_some());
    // The page of an event says what its matcher looks at, too.
    let is_wide = ui::width() >= 100;
    let rows = universal.into_iter().chain(rest).map(|row| {
        let matcher = row.subject.filter(|_| is_wide);
        let (name, class) = (row.universal.unwrap_or(row.name), row.class.as_str());
        [name, class, matcher.unwrap_or_default(), row.summary].map(str::to_owned)
    });
    ui::table("event|class|matcher|what", rows)
        + "\nanyhook list events NAME shows its names, its fields, and what hooks can do\n"
}

fn page(row: &EventSpec) -> String {
    let mut names: Vec<&str> = row.universal.into_iter().collect();
    names.extend(row.aliases);
    let list = |items: &[&str]| {
        if items.is_empty() {
            "-".to_owned()
        } else {
            items.join(", ")
        }
    };
    let called = ui::wrapped("                ", &list(&names));
    let mut text = format!(
        "{}\n{}\n\n  also called   {}\n  class         {}: {}\n  matcher       {}\n  rewritable    {}\n",
        paint(ui::BOLD, row.name),
        row.summary,
        called.trim(),
        row.class.as_str(),
        refusing(row.class),
        row.subject.map_or(
            "none: a matcher has nothing to look at".to_owned(),
            |field| format!("looks at `{field}`")
        ),
        list(row.mutable),
    );
    text.push_str(&fields(row));
    text
}

/// The fields of the event itself; what any event may carry stands on the reference page.
fn fields(row: &EventSpec) -> String {
    if row.fields.is_empty() {
        return String::new();
    }
    let rows = row.fields.iter().map(|field| {
        let about = format!("{}{}", field.summary, words(field));
        [field.name.to_owned(), kind(field), about]
    });
    format!("\n{}", ui::table("field|kind|about", rows))
}

fn kind(field: &Field) -> String {
    match field.presence {
        Presence::Required => format!("{}, required", field.kind.as_str()),
        Presence::Optional => field.kind.as_str().to_owned(),
    }
}

fn words(field: &Field) -> String {
    match field.kind {
        FieldKind::Enum(words) => format!(" One of: {}.", words.join(", ")),
        _ => String::new(),
    }
}
