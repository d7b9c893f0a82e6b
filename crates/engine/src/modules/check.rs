//! Findings about the built-in modules of a manifest, made when it is read and not at the event.

use anyhook_core::event::EventName;
use anyhook_core::manifest::{
    Action, BuiltinAction, Code, Entry, Finding, Group, Manifest, Severity,
};

use super::{Module, find, unknown};

/// Finds what is wrong with the modules of a manifest and with their settings.
pub(crate) fn check(manifest: &Manifest) -> Vec<Finding> {
    let mut findings = Vec::new();
    for group in &manifest.groups {
        for entry in &group.entries {
            if let Action::Builtin(builtin) = &entry.action {
                findings.extend(of(group, entry, builtin));
            }
        }
    }
    findings
}

fn of(group: &Group, entry: &Entry, builtin: &BuiltinAction) -> Vec<Finding> {
    let finding = |severity, message| Finding {
        code: Code::BadValue,
        severity,
        at: entry.at.clone(),
        message,
        help: None,
    };
    let Some(module) = find(&builtin.module) else {
        return vec![finding(Severity::Error, unknown(&builtin.module))];
    };
    let errors = module.made(&builtin.config).err().unwrap_or_default();
    let errors = errors.0.into_iter();
    let errors = errors.map(|error| finding(Severity::Error, format!("`config`: {error}")));
    let misplaced = misplaced(group, module);
    errors
        .chain(misplaced.map(|message| finding(Severity::Warning, message)))
        .collect()
}

/// Tells that a module stands on an event that it has nothing to say about.
fn misplaced(group: &Group, module: &Module) -> Option<String> {
    let event = EventName::new(&group.event);
    let mut own = module.events.iter().map(|name| EventName::new(name));
    let is_its = own.any(|own| own.covers(&event) || event.covers(&own));
    let message = || {
        let events = module.events.iter().map(|name| EventName::new(name));
        let events: Vec<String> = events.map(|name| name.universal().to_string()).collect();
        let events = events.join("`, `");
        format!(
            "`{}` says nothing about this event; it looks at `{events}`",
            module.name
        )
    };
    (!is_its).then(message)
}
