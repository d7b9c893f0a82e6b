//! Reads a host's settings files.

use std::ffi::OsStr;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use anyhook_engine::files;
use anyhook_engine::processes::find_program;
use anyhook_wires::NativeEvent;
use anyhook_wires::settings::command::{self, Called, OLD_NAME, Program, called};
use anyhook_wires::settings::edit::{Form, Found, Standing, standing};
use anyhook_wires::settings::{Scope, SettingsFile, Shape};

use super::look::Looking;
use super::presence::{Entry, File, Own, ProgramState, Wrong};
use super::server;

/// A longer file is none that a person wrote.
const LONGEST: u64 = 4 * 1024 * 1024;

impl Looking<'_> {
    /// Reads every settings file that is there.
    pub(super) fn files(&self) -> Vec<File> {
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
                Shape::Groups | Shape::ToolGroups | Shape::Entries | Shape::List => {
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
                let all = standing(&text, form).map_err(Wrong::Syntax);
                all.map(|all| {
                    all.into_iter()
                        .map(|one| self.entry(file.scope, one))
                        .collect()
                })
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
                Ok(Some(text)) => Ok(vec![self.entry_of_script(scope, row, &path, &text)]),
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

    fn entry(&self, scope: Scope, standing: Standing) -> Entry {
        let is_ours = standing.found.is_ours();
        let command = standing.found.commands.first().filter(|_| is_ours);
        let own = command.and_then(|command| {
            let row = self.host.row(&standing.found.event);
            let is_known = row.is_some_and(|row| {
                self.writes(scope, command, |program| {
                    command::line(self.host, row, self.settings.shell, program)
                })
            });
            Some(self.own(command.clone(), called(command)?, may_run(scope, is_known)))
        });
        Entry { standing, own }
    }

    /// Reads a script: the line of ours in it, if it has one and nothing else runs.
    fn entry_of_script(&self, scope: Scope, row: &NativeEvent, path: &Path, text: &str) -> Entry {
        let mut lines = text.lines().filter(|line| !line.starts_with('#'));
        let line = lines.next().filter(|_| lines.next().is_none());
        let is_known = self.writes(scope, text, |program| {
            command::script(self.host, row, program)
        });
        let command = path.to_string_lossy().into_owned();
        let read = line.and_then(called);
        Entry {
            own: read.map(|read| self.own(command, read, may_run(scope, is_known))),
            standing: Standing {
                found: Found {
                    event: row.name.to_owned(),
                    commands: line.map(str::to_owned).into_iter().collect(),
                    kind: "command".to_owned(),
                },
                line: 1,
                matcher: None,
                timeout: None,
            },
        }
    }

    fn own(&self, command: String, called: Called, may_run: MayRun) -> Own {
        let program = match may_run {
            MayRun::Yes if called.program.starts_with("http:") => {
                server::state_of(self.installer.world, &called.program)
            }
            MayRun::Yes => state_of(&called.program),
            MayRun::No => ProgramState::Strangers,
        };
        Own {
            command,
            called,
            program,
        }
    }

    /// Tells whether this is what `install` writes, or wrote.
    fn writes(&self, scope: Scope, text: &str, written: impl Fn(Program<'_>) -> String) -> bool {
        let stable = self.installer.stable(scope).ok();
        let old = stable
            .as_ref()
            .map(|stable| stable.with_file_name(OLD_NAME));
        let paths = stable.iter().chain(&old).filter_map(|path| path.to_str());
        let programs = paths.map(Program::At).chain([Program::Anywhere]);
        let mut programs =
            programs.flat_map(|program| [written(program), written(Program::Strict(&program))]);
        programs.any(|line| line == text)
    }
}

/// Whether an entry may be run only to see what comes of it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum MayRun {
    Yes,
    /// A project's file is a stranger's until the agent trusts it: what it names may be anything.
    No,
}

fn may_run(scope: Scope, is_known: bool) -> MayRun {
    match scope {
        Scope::Managed | Scope::User => MayRun::Yes,
        Scope::Project | Scope::Local if is_known => MayRun::Yes,
        Scope::Project | Scope::Local => MayRun::No,
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
    let path = Path::new(program);
    let nowhere = OsStr::new("");
    match fs::metadata(path) {
        Err(_) => ProgramState::Missing,
        Ok(_) if find_program(path.as_os_str(), nowhere, Path::new("/")).is_none() => {
            ProgramState::NotExecutable
        }
        Ok(_) => ProgramState::Runs(String::new()),
    }
}
