use std::env;
use std::ffi::OsStr;
use std::time::Instant;

use anyhook::core::event::Map;
use anyhook::core::transcript::{End, Transcript};
use anyhook::models::KEY;
use anyhook::processes::{Job, Pool, PoolLimits, find_program};

use super::{ToolContext, ToolError, text};
use crate::cancel::LOOK;

/// How much of each stream the model reads.
const KEPT: usize = 32 << 10;

/// Runs a command line.
pub(super) fn run(input: &Map, at: &ToolContext<'_>) -> Result<String, ToolError> {
    let command = text(input, "command")?;
    let path = env::var_os("PATH").unwrap_or_default();
    let shell = ["bash", "sh"]
        .iter()
        .find_map(|name| find_program(OsStr::new(name), &path, at.root.path()))
        .ok_or_else(|| ToolError("no shell was found".into()))?;
    let mut pool = Pool::new(PoolLimits {
        keep: KEPT,
        ..PoolLimits::default()
    });
    let job = Job {
        program: shell,
        args: vec!["-c".into(), command.into()],
        // The model's key is the loop's own; the rest is what the person's own shell has.
        env: env::vars_os().filter(|(name, _)| name != KEY).collect(),
        cwd: at.root.path().to_path_buf(),
        stdin: [].into(),
        deadline: at.deadline,
        confined: None,
    };
    pool.start(0, job);
    let ended = wait(&mut pool, at);
    pool.settle();
    let Some(raw) = ended else {
        return Err(ToolError("the command left nothing".into()));
    };
    let mut said = raw.stdout.text().into_owned();
    said.push_str(&raw.stderr.text());
    match raw.end {
        End::Code(0) => Ok(said),
        end => Err(ToolError(
            format!("{said}\n({})", told(&end, at)).trim().to_owned(),
        )),
    }
}

/// Waits for the command, and ends it if the run is not wanted any more.
fn wait(pool: &mut Pool, at: &ToolContext<'_>) -> Option<Transcript> {
    while !at.cancel.is_now() {
        if let Some((_, ended)) = pool.turn(Some(Instant::now() + LOOK)).pop() {
            return Some(ended);
        }
        if pool.is_idle() {
            return None;
        }
    }
    pool.end_all();
    pool.turn(None).pop().map(|(_, ended)| ended)
}

fn told(end: &End, at: &ToolContext<'_>) -> String {
    match end {
        End::TimedOut if at.cancel.is_now() => "ended, because the run was cancelled".into(),
        End::Code(code) => format!("exit code {code}"),
        End::Signal(signal) => format!("ended by signal {signal}"),
        End::TimedOut => format!("ended after {:?}, which is the most", at.deadline),
        End::NotStarted(why) => format!("not started: {why}"),
    }
}
