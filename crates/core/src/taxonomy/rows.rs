//! The rows, one file per family. To add an event, add a row; names, lookup, suggestions, classes, schemas and pages
//! follow.

use super::{Class, EventSpec, Field};

mod claude_code;
mod context;
mod ex_athena;
mod hosts;
mod model;
mod session;
mod shared;
mod universal;

/// The families, in reading order.
const FAMILIES: &[&[EventSpec]] = &[
    universal::ROWS,
    shared::ROWS,
    session::ROWS,
    model::ROWS,
    context::ROWS,
    ex_athena::ROWS,
    claude_code::ROWS,
    hosts::ROWS,
];

/// The catalogue as a constant, so that the index of names can be built from it by the compiler.
pub(super) const ROWS: &[EventSpec] = &joined();

const fn count() -> usize {
    let (mut all, mut rest) = (0, FAMILIES);
    while let [family, others @ ..] = rest {
        all += family.len();
        rest = others;
    }
    all
}

#[expect(
    clippy::indexing_slicing,
    reason = "runs in the compiler, where a bad index is a build error"
)]
const fn joined() -> [EventSpec; count()] {
    let mut all = [row(Class::Notice, "", ""); count()];
    let (mut at, mut rest) = (0, FAMILIES);
    while let [family, others @ ..] = rest {
        let mut rows: &[EventSpec] = family;
        while let [first, following @ ..] = rows {
            all[at] = *first;
            at += 1;
            rows = following;
        }
        rest = others;
    }
    all
}

const fn gate(name: &'static str, summary: &'static str) -> EventSpec {
    row(Class::Gate, name, summary)
}

const fn continuation(name: &'static str, summary: &'static str) -> EventSpec {
    row(Class::Continuation, name, summary)
}

const fn after(name: &'static str, summary: &'static str) -> EventSpec {
    row(Class::After, name, summary)
}

const fn notice(name: &'static str, summary: &'static str) -> EventSpec {
    row(Class::Notice, name, summary)
}

/// What Amplifier's loops and pages call the fields of a tool call.
const CALL: &[(&str, &str)] = &[
    ("tool_name", "name"),
    ("tool_input", "input"),
    ("tool_input", "arguments"),
];
/// The same, with what came of it.
const CALLED: &[(&str, &str)] = &[
    ("tool_name", "name"),
    ("tool_input", "input"),
    ("tool_input", "arguments"),
    ("tool_result", "result"),
];

const fn row(class: Class, name: &'static str, summary: &'static str) -> EventSpec {
    EventSpec {
        name,
        universal: None,
        aliases: &[],
        class,
        subject: None,
        mutable: &[],
        twins: &[],
        fields: &[],
        summary,
    }
}

impl EventSpec {
    const fn universal(mut self, name: &'static str) -> Self {
        self.universal = Some(name);
        self
    }

    const fn aliases(mut self, names: &'static [&'static str]) -> Self {
        self.aliases = names;
        self
    }

    const fn subject(mut self, field: &'static str) -> Self {
        self.subject = Some(field);
        self
    }

    const fn mutable(mut self, fields: &'static [&'static str]) -> Self {
        self.mutable = fields;
        self
    }

    const fn twins(mut self, twins: &'static [(&'static str, &'static str)]) -> Self {
        self.twins = twins;
        self
    }

    const fn fields(mut self, fields: &'static [Field]) -> Self {
        self.fields = fields;
        self
    }
}
