//! `anyhook-confined SPEC -- PROGRAM ARGS…`: confines itself and becomes the program. `anyhook` starts it; people say
//! `anyhook confine`.

use std::ffi::OsString;
use std::process::ExitCode;

fn main() -> ExitCode {
    let args: Vec<OsString> = std::env::args_os().skip(1).collect();
    ExitCode::from(anyhook_confine::main(&args))
}
