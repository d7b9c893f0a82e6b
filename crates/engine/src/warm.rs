//! Hooks that are kept warm (`keep: warm`): an interpreter that is ready before the event comes, one process for each event.
//!
//! A cold start of a hook in Python or Node is nearly all interpreter. A keeper, one for each script, starts the interpreter
//! ahead: for Python one process that has imported and compiled what the script needs and makes a copy of itself for each event,
//! for Node one process that has started. The script itself runs once in a process, with the pipes, arguments, environment and
//! folder of its event, so nothing of one event is there for another. `docs/warm.md` has the protocol.
//!
//! ```
//! use anyhook_engine::warm::why_cold;
//!
//! assert_eq!(why_cold("python3", Some("hooks/guard.py")), None);
//! assert_eq!(why_cold("/usr/bin/node", Some("guard.js")), None);
//! assert_eq!(why_cold("python3", Some("-c")), Some("it has arguments before the script"));
//! assert_eq!(why_cold("bash", Some("guard.sh")), Some("only scripts of Python and of Node are kept warm"));
//! ```

#[cfg(target_os = "linux")]
mod keeper;

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{BufRead as _, BufReader, Read as _};
use std::os::fd::RawFd;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhook_core::manifest::Command;
use serde::{Deserialize, Serialize};

use crate::background::VERB;
use crate::files;
use crate::processes::{Job, Warm, find_program};
use crate::words::{self, Piece, Plan, Word};
use crate::world::World;

/// The word behind the verb of `background` by which our own program keeps a hook warm.
#[doc(hidden)]
pub const WORD: &str = "warm";

/// The version of an order, and of everything that a key says: a keeper of another one is not asked.
const VERSION: u32 = 1;

/// How long a keeper stays without an event.
const IDLE: Duration = Duration::from_mins(10);

/// How a process is made that is ready.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Making {
    /// A process that has loaded everything copies itself, which takes less than a cold start.
    Fork,
    /// The interpreter is started ahead, which takes as long as a cold start.
    Start,
}

/// One interpreter.
#[derive(Debug)]
struct Kind {
    name: &'static str,
    /// The names of its program, behind which a version may stand.
    programs: &'static [&'static str],
    making: Making,
    /// What lies beside the sockets for it, with its name.
    file: Option<(&'static str, &'static str)>,
    /// Makes the command line, with the number of the socket that it inherits.
    job: fn(&Order, RawFd) -> Job,
}

static KINDS: &[Kind] = &[
    Kind {
        name: "python",
        programs: &["python3", "python"],
        making: Making::Fork,
        file: None,
        job: python,
    },
    Kind {
        name: "node",
        programs: &["node", "nodejs"],
        making: Making::Start,
        file: Some((NODE_FILE, NODE)),
        job: node,
    },
];

const PYTHON: &str = include_str!("warm/shim.py");
const NODE: &str = include_str!("warm/shim.cjs");
const NODE_FILE: &str = "shim.cjs";

/// Variables that an interpreter, its loader or a program that chooses it reads at its start, by the beginning of their names.
const AT_START: &[&str] = &[
    "ASDF_",
    "COLORTERM",
    "FNM_",
    "GLIBC_",
    "HOME",
    "LANG",
    "LC_",
    "LD_",
    "LOGNAME",
    "MALLOC_",
    "MISE_",
    "NODE",
    "NO_COLOR",
    "NVM_",
    "OPENSSL_",
    "PATH",
    "PYENV_",
    "PYTHON",
    "SSL_",
    "TERM",
    "TZ",
    "USER",
    "UV_",
    "V8_",
    "VIRTUAL_ENV",
    "VOLTA_",
    "XDG_",
];

/// What a keeper keeps.
#[derive(Debug, Serialize, Deserialize)]
struct Order {
    version: u32,
    folder: PathBuf,
    key: String,
    kind: String,
    program: PathBuf,
    script: PathBuf,
    /// The script as it was when the key was made.
    stamp: String,
    env: Vec<(String, String)>,
    cwd: PathBuf,
    idle_millis: u64,
}

/// Says why a command is not kept warm although its hook asks for it, as far as its first two words tell.
pub fn why_cold(program: &str, script: Option<&str>) -> Option<&'static str> {
    if cfg!(not(target_os = "linux")) {
        return Some("warm workers need Linux");
    }
    if kind(program.as_ref()).is_none() {
        return Some("only scripts of Python and of Node are kept warm");
    }
    match script {
        None => Some("it names no script"),
        Some(word) if word.starts_with('-') => Some("it has arguments before the script"),
        Some(_) => None,
    }
}

/// Says why the command of a hook is not kept warm although it asks for it, as far as its manifest tells.
///
/// ```
/// use anyhook_engine::core::manifest::Command;
/// use anyhook_engine::warm::why_command_cold;
///
/// let cold = |line: &str| why_command_cold(&Command { command: line.into(), ..Command::default() });
/// assert_eq!(cold("python3 ${PACKAGE_ROOT}/guard.py --strict"), None);
/// assert_eq!(cold("./guard.py"), None);
/// assert_eq!(cold("python3 guard.py | head"), Some("a shell reads its line"));
/// assert_eq!(cold("npm run lint"), Some("only scripts of Python and of Node are kept warm"));
/// ```
pub fn why_command_cold(command: &Command) -> Option<&'static str> {
    let words = match (&command.args, words::plan(&command.command)) {
        (Some(args), _) => std::iter::once(&command.command)
            .chain(args)
            .cloned()
            .collect(),
        (None, Plan::Words(words)) if command.shell.is_none() => {
            words.iter().map(as_written).collect::<Vec<String>>()
        }
        (None, Plan::Words(_) | Plan::Shell) => return Some("a shell reads its line"),
    };
    let mut words = words.iter().map(String::as_str);
    let program = words.next().unwrap_or_default();
    // A script may name its interpreter itself.
    if [".py", ".js", ".cjs", ".mjs"]
        .iter()
        .any(|ending| program.ends_with(ending))
    {
        return why_cold("python3", Some(program));
    }
    why_cold(program, words.next())
}

fn as_written(word: &Word) -> String {
    let pieces = word.pieces.iter().map(|piece| match piece {
        Piece::Text(text) => text.clone(),
        Piece::Placeholder(name) => format!("${{{name}}}"),
    });
    pieces.collect()
}

fn kind(program: &Path) -> Option<&'static Kind> {
    let name = program.file_name()?.to_str()?;
    KINDS.iter().find(|kind| {
        kind.programs.iter().any(|known| {
            name.strip_prefix(known)
                .is_some_and(|rest| rest.bytes().all(|c| c == b'.' || c.is_ascii_digit()))
        })
    })
}

/// Returns where a job may find a process that is ready; nothing where it has to start cold.
#[doc(hidden)]
pub fn of(job: &Job, world: &World) -> Option<Warm> {
    let (places, supervisor) = (world.places.as_ref()?, world.supervisor.as_ref()?);
    if job.confined.is_some() || !job.cwd.is_dir() {
        return None;
    }
    let (program, args) = interpreted(job)?;
    let first = args.first()?;
    if why_cold(program.to_str()?, first.to_str()).is_some() {
        return None;
    }
    let script = job.cwd.join(first);
    let env = starting(&job.env)?;
    let mut order = Order {
        version: VERSION,
        folder: places.warm(),
        key: String::new(),
        kind: kind(&program)?.name.to_owned(),
        stamp: stamp(&script)?,
        program,
        script,
        env,
        cwd: job.cwd.clone(),
        idle_millis: u64::try_from(IDLE.as_millis()).unwrap_or(u64::MAX),
    };
    order.key = key(&order)?;
    Some(Warm {
        args,
        folder: order.folder.clone(),
        key: order.key.clone(),
        keeper: vec![supervisor.program.clone(), VERB.into(), WORD.into()],
        order: serde_json::to_vec(&order).ok()?,
    })
}

/// Returns the interpreter of a job, and the script with its arguments: also where the script names its interpreter itself.
fn interpreted(job: &Job) -> Option<(PathBuf, Vec<OsString>)> {
    let program = job.cwd.join(&job.program);
    if kind(&program).is_some() {
        return Some((program, job.args.clone()));
    }
    let mut head = BufReader::new(File::open(&program).ok()?.take(256));
    let mut line = String::new();
    head.read_line(&mut line).ok()?;
    let words: Vec<&str> = line.strip_prefix("#!")?.split_whitespace().collect();
    let interpreter = match words[..] {
        ["/usr/bin/env" | "/bin/env", name] => {
            let path = job.env.iter().rev().find(|(name, _)| name == "PATH")?;
            find_program(OsStr::new(name), &path.1, &job.cwd)?
        }
        [path] => PathBuf::from(path),
        _ => return None,
    };
    let script = [job.program.clone().into_os_string()];
    Some((
        interpreter,
        script.into_iter().chain(job.args.iter().cloned()).collect(),
    ))
}

fn starting(env: &[(OsString, OsString)]) -> Option<Vec<(String, String)>> {
    let read = |name: &OsStr| {
        let name = name.as_bytes();
        AT_START
            .iter()
            .any(|start| name.starts_with(start.as_bytes()))
    };
    let read = env.iter().filter(|(name, _)| read(name));
    read.map(|(name, value)| Some((name.to_str()?.to_owned(), value.to_str()?.to_owned())))
        .collect()
}

/// What changes when the content of a file does, in the words of the shim.
fn stamp(file: &Path) -> Option<String> {
    let meta = fs::metadata(file).ok().filter(fs::Metadata::is_file)?;
    let nanos = |seconds: i64, nanos: i64| i128::from(seconds) * 1_000_000_000 + i128::from(nanos);
    Some(format!(
        "{}:{}:{}:{}:{}",
        meta.dev(),
        meta.ino(),
        meta.size(),
        nanos(meta.mtime(), meta.mtime_nsec()),
        nanos(meta.ctime(), meta.ctime_nsec())
    ))
}

/// The name of the socket: of two jobs that differ in anything that a ready process depends on, two names.
fn key(order: &Order) -> Option<String> {
    let spaces = ["mnt", "pid", "net", "user"];
    let spaces = spaces.map(|space| fs::read_link(format!("/proc/self/ns/{space}")).ok());
    let program = stamp(&order.program)?;
    let written = serde_json::to_vec(order).ok()?;
    let shims = files::digest([PYTHON, NODE].concat().as_bytes());
    let spaces = format!("{spaces:?}");
    let name = files::name_of(&[
        &written,
        program.as_bytes(),
        spaces.as_bytes(),
        shims.as_bytes(),
    ]);
    name.get(..32).map(str::to_owned)
}

fn python(order: &Order, socket: RawFd) -> Job {
    let words = ["-c".into(), PYTHON.into(), socket.to_string().into()];
    let script = [order.script.clone().into(), order.stamp.clone().into()];
    job(order, words.into_iter().chain(script).collect())
}

fn node(order: &Order, socket: RawFd) -> Job {
    let shim = order.folder.join(NODE_FILE);
    let words = ["--require".into(), shim.into(), order.script.clone().into()];
    let mut job = job(order, words.into());
    job.env
        .push(("ANYHOOK_WARM".into(), socket.to_string().into()));
    job
}

fn job(order: &Order, args: Vec<OsString>) -> Job {
    let env = order.env.iter();
    Job {
        program: order.program.clone(),
        args,
        env: env
            .map(|(name, value)| (name.into(), value.into()))
            .collect(),
        cwd: order.cwd.clone(),
        stdin: [].into(),
        deadline: Duration::MAX,
        confined: None,
        warm: None,
    }
}

/// Reads an order on standard input, leaves everything that the caller holds, and keeps processes ready.
#[doc(hidden)]
#[cfg(target_os = "linux")]
pub fn keep_ordered() -> Result<(), String> {
    keeper::keep_ordered()
}

/// There is nothing to keep on this system.
#[doc(hidden)]
#[cfg(not(target_os = "linux"))]
pub fn keep_ordered() -> Result<(), String> {
    Err("warm workers need Linux".to_owned())
}
