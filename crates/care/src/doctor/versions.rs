//! Asks programs for their versions.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhook_core::transcript::{End, Transcript};
use anyhook_engine::processes::{Job, Limits, Pool};
use anyhook_engine::text::version_in;
use anyhook_engine::world::World;

use super::presence::{Presence, ProgramState};

/// How long a program may take to say its version: some agents start a runtime first.
const PATIENCE: Duration = Duration::from_secs(10);

/// Asks the agents, and the programs that our entries name, for their versions: all of them side by side.
pub(super) fn ask_versions(world: &World, seen: &mut [Presence]) {
    let mut programs: Vec<PathBuf> = Vec::new();
    for presence in &*seen {
        let agent = presence.agent.iter().map(|agent| agent.program.clone());
        let own = presence.own().filter_map(|(.., own)| match own.program {
            ProgramState::Runs(_) => Some(PathBuf::from(&own.called.program)),
            _ => None,
        });
        programs.extend(agent.chain(own));
    }
    programs.sort();
    programs.dedup();
    let said = versions(world, &programs);
    for presence in seen {
        if let Some(agent) = &mut presence.agent {
            let said = said.get(&agent.program).and_then(|said| said.as_ref().ok());
            agent.version = said.and_then(|text| version_in(text));
        }
        let entries = presence.files.iter_mut();
        let entries = entries.flat_map(|file| file.entries.iter_mut().flatten());
        for own in entries.filter_map(|entry| entry.own.as_mut()) {
            if let Some(said) = said.get(Path::new(&own.called.program)) {
                own.program = state_said(said);
            }
        }
    }
}

fn state_said(said: &Result<String, String>) -> ProgramState {
    match said {
        Ok(text) => match version_in(text) {
            Some(version) => ProgramState::Runs(version),
            None => ProgramState::Strange("it says no version".to_owned()),
        },
        Err(why) => ProgramState::Strange(why.clone()),
    }
}

fn versions(world: &World, programs: &[PathBuf]) -> BTreeMap<PathBuf, Result<String, String>> {
    let mut pool = Pool::new(Limits::default());
    for (index, program) in programs.iter().enumerate() {
        let env = world.env.iter();
        let job = Job {
            program: program.clone(),
            args: vec![OsString::from("--version")],
            env: env.map(|(k, v)| (k.clone(), v.clone())).collect(),
            // Not in the project: a program may obey what it finds where it stands.
            cwd: PathBuf::from("/"),
            stdin: [].into(),
            deadline: PATIENCE,
            confined: None,
        };
        pool.start(index, job);
    }
    let mut said = BTreeMap::new();
    while !pool.is_idle() {
        for (index, transcript) in pool.turn(None) {
            if let Some(program) = programs.get(index) {
                said.insert(program.clone(), version_said(&transcript));
            }
        }
    }
    pool.settle();
    said
}

fn version_said(transcript: &Transcript) -> Result<String, String> {
    match &transcript.end {
        End::Code(0) => Ok(transcript.stdout.text().into_owned()),
        End::Code(code) => Err(format!("`--version` ends with code {code}")),
        End::Signal(signal) => Err(format!("signal {signal} ends it")),
        End::TimedOut => Err("it does not say its version in time".to_owned()),
        End::NotStarted(why) => Err(why.clone()),
    }
}
