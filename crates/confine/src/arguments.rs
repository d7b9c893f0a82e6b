//! The arguments of the helper, which is a verb of `anyhook`: `anyhook confined [--report FD] [--calls FD] SPEC -- PROGRAM ARGS…`.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Write};

use crate::run::run;
use crate::spec::Spec;

/// What stands before its messages.
const NAME: &str = "anyhook confined";

/// Confines this process, becomes the command, and returns the exit code when the command did not start.
///
/// The messages go to standard error, so that they stand where those of the command would.
pub fn main(args: &[OsString]) -> u8 {
    let (what, help, code) = match HelperCommand::read(args) {
        Ok(line) => {
            let failure = run(
                &line.spec,
                line.program,
                line.args,
                line.watcher,
                |reached| {
                    if let (Some(mut file), Ok(text)) =
                        (line.report, serde_json::to_string(reached))
                    {
                        // The reader that asked for it sees that it is missing.
                        let _ = writeln!(file, "{text}");
                    }
                },
            );
            let cause = std::error::Error::source(&failure).map(|cause| format!(": {cause}"));
            (
                format!("{failure}{}", cause.unwrap_or_default()),
                failure.help(),
                failure.code(),
            )
        }
        Err(what) => (
            what,
            "usage: anyhook confined [--report FD] [--calls FD] SPEC -- PROGRAM ARGS…",
            125,
        ),
    };
    // There is no other place to say it.
    let _ = writeln!(io::stderr(), "{NAME}: {what}\n{NAME}: {help}");
    code
}

/// What the command line of the helper says.
struct HelperCommand<'a> {
    spec: Spec,
    report: Option<File>,
    watcher: Option<i32>,
    program: &'a OsStr,
    args: &'a [OsString],
}

impl<'a> HelperCommand<'a> {
    fn read(args: &'a [OsString]) -> Result<Self, String> {
        let (report, rest) = match args {
            [flag, number, rest @ ..] if flag == "--report" => (Some(opened(number)?), rest),
            rest => (None, rest),
        };
        let (watcher, rest) = match rest {
            [flag, number, rest @ ..] if flag == "--calls" => (Some(parsed(number)?.into()), rest),
            rest => (None, rest),
        };
        let [spec, dashes, program, args @ ..] = rest else {
            return Err("the command line is not complete".to_owned());
        };
        if dashes != "--" {
            return Err(format!(
                "`{}` stands where `--` belongs",
                dashes.to_string_lossy()
            ));
        }
        let spec = spec.to_str().ok_or("the spec is no text")?;
        Ok(Self {
            spec: serde_json::from_str(spec)
                .map_err(|error| format!("cannot read the spec: {error}"))?,
            report,
            watcher,
            program,
            args,
        })
    }
}

/// Opens an inherited file descriptor for the report.
fn opened(number: &OsStr) -> Result<File, String> {
    let path = format!("/dev/fd/{}", parsed(number)?);
    let file = File::options().write(true).open(&path);
    file.map_err(|error| format!("cannot write the report to `{path}`: {error}"))
}

fn parsed(number: &OsStr) -> Result<u16, String> {
    let parsed = number.to_str().and_then(|number| number.parse().ok());
    parsed.ok_or_else(|| {
        format!(
            "`{}` is no number of a file descriptor",
            number.to_string_lossy()
        )
    })
}
