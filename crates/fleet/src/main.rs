//! The `anyhook-fleet` program, which `anyhook fleet policy` starts.

use std::process::ExitCode;

fn main() -> ExitCode {
    anyhook_fleet::main(std::env::args_os().skip(1))
}
