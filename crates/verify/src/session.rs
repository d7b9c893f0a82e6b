//! One session: an agent, a script for its model, and answers for its hooks.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

use anyhook::core::transcript::{End, Transcript};
use anyhook::processes::Job;
use anyhook::stores::{Filter, Jsonl, RecordDetail};
use anyhook::text::version_in;
use anyhook::wires::settings::Scope;
use anyhook::world::World;
use anyhook_truth::{AgentBehaviour, CommandOutcome, HookOutput};
use serde_json::Value;

use crate::agents::AgentLaunch;
use crate::bridge;
use crate::model::{AgentRequest, ModelTurn, ScriptedModel};
use crate::process::run;
use crate::room::{CallTarget, FiredEvent, LabRoom};
use crate::{LabAgent, LabError};

/// What an agent is asked to do; what it does is in the script of its model.
pub(crate) const PROMPT: &str = "Please do the task.";

/// What one session is made of.
#[derive(Debug)]
pub(crate) struct LabSession<'a> {
    pub(crate) script: Vec<ModelTurn>,
    /// The answer to a call of an event, by the event's name and the number of the call.
    pub(crate) answers: Vec<(&'static str, usize, HookOutput)>,
    pub(crate) args: &'static [String],
    pub(crate) scope: Scope,
    pub(crate) calls: CallTarget<'a>,
    /// Whether the program that the entries call is taken away before the agent starts.
    pub(crate) is_program_gone: bool,
    /// The variables of the agent's row that it does not get.
    pub(crate) without: &'static [String],
    /// The event whose entry has a second, and whose hook takes longer.
    pub(crate) late: Option<&'static str>,
}

/// What was left of a session.
#[derive(Debug)]
pub(crate) struct SessionRun {
    pub(crate) room: LabRoom,
    pub(crate) transcript: Transcript,
    pub(crate) requests: Vec<AgentRequest>,
    pub(crate) fired: Vec<FiredEvent>,
}

impl LabAgent<'_> {
    /// A session in which every call of the shell is approved and every hook is silent.
    pub(crate) fn session(&self, script: Vec<ModelTurn>) -> LabSession<'static> {
        LabSession {
            script,
            answers: Vec::new(),
            args: &self.agent.args,
            scope: Scope::User,
            calls: CallTarget::Probe,
            is_program_gone: false,
            without: &[],
            late: None,
        }
    }

    /// Such a session in which one command makes the file `given-1`.
    pub(crate) fn one_call(&self) -> LabSession<'static> {
        let call = ModelTurn::calls([self.agent.shell.with("touch given-1")]);
        self.session(vec![call, ModelTurn::says("Done.")])
    }

    /// Runs a session to its end.
    pub(crate) fn run(&self, session: LabSession<'_>) -> Result<SessionRun, LabError> {
        let room = LabRoom::new()?;
        let model = ScriptedModel::start(session.script).map_err(LabError::Model)?;
        let mut env = room.env(self.world, self.agent, &model.url());
        env.retain(|name, _| !session.without.iter().any(|without| **name == **without));
        room.prepare(self.agent, &model.url())?;
        let program = room.program(session.calls)?;
        let mut bridge = None;
        if let Some(plugin) = &self.agent.plugin {
            room.plug(plugin, session.scope)?;
            if session.late.is_some() {
                env.insert("ANYHOOK_DEADLINE".into(), "1".into());
            }
            if !session.is_program_gone {
                let socket = room.places().state.join("serve/socket");
                let started = bridge::start(&socket, program, env.clone(), room.project());
                bridge = Some(started.map_err(|error| LabError::Bridge(socket, error))?);
            }
        } else {
            let called = room.install(self.host, env.clone(), session.scope, &program)?;
            if session.is_program_gone {
                std::fs::remove_file(&called).map_err(LabError::Room)?;
            }
        }
        if let Some(event) = session.late {
            room.sleep(self.host, event)?;
        }
        for (event, call, said) in &session.answers {
            room.say(event, *call, said)?;
        }
        let args = session.args.iter().map(OsString::from);
        let transcript = run(Job {
            program: self.program.clone(),
            args: args.chain([PROMPT.into()]).collect(),
            env: env.into_iter().collect(),
            cwd: room.project(),
            stdin: [].into(),
            deadline: self.patience,
            confined: None,
        });
        drop(bridge);
        Ok(SessionRun {
            fired: room.fired(self.host),
            requests: model.stop(),
            transcript,
            room,
        })
    }
}

impl SessionRun {
    /// How often the agent asked its model for a turn.
    pub(crate) fn turns(&self) -> usize {
        let turns = self.requests.iter();
        turns.filter(|request| request.is_turn).count()
    }

    /// Says what was seen of its one command, and of a mark.
    pub(crate) fn seen(&self, mark: &str) -> AgentBehaviour {
        AgentBehaviour {
            command: Some(self.command()),
            goes_on: self.turns() > 1,
            model: self.model_heard(mark),
        }
    }

    /// Says what became of its one command.
    pub(crate) fn command(&self) -> CommandOutcome {
        match (self.room.has("changed-1"), self.room.has("given-1")) {
            (true, _) => CommandOutcome::Changed,
            (false, true) => CommandOutcome::Given,
            (false, false) => CommandOutcome::None,
        }
    }

    /// Tells whether the model was told a text.
    pub(crate) fn model_heard(&self, text: &str) -> bool {
        let mut requests = self.requests.iter();
        requests.any(|request| request.body.contains(text))
    }

    /// Tells whether the agent printed a text.
    pub(crate) fn person_heard(&self, text: &str) -> bool {
        let Transcript { stdout, stderr, .. } = &self.transcript;
        [stdout, stderr].iter().any(|out| out.text().contains(text))
    }

    /// Returns every event that was told, and how often.
    pub(crate) fn fired_times(&self) -> BTreeMap<String, usize> {
        let mut all = BTreeMap::new();
        for fired in &self.fired {
            *all.entry(fired.event.to_owned()).or_default() += 1;
        }
        all
    }

    /// Returns how many events of the session Anyhook itself answered.
    pub(crate) fn reports(&self) -> usize {
        let store = Jsonl::new(self.room.places().reports(), RecordDetail::Verdicts);
        let found = store.find(&Filter::default());
        found.map(|reports| reports.len()).unwrap_or_default()
    }

    /// Returns how often an event was told.
    pub(crate) fn calls(&self, event: &str) -> usize {
        let fired = self.fired.iter();
        fired.filter(|fired| fired.event == event).count()
    }

    /// Says how the agent ended, and the last line that it wrote.
    pub(crate) fn ending(&self) -> String {
        ending(&self.transcript)
    }
}

fn ending(transcript: &Transcript) -> String {
    let end = match &transcript.end {
        End::Code(code) => format!("code {code}"),
        End::Signal(signal) => format!("signal {signal} ended it"),
        End::TimedOut => "its time was over".to_owned(),
        End::NotStarted(why) => why.clone(),
    };
    let (stderr, stdout) = (transcript.stderr.text(), transcript.stdout.text());
    let mut lines = stdout.lines().rev().chain(stderr.lines().rev());
    match lines.find(|line| !line.trim().is_empty()) {
        Some(line) => {
            let plain = line.chars().filter(|letter| !letter.is_control());
            format!("{end}: {}", plain.take(200).collect::<String>())
        }
        None => end,
    }
}

/// Returns the first payload of an event, without the names of folders that are gone.
pub(crate) fn first_payload(ran: &SessionRun, native: &str) -> Option<Value> {
    let fired = ran.fired.iter().find(|fired| fired.event == native)?;
    let root = ran.room.root().display().to_string();
    let text = fired.payload.to_string().replace(&root, "/scratch");
    serde_json::from_str(&text).ok()
}

/// How long an agent may take to say its version: some start a runtime first.
const VERSION: Duration = Duration::from_secs(30);

/// Asks an agent for its version, in a home of its own: some write there even then.
pub(crate) fn version(
    world: &World,
    agent: &AgentLaunch,
    program: &Path,
) -> Result<String, LabError> {
    let room = LabRoom::new()?;
    let env = room.env(world, agent, "http://127.0.0.1:9");
    let said = run(Job {
        program: program.to_owned(),
        args: vec!["--version".into()],
        env: env.into_iter().collect(),
        cwd: room.project(),
        stdin: [].into(),
        deadline: VERSION,
        confined: None,
    });
    room.close()?;
    let text = said.stdout.text();
    version_in(&text).ok_or_else(|| LabError::NoVersion {
        program: program.display().to_string(),
        said: ending(&said),
    })
}
