//! `anyhook init --to`: writes a file of hooks in another agent's format.

use std::io::Read as _;
use std::path::Path;

use anyhook::core::taxonomy::nearest;
use anyhook::wires::Host;
use anyhook::wires::convert::{to_native, to_universal};
use anyhook::wires::hosts::universal::ID;
use anyhook::wires::native_files::{FORMATS, NativeFormat, Syntax};

use crate::error::CliError;
use crate::exit::Exit;
use crate::payload;
use crate::ui;

/// The longest file that is read: no manifest is longer.
const LONGEST: u64 = 4 * 1024 * 1024;

/// A format of hooks.
#[derive(Debug, Clone, Copy)]
pub(super) enum HookFormat {
    /// The universal hooks.json.
    Universal,
    /// An agent's own.
    Agent(&'static NativeFormat),
}

/// Reads the name of a format: universal, or an agent's.
pub(super) fn named(name: &str) -> Result<HookFormat, String> {
    let host = anyhook::wires::host(name).map(Host::id);
    if host == Some(ID) {
        return Ok(HookFormat::Universal);
    }
    host.and_then(NativeFormat::of_host)
        .map(HookFormat::Agent)
        .ok_or_else(|| {
            let known = FORMATS.iter().map(|format| format.host).chain([ID]);
            let known: Vec<&str> = known.collect();
            match nearest(name, known.iter().copied()) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("the formats are: {}", known.join(", ")),
            }
        })
}

/// Writes a file of hooks in another format to standard output. What that cannot express goes to standard error.
pub(super) fn run(from: HookFormat, to: HookFormat, file: Option<&Path>) -> Result<Exit, CliError> {
    let text = text(file)?;
    let name = file.map_or("standard input".into(), Path::to_string_lossy);
    let syntax = match file {
        Some(file) => Syntax::of(file),
        None if text.trim_start().starts_with('{') => Syntax::Json,
        None => Syntax::Toml,
    };
    let (converted, form) = match (from, to) {
        (HookFormat::Agent(from), HookFormat::Universal) => {
            (to_universal(&text, syntax, from), from.host)
        }
        (HookFormat::Universal, HookFormat::Agent(to)) => (to_native(&text, to), ID),
        (HookFormat::Agent(_), HookFormat::Agent(_))
        | (HookFormat::Universal, HookFormat::Universal) => {
            let what = "one of the two formats must be universal, and the other an agent's";
            let help = "in two steps: anyhook init --from ONE --to universal FILE > hooks.json; anyhook init --to OTHER hooks.json";
            return Err(CliError::new(Exit::Usage, what).help(help));
        }
    };
    let told = |style, word, line: u32, what: &str| {
        ui::err(&ui::remark(style, word, &format!("{name}:{line}: {what}")));
    };
    let converted = converted.map_err(|findings| {
        for finding in &findings {
            told(ui::DENY, "error", finding.at.line, &finding.message);
        }
        let what = format!("`{name}` is not a file of {form} without errors");
        CliError::new(Exit::Data, what).help("`universal` is the format of a hooks.json of anyhook")
    })?;
    for lost in &converted.lost {
        told(ui::ASK, "lost", lost.at.line, &lost.what);
    }
    ui::raw(&converted.text)?;
    if let (HookFormat::Agent(to), [], [_, ..]) = (to, &*converted.hooks, &*converted.lost) {
        let host = to.host;
        let what = format!("no hook of `{name}` can be said in the format of {host}");
        let help = format!("the agent asks them as they are after: anyhook install --host {host}");
        return Err(CliError::new(Exit::Negative, what).help(help));
    }
    Ok(Exit::Done)
}

fn text(file: Option<&Path>) -> Result<String, CliError> {
    let mut bytes = Vec::new();
    let read = if let Some(file) = file {
        std::fs::File::open(file).and_then(|opened| opened.take(LONGEST).read_to_end(&mut bytes))
    } else {
        payload::expects("the file");
        let stdin = std::io::stdin().lock();
        stdin.take(LONGEST).read_to_end(&mut bytes)
    };
    read.map_err(|error| CliError::unreadable(file.unwrap_or(Path::new("standard input")), error))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
