//! Files and programs that a case brings along: files to work on, and programs that replace others.

use std::path::PathBuf;

use anyhook::yaml::Spanned;
use serde_json::Value;

use super::{CasePlanner, climbs};
use crate::problem::Problem;
use anyhook::yaml;

/// The files that a case begins with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Workspace {
    /// Those of this folder.
    Folder(PathBuf),
    /// These: path and text.
    Files(Vec<(String, String)>),
}

/// A program that stands in for another one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Stub {
    /// This file.
    File(PathBuf),
    /// A script that we write.
    Script(String),
}

impl CasePlanner<'_> {
    pub(super) fn workspace(&self) -> Result<Option<Workspace>, Problem> {
        let Some(given) = &self.spec.workspace else {
            return Ok(None);
        };
        let wrong = |message: String| self.problem(yaml::of(given), message);
        match &given.value {
            Value::String(name) => {
                let folder = self.package.tests.join(name);
                let is_there = folder.is_dir();
                let message = || format!("there is no folder `{name}` below the tests");
                is_there
                    .then_some(Some(Workspace::Folder(folder)))
                    .ok_or_else(|| wrong(message()))
            }
            Value::Object(files) => {
                let file = |(path, text): (&String, &Value)| match text.as_str() {
                    Some(text) if !climbs(path) => Ok((path.clone(), text.to_owned())),
                    Some(_) => Err(wrong(format!("`{path}` is no path below the workspace"))),
                    None => Err(wrong(format!(
                        "`{path}` is a file, and its text must be a string"
                    ))),
                };
                let files: Result<Vec<_>, Problem> = files.iter().map(file).collect();
                Ok(Some(Workspace::Files(files?)))
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => Err(wrong(
                "a workspace is a folder, or a mapping of files to their texts".to_owned(),
            )),
        }
    }

    pub(super) fn stubs(&self) -> Result<Vec<(String, Stub)>, Problem> {
        let stubs = self.spec.stubs.iter();
        stubs
            .map(|(name, given)| Ok((name.clone(), self.stub(name, given)?)))
            .collect()
    }

    fn stub(&self, name: &str, given: &Spanned<Value>) -> Result<Stub, Problem> {
        let wrong = |message: String| Err(self.problem(yaml::of(given), message));
        if name.is_empty() || name.contains('/') || name == "." || name == ".." {
            return wrong(format!("`{name}` is no name of a program"));
        }
        match &given.value {
            Value::String(path) => {
                let file = self.package.tests.join(path);
                if file.is_file() {
                    return Ok(Stub::File(file));
                }
                wrong(format!("there is no file `{path}` below the tests"))
            }
            Value::Object(said) => script(said).map(Stub::Script).or_else(wrong),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => {
                wrong(NO_STUB.to_owned())
            }
        }
    }
}

const NO_STUB: &str = "a stub is a file, or an object of `exit`, `stdout` and `stderr`";

/// Writes the script of a stub that says fixed texts.
fn script(said: &serde_json::Map<String, Value>) -> Result<String, String> {
    let mut script = "#!/bin/sh\n".to_owned();
    let mut exit = 0;
    for (key, value) in said {
        let to = match (key.as_str(), value) {
            ("exit", value) => {
                let code = value.as_u64().filter(|code| *code < 256);
                exit = code.ok_or("`exit` is a whole number from 0 to 255")?;
                continue;
            }
            ("stdout", _) => "",
            ("stderr", _) => " >&2",
            (_, _) => return Err(NO_STUB.to_owned()),
        };
        let text = value.as_str();
        let text = text.ok_or_else(|| format!("`{key}` of a stub is a text"))?;
        let text = text.replace('\'', r"'\''");
        script.push_str(&format!("printf '%s' '{text}'{to}\n"));
    }
    script.push_str(&format!("exit {exit}\n"));
    Ok(script)
}
