//! The file by which a person's service manager starts the server: written once, and removed byte for byte.
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
    path: PathBuf,
    sha256: String,
    folders: Vec<PathBuf>,
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

    fn path(self, world: &World) -> Result<PathBuf, ServeError> {
        let home = &world.places.as_ref().ok_or(ServeError::NoHome)?.home;
        let config = world.var("XDG_CONFIG_HOME").map(PathBuf::from);
        let config = config.filter(|path| path.is_absolute());
        Ok(match self {
            Self::Systemd => config
                .unwrap_or_else(|| home.join(".config"))
                .join("systemd/user/anyhook.service"),
            Self::Launchd => home.join("Library/LaunchAgents/anyhook.serve.plist"),
        })
    }

    fn text(self, program: &str, port: Port) -> String {
        let arguments = match port {
            Port::Number(number) => vec!["--port".to_owned(), number.to_string()],
            Port::None => vec!["--no-port".to_owned()],
        };
        match self {
            Self::Systemd => SYSTEMD
                .replace("PROGRAM", &of_systemd(program))
                .replace("ARGUMENTS", &arguments.join(" ")),
            Self::Launchd => {
                let words = std::iter::once(program.to_owned()).chain(arguments);
                let words: Vec<String> = words
                    .map(|word| format!("    <string>{}</string>\n", of_xml(&word)))
                    .collect();
                LAUNCHD.replace("WORDS", &words.concat())
            }
        }
    }

    fn starts(self, path: &Path) -> String {
        match self {
            Self::Systemd => {
                "systemctl --user daemon-reload && systemctl --user enable --now anyhook".to_owned()
            }
            Self::Launchd => format!("launchctl load -w '{}'", path.display()),
        }
    }

    fn ends(self) -> &'static str {
        match self {
            Self::Systemd => "systemctl --user disable --now anyhook",
            Self::Launchd => "launchctl remove anyhook.serve",
        }
    }
}

/// Where another server runs already, starting again would not help.
const SYSTEMD: &str = "\
[Unit]
Description=Anyhook answers the events of agents over HTTP, on this machine alone

[Service]
ExecStart=PROGRAM ARGUMENTS
Restart=on-failure
RestartPreventExitStatus=78
UMask=0077

[Install]
WantedBy=default.target
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

/// Writes the file that starts this program, and returns what to say. A file that this program did not write stays.
pub(crate) fn install(
    (world, folder): (&World, &ServerFolder),
    (manager, port): (Manager, Port),
    program: &Path,
) -> Result<String, ServeError> {
    let path = manager.path(world)?;
    let text = manager.text(named(program)?, port);
    let written = Written {
        path: path.clone(),
        sha256: files::digest(text.as_bytes()),
        folders: made_for(&path, folder)?,
    };
    // First the record: a file of ours is never without one.
    let record = serde_json::to_vec(&written)
        .map_err(|error| ServeError::io("write down what is written")(error.into()))?;
    files::replace(&folder.unit(), &record, Durable::Yes)?;
    let above = path.parent().unwrap_or(&path);
    fs::create_dir_all(above).map_err(ServeError::io("make the folder of the file"))?;
    files::replace(&path, text.as_bytes(), Durable::Yes)?;
    let (starts, path) = (manager.starts(&path), path.display());
    Ok(format!(
        "wrote {path}\nto start it now and at each login: {starts}\n"
    ))
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

/// Returns the folders that are made for the file, now or when it was written before; fails where the file is not ours.
fn made_for(path: &Path, folder: &ServerFolder) -> Result<Vec<PathBuf>, ServeError> {
    let Some(there) = files::read(path, LONGEST)? else {
        return Ok(missing(path));
    };
    let digest = files::digest(&there);
    let known = known(folder).filter(|known| known.path == path && known.sha256 == digest);
    let known = known.ok_or_else(|| {
        let path = path.display();
        let what = format!("`{path}` is there and was not written by this command, so it stays");
        ServeError::Unit { what }
    })?;
    Ok(known.folders)
}

/// Removes what was written, and returns what to say. A file that was changed since stays.
pub(crate) fn uninstall(folder: &ServerFolder, manager: Manager) -> Result<String, ServeError> {
    let Some(written) = known(folder) else {
        return Ok("no file of a service manager was written\n".to_owned());
    };
    let path = written.path.display();
    let said = match files::read(&written.path, LONGEST)? {
        None => format!("{path} was gone already\n"),
        Some(bytes) if files::digest(&bytes) == written.sha256 => {
            fs::remove_file(&written.path).map_err(ServeError::io("remove the file"))?;
            format!("removed {path}\nif it still runs: {}\n", manager.ends())
        }
        Some(_) => {
            let what = format!("`{path}` was changed since it was written, so it stays");
            return Err(ServeError::Unit { what });
        }
    };
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
            let path = manager.path(&world).unwrap();
            assert!(said.contains(&*path.to_string_lossy()), "{said}");
            let text = fs::read_to_string(&path).unwrap();
            let expected = match manager {
                Manager::Systemd => {
                    "ExecStart=\"/opt/my \\\"bin\\\" & 100 %%/$$x/anyhook-serve\" --port 8000\n"
                }
                Manager::Launchd => {
                    "    <string>/opt/my \"bin\" &amp; 100 %/$x/anyhook-serve</string>\n    <string>--no-port</string>\n"
                }
            };
            assert!(text.contains(expected), "{text}");
            // Written again it is the same, and another port replaces it.
            install((&world, &folder), (manager, Port::Number(1)), program).unwrap();
            assert!(fs::read_to_string(&path).unwrap().contains("--port"));
            uninstall(&folder, manager).unwrap();
            assert_eq!(tree(place.path()), before);
            assert!(uninstall(&folder, manager).unwrap().contains("no file"));
        }
    }

    #[test]
    fn a_file_that_somebody_else_wrote_or_changed_stays() {
        let place = tempfile::tempdir().unwrap();
        let world = world(&place);
        let folder = ServerFolder::of(&world).unwrap();
        let how = (Manager::Systemd, Port::default());
        let program = Path::new("/opt/anyhook-serve");
        let path = Manager::Systemd.path(&world).unwrap();
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
    }
}
