//! Findings about the built-in modules of a manifest, made when it is read and not at the event.

use anyhook_core::event::EventName;
use anyhook_core::manifest::{Action, Builtin, Code, Entry, Finding, Group, Manifest, Severity};

use super::{Module, find, near};
use crate::text::plain;

/// Finds what is wrong with the modules of a manifest and with their settings.
pub(crate) fn check(manifest: &Manifest) -> Vec<Finding> {
    let entries = manifest
        .groups
        .iter()
        .flat_map(|group| group.entries.iter().map(move |entry| (group, entry)));
    let builtins = entries.filter_map(|(group, entry)| match &entry.action {
        Action::Builtin(builtin) => Some((group, entry, builtin)),
        _ => None,
    });
    builtins
        .flat_map(|(group, entry, builtin)| of(group, entry, builtin))
        .collect()
}

fn of(group: &Group, entry: &Entry, builtin: &Builtin) -> Vec<Finding> {
    let finding = |severity, pointer: &str, message, help| Finding {
        code: Code::BadValue,
        severity,
        at: builtin.places.of(pointer).unwrap_or(&entry.at).clone(),
        message,
        help,
    };
    let Some(module) = find(&builtin.module) else {
        let message = format!("there is no built-in module `{}`", plain(&builtin.module));
        let help = near(&builtin.module).map(|near| format!("did you mean `{near}`?"));
        return vec![finding(Severity::Error, "/module", message, help)];
    };
    let errors = module.made(&builtin.config).err().unwrap_or_default();
    let errors = errors.0.into_iter().map(|error| {
        let pointer = format!("/config{}", error.pointer);
        finding(Severity::Error, &pointer, error.message, None)
    });
    errors
        .chain(misplaced(group, module).map(|message| {
            let events: Vec<String> = module.events.iter().map(|e| shown(e)).collect();
            let help = format!("it looks at {}", events.join(", "));
            finding(Severity::Warning, "/module", message, Some(help))
        }))
        .collect()
}

/// Tells that a module stands on an event that it has nothing to say about.
fn misplaced(group: &Group, module: &Module) -> Option<String> {
    let event = EventName::new(&group.event);
    let mut own = module.events.iter().map(|name| EventName::new(name));
    let is_its = own.any(|own| own.covers(&event) || event.covers(&own));
    let message = || format!("`{}` says nothing about this event", module.name);
    (!is_its).then(message)
}

fn shown(event: &str) -> String {
    format!("`{}`", EventName::new(event).universal())
}
