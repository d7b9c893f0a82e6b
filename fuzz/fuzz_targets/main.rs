//! Runs targets on inputs that are made of their corpus, or, built by cargo-fuzz, on what that finds.

#![cfg_attr(fuzzing, no_main)]
#![allow(clippy::print_stdout, reason = "it tells a person what it found")]

#[cfg(fuzzing)]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    // cargo-fuzz builds one program; the variable says which target it is.
    static TARGET: std::sync::LazyLock<fn(&[u8])> = std::sync::LazyLock::new(|| {
        let name = std::env::var("ANYHOOK_FUZZ").unwrap_or_default();
        let target = anyhook_fuzz::target(&name);
        target
            .unwrap_or_else(|| panic!("ANYHOOK_FUZZ=`{name}` names no target"))
            .run
    });
    TARGET(bytes);
});

/// `anyhook-fuzz [INPUTS [SEED [TARGET]]]`: every target, or one, on its corpus and on so many inputs that are made of it.
#[cfg(not(fuzzing))]
fn main() -> std::process::ExitCode {
    let mut words = std::env::args().skip(1);
    let mut number = |default| words.next().map_or(Ok(default), |word| word.parse());
    let (Ok(inputs), Ok(seed)) = (number(20_000), number(1)) else {
        println!("anyhook-fuzz [INPUTS [SEED [TARGET]]]: the first two are numbers");
        return std::process::ExitCode::from(2);
    };
    let named = words.next();
    let mut code = std::process::ExitCode::SUCCESS;
    for target in anyhook_fuzz::TARGETS {
        if named.as_deref().is_some_and(|name| name != target.name) {
            continue;
        }
        match anyhook_fuzz::explore::explore(target, inputs, seed) {
            None => println!("{:10} holds", target.name),
            Some(broken) => {
                println!("{:10} is broken by {broken}", target.name);
                code = std::process::ExitCode::FAILURE;
            }
        }
    }
    code
}
