//! The room of one session: its own home, project and temporary folder, which are removed with it.
//!
//! What `install` writes for a person is written here: the same files, in the same form. Only the program that the entries
//! call is another one, where a probe wants to answer in words of its own.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhook::install::Installer;
use anyhook::wires::Host;
use anyhook::wires::settings::{EntryValue, Scope};
use anyhook::world::{UserFolders, World};
use anyhook_truth::HookOutput;
use serde_json::Value;

use crate::LabError;
use crate::agents::{AgentLaunch, Plugin, URL};

/// What entries call in the place of our program: it keeps what it reads, and says what stands ready for this call.
///
/// Calls of one event are counted by folders, which the system makes one at a time, so the answer to the second call is
/// never given to the first.
const PROBE: &str = r#"#!/bin/sh
room='{room}'
n=1
while ! mkdir "$room/fired/$2.$n" 2>/dev/null; do
  n=$((n + 1))
  [ "$n" -le 1000 ] || exit 0
done
cat > "$room/fired/$2.$n/payload"
say="$room/say/$2.$n"
[ -d "$say" ] || exit 0
[ ! -f "$say/sleep" ] || sleep "$(cat "$say/sleep")"
cat "$say/stdout"
cat "$say/stderr" >&2
exit "$(cat "$say/exit")"
"#;

/// For so many seconds a hook sleeps that is to take too long.
const TOO_LONG: &str = "6";

/// What entries call.
#[derive(Debug, Clone, Copy)]
pub(crate) enum CallTarget<'a> {
    /// A script that says what stands ready.
    Probe,
    /// This program, under this manifest of the person.
    Anyhook(&'a Path, &'a Value),
}

/// One call of an event, as the agent made it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct FiredEvent {
    pub(crate) event: &'static str,
    pub(crate) payload: Value,
}

/// A place that goes away.
#[derive(Debug)]
pub(crate) struct LabRoom {
    folder: tempfile::TempDir,
    root: PathBuf,
}

impl LabRoom {
    pub(crate) fn new() -> Result<Self, LabError> {
        let make = || -> io::Result<Self> {
            let folder = tempfile::Builder::new()
                .prefix("anyhook-verify-")
                .tempdir()?;
            let root = folder.path().canonicalize()?;
            for name in ["home", "tmp", "fired", "say", "machine"] {
                fs::create_dir(root.join(name))?;
            }
            // The least that makes a repository.
            let git = root.join("project/.git");
            for name in ["objects", "refs"] {
                fs::create_dir_all(git.join(name))?;
            }
            fs::write(git.join("HEAD"), "ref: refs/heads/main\n")?;
            Ok(Self { folder, root })
        };
        make().map_err(LabError::Room)
    }

    pub(crate) fn project(&self) -> PathBuf {
        self.root.join("project")
    }

    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// Our own folders in this home.
    pub(crate) fn places(&self) -> UserFolders {
        let home = self.root.join("home");
        UserFolders {
            config: home.join(".config/anyhook"),
            state: home.join(".local/state/anyhook"),
            home,
        }
    }

    /// Tells whether the agent made this file in the project.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.project().join(name).exists()
    }

    /// The environment of the agent: nothing of the person's but the `PATH`.
    pub(crate) fn env(
        &self,
        world: &World,
        agent: &AgentLaunch,
        url: &str,
    ) -> BTreeMap<OsString, OsString> {
        let mut env = BTreeMap::new();
        // A person who has our program has it on the `PATH`.
        let mut path = OsString::from(self.root.join("home/.local/share/anyhook/bin"));
        path.push(":");
        path.push(world.var("PATH").unwrap_or_default());
        env.insert("PATH".into(), path);
        env.insert("HOME".into(), self.root.join("home").into());
        env.insert("TMPDIR".into(), self.root.join("tmp").into());
        let fixed = [
            ("TERM", "dumb"),
            ("NO_COLOR", "1"),
            ("LANG", "C.UTF-8"),
            ("SHELL", "/bin/sh"),
            ("USER", "person"),
        ];
        env.extend(fixed.map(|(name, value)| (name.into(), value.into())));
        for (name, value) in &agent.env {
            env.insert(name.into(), value.replace(URL, url).into());
        }
        env
    }

    /// Writes what the agent needs to reach the model.
    pub(crate) fn prepare(&self, agent: &AgentLaunch, url: &str) -> Result<(), LabError> {
        for (path, text) in &agent.files {
            let path = self.root.join("home").join(path);
            write(&path, &text.replace(URL, url))?;
        }
        Ok(())
    }

    /// Puts a plugin where the agent looks for it.
    pub(crate) fn plug(&self, plugin: &Plugin, scope: Scope) -> Result<(), LabError> {
        let folder = match scope {
            Scope::Managed | Scope::User => self.root.join("home").join(&plugin.of_person),
            Scope::Project | Scope::Local => self.project().join(&plugin.of_project),
        };
        for (name, text) in Plugin::FILES {
            write(&folder.join(name), text)?;
        }
        Ok(())
    }

    /// Makes what entries call, and returns it.
    pub(crate) fn program(&self, calls: CallTarget<'_>) -> Result<PathBuf, LabError> {
        let probe = self.root.join("probe");
        match calls {
            CallTarget::Probe => {
                let text = PROBE.replace("{room}", &self.root.display().to_string());
                write(&probe, &text)?;
                let executable = fs::Permissions::from_mode(0o755);
                fs::set_permissions(&probe, executable).map_err(LabError::Room)?;
                Ok(probe)
            }
            CallTarget::Anyhook(program, manifest) => {
                let path = self.places().user_manifest();
                write(&path, &manifest.to_string())?;
                Ok(program.to_owned())
            }
        }
    }

    /// Installs our entries as for a person, and returns the program that they call.
    pub(crate) fn install(
        &self,
        host: &'static Host,
        env: BTreeMap<OsString, OsString>,
        scope: Scope,
        program: &Path,
    ) -> Result<PathBuf, LabError> {
        let world = World {
            env,
            cwd: self.project(),
            places: Some(self.places()),
            ..World::real()
        };
        let installer = Installer {
            world: &world,
            program,
            root: &self.root.join("machine"),
            os: std::env::consts::OS,
            probe: || (),
        };
        let plan = installer.plan(Some(host), scope);
        let carried = installer.carry_out(&plan.map_err(LabError::Install)?);
        let stable = carried.and_then(|()| installer.stable(scope));
        stable.map_err(|error| LabError::Install(vec![error]))
    }

    /// Puts an answer ready for one call of an event, which are counted from 1.
    pub(crate) fn say(&self, event: &str, call: usize, said: &HookOutput) -> Result<(), LabError> {
        let folder = self.root.join("say").join(format!("{event}.{call}"));
        let parts = [
            ("stdout", said.stdout.clone()),
            ("stderr", said.stderr.clone()),
            ("exit", said.exit.to_string()),
        ];
        for (name, text) in parts {
            write(&folder.join(name), &text)?;
        }
        Ok(())
    }

    /// Lets the hook of an event sleep, and gives its entry one second: in whatever file `install` wrote for the person.
    pub(crate) fn sleep(&self, host: &'static Host, event: &str) -> Result<(), LabError> {
        self.say(event, 1, &HookOutput::default())?;
        let sleep = self.root.join("say").join(format!("{event}.1/sleep"));
        write(&sleep, TOO_LONG)?;
        let Some(settings) = host.facts().settings else {
            return Ok(());
        };
        let files = settings.files.iter();
        for file in files.filter_map(|file| file.path.strip_prefix("~/")) {
            let path = self.root.join("home").join(file);
            let Ok(text) = fs::read_to_string(&path) else {
                continue;
            };
            let Ok(mut value) = serde_json::from_str(&text) else {
                continue;
            };
            if hurry(&mut value, &format!(" run {event} "), settings.entry) {
                write(&path, &value.to_string())?;
            }
        }
        Ok(())
    }

    /// Returns every call that the agent made, event by event.
    pub(crate) fn fired(&self, host: &Host) -> Vec<FiredEvent> {
        let mut all = Vec::new();
        for row in host.rows() {
            for call in 1.. {
                let folder = self.root.join("fired").join(format!("{}.{call}", row.name));
                if !folder.is_dir() {
                    break;
                }
                let text = fs::read(folder.join("payload")).unwrap_or_default();
                all.push(FiredEvent {
                    event: row.name,
                    payload: serde_json::from_slice(&text).unwrap_or_default(),
                });
            }
        }
        all
    }

    /// Takes everything away.
    pub(crate) fn close(self) -> Result<(), LabError> {
        self.folder.close().map_err(LabError::Room)
    }
}

fn write(path: &Path, text: &str) -> Result<(), LabError> {
    let made = path.parent().map_or(Ok(()), fs::create_dir_all);
    let written = made.and_then(|()| fs::write(path, text));
    written.map_err(LabError::Room)
}

/// Gives the entries whose command line holds a text one second. Tells whether there was any.
fn hurry(value: &mut Value, line: &str, entry: &[(&str, EntryValue)]) -> bool {
    let mut any = false;
    match value {
        Value::Array(items) => {
            for item in items {
                any |= hurry(item, line, entry);
            }
        }
        Value::Object(fields) => {
            let mut texts = fields.values().filter_map(Value::as_str);
            let is_its = texts.any(|text| text.contains(line));
            let time = entry.iter().find_map(|(name, part)| match part {
                EntryValue::Timeout(unit) => Some((*name, unit.number(Duration::from_secs(1)))),
                _ => None,
            });
            if let Some((name, time)) = time.filter(|_| is_its) {
                fields.insert(name.to_owned(), time);
                return true;
            }
            for item in fields.values_mut() {
                any |= hurry(item, line, entry);
            }
        }
        _ => {}
    }
    any
}
