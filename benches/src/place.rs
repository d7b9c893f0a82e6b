//! A home and a project in it, in which programs are asked about one event.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use anyhook::trust::Trust;

/// Five rules of comparisons and commands; none of them holds for [`BenchProject::payload`].
pub const COMMON: [&str; 5] = [
    "tool_input.command.contains('rm -rf')",
    "runs('git push', '--force')",
    "touches('**/.env', '**/*.pem')",
    "tool_input.command.startsWith('sudo ') || tool_input.command.endsWith('| sh')",
    "permission_mode == 'plan' && !only_runs('ls')",
];

/// A folder with a home, and a project in it that is not the home: in a home an event is about our own settings.
#[derive(Debug)]
pub struct BenchProject(tempfile::TempDir);

impl BenchProject {
    /// Makes one whose project has these rules, which a person trusts.
    pub fn new(rules: &[&str]) -> io::Result<Self> {
        let place = Self(tempfile::tempdir()?);
        fs::create_dir_all(place.project().join(".git"))?;
        if rules.is_empty() {
            return Ok(place);
        }
        place.trusts(&place.project(), rules)?;
        Ok(place)
    }

    /// Adds a package of the person with these rules, which the person trusts.
    pub fn package(&self, name: &str, rules: &[&str]) -> io::Result<()> {
        self.trusts(&self.home().join(".aam/packages").join(name), rules)
    }

    fn trusts(&self, folder: &Path, rules: &[&str]) -> io::Result<()> {
        let rule =
            |when: &&str| serde_json::json!({"type": "rule", "when": when, "then": {"deny": "no"}});
        let rules: Vec<_> = rules.iter().map(rule).collect();
        let hooks = serde_json::json!([{"matcher": "Bash", "hooks": rules}]);
        let manifest = folder.join("hooks/hooks.json");
        fs::create_dir_all(folder.join("hooks"))?;
        let text = serde_json::json!({"version": 1, "hooks": {"pre-tool-use": hooks}});
        fs::write(&manifest, text.to_string())?;
        let trust = Trust::new(self.home().join(".local/state/anyhook/trust"));
        trust.pin(&manifest, 0).map_err(io::Error::other)?;
        Ok(())
    }

    /// Returns the folder in which all of it is.
    pub fn root(&self) -> &Path {
        self.0.path()
    }

    fn home(&self) -> PathBuf {
        self.root().join("home")
    }

    fn project(&self) -> PathBuf {
        self.home().join("project")
    }

    /// Returns the event: a harmless command of a shell.
    pub fn payload(&self) -> String {
        serde_json::json!({
            "session_id": "s", "transcript_path": "/tmp/t.jsonl", "cwd": self.project(),
            "hook_event_name": "PreToolUse", "permission_mode": "default", "tool_name": "Bash",
            "tool_input": {"command": "npm test", "description": "Run unit tests"}, "tool_use_id": "toolu_01"
        })
        .to_string()
    }

    /// Returns how a program is started here, with the few variables that all of them get.
    pub fn command(&self, program: &Path, args: &[String]) -> Command {
        let mut command = Command::new(program);
        command
            .args(args)
            .current_dir(self.project())
            .env_clear()
            .env("HOME", self.home())
            .env("PATH", "/usr/local/bin:/usr/bin:/bin")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// Asks a program about the event.
    pub fn ask(&self, program: &Path, args: &[String], payload: &str) -> io::Result<Output> {
        let mut child = self.command(program, args).spawn()?;
        if let Some(mut stdin) = child.stdin.take() {
            // A program that does not read its input, such as true, closes the pipe: that is no failure here.
            let _ = stdin.write_all(payload.as_bytes());
        }
        child.wait_with_output()
    }

    /// Asks once. No rule holds, so a decision means that something else was measured than the rules.
    ///
    /// # Panics
    ///
    /// Where the program does not start, fails or decides something.
    pub fn decides_nothing(&self, program: &Path, args: &[&str]) {
        let args: Vec<String> = args.iter().map(|arg| (*arg).to_owned()).collect();
        let left = self.ask(program, &args, &self.payload());
        let is_silent = left.as_ref().is_ok_and(|left| {
            let said = String::from_utf8_lossy(&left.stdout);
            left.status.success() && !said.contains("permissionDecision")
        });
        assert!(is_silent, "{left:?}");
    }
}
