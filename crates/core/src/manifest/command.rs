//! A hook of type `command`: what it runs, and what differs on one system.

use std::collections::BTreeSet;

use jsonc_parser::ast::{Object, ObjectProp};
use serde::Serialize;

use super::entry::required;
use super::fields::{Complaint, Fields, text};
use super::notes::opening;
use super::say::quote;
use super::table::{self, Level};
use super::{Code, Command, SHELLS, Shell};

/// The systems that a hook may tell apart, as [`std::env::consts::OS`] names them.
///
/// ```
/// use anyhook_core::manifest::{FIELDS, OSES};
/// assert!(OSES.iter().all(|os| FIELDS.iter().any(|field| field.name == *os)));
/// ```
pub const OSES: [&str; 3] = ["windows", "macos", "linux"];

/// What of a command is otherwise on one system.
///
/// ```
/// use anyhook_core::manifest::{Action, Manifest, Variant};
///
/// let parsed = Manifest::parse(
///     r#"{"version": 1, "hooks": {"stop": [{"hooks": [{
///         "type": "command",
///         "command": "./done.sh",
///         "windows": {"command": "./done.ps1", "shell": "pwsh"}
///     }]}]}}"#,
/// )?;
/// let Action::Command(command) = &parsed.manifest.groups[0].entries[0].action else { panic!() };
/// let Variant { os, command: line, .. } = &command.on[0];
/// assert_eq!((*os, line.as_deref()), ("windows", Some("./done.ps1")));
/// # Ok::<(), anyhook_core::manifest::Finding>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
pub struct Variant {
    /// The system, one of [`OSES`].
    pub os: &'static str,
    /// Another command line.
    pub command: Option<String>,
    /// Other arguments.
    pub args: Option<Vec<String>>,
    /// Variables beside the others; of equal names this one counts.
    pub env: Vec<(String, String)>,
    /// Another directory.
    pub cwd: Option<String>,
    /// Another shell.
    pub shell: Option<&'static Shell>,
}

impl Command {
    /// Returns what runs on a system, as [`std::env::consts::OS`] names it: each field that its variant names is the
    /// variant's, the others stay. A variant with another `command` and no `args` of its own has none.
    ///
    /// ```
    /// use anyhook_core::manifest::{Command, Variant};
    ///
    /// let windows = Variant {
    ///     os: "windows",
    ///     command: Some("lint.exe".into()),
    ///     args: None,
    ///     env: vec![("COLOR".into(), "0".into())],
    ///     cwd: None,
    ///     shell: None,
    /// };
    /// let lint = Command { command: "./lint".into(), on: vec![windows], ..Command::default() };
    /// let on_windows = lint.for_os("windows");
    /// assert_eq!((on_windows.command.as_str(), on_windows.env.len()), ("lint.exe", 1));
    /// assert_eq!(lint.for_os("linux").command, "./lint");
    /// ```
    pub fn for_os(&self, os: &str) -> Self {
        let mut chosen = Self {
            on: Vec::new(),
            ..self.clone()
        };
        for variant in self.on.iter().filter(|variant| variant.os == os) {
            if let Some(command) = &variant.command {
                chosen.command.clone_from(command);
                chosen.args = None;
            }
            if variant.args.is_some() {
                chosen.args.clone_from(&variant.args);
            }
            let named = |name: &String| variant.env.iter().any(|(other, _)| other == name);
            chosen.env.retain(|(name, _)| !named(name));
            chosen.env.extend(variant.env.iter().cloned());
            chosen.cwd = variant.cwd.clone().or(chosen.cwd);
            chosen.shell = variant.shell.or(chosen.shell);
        }
        chosen
    }
}

/// Reads a command; what any system would run is checked on all of them.
pub(super) fn read(object: &Object<'_>, fields: &mut Fields<'_, '_>) -> Option<Command> {
    let line = required("command", object, fields);
    let mut command = Command {
        command: String::new(),
        args: fields.strings("args"),
        env: env(fields),
        cwd: fields.words("cwd").ok(),
        shell: of_shell(fields),
        on: Vec::new(),
        server: None,
    };
    for os in OSES {
        command.on.extend(variant(os, fields));
    }
    command.command = line?;
    readable(&command, fields);
    Some(command)
}

/// Reads what one system has otherwise.
fn variant(os: &'static str, fields: &mut Fields<'_, '_>) -> Option<Variant> {
    let object = fields.object(os, "an object")?;
    if object.properties.is_empty() {
        let message = format!("`{os}` changes nothing");
        fields.notes.warn(&opening(object), message, None);
    }
    let mut own = Fields::new(object, fields.notes);
    let varying = table::of(Level::Entry).filter(|field| field.varies());
    let varying = varying.map(|field| field.name);
    own.only(&varying, Some((Level::Entry, "the hook itself")));
    Some(Variant {
        os,
        command: own.words("command").ok(),
        args: own.strings("args"),
        env: env(&mut own),
        cwd: own.words("cwd").ok(),
        shell: of_shell(&mut own),
    })
}

fn of_shell(fields: &mut Fields<'_, '_>) -> Option<&'static Shell> {
    let shells: Vec<_> = SHELLS.iter().map(|shell| (shell.name, shell)).collect();
    fields.choice("shell", &shells).ok()
}

/// Warns of a shell that has nothing to read.
fn readable(command: &Command, fields: &mut Fields<'_, '_>) {
    let in_vain = |os: &str| {
        let chosen = command.for_os(os);
        let own = command.on.iter().any(|variant| variant.os == os);
        chosen.shell.is_some() && chosen.args.is_some() && !own
    };
    let shell = fields.all("shell").next();
    if let Some(prop) = shell.filter(|_| OSES.iter().any(|os| in_vain(os))) {
        let message = "`shell` has no effect beside `args`";
        let notes = fields.notes.warn(&prop.name, message, None);
        notes.code(Code::NoEffect);
    }
}

/// Reads the variables; all that is wrong with them is reported.
fn env(fields: &mut Fields<'_, '_>) -> Vec<(String, String)> {
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
            Err(complaint) => drop(fields.notes.complain(prop, complaint)),
        }
    }
    env
}

fn variable(prop: &ObjectProp<'_>) -> Result<String, Complaint> {
    let name = prop.name.as_str();
    if name.is_empty() {
        return Err(Complaint::new("a variable has no name".into()));
    }
    if name.contains(['=', '\0']) {
        return Err(Complaint::new(format!(
            "{} cannot be the name of a variable",
            quote(name)
        )));
    }
    let quotes = || Some("write the value in double quotes".into());
    text(name, &prop.value).map_err(|complaint| Complaint {
        help: quotes(),
        ..complaint
    })
}
