//! The `anyhook-serve` program, which `anyhook serve` starts.

use std::process::ExitCode;

fn main() -> ExitCode {
    anyhook_serve::main(std::env::args_os().skip(1))
}
