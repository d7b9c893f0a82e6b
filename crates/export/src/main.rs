//! The `anyhook-export` program, which `anyhook export` starts.

use std::process::ExitCode;

fn main() -> ExitCode {
    anyhook_export::main(std::env::args().nth(1))
}
