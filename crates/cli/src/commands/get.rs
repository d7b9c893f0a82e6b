//! `anyhook get`: a field of the event, for hooks without jq.

use std::ffi::OsString;

use anyhook::core::event::Map;
use clap::Command;
use serde_json::Value;

use super::{Row, Run};
use crate::error::Problem;
use crate::exit::Exit;
use crate::flags::{self, Argument, Flag, Flags, Set};
use crate::{payload, ui};

/// The row.
pub(crate) const ROW: Row = Row {
    name: "get",
    describe,
    run: Run::Hot(run),
    modes: &[],
};

fn describe(command: Command) -> Command {
    flags::describe(
        &FLAGS,
        command.about("Print one field of an event, in a hook's script"),
    )
    .after_help(include_str!("help/get.txt"))
}

fn run(args: Vec<OsString>) -> Exit {
    match get(args) {
        Ok(exit) => exit,
        Err(problem) => {
            // `grep -q` has read enough and left: that is the hook's own business.
            if !problem.is_reader_gone() {
                payload::failed();
            }
            ui::problem(&problem)
        }
    }
}

#[derive(Default)]
struct Wanted {
    path: Option<String>,
    default: Option<String>,
}

/// What the command line may say.
static FLAGS: Flags<Wanted> = Flags {
    argument: Argument {
        name: "PATH",
        help: "A path such as tool_input.file_path; write \\. for a dot in a name",
        required: true,
        place: |wanted| &mut wanted.path,
    },
    flags: &[Flag {
        name: "default",
        help: "Print this if the field is missing",
        set: Set::Value("TEXT", |wanted, value| {
            wanted.default = Some(value.to_string_lossy().into_owned());
            Ok(())
        }),
    }],
};

fn get(args: Vec<OsString>) -> Result<Exit, Problem> {
    let (path, default) = wanted(args)?;
    let bytes = payload::read()?;
    if bytes.is_empty() {
        let what = "`anyhook get` reads the event of a hook, and nothing came on standard input";
        return Err(Problem::new(Exit::Data, what).help("try it: anyhook get PATH < payload.json"));
    }
    let event = anyhook::wires::json::object(&bytes)
        .map_err(|error| Problem::undecodable("the event", error))?;
    let found = find(&event, &segments(&path)).map(written).or(default);
    let Some(text) = found else {
        return Ok(Exit::Negative);
    };
    ui::raw(&format!("{text}\n"))?;
    Ok(Exit::Done)
}

/// Reads the path of the field, and the text to print where the event lacks it.
fn wanted(args: Vec<OsString>) -> Result<(String, Option<String>), Problem> {
    let mut parser = lexopt::Parser::from_args(args);
    let mut wanted = Wanted::default();
    let usage = |error: lexopt::Error| {
        Problem::new(Exit::Usage, error.to_string()).help("anyhook get PATH [--default TEXT]")
    };
    while FLAGS.next(&mut parser, &mut wanted).map_err(usage)? {}
    let path = wanted.path.filter(|path| !path.is_empty());
    let missing =
        || Problem::new(Exit::Usage, "which field?").help("anyhook get tool_input.command");
    Ok((path.ok_or_else(missing)?, wanted.default))
}

/// Splits a path at its dots; `\.` is a dot in a name.
pub(crate) fn segments(path: &str) -> Vec<String> {
    let mut all = vec![String::new()];
    let mut chars = path.chars();
    while let Some(c) = chars.next() {
        match (c, all.last_mut()) {
            ('.', _) => all.push(String::new()),
            ('\\', Some(last)) => last.extend(chars.next()),
            (c, Some(last)) => last.push(c),
            (_, None) => {}
        }
    }
    all
}

/// Finds a value; the first name may be in either spelling of a universal event.
fn find<'a>(event: &'a Map, path: &[String]) -> Option<&'a Value> {
    let (first, rest) = path.split_first()?;
    let mut value = event
        .get(first)
        .or_else(|| event.get(&camel(first)))
        .or_else(|| event.get(&snake(first)))?;
    for name in rest {
        value = match value {
            Value::Object(object) => object.get(name)?,
            Value::Array(array) => array.get(name.parse::<usize>().ok()?)?,
            _ => return None,
        };
    }
    (!value.is_null()).then_some(value)
}

fn camel(name: &str) -> String {
    let mut parts = name.split('_');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |mut whole, part| {
        let mut letters = part.chars();
        whole.extend(letters.next().map(|c| c.to_ascii_uppercase()));
        whole.push_str(letters.as_str());
        whole
    })
}

fn snake(name: &str) -> String {
    name.chars().fold(String::new(), |mut whole, c| {
        if c.is_ascii_uppercase() {
            whole.push('_');
        }
        whole.push(c.to_ascii_lowercase());
        whole
    })
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
        find(event.as_object().unwrap(), &segments(path)).map(written)
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
