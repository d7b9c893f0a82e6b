//! Playing a case: its payload goes through the line, as an agent's would.

mod offered;

use std::cell::RefCell;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhook::core::event::Event;
use anyhook::core::hook::Hook;
use anyhook::core::report::Report;
use anyhook::core::result::HookResult;
use anyhook::core::transcript::{End, Transcript};
use anyhook::event::{Caller, Context, HookInterceptor, TranscriptReader};
use anyhook::load::{LoadOptions, Strictness, TrustScope};
use anyhook::processes::Leftovers;
use anyhook::state::{MemoryState, SessionState};
use anyhook::wires::hosts::universal::UNIVERSAL;
use anyhook::wires::{Behaviour, Host, Reply, behaviour};
use serde_json::Value;

use crate::case::CaseMode;
use crate::mutant::Mutant;
use crate::plan::{Case, CasePayload, CaseTarget};
use crate::room::{CaseRoom, CaseWorld};
pub(crate) use offered::OfferedHook;

/// Everything that a case left.
#[derive(Debug)]
pub struct Evidence {
    /// What the line reports.
    pub report: Report,
    /// What each hook's process left, in the order of their ends.
    pub heard: Vec<HookTranscript>,
    /// What the host was answered.
    pub reply: Reply,
    /// What the host does with the answer, where one is played and knows the answer.
    pub behaviour: Option<Behaviour>,
    /// The payload as it was sent.
    pub sent: Value,
    /// How long the line took.
    pub took: Duration,
    /// Whether a hook left something running.
    pub leftovers: Leftovers,
    /// The folders in which everything stood that is thrown away.
    pub(crate) rooms: [PathBuf; 2],
    /// The folder of the workspace, while the case is judged.
    pub(crate) workspace: Option<PathBuf>,
    /// The hooks that took part.
    pub(crate) offered: Vec<OfferedHook>,
    /// What each event left that came first.
    pub(crate) earlier: Vec<Evidence>,
}

/// What the process of one hook left.
#[derive(Debug, Clone)]
pub struct HookTranscript {
    /// The hook's name.
    pub hook: Box<str>,
    /// What it left.
    pub raw: Transcript,
    /// How long the hook itself may take; nothing where it does not say.
    pub deadline: Option<Duration>,
    /// Its place among all entries of the manifest; nothing for a guard of ours.
    pub(crate) entry: Option<usize>,
}

/// What was said: by the one process of a case, else by the line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProcessOutput {
    /// The exit code; nothing where it did not end by one.
    pub exit: Option<i32>,
    /// Its standard output.
    pub stdout: String,
    /// Its standard error.
    pub stderr: String,
}

impl Evidence {
    /// Returns what expectations on exit code and output are about: of a hook that runs alone its own words, or the
    /// answer that the line gave for it where it has no process; of several the answer.
    pub fn words(&self, mode: CaseMode) -> ProcessOutput {
        match (mode, self.heard.first()) {
            (CaseMode::Hook, Some(heard)) => ProcessOutput::of(&heard.raw),
            (CaseMode::Hook, None) | (CaseMode::Dispatch, _) => self.answer(),
        }
    }

    /// Returns what the host was answered, as words.
    pub fn answer(&self) -> ProcessOutput {
        ProcessOutput {
            exit: Some(i32::from(self.reply.exit)),
            stdout: self.reply.stdout.clone(),
            stderr: self.reply.stderr.clone(),
        }
    }
}

impl ProcessOutput {
    /// Returns what a process said.
    pub fn of(raw: &Transcript) -> Self {
        Self {
            exit: match raw.end {
                End::Code(code) => Some(code),
                End::Signal(_) | End::TimedOut | End::NotStarted(_) => None,
            },
            stdout: raw.stdout.text().into_owned(),
            stderr: raw.stderr.text().into_owned(),
        }
    }
}

/// The stage of a case.
struct CaseStage<'c> {
    case: &'c Case,
    room: &'c CaseRoom,
    set: &'c CaseWorld,
    state: &'c MemoryState,
    target: &'c CaseTarget,
    programs: &'c Path,
    mutant: Option<&'c Mutant<'c>>,
    offered: RefCell<Vec<OfferedHook>>,
    heard: RefCell<Vec<HookTranscript>>,
}

impl CaseStage<'_> {
    /// Sends a payload through the line.
    fn send(&self, payload: &CasePayload) -> Evidence {
        let (case, world) = (self.case, &self.set.world);
        let workspace = &self.set.workspace;
        let universal = payload.sent(&world.cwd, &case.package.root, workspace.is_some());
        let row = case.host.and_then(|host| host.row(payload.event.as_str()));
        let native = row.map(|row| row.name);
        let own = case.host.zip(native);
        let own = own.and_then(|(host, native)| written(host, native, &universal, payload));
        let sent = own.unwrap_or(universal);
        let host = case.host.unwrap_or(&UNIVERSAL);
        let caller = case.host.map_or(Caller::Person, |_| Caller::Host);
        let line = Context {
            // The command line of an agent's settings names the event too.
            hint: native.or(Some(payload.event.as_str())),
            manifest: Some(case.package.manifest.clone()),
            deadline: Some(deadline(case.limit)),
            loading: LoadOptions {
                trust: TrustScope::All,
                strict: Strictness::Lenient,
            },
            state: Some(self.state),
            own: Some(self.programs.into()),
            model: case.model.as_ref(),
            watch: Some(self),
            ..Context::new(world, host, caller)
        };
        let bytes = sent.to_string().into_bytes();
        let mut choose = |hooks, event: &Event| self.choose(hooks, event);
        let mut answered = line.run_with(&bytes, &mut choose);
        let leftovers = answered.settle();
        // What the host does, where one is played.
        let done = |native| {
            let event = host.read_event(&bytes, Some(native)).ok()?;
            behaviour(host, &event, native, &answered.reply)
        };
        Evidence {
            behaviour: native.and_then(done),
            took: answered.report.took.unwrap_or_default(),
            report: answered.report,
            heard: self.heard.take(),
            rooms: self.room.places(),
            offered: self.offered.take(),
            earlier: Vec::new(),
            reply: answered.reply,
            sent,
            leftovers,
            workspace: workspace.clone(),
        }
    }

    /// Its place among all entries of the manifest: the line hands on the very information that was chosen.
    fn entry(&self, hook: &Hook) -> Option<usize> {
        let offered = self.offered.borrow();
        let mut offered = offered.iter();
        offered.find_map(|one| Arc::ptr_eq(&one.info, &hook.info).then_some(one.entry))
    }

    fn choose(&self, loaded: Vec<Hook>, event: &Event) -> Vec<Hook> {
        let mut loaded: Vec<(usize, Hook)> = loaded.into_iter().enumerate().collect();
        if let Some(mutant) = self.mutant {
            loaded.retain_mut(|(entry, hook)| mutant.lets(*entry, hook));
        }
        let chosen = self.target.choose(loaded);
        let offered = chosen
            .iter()
            .map(|(entry, hook)| OfferedHook::new(*entry, hook, event));
        *self.offered.borrow_mut() = offered.collect();
        chosen.into_iter().map(|(_, hook)| hook).collect()
    }
}

impl HookInterceptor for CaseStage<'_> {
    fn hear(
        &self,
        hook: &Hook,
        raw: &Transcript,
        read: &TranscriptReader<'_>,
    ) -> Option<Transcript> {
        let entry = self.entry(hook);
        let broken = self
            .mutant
            .zip(entry)
            .and_then(|(mutant, entry)| mutant.breaks(entry, raw, read));
        self.heard.borrow_mut().push(HookTranscript {
            hook: hook.info.name.clone(),
            raw: broken.as_ref().unwrap_or(raw).clone(),
            deadline: hook.deadline,
            entry,
        });
        broken
    }

    fn take(&self, hook: &Hook, said: HookResult) -> HookResult {
        match self.mutant.zip(self.entry(hook)) {
            Some((mutant, entry)) => mutant.takes(entry, said),
            None => said,
        }
    }
}

/// Plays a case in a room; with a mutant, one of its hooks is broken.
pub(crate) fn play(
    case: &Case,
    room: &CaseRoom,
    programs: &Path,
    mutant: Option<&Mutant<'_>>,
) -> io::Result<Evidence> {
    let set = room.set(case)?;
    let marks = case.spec.given.marks.iter().map(String::as_str);
    let state = MemoryState::beginning(SessionState::marked(marks));
    let staged = |target| CaseStage {
        case,
        room,
        set: &set,
        state: &state,
        target,
        programs,
        mutant,
        offered: RefCell::default(),
        heard: RefCell::default(),
    };
    let all = CaseTarget::default();
    let everything = staged(&all);
    let before = case.before.iter();
    Ok(Evidence {
        earlier: before.map(|payload| everything.send(payload)).collect(),
        ..staged(&case.target).send(&case.payload)
    })
}

/// Writes a payload in a host's own form. It was read in the universal one when the case was planned.
fn written(
    host: &'static Host,
    native: &str,
    universal: &Value,
    payload: &CasePayload,
) -> Option<Value> {
    let bytes = universal.to_string();
    let event = UNIVERSAL
        .read_event(bytes.as_bytes(), Some(payload.event.as_str()))
        .ok()?;
    Some(host.write_as(&event, native))
}

/// The host's timeout that leaves hooks exactly so long: the line keeps a part of it for its own answer.
fn deadline(limit: Duration) -> Duration {
    let budget = (limit * 4 / 3).min(limit + Duration::from_secs(1));
    (budget * 2).min(budget + Duration::from_millis(1500))
}
