//! Why an agent is not verified, and what to do about it.

use std::io;

use crate::files::FileError;
use crate::trust::TrustError;

/// Why an agent is not verified.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum VerifyError {
    /// Nobody wrote down how it is asked without a person.
    #[error("how `{0}` is asked one question without a person is not known")]
    NoQuestion(&'static str),
    /// There is no home.
    #[error("there is no home folder")]
    NoHome,
    /// The agent is not there.
    #[error("no `{0}` on PATH")]
    NoAgent(&'static str),
    /// No entry of ours is in its settings.
    #[error("`{0}` does not call anyhook")]
    NotInstalled(&'static str),
    /// The folder of the test cannot be made.
    #[error("cannot make a folder for the test")]
    Folder(#[source] io::Error),
    /// The hook of the test cannot be trusted.
    #[error("cannot trust the hook of the test")]
    Pin(#[from] TrustError),
    /// The agent did not run to its end.
    #[error("the agent did not come to an end: {0}")]
    Agent(String),
    /// It ran, and asked nobody.
    #[error("the agent ended ({0}), and no event of it arrived")]
    NothingArrived(String),
    /// It asked us, and not about the command.
    #[error(
        "{events} events arrived, and none about the command: the agent may not have tried it ({ended})"
    )]
    NotTried {
        /// How many of its events arrived.
        events: usize,
        /// How it ended, and what it said.
        ended: String,
    },
    /// The hook refused, and the command ran all the same.
    #[error("the hook refused the command, and the agent ran it all the same")]
    NotObeyed,
    /// It cannot be kept.
    #[error("cannot keep that it was verified")]
    Keep(#[from] FileError),
}

impl VerifyError {
    /// Says what to do about it.
    pub fn help(&self) -> String {
        match self {
            Self::NoQuestion(_) => {
                "try a command of your own in it, and look: anyhook log".to_owned()
            }
            Self::NoHome => "set HOME".to_owned(),
            Self::NoAgent(program) => format!("install it, or put `{program}` on PATH"),
            Self::NotInstalled(host) => format!("anyhook install --host {host}"),
            Self::Folder(_) | Self::Pin(_) | Self::Keep(_) => {
                "free some space, or look at who may write there".to_owned()
            }
            Self::Agent(_) => {
                "start the agent by hand once: it may want to be logged in".to_owned()
            }
            Self::NothingArrived(_) => {
                "anyhook doctor, and look whether the agent trusts its hooks".to_owned()
            }
            Self::NotTried { .. } => {
                "try again: a model may do something else than it is told".to_owned()
            }
            Self::NotObeyed => {
                "do not rely on hooks under this agent, and report it with its version".to_owned()
            }
        }
    }
}
