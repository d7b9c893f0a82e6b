//! Real bash in a scratch folder: what it changed there, and which programs it started.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::everyday::named_files;
use crate::traced::{CALLS, Event, events};

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

/// More files for lines of an ordinary day.
const PROJECT: &[(&str, &str)] = &[
    ("README.md", "# Title\n\nTODO: text\n"),
    ("data.json", "{\"a\": 1}\n"),
    (
        "package.json",
        "{\"name\": \"x\", \"version\": \"1.0.0\", \"scripts\": {}}\n",
    ),
    ("Makefile", "all:\n\techo all\n"),
    (".gitignore", "dist\n"),
    (".env", "A=1\n"),
    ("src/main.rs", "fn main() {}\n"),
    ("src/lib/a.ts", "export {}\n"),
    ("docs/guide.md", "# Guide\n"),
    ("tests/a.rs", "// test\n"),
    ("dist/app.js", "1\n"),
    ("build/a.o", "x\n"),
    ("logs/app.log", "error: x\n"),
    ("assets/a.css", "a {}\n"),
];

/// A folder for one line after the other.
pub(crate) struct Scratch {
    base: PathBuf,
    traced: bool,
    /// How many folders could not be removed: a line may mount something there, or forbid it.
    left: Cell<usize>,
}

/// What a line did.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    /// What stands in the folder now and did not, or not so.
    pub(crate) written: Vec<PathBuf>,
    pub(crate) removed: Vec<PathBuf>,
    pub(crate) started: Vec<String>,
    /// What was opened and started, where lines are traced.
    pub(crate) events: Vec<Event>,
    /// What stood in the folder before.
    pub(crate) before: BTreeSet<PathBuf>,
}

impl Scratch {
    /// A scratch folder; `missing` programs are replaced by ones that do nothing.
    pub(crate) fn new(base: &Path, traced: bool, missing: &[&str]) -> Self {
        let bin = base.join("bin");
        fs::create_dir_all(&bin).unwrap();
        let log = base.join("log");
        let log = log.display();
        // Where lines are traced, programs are found as they are.
        let own = if traced { &[] } else { PROGRAMS };
        for name in own.iter().chain(NAMED).chain(missing) {
            let real = ["/usr/bin", "/bin"].map(|folder| Path::new(folder).join(name));
            let real = real.iter().find(|path| path.exists());
            let run = real.map_or(String::new(), |real| {
                format!("exec {} \"$@\"\n", real.display())
            });
            let note = if traced {
                String::new()
            } else {
                format!("echo {name} >> '{log}'\n")
            };
            let stub = bin.join(name);
            fs::write(&stub, format!("#!/bin/sh\n{note}{run}")).unwrap();
            fs::set_permissions(&stub, fs::Permissions::from_mode(0o755)).unwrap();
        }
        let scratch = Self {
            base: base.to_owned(),
            traced,
            left: Cell::new(0),
        };
        scratch.commit();
        scratch
    }

    /// Makes a repository that lines about git find.
    fn commit(&self) {
        let template = self.base.join("template");
        let text = "git init -q --template= . && echo x > tracked.txt && git add . && git -c user.name=a -c user.email=a@a commit -qm first && git branch other && echo y > tracked.txt";
        fs::create_dir_all(&template).unwrap();
        let mut made = Command::new("bash");
        made.args(["-c", text]).current_dir(template);
        made.output().unwrap();
    }

    /// The folder that a line sees, its home too.
    pub(crate) fn folder(&self) -> PathBuf {
        self.base.join(format!("home{}", self.left.get()))
    }

    /// Puts everything back as it was.
    pub(crate) fn reset(&self) {
        if fs::remove_dir_all(self.folder()).is_err() && self.folder().exists() {
            self.left.set(self.left.get() + 1);
        }
        let folder = self.folder();
        for (file, text) in FILES {
            put(&folder, file, text);
        }
        let _ = fs::remove_file(self.base.join("log"));
    }

    /// Adds what a line of an ordinary day finds: a project, the files that it names, and a repository.
    pub(crate) fn furnish(&self, line: &str) {
        let folder = self.folder();
        if line.contains("git") {
            copy(&self.base.join("template"), &folder);
        }
        for (file, text) in PROJECT {
            put(&folder, file, text);
        }
        for file in named_files(line) {
            put(&folder, &file, "one\ntwo TODO\n");
        }
    }

    /// Runs a line, and says what it did.
    pub(crate) fn run(&self, line: &str) -> Seen {
        let folder = self.folder();
        let before = files(&folder);
        // These lines need a hundredth of it; only one that waits for input for ever reaches it.
        let limit = [
            "/usr/bin/timeout",
            "-s",
            "KILL",
            if self.traced { "3" } else { "10" },
        ];
        let mut command = Command::new(limit[0]);
        let trace = self.base.join("trace");
        if self.traced {
            // What limits the time is the first process of a room: with it every other one ends, before the next line begins.
            command = Command::new("/usr/bin/unshare");
            command
                .args(["--pid", "--fork", "--kill-child"])
                .args(limit);
            command.args([
                "strace",
                "-f",
                "-qq",
                "-y",
                "-s",
                "4096",
                "--seccomp-bpf",
                "-e",
                "signal=none",
                "-e",
            ]);
            command.arg(format!("trace={CALLS}")).arg("-o").arg(&trace);
        } else {
            command.args(&limit[1..]);
        }
        command.args(["/bin/bash", "--norc", "--noprofile", "-c", line]);
        let bin = self.base.join("bin").display().to_string();
        let path = if self.traced {
            format!("{bin}:/usr/bin:/bin:/usr/sbin:/sbin")
        } else {
            bin
        };
        command.env_clear().env("HOME", &folder).env("PATH", path);
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
        let trace = fs::read(&trace).unwrap_or_default();
        Seen {
            written: after.keys().filter(changed).cloned().collect(),
            removed: before.keys().filter(gone).cloned().collect(),
            started: log.lines().map(str::to_owned).collect(),
            events: events(&String::from_utf8_lossy(&trace)),
            before: before.into_keys().collect(),
        }
    }
}

/// Writes a file with the folders above it, unless something stands there.
fn put(folder: &Path, file: &str, text: &str) {
    let file = folder.join(file);
    let _ = fs::create_dir_all(file.parent().unwrap());
    if !file.exists() {
        let _ = fs::write(file, text);
    }
}

/// Copies a folder with all below it.
fn copy(from: &Path, to: &Path) {
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let to = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            fs::create_dir_all(&to).unwrap();
            copy(&entry.path(), &to);
        } else {
            fs::copy(entry.path(), &to).unwrap();
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
                // A pipe would be waited for.
                let is_file = entry.file_type().unwrap().is_file();
                let text = is_file.then(|| fs::read(&path).ok()).flatten();
                let text = text.unwrap_or_default();
                all.insert(path, Some((text, time)));
            }
        }
    }
    all
}
