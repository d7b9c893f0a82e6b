//! Compiles the tables of the hosts into statics. What is wrong in a table is an error of the build.
//!
//! A table is lines: a field, and its items. An item is a word, a text in quotes as Rust writes it, a pair `a=b`, or a field with
//! items of its own, `field(a b)`. A line that begins with a space goes on with the one before. `[name]` begins a section, `#` a
//! comment.

#![expect(
    clippy::disallowed_methods,
    reason = "a build reads tables and writes code"
)]

#[path = "build/fields.rs"]
mod fields;
#[path = "build/items.rs"]
mod items;

use std::path::{Path, PathBuf};
use std::{env, fs, io};

use fields::{CANS, FACTS, HEALTH, HOOKS, POSTS, SETTINGS, TOOL, Table, WIRE};
use items::Section;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=build");
    println!("cargo::rerun-if-changed=hosts");
    let folder = |name| PathBuf::from(env::var_os(name).unwrap_or_default());
    if let Err(wrong) = all(
        &folder("CARGO_MANIFEST_DIR").join("hosts"),
        &folder("OUT_DIR"),
    ) {
        println!("cargo::error={wrong}");
    }
}

fn all(tables: &Path, out: &Path) -> Result<(), String> {
    let broken = |cause: io::Error| cause.to_string();
    let entries = fs::read_dir(tables).map_err(broken)?;
    let paths = entries.map(|entry| Ok(entry.map_err(broken)?.path()));
    let mut paths = paths.collect::<Result<Vec<_>, String>>()?;
    paths.sort();
    let mut formats = Vec::new();
    for path in paths {
        let id = path.file_stem().unwrap_or_default().to_string_lossy();
        let text = fs::read_to_string(&path).map_err(broken)?;
        let sections = items::sections(&text);
        let code = sections.and_then(|sections| {
            if sections.iter().any(|section| section.name == "hooks") {
                formats.push(format!("&crate::hosts::{}::table::FORMAT", module(&id)));
            }
            host(&id, &sections)
        });
        let code = code.map_err(|wrong| format!("{}: {wrong}", path.display()))?;
        fs::write(out.join(module(&id)).with_extension("rs"), code).map_err(broken)?;
    }
    let formats = format!("&[{}]", formats.join(", "));
    fs::write(out.join("formats.rs"), formats).map_err(broken)
}

fn module(id: &str) -> String {
    id.replace('-', "_")
}

/// The module of one host.
fn host(id: &str, sections: &[Section]) -> Result<String, String> {
    let mut table = String::new();
    let mut facts = String::new();
    let mut wire = None;
    let mut link = |name: &str, value: &str| facts += &format!("{name}: {value}, ");
    for Section { name, lines } in sections {
        match name.split_once(' ').unwrap_or((name, "")) {
            ("", _) => {}
            ("wire", _) => wire = Some(WIRE.fields_of(lines)?),
            ("cans", _) => {
                for (name, items) in lines {
                    let can = CANS.row(items)?;
                    table += &format!("pub(in crate::hosts) const {name}: Can = {can};\n");
                }
            }
            ("events", _) => table += &events(fields::events(id), lines)?,
            ("tools", more) => {
                let mcp = lines.iter().find(|(name, _)| name == "(mcp)");
                let mcp = mcp.map(|(_, items)| fields::MCP.row(items)).transpose()?;
                let rows = lines.iter().filter(|(name, _)| name != "(mcp)");
                let rows = rows
                    .map(|line| TOOL.line(line))
                    .collect::<Result<Vec<_>, _>>()?;
                let mcp = mcp.map_or("None".to_owned(), |mcp| format!("Some({mcp})"));
                let name = if more.is_empty() { "TOOLS" } else { more };
                let rows = rows.join(", ");
                table += &format!(
                    "pub(in crate::hosts) static {name}: Tools = Tools {{ rows: &[{rows}], mcp: {mcp} }};\n"
                );
                if more.is_empty() {
                    link("tools", "&TOOLS");
                }
            }
            ("settings", _) => {
                table += &one("SETTINGS", "Settings", &SETTINGS, lines, "")?;
                link("settings", "Some(&SETTINGS)");
            }
            ("posts", _) => {
                table += &one("POSTS", "Posts", &POSTS, lines, "")?;
                link("posts", "Some(&POSTS)");
            }
            ("health", _) => {
                table += &one("HEALTH", "Health", &HEALTH, lines, "")?;
                link("health", "Some(&HEALTH)");
            }
            ("hooks", _) => {
                table += &one(
                    "FORMAT",
                    "NativeFormat",
                    &HOOKS,
                    lines,
                    &format!("host: {id:?}, "),
                )?;
            }
            _ => return Err(format!("`[{name}]` is no section")),
        }
    }
    let first = sections.first().map_or(&[][..], |section| &section.lines);
    table += &one("FACTS", "HostFacts", &FACTS, first, &facts)?;
    let mut links = String::new();
    if let Some(fields) = wire {
        let name = module(id).to_uppercase();
        table += &format!(
            "/// This host.\npub static {name}: Relative = Relative {{ id: ID, facts: &FACTS, natives: &ROWS, events: &EVENTS, \
             {fields} ..Relative::BARE }};\n"
        );
        links = format!("pub use table::{name};\n");
    }
    Ok(format!(
        "/// The id of this host.\npub const ID: &str = {id:?};\n\
         #[allow(clippy::pedantic, clippy::needless_update, unused_imports, dead_code, reason = \"compiled from a table\")]\n\
         pub(crate) mod table {{\n{IMPORTS}{table}}}\n{links}"
    ))
}

/// What tables name.
const IMPORTS: &str = "pub(in crate::hosts) use crate::hosts::relative::row::*;
pub(in crate::hosts) use crate::hosts::relative::{self, *};
use super::ID;
use crate::health::*;
use crate::native_files::*;
use crate::payload::{Mcp, Need, Tool, Tools};
use crate::settings::posted::Posts;
use crate::settings::*;
use crate::{HostFacts, Maturity, Prompts as Prompted, VersionAt};
use anyhook_core::can::*;
use anyhook_core::hook::At;
use anyhook_core::result::Kind;
use std::time::Duration;
";

fn one(
    name: &str,
    ty: &str,
    table: &Table,
    lines: &[items::Line],
    more: &str,
) -> Result<String, String> {
    let fields = table.fields_of(lines)?;
    let base = if table.base.is_empty() {
        String::new()
    } else {
        format!("..{}", table.base)
    };
    Ok(format!(
        "pub(crate) static {name}: {ty} = {ty} {{ {more}{fields}{base} }};\n"
    ))
}

/// The rows of a host, and what every host tells of each.
fn events(table: &Table, lines: &[items::Line]) -> Result<String, String> {
    let rows = lines.iter().map(|line| table.line(line));
    let rows = rows.collect::<Result<Vec<_>, _>>()?;
    let array = |name: &str, ty: &str, rows: &[String]| {
        let (many, rows) = (rows.len(), rows.join(",\n"));
        format!("pub(super) static {name}: [{ty}; {many}] = [{rows}];\n")
    };
    if table.ty == fields::NATIVE.ty {
        return Ok(array("ROWS", table.ty, &rows));
    }
    let natives = (0..rows.len()).map(|at| format!("EVENTS[{at}].native"));
    let natives: Vec<String> = natives.collect();
    Ok(array("EVENTS", table.ty, &rows) + &array("ROWS", fields::NATIVE.ty, &natives))
}
