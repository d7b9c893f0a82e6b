//! What stands in the place of hooks that may not run: a question, a refusal, or a word to the person.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use anyhook_core::event::{Event, EventName};
use anyhook_core::hook::Hook;
use anyhook_core::manifest::Manifest;
use anyhook_core::matcher::{Hit, Matcher};
use anyhook_core::result::HookResult;
use anyhook_core::taxonomy::{self, Class};

use super::known::Unusable;
use super::{
    Loaded, Loading, Pinned, Remark, Strictness, hooks, parse, plain, shell_word, shown, source,
};
use crate::trust::Change;

/// The most changes that are named one by one.
const CHANGES_SHOWN: usize = 8;

pub(super) fn listed(changes: &[Change]) -> String {
    let mut list: Vec<String> = changes
        .iter()
        .take(CHANGES_SHOWN)
        .map(ToString::to_string)
        .collect();
    let more = changes.len().saturating_sub(CHANGES_SHOWN);
    if more > 0 {
        list.push(format!("{more} more"));
    }
    list.join(", ")
}

impl Loaded {
    pub(super) fn remark(&mut self, file: &Path, text: String) {
        self.remarks.push(Remark {
            mark: format!("manifest:{}", file.display()),
            text,
        });
    }

    /// A file that may run: all of it, and a word about events that nobody will ever hear of.
    pub(super) fn trusted(&mut self, manifest: &Manifest, file: &Path) {
        self.hooks.extend(hooks(manifest, file));
        self.session = self.session.and(manifest.session);
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
    pub(super) fn untrusted(&mut self, manifest: Option<&Manifest>, file: &Path, how: Loading) {
        let text = format!(
            "the hooks of `{}` are not trusted, so they did not run; look at them, then type: anyhook trust {}",
            shown(file),
            shell_word(file),
        );
        if how.strict == Strictness::Strict {
            let reason = format!("{text} (strict: nothing that they guard runs until then)");
            self.stand_ins(watched(manifest), file, &HookResult::deny(reason));
        }
        self.remark(file, text);
    }

    /// A file that was trusted and has changed since: what it guarded is asked about, and nothing of it runs. What it
    /// guarded is what the pinned text says; what it says now may be the work of whoever changed it, and only adds.
    pub(super) fn changed(
        &mut self,
        trusted: Option<&str>,
        now: &Manifest,
        file: &Path,
        changes: &str,
    ) {
        let text = format!(
            "the hooks of `{}` changed since they were trusted ({changes}); look at the change with: anyhook trust \
             --diff {}, then type: anyhook trust {}",
            shown(file),
            shell_word(file),
            shell_word(file),
        );
        let question = format!("{text}. Go on without these hooks, this once?");
        let trusted = trusted.and_then(|text| parse(file, text).ok());
        let gates = match &trusted {
            Some(trusted) => {
                let mut gates = watched(Some(&trusted.manifest));
                gates.extend(watched(Some(now)));
                gates
            }
            None => everything(),
        };
        self.stand_ins(gates, file, &HookResult::ask(question));
        self.remark(file, text);
    }

    /// A file that cannot be read any more counts as changed. One that says what this program does not know is refused, as
    /// a guard that fails is: whatever else it says may mean another thing.
    pub(super) fn unusable(
        &mut self,
        file: &Path,
        pinned: Option<&Pinned<'_>>,
        unusable: &Unusable,
        how: Loading,
    ) {
        let why = unusable.why();
        let forget = match pinned {
            Some(Pinned::By(_)) => format!(
                " If it is meant to be gone, type: anyhook trust --forget {}.",
                shell_word(file)
            ),
            Some(Pinned::Never | Pinned::Unclear(_)) | None => String::new(),
        };
        let words = format!("{why}. It is unknown what its hooks would say.{forget}");
        let said = match (how.strict, unusable) {
            (Strictness::Strict, _) => {
                HookResult::deny(format!("{words} (strict: refused until it can be read)"))
            }
            (Strictness::Lenient, Unusable::Misread(_)) => HookResult::deny(format!(
                "{words} Mend it; this tells what is wrong: anyhook check {}",
                shell_word(file)
            )),
            (Strictness::Lenient, Unusable::Unread(_)) => {
                HookResult::ask(format!("{words} Go on without them, this once?"))
            }
        };
        match pinned {
            Some(Pinned::Never) if how.strict == Strictness::Lenient => {}
            Some(pinned) if let Some(text) = pinned.text(file) => {
                let trusted = parse(file, &text);
                let gates = trusted
                    .map_or_else(|_| everything(), |trusted| watched(Some(&trusted.manifest)));
                self.stand_ins(gates, file, &said);
            }
            Some(_) | None => self.stand_ins(everything(), file, &said),
        }
        self.remark(file, why.to_owned());
    }

    /// One guard for each gate event, in the place of the hooks that stood there.
    fn stand_ins(&mut self, gates: Vec<Watched>, file: &Path, said: &HookResult) {
        let mut events: BTreeMap<String, Vec<Watched>> = BTreeMap::new();
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
struct Watched {
    event: EventName,
    when: Matcher,
    line: u32,
}

/// The gates of a manifest. Where there is no manifest that tells, all of them.
fn watched(manifest: Option<&Manifest>) -> Vec<Watched> {
    let Some(manifest) = manifest else {
        return everything();
    };
    let groups = manifest.groups.iter().map(|group| Watched {
        event: EventName::new(&group.event),
        when: group.matcher.clone(),
        line: group.at.line,
    });
    groups
        .filter(|gate| gate.event.class() == Class::Gate)
        .collect()
}

fn everything() -> Vec<Watched> {
    let gates = taxonomy::EVENTS
        .iter()
        .filter(|row| row.class == Class::Gate);
    gates
        .map(|row| Watched {
            event: EventName::new(row.name),
            when: Matcher::all(),
            line: 0,
        })
        .collect()
}
