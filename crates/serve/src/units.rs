//! The files by which a person's service manager starts the server: written once, and removed byte for byte.
//!
//! Nothing here starts or stops anything: the person types the command of the service manager.

use std::fs;
use std::path::{Path, PathBuf};

use anyhook::files::{self, Durable};
use anyhook::world::World;
use serde::{Deserialize, Serialize};

use crate::error::ServeError;
use crate::places::ServerFolder;
use crate::server::Port;

/// The longest file that we read here.
const LONGEST: u64 = 64 * 1024;

/// A service manager.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Manager {
    Systemd,
    Launchd,
}

/// What was written, and the folders that were made for it, the innermost first.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Written {
    files: Vec<WrittenFile>,
    folders: Vec<PathBuf>,
}

#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct WrittenFile {
    path: PathBuf,
    sha256: String,
}

/// A file that a service manager reads.
struct Unit {
    path: PathBuf,
    text: String,
}

impl Manager {
    /// The one of this system.
    pub(crate) fn here() -> Self {
        if cfg!(target_os = "macos") {
            Self::Launchd
        } else {
            Self::Systemd
        }
    }

    fn folder(self, world: &World) -> Result<PathBuf, ServeError> {
        let home = &world.places.as_ref().ok_or(ServeError::NoHome)?.home;
        let config = world.var("XDG_CONFIG_HOME").map(PathBuf::from);
        let config = config.filter(|path| path.is_absolute());
        Ok(match self {
            Self::Systemd => config
                .unwrap_or_else(|| home.join(".config"))
                .join("systemd/user"),
            Self::Launchd => home.join("Library/LaunchAgents"),
        })
    }

    /// Returns the files, the one that starts the program last. Systemd listens for the server, and starts it when it is asked.
    fn units(
        self,
        world: &World,
        (program, socket): (&str, &str),
        port: Port,
    ) -> Result<Vec<Unit>, ServeError> {
        let folder = self.folder(world)?;
        let unit = |name: &str, text: String| Unit {
            path: folder.join(name),
            text,
        };
        Ok(match self {
            Self::Systemd => {
                let port = match port {
                    Port::Number(number) => format!("ListenStream=127.0.0.1:{number}\n"),
                    Port::None => String::new(),
                };
                let socket = SOCKET.replace("SOCKET", &socket.replace('%', "%%"));
                let service = SYSTEMD.replace("PROGRAM", &of_systemd(program));
                vec![
                    unit("anyhook.socket", socket.replace("PORT\n", &port)),
                    unit("anyhook.service", service),
                ]
            }
            Self::Launchd => {
                let port = match port {
                    Port::Number(number) => vec!["--port".to_owned(), number.to_string()],
                    Port::None => vec!["--no-port".to_owned()],
                };
                let words = std::iter::once(program.to_owned()).chain(port);
                let words: Vec<String> = words
                    .map(|word| format!("    <string>{}</string>\n", of_xml(&word)))
                    .collect();
                let text = LAUNCHD.replace("WORDS", &words.concat());
                vec![unit("anyhook.serve.plist", text)]
            }
        })
    }

    fn starts(self, path: &Path) -> String {
        match self {
            Self::Systemd => {
                "systemctl --user daemon-reload && systemctl --user enable --now anyhook.socket"
                    .to_owned()
            }
            Self::Launchd => format!("launchctl load -w '{}'", path.display()),
        }
    }

    fn when(self) -> &'static str {
        match self {
            Self::Systemd => "to let it start whenever it is asked, now and after each login: ",
            Self::Launchd => "to start it now and at each login: ",
        }
    }

    fn ends(self) -> &'static str {
        match self {
            Self::Systemd => "systemctl --user disable --now anyhook.socket anyhook.service",
            Self::Launchd => "launchctl remove anyhook.serve",
        }
    }
}

/// The listening socket outlives the server: a client that connects meanwhile waits for the next one.
const SOCKET: &str = "\
[Unit]
Description=Anyhook is started when an agent or a person asks it

[Socket]
ListenStream=SOCKET
PORT
SocketMode=0600
DirectoryMode=0700

[Install]
WantedBy=sockets.target
";

/// Where another server runs already, starting again would not help.
const SYSTEMD: &str = "\
[Unit]
Description=Anyhook answers the events of agents over HTTP, on this machine alone
Requires=anyhook.socket

[Service]
ExecStart=PROGRAM
Restart=on-failure
RestartPreventExitStatus=78
UMask=0077
";

const LAUNCHD: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key>
  <string>anyhook.serve</string>
  <key>ProgramArguments</key>
  <array>
WORDS  </array>
  <key>RunAtLoad</key>
  <true/>
  <key>KeepAlive</key>
  <dict>
    <key>SuccessfulExit</key>
    <false/>
  </dict>
</dict>
</plist>
"#;

/// Quotes a word for a line of systemd.
fn of_systemd(word: &str) -> String {
    let word = word.replace('\\', r"\\").replace('"', "\\\"");
    format!("\"{}\"", word.replace('%', "%%").replace('$', "$$"))
}

fn of_xml(word: &str) -> String {
    let word = word.replace('&', "&amp;");
    word.replace('<', "&lt;").replace('>', "&gt;")
}

/// Writes the files that start this program, and returns what to say. A file that this program did not write stays.
pub(crate) fn install(
    (world, folder): (&World, &ServerFolder),
    (manager, port): (Manager, Port),
    program: &Path,
) -> Result<String, ServeError> {
    let socket = folder.bindable()?;
    let units = manager.units(world, (named(program)?, named(&socket)?), port)?;
    let files = units.iter().map(|unit| WrittenFile {
        path: unit.path.clone(),
        sha256: files::digest(unit.text.as_bytes()),
    });
    let written = Written {
        files: files.collect(),
        folders: made_for(&units, folder)?,
    };
    // First the record: a file of ours is never without one.
    let record = serde_json::to_vec(&written)
        .map_err(|error| ServeError::io("write down what is written")(error.into()))?;
    files::replace(&folder.unit(), &record, Durable::Yes)?;
    let mut said = String::new();
    for Unit { path, text } in &units {
        let above = path.parent().unwrap_or(path);
        fs::create_dir_all(above).map_err(ServeError::io("make the folder of the file"))?;
        files::replace(path, text.as_bytes(), Durable::Yes)?;
        said += &format!("wrote {}\n", path.display());
    }
    let starts = units.last().map(|unit| manager.starts(&unit.path));
    Ok(said + manager.when() + &starts.unwrap_or_default() + "\n")
}

/// Returns the path of the program as a service manager is told of it.
fn named(program: &Path) -> Result<&str, ServeError> {
    let name = program.to_str();
    let name = name.filter(|name| !name.contains(char::is_control));
    name.ok_or_else(|| ServeError::Unit {
        what: format!(
            "`{}` has a character that no service manager reads",
            program.display()
        ),
    })
}

/// Returns the folders that are made for the files, now or when they were written before; fails where one is not ours.
fn made_for(units: &[Unit], folder: &ServerFolder) -> Result<Vec<PathBuf>, ServeError> {
    let known = known(folder);
    let mut folders = known.as_ref().map(|known| known.folders.clone());
    for Unit { path, .. } in units {
        let Some(there) = files::read(path, LONGEST)? else {
            folders.get_or_insert_with(|| missing(path));
            continue;
        };
        let mut ours = known.iter().flat_map(|known| &known.files);
        let digest = files::digest(&there);
        if !ours.any(|file| file.path == *path && file.sha256 == digest) {
            let path = path.display();
            let what =
                format!("`{path}` is there and was not written by this command, so it stays");
            return Err(ServeError::Unit { what });
        }
    }
    Ok(folders.unwrap_or_default())
}

/// Removes what was written, and returns what to say. A file that was changed since stays, and so do the others.
pub(crate) fn uninstall(folder: &ServerFolder, manager: Manager) -> Result<String, ServeError> {
    let Some(written) = known(folder) else {
        return Ok("no file of a service manager was written\n".to_owned());
    };
    let mut there = Vec::new();
    let mut said = String::new();
    for WrittenFile { path, sha256 } in &written.files {
        match files::read(path, LONGEST)? {
            None => said += &format!("{} was gone already\n", path.display()),
            Some(bytes) if files::digest(&bytes) == *sha256 => there.push(path),
            Some(_) => {
                let path = path.display();
                let what = format!("`{path}` was changed since it was written, so it stays");
                return Err(ServeError::Unit { what });
            }
        }
    }
    for path in &there {
        fs::remove_file(path).map_err(ServeError::io("remove the file"))?;
        said += &format!("removed {}\n", path.display());
    }
    if !there.is_empty() {
        said += &format!("if it still runs: {}\n", manager.ends());
    }
    // A folder in which something else stands by now stays.
    for made in &written.folders {
        let _ = fs::remove_dir(made);
    }
    fs::remove_file(folder.unit()).map_err(ServeError::io("forget what was written"))?;
    Ok(said)
}

fn known(folder: &ServerFolder) -> Option<Written> {
    let bytes = files::read(&folder.unit(), LONGEST).ok()??;
    serde_json::from_slice(&bytes).ok()
}

fn missing(path: &Path) -> Vec<PathBuf> {
    let above = path.ancestors().skip(1);
    let missing = above.take_while(|folder| !folder.exists());
    missing.map(Path::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use anyhook::world::Places;

    use super::*;

    fn world(place: &tempfile::TempDir) -> World {
        let home = place.path().canonicalize().unwrap();
        World {
            env: [].into(),
            places: Some(Places {
                config: home.join(".config/anyhook"),
                state: home.join("state"),
                home,
            }),
            ..World::real()
        }
    }

    /// Every file and folder below a folder.
    fn tree(folder: &Path) -> Vec<PathBuf> {
        let mut all = Vec::new();
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                all.extend(tree(&path));
            }
            all.push(path);
        }
        all.sort();
        all
    }

    #[test]
    fn the_file_of_each_service_manager_goes_as_it_came_with_the_folders_that_were_made() {
        for (manager, port) in [
            (Manager::Systemd, Port::Number(8000)),
            (Manager::Launchd, Port::None),
        ] {
            let place = tempfile::tempdir().unwrap();
            let world = world(&place);
            let folder = ServerFolder::of(&world).unwrap();
            let before = tree(place.path());
            let program = Path::new("/opt/my \"bin\" & 100 %/$x/anyhook-serve");
            let said = install((&world, &folder), (manager, port), program).unwrap();
            let names = match manager {
                Manager::Systemd => &["anyhook.socket", "anyhook.service"][..],
                Manager::Launchd => &["anyhook.serve.plist"],
            };
            let read = || -> String {
                let paths = names
                    .iter()
                    .map(|name| manager.folder(&world).unwrap().join(name));
                let texts = paths.map(|path| {
                    assert!(said.contains(&*path.to_string_lossy()), "{said}");
                    fs::read_to_string(&path).unwrap()
                });
                texts.collect()
            };
            let text = read();
            let expected = match manager {
                Manager::Systemd => {
                    assert!(text.contains(&format!(
                        "ListenStream={}\nListenStream=127.0.0.1:8000\nSocketMode=0600\n",
                        folder.socket().display()
                    )));
                    "ExecStart=\"/opt/my \\\"bin\\\" & 100 %%/$$x/anyhook-serve\"\n"
                }
                Manager::Launchd => {
                    "    <string>/opt/my \"bin\" &amp; 100 %/$x/anyhook-serve</string>\n    <string>--no-port</string>\n"
                }
            };
            assert!(text.contains(expected), "{text}");
            // Written again it is the same, and another port replaces it.
            install((&world, &folder), (manager, Port::Number(1)), program).unwrap();
            assert!(read().contains("127.0.0.1:1\n") || read().contains("--port"));
            uninstall(&folder, manager).unwrap();
            assert_eq!(tree(place.path()), before);
            assert!(uninstall(&folder, manager).unwrap().contains("no file"));
        }
    }

    #[test]
    fn a_file_that_another_program_wrote_or_changed_stays() {
        let place = tempfile::tempdir().unwrap();
        let world = world(&place);
        let folder = ServerFolder::of(&world).unwrap();
        let how = (Manager::Systemd, Port::default());
        let program = Path::new("/opt/anyhook-serve");
        let path = Manager::Systemd
            .folder(&world)
            .unwrap()
            .join("anyhook.service");
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, "mine").unwrap();
        let error = install((&world, &folder), how, program).unwrap_err();
        assert!(error.to_string().contains("so it stays"), "{error}");
        assert_eq!(fs::read_to_string(&path).unwrap(), "mine");
        fs::remove_file(&path).unwrap();
        install((&world, &folder), how, program).unwrap();
        fs::write(&path, "changed").unwrap();
        let error = uninstall(&folder, Manager::Systemd).unwrap_err();
        assert!(error.to_string().contains("was changed"), "{error}");
        assert_eq!(fs::read_to_string(&path).unwrap(), "changed");
        assert!(
            path.with_extension("socket").exists(),
            "both stay or both go"
        );
    }
}
