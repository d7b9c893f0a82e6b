//! The hooks that an agent is given.

use std::path::{Path, PathBuf};

use anyhook::core::manifest::Severity;
use anyhook::guarded::{self, Protected};
use anyhook::layers::Layer;
use anyhook::lint::{self, Checking};
use anyhook::load::{self, Found, Loading, Strictness, Trusting};
use anyhook::mounts::{Catalogue, Entry, Outcome, Source};
use anyhook::rules::LastCall;
use anyhook::world::World;
use anyhook_agent::agent::Agent;
use serde_json::json;

use crate::error::Problem;
use crate::exit::Exit;
use crate::{findings, ui};

/// A package of hooks on the disk.
pub(super) struct Package {
    folder: PathBuf,
    manifest: PathBuf,
}

impl Package {
    /// Finds the package that a path means: its folder, or its manifest.
    pub(super) fn at(path: &Path) -> Result<Self, Problem> {
        let real = path
            .canonicalize()
            .map_err(|error| Problem::unreadable(path, error))?;
        // A manifest lies in the package, or in a folder `hooks` or `.anyhook` of it.
        let around = if real.is_dir() { 0..1 } else { 1..3 };
        let mut folders = real.ancestors().take(around.end).skip(around.start);
        let is_meant = |folder: &Path| {
            manifest_of(folder)
                .filter(|own| real.is_dir() || own.canonicalize().is_ok_and(|own| own == real))
        };
        let found = folders.find_map(|folder| Some((folder, is_meant(folder)?)));
        let (folder, manifest) = found.ok_or_else(|| {
            let what = format!("`{}` is no package of hooks", path.display());
            let help =
                "a package is a folder with `hooks/hooks.json` in it; `anyhook init` makes one";
            Problem::new(Exit::NoInput, what).help(help)
        })?;
        Ok(Self {
            folder: folder.to_owned(),
            manifest,
        })
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
    pub(super) fn guard(&self, agent: &Agent) {
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
