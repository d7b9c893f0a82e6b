use std::env;
use std::ffi::OsStr;

use anyhook::core::event::Map;
use anyhook::core::transcript::End;
use anyhook::processes::{Job, Limits, Pool, find_program};
use serde_json::Value;

use super::{At, Kind, Tool, ToolError, text, texts};

/// Runs a command line.
pub(super) struct Bash;

/// How much of each stream the model reads.
const KEPT: usize = 32 << 10;

impl Tool for Bash {
    fn name(&self) -> &'static str {
        "bash"
    }

    fn about(&self) -> &'static str {
        "Runs a command line in the project's folder. Nothing that it starts outlives it."
    }

    fn schema(&self) -> Value {
        texts(1, &[("command", "The command line.")])
    }

    fn kind(&self) -> Kind {
        Kind::Runs
    }

    fn run(&self, input: &Map, at: &At<'_>) -> Result<String, ToolError> {
        let command = text(input, "command")?;
        let path = env::var_os("PATH").unwrap_or_default();
        let shell = ["bash", "sh"]
            .iter()
            .find_map(|name| find_program(OsStr::new(name), &path, at.root.path()))
            .ok_or_else(|| ToolError("no shell was found".into()))?;
        let mut pool = Pool::new(Limits {
            keep: KEPT,
            ..Limits::default()
        });
        let job = Job {
            program: shell,
            args: vec!["-c".into(), command.into()],
            env: env::vars_os().collect(),
            cwd: at.root.path().to_path_buf(),
            stdin: [].into(),
            deadline: at.deadline,
        };
        pool.start(0, job);
        let ended = pool.turn(None).pop();
        pool.settle();
        let Some((_, raw)) = ended else {
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
}

fn told(end: &End, at: &At<'_>) -> String {
    match end {
        End::Code(code) => format!("exit code {code}"),
        End::Signal(signal) => format!("ended by signal {signal}"),
        End::TimedOut => format!("ended after {:?}, which is the most", at.deadline),
        End::NotStarted(why) => format!("not started: {why}"),
    }
}
