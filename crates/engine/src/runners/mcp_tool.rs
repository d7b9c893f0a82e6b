//! `type: mcp_tool` of an agent's own file: a tool of one of the agent's MCP servers, which is started for the event, or asked
//! where it is.
//!
//! A server that is started runs as a command of the hook would: confined where the hook is, in its folder, with its variables
//! and its deadline. One that is reached over the network is asked as that of a hook of type `http` is, by the same rules, and
//! never for a hook that is confined, unless its network is `any`. What the tool says counts as the standard output of a command.
//! A hook of a project or a plugin finds its server in the `.mcp.json` that was trusted with it, or in the person's own
//! configuration; a hook that stands in the home finds it in that alone.

use std::collections::BTreeMap;
use std::path::Path;

use anyhook_core::fault::{Fault, FaultKind};
use anyhook_core::manifest::{Command, HttpAction};
use anyhook_core::sandbox::Network;
use serde::Deserialize;
use serde_json::Value;

use super::{RunnerReply, RunnerRequest, command, http};
use crate::files;
use crate::trust::SERVERS;

/// The hidden verb of our own program that calls a tool.
const VERB: &str = "call-tool";
/// Where Claude Code keeps a person's servers, below the home.
const OF_PERSON: &str = ".claude.json";

/// What an agent's configuration says of a server.
#[derive(Default, Deserialize)]
#[serde(default)]
struct McpServer {
    r#type: Option<String>,
    command: Option<String>,
    args: Vec<String>,
    env: BTreeMap<String, String>,
    url: Option<String>,
    headers: BTreeMap<String, String>,
}

/// Makes ready the process that starts the server, or asks it where it is.
pub(super) fn prepare(asking: &RunnerRequest<'_>, call: &Command) -> Result<RunnerReply, Fault> {
    let fault = |why| Fault::new(FaultKind::NotStarted, why);
    let name = call.server.as_deref().unwrap_or_default();
    let server = server(asking, name).map_err(fault)?;
    match server.r#type.as_deref() {
        None | Some("stdio") => {
            command::prepare(asking, &started(name, server, call).map_err(fault)?)
        }
        Some("http" | "streamable-http") => {
            let http = reached(asking, name, server).map_err(fault)?;
            http::prepare(asking, http, VERB, words(call))
        }
        Some(other) => Err(fault(format!(
            "the server `{name}` is of type `{other}`, which is not asked here: give it a `command`, or its address of type `http`"
        ))),
    }
}

fn server(asking: &RunnerRequest<'_>, name: &str) -> Result<McpServer, String> {
    let server: McpServer = serde_json::from_value(described(asking, name)?).map_err(|error| {
        format!("the description of the server `{name}` cannot be read: {error}")
    })?;
    let texts = server.args.iter().chain(server.env.values());
    let texts = texts.chain(server.headers.values());
    if texts.chain(&server.command).any(|text| has_default(text)) {
        return Err(format!(
            "the description of the server `{name}` has a variable with a default, `${{NAME:-…}}`, which is not read here"
        ));
    }
    Ok(server)
}

/// Adds to the call how its server is started.
fn started(name: &str, server: McpServer, call: &Command) -> Result<Command, String> {
    let Some(program) = server.command else {
        return Err(format!(
            "the server `{name}` has no `command`, and no `type` of a server that is reached over the network"
        ));
    };
    let mut command = call.clone();
    let args = command.args.get_or_insert_default();
    args.extend(["--".to_owned(), program]);
    args.extend(server.args);
    command.env.extend(server.env);
    Ok(command)
}

/// Returns where a server is reached. Its description lists no variables, so those of its headers are sent that the person
/// lists.
fn reached(
    asking: &RunnerRequest<'_>,
    name: &str,
    server: McpServer,
) -> Result<HttpAction, String> {
    let said = |why: &str| format!("the server `{name}`: {why}");
    let confined = asking.hook.sandbox.as_deref();
    if confined.is_some_and(|sandbox| sandbox.network != Some(Network::Any)) {
        return Err(said(
            "it is reached over the network, which this hook may not use",
        ));
    }
    let url = server.url.ok_or_else(|| said("it has no `url`"))?;
    if url.contains('$') {
        return Err(said("its `url` names a variable: write the address itself"));
    }
    let headers: Vec<(String, String)> = server.headers.into_iter().collect();
    let variables = HttpAction::named(&headers);
    let reach = asking.world.config().http.as_ref();
    let reach = reach.map_err(|error| said(&error.to_string()))?;
    let listed = reach.variables.as_deref().unwrap_or_default();
    if let Some(unlisted) = variables.iter().find(|name| !listed.contains(name)) {
        return Err(said(&format!(
            "a header names `${unlisted}`, which `http.env` of your settings does not list"
        )));
    }
    HttpAction::new(url, headers, variables).map_err(|why| said(&why))
}

/// The words of a call, without the name of its verb.
fn words(call: &Command) -> Vec<String> {
    call.args.iter().flatten().skip(1).cloned().collect()
}

/// Tells whether a text names a variable that has a default. A command's own placeholders have none.
fn has_default(text: &str) -> bool {
    let names = text.split("${").skip(1);
    let mut names = names.filter_map(|rest| rest.split('}').next());
    names.any(|name| name.contains(":-"))
}

/// Finds the description of a server: what the person says for this project, what the package says, what the person says.
fn described(asking: &RunnerRequest<'_>, name: &str) -> Result<Value, String> {
    let (root, live) = asking.package();
    let home = asking.world.places.as_ref().map(|places| &places.home);
    let own = (home != Some(&live)).then(|| root.join(SERVERS));
    let of_plugin = name.strip_prefix("plugin:");
    if let Some(of_plugin) = of_plugin.filter(|_| !command::is_settings(asking.hook)) {
        let short = of_plugin.rsplit(':').next().unwrap_or_default();
        let found = own.map(|file| read(&file)).transpose()?;
        return in_file(found.as_ref(), short).ok_or_else(|| missing(name));
    }
    let person = home.map(|home| read(&home.join(OF_PERSON))).transpose()?;
    let project = asking.shared.project.to_str().unwrap_or_default();
    let here = person
        .as_ref()
        .and_then(|all| all.get("projects")?.get(project));
    if let Some(found) = in_file(here, name) {
        return Ok(found);
    }
    let package = own.map(|file| read(&file)).transpose()?;
    in_file(package.as_ref(), name)
        .or_else(|| in_file(person.as_ref(), name))
        .ok_or_else(|| missing(name))
}

fn missing(name: &str) -> String {
    format!(
        "no server `{name}` is described in `{SERVERS}` beside the hook, nor in `~/{OF_PERSON}`"
    )
}

/// Reads a file that describes servers; without one nothing is described.
fn read(file: &Path) -> Result<Value, String> {
    if !file.exists() {
        return Ok(Value::Null);
    }
    files::read_json(file).map_err(|why| format!("`{}`: {why}", file.display()))
}

fn in_file(file: Option<&Value>, name: &str) -> Option<Value> {
    file?.get("mcpServers")?.get(name).cloned()
}
