//! What the administrator's policy makes of the hooks that were loaded: it may hold no longer, except a person for some time, or
//! try its next revision in shadow.

use std::collections::{BTreeSet, HashSet};
use std::hash::Hash as _;
use std::sync::Arc;

use anyhook_core::handler::Handler;
use anyhook_core::hook::{Hook, HookInfo, Mode, Source};
use anyhook_core::manifest::Action;
use anyhook_core::report::{Became, Report, Tried, WhyNot};
use anyhook_core::result::{HookResult, Kind};

use super::absent::everything;
use super::known::Manifests;
use super::{Found, Judged, Layer, Loaded, Loading, Remark, load_again, of_policy, plain};
use crate::files::Naming;
use crate::policy::{Overdue, Policy, Stamp};
use crate::world::World;

const DAY: i64 = 24 * 60 * 60 * 1000;

/// Which revision of the policy holds for an event, and which one is tried beside it.
#[derive(Debug, Default)]
pub(crate) struct Policed {
    /// The name of the one that holds.
    pub(crate) revision: Option<Box<str>>,
    shadow: Option<Shadow>,
}

/// A revision that is tried beside the one that holds.
#[derive(Debug)]
struct Shadow {
    name: Box<str>,
    /// The hooks that it alone has.
    new: BTreeSet<(Box<str>, u32)>,
    /// The hooks that hold now and would no longer.
    gone: BTreeSet<(Box<str>, u32)>,
    /// The hooks that except this person now and would no longer.
    again: BTreeSet<(Box<str>, u32)>,
}

/// Who asks, and when.
struct Asking {
    person: Vec<String>,
    now: i64,
}

impl Loaded {
    /// Does what the policy says about the hooks that were loaded.
    pub(crate) fn under(
        &mut self,
        world: &World,
        policy: Option<&Policy>,
        shadow: Option<&Policy>,
        known: &Manifests,
    ) {
        if policy.is_none() && shadow.is_none() {
            return;
        }
        let asking = Asking {
            person: account([policy, shadow]),
            now: world.clock.now(),
        };
        if let Some(shadow) = shadow {
            self.try_beside(policy, shadow, &asking, known);
        }
        let Some(policy) = policy else {
            return;
        };
        self.policed.revision = Some(policy.name.clone());
        match &policy.stamp {
            Ok(stamp) => {
                self.except(policy, stamp, &asking);
                self.overdue(policy, stamp, asking.now);
            }
            Err(why) => {
                let text = format!(
                    "the policy `{}` of this machine cannot be read: {}. Nothing that a hook guards runs until the administrator \
                     types: anyhook policy apply",
                    plain(&policy.name),
                    plain(why)
                );
                self.refuse(policy, text);
            }
        }
    }

    /// Takes from the hooks of the policy that except this person the right to block.
    fn except(&mut self, policy: &Policy, stamp: &Stamp, asking: &Asking) {
        let mut told = Vec::new();
        for hook in self.hooks.iter_mut().filter(|hook| is_of(hook, policy)) {
            let Some(granted) = asking.excepted(stamp, &hook.info.name) else {
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
                days(granted.until - asking.now),
            );
            if !told.contains(&granted.hook) {
                let mark = format!("exception:{}:{}", granted.hook, granted.until);
                self.remarks.push(Remark { mark, text });
                told.push(granted.hook.clone());
            }
        }
    }

    /// Says or refuses what a policy says that holds no longer.
    fn overdue(&mut self, policy: &Policy, stamp: &Stamp, now: i64) {
        if !stamp.is_overdue(now) {
            return;
        }
        let text = format!(
            "the policy `{}` of this machine was confirmed {} ago and holds no longer; the administrator types: anyhook policy \
             apply {}",
            plain(&policy.name),
            days(now - stamp.confirmed),
            plain(&stamp.source),
        );
        match stamp.then {
            Overdue::Refuse => {
                self.refuse(
                    policy,
                    format!(
                        "{text} (it says that nothing that a hook could block runs until then)"
                    ),
                );
            }
            Overdue::Notice => self.remarks.push(Remark {
                mark: format!("overdue:{}", policy.name),
                text: format!("{text}. Its hooks go on guarding"),
            }),
        }
    }

    fn refuse(&mut self, policy: &Policy, text: String) {
        let file = policy.folder.join(crate::layers::OF_PACKAGE);
        self.stand_ins(everything(), &file, &HookResult::deny(text.as_str()));
        self.remark(&file, text);
    }

    /// Adds the hooks that only a revision in shadow has, and remembers which ones it has no longer.
    fn try_beside(
        &mut self,
        policy: Option<&Policy>,
        shadow: &Policy,
        asking: &Asking,
        known: &Manifests,
    ) {
        let found = of_policy(&shadow.folder).into_iter().map(managed);
        let how = Loading::default();
        let judged: Vec<Judged> = found.map(|found| found.judged(None, how)).collect();
        let mut tried = load_again(&judged, how, known);
        let keys = |hooks: &mut Vec<Hook>, of: &Policy| -> Vec<String> {
            hooks.iter_mut().map(|hook| key(hook, of)).collect()
        };
        let theirs = keys(&mut tried.hooks, shadow);
        let known: HashSet<&String> = theirs.iter().collect();
        let (mut gone, mut again, mut ours) = (BTreeSet::new(), BTreeSet::new(), HashSet::new());
        for hook in &mut self.hooks {
            let Some(policy) = policy.filter(|policy| is_of(hook, policy)) else {
                continue;
            };
            let (key, name) = (key(hook, policy), &hook.info.name);
            let is_excepted = |of: &Policy| {
                of.stamp
                    .as_ref()
                    .is_ok_and(|stamp| asking.excepted(stamp, name).is_some())
            };
            match (
                known.contains(&key) && !is_excepted(shadow),
                is_excepted(policy),
            ) {
                (true, true) => again.extend(at(&hook.info)),
                (true, false) => {}
                (false, _) => gone.extend(at(&hook.info)),
            }
            ours.insert(key);
        }
        let mut new = BTreeSet::new();
        for (mut hook, key) in tried.hooks.into_iter().zip(&theirs) {
            let excepted = |stamp: &Stamp| asking.excepted(stamp, &hook.info.name).is_some();
            if ours.contains(key) || shadow.stamp.as_ref().is_ok_and(excepted) {
                continue;
            }
            hook.mode = Mode::Shadow;
            Arc::make_mut(&mut hook.info).shadow = true;
            new.extend(at(&hook.info));
            self.hooks.push(hook);
        }
        self.files.extend(tried.files);
        let name = shadow.name.clone();
        self.policed.shadow = Some(Shadow {
            name,
            new,
            gone,
            again,
        });
    }
}

impl Asking {
    fn excepted<'s>(&self, stamp: &'s Stamp, hook: &str) -> Option<&'s crate::policy::Exception> {
        let person: Vec<&str> = self.person.iter().map(String::as_str).collect();
        let mut granted = stamp.exceptions.iter();
        granted.find(|granted| granted.holds(hook, &person, self.now))
    }
}

impl Policed {
    /// Says what the revision in shadow would have led to.
    pub(crate) fn tried(&self, report: &Report) -> Option<Tried> {
        let shadow = self.shadow.as_ref()?;
        let (mut would, mut by, mut is_unknown) = (Kind::Continue, Vec::new(), false);
        for step in &report.steps {
            let Some(info) = report.hooks.get(step.hook.index()) else {
                continue;
            };
            let is_in = |set: &BTreeSet<_>| at(info).is_some_and(|at| set.contains(&at));
            let (is_gone, is_new) = (
                is_in(&shadow.gone),
                is_in(&shadow.new) || is_in(&shadow.again),
            );
            let said = match &step.became {
                Became::Said(said) => said
                    .as_ref()
                    .map_or(Kind::Continue, |said| said.verdict.kind()),
                Became::Would(said) if is_new => said.verdict.kind(),
                Became::Failed { .. } if is_new && info.guard => Kind::Deny,
                Became::Failed { verdict, .. } => *verdict,
                Became::NotAsked(why) => {
                    is_unknown |= is_new && leaves_open(*why);
                    continue;
                }
                Became::Would(_) => Kind::Continue,
            };
            if is_gone != is_new && said != Kind::Continue {
                by.push(info.name.clone());
            }
            if !is_gone {
                would = would.max(said);
            }
        }
        let now = report.result.verdict.kind();
        let would = match () {
            () if would >= Kind::Deny || !is_unknown => {
                (would != now).then(|| would.as_str().into())
            }
            () => Some("unknown".into()),
        };
        Some(Tried {
            by: if would.is_some() { by } else { Vec::new() },
            revision: shadow.name.clone(),
            would,
        })
    }
}

/// Returns the names of the person's account: its number, and the name that the system's own list of users has for it; none
/// where no exception could need them. What the environment says counts for nothing.
fn account(of: [Option<&Policy>; 2]) -> Vec<String> {
    let mut stamps = of.into_iter().flatten().flat_map(|policy| &policy.stamp);
    if stamps.all(|stamp| stamp.exceptions.is_empty()) {
        return Vec::new();
    }
    let number = rustix::process::getuid().as_raw().to_string();
    let users = std::fs::read_to_string("/etc/passwd").unwrap_or_default();
    let name = users.lines().find_map(|line| {
        let mut fields = line.split(':');
        let name = fields.next()?;
        (fields.nth(1)? == number).then(|| name.to_owned())
    });
    name.into_iter().chain([number]).collect()
}

/// Tells whether a hook that was not asked could have said something.
fn leaves_open(why: WhyNot) -> bool {
    match why {
        WhyNot::Decided | WhyNot::OutOfTime | WhyNot::SingleFlight | WhyNot::Untrusted => true,
        WhyNot::NoMatch
        | WhyNot::OtherEvent
        | WhyNot::Same(_)
        | WhyNot::Once
        | WhyNot::NoValue
        | WhyNot::Condition
        | WhyNot::Background => false,
    }
}

fn managed(file: std::path::PathBuf) -> Found {
    Found {
        file,
        layer: Layer::Managed,
    }
}

/// Where a hook stands: two revisions have it in two files.
fn at(info: &HookInfo) -> Option<(Box<str>, u32)> {
    let Source { file, line } = info.source.as_ref()?;
    Some((format!("{file}#{}", info.name).into(), *line))
}

fn is_of(hook: &Hook, policy: &Policy) -> bool {
    let source = hook.info.source.as_ref();
    source.is_some_and(|source| policy.holds(source.file.as_ref().as_ref()))
}

/// Names a hook by everything that it says, wherever it stands; one that runs files of its package also by those files.
fn key(hook: &mut Hook, policy: &Policy) -> String {
    let source = Arc::make_mut(&mut hook.info).source.take();
    let mut naming = Naming::default();
    hook.hash(&mut naming);
    if runs_files(hook) {
        let file = source.as_ref().map_or("", |source| &source.file);
        let below = std::path::Path::new(file).strip_prefix(&policy.folder).ok();
        let package = below.and_then(|below| below.strip_prefix(crate::layers::PACKAGES.0).ok());
        let package = package
            .and_then(|below| below.iter().next())
            .unwrap_or_default();
        let packages = policy.stamp.as_ref().map(|stamp| &stamp.packages).ok();
        let digest = packages.and_then(|packages| packages.get(&*package.to_string_lossy()));
        digest.hash(&mut naming);
    }
    Arc::make_mut(&mut hook.info).source = source;
    naming.name()
}

fn runs_files(hook: &Hook) -> bool {
    match &hook.handler {
        Handler::Declared(action) => match **action {
            Action::Command(_) | Action::Builtin(_) => true,
            Action::Prompt(_) | Action::Http(_) | Action::Rule(_) | Action::Broken(_) => false,
        },
        Handler::InProcess(_) => true,
    }
}

fn days(millis: i64) -> String {
    match millis / DAY {
        0 => "less than a day".to_owned(),
        1 => "1 day".to_owned(),
        days => format!("{days} days"),
    }
}
