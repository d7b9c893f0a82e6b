//! `anyhook list off` and `anyhook list on`: switch a hook off and on again, in the person's own hooks.json and nowhere else.

use std::path::Path;

use anyhook::files;
use anyhook::load::Layer;
use anyhook::survey::{HookStatus, LayerFile, LayerHook, Survey};
use anyhook::text::word;
use anyhook::wires::native_files::Syntax;
use anyhook::world::World;
use jsonc_parser::cst::{CstArray, CstNode};
use serde_json::{Value, json};

use crate::error::{self, CliError};
use crate::exit::Exit;
use crate::manifest;
use crate::person;
use crate::ui::{self, visible};

/// Switches a hook off, for this person alone.
pub(super) fn off(name: &str, file: Option<&Path>) -> Result<Exit, CliError> {
    person::is_there("anyhook list off")?;
    let world = World::real();
    let survey = Survey::of(&world, "");
    let (of, listed) = find(name, file, &world, &survey)?;
    let file = &*of.file;
    let (name, shown) = (&*listed.hook.info.name, ui::path(file));
    if of.layer == Layer::Managed {
        let what = format!("`{}` is a hook of the administrator", ui::line(name));
        let help = format!("only the administrator switches it off, in `{shown}`");
        return Err(CliError::new(Exit::Permission, what).help(help));
    }
    if let HookStatus::Off(by) = &listed.runs {
        let (name, by) = (ui::line(name), visible(&by.to_string()));
        return ui::done(&format!("{name} is off already, by {by}\n"));
    }
    let own = error::places(&world)?.user_manifest();
    person::proves(&world)?;
    let is_new = edit(&own, |list| {
        let is_new = !list.elements().iter().any(|node| means(node, name, file));
        if is_new {
            let entry = json!({"name": name, "file": file.to_string_lossy()});
            list.ensure_multiline();
            list.append(manifest::input(&entry));
        }
        is_new
    })?;
    if !is_new {
        let by = ui::path(&own);
        return ui::done(&format!("{} is off already, by {by}\n", ui::line(name)));
    }
    let same = of.hooks.iter();
    let same = same.filter(|other| *other.hook.info.name == *name);
    let how_many = match same.count() {
        0 | 1 => String::new(),
        many => format!(" ({many} hooks have this name)"),
    };
    ui::done(&format!(
        "off: {}{how_many} of {shown}\nOn again: anyhook list on {}\n",
        ui::line(name),
        visible(&word(name))
    ))
}

/// Switches a hook on again that this person switched off.
pub(super) fn on(name: &str, file: Option<&Path>) -> Result<Exit, CliError> {
    person::is_there("anyhook list on")?;
    let world = World::real();
    let survey = Survey::of(&world, "");
    let (of, listed) = find(name, file, &world, &survey)?;
    let file = &*of.file;
    let (name, shown) = (&*listed.hook.info.name, ui::path(file));
    let told = ui::line(name);
    let own = error::places(&world)?.user_manifest();
    // A hook that does not run for another reason, such as a file that is not trusted, may stand in the list too.
    let is_taken = own.exists()
        && edit(&own, |list| {
            let named = list.elements().into_iter();
            let named: Vec<_> = named.filter(|node| means(node, name, file)).collect();
            let any = !named.is_empty();
            for node in named {
                node.remove();
            }
            any
        })?;
    if !is_taken && !matches!(listed.runs, HookStatus::Off(_)) {
        return ui::done(&format!("{told} is on already\n"));
    }
    let now = Survey::of(&world, "");
    if let HookStatus::Off(by) = &find(name, Some(file), &world, &now)?.1.runs {
        let what = format!("`{told}` is still off, by {by}");
        let help = "change that file, and look at it with: anyhook list";
        return Err(CliError::new(Exit::Negative, what).help(help));
    }
    ui::done(&format!("on: {told} of {shown}\n"))
}

/// Finds the one hook that a person means, with its file.
fn find<'s>(
    wanted: &str,
    file: Option<&Path>,
    world: &World,
    survey: &'s Survey,
) -> Result<(&'s LayerFile, &'s LayerHook), CliError> {
    let file = file.map(|file| world.absolute(file));
    let is_meant = |of: &LayerFile| file.as_ref().is_none_or(|file| is_same(file, &of.file));
    let all: Vec<_> = survey.hooks().filter(|(of, _)| is_meant(of)).collect();
    let is_it = |(_, listed): &&(&LayerFile, &LayerHook)| *listed.hook.info.name == *wanted;
    let mut found = all.iter().filter(is_it);
    let Some(first) = found.next() else {
        if wanted.starts_with("anyhook:") {
            let what = format!("`{wanted}` is built in and always on");
            return Err(CliError::new(Exit::Usage, what).help("what can be: anyhook list"));
        }
        let names = all.iter().map(|(_, listed)| &*listed.hook.info.name);
        return Err(CliError::unknown("hook", wanted, names)
            .or_help("all of them: anyhook list".to_owned()));
    };
    if let Some(other) = found.find(|other| other.0.file != first.0.file) {
        let what = format!("hooks of several files are called `{wanted}`");
        let [first, other] = [first, other].map(|(of, _)| word(&of.file.to_string_lossy()));
        let help = format!("name the file too: --manifest {first}, or --manifest {other}");
        return Err(CliError::new(Exit::Usage, what).help(help));
    }
    Ok(*first)
}

fn is_same(one: &Path, other: &Path) -> bool {
    files::real(one) == files::real(other)
}

/// Tells whether an element of `disable` means this hook.
fn means(element: &CstNode, name: &str, of: &Path) -> bool {
    let value = Syntax::Json.as_json(&element.to_string());
    let value = value.unwrap_or_default();
    let file = value.get("file").and_then(Value::as_str);
    let of_file = file.is_some_and(|file| is_same(Path::new(file), of));
    value == name || of_file && value.get("name").is_some_and(|own| own == name)
}

/// Changes the list `disable` of a file, leaves the rest of the file as it is, and tells whether anything changed.
fn edit(file: &Path, change: impl FnOnce(&CstArray) -> bool) -> Result<bool, CliError> {
    let mut is_changed = false;
    manifest::edit(file, |_, top| {
        let list = top.array_value_or_create("disable")?;
        is_changed = change(&list);
        if list.elements().is_empty() {
            top.get("disable")?.remove();
        }
        Some(is_changed)
    })?;
    Ok(is_changed)
}
