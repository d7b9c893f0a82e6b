//! An empty home, a project, and the program.

use std::ffi::OsStr;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::Mutex;

use anyhook::trust::{Trust, TrustPin};
use anyhook_readers::{Answer, Behaviour, Reader};
use serde_json::{Value, json};

/// A home and a project that were never used before.
pub(crate) struct TestEnv {
    folder: tempfile::TempDir,
}

/// What a process left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Left {
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pub(crate) code: i32,
}

impl Left {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.stdout)
            .unwrap_or_else(|error| panic!("no JSON ({error}): {self:?}"))
    }

    /// Returns the decision of a Claude Code `PreToolUse` answer.
    pub(crate) fn decision(&self) -> Option<String> {
        let json: Value = serde_json::from_str(&self.stdout).ok()?;
        json["hookSpecificOutput"]["permissionDecision"]
            .as_str()
            .map(str::to_owned)
    }
}

impl Left {
    /// The reason of a Claude Code `PreToolUse` answer, without the id of its report.
    pub(crate) fn reason(&self) -> String {
        let json: Value = serde_json::from_str(&self.stdout).unwrap_or_default();
        let reason = json["hookSpecificOutput"]["permissionDecisionReason"].as_str();
        let reason = reason.unwrap_or_default().split(" (anyhook why ");
        reason.take(1).collect()
    }

    /// How a reader that knows nothing of us understands it as the answer of a hook.
    pub(crate) fn read_by(&self, reader: &dyn Reader, event: &str, payload: &Value) -> Behaviour {
        reader.reads(&Answer {
            event,
            payload,
            stdout: self.stdout.as_bytes(),
            stderr: self.stderr.as_bytes(),
            exit: self.code,
        })
    }

    /// Asserts that standard output holds this text.
    #[track_caller]
    pub(crate) fn says(&self, text: &str) {
        assert!(self.stdout.contains(text), "no {text:?} in {self:?}");
    }

    /// Asserts that standard error holds this text.
    #[track_caller]
    pub(crate) fn warns(&self, text: &str) {
        assert!(self.stderr.contains(text), "no {text:?} in {self:?}");
    }

    /// Asserts that Claude Code reads this decision.
    #[track_caller]
    pub(crate) fn decides(&self, decision: &str) {
        assert_eq!(self.decision().as_deref(), Some(decision), "{self:?}");
    }

    /// Asserts that Claude Code reads no decision.
    #[track_caller]
    pub(crate) fn passes(&self) {
        assert_eq!(self.decision(), None, "{self:?}");
    }
}

/// A text that a person or a model reads.
pub(crate) trait Shows {
    /// Asserts that it holds this part.
    fn shows(&self, part: &str);
}

impl Shows for str {
    #[track_caller]
    fn shows(&self, part: &str) {
        assert!(self.contains(part), "no {part:?} in {self}");
    }
}

impl TestEnv {
    pub(crate) fn new() -> Self {
        let folder = tempfile::Builder::new()
            .prefix("anyhook-test-")
            .tempdir()
            .unwrap();
        for name in ["home", "project/hooks", "bin"] {
            std::fs::create_dir_all(folder.path().join(name)).unwrap();
        }
        Self { folder }
    }

    /// A project whose hooks.json is this, and is trusted.
    pub(crate) fn with(manifest: &Value) -> Self {
        let env = Self::new();
        env.manifest(&serde_json::to_string_pretty(manifest).unwrap());
        env.trust();
        env
    }

    /// A project with these groups on one event, trusted.
    pub(crate) fn on(event: &str, groups: &Value) -> Self {
        Self::with(&on(event, groups))
    }

    /// A project with this hook on one event, trusted.
    pub(crate) fn hook(event: &str, hook: &Value) -> Self {
        Self::on(event, &json!([{"hooks": [hook]}]))
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(name)
    }

    pub(crate) fn write(&self, name: &str, text: &str) -> PathBuf {
        let file = self.path(name);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(&file, text).unwrap();
        file
    }

    /// Writes the person's settings.
    pub(crate) fn config(&self, text: &str) {
        self.write("home/.config/anyhook/config.toml", text);
    }

    /// Writes a file that can be executed.
    pub(crate) fn program(&self, name: &str, text: &str) -> PathBuf {
        let file = self.write(name, text);
        chmod(&file, 0o755);
        file
    }

    pub(crate) fn manifest(&self, text: &str) -> PathBuf {
        self.write("project/hooks/hooks.json", text)
    }

    /// What the person trusted.
    pub(crate) fn pins(&self) -> Trust {
        Trust::new(self.state().join("trust"))
    }

    /// Does what a person does with `anyhook trust`.
    pub(crate) fn trust(&self) {
        self.trust_file("hooks/hooks.json");
    }

    /// Does the same for another file of the project.
    pub(crate) fn trust_file(&self, name: &str) -> TrustPin {
        let file = self.path("project").join(name);
        self.pins().pin(&file, 0).unwrap()
    }

    pub(crate) fn state(&self) -> PathBuf {
        self.path("home/.local/state/anyhook")
    }

    /// The program, with a cleared environment.
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        self.other(env!("CARGO_BIN_EXE_anyhook"), args)
    }

    /// Another program, as the program itself is started.
    pub(crate) fn other(&self, program: impl AsRef<OsStr>, args: &[&str]) -> Command {
        let mut command = Command::new(program);
        command
            .args(args)
            .current_dir(self.path("project"))
            .env_clear()
            .env("HOME", self.path("home"))
            .env("PATH", "/usr/local/bin:/usr/bin:/bin")
            .env("TMPDIR", self.path("home"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// Returns a link to the program in a folder in which only the test puts what lies beside it.
    pub(crate) fn alone(&self) -> PathBuf {
        let folder = self.path("alone");
        let program = folder.join("anyhook");
        if !program.exists() {
            std::fs::create_dir_all(&folder).unwrap();
            let real = env!("CARGO_BIN_EXE_anyhook");
            std::fs::hard_link(real, &program)
                .or_else(|_| std::fs::copy(real, &program).map(|_| ()))
                .unwrap();
        }
        program
    }

    /// Runs the program with these words and nothing on standard input.
    pub(crate) fn anyhook(&self, words: &str) -> Left {
        let words: Vec<&str> = words.split(' ').collect();
        self.run(&words, b"")
    }

    pub(crate) fn run(&self, args: &[&str], stdin: &[u8]) -> Left {
        finish(start(self.command(args), stdin))
    }

    /// Sends an event as Claude Code does.
    pub(crate) fn claude(&self, payload: &Value) -> Left {
        self.told_by("claude-code", payload)
    }

    /// What comes of a shell command that Claude Code is about to run.
    pub(crate) fn bash(&self, line: &str) -> Left {
        self.claude(&self.pre("Bash", &json!({"command": line})))
    }

    /// Sends an event as this agent does.
    pub(crate) fn told_by(&self, host: &str, payload: &Value) -> Left {
        self.told_in(host, payload, |run| run)
    }

    /// Sends it from a folder or an environment that is another one.
    pub(crate) fn told_in(
        &self,
        host: &str,
        payload: &Value,
        change: impl FnOnce(&mut Command) -> &mut Command,
    ) -> Left {
        let mut run = self.command(&["run", "--host", host, "--deadline", "20"]);
        change(&mut run);
        finish(start(run, payload.to_string().as_bytes()))
    }

    /// Sends it under the name that stands in the agent's settings.
    pub(crate) fn told_at(&self, host: &str, event: &str, payload: &Value) -> Left {
        self.run(
            &["run", event, "--host", host, "--deadline", "20"],
            payload.to_string().as_bytes(),
        )
    }

    /// A `PreToolUse` payload of a session in this project.
    pub(crate) fn pre(&self, tool: &str, input: &Value) -> Value {
        json!({
            "session_id": "s-1", "transcript_path": "/t.jsonl", "cwd": self.path("project"),
            "permission_mode": "default", "hook_event_name": "PreToolUse",
            "tool_name": tool, "tool_input": input, "tool_use_id": "toolu_1",
        })
    }

    pub(crate) fn stop(&self, active: bool) -> Value {
        json!({
            "session_id": "s-1", "transcript_path": "/t.jsonl", "cwd": self.path("project"),
            "permission_mode": "default", "hook_event_name": "Stop", "stop_hook_active": active,
        })
    }

    /// The lines that hooks of the test wrote into a file of the home.
    pub(crate) fn lines(&self, name: &str) -> Vec<String> {
        let text = std::fs::read_to_string(self.path("home").join(name)).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }
}

pub(crate) fn start(mut command: Command, stdin: &[u8]) -> Child {
    let mut child = command.spawn().unwrap();
    // A program may leave before it read everything.
    let _ = child.stdin.take().unwrap().write_all(stdin);
    child
}

pub(crate) fn finish(child: Child) -> Left {
    let Output {
        status,
        stdout,
        stderr,
    } = child.wait_with_output().unwrap();
    Left {
        stdout: String::from_utf8_lossy(&stdout).into_owned(),
        stderr: String::from_utf8_lossy(&stderr).into_owned(),
        code: status.code().unwrap_or(-1),
    }
}

/// An object with the fields of another one over its own.
pub(crate) fn with(mut object: Value, more: &Value) -> Value {
    let fields = object.as_object_mut().unwrap();
    fields.extend(more.as_object().unwrap().clone());
    object
}

/// Sets who may do what with a file.
pub(crate) fn chmod(path: &Path, mode: u32) {
    let mode = std::os::unix::fs::PermissionsExt::from_mode(mode);
    std::fs::set_permissions(path, mode).unwrap();
}

/// Makes a named pipe.
pub(crate) fn fifo(path: &Path) {
    let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
    rustix::fs::mkfifoat(rustix::fs::CWD, path, mode).unwrap();
}

/// All files below a folder that are no directories, in order; what may not be entered is empty.
pub(crate) fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_path_buf()];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            if entry.file_type().unwrap().is_dir() {
                open.push(entry.path());
            } else {
                found.push(entry.path());
            }
        }
    }
    found.sort();
    found
}

/// Copies what is below a folder.
pub(crate) fn copy(from: &Path, to: &Path) {
    for file in files_below(from) {
        let target = to.join(file.strip_prefix(from).unwrap());
        std::fs::create_dir_all(target.parent().unwrap()).unwrap();
        std::fs::copy(file, target).unwrap();
    }
}

/// A manifest with one group on one event.
pub(crate) fn on(event: &str, groups: &Value) -> Value {
    json!({"version": 1, "hooks": {event: groups}})
}

pub(crate) fn command(line: &str) -> Value {
    json!({"type": "command", "command": line})
}

pub(crate) fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The beginning of a long text, for a message.
pub(crate) fn head(text: &str) -> String {
    text.chars().take(20).collect()
}

/// Runs git with an author of its own and nothing of this machine, and returns what it prints.
pub(crate) fn git(folder: &Path, args: &[&str]) -> String {
    let ran = Command::new("git")
        .args([
            "-c",
            "user.name=n",
            "-c",
            "user.email=n@example.com",
            "-c",
            "init.defaultBranch=main",
        ])
        .args(args)
        .current_dir(folder)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .output()
        .unwrap();
    assert!(ran.status.success(), "{ran:?}");
    String::from_utf8(ran.stdout).unwrap().trim().to_owned()
}

/// Offers all cases, two at a time, and returns what is wrong with any.
pub(crate) fn at_once<T: Send>(
    cases: impl Iterator<Item = T> + Send,
    offer: impl Fn(T) -> Option<String> + Sync,
) -> Vec<String> {
    let (next, wrong) = (Mutex::new(cases), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(case) = { next.lock().unwrap().next() } {
                    let told = offer(case);
                    wrong.lock().unwrap().extend(told);
                }
            });
        }
    });
    wrong.into_inner().unwrap()
}
