//! Real bash in a scratch folder: what it changed there, and which programs it started.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The only programs that a line finds, each of them through a stub that notes its start.
const PROGRAMS: &[&str] = &[
    "bash", "basename", "cat", "cp", "cut", "dirname", "env", "head", "ls", "mkdir", "mv", "nice",
    "rm", "rmdir", "sort", "tail", "tee", "touch", "tr", "wc", "xargs",
];

/// Programs that do nothing but note their start.
const NAMED: &[&str] = &["zz1", "zz2", "zz3", "zz4", "zz5", "zz6"];

/// What stands in the scratch folder at the beginning.
const FILES: &[(&str, &str)] = &[
    ("f1", "one\n"),
    ("f2", "two\n"),
    ("f3", "three\n"),
    ("g h", "four\n"),
    ("name", "n3\n"),
    ("list", "f3\nn2\n"),
    ("d1/f1", "five\n"),
    ("d1/f2", "six\n"),
    ("d2/x", "seven\n"),
];

/// A folder for one line after the other.
pub(crate) struct Scratch {
    base: PathBuf,
}

/// What a line did.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    pub(crate) written: Vec<PathBuf>,
    pub(crate) removed: Vec<PathBuf>,
    pub(crate) started: Vec<String>,
}

impl Scratch {
    pub(crate) fn new(base: &Path) -> Self {
        let bin = base.join("bin");
        fs::create_dir_all(&bin).unwrap();
        let log = base.join("log");
        let log = log.display();
        for name in PROGRAMS.iter().chain(NAMED) {
            let real = ["/usr/bin", "/bin"].map(|folder| Path::new(folder).join(name));
            let real = real.iter().find(|path| path.exists());
            let run = real.map_or(String::new(), |real| {
                format!("exec {} \"$@\"\n", real.display())
            });
            let text = format!("#!/bin/sh\necho {name} >> '{log}'\n{run}");
            let stub = bin.join(name);
            fs::write(&stub, text).unwrap();
            fs::set_permissions(&stub, fs::Permissions::from_mode(0o755)).unwrap();
        }
        Self {
            base: base.to_owned(),
        }
    }

    /// The folder that a line sees, its home too.
    pub(crate) fn folder(&self) -> PathBuf {
        self.base.join("home")
    }

    /// Puts everything back as it was.
    pub(crate) fn reset(&self) {
        let folder = self.folder();
        let _ = fs::remove_dir_all(&folder);
        for (file, text) in FILES {
            let file = folder.join(file);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
        }
        let _ = fs::remove_file(self.base.join("log"));
    }

    /// Runs a line, and says what it did.
    pub(crate) fn run(&self, line: &str) -> Seen {
        let folder = self.folder();
        let before = files(&folder);
        // A second is a thousand times what these lines need; only one that waits for input for ever would reach it.
        let mut command = Command::new("/usr/bin/timeout");
        command.args([
            "-k",
            "1",
            "10",
            "/bin/bash",
            "--norc",
            "--noprofile",
            "-c",
            line,
        ]);
        command
            .env_clear()
            .env("HOME", &folder)
            .env("PATH", self.base.join("bin"));
        command
            .current_dir(&folder)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped());
        // Whatever the line leaves in the background holds its end of this pipe: it is waited for.
        command
            .output()
            .expect("bash and timeout are needed for this test");
        let after = files(&folder);
        let changed = |path: &&PathBuf| before.get(*path) != after.get(*path);
        let gone = |path: &&PathBuf| !after.contains_key(*path);
        let log = fs::read_to_string(self.base.join("log")).unwrap_or_default();
        Seen {
            written: after.keys().filter(changed).cloned().collect(),
            removed: before.keys().filter(gone).cloned().collect(),
            started: log.lines().map(str::to_owned).collect(),
        }
    }
}

/// Every file below a folder with its text and the time of its change; folders have none.
fn files(folder: &Path) -> BTreeMap<PathBuf, Option<(Vec<u8>, std::time::SystemTime)>> {
    let mut all = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten() {
            let entry = entry.unwrap();
            let path = entry.path();
            if entry.file_type().unwrap().is_dir() {
                folders.push(path.clone());
                all.insert(path, None);
            } else {
                let time = entry.metadata().unwrap().modified().unwrap();
                let text = fs::read(&path).unwrap_or_default();
                all.insert(path, Some((text, time)));
            }
        }
    }
    all
}
