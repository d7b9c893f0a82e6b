//! Runs targets: on files, on inputs that are made of their corpus, or, built by cargo-fuzz, on what that finds.

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

#[cfg(not(fuzzing))]
fn main() -> std::process::ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match plain::understand(&words) {
        Ok(wish) => plain::run(&wish),
        Err(what) => {
            println!("{what}\n\n{}", plain::help());
            std::process::ExitCode::from(2)
        }
    }
}

#[cfg(not(fuzzing))]
mod plain {
    use std::path::{Path, PathBuf};
    use std::process::ExitCode;
    use std::time::Instant;

    use anyhook_fuzz::corpus::root;
    use anyhook_fuzz::explore::{Broken, explore, held};
    use anyhook_fuzz::{TARGETS, Target, target};

    pub(super) struct Wish {
        targets: Vec<&'static Target>,
        files: Vec<PathBuf>,
        from: u64,
        inputs: u64,
        seed: u64,
    }

    pub(super) fn help() -> String {
        let rows = TARGETS
            .iter()
            .map(|target| format!("  {:10} {}\n", target.name, target.about));
        let rows: String = rows.collect();
        format!(
            "Usage: anyhook-fuzz [TARGET...] [--inputs N] [--from N] [--seed N]\n       anyhook-fuzz TARGET FILE...\n\n\
             Runs each target on its corpus and on N inputs that are made of it (20000), or on files.\n\nTargets:\n{rows}"
        )
    }

    pub(super) fn understand(words: &[String]) -> Result<Wish, String> {
        let mut wish = Wish {
            targets: Vec::new(),
            files: Vec::new(),
            from: 0,
            inputs: 20_000,
            seed: 1,
        };
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let mut number = || {
                let text = words
                    .next()
                    .ok_or_else(|| format!("`{word}` needs a number"))?;
                text.parse().map_err(|_| format!("`{text}` is no number"))
            };
            match &**word {
                "--inputs" => wish.inputs = number()?,
                "--from" => wish.from = number()?,
                "--seed" => wish.seed = number()?,
                name => match target(name) {
                    Some(target) => wish.targets.push(target),
                    None if Path::new(name).is_file() => wish.files.push(name.into()),
                    None => return Err(format!("`{name}` is no target and no file")),
                },
            }
        }
        if wish.targets.is_empty() {
            wish.targets.extend(TARGETS);
        }
        Ok(wish)
    }

    pub(super) fn run(wish: &Wish) -> ExitCode {
        let mut good = true;
        for target in &wish.targets {
            good &= if wish.files.is_empty() {
                explored(wish, target)
            } else {
                replayed(wish, target)
            };
        }
        if good {
            ExitCode::SUCCESS
        } else {
            ExitCode::FAILURE
        }
    }

    fn replayed(wish: &Wish, target: &Target) -> bool {
        let mut good = true;
        for file in &wish.files {
            let said = match std::fs::read(file) {
                Ok(bytes) => held(target, &bytes),
                Err(error) => Err(error.to_string()),
            };
            match &said {
                Ok(()) => println!("{}: {} holds", target.name, file.display()),
                Err(said) => println!("{}: {} breaks it: {said}", target.name, file.display()),
            }
            good &= said.is_ok();
        }
        good
    }

    fn explored(wish: &Wish, target: &Target) -> bool {
        let begun = Instant::now();
        let broken = explore(target, wish.from..wish.from + wish.inputs, wish.seed);
        let took = begun.elapsed().as_secs_f64();
        if broken.is_empty() {
            println!(
                "{:10} {} inputs hold after {took:.1} s",
                target.name, wish.inputs
            );
            return true;
        }
        for broken in &broken {
            println!("{:10} {}", target.name, told(target, broken));
        }
        false
    }

    /// Keeps the input, and says how to see it again.
    fn told(target: &Target, broken: &Broken) -> String {
        let number = broken
            .number
            .map_or_else(|| "corpus".to_owned(), |number| number.to_string());
        let folder = root().join("fuzz/artifacts").join(target.name);
        let file = folder.join(&number);
        let kept =
            std::fs::create_dir_all(&folder).and_then(|()| std::fs::write(&file, &broken.bytes));
        let again = match kept {
            Ok(()) => format!(
                "cargo run -p anyhook-fuzz -- {} fuzz/artifacts/{}/{number}",
                target.name, target.name
            ),
            Err(error) => format!("it could not be kept: {error}"),
        };
        format!(
            "input {number} breaks it: {}\n{again}\n{}",
            broken.said,
            String::from_utf8_lossy(&broken.bytes)
        )
    }
}
