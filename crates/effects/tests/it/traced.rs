//! What `strace` saw of a line: files that were opened, and programs that were started, each with all that led to it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The calls that are looked at.
pub(crate) const CALLS: &str =
    "open,openat,creat,execve,fork,vfork,clone,clone3,rename,renameat,renameat2,unlink,unlinkat";

/// One file or program, and the programs through which it came, the last first.
#[derive(Debug)]
pub(crate) struct Event {
    pub(crate) what: What,
    pub(crate) through: Vec<String>,
    /// The words of the program that did it, as the log writes them.
    pub(crate) words: String,
    /// Whether the line itself had it done: by a shell, or by a program to which it named what it starts. What else a
    /// program starts is how it does its work: `tar` starts `gzip`.
    pub(crate) asked: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum What {
    /// A file was opened for reading: as it was named, and where that led.
    Read(PathBuf, PathBuf),
    /// A file was opened for writing.
    Write(PathBuf, PathBuf),
    /// A program was started.
    Start(String),
}

/// The programs through which a process came.
#[derive(Debug, Clone)]
struct Process {
    through: Vec<String>,
    words: String,
    asked: bool,
}

impl Default for Process {
    fn default() -> Self {
        Self {
            through: Vec::new(),
            words: String::new(),
            asked: true,
        }
    }
}

impl Process {
    fn event(&self, what: What) -> Event {
        Event {
            what,
            through: self.through.clone(),
            words: self.words.clone(),
            asked: self.asked,
        }
    }

    /// Whether it was asked to start a program.
    fn asks(&self, program: &str) -> bool {
        // `data.tar.xz` is no `xz`.
        let is_part = |letter: char| letter.is_ascii_alphanumeric() || "-.".contains(letter);
        let is_named = || {
            self.words
                .split(|letter| !is_part(letter))
                .any(|word| word == program)
        };
        let first = self.through.first().map(String::as_str);
        self.asked && (matches!(first, None | Some("bash" | "sh" | "dash")) || is_named())
    }
}

/// Reads the log of a line, as `strace -f -y` writes it.
pub(crate) fn events(log: &str) -> Vec<Event> {
    let mut processes: BTreeMap<&str, Process> = BTreeMap::new();
    let mut begun: BTreeMap<&str, String> = BTreeMap::new();
    let mut events = Vec::new();
    let parents = parents(log);
    for line in log.lines() {
        let Some((id, call)) = line.split_once(' ') else {
            continue;
        };
        if !processes.contains_key(id) {
            // The log may end before the call that made it does: then it is of who has begun one.
            let makes = |(_, call): &(&&str, &String)| {
                let calls = ["fork(", "vfork(", "clone(", "clone3("];
                calls.iter().any(|make| call.starts_with(make))
            };
            let begins = || begun.iter().find(makes).map(|(id, _)| id);
            let parent = parents.get(id).or_else(begins);
            let parent = parent.and_then(|parent| processes.get(parent));
            let parent = parent.cloned().unwrap_or_default();
            processes.insert(id, parent);
        }
        let call = call.trim_start();
        // A call that another process interrupts stands on two lines.
        if let Some(first) = call.strip_suffix(" <unfinished ...>") {
            begun.insert(id, first.to_owned());
            // A child may be seen before the call that made it ends.
            continue;
        }
        let call = match call.strip_prefix("<... ") {
            Some(rest) => {
                let first = begun.remove(id).unwrap_or_default();
                let rest = rest.split_once(" resumed>").map_or("", |(_, rest)| rest);
                format!("{first}{rest}")
            }
            None => call.to_owned(),
        };
        let Some((name, rest)) = call.split_once('(') else {
            continue;
        };
        let Some((arguments, result)) = rest.rsplit_once(" = ") else {
            continue;
        };
        if result.starts_with('-') {
            continue;
        }
        match name {
            "execve" => {
                let program = unquoted(arguments);
                let program = program.rsplit('/').next().unwrap().to_owned();
                let process = processes.entry(id).or_default();
                let asked = process.asks(&program);
                let event = Event {
                    asked,
                    ..process.event(What::Start(program.clone()))
                };
                events.push(event);
                process.asked = asked;
                arguments.clone_into(&mut process.words);
                process.through.insert(0, program);
            }
            "open" | "openat" | "creat" => {
                let Some(to) = between(result, '<', '>') else {
                    continue;
                };
                let named = folder(arguments).join(unquoted(arguments));
                // The log writes `\76` for a `>` in it.
                let to = unquoted(&format!("\"{}\"", to.trim_end_matches(" (deleted)")));
                let paths = (named, PathBuf::from(to));
                let process = processes.get(id).cloned().unwrap_or_default();
                let mut add = |what| events.push(process.event(what));
                if arguments.contains("O_PATH") || arguments.contains("O_DIRECTORY") {
                    continue;
                }
                let writes = name == "creat" || arguments.contains("O_WRONLY");
                let both = arguments.contains("O_RDWR");
                // What is opened for both is written; a shell may read it too.
                let is_shell = process
                    .through
                    .first()
                    .is_some_and(|name| matches!(name.as_str(), "bash" | "sh" | "dash"));
                if !writes && (!both || is_shell) {
                    add(What::Read(paths.0.clone(), paths.1.clone()));
                }
                if writes || both {
                    add(What::Write(paths.0, paths.1));
                }
            }
            _ => {}
        }
    }
    events
}

/// Which process made which: a child may run before the call that made it ends.
fn parents(log: &str) -> BTreeMap<&str, &str> {
    let mut parents = BTreeMap::new();
    for line in log.lines() {
        let is_fork = [
            "fork(",
            "clone(",
            "clone3(",
            "fork resumed",
            "clone resumed",
            "clone3 resumed",
        ];
        let Some((id, call)) = line.split_once(' ') else {
            continue;
        };
        if let Some((_, child)) = call
            .rsplit_once(" = ")
            .filter(|_| is_fork.iter().any(|fork| call.contains(fork)))
        {
            parents.insert(child.split([' ', '<']).next().unwrap(), id);
        }
    }
    parents
}

/// The text between two letters.
fn between(text: &str, open: char, close: char) -> Option<&str> {
    let (_, rest) = text.split_once(open)?;
    rest.rsplit_once(close).map(|(text, _)| text)
}

/// The folder of a call: `AT_FDCWD</x>, …`.
fn folder(arguments: &str) -> &Path {
    let head = arguments.split('"').next().unwrap();
    Path::new(between(head, '<', '>').unwrap_or("/"))
}

/// The first text of a call.
fn unquoted(arguments: &str) -> String {
    let mut text = Vec::new();
    let mut rest = arguments
        .split_once('"')
        .map_or("", |(_, rest)| rest)
        .bytes();
    while let Some(byte) = rest.next() {
        match byte {
            b'"' => break,
            b'\\' => match rest.next() {
                Some(b'n') => text.push(b'\n'),
                Some(b't') => text.push(b'\t'),
                Some(first @ b'0'..=b'7') => {
                    let mut value = first - b'0';
                    while let Some(next @ b'0'..=b'7') = rest.clone().next() {
                        value = value.wrapping_mul(8).wrapping_add(next - b'0');
                        rest.next();
                    }
                    text.push(value);
                }
                Some(other) => text.push(other),
                None => {}
            },
            other => text.push(other),
        }
    }
    String::from_utf8_lossy(&text).into_owned()
}
