//! Looks at hosts as they are on this machine.
// no row: what fills what the checks look at.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhook_core::transcript::{End, Transcript};
use anyhook_wires::Host;
use anyhook_wires::hosts::HOSTS;
use anyhook_wires::settings::command::{Called, called};
use anyhook_wires::settings::edit::{Form, Found, Standing, standing};
use anyhook_wires::settings::{Scope, Settings, SettingsFile, Shape};

use super::presence::{Agent, Entry, File, Own, Presence, ProgramState, Wrong};
use super::rehearsal::{Tried, rehearse};
use super::{faults, project, switches, trust};
use crate::install::Installer;
use crate::processes::{Job, Limits, Pool, find_program};
use crate::world::World;

/// A longer file is none that a person wrote.
const LONGEST: u64 = 4 * 1024 * 1024;
/// How long a program may take to say its version: some agents start a runtime first.
const PATIENCE: Duration = Duration::from_secs(10);

/// Whether a person named a host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asked {
    /// It was found on this machine.
    Found,
    /// A person asks about it.
    Named,
}

/// Looks at one host, or at every host that is found on this machine.
pub fn look(installer: &Installer<'_>, named: Option<&'static dyn Host>) -> Vec<Presence> {
    let hosts = HOSTS.iter().copied();
    let known = hosts.filter_map(|host| Some((host, host.settings()?)));
    let mut seen: Vec<Presence> = known
        .filter(|(host, _)| named.is_none_or(|named| named.id() == host.id()))
        .filter_map(|(host, settings)| {
            let asked = named.map_or(Asked::Found, |_| Asked::Named);
            let looking = Looking {
                installer,
                host,
                settings,
            };
            let files = looking.files();
            let trace = installer.finds(host, settings);
            let is_ours = |file: &File| file.entries.iter().flatten().any(|e| e.own.is_some());
            let is_here = trace.is_some() || files.iter().any(is_ours);
            (is_here || asked == Asked::Named).then(|| looking.presence(asked, trace, files))
        })
        .collect();
    ask_versions(installer.world, &mut seen);
    for presence in &mut seen {
        let looking = Looking {
            installer,
            host: presence.host,
            settings: presence.settings,
        };
        presence.trials = looking.trials(presence);
    }
    seen
}

/// One host, and where to look.
pub(super) struct Looking<'a> {
    pub(super) installer: &'a Installer<'a>,
    pub(super) host: &'static dyn Host,
    pub(super) settings: &'static Settings,
}

impl Looking<'_> {
    fn presence(&self, asked: Asked, trace: Option<PathBuf>, files: Vec<File>) -> Presence {
        let world = self.installer.world;
        let records = self.installer.records().unwrap_or_default();
        let records = records
            .iter()
            .filter(|record| record.host == self.host.id());
        let manifests = project::manifests(world, self.host);
        let mut presence = Presence {
            host: self.host,
            settings: self.settings,
            asked,
            agent: self.agent(),
            trace,
            files,
            recorded: records.filter_map(crate::install::Record::scope).collect(),
            switched_off: Vec::new(),
            trusted: Vec::new(),
            trials: Vec::new(),
            reads_too: self.reads_too(),
            faults: faults::standing(world, &manifests),
            manifests,
        };
        presence.switched_off = switches::look(self, &presence);
        presence.trusted = trust::look(self, &presence);
        presence
    }

    fn agent(&self) -> Option<Agent> {
        let world = self.installer.world;
        let path = world.var("PATH")?;
        let mut names = self.host.executables().iter();
        let program = names.find_map(|name| find_program(name.as_ref(), path, &world.cwd))?;
        Some(Agent {
            program,
            version: None,
        })
    }

    /// Returns where a path of a table is on this machine; nothing where there is no such place, such as no home.
    pub(super) fn place(&self, path: &str) -> Option<PathBuf> {
        self.installer.expand(self.settings, path).ok()
    }

    /// Reads every settings file that is there.
    fn files(&self) -> Vec<File> {
        let os = self.installer.os;
        let scopes = Scope::ALL.into_iter();
        let files = scopes.flat_map(|scope| self.settings.files_of(scope, os));
        let mut seen: Vec<File> = Vec::new();
        for file in files {
            let Some(path) = self.place(file.path) else {
                continue;
            };
            // In the home folder the project's file is the person's.
            if seen.iter().any(|other| other.path == path) {
                continue;
            }
            match self.settings.shape {
                Shape::Scripts => seen.extend(self.scripts(file.scope, &path)),
                Shape::Groups | Shape::Entries | Shape::List => {
                    seen.extend(self.file(file, path));
                }
            }
        }
        seen
    }

    fn file(&self, file: &'static SettingsFile, path: PathBuf) -> Option<File> {
        let entries = match text(&path) {
            Ok(None) => return None,
            Ok(Some(text)) => {
                let form = Form {
                    settings: self.settings,
                    file,
                };
                standing(&text, form)
                    .map(|all| all.into_iter().map(entry).collect())
                    .map_err(Wrong::Syntax)
            }
            Err(why) => Err(Wrong::Unreadable(why)),
        };
        Some(File {
            scope: file.scope,
            path,
            entries,
        })
    }

    /// Reads the scripts of a folder, each of which is a file with one entry.
    fn scripts(&self, scope: Scope, folder: &Path) -> Vec<File> {
        let rows = self.host.rows().iter();
        let scripts = rows.filter_map(|row| {
            let path = folder.join(row.name);
            let entries = match text(&path) {
                Ok(None) => return None,
                Ok(Some(text)) => Ok(vec![script(row.name, &path, &text)]),
                Err(why) => Err(Wrong::Unreadable(why)),
            };
            Some(File {
                scope,
                path,
                entries,
            })
        });
        scripts.collect()
    }

    /// Finds entries of ours in the files of the hosts whose files this one reads too.
    fn reads_too(&self) -> Vec<(&'static str, PathBuf)> {
        let others = self.host.also_reads().iter();
        let others = others.filter_map(|id| anyhook_wires::host(id));
        let mut found = Vec::new();
        for other in others {
            let Some(settings) = other.settings() else {
                continue;
            };
            let looking = Looking {
                installer: self.installer,
                host: other,
                settings,
            };
            let files = looking.files().into_iter();
            let ours = files.filter(|file| file.entries.iter().flatten().any(|e| e.own.is_some()));
            found.extend(ours.map(|file| (other.id(), file.path)));
        }
        found
    }

    fn trials(&self, presence: &Presence) -> Vec<super::Trial> {
        let own = presence.own().filter(|(.., own)| own.program.may_run());
        let tried: Vec<Tried<'_>> = own
            .map(|(file, entry, own)| Tried {
                file,
                event: &entry.standing.found.event,
                line: entry.standing.line,
                own,
            })
            .collect();
        if tried.is_empty() {
            return Vec::new();
        }
        rehearse(self.installer.world, self.host, self.settings, &tried)
    }
}

/// Reads a text, whatever stands at its place: a pipe or a device is not waited for.
pub(super) fn text(path: &Path) -> Result<Option<String>, String> {
    let meta = match fs::metadata(path) {
        Ok(meta) => meta,
        Err(error) if error.kind() == ErrorKind::NotFound && !is_link(path) => return Ok(None),
        Err(error) if error.kind() == ErrorKind::NotADirectory => return Ok(None),
        Err(error) => return Err(error.to_string()),
    };
    if !meta.is_file() {
        return Err("it is no regular file".to_owned());
    }
    if meta.len() > LONGEST {
        return Err("it is longer than 4 MiB".to_owned());
    }
    let bytes = fs::read(path).map_err(|error| error.to_string())?;
    let text = String::from_utf8(bytes).map_err(|_| "it is no UTF-8 text".to_owned())?;
    Ok(Some(text))
}

fn is_link(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}

fn entry(standing: Standing) -> Entry {
    let is_ours = standing.found.is_ours();
    let own = standing.found.commands.first().filter(|_| is_ours);
    let own = own.and_then(|command| Some(own_of(command.clone(), called(command)?)));
    Entry { standing, own }
}

fn own_of(command: String, called: Called) -> Own {
    Own {
        command,
        program: state_of(&called.program),
        called,
    }
}

/// Reads a script: the line of ours in it, if it has one and nothing else runs.
fn script(event: &str, path: &Path, text: &str) -> Entry {
    let mut lines = text.lines().filter(|line| !line.starts_with('#'));
    let line = lines.next().filter(|_| lines.next().is_none());
    let called = line.and_then(called);
    let command = path.to_string_lossy().into_owned();
    Entry {
        standing: Standing {
            found: Found {
                event: event.to_owned(),
                commands: line.map(str::to_owned).into_iter().collect(),
                kind: "command".to_owned(),
            },
            line: 1,
            matcher: None,
            timeout: None,
        },
        own: called.map(|called| own_of(command, called)),
    }
}

/// Looks at a program without running it. What runs is asked for its version later.
fn state_of(program: &str) -> ProgramState {
    if !program.contains('/') || program.contains('$') {
        return ProgramState::Searched;
    }
    let path = Path::new(program);
    let slash = std::ffi::OsStr::new("");
    match fs::metadata(path) {
        Err(_) => ProgramState::Missing,
        Ok(_) if find_program(path.as_os_str(), slash, Path::new("/")).is_none() => {
            ProgramState::NotExecutable
        }
        Ok(_) => ProgramState::Runs(String::new()),
    }
}

/// Asks the agents, and the programs that our entries name, for their versions: all of them side by side.
fn ask_versions(world: &World, seen: &mut [Presence]) {
    let mut programs: Vec<PathBuf> = Vec::new();
    for presence in &*seen {
        let agent = presence.agent.iter().map(|agent| agent.program.clone());
        let own = presence.own().filter_map(|(.., own)| match own.program {
            ProgramState::Runs(_) => Some(PathBuf::from(&own.called.program)),
            _ => None,
        });
        programs.extend(agent.chain(own));
    }
    programs.sort();
    programs.dedup();
    let said = versions(world, &programs);
    for presence in seen {
        if let Some(agent) = &mut presence.agent {
            let said = said.get(&agent.program).and_then(|said| said.as_ref().ok());
            agent.version = said.and_then(|text| version_in(text));
        }
        let entries = presence.files.iter_mut();
        let entries = entries.flat_map(|file| file.entries.iter_mut().flatten());
        for own in entries.filter_map(|entry| entry.own.as_mut()) {
            if let Some(said) = said.get(Path::new(&own.called.program)) {
                own.program = match said {
                    Ok(text) => match version_in(text) {
                        Some(version) => ProgramState::Runs(version),
                        None => ProgramState::Strange("it says no version".to_owned()),
                    },
                    Err(why) => ProgramState::Strange(why.clone()),
                };
            }
        }
    }
}

fn versions(world: &World, programs: &[PathBuf]) -> BTreeMap<PathBuf, Result<String, String>> {
    let mut pool = Pool::new(Limits::default());
    for (index, program) in programs.iter().enumerate() {
        let env = world.env.iter();
        let job = Job {
            program: program.clone(),
            args: vec![OsString::from("--version")],
            env: env.map(|(k, v)| (k.clone(), v.clone())).collect(),
            cwd: world.cwd.clone(),
            stdin: [].into(),
            deadline: PATIENCE,
        };
        pool.start(index, job);
    }
    let mut said = BTreeMap::new();
    while !pool.is_idle() {
        for (index, transcript) in pool.turn(None) {
            if let Some(program) = programs.get(index) {
                said.insert(program.clone(), version_said(&transcript));
            }
        }
    }
    pool.settle();
    said
}

fn version_said(transcript: &Transcript) -> Result<String, String> {
    match &transcript.end {
        End::Code(0) => Ok(transcript.stdout.text().into_owned()),
        End::Code(code) => Err(format!("`--version` ends with code {code}")),
        End::Signal(signal) => Err(format!("signal {signal} ends it")),
        End::TimedOut => Err("it does not say its version in time".to_owned()),
        End::NotStarted(why) => Err(why.clone()),
    }
}

/// Finds the first word of a text that is a version.
pub(super) fn version_in(text: &str) -> Option<String> {
    let words = text.split(|c: char| c.is_whitespace() || "(),:".contains(c));
    let mut words = words.map(|word| word.trim_start_matches('v'));
    let is_version = |word: &&str| {
        let mut parts = word.split(['.', '-', '+']);
        let digits = |part: &str| !part.is_empty() && part.chars().all(|c| c.is_ascii_digit());
        word.contains('.') && parts.next().is_some_and(digits) && parts.next().is_some_and(digits)
    };
    words.find(is_version).map(str::to_owned)
}
