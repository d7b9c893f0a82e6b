//! The verbs of `anyhook fleet policy`.

use std::path::{Path, PathBuf};

use anyhook::files::with_causes;
use anyhook::policy::{PolicyRevision, RevisionStamp, VouchedPackage};
use anyhook::trust::Trust;
use serde_json::json;

use crate::bundle::Bundle;
use crate::diff::diff;
use crate::disk;
use crate::error::{PolicyError, Trouble};
use crate::fetch::{PolicySource, fetch};
use crate::keys::{NamedKey, SecretKey, trust};
use crate::machine::Machine;
use crate::rules::shown;
use crate::store::{ApplyOutcome, Store};

pub(crate) fn build(folder: &Path, output: &Path, keys: &[PathBuf]) -> Result<String, PolicyError> {
    let keys: Result<Vec<_>, _> = keys.iter().map(|file| SecretKey::open(file)).collect();
    let keys = keys?;
    let bundle = Bundle::build(folder)?;
    let file = bundle.sign(&keys)?;
    let whole = std::path::absolute(output).unwrap_or_else(|_| output.to_owned());
    disk::replace(&whole, file.as_bytes(), 0o644)?;
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
        let held = store.current();
        let held = held.ok_or_else(|| Trouble::Nothing.error(""))?;
        return Bundle::unverified(&store.signed(&held)?);
    }
    if path.is_dir() {
        return Bundle::build(path);
    }
    Bundle::unverified(&fetch(&PolicySource::read(name)?)?)
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
    let folder = looked.root.file_name().unwrap_or_default();
    let vouched = VouchedPackage {
        manifest: anyhook::files::digest(&bytes),
        package: looked.digest(),
        note: folder.to_string_lossy().into_owned(),
    };
    Ok(serde_json::to_string(&vouched).unwrap_or_default() + "\n")
}

pub(crate) fn trust_key(file: &Path, managed: &Path) -> Result<String, PolicyError> {
    let bytes = std::fs::read_to_string(file).map_err(PolicyError::io("read", file))?;
    let key = NamedKey::read(&bytes)?;
    let kept = trust(managed, &key)?;
    Ok(format!(
        "trusted: the key {} ({}), in {}\nCompare {} with what its owner says: that key decides for every user of this machine.\n",
        key.id(),
        key.name,
        kept.display(),
        key.id(),
    ))
}

pub(crate) fn apply(source: Option<&str>, managed: &Path) -> Result<String, PolicyError> {
    let store = Store::at(managed);
    let seen = store.seen()?;
    let source = match source {
        Some(source) => PolicySource::read(source)?,
        None if seen.source.is_empty() => return Err(Trouble::Nothing.error("")),
        None => PolicySource::read(&seen.source)?,
    };
    Ok(match store.apply(&fetch(&source)?, &source)? {
        ApplyOutcome::Enforced { name, before } => {
            let before = before.map_or_else(String::new, |before| format!(" after {before}"));
            format!(
                "revision {name} holds from now on{before}, for every agent of every user of this machine\n"
            )
        }
        ApplyOutcome::Confirmed { name } => {
            format!("revision {name} holds already, and was confirmed\n")
        }
    })
}

pub(crate) fn status(managed: &Path, is_json: bool) -> Result<String, PolicyError> {
    let store = Store::at(managed);
    let machine = Machine::here(managed).ok();
    let (holds, keys) = (store.current(), store.keys()?);
    if is_json {
        // Nothing is where no policy was applied, and where the machine has no id yet.
        let of = |policy: PolicyRevision| match policy.stamp {
            Ok(stamp) => json!({"name": policy.name, "stamp": stamp}),
            Err(why) => json!({"name": policy.name, "unreadable": why}),
        };
        let key = |key: &NamedKey| json!({"id": key.id(), "name": key.name});
        let keys: Vec<_> = keys.iter().map(key).collect();
        let machine = machine.map(|machine| json!({"id": machine.id}));
        let all = json!({"holds": holds.map(of), "machine": machine, "keys": keys});
        return Ok(format!("{all}\n"));
    }
    let mut page = match holds {
        None => "no policy was applied on this machine\n".to_owned(),
        Some(PolicyRevision { name, stamp, .. }) => {
            let told = stamp.map_or_else(
                |why| format!("  cannot be read, so every gate refuses: {why}\n"),
                |stamp| about(&stamp),
            );
            format!("revision {name}  holds\n{told}")
        }
    };
    page += &machine.map_or_else(
        || "machine without an id; `apply` gives it one\n".to_owned(),
        |machine| format!("machine {}\n", machine.id),
    );
    for key in keys {
        page += &format!("trusts the key {}  {}\n", key.id(), key.name);
    }
    Ok(page)
}

fn about(stamp: &RevisionStamp) -> String {
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
