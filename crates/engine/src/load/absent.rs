//! What replaces hooks that may not run: a question, a refusal, or a message to the person.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use anyhook_core::event::{Event, EventName};
use anyhook_core::hook::Hook;
use anyhook_core::manifest::Manifest;
use anyhook_core::matcher::{Hit, Matcher};
use anyhook_core::result::HookResult;
use anyhook_core::taxonomy::{self, Class};

use super::known::ManifestFault;
use super::{LoadedHooks, Remark, Strictness, hooks, parse, plain, shell_word, shown, source};
use crate::trust::{DifferenceKind, PinDifference};

/// The most changes that are named one by one.
const CHANGES_SHOWN: usize = 8;

fn listed(changes: &[PinDifference]) -> String {
    let shown = changes.iter().take(CHANGES_SHOWN);
    let mut list: Vec<String> = shown.map(ToString::to_string).collect();
    if let more @ 1.. = changes.len().saturating_sub(CHANGES_SHOWN) {
        list.push(format!("{more} more"));
    }
    list.join(", ")
}

impl LoadedHooks {
    pub(super) fn remark(&mut self, file: &Path, text: String) {
        let mark = format!("manifest:{}", file.display());
        self.remarks.push(Remark::new(mark, text));
    }

    /// A file that may run: all of it, and a word about events that no agent has.
    pub(super) fn trusted(&mut self, manifest: &Manifest, file: &Path) {
        self.hooks.extend(hooks(manifest, file));
        let misspelled = manifest.groups.iter().find_map(|group| {
            let unknown = group.spec.is_none().then_some(&*group.event)?;
            Some((group.at.line, unknown, taxonomy::suggest(unknown)?))
        });
        if let Some((line, unknown, near)) = misspelled {
            let (file_name, unknown) = (shown(file), plain(unknown));
            let text =
                format!("`{file_name}:{line}`: unknown event `{unknown}`; did you mean `{near}`?");
            self.remark(file, text);
        }
    }

    /// A file that was never trusted does not run, and says so with the command to type.
    pub(super) fn untrusted(&mut self, manifest: Option<&Manifest>, file: &Path) {
        let text = format!(
            "the hooks of `{}` are not trusted, so they did not run; look at them, then type: anyhook trust {}",
            shown(file),
            shell_word(file),
        );
        if self.how.strict == Strictness::Strict {
            let reason = format!("{text} (strict: nothing that they guard runs until then)");
            self.stand_ins(watched(manifest), file, &HookResult::deny(reason));
        }
        self.remark(file, text);
    }

    /// A file that was trusted and cannot run: what it guarded is asked about. That is what the trusted text says, where it is
    /// known.
    pub(super) fn unclear(&mut self, trusted: Option<&str>, file: &Path, why: &str) {
        let shown_file = shown(file);
        let word = shell_word(file);
        let text = format!(
            "the hooks of `{shown_file}` do not run: {why}. Look at them, then type: anyhook trust {word}; or, \
             if they are not wanted any more: anyhook trust --forget {word}"
        );
        let trusted = trusted.and_then(|text| parse(file, text).ok());
        let gates = watched(trusted.as_ref().map(|trusted| &trusted.manifest));
        let said = match self.how.strict {
            Strictness::Strict => HookResult::deny(format!("{text} (strict: blocked until then)")),
            Strictness::Lenient => {
                HookResult::ask(format!("{text}. Go on without these hooks, this once?"))
            }
        };
        self.stand_ins(gates, file, &said);
        self.remark(file, text);
    }

    /// A file that runs as it was trusted, and is another one now: a person is told, and nothing is asked for that.
    pub(super) fn waiting(&mut self, changes: &[PinDifference], file: &Path) {
        if changes.is_empty() {
            return;
        }
        let (what, file_name, word) = (listed(changes), shown(file), shell_word(file));
        let is_gone = matches!(
            changes,
            [PinDifference {
                what: DifferenceKind::Removed,
                ..
            }]
        ) && !file.exists();
        let text = if is_gone {
            format!(
                "`{file_name}` is gone, and its hooks go on guarding as you trusted them; if they are not wanted any more, type: \
                 anyhook trust --forget {word}"
            )
        } else {
            format!(
                "the hooks of `{file_name}` run as you trusted them, and a newer version waits for you ({what}); look at it with: \
                 anyhook trust {word}"
            )
        };
        // Whatever was said of this file before in the session.
        let mark = format!("newer:{}", file.display());
        self.remarks.push(Remark::new(mark, text));
    }

    /// A file that cannot be read. One that says what this program does not know is refused, as a guard that fails is:
    /// whatever else it says may mean another thing.
    pub(super) fn unusable(&mut self, file: &Path, unusable: &ManifestFault, strict: Strictness) {
        let why = unusable.why();
        let words = format!("{why}. It is unknown what its hooks would say.");
        let check = format!(
            "this tells what is wrong: anyhook check {}",
            shell_word(file)
        );
        let said = match (strict, unusable) {
            (Strictness::Strict, _) => {
                HookResult::deny(format!("{words} (strict: refused until it can be read)"))
            }
            (Strictness::Lenient, ManifestFault::Misread(_)) => {
                HookResult::deny(format!("{words} Mend it; {check}"))
            }
            (Strictness::Lenient, ManifestFault::Unread(_)) => {
                HookResult::ask(format!("{words} Go on without them, this once? ({check})"))
            }
        };
        self.stand_ins(everything(), file, &said);
        self.remark(file, why.to_owned());
    }

    /// One guard for each gate event, in the place of the hooks that stood there.
    pub(super) fn stand_ins(&mut self, gates: Vec<GuardedGate>, file: &Path, said: &HookResult) {
        let mut events: BTreeMap<String, Vec<GuardedGate>> = BTreeMap::new();
        for gate in gates {
            events
                .entry(gate.event.as_str().into())
                .or_default()
                .push(gate);
        }
        for (event, gates) in events {
            let line = gates.first().map_or(0, |gate| gate.line);
            let said = said.clone();
            let says = move |event: &Event| {
                let subject = event.subject();
                let mut hits = gates.iter().map(|gate| gate.when.selects(subject.as_ref()));
                if hits.any(|hit| hit != Hit::No) {
                    said.clone()
                } else {
                    HookResult::proceed()
                }
            };
            let mut hook = Hook::in_process(&event, "anyhook:trust", says).guard();
            Arc::make_mut(&mut hook.info).source = Some(source(file, line));
            self.hooks.push(hook);
        }
    }
}

/// A gate at which hooks of a file stood.
pub(super) struct GuardedGate {
    event: EventName,
    when: Matcher,
    line: u32,
}

/// The gates of a manifest. Where there is no manifest that tells, all of them.
fn watched(manifest: Option<&Manifest>) -> Vec<GuardedGate> {
    let Some(manifest) = manifest else {
        return everything();
    };
    let groups = manifest.groups.iter().map(|group| GuardedGate {
        event: EventName::new(&group.event),
        when: group.matcher.clone(),
        line: group.at.line,
    });
    groups
        .filter(|gate| gate.event.class() == Class::Gate)
        .collect()
}

pub(super) fn everything() -> Vec<GuardedGate> {
    let gates = taxonomy::EVENTS
        .iter()
        .filter(|row| row.class == Class::Gate);
    gates
        .map(|row| GuardedGate {
            event: EventName::new(row.name),
            when: Matcher::all(),
            line: 0,
        })
        .collect()
}
