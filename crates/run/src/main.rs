//! The small program: one event of an agent, answered.

fn main() {
    let code = anyhook_run::main(std::env::args_os().skip(1).collect());
    // The answer is out: nothing is left to be freed one by one.
    std::process::exit(code.into());
}
