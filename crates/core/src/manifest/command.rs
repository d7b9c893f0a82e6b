//! A hook of type `command`: what it runs.

use std::collections::BTreeSet;

use jsonc_parser::ast::ObjectProp;

use super::fields::{Complaint, ObjectFields, text, word};
use super::say::quote;
use super::table::choices;
use super::{Code, Command};

/// Fields that other programs have for what differs on one system.
const SYSTEMS: [&str; 4] = ["windows", "macos", "osx", "linux"];

/// Reads a command. What would differ on one system is an error: the other line might have been the guard.
pub(super) fn read(fields: &mut ObjectFields<'_, '_>) -> Option<Command> {
    let line = fields.required("command", None);
    let mut command = Command {
        command: String::new(),
        args: fields.strings("args"),
        env: env(fields),
        cwd: fields.words("cwd").ok(),
        shell: fields
            .read("shell", |value| word("shell", value, choices::SHELL))
            .ok(),
        server: None,
    };
    let own = SYSTEMS.iter().flat_map(|system| fields.all(system));
    for prop in own.collect::<Vec<_>>() {
        let name = quote(prop.name.as_str());
        let message = format!("{name} is no field: a hook is the same on every system");
        let help = "let the command ask `uname`";
        fields.notes.error(&prop.name, message, Some(help));
    }
    command.command = line?;
    let shell = fields.all("shell").next();
    if let (Some(prop), Some(_), Some(_)) = (shell, command.shell, &command.args) {
        let message = "`shell` has no effect beside `args`";
        let notes = fields.notes.warn(&prop.name, message, None);
        notes.code(Code::NoEffect);
    }
    Some(command)
}

/// Reads the variables; all that is wrong with them is reported.
fn env(fields: &mut ObjectFields<'_, '_>) -> Vec<(String, String)> {
    let Some(object) = fields.object("env", "an object of strings") else {
        return Vec::new();
    };
    let mut names = BTreeSet::new();
    let mut env = Vec::with_capacity(object.properties.len());
    for prop in &object.properties {
        let name = prop.name.as_str();
        match variable(prop) {
            Ok(_) if !names.insert(name) => {
                let message = format!("the variable {} is there twice", quote(name));
                fields
                    .notes
                    .error(&prop.name, message, Some("keep one of them"));
            }
            Ok(value) => env.push((name.to_owned(), value)),
            Err(complaint) => fields.notes.complain(prop, complaint),
        }
    }
    env
}

fn variable(prop: &ObjectProp<'_>) -> Result<String, Complaint> {
    let name = prop.name.as_str();
    if name.is_empty() {
        return Err(Complaint::new("a variable has no name"));
    }
    if name.contains(['=', '\0']) {
        return Err(Complaint::new(format!(
            "{} cannot be the name of a variable",
            quote(name)
        )));
    }
    let value = text(name, &prop.value);
    value.map_err(|complaint| complaint.help("write the value in double quotes"))
}
