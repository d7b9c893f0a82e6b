//! The hooks that an agent is given: a mount plan, or a package by any path that means it.

use std::path::{Path, PathBuf};

use anyhook::core::manifest::Severity;
use anyhook::guarded::{self, Protected};
use anyhook::layers::Layer;
use anyhook::lint::{self, Checking};
use anyhook::load::{self, Found, Loading, Strictness, Trusting};
use anyhook::mounts::{Catalogue, Entry, Outcome, Plan, Source};
use anyhook::rules::LastCall;
use anyhook::world::World;
use anyhook_agent::agent::Agent;
use serde_json::json;

use crate::error::Problem;
use crate::exit::Exit;
use crate::{findings, ui};

/// Reads a mount plan. One with an error is none: a limit or a guard that was misspelled would be off.
pub(super) fn plan(file: &Path) -> Result<Plan, Problem> {
    let shown = file.display();
    let plan = Plan::open(file).map_err(|error| {
        Problem::new(Exit::Data, format!("`{shown}` is no mount plan")).because(error)
    })?;
    let mut errors = plan.findings.iter();
    match errors.find(|finding| finding.severity == Severity::Error) {
        None => Ok(plan),
        Some(finding) => {
            let (line, column) = (finding.at.line, finding.at.column);
            let what = format!("`{shown}:{line}:{column}`: {}", finding.message);
            let problem = Problem::new(Exit::Data, what);
            Err(match &finding.help {
                Some(help) => problem.help(help.clone()),
                None => problem,
            })
        }
    }
}

/// Mounts what an agent is given.
pub(super) fn mount(
    catalogue: &Catalogue,
    agent: &Agent,
    plan: Option<&Plan>,
    package: Option<&Package>,
) -> Result<(), Problem> {
    if let Some(plan) = plan {
        mounted(&catalogue.mount_blocking(agent.session(), plan))?;
    }
    if let Some(package) = package {
        package.mount(catalogue, agent)?;
        package.guard(agent);
    }
    Ok(())
}

/// A package of hooks on the disk.
pub(super) struct Package {
    folder: PathBuf,
    manifest: PathBuf,
}

impl Package {
    /// Finds the package that a path means: its folder, the folder `hooks` in it, or its manifest, from wherever it is
    /// named.
    pub(super) fn at(path: &Path) -> Result<Self, Problem> {
        let unreadable = |error| Problem::unreadable(path, error);
        let real = path.canonicalize().map_err(unreadable)?;
        let is_folder = real.is_dir();
        let mut folder = if is_folder {
            real.clone()
        } else {
            // A link to a manifest means the package that the link is in.
            let named = std::path::absolute(path).map_err(unreadable)?;
            let parent = named.parent().unwrap_or(&named);
            parent.canonicalize().map_err(unreadable)?
        };
        let is_own = manifest_of(&folder).is_some_and(|own| own.parent() != Some(&folder));
        let name = folder.file_name().unwrap_or_default();
        if !is_own && [".anyhook", "hooks"].iter().any(|own| name == *own) {
            folder.pop();
        }
        let none = || {
            let what = format!("`{}` is no package of hooks", path.display());
            let help =
                "a package is a folder with `hooks/hooks.json` in it; `anyhook init` makes one";
            Problem::new(Exit::NoInput, what).help(help)
        };
        let manifest = manifest_of(&folder).ok_or_else(none)?;
        if !is_folder && manifest.canonicalize().map_err(unreadable)? != real {
            let what = format!("`{}` is not the manifest of its package", path.display());
            let help = format!("that is `{}`: name it, or the folder", manifest.display());
            return Err(Problem::new(Exit::Usage, what).help(help));
        }
        Ok(Self { folder, manifest })
    }

    /// Mounts it, and says what in it will never be asked.
    pub(super) fn mount(&self, catalogue: &Catalogue, agent: &Agent) -> Result<(), Problem> {
        let name = self.folder.file_name().unwrap_or_default();
        let entry = Entry {
            source: Some(Source::Folder(self.folder.clone())),
            ..Entry::new(&name.to_string_lossy(), json!({}))
        };
        mounted(&catalogue.mount_all_blocking(agent.session(), &[entry]))?;
        let text = std::fs::read_to_string(&self.manifest).unwrap_or_default();
        let how = Checking {
            path: std::env::var_os("PATH"),
            ..Checking::default()
        };
        for found in lint::check(&self.manifest, &text, &how) {
            if found.severity == Severity::Error || found.lint.slug == "unknown-event" {
                ui::err(&findings::lint(&found, &text));
            }
        }
        Ok(())
    }

    /// Asks the person before the agent changes the package that guards it: its commands are read again at each event. Where
    /// the agent works in the package itself, that is only what the package is made of.
    fn guard(&self, agent: &Agent) {
        let root = agent.root().to_path_buf();
        let (files, folders) = if root.starts_with(&self.folder) {
            self.parts()
        } else {
            (Vec::new(), vec![self.folder.clone()])
        };
        let protected = Protected {
            files,
            folders,
            project: root.clone(),
            cwd: root,
            home: World::real().places.map(|places| places.home),
            ..Protected::default()
        };
        let guard = guarded::hook(protected, &LastCall::default());
        agent.session().hooks().register(guard);
    }

    /// The files and folders of a package: its manifests, what they start, and the tests.
    fn parts(&self) -> (Vec<PathBuf>, Vec<PathBuf>) {
        let found = [Found {
            file: self.manifest.clone(),
            layer: Layer::User,
        }];
        let how = Loading {
            trust: Trusting::All,
            strict: Strictness::Lenient,
        };
        let mut files = load::load(&found, None, how).depends_on();
        files.extend(load::manifests_of(&self.folder));
        let mut folders = vec![self.folder.join("hooks/scripts")];
        let tests = self.folder.join("tests");
        // A project may have other tests, which are not ours.
        if tests.join("cases").is_dir() {
            files.push(tests.join("test-config.json"));
            folders.extend(["cases", "fixtures"].map(|name| tests.join(name)));
        }
        (files, folders)
    }
}

/// Returns the manifest that a folder is mounted by, if it has one.
fn manifest_of(folder: &Path) -> Option<PathBuf> {
    let mut named = load::manifests_of(folder).chain([folder.join("hooks.json")]);
    named.find(|file| file.symlink_metadata().is_ok())
}

/// An agent does not begin without the hooks that it was given.
fn mounted(outcomes: &[Outcome]) -> Result<(), Problem> {
    for outcome in outcomes {
        if let Some(error) = outcome.error() {
            let what = format!(
                "the module `{}` cannot be mounted: {}",
                outcome.module, error.text
            );
            let problem = Problem::new(Exit::Data, what);
            return Err(match &error.help {
                Some(help) => problem.help(help.as_str()),
                None => problem,
            });
        }
    }
    Ok(())
}
