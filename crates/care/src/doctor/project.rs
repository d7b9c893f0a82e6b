//! Checks whether the hooks of this project may run.

use std::path::PathBuf;
use std::sync::Arc;

use anyhook_core::hook::Hook;
use anyhook_engine::load::{self, Form};
use anyhook_engine::text;
use anyhook_engine::trust::{Standing, Trust};
use anyhook_engine::world::World;
use anyhook_wires::Host;

use super::presence::Presence;
use super::{Check, Finding, Fix};
use crate::packages::{LOCK_FILE, Packages, State};

/// The row.
pub(super) const ROW: Check = Check {
    slug: "project",
    summary: "the hooks of this project may run",
    run,
};

/// A manifest that holds here.
#[derive(Debug, Clone)]
pub(crate) struct Manifest {
    /// The file.
    pub file: PathBuf,
    /// How it stands with the person; a person's own file is trusted.
    pub standing: Standing,
    /// Its hooks; none where it cannot be understood.
    pub hooks: Arc<[Hook]>,
    /// Why it cannot be understood.
    pub broken: Option<String>,
}

/// Reads the manifests that hold for the folder that we stand in when a host calls.
pub(super) fn manifests(world: &World, host: &dyn Host) -> Vec<Manifest> {
    let trust = world.places.as_ref().map(Trust::of);
    let here = std::slice::from_ref(&world.cwd);
    let mut found = load::find(world, here, host.id());
    if let Some(trust) = &trust {
        load::add_pinned(world, trust, here, host.id(), &mut found);
    }
    let manifests = found.into_iter().map(|found| {
        let standing = match (found.layer, &trust) {
            (layer, _) if !layer.needs_trust() => Standing::Trusted,
            (_, Some(trust)) => trust.standing(&found.file),
            (_, None) => Standing::Never(None),
        };
        let read = anyhook_engine::files::read_document(&found.file);
        let parsed = read.and_then(|bytes| {
            let parsed = load::parse(&found.file, &String::from_utf8_lossy(&bytes));
            let usable = parsed.and_then(load::usable);
            usable.map_err(|finding| format!("line {}: {}", finding.at.line, finding.message))
        });
        let (hooks, broken) = match parsed {
            Ok(manifest) => (load::hooks(&manifest, &found.file), None),
            Err(why) => (Vec::new(), Some(why)),
        };
        Manifest {
            file: found.file,
            standing,
            hooks: hooks.into(),
            broken,
        }
    });
    // The settings of another agent are of interest for their hooks only.
    let is_native = |manifest: &Manifest| matches!(Form::of(&manifest.file), Form::Native(..));
    manifests
        .filter(|manifest| !manifest.hooks.is_empty() || !is_native(manifest))
        .collect()
}

fn run(seen: &Presence) -> Vec<Finding> {
    if !seen.is_installed() {
        return Vec::new();
    }
    let altered = seen.manifests.iter().filter_map(altered);
    let findings = seen.manifests.iter().filter_map(finding);
    findings.chain(altered).collect()
}

/// A package that was added, and whose files are not those of the lock file.
fn altered(manifest: &Manifest) -> Option<Finding> {
    let (packages, name) = Packages::of_manifest(&manifest.file)?;
    match packages.state(&name) {
        Ok(None | Some(State::Intact)) => return None,
        Ok(Some(State::Differs | State::Unread(_))) => {}
        Err(error) => {
            return Some(Finding::problem(
                &ROW,
                format!("whether the package `{name}` is what was added is unknown: {error}"),
                "the lock file records what `anyhook add` wrote",
                Fix::by_hand(format!(
                    "git checkout -- {}   # or remove the folder, and add the package again",
                    text::word(&packages.folder().join(LOCK_FILE).to_string_lossy())
                )),
            ));
        }
    }
    Some(Finding::problem(
        &ROW,
        format!("the files of the package `{name}` are not those that `anyhook add` wrote"),
        "what is there came from elsewhere, and an update would replace it",
        Fix::by_hand(format!(
            "anyhook add --update {name} --force   # or keep them, and look at the difference first"
        )),
    ))
}

fn finding(manifest: &Manifest) -> Option<Finding> {
    let shown = text::word(&manifest.file.to_string_lossy());
    let trust = Fix::by_hand(format!("anyhook trust {shown}"));
    let found = match (&manifest.broken, &manifest.standing) {
        (Some(_), Standing::Changed(_)) if !manifest.file.exists() => Finding::advice(
            &ROW,
            "hooks that you trusted are gone, and go on guarding as you trusted them",
            "a branch without them would otherwise switch a guard off",
            Fix::by_hand(format!(
                "anyhook trust --forget {shown}   # or bring the file back"
            )),
        ),
        (Some(why), _) => Finding::problem(
            &ROW,
            format!("the hooks here cannot be read: {why}"),
            "a manifest that cannot be read is not run",
            Fix::by_hand(format!("\"${{EDITOR:-vi}}\" {shown}")),
        ),
        (None, Standing::Trusted) => return None,
        (None, Standing::Never(None)) => Finding::problem(
            &ROW,
            "the hooks of this project were never trusted",
            "they do not run until you have looked at them",
            trust,
        ),
        (None, Standing::Never(Some(why)) | Standing::Unreadable(why)) => Finding::problem(
            &ROW,
            format!("whether the hooks of this project are trusted is not known: {why}"),
            "they do not run until you have looked at them",
            trust,
        ),
        (None, Standing::Changed(changes)) => {
            let changes: Vec<String> = changes.iter().map(ToString::to_string).collect();
            Finding::advice(
                &ROW,
                format!(
                    "a newer version of the hooks of this project waits for you: {}",
                    changes.join(", ")
                ),
                "until you look at it, the version that you trusted goes on guarding",
                trust,
            )
        }
    };
    Some(found.at(&manifest.file, None))
}
