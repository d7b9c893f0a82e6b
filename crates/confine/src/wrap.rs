//! An agent's shell command, rewritten so that it runs confined.

use std::path::Path;

use anyhook_core::sandbox::{Sandbox, SandboxPathError};

use crate::roots::Roots;
use crate::spec::Spec;
use crate::target::not_text;

/// Rewrites commands: which `anyhook` confines them, which folder is the project, and which shell they are for.
///
/// Both paths are written out in full, because the command itself could change the folder and the PATH.
#[derive(Debug, Clone, Copy)]
pub struct CommandWrapper<'a> {
    /// The program `anyhook`.
    pub anyhook: &'a Path,
    /// The project, which `./` means.
    pub project: &'a Path,
    /// The shell that runs the command, before and after: `sh` or `bash`.
    pub shell: &'static str,
}

impl CommandWrapper<'_> {
    /// Rewrites a command so that it runs confined: `anyhook confine … -- sh -c '…'`.
    ///
    /// The command stays one word, so nothing in it can end the confinement. A command that was wrapped can be wrapped
    /// again, and then both hold.
    pub fn wrap(&self, command: &str, sandbox: &Sandbox) -> Result<String, SandboxPathError> {
        let shell = [self.shell, "-c", command].map(str::to_owned);
        let words = self.wrap_words(&shell, sandbox)?;
        let words: Vec<String> = words.iter().map(|word| quoted(word)).collect();
        Ok(words.join(" "))
    }

    /// Rewrites a command that is a list of words, for tools that start a program without a shell.
    pub fn wrap_words(
        &self,
        words: &[String],
        sandbox: &Sandbox,
    ) -> Result<Vec<String>, SandboxPathError> {
        self.can_be_found(sandbox)?;
        let written = serde_json::to_string(sandbox);
        let written = written.map_err(|error| not_text(&error))?;
        let mut wrapped = vec![
            text(self.anyhook)?,
            "confine".to_owned(),
            "--project".to_owned(),
            text(self.project)?,
            "--sandbox".to_owned(),
            written,
            "--".to_owned(),
        ];
        wrapped.extend_from_slice(words);
        Ok(wrapped)
    }

    /// Tells whether a line runs confined at least so narrowly already: it has to be, letter for letter, what
    /// [`wrap`](Self::wrap) writes, once or several times. An agent may have written it itself, which opens nothing.
    pub fn holds(&self, line: &str, sandbox: &Sandbox) -> bool {
        let mut line = line.to_owned();
        while let Some((own, inner)) = self.unwrapped(&line) {
            if own.is_within(sandbox) {
                return true;
            }
            line = inner;
        }
        false
    }

    /// Takes a line apart that is exactly what [`wrap`](Self::wrap) writes: the sandbox, and the command in it.
    fn unwrapped(&self, line: &str) -> Option<(Sandbox, String)> {
        let mut words = shlex::split(line)?;
        let own = self.held(&words)?;
        let command = words.pop()?;
        let is_ours = self.wrap(&command, &own).is_ok_and(|again| again == line);
        is_ours.then_some((own, command))
    }

    /// The same for a command that is a list of words.
    pub fn holds_words(&self, words: &[String], sandbox: &Sandbox) -> bool {
        self.held(words).is_some_and(|own| own.is_within(sandbox))
    }

    /// Returns the sandbox in which a command of these words runs, if it is our own program that confines it.
    fn held(&self, words: &[String]) -> Option<Sandbox> {
        let [anyhook, verb, flag, project, option, sandbox, end, ..] = words else {
            return None;
        };
        let is_ours = Path::new(anyhook) == self.anyhook
            && verb == "confine"
            && flag == "--project"
            && Path::new(project) == self.project
            && option == "--sandbox"
            && end == "--";
        let sandbox = serde_json::from_str(sandbox).ok();
        sandbox.filter(|_| is_ours)
    }

    /// An agent's command has no package: a place of one is an error now, and not when the command runs.
    fn can_be_found(&self, sandbox: &Sandbox) -> Result<(), SandboxPathError> {
        let roots = Roots {
            project: self.project.to_owned(),
            home: Some("/".into()),
            ..Roots::default()
        };
        Spec::of(sandbox, &roots).map(|_| ())
    }
}

/// A path that is no text would be another one in a line.
fn text(path: &Path) -> Result<String, SandboxPathError> {
    let text = path.to_str().map(str::to_owned);
    text.ok_or_else(|| not_text(&path.display()))
}

fn is_plain(sign: char) -> bool {
    sign.is_ascii_alphanumeric() || "-_./:=,+@".contains(sign)
}

/// Quotes a word for sh and bash: bare where no shell reads anything into it, else in single quotes.
fn quoted(word: &str) -> String {
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
    fn stand_in(shell: &'static str) -> Option<(tempfile::TempDir, std::path::PathBuf)> {
        let is_here = Command::new(shell)
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

    fn output(shell: &'static str, line: &str) -> (Vec<u8>, Option<i32>) {
        let ran = Command::new(shell).arg("-c").arg(line).output().unwrap();
        (ran.stdout, ran.status.code())
    }

    /// The line with the stand-in run by `sh`: a file that was just written and is started itself may be busy.
    fn run_by_sh(line: &str) -> String {
        format!("sh {line}")
    }

    fn wrapper<'a>(anyhook: &'a Path, shell: &'static str) -> CommandWrapper<'a> {
        CommandWrapper {
            anyhook,
            project: Path::new("/a b/it's [x]"),
            shell,
        }
    }

    #[test]
    fn a_command_stays_one_word_and_so_does_the_confinement() {
        let sandbox: Sandbox = serde_json::from_value(serde_json::json!({
            "read": [], "write": ["./**", "~/out put/**"], "network": "loopback", "env": ["LC_*"],
            "processes": 9, "required": true,
        }))
        .unwrap();
        let wrapper = CommandWrapper {
            anyhook: Path::new("/opt/anyhook"),
            project: Path::new("/shop"),
            shell: "bash",
        };
        assert_eq!(
            wrapper.wrap("echo 'hi' && ls", &sandbox).unwrap(),
            r#"/opt/anyhook confine --project /shop --sandbox '{"read":[],"write":["./**","~/out put/**"],"network":"loopback","env":["LC_*"],"processes":9,"required":true}' -- bash -c 'echo '\''hi'\'' && ls'"#
        );
        let plain = CommandWrapper {
            shell: "sh",
            ..wrapper
        };
        let told = plain.wrap("ls", &Sandbox::default()).unwrap();
        assert_eq!(
            told,
            "/opt/anyhook confine --project /shop --sandbox '{}' -- sh -c ls"
        );
    }

    #[test]
    fn a_command_of_an_agent_has_no_package() {
        let told = wrapper(Path::new("/x"), "sh")
            .wrap("ls", &Sandbox::of_package())
            .unwrap_err();
        assert_eq!(
            told.to_string(),
            "`${PACKAGE_ROOT}/**` is of a package, and no package is confined here"
        );
    }

    #[test]
    fn a_line_that_was_wrapped_is_known_and_one_that_only_looks_so_is_not() {
        let anyhook = Path::new("/opt/any hook");
        let wrapper = wrapper(anyhook, "bash");
        let sandbox = |text: &str| serde_json::from_str::<Sandbox>(text).unwrap();
        let asked = sandbox(r#"{"read": [], "write": ["./**"], "env": ["LC_*"], "processes": 9}"#);
        let narrower = Sandbox {
            write: None,
            required: true,
            ..asked.clone()
        };
        let line = "echo 'it is' \"done\" # ok\ncat <<X\n$(id)\nX";
        let once = wrapper.wrap(line, &asked).unwrap();
        assert!(wrapper.holds(&once, &asked), "{once}");
        assert!(wrapper.holds(&wrapper.wrap(line, &narrower).unwrap(), &asked));
        assert!(
            !wrapper.holds(&once, &narrower),
            "it is wider than what is asked"
        );
        let twice = wrapper.wrap(&once, &narrower).unwrap();
        assert!(wrapper.holds(&twice, &narrower) && wrapper.holds(&twice, &asked));
        let around = wrapper
            .wrap(&once, &sandbox(r#"{"write": ["~/**"]}"#))
            .unwrap();
        assert!(wrapper.holds(&around, &asked), "the inner one holds");
        let odd = [
            format!("{once}; rm -r ~"),
            format!("{once}\nid"),
            format!("{once} #"),
            format!("{once} "),
            once.replace("'/a b/it'", "'/b b/it'"),
            once.replace("'/opt/any hook'", "/tmp/anyhook"),
            once.replace(" -- bash -c ", " -- sh -c "),
            once.replace(" --sandbox ", " --level --sandbox "),
            once.replace(" -- bash", " --write '~/**' -- bash"),
            once.replace(r#"{"read":[],"#, r#"{"read":[],"read":["/**"],"#),
            once.replace(r#"{"read":[],"#, r#"{"read":[], "#),
            line.to_owned(),
            String::new(),
        ];
        for odd in odd {
            assert!(!wrapper.holds(&odd, &asked), "{odd}");
        }
        let words = ["bash".to_owned(), "-lc".to_owned(), line.to_owned()];
        let words = wrapper.wrap_words(&words, &asked).unwrap();
        assert!(wrapper.holds_words(&words, &asked) && !wrapper.holds_words(&words, &narrower));
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
            for shell in ["sh", "bash"] {
                let Some((_folder, anyhook)) = stand_in(shell) else {
                    continue;
                };
                let wrapper = wrapper(&anyhook, shell);
                let words: Vec<String> = words.iter().map(|word| quoted(word)).collect();
                let plain = format!("printf '<%s>' {}; exit 7", words.join(" "));
                let once = wrapper.wrap(&plain, &Sandbox::default()).unwrap();
                let twice = wrapper.wrap(&run_by_sh(&once), &Sandbox::default());
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
            for shell in ["sh", "bash"] {
                let Some((_folder, anyhook)) = stand_in(shell) else {
                    continue;
                };
                let line = format!("cat <<'the end'\n{line}\nthe end");
                let wrapped = wrapper(&anyhook, shell).wrap(&line, &Sandbox::default());
                let wrapped = run_by_sh(&wrapped.unwrap());
                prop_assert_eq!(output(shell, &wrapped), output(shell, &line));
            }
            Ok(())
        });
    }
}
