//! What the administrator's policy makes of the hooks that were loaded: it may hold no longer, or except a person for some time.

use std::path::Path;
use std::sync::Arc;

use anyhook_core::hook::{Hook, Mode};
use anyhook_core::result::HookResult;

use super::absent::everything;
use super::{LoadedHooks, Remark, plain};
use crate::policy::{ExpiryAction, PolicyRevision, RevisionStamp};
use crate::world::{World, listed};

const DAY: i64 = 24 * 60 * 60 * 1000;

impl LoadedHooks {
    /// Does what the policy says about the hooks that were loaded.
    pub(crate) fn under(&mut self, world: &World, policy: &PolicyRevision) {
        self.revision = Some(policy.name.clone());
        match &policy.stamp {
            Ok(stamp) => {
                let now = world.clock.now();
                self.except(policy, stamp, now);
                self.overdue(policy, stamp, now);
            }
            Err(why) => {
                let text = format!(
                    "the policy `{}` of this machine cannot be read: {}. Nothing that a hook guards runs until the administrator \
                     types: anyhook fleet policy apply",
                    plain(&policy.name),
                    plain(why)
                );
                self.refuse(policy, text);
            }
        }
    }

    /// Takes from the hooks of the policy that except this person the right to block.
    fn except(&mut self, policy: &PolicyRevision, stamp: &RevisionStamp, now: i64) {
        if stamp.exceptions.is_empty() {
            return;
        }
        // The account's number, and the name that the system's own list of users has for it. What the environment says counts
        // for nothing.
        let number = rustix::process::getuid().as_raw().to_string();
        let name = listed(&number).map(|(name, _)| name);
        let person: Vec<&str> = name.as_deref().into_iter().chain([&*number]).collect();
        let mut told = Vec::new();
        let is_its = |hook: &&mut Hook| {
            let source = hook.info.source.as_ref();
            source.is_some_and(|source| Path::new(&*source.file).starts_with(&policy.folder))
        };
        for hook in self.hooks.iter_mut().filter(is_its) {
            let mut granted = stamp.exceptions.iter();
            let Some(granted) = granted.find(|it| it.holds(&hook.info.name, &person, now)) else {
                continue;
            };
            hook.mode = Mode::Shadow;
            Arc::make_mut(&mut hook.info).shadow = true;
            let text = format!(
                "an exception of the policy holds for you: the hook `{}` does not block, and the record says what it would have \
                 said ({}: {}). It ends in {}",
                plain(&granted.hook),
                plain(&granted.owner),
                plain(&granted.reason),
                days(granted.until - now),
            );
            if !told.contains(&granted.hook) {
                let mark = format!("exception:{}:{}", granted.hook, granted.until);
                self.remarks.push(Remark::new(mark, text));
                told.push(granted.hook.clone());
            }
        }
    }

    /// Says or refuses what a policy says that holds no longer.
    fn overdue(&mut self, policy: &PolicyRevision, stamp: &RevisionStamp, now: i64) {
        if !stamp.is_overdue(now) {
            return;
        }
        let text = format!(
            "the policy `{}` of this machine was confirmed {} ago and holds no longer; the administrator types: anyhook fleet policy \
             apply {}",
            plain(&policy.name),
            days(now - stamp.confirmed),
            plain(&stamp.source),
        );
        match stamp.then {
            ExpiryAction::Refuse => {
                let why = "it says that nothing that a hook could block runs until then";
                self.refuse(policy, format!("{text} ({why})"));
            }
            ExpiryAction::Notice => {
                let mark = format!("overdue:{}", policy.name);
                let text = format!("{text}. Its hooks go on guarding");
                self.remarks.push(Remark::new(mark, text));
            }
        }
    }

    fn refuse(&mut self, policy: &PolicyRevision, text: String) {
        let file = policy.folder.join(crate::layers::OF_PACKAGE);
        self.stand_ins(everything(), &file, &HookResult::deny(text.as_str()));
        self.remark(&file, text);
    }
}

fn days(millis: i64) -> String {
    match millis / DAY {
        0 => "less than a day".to_owned(),
        1 => "1 day".to_owned(),
        days => format!("{days} days"),
    }
}
