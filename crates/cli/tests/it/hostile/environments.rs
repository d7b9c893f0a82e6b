//! Every environment of the corpus: the same guarded event, offered in a world that was spoiled on purpose.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::{self, File, Permissions};
use std::os::unix::ffi::OsStringExt as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Map, Value};

use super::payloads::cook;
use super::{at_once, guarded, is_an_answer, refused, secret};
use crate::env::{Left, TestEnv, finish, repository};

/// The environments, as the corpus has them.
fn environments() -> Vec<Value> {
    let file = repository().join("fixtures/hostile/environments.json");
    serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap()
}

/// Tells whether this machine can be spoiled like this; where it cannot, that is printed.
#[expect(
    clippy::print_stderr,
    reason = "a skipped world must not look like one that held"
)]
fn is_possible(world: &Value) -> bool {
    let can = match world["needs"].as_str() {
        None | Some("unix") => true,
        Some("linux") => cfg!(target_os = "linux"),
        Some("not-root") => !rustix::process::geteuid().is_root(),
        Some(other) => panic!("it is not known what `{other}` needs"),
    };
    if !can {
        eprintln!("skipped: {} needs {}", world["name"], world["needs"]);
    }
    can
}

/// What one environment asks for.
struct World<'a> {
    env: &'a TestEnv,
    keys: &'a Map<String, Value>,
}

impl World<'_> {
    fn text(&self, key: &str) -> Option<&str> {
        self.keys.get(key)?.as_str()
    }

    fn each(&self, key: &str) -> impl Iterator<Item = (&String, &Value)> {
        self.keys
            .get(key)
            .and_then(Value::as_object)
            .into_iter()
            .flatten()
    }

    /// The program as this world starts it: by a shell, where only a shell can spoil what it inherits.
    fn command(&self) -> Command {
        let args = [
            "run",
            "PreToolUse",
            "--host",
            "claude-code",
            "--deadline",
            "20",
        ];
        let plain = self.env.command(&args);
        let spoiling = self.spoiling();
        if spoiling.is_empty() {
            return plain;
        }
        let mut shell = Command::new("/bin/sh");
        shell
            .args([
                "-c",
                &format!("{spoiling} exec \"$0\" \"$@\""),
                env!("CARGO_BIN_EXE_anyhook"),
            ])
            .args(args)
            .current_dir(self.env.path("project"))
            .env_clear()
            .envs(
                plain
                    .get_envs()
                    .filter_map(|(name, value)| Some((name, value?))),
            );
        shell
    }

    /// The shell's words for limits, closed descriptors, signals, the mask and a working directory that goes.
    fn spoiling(&self) -> String {
        let limits = self.each("limits").map(|(name, value)| {
            match (name.as_str(), value.as_u64().unwrap()) {
                ("fsize", bytes) => format!("ulimit -f {};", bytes / 512),
                ("nofile", count) => format!("ulimit -n {count};"),
                other => panic!("unknown limit {other:?}"),
            }
        });
        let signals = self.each("signals").map(|(name, disposition)| {
            assert_eq!(disposition, "ignore");
            format!("trap '' {name};")
        });
        let mask = self.text("umask").map(|mask| format!("umask {mask};"));
        let cwd = self.text("cwd").map(|cwd| match cwd {
            "deleted" => "mkdir sub && cd sub && rmdir ../sub || exit;".to_owned(),
            "unreadable" => "mkdir sub && cd sub && chmod 000 ../sub || exit;".to_owned(),
            other => panic!("unknown working directory `{other}`"),
        });
        let streams = [("stdin", "<&-"), ("stdout", ">&-"), ("stderr", "2>&-")];
        let closed = streams
            .iter()
            .filter(|(stream, _)| self.text(stream) == Some("closed"));
        let closed = closed.map(|(_, closing)| format!("exec {closing};"));
        limits
            .chain(signals)
            .chain(mask)
            .chain(cwd)
            .chain(closed)
            .collect()
    }

    fn variables(&self, command: &mut Command) {
        if self.keys.get("clear").is_some() {
            command.env_clear();
        }
        for name in self
            .keys
            .get("unset")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
        {
            command.env_remove(name.as_str().unwrap());
        }
        for (name, value) in self.each("set") {
            command.env(name, value.as_str().unwrap());
        }
        for (name, value) in self.each("set_hex") {
            command.env(name, OsString::from_vec(bytes(value)));
        }
        for (name, recipe) in self.each("set_repeat") {
            command.env(
                name,
                OsString::from_vec(cook(&Value::Array(vec![recipe.clone()]))),
            );
        }
        for (name, text) in self.each("plant") {
            self.env
                .program(&format!("project/{name}"), text.as_str().unwrap());
        }
        if let Some(path) = self.text("path") {
            assert_eq!(path, "planted-first");
            let project = self.env.path("project");
            command.env(
                "PATH",
                format!("{}:/usr/local/bin:/usr/bin:/bin", project.display()),
            );
        }
    }

    fn streams(&self, command: &mut Command) {
        let stream = |name: &str| match self.text(name) {
            None | Some("closed") => Stdio::piped(),
            Some("broken-pipe") => Stdio::from(std::io::pipe().unwrap().1),
            Some("directory") => Stdio::from(File::open("/").unwrap()),
            Some(device) => Stdio::from(File::options().write(true).open(device).unwrap()),
        };
        command
            .stdin(stream("stdin"))
            .stdout(stream("stdout"))
            .stderr(stream("stderr"));
    }

    /// Spoils the state directory, in which the pins of the test's own guard are.
    fn state(&self) {
        let Some(spoilt) = self.keys.get("state") else {
            return;
        };
        let state = self.env.state();
        let text = |key: &str| spoilt[key].as_str().unwrap();
        match text("kind") {
            "directory" => {
                let mode = u32::from_str_radix(text("mode"), 8).unwrap();
                fs::set_permissions(&state, Permissions::from_mode(mode)).unwrap();
            }
            "garbage" => {
                self.env.run(
                    &["run", "PreToolUse", "--host", "claude-code"],
                    &secret(self.env),
                );
                for file in files(&state) {
                    fs::write(file, bytes(&spoilt["hex"])).unwrap();
                }
            }
            kind => {
                fs::remove_dir_all(&state).unwrap();
                match kind {
                    "file" => fs::write(&state, text("text")).unwrap(),
                    "link" => symlink(text("to"), &state).unwrap(),
                    other => panic!("unknown state `{other}`"),
                }
            }
        }
    }

    fn run(&self) -> Left {
        self.state();
        let mut command = self.command();
        self.variables(&mut command);
        self.streams(&mut command);
        let mut child = command.spawn().unwrap();
        if let Some(mut stdin) = child.stdin.take() {
            // A program whose standard input was closed reads nothing.
            let _ = std::io::Write::write_all(&mut stdin, &payload());
        }
        finish(child)
    }
}

fn payload() -> Vec<u8> {
    fs::read(repository().join("fixtures/hostile/147-mode-bypass.json")).unwrap()
}

fn bytes(hex: &Value) -> Vec<u8> {
    let digits = hex.as_str().unwrap().as_bytes();
    let pairs = digits.chunks(2).map(|pair| str::from_utf8(pair).unwrap());
    pairs
        .map(|pair| u8::from_str_radix(pair, 16).unwrap())
        .collect()
}

/// All files below a folder that are no directories; what may not be entered is empty.
pub(super) fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_path_buf()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            if entry.file_type().unwrap().is_dir() {
                open.push(entry.path());
            } else {
                found.push(entry.path());
            }
        }
    }
    found
}

/// What stands in the test's folder outside of the state directory, with its content.
fn outside(env: &TestEnv) -> BTreeMap<PathBuf, Vec<u8>> {
    let all = files(&env.path(""))
        .into_iter()
        .filter(|file| !file.starts_with(env.state()));
    all.map(|file| (file.clone(), fs::read(&file).unwrap_or_default()))
        .collect()
}

/// Offers the guarded event in one world, and tells what is wrong with what came out.
fn offer(world: &Value) -> Option<String> {
    let env = guarded();
    let world = World {
        env: &env,
        keys: world.as_object().unwrap(),
    };
    let before = outside(&env);
    let left = world.run();
    let mut after = outside(&env);
    for planted in world.each("plant") {
        after.remove(&env.path("project").join(planted.0));
    }
    // So that the folder can be removed.
    let _ = fs::set_permissions(env.state(), Permissions::from_mode(0o700));
    let name = &world.keys["name"];
    if !is_an_answer(&left) {
        return Some(format!("{name}: no answer: {left:?}"));
    }
    if !refused(&left) {
        return Some(format!("{name}: went through: {left:?}"));
    }
    if files(&env.path(""))
        .iter()
        .any(|file| file.ends_with("pwned"))
    {
        return Some(format!("{name}: `pwned` was written: {left:?}"));
    }
    (before != after || Path::new("/nonexistent").exists())
        .then(|| format!("{name}: something was written outside of the state: {left:?}"))
}

mod slow {
    use super::*;

    #[test]
    #[ignore = "takes seconds"]
    fn no_environment_of_the_corpus_lets_a_guarded_call_through() {
        let worlds: Vec<Value> = environments().into_iter().filter(is_possible).collect();
        assert!(
            worlds.len() >= 30,
            "at least thirty worlds: {}",
            worlds.len()
        );
        let wrong = at_once(worlds.iter(), offer);
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}
