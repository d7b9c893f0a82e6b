//! Is it asked: no switch turns our entries off, the agent trusts them, no event calls us twice, and the hooks may run.

use std::path::{Path, PathBuf};

use anyhook_core::manifest::{Action, Manifest};
use anyhook_engine::folders::{self, TrustState};
use anyhook_engine::load::{self, Layer, ManifestFormat};
use anyhook_engine::policy::PolicyRevision;
use anyhook_engine::text::word;
use anyhook_engine::trust;
use anyhook_wires::health::{OffValue, Switch, SwitchLocation, TrustSource};
use anyhook_wires::native_files::Syntax;
use anyhook_wires::settings::Scope;
use anyhook_wires::settings::edit::value_at;
use serde_json::Value;

use super::presence::{HostPresence, text};
use super::{DoctorFinding, several};
use crate::packages::{LOCK_FILE, PackageError, Packages};
use crate::survey::{managed_trouble, standing};

pub(super) fn switches(seen: &HostPresence<'_>) -> Vec<DoctorFinding> {
    let switches = seen.host.facts().health.map_or(&[][..], |it| it.switches);
    let mut findings: Vec<DoctorFinding> = Vec::new();
    for switch in switches {
        let pins = switch.pinned_in.map(|place| files(seen, place));
        let mut pins = pins.into_iter().flatten();
        if pins.any(|(pin, _)| value(switch.at, &pin).is_some()) {
            continue;
        }
        for (file, own) in files(seen, switch.place) {
            let scopes = stopped(seen, switch, &file, own);
            if !scopes.is_empty() {
                let name = switch.at.join(".");
                let shown = word(&file.to_string_lossy());
                let what = format!(
                    "`{name}` turns off the hooks of the {} settings",
                    scopes.join(" and ")
                );
                let why = "a setting says that this agent asks no hooks, so ours do not hold";
                let fix = format!("\"${{EDITOR:-vi}}\" {shown}   # and take `{name}` out");
                let finding = DoctorFinding::problem(what, why, fix).at(&file, None);
                if !findings.contains(&finding) {
                    findings.push(finding);
                }
            }
        }
    }
    findings
}

/// Names the scopes in which a file switches entries of ours off.
fn stopped(
    seen: &HostPresence<'_>,
    switch: &Switch,
    file: &Path,
    own: Option<Scope>,
) -> Vec<&'static str> {
    let value = value(switch.at, file);
    if !value.is_some_and(|value| is_off(switch.off, &value, seen)) {
        return Vec::new();
    }
    let scopes = seen.scopes().into_iter();
    let stopped = scopes.filter(|scope| switch.stops.stops(*scope, own == Some(*scope)));
    stopped.map(Scope::name).collect()
}

/// Returns what a file has at these fields.
fn value(at: &[&str], file: &Path) -> Option<Value> {
    let text = text(file).ok().flatten()?;
    value_at(&text, Syntax::of(file), at)
}

/// Returns the files in which a switch may stand, each with its scope if it is one of the settings.
fn files(seen: &HostPresence<'_>, place: SwitchLocation) -> Vec<(PathBuf, Option<Scope>)> {
    match place {
        SwitchLocation::Settings => {
            let files = seen.files.iter();
            files
                .map(|file| (file.path.clone(), Some(file.scope)))
                .collect()
        }
        SwitchLocation::File(path) => seen
            .place(path)
            .map(|path| (path, None))
            .into_iter()
            .collect(),
    }
}

fn is_off(off: OffValue, value: &Value, seen: &HostPresence<'_>) -> bool {
    match off {
        OffValue::True => *value == Value::Bool(true),
        OffValue::False => *value == Value::Bool(false),
        OffValue::Listed => seen.own().any(|(_, entry, own)| {
            let title = format!("anyhook {}", entry.standing.event);
            let names = value.as_array().into_iter().flatten();
            names
                .filter_map(Value::as_str)
                .any(|name| name == own.command || name == title)
        }),
    }
}

pub(super) fn trust(seen: &HostPresence<'_>) -> Vec<DoctorFinding> {
    if !seen.is_installed() {
        return Vec::new();
    }
    let tables = seen.host.facts().health.map_or(&[][..], |it| it.trust);
    let entries = tables.iter().filter_map(|table| untrusted(seen, table));
    folder(seen).into_iter().chain(entries).collect()
}

/// Looks whether the folder is trusted, where entries of ours depend on that.
fn folder(seen: &HostPresence<'_>) -> Option<DoctorFinding> {
    let world = seen.installer.world;
    let project = seen.installer.project();
    let project = project.unwrap_or_else(|_| world.cwd.clone());
    let told = folders::told(world, seen.host, &project)?;
    let depends = seen.scopes().iter().any(|scope| told.stops.contains(scope));
    let what = format!("the folder `{}`", project.display());
    let found = match told.state {
        TrustState::No if depends => not_trusted(&what, told.fix),
        TrustState::Unasked if depends => DoctorFinding::advice(
            format!("the agent has not been asked yet whether it trusts {what}"),
            "it asks when it is started there, and runs no hook before",
            told.fix,
        ),
        TrustState::Yes | TrustState::No | TrustState::Unasked => return None,
    };
    Some(found.at(&told.file, None))
}

fn not_trusted(what: &str, fix: &str) -> DoctorFinding {
    DoctorFinding::problem(
        format!("the agent does not trust {what}"),
        "an agent runs no hook that it does not trust, and a run without a person does not say so",
        fix,
    )
}

/// Finds the entries that an agent does not trust which trusts each by itself; the administrator's need no person's trust.
fn untrusted(seen: &HostPresence<'_>, table: &TrustSource) -> Option<DoctorFinding> {
    let TrustSource::Entries {
        file,
        at,
        pinned,
        enabled,
        fix,
    } = *table
    else {
        return None;
    };
    let file = seen.place(file)?;
    let pins = value(at, &file);
    let is_trusted = |path: &Path, event: &str| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let is_its = |key: &str| {
            let mut parts = key.rsplitn(4, ':').skip(2);
            let told = parts.next();
            let source = parts.next().unwrap_or_default();
            told == Some(snake(event).as_str()) && source.ends_with(&*name)
        };
        let mut pins = pins.iter().filter_map(Value::as_object).flatten();
        pins.any(|(key, pin)| {
            is_its(key)
                && pin.get(pinned).is_some_and(Value::is_string)
                && pin.get(enabled) != Some(&Value::Bool(false))
        })
    };
    let own = seen.own().filter(|(file, ..)| file.scope != Scope::Managed);
    let events = own.map(|(file, entry, _)| (file, entry.standing.event.as_str()));
    let events: Vec<&str> = events
        .filter(|(file, event)| !is_trusted(&file.path, event))
        .map(|(_, event)| event)
        .collect();
    let entries = if events.len() == 1 {
        "entry"
    } else {
        "entries"
    };
    let what = format!("the {entries} for {}", several(&events));
    (!events.is_empty()).then(|| not_trusted(&what, fix).at(&file, None))
}

/// Writes `PreToolUse` as `pre_tool_use`.
fn snake(name: &str) -> String {
    let mut snake = String::new();
    for letter in name.chars() {
        if letter.is_ascii_uppercase() && !snake.is_empty() {
            snake.push('_');
        }
        snake.push(letter.to_ascii_lowercase());
    }
    snake
}

const TWICE: &str = "each event starts anyhook twice; what refuses is asked once, what lets pass may be asked again";

pub(super) fn twice(seen: &HostPresence<'_>) -> Vec<DoctorFinding> {
    let host = seen.host.id();
    let mut findings = Vec::new();
    if let [wider, .., nearer] = seen.scopes().as_slice() {
        let (wider, name) = (wider.name(), nearer.name());
        let what = format!("entries stand in the {wider} and in the {name} settings");
        let records = seen.installer.records().unwrap_or_default();
        let mut its = records.iter().filter(|record| record.host == host);
        let comes_back =
            its.any(|record| record.scope() == Some(*nearer) && record.taken.is_some());
        let but = if comes_back {
            "   # its own hooks come back: take them out of hooks.json too, or they run twice"
        } else {
            ""
        };
        let fix = format!("anyhook uninstall --host {host} --scope {name}{but}");
        let mut files = seen.own().map(|(file, ..)| file);
        let file = files.find(|file| file.scope == *nearer);
        findings
            .extend(file.map(|file| DoctorFinding::advice(what, TWICE, fix).at(&file.path, None)));
    }
    // It may read the entries for another host too.
    findings.extend(seen.reads_too().into_iter().map(|(other, file)| {
        let finding = if seen.is_installed() {
            DoctorFinding::advice(
                format!("it reads the entries for {other} too, beside its own"),
                TWICE,
                format!("anyhook uninstall --host {host}   # or keep both"),
            )
        } else {
            DoctorFinding::advice(
                format!("it calls anyhook through the entries for {other}"),
                "they answer in the words of that agent, of which this one may not understand all",
                format!("anyhook install --host {host}"),
            )
        };
        finding.at(&file, None)
    }));
    findings
}

/// Whether the hooks that hold for the folder in which we stand may run when this host calls.
pub(super) fn project(seen: &HostPresence<'_>) -> Vec<DoctorFinding> {
    if !seen.is_installed() {
        return Vec::new();
    }
    let world = seen.installer.world;
    let trust = world.places.as_ref().map(trust::Trust::of);
    let here = std::slice::from_ref(&world.cwd);
    let host = seen.host.id();
    let found = load::find(world, here, host, trust.as_ref());
    let mut findings = Vec::new();
    for load::ManifestFile { file, layer, .. } in found {
        let standing = standing(&file, layer, trust.as_ref());
        let read = load::open(&file);
        // The settings of another agent are of interest for their hooks only.
        let has_hooks = |manifest| !load::hooks(manifest, &file).is_empty();
        let is_native = matches!(ManifestFormat::of(&file), ManifestFormat::Native(..));
        findings.extend(read.iter().flat_map(|manifest| broken(&file, manifest)));
        if !is_native || read.as_ref().is_ok_and(has_hooks) {
            findings.extend(not_run(&file, read.err(), standing));
            findings.extend(altered(&file));
        }
        if layer == Layer::Project {
            findings.extend(passed_over(&file));
        }
    }
    let packages = [Packages::of_project(world)].into_iter();
    let packages = packages.chain(world.places.as_ref().map(Packages::of_user));
    findings.extend(packages.flat_map(|packages| {
        packages
            .gone()
            .iter()
            .map(|name| gone(name))
            .collect::<Vec<_>>()
    }));
    findings
}

/// Finds a file of hooks beside the one that is asked, which is read where that one is not there.
fn passed_over(file: &Path) -> Option<DoctorFinding> {
    let root = trust::package_root(file);
    let mut others = load::manifests_of(&root).filter(|_| file.exists());
    let other = others.find(|other| other != file && other.exists())?;
    let what = format!("the hooks of `{}` are not asked", other.display());
    let fix = "move them into the other file".to_owned();
    let why = "of the two places of a project's hooks only the first counts";
    Some(DoctorFinding::problem(what, why, fix).at(file, None))
}

/// A package that the lock file names, and that is not there.
fn gone(name: &str) -> DoctorFinding {
    DoctorFinding::problem(
        format!("the package `{name}` is gone, and `{LOCK_FILE}` names it"),
        "its hooks do not run, but as you trusted them",
        format!(
            "anyhook add --update {name} --force   # or take it out: anyhook add --remove {name}"
        ),
    )
}

/// Says which hooks of a manifest cannot run.
fn broken(file: &Path, manifest: &Manifest) -> Vec<DoctorFinding> {
    let entries = manifest.groups.iter().flat_map(|group| {
        let named = group.entries.iter().filter(|entry| entry.enabled);
        named.map(|entry| (group.name_of(entry), entry))
    });
    let broken = entries.filter_map(|(name, entry)| {
        let Action::Broken(why) = &entry.action else {
            return None;
        };
        let found = DoctorFinding::problem(
            format!("the hook `{name}` cannot run: {why}"),
            "what cannot be read may have been meant as a guard, so what it would be asked about is blocked",
            format!("anyhook check {}", word(&file.to_string_lossy())),
        );
        Some(found.at(file, usize::try_from(entry.at.line).ok()))
    });
    broken.collect()
}

/// Says why the hooks of a manifest do not run as they stand there.
fn not_run(
    file: &Path,
    broken: Option<String>,
    standing: trust::PinStatus,
) -> Option<DoctorFinding> {
    use trust::PinStatus;

    let shown = word(&file.to_string_lossy());
    let trust = format!("anyhook trust {shown}");
    let unseen = "they do not run until you have looked at them";
    let found = match (broken, standing) {
        (Some(_), PinStatus::Changed(_)) if !file.exists() => DoctorFinding::advice(
            "hooks that you trusted are gone, and go on guarding as you trusted them",
            "a branch without them would otherwise switch a guard off",
            format!("anyhook trust --forget {shown}   # or bring the file back"),
        ),
        (Some(why), standing) => DoctorFinding::problem(
            format!("the hooks here cannot be read: {why}"),
            match standing {
                PinStatus::Changed(_) => "the version that you trusted goes on guarding",
                _ => "a manifest that cannot be read is not run",
            },
            format!("\"${{EDITOR:-vi}}\" {shown}"),
        ),
        (None, PinStatus::Trusted) => return None,
        (None, PinStatus::Never(None)) => DoctorFinding::problem(
            "the hooks of this project were never trusted",
            unseen,
            trust,
        ),
        (None, PinStatus::Never(Some(why)) | PinStatus::Unreadable(why)) => {
            let what = format!("whether the hooks of this project are trusted is not known: {why}");
            DoctorFinding::problem(what, unseen, trust)
        }
        (None, PinStatus::Changed(changes)) => {
            let changes: Vec<String> = changes.iter().map(ToString::to_string).collect();
            DoctorFinding::advice(
                format!(
                    "a newer version of the hooks of this project waits for you: {}",
                    changes.join(", ")
                ),
                "until you look at it, the version that you trusted goes on guarding",
                trust,
            )
        }
    };
    Some(found.at(file, None))
}

/// Finds a package that was added, and whose files are not those of the lock file.
fn altered(manifest: &Path) -> Option<DoctorFinding> {
    let PackageError { what, help } = Packages::altered(manifest)?;
    let why = "what is there came from elsewhere, and an update would replace it";
    Some(DoctorFinding::problem(what, why, help.unwrap_or_default()))
}

pub(super) fn managed(seen: &HostPresence<'_>) -> Vec<DoctorFinding> {
    let world = seen.installer.world;
    let trouble = managed_trouble(world).into_iter();
    let told = trouble.map(|(path, why)| {
        let shown = word(&path.to_string_lossy());
        DoctorFinding::problem(
            format!("another user than the administrator can change the managed hooks: {why}"),
            "they are trusted without a question and always run, so a user who can change them decides for all users",
            format!(
                "sudo chown root {shown} && sudo chmod go-w {shown}"
            ),
        )
        .at(&path, None)
    });
    let policy = PolicyRevision::of(&world.managed);
    told.chain(policy.and_then(|policy| overdue(&policy, world.clock.now())))
        .collect()
}

/// What is wrong with the policy of this machine.
fn overdue(policy: &PolicyRevision, now: i64) -> Option<DoctorFinding> {
    let name = &policy.name;
    let (what, source) = match &policy.stamp {
        Err(why) => (
            format!("the policy {name} of this machine cannot be read: {why}"),
            "FILE".to_owned(),
        ),
        Ok(stamp) if stamp.is_overdue(now) => (
            format!(
                "the policy {name} of this machine was not confirmed in time and holds no longer"
            ),
            word(&stamp.source),
        ),
        Ok(_) => return None,
    };
    let why = "its hooks guard all users of this machine, and it says itself what happens when it holds no longer";
    let fix = format!("sudo anyhook fleet policy apply {source}");
    Some(DoctorFinding::problem(what, why, fix).at(&policy.folder, None))
}
