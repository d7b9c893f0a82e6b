//! `anyhook init --to`: writes a file of hooks in another agent's format.

use std::io::Read as _;
use std::path::Path;

use anstyle::Style;
use anyhook::wires::convert::{Format, Lost, convert};
use anyhook::wires::hosts;
use anyhook::wires::native_files::{FORMATS, Syntax};

use crate::error::Problem;
use crate::exit::Exit;
use crate::payload;
use crate::ui::{self, paint, visible};

/// The longest file that is read: no manifest is longer.
const LONGEST: u64 = 4 * 1024 * 1024;

/// Reads the name of a format: universal, or an agent's.
pub(super) fn named(name: &str) -> Result<Format, String> {
    Format::named(name).ok_or_else(|| {
        let known = FORMATS.iter().map(|format| format.host);
        let known: Vec<&str> = known
            .filter(|host| anyhook::wires::host(host).is_some())
            .chain([hosts::universal::ID])
            .collect();
        format!("the formats are: {}", known.join(", "))
    })
}

/// What is converted, and what is done where the other format cannot say everything.
pub(super) struct Conversion<'a> {
    pub(super) from: Format,
    pub(super) to: Format,
    /// The file, or standard input.
    pub(super) file: Option<&'a Path>,
}

/// Writes a file of hooks in another format to standard output. What that cannot express goes to standard error.
pub(super) fn run(conversion: &Conversion<'_>) -> Result<Exit, Problem> {
    let (from, to) = (conversion.from, conversion.to);
    let file = conversion.file;
    let text = text(file)?;
    let name = file.map_or("standard input".into(), Path::to_string_lossy);
    let syntax = match file {
        Some(file) => Syntax::of(file),
        None if text.trim_start().starts_with('{') => Syntax::Json,
        None => Syntax::Toml,
    };
    let converted = convert(&text, syntax, from, to).map_err(|findings| {
        let lines = findings.iter().map(|finding| {
            told(
                ("error", ui::DENY),
                &name,
                finding.at.line,
                &finding.message,
            )
        });
        ui::err(&lines.collect::<String>());
        let what = format!(
            "`{}` is not a file of {} without errors",
            visible(&name),
            from.name()
        );
        Problem::new(Exit::Data, what).help("`universal` is the format of a hooks.json of anyhook")
    })?;
    let lines = converted
        .lost
        .iter()
        .map(|lost: &Lost| told(("lost", ui::ASK), &name, lost.at.line, &lost.what));
    ui::err(&lines.collect::<String>());
    ui::raw(&converted.text)?;
    Ok(Exit::Done)
}

fn told((word, style): (&str, Style), file: &str, line: u32, what: &str) -> String {
    let what = format!("{file}:{line}: {what}");
    format!("{}: {}\n", paint(style, word), visible(&what))
}

fn text(file: Option<&Path>) -> Result<String, Problem> {
    let mut bytes = Vec::new();
    let read = if let Some(file) = file {
        std::fs::File::open(file).and_then(|opened| opened.take(LONGEST).read_to_end(&mut bytes))
    } else {
        payload::expects("the file");
        let stdin = std::io::stdin().lock();
        stdin.take(LONGEST).read_to_end(&mut bytes)
    };
    read.map_err(|error| Problem::unreadable(file.unwrap_or(Path::new("standard input")), error))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
