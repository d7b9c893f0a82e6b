//! Telling a person that a question waits: the commands of `[notify]` in `config.toml`.
//!
//! A notice carries the code, a link to the page and what is asked in short, without secrets. It grants nothing: the link opens
//! a page that asks for the passphrase, and the code counts for a person alone. It is sent in the background, so no decision
//! waits for it; what failed is kept, and shown by `anyhook approve` and in the report of the next question.
//!
//! ```
//! use anyhook_engine::config::NotifySettings;
//! use anyhook_engine::notify::{FailedNotice, NotifierInput, last_failure, send};
//! use anyhook_engine::world::{UserFolders, World};
//!
//! let place = tempfile::tempdir()?;
//! let [home, config, state] = ["home", "config", "state"].map(|name| place.path().join(name));
//! let places = UserFolders { home, config, state };
//! std::fs::create_dir(&places.home)?;
//! let world = World { places: Some(places.clone()), ..World::real() };
//! let told: NotifierInput = serde_json::from_str(
//!     r#"{"version": 1, "code": "K7F2Q9", "link": "http://127.0.0.1:7467/inbox/K7F2Q9", "host": "codex", "event": "tool:pre",
//!         "hooks": ["deploy"], "questions": ["publish?"], "action": "Bash npm publish", "waits": false, "at": 1000}"#,
//! )?;
//! let command = |line: &str| ["/bin/sh", "-c", line].map(String::from).to_vec();
//! let notify = NotifySettings {
//!     commands: vec![command("cat > told.json"), command("exit 3")],
//!     ..NotifySettings::default()
//! };
//! send(&world, &notify, &told);
//! assert_eq!(std::fs::read_to_string(places.home.join("told.json"))?, serde_json::to_string(&told)?);
//! let FailedNotice { what, .. } = last_failure(&places).ok_or("one failed")?;
//! assert!(what.len() == 1 && what[0] == "`/bin/sh` ended with exit code 3", "{what:?}");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::io::{Read as _, Write as _};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhook_core::redact;
use anyhook_core::transcript::{End, Transcript};
use serde::{Deserialize, Serialize};

use crate::approvals::OpenQuestion;
use crate::background::VERB;
use crate::config::NotifySettings;
use crate::files::{self, Durability};
use crate::processes::{Job, Pool, PoolLimits, find_program, start};
use crate::text::{cut, plain};
use crate::world::{UserFolders, World};

/// The word behind [`VERB`] by which our own program sends a notice.
#[doc(hidden)]
pub const WORD: &str = "notify";

/// How long one notifier may take.
const PATIENCE: Duration = Duration::from_secs(20);
/// The longest text of a notice, in bytes.
const LONGEST: usize = 2000;
/// The longest file, and the longest order, in bytes.
const LIMIT: u64 = 1024 * 1024;

/// What a notifier reads: one line of JSON.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NotifierInput {
    /// The version of this form.
    pub version: u32,
    /// The code of the question.
    pub code: String,
    /// Where the page shows it.
    pub link: String,
    /// The agent.
    pub host: String,
    /// The event.
    pub event: String,
    /// The hooks that ask.
    pub hooks: Vec<String>,
    /// What they ask.
    pub questions: Vec<String>,
    /// The action, in short and without secrets.
    pub action: String,
    /// Whether the agent waits for the answer at this moment.
    pub waits: bool,
    /// When it was asked: milliseconds since 1970.
    pub at: i64,
}

/// Notifiers that failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FailedNotice {
    /// When: milliseconds since 1970.
    pub at: i64,
    /// What failed, and why.
    pub what: Vec<String>,
}

impl NotifierInput {
    /// Says what a person needs to know of a question that is open.
    pub(crate) fn of(open: &OpenQuestion, notify: &NotifySettings) -> Self {
        let short = |text: &str| cut(plain(&redact::text(text)), LONGEST);
        Self {
            version: 1,
            code: open.code.clone(),
            link: format!("{}/inbox/{}", notify.page, open.code),
            host: open.about.host.clone(),
            event: open.about.event.clone(),
            hooks: open.asked.iter().map(|put| short(&put.hook)).collect(),
            questions: open.asked.iter().map(|put| short(&put.prompt)).collect(),
            action: short(&open.about.summary),
            waits: open.is_waited_for(),
            at: open.at,
        }
    }
}

/// Tells the person of a new question, in the background. It returns at once; an error means that nothing was begun.
pub(crate) fn begin(
    world: &World,
    notify: &NotifySettings,
    open: &OpenQuestion,
) -> Result<(), String> {
    if notify.commands.is_empty() {
        return Ok(());
    }
    let told = NotifierInput::of(open, notify);
    let Some(supervisor) = &world.supervisor else {
        // A program that lives on, such as the server.
        let (world, notify) = (world.clone(), notify.clone());
        let sends = std::thread::Builder::new().name("anyhook-notify".to_owned());
        let sends = sends.spawn(move || send(&world, &notify, &told));
        return sends.map(drop).map_err(|error| error.to_string());
    };
    let order = serde_json::to_vec(&told).map_err(|error| error.to_string())?;
    let mut command = Command::new(supervisor);
    command
        .args([VERB, WORD])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let mut child = start(&mut command).map_err(|error| error.to_string())?;
    let mut stdin = child.stdin.take().ok_or("it has no standard input")?;
    stdin.write_all(&order).map_err(|error| error.to_string())
}

/// Reads a notice on standard input, leaves everything that the caller holds, and sends it by what is configured.
#[doc(hidden)]
pub fn ordered(world: &World) -> Result<(), String> {
    let _ = rustix::process::setsid();
    let mut bytes = Vec::new();
    let read = std::io::stdin().lock().take(LIMIT).read_to_end(&mut bytes);
    read.map_err(|error| error.to_string())?;
    let told: NotifierInput = serde_json::from_slice(&bytes).map_err(|error| error.to_string())?;
    let notify = world.config().notify.as_ref();
    send(world, notify.map_err(ToString::to_string)?, &told);
    Ok(())
}

/// Sends a notice by every command, one after the other, and keeps what failed.
pub fn send(world: &World, notify: &NotifySettings, told: &NotifierInput) {
    let line = serde_json::to_string(told).unwrap_or_default();
    let failed = notify.commands.iter();
    let failed = failed.filter_map(|words| run(world, words, &line).err());
    let what: Vec<String> = failed.map(|what| cut(plain(&what), LONGEST)).collect();
    let Some(file) = world.places.as_ref().map(failures) else {
        return;
    };
    if what.is_empty() {
        let _ = std::fs::remove_file(file);
        return;
    }
    let failed = FailedNotice {
        at: world.clock.now(),
        what,
    };
    let kept = file
        .parent()
        .is_some_and(|folder| files::private_dir(folder).is_ok());
    if let (true, Ok(bytes)) = (kept, serde_json::to_vec(&failed)) {
        let _ = files::replace(&file, &bytes, Durability::No);
    }
}

fn failures(places: &UserFolders) -> PathBuf {
    places.approvals().join("notify.json")
}

/// Returns what failed the last time that a person was to be told.
pub fn last_failure(places: &UserFolders) -> Option<FailedNotice> {
    let bytes = files::read(&failures(places), LIMIT).ok()??;
    serde_json::from_slice(&bytes).ok()
}

fn run(world: &World, words: &[String], line: &str) -> Result<(), String> {
    let (program, args) = words.split_first().ok_or("a command without a program")?;
    let path = world.var("PATH").unwrap_or_default();
    let cwd = world
        .places
        .as_ref()
        .map_or_else(|| "/".into(), |places| places.home.clone());
    let found = find_program(program.as_ref(), path, &cwd);
    let mut pool = Pool::new(PoolLimits::default());
    pool.start(
        0,
        Job {
            program: found.ok_or_else(|| format!("`{program}` is not there"))?,
            args: args.iter().map(Into::into).collect(),
            env: world.env.clone().into_iter().collect(),
            cwd,
            stdin: line.as_bytes().into(),
            deadline: PATIENCE,
            confined: None,
        },
    );
    let ended = pool.turn(None);
    let end = ended.first().map(|(_, Transcript { end, .. })| end);
    match end {
        Some(End::Code(0)) => Ok(()),
        Some(End::Code(code)) => Err(format!("`{program}` ended with exit code {code}")),
        Some(other) => Err(format!("`{program}` failed: {other:?}")),
        None => Err(format!("`{program}` was not started")),
    }
}
