//! `type: command`: a process that reads the event on its standard input.
//!
//! A command of words and `${NAME}` runs without a shell, each placeholder exactly one argument; anything else is the
//! business of `sh -c`, which expands the same names from its environment. Nothing from an event is ever pasted into a
//! shell line.

mod confined;
mod inherited;
mod native;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use anyhook_core::event::Event;
use anyhook_core::fault::{Fault, FaultKind};
use anyhook_core::hook::{Hook, PinnedCopy};
use anyhook_core::manifest::{Command, DEADLINE};
use anyhook_core::report::{AskRound, SkipReason};
use anyhook_wires::payload::named_files;
use anyhook_wires::tools::canonical;
use serde_json::Value;

use super::{RunnerReply, RunnerRequest};
use crate::actions::as_variable;
use crate::files;
use crate::processes::{Job, find_program, system_program};
use crate::trust::{self, pointed};
use crate::words::{self, ArgumentTemplate};
use confined::Confinement;
use inherited::{inherited, path};
pub(super) use native::is_settings;

/// A value longer than this is no environment variable.
const LONGEST_VARIABLE: usize = 64 * 1024;

/// Makes a command of this hook ready to run.
pub(super) fn prepare(asking: &RunnerRequest<'_>, command: &Command) -> Result<RunnerReply, Fault> {
    let command = &*into_copy(command, asking.hook.copied.as_deref());
    let mut env = HookEnvironment::of(asking, command);
    env.refuse(asking, command)?;
    let confined = env.confined.take().transpose().map_err(|why| {
        let text = format!("it could not be confined: {why}");
        Fault::new(FaultKind::NotStarted, text)
    })?;
    let CommandLine { program, args } = line(command, &env, asking)?;
    // The folder of a command is one of the live package.
    let cwd = command.cwd.as_ref();
    let cwd = cwd.map_or_else(|| env.folder.clone(), |cwd| env.live.join(env.fill(cwd)));
    Ok(RunnerReply::Process(Box::new(Job {
        program,
        args,
        env: env.all.into_iter().collect(),
        cwd,
        stdin: asking.payload(),
        deadline: asking.hook.deadline.unwrap_or(DEADLINE),
        confined: confined.map(|confinement| Box::new(confinement.confined)),
    })))
}

/// Points the words of a command that name files of its package into the trusted copy.
fn into_copy<'c>(command: &'c Command, copied: Option<&PinnedCopy>) -> Cow<'c, Command> {
    let Some(PinnedCopy { root, runs, .. }) = copied else {
        return Cow::Borrowed(command);
    };
    let mut command = command.clone();
    if let Some(args) = &mut command.args {
        for word in args.iter_mut().chain([&mut command.command]) {
            // No shell takes quotes away here.
            *word = pointed(word, root, runs).replace("\"${PACKAGE_ROOT}\"", "${PACKAGE_ROOT}");
        }
    } else {
        command.command = pointed(&command.command, root, runs);
    }
    Cow::Owned(command)
}

/// The program and its arguments.
struct CommandLine {
    program: PathBuf,
    args: Vec<OsString>,
}

fn line(
    command: &Command,
    env: &HookEnvironment,
    asking: &RunnerRequest<'_>,
) -> Result<CommandLine, Fault> {
    if let Some(args) = &command.args {
        let program = if command.command.starts_with("${PACKAGE_ROOT}/") {
            env.fill(&command.command)
        } else {
            OsString::from(&command.command)
        };
        let program = env.program(&program).ok_or_else(|| {
            let text = format!("no program `{}` is on PATH", command.command);
            Fault::new(FaultKind::NotStarted, text)
        })?;
        let args = args.iter().map(|arg| env.fill(arg)).collect();
        return Ok(CommandLine { program, args });
    }
    if let Some(words) = words::plan(&command.command)
        && let Some(line) = direct(&words, env)
    {
        return Ok(line);
    }
    let program = match command.shell {
        None => native::shell(asking.hook),
        Some(shell) => system_program(shell).ok_or_else(|| {
            let text = format!("the shell `{shell}` is not on this machine");
            Fault::new(FaultKind::NotStarted, text)
        })?,
    };
    Ok(CommandLine {
        program,
        args: vec!["-c".into(), command.command.as_str().into()],
    })
}

/// A command without a shell, if its first word is a program.
fn direct(words: &[ArgumentTemplate], env: &HookEnvironment) -> Option<CommandLine> {
    let filled = words::fill(words, |name| env.look(name).unwrap_or_default());
    let (first, args) = filled.split_first()?;
    if first.to_str().is_some_and(words::is_builtin) {
        return None;
    }
    Some(CommandLine {
        program: env.program(first)?,
        args: args.to_vec(),
    })
}

/// The environment of one hook, and what could not be put into it.
#[derive(Default)]
struct HookEnvironment {
    all: BTreeMap<OsString, OsString>,
    unusable: Vec<(&'static str, &'static str)>,
    absent: Vec<&'static str>,
    /// The root of the package, in its trusted copy where there is one.
    root: PathBuf,
    /// The live root.
    live: PathBuf,
    /// The folder that relative names count from.
    folder: PathBuf,
    /// How it is confined, or why it cannot be.
    confined: Option<Result<Confinement, String>>,
}

impl HookEnvironment {
    fn of(asking: &RunnerRequest<'_>, command: &Command) -> Self {
        let (root, live) = asking.package();
        let mut variables = Self {
            root,
            live,
            ..Self::default()
        };
        variables.folder = variables.base(asking);
        let key = &asking.shared.configured(asking.world).key_env;
        let sandbox = asking.hook.sandbox.as_deref();
        variables.confined = sandbox
            .map(|sandbox| confined::prepare(sandbox, asking, &variables.root, &variables.live));
        let inherited = inherited(&asking.world.env, key)
            .filter(|(name, _)| sandbox.is_none_or(|sandbox| confined::passes(sandbox, name)));
        variables
            .all
            .extend(inherited.map(|(name, value)| (name.clone(), value.clone())));
        variables.ours(asking);
        variables.of_event(asking.event, &asking.shared.project);
        variables.set_value("ANYHOOK_EFFECTS", effects(asking));
        for (name, value) in &command.env {
            let value = variables.fill(value);
            variables.set(name, value);
        }
        variables
    }

    /// Returns the folder that relative names count from: that of the package, where the project is in it, so that what
    /// was trusted is what runs; else the project.
    fn base(&self, asking: &RunnerRequest<'_>) -> PathBuf {
        let project = &asking.shared.project;
        let is_in_it = || {
            let root = self.live.canonicalize().ok()?;
            Some(project.canonicalize().ok()?.starts_with(root))
        };
        let is_its = *project == self.live || is_in_it() == Some(true);
        if is_its { &self.live } else { project }.clone()
    }

    fn ours(&mut self, asking: &RunnerRequest<'_>) {
        let told = asking.world.var("PATH").unwrap_or_default();
        if let Some(path) = path(asking.shared, &self.live, told) {
            self.set("PATH", path);
        }
        // What Python writes beside a script would be a change of a trusted package.
        self.set("PYTHONDONTWRITEBYTECODE", "1");
        let (root, folder) = (self.root.clone(), self.folder.clone());
        if !native::is_settings(asking.hook) {
            self.set("CLAUDE_PLUGIN_ROOT", root.clone());
        }
        self.set("PACKAGE_ROOT", root);
        self.set("PROJECT_ROOT", folder.clone());
        self.set("PROJECT_DIR", asking.shared.project.clone());
        // A hook that was taken over from Claude Code starts its script from here: without it, it would find none.
        self.set("CLAUDE_PROJECT_DIR", folder);
        for (name, value) in native::variables(asking, &self.root, &self.folder) {
            self.set(name, value);
        }
        if let Some(Ok(confinement)) = &self.confined {
            for (name, value) in confined::variables(asking, confinement) {
                self.set(name, value);
            }
        }
        self.set("ANYHOOK_EVENT", asking.event.name.universal());
        let speaks = asking.hook.speaks.as_deref();
        self.set("ANYHOOK_HOST", speaks.map_or("universal", |it| &it.host));
        if asking.asked == AskRound::Again {
            self.set("ANYHOOK_RECHECK", "1");
        }
        // It holds the universal form, which is not what a hook of a host's own file was given.
        if let (Some(file), None) = (&asking.shared.payload_file, &asking.hook.speaks) {
            self.set("ANYHOOK_PAYLOAD", file.clone());
        }
    }

    fn of_event(&mut self, event: &Event, project: &Path) {
        let data = event.data.json();
        let input = data.get("tool_input");
        let tool = event.text("tool_name");
        self.set_value("ANYHOOK_TOOL", tool.map(|name| canonical(&name).into()));
        let command = input.and_then(|input| input.get("command")?.as_str());
        self.set_value("ANYHOOK_COMMAND", command.map(OsString::from));
        let cwd = event.text("cwd");
        let cwd = cwd.map_or_else(|| project.to_owned(), |cwd| PathBuf::from(&*cwd));
        let files = files(input, &cwd);
        let all = (!files.is_empty()).then(|| files.join(OsStr::new("\n")));
        self.set_value("file", files.into_iter().next());
        self.set_value("files", all);
    }

    fn set(&mut self, name: impl AsRef<OsStr>, value: impl Into<OsString>) {
        self.all.insert(name.as_ref().to_owned(), value.into());
    }

    /// Sets a value that came from the event, if it can be a variable at all.
    fn set_value(&mut self, name: &'static str, value: Option<OsString>) {
        match value {
            None => self.absent.push(name),
            Some(value) if value.as_bytes().contains(&0) => {
                self.unusable.push((name, "it holds a NUL character"));
            }
            Some(value) if value.len() > LONGEST_VARIABLE => {
                self.unusable.push((name, "it is longer than 64 KiB"));
            }
            Some(value) => self.set(name, value),
        }
    }

    fn look(&self, name: &str) -> Option<&OsStr> {
        self.all.get(OsStr::new(name)).map(|value| &**value)
    }

    /// Finds a program; a relative path is looked for in the package first.
    fn program(&self, name: &OsStr) -> Option<PathBuf> {
        let path = self.look("PATH").unwrap_or_default();
        let below = |folder| find_program(name, path, folder);
        below(&self.root).or_else(|| below(&self.folder))
    }

    /// Fills the placeholders of one argument.
    fn fill(&self, text: &str) -> OsString {
        let mut filled = OsString::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once("${") {
            filled.push(before);
            let Some((name, tail)) = after.split_once('}') else {
                filled.push("${");
                rest = after;
                continue;
            };
            filled.push(self.look(name).unwrap_or_default());
            rest = tail;
        }
        filled.push(rest);
        filled
    }

    /// Refuses to run a hook that uses a value which it cannot be handed, and passes over one that has no file to look at.
    fn refuse(&self, asking: &RunnerRequest<'_>, command: &Command) -> Result<(), Fault> {
        for (name, why) in &self.unusable {
            if mentions(command, name) || self.scripts_name(name, asking.hook) {
                let text = format!("`{name}` cannot be handed to the hook: {why}");
                return Err(Fault::new(FaultKind::UnusableValue, text));
            }
        }
        let absent = self
            .absent
            .iter()
            .any(|name| name.starts_with("file") && mentions(command, name));
        if absent && !asking.hook.info.guard {
            return Err(Fault::not_asked(SkipReason::NoValue));
        }
        Ok(())
    }

    /// Tells whether any script of the hook's package names a variable, because a script calls others. One that cannot be read
    /// counts as naming everything.
    fn scripts_name(&self, name: &str, hook: &Hook) -> bool {
        let scripts = || {
            if let Some(copied) = &hook.copied {
                let runs = copied.runs.iter();
                return Some(runs.map(|file| PathBuf::from(&**file)).collect());
            }
            let manifest = &*hook.info.source.as_ref()?.file;
            let bytes = files::read_document(manifest.as_ref()).ok()?;
            trust::scripts(&bytes, &self.root).ok()
        };
        let names = |script: &PathBuf| {
            let text = files::read_document(&self.root.join(script));
            text.map_or(true, |text| String::from_utf8_lossy(&text).contains(name))
        };
        scripts().is_none_or(|scripts: Vec<_>| scripts.iter().any(names))
    }
}

fn mentions(command: &Command, name: &str) -> bool {
    let env = command.env.iter().map(|(_, value)| value);
    let args = command.args.iter().flatten();
    std::iter::once(&command.command)
        .chain(args)
        .chain(env)
        .any(|text| expands(text, name))
}

/// Tells whether a text expands this variable: `$name` or `${name…`, and not a longer name.
fn expands(text: &str, name: &str) -> bool {
    let ends = |rest: &str| !rest.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
    text.split('$').skip(1).any(|after| {
        let after = after.strip_prefix('{').unwrap_or(after);
        after.strip_prefix(name).is_some_and(ends)
    })
}

/// What the call does, as JSON; nothing for an event without a call.
fn effects(asking: &RunnerRequest<'_>) -> Option<OsString> {
    let effects = asking.facts().effects()?;
    as_variable(&effects, LONGEST_VARIABLE).map(OsString::from)
}

/// The files that a tool call names, absolute against the folder that the agent works in.
fn files(input: Option<&Value>, cwd: &Path) -> Vec<OsString> {
    let Some(input) = input.and_then(Value::as_object) else {
        return Vec::new();
    };
    let mut files: Vec<OsString> = Vec::new();
    for file in named_files(input) {
        let file = cwd.join(file).into_os_string();
        if !files.contains(&file) {
            files.push(file);
        }
    }
    files
}
