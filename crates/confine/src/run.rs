//! Confines this process, and becomes the command.

use std::ffi::{OsStr, OsString};
use std::io;
use std::process::Command;

use anyhook_core::sandbox::passes;

use crate::failure::ConfineError;
use crate::linux;
use crate::report::ConfinementReport;
use crate::spec::Spec;

/// Confines this process, tells the report, and becomes the program; it only returns when that failed.
///
/// The process must have one thread, because the kernel confines threads. Where there is no way to become another program
/// (Windows), it runs the program and ends with its exit code.
///
/// `watcher` is the file descriptor on which a [`AccessMonitor`](crate::AccessMonitor) waits for what the program opens.
pub fn run(
    spec: &Spec,
    program: &OsStr,
    args: &[OsString],
    watcher: Option<i32>,
    tell: impl FnOnce(&ConfinementReport),
) -> ConfineError {
    let mut report = ConfinementReport::default();
    if let Err(failure) = linux::confine(spec, watcher, &mut report) {
        return failure;
    }
    if let Some(env) = &spec.env {
        report.holds(format!("{} names of variables", env.len()));
    }
    tell(&report);
    if spec.required && !report.lacks.is_empty() {
        return ConfineError::Lacking(report.lacks);
    }
    let mut command = linux::starting(spec, program);
    let passing = std::env::vars_os().filter(|(name, _)| {
        let env = spec.env.as_ref();
        env.is_none_or(|env| passes(env, &name.to_string_lossy()))
    });
    command.args(args).env_clear().envs(passing);
    let source = become_it(&mut command);
    let program = program.to_string_lossy().into_owned();
    ConfineError::Starting { program, source }
}

#[cfg(unix)]
fn become_it(command: &mut Command) -> io::Error {
    std::os::unix::process::CommandExt::exec(command)
}

#[cfg(not(unix))]
fn become_it(command: &mut Command) -> io::Error {
    match command.status() {
        // A code that is missing is a failure of the program, never a success.
        Ok(status) => std::process::exit(status.code().unwrap_or(1)),
        Err(error) => error,
    }
}
