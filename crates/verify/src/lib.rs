//! `LabAgent::whole(&self, …) -> Truth`: what an agent on this machine really does with each answer of a hook.
//!
//! The agent is started without a person against a scripted [`model`] on the loopback, in a home and a project that go
//! away: no key, no cost, and nothing of the person's is read or written but the agent's own program. What counts is what
//! is left: files in the project, and what the model is told next; never a log. Beside what is seen stands what the agent
//! was last seen to do ([`anyhook_truth::Truth::differences`]).

pub mod agents;
mod bridge;
mod extras;
pub mod model;
mod probes;
mod process;
mod quick;
mod room;
mod server;
mod session;
mod template;
mod whole;

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhook::install::InstallError;
use anyhook::processes::find_program;
use anyhook::wires::Host;
use anyhook::world::World;
use anyhook_truth::{Truth, TruthRow};

use agents::AgentLaunch;
pub use anyhook_confine::raise_loopback;
pub use quick::GateCheck;

/// Why an agent could not be asked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LabError {
    /// It knows no other model than its own.
    #[error("`{0}` cannot be pointed at another model, so it cannot be asked without a key")]
    NoOtherModel(&'static str),
    /// It is not there.
    #[error("no `{0}` on PATH")]
    NoAgent(&'static str),
    /// The scratch folder cannot be made or written.
    #[error("cannot make a folder for the session")]
    Room(#[source] io::Error),
    /// The model cannot be started.
    #[error("cannot start the scripted model")]
    Model(#[source] io::Error),
    /// What stands in for the server cannot be started.
    #[error("cannot answer the plugin on the socket `{}`", .0.display())]
    Bridge(PathBuf, #[source] io::Error),
    /// The entries cannot be written.
    #[error("cannot install into the scratch home: {}", .0.iter().map(InstallError::chain).collect::<Vec<_>>().join("; "))]
    Install(Vec<InstallError>),
    /// It says no version.
    #[error("`{program} --version` says no version ({said})")]
    NoVersion {
        /// The program.
        program: String,
        /// How it ended, or what it said.
        said: String,
    },
    /// It did not even do what its model said, with no hook in the way.
    #[error("the agent did not run the command that its model asked for ({0})")]
    DidNothing(String),
}

/// An agent of this machine, and how it is asked.
#[derive(Debug, Clone)]
pub struct LabAgent<'a> {
    pub(crate) world: &'a World,
    pub(crate) host: &'static Host,
    pub(crate) agent: &'static AgentLaunch,
    pub(crate) program: PathBuf,
    pub(crate) version: String,
    /// How long one session may take.
    pub(crate) patience: Duration,
}

impl<'a> LabAgent<'a> {
    /// Finds the agent of a host on the `PATH`, and asks it for its version. No session may take longer than `patience`.
    pub fn find(
        world: &'a World,
        host: &'static Host,
        patience: Duration,
    ) -> Result<Self, LabError> {
        let agent = agents::agent(host.id()).ok_or(LabError::NoOtherModel(host.id()))?;
        let path = world.var("PATH").unwrap_or_default();
        let program = find_program(agent.program.as_str().as_ref(), path, &world.cwd);
        let program = program.ok_or(LabError::NoAgent(&agent.program))?;
        let version = session::version(world, agent, &program)?;
        Ok(Self {
            world,
            host,
            agent,
            program,
            version,
            patience,
        })
    }

    /// Names the agent and its version.
    pub fn name(&self) -> String {
        format!("{} {}", self.host.id(), self.version)
    }

    /// Asks about the gate alone, in one session, through this program of ours.
    pub fn quick(&self, anyhook: &Path) -> Result<GateCheck, LabError> {
        quick::ask(self, anyhook)
    }

    /// Asks everything; `told` hears each row as it is found.
    pub fn whole(&self, told: &mut dyn FnMut(&TruthRow)) -> Result<Truth, LabError> {
        let now = jiff::Timestamp::from_millisecond(self.world.clock.now()).unwrap_or_default();
        let date = now.strftime("%Y-%m-%d").to_string();
        whole::ask(self, date, told)
    }
}

impl LabError {
    /// Says what to do about it.
    pub fn help(&self) -> String {
        match self {
            Self::NoOtherModel(_) => {
                "try a command of your own in it that a hook refuses, and look: anyhook log".to_owned()
            }
            Self::NoAgent(program) => format!("install it, or put `{program}` on PATH"),
            Self::Bridge(..) => "set TMPDIR to a folder with a short name: a socket's path has at most 107 bytes".to_owned(),
            Self::Room(_) => "free some space, or set TMPDIR to a folder you may write".to_owned(),
            Self::Model(_) => "a server must be allowed to listen on 127.0.0.1".to_owned(),
            Self::Install(_) => "report it, with the version of the agent".to_owned(),
            Self::NoVersion { program, .. } => format!("start it by hand: {program} --version"),
            Self::DidNothing(_) => {
                "start the agent by hand once, and report it with its version: it may want something new at its start"
                    .to_owned()
            }
        }
    }
}
