//! Compiles the tables of the hosts into statics. What is wrong in a table is an error of the build.
//!
//! A table is lines: a field, and its items. An item is a word, a text in quotes as Rust writes it, a pair `a=b`, or a field with
//! items of its own, `field(a b)`. A line that begins with a space goes on with the one before. `[name]` begins a section, `#` a
//! comment. A table that begins with `like ID` has the sections of that one which are not its own.

#![expect(
    clippy::disallowed_methods,
    reason = "a build reads tables and writes code"
)]

#[path = "build/fields.rs"]
mod fields;
#[path = "build/items.rs"]
mod items;
#[path = "build/types.rs"]
mod types;

use std::path::{Path, PathBuf};
use std::{env, fs, io};

use fields::Types;
use items::TableSection;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=build");
    println!("cargo::rerun-if-changed=hosts");
    println!("cargo::rerun-if-changed=src");
    let folder = |name| PathBuf::from(env::var_os(name).unwrap_or_default());
    if let Err(wrong) = all(&folder("CARGO_MANIFEST_DIR"), &folder("OUT_DIR")) {
        println!("cargo::error={wrong}");
    }
}

fn all(of_crate: &Path, out: &Path) -> Result<(), String> {
    let broken = |cause: io::Error| cause.to_string();
    let types = Types(types::read(&of_crate.join("src"))?);
    let entries = fs::read_dir(of_crate.join("hosts")).map_err(broken)?;
    let paths = entries.map(|entry| Ok(entry.map_err(broken)?.path()));
    let mut paths = paths.collect::<Result<Vec<_>, String>>()?;
    paths.sort();
    let read = |path: &Path| items::sections(&fs::read_to_string(path).map_err(broken)?);
    let mut formats = Vec::new();
    for path in paths {
        let id = path.file_stem().unwrap_or_default().to_string_lossy();
        let sections = read(&path).and_then(|own| match like(&own) {
            Some(other) => {
                let other = read(&path.with_file_name(other).with_extension("txt"))?;
                Ok(over(own, other))
            }
            None => Ok(own),
        });
        let code = sections.and_then(|sections| {
            if sections.iter().any(|section| section.name == "hooks") {
                formats.push(format!("&crate::hosts::{}::table::FORMAT", module(&id)));
            }
            host(&types, &id, &sections)
        });
        let code = code.map_err(|wrong| format!("{}: {wrong}", path.display()))?;
        fs::write(out.join(module(&id)).with_extension("rs"), code).map_err(broken)?;
    }
    let formats = format!("&[{}]", formats.join(", "));
    let source = |name: &str| fs::read_to_string(of_crate.join(name)).map_err(broken);
    let common = common(&types, &source("src/hosts/relative/row/common.txt")?)?;
    let tools = all_tools(&source("src/tools.txt")?);
    for (name, code) in [
        ("formats.rs", formats),
        ("common.rs", common),
        ("tools.rs", tools),
    ] {
        fs::write(out.join(name), code).map_err(broken)?;
    }
    Ok(())
}

/// Returns the table that another one is like: what it does not say is as there.
fn like(own: &[TableSection]) -> Option<String> {
    let (name, items) = own.first()?.lines.first()?;
    match &items[..] {
        [items::Item::Word(other)] if name == "like" => Some(other.text.clone()),
        _ => None,
    }
}

/// Adds the sections that a table does not have to those of its own.
fn over(mut own: Vec<TableSection>, other: Vec<TableSection>) -> Vec<TableSection> {
    if let Some(first) = own.first_mut() {
        first.lines.remove(0);
    }
    for section in other {
        if !own.iter().any(|one| one.name == section.name) {
            own.push(section);
        }
    }
    own
}

fn module(id: &str) -> String {
    id.replace('-', "_")
}

/// The module of one host.
fn host(types: &Types, id: &str, sections: &[TableSection]) -> Result<String, String> {
    let mut table = String::new();
    let mut facts = String::new();
    let mut links = String::new();
    let mut link = |name: &str, value: &str| facts += &format!("{name}: {value}, ");
    for TableSection { name, lines } in sections {
        let (name, more) = name.split_once(' ').unwrap_or((name, ""));
        match name {
            "" => {}
            "wire" => {
                let name = module(id).to_uppercase();
                let links_of = "id: ID, facts: &FACTS, events: EVENTS, ";
                let wire = types.one("HOST", "Host", lines, links_of)?;
                table += &wire.replace("pub(crate)", "/// This host.\npub");
                links = format!("pub use table::HOST as {name};\n");
            }
            "cans" | "manners" | "lists" | "pairs" => table += &types.constants(name, lines)?,
            "events" => {
                let name = if more.is_empty() { "EVENTS" } else { more };
                let rows = rows(types, "HostRow", lines)?;
                table += &format!("pub(super) static {name}: &[HostRow] = {rows};\n");
            }
            "tools" => {
                let name = if more.is_empty() { "TOOLS" } else { more };
                table += &tools(types, name, lines)?;
                if more.is_empty() {
                    link("tools", "&TOOLS");
                }
            }
            "hooks" => {
                table += &types.one("FORMAT", "NativeFormat", lines, &format!("host: {id:?}, "))?;
            }
            "settings" | "posts" | "health" => {
                let to = name.to_uppercase();
                table += &types.one(&to, name, lines, "")?;
                link(name, &format!("Some(&{to})"));
            }
            _ => return Err(format!("`[{name}]` is no section")),
        }
    }
    let first = sections.first().map_or(&[][..], |section| &section.lines);
    table += &types.one("FACTS", "HostFacts", first, &facts)?;
    Ok(format!(
        "/// The id of this host.\npub const ID: &str = {id:?};\n\
         {HEAD} table {{\npub(in crate::hosts) use crate::hosts::relative::row::*;\nuse super::ID;\n{IMPORTS}{table}}}\n\
         {links}"
    ))
}

/// The constants that hosts share.
fn common(types: &Types, text: &str) -> Result<String, String> {
    let all = items::sections(text)?.into_iter().skip(1);
    let all = all.map(|of| types.constants(&of.name, &of.lines));
    let all: String = all.collect::<Result<_, _>>()?;
    Ok(format!(
        "{HEAD} common {{\nuse crate::payload::RequiredField;\n{IMPORTS}{all}}}\n"
    ))
}

/// The global table of tools: the names of each, and those of the tools that its line names behind `>`; all of them twice.
fn all_tools(text: &str) -> String {
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let lines = lines.map(|line| line.split_once(" > ").unwrap_or((line, "")));
    let is_of = |own: &str, set: &str| own.split(' ').next() == Some(set);
    let row = |(own, sets): (&str, &str)| {
        let sets = sets.split_whitespace();
        let more = sets.flat_map(|set| lines.clone().filter(move |(own, _)| is_of(own, set)));
        let own: Vec<&str> = own.split(' ').collect();
        let more = more.flat_map(|(own, _)| own.split(' '));
        let names: Vec<&str> = own.iter().copied().chain(more).collect();
        let (own, count, names) = (own.len(), names.len(), names.repeat(2));
        format!("ToolNames {{ own: {own}, count: {count}, names: &{names:?} }}")
    };
    let rows: Vec<String> = lines.clone().map(row).collect();
    format!("&[{}]", rows.join(", "))
}

/// What stands before a module.
const HEAD: &str = "#[allow(clippy::pedantic, clippy::needless_update, clippy::redundant_static_lifetimes, unused_imports, \
                    dead_code, reason = \"compiled from a table\")]\npub(crate) mod";

/// What tables name.
const IMPORTS: &str = "use crate::payload::Tools;
use anyhook_core::can::*;
use anyhook_core::effects::{Lifetime, Placement, Role};
use anyhook_core::result::Kind;
use std::time::Duration;
";

fn tools(types: &Types, name: &str, lines: &[items::TableLine]) -> Result<String, String> {
    let (servers, tools): (Vec<_>, Vec<_>) = lines.iter().partition(|(name, _)| name == "(mcp)");
    let rows = rows(types, "HostTool", tools)?;
    let mcp = types.find("Mcp").ok_or("`Mcp` is no type")?;
    let mcp = match servers.first() {
        Some((_, items)) => format!("Some({})", types.row(mcp, items)?),
        None => "None".to_owned(),
    };
    Ok(format!(
        "pub(in crate::hosts) static {name}: Tools = Tools {{ rows: {rows}, mcp: {mcp} }};\n"
    ))
}

/// The rows of a section, one for each of its lines.
fn rows<'l>(
    types: &Types,
    ty: &str,
    lines: impl IntoIterator<Item = &'l items::TableLine>,
) -> Result<String, String> {
    let of = types.find(ty).ok_or_else(|| format!("`{ty}` is no type"))?;
    let rows = lines.into_iter().map(|line| types.line(of, line));
    let rows: Vec<String> = rows.collect::<Result<_, _>>()?;
    Ok(format!("&[{}]", rows.join(",\n")))
}
