//! `anyhook explain`: shows what would happen at an event, and starts nothing.

mod facts;

use std::io::IsTerminal as _;
use std::path::PathBuf;

use anyhook::core::event::EventName;
use anyhook::event::{Caller, Context};
use anyhook::load::LoadOptions;
use anyhook::state::FileState;
use anyhook::survey::{LayerFile, Survey};
use anyhook::wires::{Host, hosts};
use anyhook::world::World;
use clap::Args;
use serde_json::{Map, Value};

use super::run::known_event;
use super::{CommandSpec, why};
use crate::error::{self, CliError};
use crate::exit::Exit;
use crate::form::JsonFlag;
use crate::{findings, payload, ui};

/// The row.
pub(crate) const ROW: CommandSpec = verb!("explain", ExplainArgs, run);

/// Show which hooks would answer an event, and what rules answer
#[derive(Args, Clone, Default)]
#[command(after_help = include_str!("help/explain.txt"))]
struct ExplainArgs {
    /// A shell line, as an agent would run it in this project; or an event; or the id of a past one
    #[arg(value_name = "LINE", conflicts_with_all = ["event", "tool", "input"])]
    what: Option<String>,
    /// The event, in any spelling
    #[arg(long, value_name = "NAME")]
    event: Option<String>,
    /// The tool that is about to run
    #[arg(long, value_name = "NAME")]
    tool: Option<String>,
    /// An argument of the tool, or without --tool a field of the event; KEY:=JSON for a number, a list, an object
    #[arg(long, value_name = "KEY=VALUE")]
    input: Vec<String>,
    /// The agent that runs LINE, or whose payload is piped in [default: the universal form]
    #[arg(long, value_name = "NAME")]
    host: Option<String>,
    /// Use only this hooks.json
    #[arg(long, value_name = "FILE")]
    manifest: Option<PathBuf>,
    /// Show what happened to a past event: the one of this id or its beginning, else the newest
    #[arg(long, conflicts_with_all = ["event", "tool", "input", "host", "manifest"])]
    past: bool,
    #[command(flatten)]
    form: JsonFlag,
}

impl ExplainArgs {
    /// The shell line that is asked about.
    fn line(&self) -> Option<&str> {
        self.what.as_deref().filter(|_| self.event.is_none())
    }
}

fn run(args: &ExplainArgs) -> Result<Exit, CliError> {
    match args.what.as_deref() {
        Some(what) if !args.past && EventName::new(what).spec().is_some() => {
            explained(&ExplainArgs {
                event: Some(what.to_owned()),
                ..args.clone()
            })
        }
        what if args.past => why::run(what, args.form),
        Some(id) if why::is_known(id) => why::run(Some(id), args.form),
        _ => explained(args),
    }
}

fn explained(args: &ExplainArgs) -> Result<Exit, CliError> {
    let universal: &'static Host = &hosts::universal::UNIVERSAL;
    let named = args.host.as_deref();
    let host = named.map_or(Ok(universal), error::host)?;
    if let (Some(name), None) = (&args.event, &args.host) {
        known_event(name)?;
    }
    let bytes = payload_of(args, host)?;
    let manifest = args.manifest.as_ref();
    if let Some(file) = manifest {
        crate::manifest::bytes(file)?;
        ui::err(&findings::of(file));
    }
    let world = World::real();
    let places = world.places.as_ref();
    let sessions = places.map(|places| FileState::new(places.sessions()));
    // What an agent would meet: a project's file has to be trusted, unless a person names one here.
    let caller = manifest.map_or(Caller::Host, |_| Caller::Person);
    let line = Context {
        hint: args.event.as_deref(),
        manifest: manifest.cloned(),
        // A person who writes a hook asks what it would do, before it is trusted.
        loading: LoadOptions::ALL,
        state: sessions.as_ref().map(|sessions| sessions as _),
        ..Context::new(&world, host, caller)
    };
    let explained = line.explain(&bytes).map_err(|error| {
        CliError::new(Exit::Data, "the event cannot be read")
            .because(error)
            .help("a payload is one JSON object; --event names the event where it does not")
    })?;
    let untrusted = manifest.map_or_else(|| untrusted(&world), |_| Vec::new());
    let told = facts::as_json(&explained, &untrusted);
    let now = world.clock.now();
    args.form.say(&told, |_| {
        facts::page(&explained, args.line(), &untrusted, now)
    })
}

/// Finds the files that an agent would not run yet.
fn untrusted(world: &World) -> Vec<PathBuf> {
    let files = Survey::of(world, "").files.into_iter();
    let waiting = files.filter(LayerFile::waits);
    waiting.map(|file| file.file).collect()
}

/// The payload: what the flags describe, else what is piped in, else an event with nothing but its name.
fn payload_of(args: &ExplainArgs, host: &Host) -> Result<Vec<u8>, CliError> {
    if let Some(line) = args.line() {
        let bash = ExplainArgs {
            event: Some("pre-tool-use".to_owned()),
            tool: Some("Bash".to_owned()),
            input: vec![format!("command={line}")],
            ..ExplainArgs::default()
        };
        let payload = described(&bash)?.to_string().into_bytes();
        return as_sent_by(host, payload);
    }
    let is_described = args.tool.is_some() || !args.input.is_empty();
    if !is_described && !std::io::stdin().is_terminal() {
        let piped = payload::stdin()?;
        if !piped.is_empty() {
            return Ok(piped);
        }
    }
    if !is_described && args.event.is_none() {
        return Err(CliError::new(Exit::Usage, "no event to explain").help(
            "name one: anyhook explain --event pre-tool-use --tool Bash --input command='ls'; or pipe a payload in",
        ));
    }
    Ok(described(args)?.to_string().into_bytes())
}

/// Writes a payload of the universal form as an agent would send it.
fn as_sent_by(host: &Host, payload: Vec<u8>) -> Result<Vec<u8>, CliError> {
    let read = hosts::universal::UNIVERSAL.read_event(&payload, None);
    let event = read.map_err(|error| CliError::undecodable("the line", error))?;
    let row = host
        .rows()
        .iter()
        .find(|row| row.event == event.name.as_str());
    let Some(row) = row.filter(|_| host.id() != hosts::universal::ID) else {
        return Ok(payload);
    };
    Ok(host.write_as(&event, row.name).to_string().into_bytes())
}

/// The payload that the flags describe, in the universal form.
fn described(args: &ExplainArgs) -> Result<Value, CliError> {
    let fields = args.input.iter().map(|pair| field(pair));
    let fields = fields.collect::<Result<Map<String, Value>, CliError>>()?;
    let mut payload = match &args.tool {
        Some(tool) => Map::from_iter([
            ("tool_name".to_owned(), tool.as_str().into()),
            ("tool_input".to_owned(), fields.into()),
        ]),
        None => fields,
    };
    if let Some(event) = &args.event {
        payload.insert("hookEventName".to_owned(), event.as_str().into());
    }
    // A session that begins, and has seen nothing yet.
    payload.entry("sessionId").or_insert_with(|| "new".into());
    if !payload.contains_key("cwd")
        && let Ok(cwd) = std::env::current_dir()
    {
        payload.insert("cwd".to_owned(), cwd.to_string_lossy().into());
    }
    Ok(Value::Object(payload))
}

/// Reads `key=text` or `key:=json`.
fn field(pair: &str) -> Result<(String, Value), CliError> {
    let wrong =
        |what: String| CliError::new(Exit::Usage, what).help("write KEY=TEXT, or KEY:=JSON");
    let (key, value) = pair
        .split_once('=')
        .filter(|(key, _)| !key.is_empty())
        .ok_or_else(|| wrong(format!("`{pair}` has no `=`")))?;
    match key.strip_suffix(':') {
        None => Ok((key.to_owned(), value.into())),
        Some(key) => match serde_json::from_str(value) {
            Ok(value) => Ok((key.to_owned(), value)),
            Err(error) => Err(wrong(format!("`{pair}` is no JSON")).because(error)),
        },
    }
}
