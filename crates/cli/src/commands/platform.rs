//! `anyhook platform`: what this platform can do, for programs that ask before they rely on it.

use anyhook::platform::{self, FILE, Folder, capabilities, of_host};
use anyhook::world::World;
use clap::Args;
use serde_json::Value;

use super::{Row, log};
use crate::error::{self, Problem};
use crate::exit::Exit;
use crate::ui::{self, paint};

/// The row.
pub(crate) const ROW: Row = verb!("platform", PlatformArgs, run);

/// Print the events and types of hooks that programs can rely on
#[derive(Args)]
#[command(
    after_help = "When a session starts, Anyhook writes this file for the agent that starts it, if the project has a folder \
             .agent-packages and you trust something of the project.\n\n\
             Examples:\n  anyhook platform info\n  anyhook platform info --json --host cursor"
)]
struct PlatformArgs {
    /// What to print
    #[arg(default_value = "info", value_parser = ["info"])]
    what: String,
    /// Only for this agent
    #[arg(long, value_name = "NAME")]
    host: Option<String>,
    /// Write it to .agent-packages/.platform-capabilities.json in this folder
    #[arg(long)]
    write: bool,
    #[command(flatten)]
    form: log::Form,
}

fn run(args: &PlatformArgs) -> Result<Exit, Problem> {
    let named = args.host.as_deref().map(error::host);
    let named = named.transpose()?;
    let facts = named.map_or_else(capabilities, of_host);
    let text = format!(
        "{}\n",
        serde_json::to_string_pretty(&facts).unwrap_or_default()
    );
    if args.write {
        let here = World::real().cwd;
        platform::write(&here, &facts, Folder::Made).map_err(|error| {
            let what = format!("cannot write `{}`", here.join(FILE).display());
            Problem::new(Exit::CannotCreate, what).because(error)
        })?;
        ui::out(&format!("{} {FILE}\n", paint(ui::PASS, "written")))?;
    } else if args.form.is_json() {
        ui::raw(&text)?;
    } else {
        ui::out(&page(&facts))?;
    }
    Ok(Exit::Done)
}

fn page(facts: &Value) -> String {
    let words = |value: &Value| {
        let list = value.as_array().into_iter().flatten();
        let words: Vec<&str> = list.filter_map(Value::as_str).collect();
        words.join(", ")
    };
    let one = |facts: &Value| {
        let name = facts.get("platform").and_then(Value::as_str);
        let field = |name: &str| words(facts.get(name).unwrap_or(&Value::Null));
        format!(
            "{}\n{}{}",
            paint(ui::BOLD, name.unwrap_or_default()),
            ui::beside("  events     ", 13, &field("hook_events")),
            ui::beside("  may block  ", 13, &field("blocking_events")),
        )
    };
    let hosts = facts.get("hosts").and_then(Value::as_array);
    let mut text = match hosts {
        Some(hosts) => hosts.iter().map(one).collect(),
        None => one(facts),
    };
    let types = words(facts.get("hook_types").unwrap_or(&Value::Null));
    text.push_str(&format!("\nhooks are of type {types}\n"));
    text
}
