//! Entries of a table that are not functions: commands, rules and whatever else a manifest can declare.
//!
//! An entry is read as the manifest that holds it and nothing else would be, checked as `anyhook check` checks that
//! manifest, and carried out by the runner that `anyhook run` has. The table says when it is asked, and what of its answer
//! an event knows.

mod written;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhook_care::lint::{self, Checking};
use anyhook_core::effects::{Injection, Placing, Role};
use anyhook_core::event::Event;
use anyhook_core::fault::{Fault, FaultKind};
use anyhook_core::handler::{Handled, Handler, HookHandler, Said};
use anyhook_core::hook::{Hook, OnFault};
use anyhook_core::manifest::{Manifest, Severity};
use anyhook_core::matcher::Matcher;
use anyhook_core::report::{Asked, WhyNot};
use anyhook_core::result::{HookResult, Reason, Verdict};
use anyhook_engine::load;
use anyhook_engine::world::World;

use super::entries::selects;
use super::input::Asker;
use super::mistakes::Whereabouts;
use super::specs::{Injects, List, Spec};
use super::{Profile, Return};
use crate::mounts::Declared;
use crate::mounts::tree::Node;
use written::Written;

/// One entry of a table, as a manifest of its own.
#[derive(Debug)]
pub(super) struct Declaration {
    manifest: Manifest,
    file: PathBuf,
    world: Arc<World>,
}

/// Something that is wrong with an entry.
pub(super) struct Wrong {
    pub(super) at: Whereabouts,
    pub(super) what: String,
    pub(super) help: Option<String>,
}

impl Declaration {
    /// Reads an entry of an event's list; what is wrong with it has the place where that stands in the table.
    pub(super) fn read(
        node: &Node,
        spec: &Spec,
        at: &Whereabouts,
        world: &Arc<World>,
    ) -> Result<Self, Vec<Wrong>> {
        let written = Written::of(node, spec);
        // The table's own form is no manifest's, so the name does not say which form the entry has.
        let file = Path::new(&at.file).with_extension("json");
        let how = Checking {
            path: world.var("PATH").map(Into::into),
            ..Checking::default()
        };
        let found = lint::check(&file, &written.text, &how);
        let errors = found
            .into_iter()
            .filter(|found| found.severity == Severity::Error);
        let wrong: Vec<Wrong> = errors
            .map(|found| Wrong {
                at: if found.file == file {
                    written.place(&found.at, at)
                } else {
                    Whereabouts {
                        file: found.file.to_string_lossy().into_owned(),
                        line: found.at.line,
                        column: Some(found.at.column),
                        entry: at.entry.clone(),
                    }
                },
                what: found.message,
                help: found.help,
            })
            .collect();
        if !wrong.is_empty() {
            return Err(wrong);
        }
        let parsed = Manifest::parse(&written.text).map_err(|finding| {
            vec![Wrong {
                at: written.place(&finding.at, at),
                what: finding.message,
                help: finding.help,
            }]
        })?;
        Ok(Self {
            manifest: parsed.manifest,
            file,
            world: Arc::clone(world),
        })
    }

    /// Returns the name that it gives itself.
    pub(super) fn name(&self) -> Option<&str> {
        let mut entries = self.manifest.groups.iter().flat_map(|group| &group.entries);
        entries.next()?.name.as_deref()
    }

    /// Makes the hook of it; nothing where it is switched off.
    pub(super) fn hook(&self, name: &str, within: Within) -> Option<Hook> {
        let mut entries = self.manifest.groups.iter().flat_map(|group| &group.entries);
        let says = entries.next()?.on_failure;
        let declared = load::hooks(&self.manifest, &self.file).pop()?;
        let mut hook = Hook::new(
            within.spec.canonical,
            name,
            Handler::InProcess(Box::new(|_: &Event| ())),
        );
        let info = Arc::make_mut(&mut hook.info);
        info.guard = declared.info.guard;
        info.shadow = declared.info.shadow;
        hook.mode = declared.mode;
        hook.times = declared.times;
        hook.recheck = declared.recheck;
        hook.if_unsayable = declared.if_unsayable;
        // A failure halts, as that of a function does, unless the entry says what else it means.
        hook.on_fault = says.unwrap_or(OnFault::Halt);
        let inner = Declared::new(declared, &self.world);
        hook.deadline = Some(inner.waited_for());
        hook.handler = Handler::InProcess(Box::new(Answers { inner, within }));
        Some(hook)
    }
}

/// Where in a table an entry stands, and who asks.
#[derive(Debug, Clone)]
pub(super) struct Within {
    pub(super) spec: &'static Spec,
    pub(super) profile: Profile,
    pub(super) asker: Asker,
    /// The matcher, where the registry's own would select more than the original's.
    pub(super) own: Option<Matcher>,
}

/// A declared hook whose answer is held against what its event knows.
struct Answers {
    inner: Declared,
    within: Within,
}

impl HookHandler for Answers {
    fn handle<'a>(&'a self, event: &'a Event) -> Handled<'a> {
        self.handle_as(event, Asked::First)
    }

    fn handle_as<'a>(&'a self, event: &'a Event, asked: Asked) -> Handled<'a> {
        let Within { profile, own, .. } = &self.within;
        let name = event.subject.as_deref().unwrap_or_default();
        let is_other = |own: &Matcher| !selects(own, *profile, name, &[], None);
        if own.as_ref().is_some_and(is_other) {
            return Handled::Ready(Err(Fault::not_asked(WhyNot::NoMatch).into()));
        }
        match self.inner.handle_as(event, asked) {
            Handled::Ready(said) => Handled::Ready(said.and_then(|said| self.within.known(said))),
            Handled::Pending(later) => Handled::Pending(Box::pin(async move {
                later.await.and_then(|said| self.within.known(said))
            })),
        }
    }
}

impl Within {
    /// Keeps what the event knows. The rest is a fault in the safe profile, and is dropped where the original drops it.
    fn known(&self, mut said: HookResult) -> Said {
        said.verdict = self.verdict(said.verdict)?;
        if said.effects.is_empty() {
            return Ok(said);
        }
        let is_prompt = |field: &str| self.spec.canonical == "prompt:submit" && field == "prompt";
        let rewrites = said.effects.patch().iter();
        let strange = rewrites
            .map(|one| one.field.clone())
            .find(|field| !is_prompt(field));
        if let Some(field) = strange {
            self.unknown(&format!("changed `{field}`"))?;
            said.effects
                .edit()
                .patch
                .retain(|one| is_prompt(&one.field));
        }
        if !said.effects.inject().is_empty() {
            let texts = std::mem::take(&mut said.effects.edit().inject);
            said.effects.edit().inject = self.texts(texts)?;
        }
        Ok(said)
    }

    fn verdict(&self, verdict: Verdict) -> Result<Verdict, Box<Fault>> {
        let denies = self.spec.knows(&Return::deny(""), self.profile, self.asker);
        Ok(match verdict {
            // No return approves.
            Verdict::Continue | Verdict::Allow { .. } => Verdict::Continue,
            Verdict::Halt { .. } => verdict,
            Verdict::Deny { .. } if denies => verdict,
            Verdict::Ask { .. } if denies && self.asker == Asker::Registry => verdict,
            // A caller of `run_*` has no person to ask.
            Verdict::Ask { questions } if denies => Verdict::Deny {
                reasons: questions
                    .iter()
                    .map(|one| Reason::new(&*one.prompt))
                    .collect(),
            },
            Verdict::Deny { .. } => {
                self.unknown("refused")?;
                Verdict::Continue
            }
            Verdict::Ask { .. } => {
                self.unknown("asked")?;
                Verdict::Continue
            }
        })
    }

    fn texts(&self, mut texts: Vec<Injection>) -> Result<Vec<Injection>, Box<Fault>> {
        let Self {
            spec,
            profile,
            asker,
            ..
        } = self;
        match spec.list {
            List::PreTool => {
                self.unknown("said something to the model")?;
                return Ok(Vec::new());
            }
            List::PostTool => {
                for text in &mut texts {
                    text.place = Placing::LastToolResult;
                    text.role = Role::System;
                }
            }
            List::Flat => {
                let registry = *asker == Asker::Registry;
                if *profile == Profile::Compat && registry && spec.injects == Injects::Dropped {
                    return Ok(Vec::new());
                }
                if *profile == Profile::Safe && spec.canonical == "athena:chat-params" {
                    return Ok(texts.into_iter().map(Injection::ephemeral).collect());
                }
            }
        }
        Ok(texts)
    }

    fn unknown(&self, what: &str) -> Result<(), Box<Fault>> {
        match self.profile {
            Profile::Compat => Ok(()),
            Profile::Safe => Err(Box::new(Fault::new(
                FaultKind::InvalidAnswer,
                format!("it {what}, which `{}` does not know", self.spec.name),
            ))),
        }
    }
}
