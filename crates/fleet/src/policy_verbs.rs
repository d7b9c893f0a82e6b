//! The verbs of `anyhook fleet policy`.

use std::path::{Path, PathBuf};

use anyhook::files::with_causes;
use anyhook::policy::{Policy, Stamp, Vouched};
use anyhook::trust::Trust;
use serde_json::json;

use crate::bundle::Bundle;
use crate::diff::diff;
use crate::disk;
use crate::error::PolicyError;
use crate::fetch::{Source, fetch};
use crate::keys::{Keyring, Public, Secret};
use crate::machine::Machine;
use crate::rules::shown;
use crate::store::{Applied, Store};

pub(crate) fn build(folder: &Path, output: &Path, keys: &[PathBuf]) -> Result<String, PolicyError> {
    let keys = keys
        .iter()
        .map(|file| Secret::open(file))
        .collect::<Result<Vec<_>, _>>()?;
    let bundle = Bundle::build(folder)?;
    let file = bundle.sign(&keys)?;
    disk::replace(
        &std::path::absolute(output).unwrap_or_else(|_| output.to_owned()),
        file.as_bytes(),
        0o644,
    )?;
    let Bundle { rules, files } = &bundle;
    Ok(format!(
        "signed revision {} of {}: {} files, {} bytes, {}\n",
        rules.revision,
        rules.name,
        files.len(),
        file.len(),
        output.display()
    ))
}

/// Shows what changes between two policies.
pub(crate) fn compare(old: &str, new: &str, managed: &Path) -> Result<String, PolicyError> {
    let told = diff(&opened(old, managed)?, &opened(new, managed)?)?;
    Ok(if told.is_empty() {
        "the two are the same\n".to_owned()
    } else {
        told
    })
}

/// Removes the policy of this machine.
pub(crate) fn leave(managed: &Path) -> Result<String, PolicyError> {
    Store::at(managed).leave()?;
    Ok("the policy of this machine is gone; its keys are still trusted\n".to_owned())
}

/// Opens a folder of a lead, a file of a policy, or the policy of this machine.
fn opened(name: &str, managed: &Path) -> Result<Bundle, PolicyError> {
    let path = Path::new(name);
    if name == "current" && path.symlink_metadata().is_err() {
        let store = Store::at(managed);
        return Bundle::unverified(&store.signed(&store.current().ok_or(PolicyError::Nothing)?)?);
    }
    if path.is_dir() {
        return Bundle::build(path);
    }
    Bundle::unverified(&fetch(&Source::read(name)?)?)
}

pub(crate) fn digest(file: &Path) -> Result<String, PolicyError> {
    let looked = Trust::look(file).map_err(|error| {
        let what = format!(
            "`{}` cannot be vouched for: {}",
            file.display(),
            with_causes(&error)
        );
        PolicyError::unfit(what, format!("anyhook check {}", file.display()))
    })?;
    let bytes = std::fs::read(file).map_err(PolicyError::io("read", file))?;
    let note = looked
        .root
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    let vouched = Vouched {
        manifest: anyhook::files::digest(&bytes),
        package: looked.digest(),
        note,
    };
    Ok(serde_json::to_string(&vouched).unwrap_or_default() + "\n")
}

pub(crate) fn trust_key(file: &Path, managed: &Path) -> Result<String, PolicyError> {
    let bytes = std::fs::read_to_string(file).map_err(PolicyError::io("read", file))?;
    let key = Public::read(&bytes)?;
    disk::folder(managed)?;
    let kept = Keyring::at(managed).add(&key)?;
    Ok(format!(
        "trusted: the key {} ({}), in {}\nCompare {} with what its owner says: that key decides for every user of this machine.\n",
        key.id(),
        key.name(),
        kept.display(),
        key.id(),
    ))
}

pub(crate) fn apply(source: Option<&str>, managed: &Path) -> Result<String, PolicyError> {
    let store = Store::at(managed);
    let seen = store.seen()?;
    let source = match source {
        Some(source) => Source::read(source)?,
        None if seen.source.is_empty() => return Err(PolicyError::Nothing),
        None => Source::read(&seen.source)?,
    };
    let applied = store.apply(&fetch(&source)?, &source)?;
    Ok(match applied {
        Applied::Enforced { name, before } => {
            let before = before
                .map(|before| format!(" after {before}"))
                .unwrap_or_default();
            format!(
                "revision {name} holds from now on{before}, for every agent of every user of this machine\n"
            )
        }
        Applied::Confirmed { name } => {
            format!("revision {name} holds already, and was confirmed\n")
        }
    })
}

pub(crate) fn status(managed: &Path, is_json: bool) -> Result<String, PolicyError> {
    if is_json {
        return status_as_json(managed);
    }
    let store = Store::at(managed);
    let mut page = String::new();
    match store.current() {
        Some(Policy { name, stamp, .. }) => {
            page.push_str(&format!("revision {name}  holds\n"));
            match stamp {
                Ok(stamp) => page.push_str(&about(&stamp)),
                Err(why) => {
                    page.push_str(&format!("  cannot be read, so every gate refuses: {why}\n"));
                }
            }
        }
        None => page.push_str("no policy was applied on this machine\n"),
    }
    match Machine::here(managed) {
        Ok(machine) => page.push_str(&format!("machine {}\n", machine.id())),
        Err(_) => page.push_str("machine without an id; `apply` gives it one\n"),
    }
    for key in store.keys()? {
        page.push_str(&format!("trusts the key {}  {}\n", key.id(), key.name()));
    }
    Ok(page)
}

/// Nothing is where no policy was applied, and where the machine has no id yet.
fn status_as_json(managed: &Path) -> Result<String, PolicyError> {
    let store = Store::at(managed);
    let of = |policy: Policy| match policy.stamp {
        Ok(stamp) => json!({"name": policy.name, "stamp": stamp}),
        Err(why) => json!({"name": policy.name, "unreadable": why}),
    };
    let machine = Machine::here(managed).ok();
    let machine = machine.map(|machine| json!({"id": machine.id()}));
    let keys = store.keys()?;
    let keys = keys
        .iter()
        .map(|key| json!({"id": key.id(), "name": key.name()}));
    let all = json!({
        "holds": store.current().map(of), "machine": machine,
        "keys": keys.collect::<Vec<_>>(),
    });
    Ok(format!("{all}\n"))
}

fn about(stamp: &Stamp) -> String {
    let mut lines = format!(
        "  signed by   {}\n  from        {}\n  applied     {}\n  confirmed   {}\n",
        stamp.signers.join(", "),
        stamp.source,
        shown(stamp.applied),
        shown(stamp.confirmed),
    );
    if let Some(until) = stamp.until {
        let then = serde_json::to_string(&stamp.then).unwrap_or_default();
        lines.push_str(&format!(
            "  holds until {}, then {}\n",
            shown(until),
            then.trim_matches('"')
        ));
    }
    for granted in &stamp.exceptions {
        let people = match granted.people.as_slice() {
            [] => "everybody here".to_owned(),
            people => people.join(", "),
        };
        lines.push_str(&format!(
            "  exception   {} for {people} until {} ({}: {})\n",
            granted.hook,
            shown(granted.until),
            granted.owner,
            granted.reason
        ));
    }
    lines
}
