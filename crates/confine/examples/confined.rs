//! The hidden verb `confined` of `anyhook` as a program of its own, for the tests of this crate and the bench `confine`.

use std::ffi::OsString;
use std::process::ExitCode;

fn main() -> ExitCode {
    let args: Vec<OsString> = std::env::args_os().skip(1).collect();
    ExitCode::from(anyhook_confine::main(&args))
}
