//! One host as it is on this machine: the facts that the checks read.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhook_core::transcript::{End, Transcript};
use anyhook_engine::files;
use anyhook_engine::processes::{self, Job, find_program};
use anyhook_engine::text::version_in;
use anyhook_engine::world::World;
use anyhook_wires::hosts::HOSTS;
use anyhook_wires::settings::command::{self, EntryCommand, ProgramReference, called};
use anyhook_wires::settings::edit::{FoundEntry, SettingsForm, find};
use anyhook_wires::settings::posted;
use anyhook_wires::settings::{Scope, Settings, SettingsFile, SettingsLayout};
use anyhook_wires::{Host, HostRow};

use super::rehearsal::{RehearsalOutcome, RehearsalResult, trials};
use crate::install::Installer;
use crate::install::scripts::is_our_script;
use crate::verify::{VerifiedAgent, verified};

/// A longer file is none that a person wrote.
const LONGEST: u64 = 4 * 1024 * 1024;

/// How long a program may take to say its version: some agents start a runtime first.
const PATIENCE: Duration = Duration::from_secs(10);

/// The usual port of a server.
const SERVER: u16 = 7467;

/// One host as it is on this machine.
#[derive(Debug)]
pub struct HostPresence<'a> {
    /// For whom, and where, it is looked at.
    pub(super) installer: &'a Installer<'a>,
    /// The host.
    pub host: &'static Host,
    /// Where it keeps its hooks.
    pub(super) settings: &'static Settings,
    /// Whether a person named it.
    pub(super) named: bool,
    /// Its program, where it is found.
    pub agent: Option<AgentProgram>,
    /// A file or folder by which it is known to be used here.
    pub(super) trace: Option<PathBuf>,
    /// Its settings files that are there.
    pub files: Vec<HostFile>,
    /// What our entries did when they were run.
    pub trials: Vec<RehearsalResult>,
    /// When it was last seen to obey.
    pub verified: Option<VerifiedAgent>,
}

/// The program of an agent.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct AgentProgram {
    /// Where it is.
    pub program: PathBuf,
    /// What it says its version is, where it says so in time.
    pub version: Option<String>,
}

/// A settings file of a host.
#[derive(Debug)]
pub struct HostFile {
    /// Whose it is.
    pub scope: Scope,
    /// Where it is.
    pub path: PathBuf,
    /// The hooks in it, of everybody.
    pub(super) entries: Result<Vec<HookEntry>, FileFault>,
}

impl HostFile {
    /// Counts the entries of ours.
    pub fn own_entries(&self) -> usize {
        self.own().count()
    }

    /// Lists the entries of ours.
    pub(super) fn own(&self) -> impl Iterator<Item = (&HookEntry, &OwnEntry)> {
        let entries = self.entries.iter().flatten();
        entries.filter_map(|entry| Some((entry, entry.own.as_ref()?)))
    }
}

/// Why a settings file has no entries that anybody can read, and the line where that is seen.
#[derive(Debug)]
pub(super) struct FileFault {
    pub what: String,
    pub line: Option<usize>,
}

/// A hook in a settings file.
#[derive(Debug)]
pub(super) struct HookEntry {
    /// What stands there.
    pub standing: FoundEntry,
    /// What it says, if it is ours.
    pub own: Option<OwnEntry>,
}

/// An entry of ours.
#[derive(Debug)]
pub(super) struct OwnEntry {
    /// The command line, or the path of the script, exactly as it stands there.
    pub command: String,
    /// What it says.
    pub called: EntryCommand,
    /// What is at the place of the program that it names.
    pub program: ProgramState,
}

/// What is at the place of a program. What a server says of an event is what it says of it to the agent too, record and
/// all: so it is asked for no event.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum ProgramState {
    /// It runs and says this version.
    Runs(String),
    /// It was not looked at: a project's file names it, in a line that `install` does not write.
    Strangers,
    /// It is looked for on `PATH`, by a shell.
    Searched,
    /// It is a server, and answers to the token that is set here.
    Serves,
    /// It is a server, and for this reason gives no answer to events.
    Closed(String),
    /// Nothing is there.
    Missing,
    /// A file without permission to execute.
    NotExecutable,
    /// It does not start, or does not say what it is.
    Strange(String),
}

/// Looks at one host, or at every host that is found on this machine.
pub fn look<'a>(
    installer: &'a Installer<'a>,
    named: Option<&'static Host>,
) -> Vec<HostPresence<'a>> {
    let hosts = HOSTS.iter().copied();
    let known = hosts.filter_map(|host| Some((host, host.facts().settings?)));
    let mut seen: Vec<HostPresence<'_>> = known
        .filter(|(host, _)| named.is_none_or(|named| named.id() == host.id()))
        .filter_map(|(host, settings)| {
            let seen = HostPresence::of(installer, host, settings, named.is_some());
            let is_here = seen.trace.is_some() || seen.is_installed();
            (is_here || seen.named).then_some(seen)
        })
        .collect();
    ask_versions(installer.world, &mut seen);
    for presence in &mut seen {
        presence.trials = trials(presence);
    }
    seen
}

impl<'a> HostPresence<'a> {
    fn of(
        installer: &'a Installer<'a>,
        host: &'static Host,
        settings: &'static Settings,
        named: bool,
    ) -> Self {
        let world = installer.world;
        let places = world.places.as_ref();
        let path = world.var("PATH").unwrap_or_default();
        let mut programs = host.facts().executables.iter();
        let program = programs.find_map(|name| find_program(name.as_ref(), path, &world.cwd));
        Self {
            installer,
            host,
            settings,
            named,
            agent: program.map(|program| AgentProgram {
                program,
                version: None,
            }),
            trace: installer.finds(host, settings),
            files: SettingsReader {
                installer,
                host,
                settings,
            }
            .files(),
            trials: Vec::new(),
            verified: places.and_then(|places| verified(places, host.id())),
        }
    }

    /// Returns where a path of a table is on this machine; nothing where there is no such place, such as no home.
    pub(super) fn place(&self, path: &str) -> Option<PathBuf> {
        self.installer.expand(self.settings, path).ok()
    }

    /// Finds entries of ours in the files of the hosts whose files this one reads too.
    pub(super) fn reads_too(&self) -> Vec<(&'static str, PathBuf)> {
        let others = self.host.facts().also_reads.iter();
        let others = others.filter_map(|id| anyhook_wires::host(id));
        let files = others.filter_map(|host| {
            let reading = SettingsReader {
                installer: self.installer,
                host,
                settings: host.facts().settings?,
            };
            let ours = reading.files().into_iter();
            let ours = ours.filter(|file| file.own_entries() > 0);
            Some(ours.map(|file| (host.id(), file.path)))
        });
        files.flatten().collect()
    }

    /// Lists the entries of ours, with the file of each.
    pub(super) fn own(&self) -> impl Iterator<Item = (&HostFile, &HookEntry, &OwnEntry)> {
        let files = self.files.iter();
        files.flat_map(|file| file.own().map(move |(entry, own)| (file, entry, own)))
    }

    /// Tells whether it was seen to do what is expected of it in the version that is here.
    pub fn is_verified(&self) -> bool {
        let here = self.version();
        self.verified.as_ref().is_some_and(|verified| {
            verified.differences.is_empty() && here.is_some_and(|here| here == verified.version)
        })
    }

    pub(super) fn version(&self) -> Option<&str> {
        self.agent.as_ref()?.version.as_deref()
    }

    /// Tells whether any entry is ours.
    pub fn is_installed(&self) -> bool {
        self.own().next().is_some()
    }

    /// Counts the trials that ended so.
    pub fn ended(&self, outcome: &RehearsalOutcome) -> usize {
        let trials = self.trials.iter();
        trials.filter(|trial| trial.outcome == *outcome).count()
    }

    /// Lists the scopes in which entries of ours stand, the widest first.
    pub(super) fn scopes(&self) -> Vec<Scope> {
        let mut scopes: Vec<Scope> = self.own().map(|(file, ..)| file.scope).collect();
        scopes.sort();
        scopes.dedup();
        scopes
    }
}

/// Reads the settings files of one host.
struct SettingsReader<'a> {
    installer: &'a Installer<'a>,
    host: &'static Host,
    settings: &'static Settings,
}

impl SettingsReader<'_> {
    /// Reads every settings file that is there.
    fn files(&self) -> Vec<HostFile> {
        let scopes = Scope::ALL.into_iter();
        let files = scopes.flat_map(|scope| self.settings.files_of(scope, self.installer.os));
        let mut seen: Vec<HostFile> = Vec::new();
        for file in files {
            let Ok(place) = self.installer.expand(self.settings, file.path) else {
                continue;
            };
            // Each script of a folder is a file with one entry; of a plugin the first file is loaded.
            let names = self.settings.own_files(self.host);
            let mut paths: Vec<PathBuf> = match names {
                Some(names) => names.iter().map(|name| place.join(name)).collect(),
                None => vec![place],
            };
            if matches!(self.settings.shape, SettingsLayout::Plugin(_)) {
                paths.truncate(1);
            }
            // In the home folder the project's file is the person's.
            paths.retain(|path| seen.iter().all(|other| other.path != *path));
            seen.extend(paths.into_iter().filter_map(|path| {
                let entries = match text(&path) {
                    Ok(text) => self.entries(file, &path, &text?),
                    Err(why) => Err(FileFault {
                        what: format!("cannot be read: {why}"),
                        line: None,
                    }),
                };
                let scope = file.scope;
                Some(HostFile {
                    scope,
                    path,
                    entries,
                })
            }));
        }
        seen
    }

    fn entries(
        &self,
        file: &'static SettingsFile,
        path: &Path,
        text: &str,
    ) -> Result<Vec<HookEntry>, FileFault> {
        let scope = file.scope;
        match self.settings.shape {
            SettingsLayout::Plugin(_) => Ok(self.plugin(scope, path, text)),
            SettingsLayout::Scripts => Ok(vec![self.script(scope, path, text)]),
            SettingsLayout::Groups
            | SettingsLayout::ToolGroups
            | SettingsLayout::Entries
            | SettingsLayout::List => {
                let settings = self.settings;
                let all =
                    find(text, SettingsForm { settings, file }).map_err(|error| FileFault {
                        what: format!("have a mistake at {error}"),
                        line: Some(error.line),
                    })?;
                Ok(all.into_iter().map(|one| self.entry(scope, one)).collect())
            }
        }
    }

    fn entry(&self, scope: Scope, standing: FoundEntry) -> HookEntry {
        let is_ours = standing.is_ours();
        let command = standing.commands.first().filter(|_| is_ours);
        let own = command.and_then(|command| {
            let row = self.host.row(&standing.event);
            let is_known = row.is_some_and(|row| {
                self.writes(scope, command, |program| {
                    command::line(self.host, row, self.settings.shell, program)
                })
            });
            Some(self.own(scope, command.clone(), called(command)?, is_known))
        });
        HookEntry { standing, own }
    }

    /// Reads a plugin: one of ours posts every event of its host to the server of this machine.
    fn plugin(&self, scope: Scope, path: &Path, text: &str) -> Vec<HookEntry> {
        let rows = self.host.rows().iter();
        let rows = rows.filter(|_| is_our_script(text));
        let entry = |row: &HostRow| {
            let address = posted::address(self.host.id(), row, SERVER, false);
            let own = self.own(scope, path.display().to_string(), called(&address)?, true);
            Some(HookEntry {
                own: Some(own),
                standing: alone(row.name, Some(address), "plugin"),
            })
        };
        rows.filter_map(entry).collect()
    }

    /// Reads a script: the line of ours in it, if it has one and nothing else runs.
    fn script(&self, scope: Scope, path: &Path, text: &str) -> HookEntry {
        let event = path.file_name().unwrap_or_default().to_string_lossy();
        let mut lines = text.lines().filter(|line| !line.starts_with('#'));
        let line = lines.next().filter(|_| lines.next().is_none());
        let is_known = self.host.row(&event).is_some_and(|row| {
            self.writes(scope, text, |program| {
                command::script(self.host, row, program)
            })
        });
        let command = path.to_string_lossy().into_owned();
        let read = line.and_then(called);
        HookEntry {
            own: read.map(|read| self.own(scope, command, read, is_known)),
            standing: alone(&event, line.map(str::to_owned), "command"),
        }
    }

    fn own(&self, scope: Scope, command: String, called: EntryCommand, is_known: bool) -> OwnEntry {
        // A project's file is a stranger's until the agent trusts it: what it names may be anything.
        let may_run = is_known || matches!(scope, Scope::Managed | Scope::User);
        let program = match called.program.as_str() {
            _ if !may_run => ProgramState::Strangers,
            url if url.starts_with("http:") => super::installed::server(self.installer.world, url),
            program => state_of(program),
        };
        OwnEntry {
            command,
            called,
            program,
        }
    }

    /// Tells whether this is what `install` writes.
    fn writes(
        &self,
        scope: Scope,
        text: &str,
        written: impl Fn(ProgramReference<'_>) -> String,
    ) -> bool {
        let stable = self.installer.stable(scope).ok();
        let path = stable.as_ref().and_then(|path| path.to_str());
        let mut programs = path
            .map(ProgramReference::at)
            .into_iter()
            .chain([ProgramReference::ANYWHERE]);
        programs.any(|program| {
            let of = |is_strict| {
                written(ProgramReference {
                    is_strict,
                    ..program
                })
            };
            of(false) == text || of(true) == text
        })
    }
}

/// The entry of a file that has no other.
fn alone(event: &str, command: Option<String>, kind: &str) -> FoundEntry {
    FoundEntry {
        event: event.to_owned(),
        commands: command.into_iter().collect(),
        kind: kind.to_owned(),
        line: 1,
        matcher: None,
        timeout: None,
    }
}

/// Reads a text, whatever stands at its place: a pipe or a device is not waited for.
pub(super) fn text(path: &Path) -> Result<Option<String>, String> {
    match path.symlink_metadata() {
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return Ok(None);
        }
        _ => {}
    }
    let bytes = files::read_up_to(path, LONGEST)?;
    let text = String::from_utf8(bytes).map_err(|_| "it is no UTF-8 text".to_owned())?;
    Ok(Some(text))
}

/// Looks at a program without running it. What runs is asked for its version later.
fn state_of(program: &str) -> ProgramState {
    if !program.contains('/') || program.contains('$') {
        return ProgramState::Searched;
    }
    match fs::metadata(program) {
        Err(_) => ProgramState::Missing,
        Ok(_) if find_program(program.as_ref(), OsStr::new(""), Path::new("/")).is_none() => {
            ProgramState::NotExecutable
        }
        Ok(_) => ProgramState::Runs(String::new()),
    }
}

/// Asks the agents, and the programs that our entries name, for their versions: all of them side by side.
fn ask_versions(world: &World, seen: &mut [HostPresence<'_>]) {
    let mut programs: Vec<PathBuf> = Vec::new();
    for presence in &*seen {
        let own = presence.own().filter_map(|(.., own)| match own.program {
            ProgramState::Runs(_) => Some(PathBuf::from(&own.called.program)),
            _ => None,
        });
        let agent = presence.agent.iter().map(|agent| agent.program.clone());
        programs.extend(agent.chain(own));
    }
    programs.sort();
    programs.dedup();
    let said = versions(world, &programs);
    for presence in seen {
        if let Some(agent) = &mut presence.agent {
            agent.version = said.get(&agent.program).and_then(|said| said.clone().ok());
        }
        let entries = presence.files.iter_mut();
        let entries = entries.flat_map(|file| file.entries.iter_mut().flatten());
        for own in entries.filter_map(|entry| entry.own.as_mut()) {
            match said.get(Path::new(&own.called.program)) {
                Some(Ok(version)) => own.program = ProgramState::Runs(version.clone()),
                Some(Err(why)) => own.program = ProgramState::Strange(why.clone()),
                None => {}
            }
        }
    }
}

fn versions(world: &World, programs: &[PathBuf]) -> BTreeMap<PathBuf, Result<String, String>> {
    let env = world.env.iter();
    let env: Vec<_> = env.map(|(k, v)| (k.clone(), v.clone())).collect();
    let jobs = programs.iter().map(|program| Job {
        program: program.clone(),
        args: vec![OsString::from("--version")],
        env: env.clone(),
        // Not in the project: a program may obey what it finds where it stands.
        cwd: PathBuf::from("/"),
        stdin: [].into(),
        deadline: PATIENCE,
        confined: None,
    });
    let said = processes::run(jobs.enumerate()).into_iter();
    let said = said.filter_map(|(at, transcript)| {
        Some((programs.get(at)?.clone(), version_said(&transcript)))
    });
    said.collect()
}

fn version_said(transcript: &Transcript) -> Result<String, String> {
    match &transcript.end {
        End::Code(0) => {
            version_in(&transcript.stdout.text()).ok_or_else(|| "it says no version".to_owned())
        }
        End::Code(code) => Err(format!("`--version` ends with code {code}")),
        End::Signal(signal) => Err(format!("signal {signal} ends it")),
        End::TimedOut => Err("it does not say its version in time".to_owned()),
        End::NotStarted(why) => Err(why.clone()),
    }
}
