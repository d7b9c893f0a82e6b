//! A rewrite of a field that cannot be changed.

use anyhook_core::event::EventName;
use anyhook_core::manifest::Action;
use anyhook_core::taxonomy::nearest;

use super::Note;
use super::linted::Linted;

pub(super) fn find(linted: &Linted<'_>) -> Vec<Note> {
    let mut notes = Vec::new();
    for site in linted.sites() {
        let (Action::Rule(then), Some(_)) = (&site.entry.action, site.group.spec) else {
            continue;
        };
        let event = &site.group.event;
        let mutable = EventName::new(event).mutable();
        let lost = then.modify.iter().map(|(field, _)| field);
        for field in lost.filter(|field| !mutable.contains(&&***field)) {
            let help = match (nearest(field, mutable.iter().copied()), mutable) {
                (Some(near), _) => format!("did you mean `{near}`?"),
                (None, ["tool_input", ..]) => {
                    format!(
                        "say `tool_input`, with everything that is in it: `{{\"tool_input\": {{\"{field}\": …}}}}`"
                    )
                }
                (None, []) => "nothing of this event can be changed".to_owned(),
                (None, fields) => format!("what can be changed is `{}`", fields.join("`, `")),
            };
            let message = format!(
                "a new `{field}` has no effect: no hook can change this field at this event"
            );
            notes.push(Note::new(linted.at(site, "then"), message).help(help));
        }
    }
    notes
}
