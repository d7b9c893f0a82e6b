//! A package of hooks as a module: what its `hooks.json` declares becomes handlers of the session.
//!
//! The commands, prompts and rules are carried out by the runners that `anyhook run` has, one hook at a time and each on a
//! thread of its own: the registry asks in order, so nothing of its meaning is lost.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhook_care::lint::{self, LintContext};
use anyhook_core::event::Event;
use anyhook_core::handler::{Handler, HandlerReply, HookHandler};
use anyhook_core::hook::{AskFrequency, Hook, Hooks, Mode, OnFault, PinnedCopy, Recheck};
use anyhook_core::manifest::{DEADLINE, Manifest, Severity};
use anyhook_core::report::AskRound;
use anyhook_engine::Session;
use anyhook_engine::event;
use anyhook_engine::load;
use anyhook_engine::text;
use anyhook_engine::trust::{Admission, TrustedCopy};
use anyhook_engine::world::World;
use anyhook_registry::registry::{Handle, HookRegistry, isolated};
use serde_json::Value;

use super::catalogue::PackageTrust;
use super::module::{ExecutionMode, ModuleProblem, Mount, MountError, MountErrorKind, MountFuture};

/// What is left to a hook's runner, when the hook's own time is over, to end its processes and say so.
const GRACE: Duration = Duration::from_secs(5);

/// The settings that the plan itself reads: a package has none of its own.
const SETTINGS: [&str; 2] = ["enabled_events", "log_level"];

/// The check of a slip in the name of an event.
const EVENTS: &str = "events";

/// A package of hooks.
pub(crate) struct HookPackage {
    file: PathBuf,
    text: String,
    manifest: Manifest,
    /// The trusted copy, where that runs.
    copied: Option<Arc<PinnedCopy>>,
    world: Arc<World>,
}

impl HookPackage {
    /// Reads the package in a folder; nothing where there is none.
    pub(super) fn of(
        folder: &Path,
        world: &Arc<World>,
        packages: &PackageTrust,
    ) -> Option<Result<Self, MountError>> {
        let named = load::manifests_of(folder).chain([folder.join("hooks.json")]);
        let file = named
            .into_iter()
            .find(|file| file.symlink_metadata().is_ok())?;
        Some(Self::read(file, world, packages))
    }

    /// Reads a manifest, which must be trusted.
    pub(crate) fn read(
        file: PathBuf,
        world: &Arc<World>,
        packages: &PackageTrust,
    ) -> Result<Self, MountError> {
        let shown = text::plain(&file.to_string_lossy());
        let copy = match packages {
            PackageTrust::Pinned(trust) => Some(trusted(trust.admission(&file), &shown)?),
            PackageTrust::Trusted => None,
        };
        // What a person trusted runs, whatever stands there now.
        let text = copy.as_ref().map_or(&file, |copy| &copy.manifest);
        let wrong = |what: String| MountError::new(MountErrorKind::NotAModule, what);
        let bytes = anyhook_engine::files::read_document(text)
            .map_err(|why| wrong(format!("`{shown}` cannot be read: {why}")))?;
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let parsed = load::parse(&file, &text);
        let manifest = parsed.and_then(load::usable).map_err(|finding| {
            let (line, column) = (finding.at.line, finding.at.column);
            let what = format!("`{shown}:{line}:{column}`: {}", finding.message);
            finding.help.into_iter().fold(wrong(what), MountError::help)
        })?;
        Ok(Self {
            manifest,
            file,
            text,
            copied: copy.map(|copy| copy.of_hooks()),
            world: Arc::clone(world),
        })
    }

    /// Tells what `anyhook check` calls an error in it.
    pub(crate) fn checked(&self) -> Result<(), MountError> {
        let wrong = self.look().into_iter().filter(|seen| seen.check != EVENTS);
        let wrong = wrong.map(|seen| (seen.what, seen.fix));
        let (texts, helps): (Vec<String>, Vec<Option<String>>) = wrong.unzip();
        if texts.is_empty() {
            return Ok(());
        }
        let error = MountError::new(MountErrorKind::NotAModule, texts.join("\n"));
        Err(helps.into_iter().flatten().fold(error, MountError::help))
    }

    /// Registers every hook of it.
    pub(crate) fn register(&self, registry: &HookRegistry) -> Vec<Handle> {
        let hooks = load::hooks(&self.manifest, &self.file).into_iter();
        let hooks = hooks.map(|hook| Hook {
            copied: self.copied.clone(),
            ..hook
        });
        let hooks = hooks.map(|hook| registry.register(as_handler(hook, &self.world)));
        hooks.collect()
    }
}

fn trusted(found: Admission, shown: &str) -> Result<TrustedCopy, MountError> {
    let what = match found {
        Admission::Copy(copy) => return Ok(*copy),
        Admission::Never => "it is not trusted".to_owned(),
        Admission::Unclear(why) => why,
    };
    let next = format!("look at it, then run `anyhook trust {}`", text::word(shown));
    Err(MountError::new(
        MountErrorKind::NotTrusted,
        format!("`{shown}` does not run: {what}"),
    )
    .help(next))
}

impl Mount for HookPackage {
    fn mount<'a>(&'a self, session: &'a Session, config: &'a Value) -> MountFuture<'a> {
        Box::pin(async move {
            let fields = config.as_object().into_iter().flatten();
            let unread = fields.map(|(name, _)| name.as_str());
            if let Some(name) = unread.into_iter().find(|name| !SETTINGS.contains(name)) {
                let text = format!("a package of hooks has no setting `{name}`");
                let help = "its settings stand in its own `hooks.json`";
                return Err(MountError::new(MountErrorKind::BadConfig, text).help(help));
            }
            self.register(session.hooks());
            Ok(None)
        })
    }

    fn asking(&self) -> ExecutionMode {
        ExecutionMode::Processes
    }

    fn look(&self) -> Vec<ModuleProblem> {
        let how = LintContext {
            path: self.world.var("PATH").map(Into::into),
            ..LintContext::default()
        };
        let found = lint::check(&self.file, &self.text, &how).into_iter();
        let seen = found.filter_map(|found| {
            // A slip in the name of an event is a warning of the file, and a handler that is never asked here.
            let is_event = found.lint.slug == "unknown-event";
            let (file, at) = (text::plain(&found.file.to_string_lossy()), found.at);
            (is_event || found.severity == Severity::Error).then(|| ModuleProblem {
                check: if is_event { EVENTS } else { "handlers" },
                what: format!("`{file}:{}:{}`: {}", at.line, at.column, found.message),
                fix: found.help,
            })
        });
        seen.collect()
    }
}

/// Makes a handler of this process of a declared hook.
pub(crate) fn as_handler(mut hook: Hook, world: &Arc<World>) -> Hook {
    let mut outer = Hook::new(
        hook.event.as_str(),
        &hook.info.name,
        Handler::InProcess(Box::new(|_: &Event| ())),
    );
    outer.info = Arc::clone(&hook.info);
    outer.when = hook.when.clone();
    outer.only.clone_from(&hook.only);
    outer.on_fault = hook.on_fault;
    outer.mode = hook.mode;
    outer.recheck = hook.recheck;
    outer.if_unsayable = hook.if_unsayable;
    outer.times = hook.times;
    let budget = hook.deadline.unwrap_or(DEADLINE);
    // Its runner keeps its own deadline, and is always earlier.
    let waited = budget.saturating_add(GRACE);
    outer.deadline = Some(waited);
    // Inside, it only says what it says: what follows of that is for the registry.
    hook.on_fault = OnFault::Continue;
    hook.mode = Mode::Enforce;
    hook.recheck = Recheck::No;
    hook.times = AskFrequency::Always;
    let declared = DeclaredHook {
        hooks: [hook].into_iter().collect(),
        budget,
        world: Arc::clone(world),
    };
    outer.handler = Handler::InProcess(Box::new(isolated(waited, declared)));
    outer
}

/// A declared hook that is asked like code of this process.
struct DeclaredHook {
    hooks: Hooks,
    budget: Duration,
    world: Arc<World>,
}

impl HookHandler for DeclaredHook {
    fn handle<'a>(&'a self, event: &'a Event) -> HandlerReply<'a> {
        self.handle_as(event, AskRound::First)
    }

    fn handle_as<'a>(&'a self, event: &'a Event, asked: AskRound) -> HandlerReply<'a> {
        let (world, hooks, event) = (&self.world, &self.hooks, event.clone());
        HandlerReply::Ready(event::alone(world, hooks, event, asked, self.budget))
    }
}
