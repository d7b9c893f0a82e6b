//! The folder of the test: one hook that refuses one command.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhook_core::ports::Query;
use anyhook_core::report::{Became, Report};
use anyhook_core::result::Kind;
use anyhook_core::transcript::{Capture, End, Transcript};
use anyhook_wires::Host;
use anyhook_wires::health::Live;
use serde_json::json;

use super::VerifyError;
use crate::processes::{Job, Limits, Pool};
use crate::stores::{Jsonl, Keep};
use crate::trust::Trust;
use crate::world::{Places, World};

/// What the name of the hook that refuses begins with.
const CANARY: &str = "anyhook-canary";
/// The events that are searched for the canary's.
const NEWEST: usize = 200;

/// A folder with one hook in it, and the file that must not come to be.
pub(super) struct Canary {
    folder: tempfile::TempDir,
    root: PathBuf,
    manifest: PathBuf,
    /// The name of the hook and of the file.
    name: String,
}

impl Canary {
    pub(super) fn set(world: &World, places: &Places) -> Result<Self, VerifyError> {
        // The name must not stand in the folder's name: every payload names the folder.
        let name = format!("{CANARY}-{}", (world.ids)());
        let folder = tempfile::Builder::new().prefix("anyhook-verify-").tempdir();
        let folder = folder.map_err(VerifyError::Folder)?;
        let root = folder.path().canonicalize().map_err(VerifyError::Folder)?;
        let manifest = root.join(".anyhook/hooks.json");
        let command = format!(
            "if grep -q {name}; then echo 'the canary of anyhook verify refuses this' >&2; exit 2; fi"
        );
        let hook = json!({"name": name, "type": "command", "command": command});
        let text = json!({"version": 1, "hooks": {"pre-tool-use": [{"hooks": [hook]}]}});
        fs::create_dir_all(root.join(".anyhook"))
            .and_then(|()| fs::write(&manifest, text.to_string()))
            .map_err(VerifyError::Folder)?;
        Trust::new(places.trust()).pin(&manifest, world.clock.now())?;
        Ok(Self {
            folder,
            root,
            manifest,
            name,
        })
    }

    fn file(&self) -> PathBuf {
        self.root.join(&self.name)
    }

    pub(super) fn ask(
        &self,
        world: &World,
        program: &Path,
        live: &Live,
        patience: Duration,
    ) -> Transcript {
        let question = format!(
            "This is a test of your hooks, by the person who runs you. Run exactly this one command with your shell tool, \
             once, and then stop and say what came of it. Do nothing else.\n\ntouch {}",
            self.name
        );
        let env = world.env.iter();
        let args = live.args.iter().map(OsString::from);
        let job = Job {
            program: program.to_owned(),
            args: args.chain([question.into()]).collect(),
            env: env.map(|(k, v)| (k.clone(), v.clone())).collect(),
            cwd: self.root.clone(),
            stdin: [].into(),
            deadline: patience,
        };
        let mut pool = Pool::new(Limits::default());
        pool.start(0, job);
        let ended = pool.turn(None).into_iter().next();
        pool.settle();
        ended.map_or_else(nothing, |(_, transcript)| transcript)
    }

    pub(super) fn judge(
        &self,
        places: &Places,
        host: &dyn Host,
        began: i64,
        transcript: &Transcript,
    ) -> Result<(), VerifyError> {
        let store = Jsonl::new(places.reports(), Keep::Verdicts);
        let query = Query {
            last: Some(NEWEST),
            ..Query::default()
        };
        let reports = store
            .read(&query)
            .map(|page| page.reports)
            .unwrap_or_default();
        let its = reports.iter().filter(|report| {
            *report.event.host == *host.id() && report.at.is_some_and(|at| at >= began)
        });
        let its: Vec<&Report> = its.collect();
        let is_refused = its.iter().any(|report| self.refused(report));
        let ended = ending(transcript);
        match (is_refused, self.file().exists()) {
            (true, false) => Ok(()),
            (true, true) => Err(VerifyError::NotObeyed),
            (false, _) => Err(match transcript.end {
                End::Code(_) if its.is_empty() => VerifyError::NothingArrived(ended),
                End::Code(_) => VerifyError::NotTried {
                    events: its.len(),
                    ended,
                },
                End::Signal(_) | End::TimedOut | End::NotStarted(_) => VerifyError::Agent(ended),
            }),
        }
    }

    /// Tells whether this report says that the canary refused, and that the host was told so.
    fn refused(&self, report: &Report) -> bool {
        let said = report.said.as_ref();
        let was_told = said.is_some_and(|said| said.verdict.kind() >= Kind::Deny);
        was_told
            && report.steps.iter().any(|step| {
                let is_its = report
                    .hook(step.hook)
                    .is_some_and(|hook| *hook.name == *self.name);
                let denied = match &step.became {
                    Became::Said(Some(result)) => result.verdict.kind() >= Kind::Deny,
                    Became::Said(None)
                    | Became::Would(_)
                    | Became::Failed { .. }
                    | Became::NotAsked(_) => false,
                };
                is_its && denied
            })
    }

    /// Takes everything away again.
    pub(super) fn forget(self, places: &Places) -> Result<(), VerifyError> {
        Trust::new(places.trust()).forget(&self.manifest)?;
        self.folder.close().map_err(VerifyError::Folder)
    }
}

fn nothing() -> Transcript {
    Transcript {
        stdout: Capture::default(),
        stderr: Capture::default(),
        end: End::NotStarted("it never started".to_owned()),
        took: Duration::ZERO,
    }
}

/// Says how the agent ended, and the last line that it wrote.
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
            let line: String = crate::load::plain(line).chars().take(200).collect();
            format!("{end}: {line}")
        }
        None => end,
    }
}
