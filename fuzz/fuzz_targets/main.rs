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

    use anyhook_fuzz::corpus::root;
    use anyhook_fuzz::explore::{Broken, explore, held};
    use anyhook_fuzz::{TARGETS, Target, target};

    const USAGE: &str = "Usage: anyhook-fuzz [--inputs N] [--seed N] [TARGET [FILE...]]\n\n\
        Runs a target, or all, on its corpus and on N inputs that are made of it (20000), or on files.";

    /// What is asked for: a target or all, files or so many inputs.
    #[derive(Default)]
    pub(super) struct Wish {
        target: Option<&'static Target>,
        files: Vec<PathBuf>,
        inputs: Option<u64>,
        seed: Option<u64>,
    }

    pub(super) fn help() -> String {
        let rows = TARGETS
            .iter()
            .map(|target| format!("\n  {:10} {}", target.name, target.about));
        format!("{USAGE}\n{}", rows.collect::<String>())
    }

    pub(super) fn understand(words: &[String]) -> Result<Wish, String> {
        let mut wish = Wish::default();
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let mut number = || {
                let number = words.next().and_then(|text| text.parse().ok());
                number
                    .ok_or_else(|| format!("`{word}` needs a number"))
                    .map(Some)
            };
            match &**word {
                "--inputs" => wish.inputs = number()?,
                "--seed" => wish.seed = number()?,
                file if wish.target.is_some() => wish.files.push(file.into()),
                name => {
                    let known = target(name).ok_or_else(|| format!("`{name}` is no target"));
                    wish.target = Some(known?);
                }
            }
        }
        Ok(wish)
    }

    pub(super) fn run(wish: &Wish) -> ExitCode {
        let is_wished = |target: &&Target| wish.target.is_none_or(|one| one.name == target.name);
        let (mut is_good, inputs) = (true, wish.inputs.unwrap_or(20_000));
        for target in TARGETS.iter().filter(is_wished) {
            let broken: Vec<Broken> = if wish.files.is_empty() {
                explore(target, 0..inputs, wish.seed.unwrap_or(1))
            } else {
                wish.files
                    .iter()
                    .filter_map(|file| on(target, file))
                    .collect()
            };
            let held = if broken.is_empty() {
                "holds"
            } else {
                "is broken"
            };
            println!("{:10} {held}", target.name);
            is_good &= broken.is_empty();
            for broken in &broken {
                println!("{}", told(target, broken));
            }
        }
        if is_good {
            ExitCode::SUCCESS
        } else {
            ExitCode::FAILURE
        }
    }

    fn on(target: &Target, file: &Path) -> Option<Broken> {
        let (bytes, said) = match std::fs::read(file) {
            Ok(bytes) => {
                let said = held(target, &bytes).err()?;
                (bytes, said)
            }
            Err(error) => (Vec::new(), error.to_string()),
        };
        Some(Broken {
            number: None,
            bytes,
            said,
        })
    }

    /// Keeps the input, and says how to see it again.
    fn told(target: &Target, broken: &Broken) -> String {
        let number = broken
            .number
            .map_or("again".to_owned(), |number| number.to_string());
        let folder = root().join("fuzz/artifacts").join(target.name);
        let file = folder.join(&number);
        let kept =
            std::fs::create_dir_all(&folder).and_then(|()| std::fs::write(&file, &broken.bytes));
        let again = match kept {
            Ok(()) => format!(
                "cargo run -p anyhook-fuzz -- {0} fuzz/artifacts/{0}/{number}",
                target.name
            ),
            Err(error) => format!("it could not be kept: {error}"),
        };
        let text = String::from_utf8_lossy(&broken.bytes);
        format!("input {number} breaks it: {}\n{again}\n{text}", broken.said)
    }
}
