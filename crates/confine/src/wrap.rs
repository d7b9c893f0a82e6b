//! An agent's shell command, rewritten so that it runs confined.

use std::path::Path;

use crate::confinement::Confinement;
use crate::place::{Place, PlaceError};
use crate::roots::Roots;

/// The shell that an agent's tool runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shell {
    /// `sh`.
    Sh,
    /// `bash`.
    Bash,
}

impl Shell {
    fn program(self) -> &'static str {
        match self {
            Self::Sh => "sh",
            Self::Bash => "bash",
        }
    }
}

/// Rewrites commands: which `anyhook` confines them, which folder is the project, and which shell they are for.
///
/// Both paths are written out in full, because the command itself could change the folder and the PATH.
#[derive(Debug, Clone, Copy)]
pub struct Wrapper<'a> {
    /// The program `anyhook`.
    pub anyhook: &'a Path,
    /// The project, which `./` means.
    pub project: &'a Path,
    /// The shell that runs the command, before and after.
    pub shell: Shell,
}

impl Wrapper<'_> {
    /// Rewrites a command so that it runs confined: `anyhook confine … -- sh -c '…'`.
    ///
    /// The command stays one word, so nothing in it can end the confinement. A command that was wrapped can be wrapped
    /// again, and then both hold.
    pub fn wrap(&self, command: &str, confinement: &Confinement) -> Result<String, PlaceError> {
        self.can_be_found(confinement)?;
        let mut words = vec![
            text(self.anyhook)?,
            "confine".to_owned(),
            "--project".to_owned(),
            text(self.project)?,
        ];
        words.extend(flags(confinement));
        let shell = ["--", self.shell.program(), "-c", command];
        words.extend(shell.map(str::to_owned));
        let words: Vec<String> = words.iter().map(|word| quoted(word)).collect();
        Ok(words.join(" "))
    }

    /// An agent's command has no package: a place of one is an error now, and not when the command runs.
    fn can_be_found(&self, confinement: &Confinement) -> Result<(), PlaceError> {
        let roots = Roots {
            project: self.project.to_owned(),
            home: Some("/".into()),
            package: None,
            private: None,
            programs: Vec::new(),
        };
        confinement.spec(&roots).map(|_| ())
    }
}

/// A path that is no text would be another one in a line.
fn text(path: &Path) -> Result<String, PlaceError> {
    let text = path.to_str().map(str::to_owned);
    text.ok_or_else(|| PlaceError::not_text(path))
}

/// Writes a confinement as flags of `anyhook confine`.
fn flags(confinement: &Confinement) -> Vec<String> {
    let texts = |places: &[Place]| places.iter().map(ToString::to_string).collect::<Vec<_>>();
    // An empty list is said with an empty word: without the flag something else would hold.
    let said = |list: Vec<String>| {
        if list.is_empty() {
            vec![String::new()]
        } else {
            list
        }
    };
    let is_default = confinement.read == [Place::project()];
    let read = (!is_default).then(|| said(texts(&confinement.read)));
    let env = confinement.env.clone().map(said);
    let one = |value: Option<String>| Vec::from_iter(value);
    let flags = [
        ("--read", read.unwrap_or_default()),
        ("--write", texts(&confinement.write)),
        ("--network", vec![confinement.network.word().to_owned()]),
        ("--env", env.unwrap_or_default()),
        (
            "--memory",
            one(confinement.memory.map(|memory| memory.to_string())),
        ),
        (
            "--processes",
            one(confinement.processes.map(|most| most.to_string())),
        ),
        (
            "--cpu",
            one(confinement.cpu.map(|seconds| seconds.to_string())),
        ),
    ];
    let flags = flags.into_iter();
    let flags = flags.flat_map(|(name, values)| {
        values
            .into_iter()
            .flat_map(move |value| [name.to_owned(), value])
    });
    flags
        .chain(confinement.required.then(|| "--required".to_owned()))
        .collect()
}

/// Quotes a word for sh and bash: bare where no shell reads anything into it, else in single quotes.
fn quoted(word: &str) -> String {
    let is_plain = |sign: char| sign.is_ascii_alphanumeric() || "-_./:=,+@".contains(sign);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use proptest::prelude::*;
    use proptest::test_runner::TestRunner;

    use super::*;

    /// Stands for `anyhook`: what it was asked to start runs, or is shown with all its words.
    fn stand_in(shell: Shell) -> Option<(tempfile::TempDir, std::path::PathBuf)> {
        let is_here = Command::new(shell.program())
            .arg("-c")
            .arg(":")
            .status()
            .is_ok_and(|status| status.success());
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("any hook's");
        std::fs::write(
            &program,
            "while [ \"$1\" != -- ]; do shift; done; shift; exec \"$@\"\n",
        )
        .unwrap();
        is_here.then_some((folder, program))
    }

    fn output(shell: Shell, line: &str) -> (Vec<u8>, Option<i32>) {
        let ran = Command::new(shell.program())
            .arg("-c")
            .arg(line)
            .output()
            .unwrap();
        (ran.stdout, ran.status.code())
    }

    /// The line with the stand-in run by `sh`: a file that was just written and is started itself may be busy.
    fn run_by_sh(line: &str) -> String {
        format!("sh {line}")
    }

    fn wrapper(anyhook: &Path, shell: Shell) -> Wrapper<'_> {
        Wrapper {
            anyhook,
            project: Path::new("/a b/it's [x]"),
            shell,
        }
    }

    #[test]
    fn a_command_stays_one_word_and_every_part_of_a_confinement_is_a_flag() {
        let confinement: Confinement = serde_json::from_value(serde_json::json!({
            "read": [], "write": ["./**", "~/out put/**"], "network": "loopback", "env": ["LC_*"],
            "memory": "1GB", "processes": 9, "cpu": 5, "required": true,
        }))
        .unwrap();
        let wrapper = Wrapper {
            anyhook: Path::new("/opt/anyhook"),
            project: Path::new("/shop"),
            shell: Shell::Bash,
        };
        assert_eq!(
            wrapper.wrap("echo 'hi' && ls", &confinement).unwrap(),
            r"/opt/anyhook confine --project /shop --read '' --write './**' --write '~/out put/**' --network loopback --env 'LC_*' --memory 1GB --processes 9 --cpu 5 --required -- bash -c 'echo '\''hi'\'' && ls'"
        );
        let plain = Wrapper {
            shell: Shell::Sh,
            ..wrapper
        };
        let told = plain.wrap("ls", &Confinement::default()).unwrap();
        assert_eq!(
            told,
            "/opt/anyhook confine --project /shop --network none -- sh -c ls"
        );
    }

    #[test]
    fn a_command_of_an_agent_has_no_package() {
        let told = wrapper(Path::new("/x"), Shell::Sh)
            .wrap("ls", &Confinement::of_package())
            .unwrap_err();
        assert_eq!(
            told.to_string(),
            "`${PACKAGE_ROOT}/**` is of a package, and no package is confined here"
        );
    }

    /// Plays a law a few times, whatever the number of cases elsewhere: each case starts shells.
    fn few<S: Strategy>(strategy: &S, law: impl Fn(S::Value) -> Result<(), TestCaseError>) {
        let config = ProptestConfig {
            cases: 40,
            failure_persistence: None,
            ..ProptestConfig::default()
        };
        TestRunner::new(config).run(strategy, law).unwrap();
    }

    #[test]
    fn a_wrapped_command_prints_the_same_bytes_in_sh_and_in_bash() {
        let word = "[^\\x00]{0,12}|[ '\"\\\\$`!;&|<>(){}*?#~\n\t-]{0,12}";
        few(&proptest::collection::vec(word, 0..4), |words| {
            for shell in [Shell::Sh, Shell::Bash] {
                let Some((_folder, anyhook)) = stand_in(shell) else {
                    continue;
                };
                let wrapper = wrapper(&anyhook, shell);
                let words: Vec<String> = words.iter().map(|word| quoted(word)).collect();
                let plain = format!("printf '<%s>' {}; exit 7", words.join(" "));
                let once = wrapper.wrap(&plain, &Confinement::default()).unwrap();
                let twice = wrapper.wrap(&run_by_sh(&once), &Confinement::default());
                let expected = output(shell, &plain);
                prop_assert_eq!(expected.1, Some(7));
                prop_assert_eq!(&output(shell, &run_by_sh(&once)), &expected);
                prop_assert_eq!(&output(shell, &run_by_sh(&twice.unwrap())), &expected);
            }
            Ok(())
        });
    }

    #[test]
    fn a_wrapped_line_that_is_no_command_ends_as_it_does_alone() {
        // Given to `cat` as a here-text, so that no random command runs; what is compared is how the line is read.
        few(&"[^\\x00]{0,20}", |line| {
            for shell in [Shell::Sh, Shell::Bash] {
                let Some((_folder, anyhook)) = stand_in(shell) else {
                    continue;
                };
                let line = format!("cat <<'the end'\n{line}\nthe end");
                let wrapped = wrapper(&anyhook, shell).wrap(&line, &Confinement::default());
                let wrapped = run_by_sh(&wrapped.unwrap());
                prop_assert_eq!(output(shell, &wrapped), output(shell, &line));
            }
            Ok(())
        });
    }
}
