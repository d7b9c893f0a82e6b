//! `anyhook get`: a field of the event, for hooks without jq.

use std::ffi::OsString;

use anyhook::core::event::Map;
use anyhook_testing::keys;
use clap::error::ErrorKind;
use clap::{Args, Command};
use heck::{ToLowerCamelCase as _, ToSnakeCase as _};
use serde_json::Value;

use super::{CommandFunction, CommandSpec};
use crate::error::CliError;
use crate::exit::Exit;
use crate::{payload, ui};

/// The row.
pub(crate) const ROW: CommandSpec = CommandSpec {
    name: "get",
    describe: GetArgs::augment_args,
    run: CommandFunction::Hot(run),
    modes: &[],
};

/// Print one field of an event, in a hook's script
#[derive(Args)]
#[command(after_help = include_str!("help/get.txt"))]
struct GetArgs {
    #[arg(
        value_name = "PATH",
        help = "A path such as tool_input.file_path; write \\. for a dot in a name"
    )]
    path: String,
    /// Print this if the field is missing
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    default: Option<String>,
}

fn run(args: Vec<OsString>) -> Exit {
    get(args).unwrap_or_else(|problem| {
        // `grep -q` has read enough and left: that is the hook's own business.
        if !problem.is_reader_gone() {
            payload::failed();
        }
        ui::problem(&problem)
    })
}

fn get(args: Vec<OsString>) -> Result<Exit, CliError> {
    let GetArgs { path, default } = wanted(args)?;
    let bytes = payload::read()?;
    if bytes.is_empty() {
        let what = "`anyhook get` reads the event of a hook, and nothing came on standard input";
        return Err(CliError::new(Exit::Data, what).help("try it: anyhook get PATH < payload.json"));
    }
    let event = anyhook::wires::json::object(&bytes)
        .map_err(|error| CliError::undecodable("the event", error))?;
    let keys = keys(&path).map_err(|why| CliError::new(Exit::Usage, why))?;
    let found = find(&event, &keys).map(written).or(default);
    let Some(text) = found else {
        return Ok(Exit::Negative);
    };
    ui::raw(&format!("{text}\n"))?;
    Ok(Exit::Done)
}

/// Reads the path of the field, and the text to print where the event lacks it.
fn wanted(args: Vec<OsString>) -> Result<GetArgs, CliError> {
    let command = GetArgs::augment_args(Command::new("get")).disable_help_flag(true);
    let line = std::iter::once(OsString::from("get")).chain(args);
    let usage = |error: clap::Error| {
        let text = error.to_string();
        let (what, help) = match error.kind() {
            ErrorKind::MissingRequiredArgument => {
                ("which field?", "anyhook get tool_input.command")
            }
            _ => (
                text.lines().next().unwrap_or_default(),
                "anyhook get PATH [--default TEXT]",
            ),
        };
        CliError::new(Exit::Usage, what.trim_start_matches("error: ")).help(help)
    };
    super::typed(&command.try_get_matches_from(line).map_err(usage)?)
}

/// Finds a value; the first name may be in either spelling of a universal event.
fn find<'a>(event: &'a Map, path: &[String]) -> Option<&'a Value> {
    let (first, rest) = path.split_first()?;
    let mut value = event
        .get(first)
        .or_else(|| event.get(&first.to_lower_camel_case()))
        .or_else(|| event.get(&first.to_snake_case()))?;
    for name in rest {
        value = match value {
            Value::Object(object) => object.get(name)?,
            Value::Array(array) => array.get(name.parse::<usize>().ok()?)?,
            _ => return None,
        };
    }
    (!value.is_null()).then_some(value)
}

fn written(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn look(path: &str) -> Option<String> {
        let event = json!({
            "toolName": "Write",
            "tool_input": {"file_path": "a b", "edits": [{"new": "x"}], "a.b": 1, "none": null},
            "stopHookActive": false,
        });
        find(event.as_object().unwrap(), &keys(path).unwrap()).map(written)
    }

    #[test]
    fn a_path_reaches_into_objects_and_lists() {
        assert_eq!(look("tool_input.file_path").as_deref(), Some("a b"));
        assert_eq!(look("tool_input.edits.0.new").as_deref(), Some("x"));
        assert_eq!(
            look("tool_input.edits").as_deref(),
            Some(r#"[{"new":"x"}]"#)
        );
        assert_eq!(look(r"tool_input.a\.b").as_deref(), Some("1"));
    }

    #[test]
    fn either_spelling_of_a_field_is_found() {
        assert_eq!(look("tool_name").as_deref(), Some("Write"));
        assert_eq!(look("toolInput.file_path").as_deref(), Some("a b"));
        assert_eq!(look("stop_hook_active").as_deref(), Some("false"));
    }

    #[test]
    fn what_is_missing_or_null_is_nothing() {
        assert_eq!(look("tool_input.none"), None);
        assert_eq!(look("tool_input.edits.7"), None);
        assert_eq!(look("tool_name.x"), None);
    }
}
