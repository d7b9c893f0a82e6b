//! How an update of a package would have changed past decisions: the record, through the old and the new package.

use std::fs;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhook::packages::{Packages, Tree};
use anyhook::stores::{Filter, Jsonl};
use anyhook::world::World;
use anyhook_testing::replay::{Comparison, History, Hooks, Reading, Title, compare, text};

use crate::commands::log;
use crate::ui::line;

/// So far back, in milliseconds, and in words.
const PERIOD: (i64, &str) = (30 * 86_400_000, "30 days");
/// What stands in the place of a manifest that is not there.
const EMPTY: &str = r#"{"version": 1, "hooks": {}}"#;

/// Asks both about the record; nothing where there is none. What goes wrong is told, and stops no update.
pub(super) fn backtest(packages: &Packages, name: &str, tree: &Tree, world: &World) -> String {
    match log::store() {
        Ok(store) if !store.segments().is_empty() => {
            let told = compared(packages, (name, tree), store, world);
            told.unwrap_or_else(|why| {
                format!(
                    "  it could not be compared with the record: {}\n",
                    line(&why)
                )
            })
        }
        Ok(_) | Err(_) => String::new(),
    }
}

fn compared(
    packages: &Packages,
    (name, tree): (&str, &Tree),
    store: Jsonl,
    world: &World,
) -> Result<String, String> {
    let wrong = |error: std::io::Error| error.to_string();
    let beside = packages
        .beside(name, tree)
        .map_err(|error| error.to_string())?;
    let scratch = tempfile::tempdir().map_err(wrong)?;
    let empty = scratch.path().join("hooks.json");
    fs::write(&empty, EMPTY).map_err(wrong)?;
    let reading = reading(store, world);
    let (_, period) = PERIOD;
    let mut page = format!(
        "  the record of {period}, through the package as it is and as it comes; its commands are not started:\n"
    );
    for [old, new] in &beside.manifests {
        let side =
            |file: &Option<PathBuf>| Hooks::File(file.as_deref().unwrap_or(&empty).to_owned());
        // No person has trusted yet what comes: without the program that confines them, no command of it is started.
        let comparison = Comparison {
            before: Some(side(old)),
            after: side(new),
            program: None,
        };
        let (compared, _) = compare(&comparison, &reading).map_err(wrong)?;
        let title = Title {
            before: format!("{} as it is", shown(old.as_deref())),
            after: format!("{} as it comes", shown(new.as_deref())),
            fails: Vec::new(),
        };
        let text = text(&title, &compared);
        page.extend(text.lines().map(|line| format!("    {line}\n")));
    }
    Ok(page)
}

fn reading(store: Jsonl, world: &World) -> Reading {
    Reading {
        history: History::Own(store),
        filter: Filter {
            since: Some(world.clock.now().saturating_sub(PERIOD.0)),
            ..Filter::default()
        },
        jobs: std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN),
        interrupted: Arc::clone(&world.interrupted),
    }
}

/// The name of a manifest; the folders above it are of the moment.
fn shown(file: Option<&Path>) -> String {
    let name = file.and_then(Path::file_name);
    name.map_or_else(
        || "nothing".to_owned(),
        |name| line(&name.to_string_lossy()),
    )
}
