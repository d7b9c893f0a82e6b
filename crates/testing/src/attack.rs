//! The attacker: tries ways round a package's own refusals, and proves each with real bash.
//!
//! ```text
//!  cases that refuse ──> aims ──> ways ──> judge ──refused──> counted
//!      of a package    effects   tables      └──passes──> proof ──reached──> shortest form ──> a case to add
//! ```
//!
//! A case says that a call is refused; its effect is what the call would do. A way is another call, or another line, that does
//! the same. The hooks judge it through the real line, in this process. Only what passes is carried out, and only in
//! namespaces of its own: see `docs/attack.md`.
//!
//! ```no_run
//! use anyhook_testing::attack::{AttackOptions, attack};
//!
//! let suite = anyhook_testing::read(&["examples/rules".into()]);
//! let asked = AttackOptions {
//!     ways: 200,
//!     seed: 1,
//!     program: "/usr/bin/anyhook".into(),
//!     interrupted: Default::default(),
//! };
//! for found in attack(&suite, &asked)?.found {
//!     println!("{}\n{}", found.shown(), found.text);
//! }
//! # Ok::<(), anyhook_testing::attack::AttackError>(())
//! ```

mod aim;
mod judge;
mod proof;
mod report;
mod scene;
mod ways;

use std::collections::BTreeSet;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhook::core::event::EventName;
use anyhook::core::result::Kind;
use anyhook::world::World;

use crate::plan::Case;
use crate::programs::StubPrograms;
use crate::spread::{in_order, processors};
use crate::suite::Suite;
use aim::Aim;
pub use aim::AttackCall;
use proof::ProofOutcome;
pub use proof::{VERB, carry_out};
pub use report::Bypass;
pub(crate) use report::refusal;
use scene::Scene;
use ways::{Way, ways};

/// How an attack is made.
#[derive(Debug, Clone)]
pub struct AttackOptions {
    /// So many ways are tried at most.
    pub ways: usize,
    /// What the ways follow from: the same seed makes the same ways.
    pub seed: u64,
    /// The program `anyhook`, which carries ways out, and which hooks find.
    pub program: PathBuf,
    /// Becomes true when a person wants the attack to end.
    pub interrupted: Arc<AtomicBool>,
}

/// What came of an attack.
#[derive(Debug, Clone, Default, PartialEq, serde::Serialize)]
pub struct AttackSummary {
    /// What was aimed at, and by how many ways.
    pub targets: Vec<TargetTally>,
    /// The ways that pass and reach their effect, each in its shortest form.
    pub found: Vec<Bypass>,
    /// What was not aimed at, with the reason.
    pub left_out: Vec<String>,
}

/// How the ways to one effect went.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct TargetTally {
    /// The case that refuses the effect.
    pub case: String,
    /// The effect.
    pub effect: String,
    /// How many ways were judged.
    pub tried: usize,
    /// How many of them the hooks refuse.
    pub refused: usize,
    /// How many pass and reach the effect.
    pub reached: usize,
    /// How many pass, and bash does not reach the effect by them here.
    pub missed: usize,
}

/// Why there is no attack.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AttackError {
    /// There is nothing to aim at.
    #[error("no case of this package refuses a shell command or a file that can be aimed at")]
    NoTarget(Vec<String>),
    /// Nothing may be carried out here.
    #[error("ways cannot be carried out on this machine: {0}")]
    NoBox(String),
    /// The scratch folder cannot be made.
    #[error("the scratch folder cannot be made")]
    NoScratch(#[from] io::Error),
}

/// What is aimed at.
struct AttackTarget<'t> {
    case: &'t Case,
    aim: Aim,
    scene: Scene,
    world: World,
}

/// One way, and how it went.
struct TriedWay {
    target: usize,
    way: Way,
    came: Option<ProofOutcome>,
}

/// Attacks the packages of a suite.
pub fn attack(suite: &Suite, asked: &AttackOptions) -> Result<AttackSummary, AttackError> {
    let programs = StubPrograms::write(&suite.cases, Some(&asked.program))?;
    let attacking = Attacker {
        asked,
        programs: programs.of(None),
    };
    let mut left_out = Vec::new();
    let targets = attacking.targets(suite, &mut left_out)?;
    let Some(first) = targets.first() else {
        return Err(AttackError::NoTarget(left_out));
    };
    let can = proof::prove(
        &asked.program,
        &first.scene,
        &first.aim,
        &AttackCall::shell(":"),
    )?;
    if let ProofOutcome::Cannot(why) = can {
        return Err(AttackError::NoBox(why));
    }
    let went = attacking.all(&targets);
    let tallies = targets.iter().enumerate();
    Ok(AttackSummary {
        found: attacking.found(&targets, &went),
        targets: tallies
            .map(|(at, target)| tally(at, target, &went))
            .collect(),
        left_out,
    })
}

fn tally(at: usize, target: &AttackTarget<'_>, went: &[TriedWay]) -> TargetTally {
    let own: Vec<&TriedWay> = went.iter().filter(|went| went.target == at).collect();
    let count =
        |is: fn(&Option<ProofOutcome>) -> bool| own.iter().filter(|went| is(&went.came)).count();
    TargetTally {
        case: target.case.id.to_string(),
        effect: target.aim.shown(),
        tried: own.len(),
        refused: count(Option::is_none),
        reached: count(|came| *came == Some(ProofOutcome::Reached)),
        missed: count(|came| matches!(came, Some(ProofOutcome::Missed | ProofOutcome::Cannot(_)))),
    }
}

struct Attacker<'a> {
    asked: &'a AttackOptions,
    programs: PathBuf,
}

impl Attacker<'_> {
    fn is_over(&self) -> bool {
        self.asked.interrupted.load(Ordering::Relaxed)
    }

    /// What the cases of a suite refuse: each effect once.
    fn targets<'t>(
        &self,
        suite: &'t Suite,
        left_out: &mut Vec<String>,
    ) -> Result<Vec<AttackTarget<'t>>, AttackError> {
        let mut targets = Vec::new();
        let mut seen = BTreeSet::new();
        let gate = EventName::new("pre-tool-use");
        let gates = suite
            .cases
            .iter()
            .filter(|case| case.event == gate && case.host.is_none());
        for case in gates.filter(|case| report::refusal(case).is_some()) {
            let aims = aim::aims(case, &scene::branch(case, None));
            if aims.is_empty() {
                left_out.push(format!(
                    "{}: what it refuses is no effect that can be proved in a scratch folder",
                    case.id
                ));
            }
            let is_alone = aims.len() == 1;
            for aim in aims {
                if !seen.insert((case.package.manifest.clone(), aim.clone())) {
                    continue;
                }
                let branch = scene::branch(case, Some(&aim));
                let scene = Scene::new(case.workspace.as_ref(), &aim, &branch)?;
                let target = AttackTarget {
                    world: judge::world(&case.package, &scene, &self.asked.interrupted),
                    case,
                    aim,
                    scene,
                };
                match self.unfit(&target, is_alone) {
                    Some(why) => left_out.push(format!("{}: {why}", target.case.id)),
                    None => targets.push(target),
                }
            }
        }
        Ok(targets)
    }

    /// Returns why an effect is none that the package refuses: the hooks let its plainest line pass.
    fn unfit(&self, target: &AttackTarget<'_>, is_alone: bool) -> Option<String> {
        let plainest = ways(&target.aim, 0, 0);
        let plainest = plainest.first().and_then(|way| way.call(&target.aim));
        let own = report::call(target.case, &target.scene).filter(|_| is_alone);
        let mut calls = plainest.iter().chain(&own);
        let is_refused = calls.any(|call| self.refuses(target, call));
        let why = "the hooks have nothing against this alone";
        (!is_refused).then(|| format!("{}: {why}", target.aim.shown()))
    }

    /// Judges ways in turn for each target, and proves those that pass.
    fn all(&self, targets: &[AttackTarget<'_>]) -> Vec<TriedWay> {
        let most = self.asked.ways;
        let each = most.div_ceil(targets.len().max(1)).max(1);
        let made = targets
            .iter()
            .map(|target| ways(&target.aim, each, self.asked.seed));
        let made: Vec<Vec<Way>> = made.collect();
        let turns = (0..each).flat_map(|turn| {
            made.iter()
                .enumerate()
                .filter_map(move |(at, ways)| Some((at, ways.get(turn)?)))
        });
        let turns: Vec<(usize, &Way)> = turns.take(most).collect();
        let one = |index: usize| {
            let (at, way) = turns.get(index).filter(|_| !self.is_over())?;
            Some(TriedWay {
                target: *at,
                way: (*way).clone(),
                came: self.came(targets.get(*at)?, way),
            })
        };
        in_order(processors().get(), one, &mut |_| {})
    }

    /// How a way goes: nothing if the hooks refuse it.
    fn came(&self, target: &AttackTarget<'_>, way: &Way) -> Option<ProofOutcome> {
        let call = way.call(&target.aim)?;
        if self.refuses(target, &call) {
            return None;
        }
        let came = proof::prove(&self.asked.program, &target.scene, &target.aim, &call);
        Some(came.unwrap_or_else(|why| ProofOutcome::Cannot(why.to_string())))
    }

    /// The ways that were found, each in its shortest form and each form once.
    fn found(&self, targets: &[AttackTarget<'_>], went: &[TriedWay]) -> Vec<Bypass> {
        let mut found = Vec::new();
        let mut seen = BTreeSet::new();
        for (at, target) in targets.iter().enumerate() {
            let is_told =
                |went: &&TriedWay| went.target == at && went.came == Some(ProofOutcome::Reached);
            for went in went.iter().filter(is_told) {
                let shortest = self.shortest(target, went);
                let Some(call) = shortest.call(&target.aim) else {
                    continue;
                };
                if seen.insert((at, call.shown())) {
                    let (case, aim, number) = (target.case, &target.aim, found.len() + 1);
                    found.push(Bypass::new(case, aim, &shortest, &call, number));
                }
            }
        }
        found
    }

    /// The simplest way within a way that goes as it does.
    fn shortest(&self, target: &AttackTarget<'_>, went: &TriedWay) -> Way {
        let mut way = went.way.clone();
        let is_same = |less: &Way| !self.is_over() && self.came(target, less) == went.came;
        while let Some(less) = way.simpler(&target.aim).into_iter().find(is_same) {
            way = less;
        }
        way
    }
}

/// A verdict that refuses, by its name in a case.
pub(crate) fn is_refusal(kind: Kind) -> bool {
    matches!(kind, Kind::Ask | Kind::Deny | Kind::Halt)
}
