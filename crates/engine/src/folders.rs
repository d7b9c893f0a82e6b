//! Whether an agent trusts a folder, as far as it can be told from what the agent keeps and from the environment.
//!
//! Small files are read, and only on demand. If it cannot be known whether a folder is trusted, it is not called trusted.
//!
//! ```
//! use std::path::Path;
//!
//! use anyhook_engine::folders::told;
//! use anyhook_engine::wires::host;
//! use anyhook_engine::world::World;
//!
//! // The universal form is of no agent, and no agent keeps a list of folders for it.
//! let universal = host("universal").ok_or("no such host")?;
//! assert!(told(&World::real(), universal, Path::new("/p")).is_none());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::path::{Path, PathBuf};

use anyhook_wires::Host;
use anyhook_wires::health::{TrustOverride, TrustSource, TrustValue, UnlistedFolder};
use anyhook_wires::native_files::Syntax;
use anyhook_wires::settings::Scope;
use anyhook_wires::settings::edit::value_at;
use serde_json::Value;

use crate::world::World;

/// Whether an agent trusts something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TrustState {
    /// It does.
    Yes,
    /// It does not.
    No,
    /// It was not asked yet.
    Unasked,
}

/// What an agent says about a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FolderTrust {
    /// Whether it trusts it.
    pub state: TrustState,
    /// Where that stands.
    pub file: PathBuf,
    /// The scopes whose hooks do not run in a folder that is not trusted.
    pub stops: &'static [Scope],
    /// What a person does to change it.
    pub fix: &'static str,
}

/// Returns what a host says about a folder; of several places the first that says yes counts, else the first. Nothing where
/// it keeps no folders that we can read.
pub fn told(world: &World, host: &Host, folder: &Path) -> Option<FolderTrust> {
    let mut all: Vec<FolderTrust> = tables(host)
        .filter_map(|table| one(world, host, folder, table))
        .collect();
    let yes = all.iter().position(|told| told.state == TrustState::Yes);
    (!all.is_empty()).then(|| all.swap_remove(yes.unwrap_or(0)))
}

/// Tells whether a host that calls us is known to run hooks of the project's own files in this folder by itself.
pub fn runs_projects(world: &World, host: &Host, folder: &Path) -> bool {
    // Where it ran no hook at all without trust, it would not have called us.
    let depends =
        |stops: &[Scope]| stops.contains(&Scope::Project) && !stops.contains(&Scope::User);
    tables(host).all(|table| match table {
        TrustSource::Folders { stops, .. } => {
            let is_trusted = |told: FolderTrust| told.state == TrustState::Yes;
            !depends(stops) || told(world, host, folder).is_some_and(is_trusted)
        }
        TrustSource::Hidden { stops } => !depends(stops),
        TrustSource::Entries { .. } => true,
    })
}

fn tables(host: &Host) -> impl Iterator<Item = &'static TrustSource> {
    host.facts().health.iter().flat_map(|health| health.trust)
}

fn one(world: &World, host: &Host, folder: &Path, table: &TrustSource) -> Option<FolderTrust> {
    let TrustSource::Folders {
        file,
        at,
        field,
        yes,
        unlisted,
        stops,
        before,
        fix,
    } = *table
    else {
        return None;
    };
    let file = place(world, host, file)?;
    let state = before.iter().find_map(|one| decided(world, host, one));
    let state = state.unwrap_or_else(|| {
        let listed = value(&file, at);
        let told = listed
            .as_ref()
            .and_then(|listed| nearest(listed, folder, field));
        match (told, unlisted) {
            (Some(value), _) if is_yes(&value, yes) => TrustState::Yes,
            (Some(_), _) | (None, UnlistedFolder::Untrusted) => TrustState::No,
            (None, UnlistedFolder::Trusted) => TrustState::Yes,
            (None, UnlistedFolder::Asks) => TrustState::Unasked,
        }
    });
    Some(FolderTrust {
        state,
        file,
        stops,
        fix,
    })
}

fn decided(world: &World, host: &Host, by: &TrustOverride) -> Option<TrustState> {
    let is_set = |name: &str, value: &str| world.var(name).is_some_and(|set| set == value);
    match *by {
        TrustOverride::Trusted(name, value) => is_set(name, value).then_some(TrustState::Yes),
        TrustOverride::Untrusted(name, value) => is_set(name, value).then_some(TrustState::No),
        TrustOverride::Off(file, at) => {
            let is_off = value(&place(world, host, file)?, at) == Some(Value::Bool(false));
            is_off.then_some(TrustState::Yes)
        }
    }
}

fn is_yes(value: &Value, yes: &[TrustValue]) -> bool {
    yes.iter().any(|yes| match yes {
        TrustValue::True => *value == Value::Bool(true),
        TrustValue::Text(text) => value.as_str() == Some(text),
    })
}

/// Returns what is said about a folder, or about the nearest one above it; of a list, whether it names one of them.
fn nearest(listed: &Value, folder: &Path, field: &str) -> Option<Value> {
    let real = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    let mut above = real.ancestors().chain(folder.ancestors());
    if let Some(list) = listed.as_array() {
        let names = |folder: &Path| list.iter().any(|name| name.as_str() == folder.to_str());
        return above.any(names).then_some(Value::Bool(true));
    }
    let folders = listed.as_object()?;
    above.find_map(|folder| {
        let value = folders.get(folder.to_str()?)?;
        if field.is_empty() {
            Some(value.clone())
        } else {
            value.get(field).cloned()
        }
    })
}

fn value(file: &Path, at: &[&str]) -> Option<Value> {
    let bytes = crate::files::read_document(file).ok()?;
    value_at(&String::from_utf8(bytes).ok()?, Syntax::of(file), at)
}

/// Returns where a file of a host is that its documents call by this path.
pub(crate) fn place(world: &World, host: &Host, path: &str) -> Option<PathBuf> {
    let moved = host
        .facts()
        .settings
        .and_then(|settings| world.moved(settings, path));
    moved.or_else(|| Some(world.places.as_ref()?.home.join(path.strip_prefix("~/")?)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::UserFolders;

    fn world(home: &Path, env: &[(&str, &str)]) -> World {
        let places = UserFolders {
            home: home.into(),
            config: home.join("config"),
            state: home.join("state"),
        };
        let env = env.iter().map(|(name, value)| (name.into(), value.into()));
        World {
            env: env.collect(),
            places: Some(places),
            ..World::real()
        }
    }

    #[test]
    fn an_agent_is_known_to_run_a_projects_hooks_only_where_it_says_that_it_trusts_the_folder() {
        let home = tempfile::tempdir().unwrap();
        let home = home.path().canonicalize().unwrap();
        let folder = home.join("p/src");
        std::fs::create_dir_all(&folder).unwrap();
        let runs = |id: &str, env: &[(&str, &str)]| {
            runs_projects(
                &world(&home, env),
                anyhook_wires::host(id).unwrap(),
                &folder,
            )
        };
        for (id, runs_it) in [
            // They run no hook at all in a folder that they do not trust, so one that calls us trusts it.
            ("claude-code", true),
            ("gemini-cli", true),
            ("codex-cli", true),
            ("copilot-cli", false),
            ("cursor", false),
        ] {
            assert_eq!(runs(id, &[]), runs_it, "{id}");
        }
        assert!(runs("copilot-cli", &[("COPILOT_ALLOW_ALL", "true")]));
        assert!(!runs("copilot-cli", &[("COPILOT_ALLOW_ALL", "1")]));
        let moved = home.join("moved");
        for (file, key) in [
            (".copilot/config.json", "trustedFolders"),
            (".copilot/config.json", "trusted_folders"),
            (".copilot/settings.json", "trustedFolders"),
            ("moved/config.json", "trustedFolders"),
        ] {
            let file = home.join(file);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            let env = [("COPILOT_HOME", moved.to_str().unwrap())];
            let env = if file.starts_with(&moved) {
                &env[..]
            } else {
                &[]
            };
            for (listed, trusts) in [
                (home.join("p"), true),
                (home.join("q"), false),
                (folder.join("x"), false),
            ] {
                let text = format!("// managed\n{{\"{key}\": [{listed:?}]}}");
                std::fs::write(&file, text).unwrap();
                assert_eq!(
                    runs("copilot-cli", env),
                    trusts,
                    "{file:?} {key} {listed:?}"
                );
            }
            std::fs::remove_file(&file).unwrap();
        }
    }

    #[test]
    fn what_decides_before_the_list_of_an_agent_does_so() {
        let home = tempfile::tempdir().unwrap();
        let home = home.path().canonicalize().unwrap();
        let gemini = anyhook_wires::host("gemini-cli").unwrap();
        let state = |env: &[(&str, &str)]| told(&world(&home, env), gemini, &home).unwrap().state;
        assert_eq!(state(&[]), TrustState::No);
        assert_eq!(
            state(&[("GEMINI_CLI_TRUST_WORKSPACE", "true")]),
            TrustState::Yes
        );
        std::fs::create_dir(home.join(".gemini")).unwrap();
        let list = serde_json::json!({&*home.to_string_lossy(): "TRUST_FOLDER"});
        std::fs::write(home.join(".gemini/trustedFolders.json"), list.to_string()).unwrap();
        assert_eq!(state(&[]), TrustState::Yes);
        assert_eq!(
            state(&[("GEMINI_CLI_TRUST_WORKSPACE", "false")]),
            TrustState::No
        );
        assert_eq!(state(&[("GEMINI_RESTRICTED_MODE", "true")]), TrustState::No);
        std::fs::remove_file(home.join(".gemini/trustedFolders.json")).unwrap();
        let off = r#"{"security": {"folderTrust": {"enabled": false}}}"#;
        std::fs::write(home.join(".gemini/settings.json"), off).unwrap();
        assert_eq!(state(&[]), TrustState::Yes);
    }
}
