//! `anyhook list off` and `anyhook list on`: switch a hook off and on again, in the person's own hooks.json and nowhere else.

use std::path::{Path, PathBuf};

use anyhook::files;
use anyhook::load::{self, By, Layer};
use anyhook::survey::{Runs, Survey};
use anyhook::text::word;
use anyhook::wires::native_files::Syntax;
use anyhook::world::World;
use jsonc_parser::cst::{CstArray, CstNode};
use serde_json::{Value, json};

use crate::error::{self, Problem};
use crate::exit::Exit;
use crate::manifest;
use crate::person;
use crate::ui::{self, visible};

/// A hook of a file.
struct Named {
    file: PathBuf,
    layer: Layer,
    name: String,
    /// Its place in the file, by which it can be named too.
    place: String,
}

/// Switches a hook off, for this person alone.
pub(super) fn off(name: &str, file: Option<&Path>) -> Result<Exit, Problem> {
    person::is_there("anyhook list off")?;
    let world = World::real();
    let survey = Survey::of(&world, "");
    let hook = find(name, file, &world, &survey)?;
    let shown = visible(&hook.file.to_string_lossy());
    if hook.layer == Layer::Managed {
        let what = format!("`{}` is a hook of the administrator", ui::line(&hook.name));
        return Err(Problem::new(Exit::Permission, what).help(format!(
            "only the administrator switches it off, in `{shown}`"
        )));
    }
    if let Some(by) = off_by(&survey, &hook) {
        let name = ui::line(&hook.name);
        ui::out(&format!(
            "{name} is off already, by {}\n",
            visible(&by.to_string())
        ))?;
        return Ok(Exit::Done);
    }
    let own = error::places(&world)?.user_manifest();
    person::proves(&world)?;
    edit(&own, |list| {
        let entry = json!({"name": hook.name, "file": hook.file.to_string_lossy()});
        list.ensure_multiline();
        list.append(manifest::input(&entry));
        true
    })?;
    let name = ui::line(&hook.name);
    ui::out(&format!(
        "off: {name} of {shown}\nOn again: anyhook list on {}\n",
        visible(&word(&hook.name))
    ))?;
    Ok(Exit::Done)
}

/// Switches a hook on again that the person switched off.
pub(super) fn on(name: &str, file: Option<&Path>) -> Result<Exit, Problem> {
    person::is_there("anyhook list on")?;
    let world = World::real();
    let survey = Survey::of(&world, "");
    let hook = find(name, file, &world, &survey)?;
    let name = ui::line(&hook.name);
    if off_by(&survey, &hook).is_none() {
        ui::out(&format!("{name} is on already\n"))?;
        return Ok(Exit::Done);
    }
    let own = error::places(&world)?.user_manifest();
    edit(&own, |list| {
        let named = list.elements().into_iter();
        let named: Vec<_> = named.filter(|node| means(node, &hook)).collect();
        let any = !named.is_empty();
        for node in named {
            node.remove();
        }
        any
    })?;
    let now = Survey::of(&world, "");
    if let Some(by) = off_by(&now, &hook) {
        let what = format!("`{name}` is still off, by {}", visible(&by.to_string()));
        let help = "change that file, and look at it with: anyhook list";
        return Err(Problem::new(Exit::Negative, what).help(help));
    }
    let shown = visible(&hook.file.to_string_lossy());
    ui::out(&format!("on: {name} of {shown}\n"))?;
    Ok(Exit::Done)
}

/// Returns what switched a hook off.
fn off_by<'s>(survey: &'s Survey, hook: &Named) -> Option<&'s By> {
    survey.hooks.iter().find_map(|listed| {
        let info = &listed.hook.info;
        let source = info.source.as_ref()?;
        let is_it = *info.name == *hook.name && *source.file == *hook.file.to_string_lossy();
        match &listed.runs {
            Runs::Off(by) if is_it => Some(by),
            Runs::Off(_) | Runs::Yes | Runs::Untrusted => None,
        }
    })
}

/// Finds the hook that is named, in the file that is named.
fn find(
    wanted: &str,
    file: Option<&Path>,
    world: &World,
    survey: &Survey,
) -> Result<Named, Problem> {
    let file = file.map(|file| world.absolute(file));
    let mut all = all(survey);
    all.retain(|hook| file.as_ref().is_none_or(|file| is_same(file, &hook.file)));
    let is_it = |hook: &&Named| hook.name == wanted || hook.place == wanted;
    let found: Vec<&Named> = all.iter().filter(is_it).collect();
    let Some(first) = found.first() else {
        let names = all.iter().flat_map(|hook| [&*hook.name, &*hook.place]);
        return Err(Problem::unknown("hook", &visible(wanted), names)
            .or_help("all of them: anyhook list".to_owned()));
    };
    if let Some(other) = found.iter().find(|other| other.file != first.file) {
        let what = format!("hooks of several files are called `{}`", visible(wanted));
        let [first, other] =
            [first, other].map(|hook| visible(&word(&hook.file.to_string_lossy())));
        let help = format!("name the file too: --manifest {first}, or --manifest {other}");
        return Err(Problem::new(Exit::Usage, what).help(help));
    }
    let at = all.iter().position(|hook| std::ptr::eq(hook, *first));
    Ok(all.swap_remove(at.unwrap_or_default()))
}

fn is_same(one: &Path, other: &Path) -> bool {
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    real(one) == real(other)
}

/// Returns every hook of every file that can be read.
fn all(survey: &Survey) -> Vec<Named> {
    let mut all = Vec::new();
    for surveyed in survey.files.iter().filter(|file| file.is_there()) {
        let read = files::read_document(&surveyed.file).ok();
        let text = read.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        let parsed = text.and_then(|text| load::parse(&surveyed.file, &text).ok());
        for group in parsed.iter().flat_map(|parsed| &parsed.manifest.groups) {
            all.extend(group.entries.iter().map(|entry| Named {
                file: surveyed.file.clone(),
                layer: surveyed.layer,
                name: group.name_of(entry),
                place: group.place_of(entry),
            }));
        }
    }
    all
}

/// Tells whether an element of `disable` means a hook.
fn means(element: &CstNode, hook: &Named) -> bool {
    let value = Syntax::Json
        .as_json(&element.to_string())
        .unwrap_or_default();
    let is_name = |value: Option<&Value>| {
        let name = value.and_then(Value::as_str);
        name.is_some_and(|name| name == hook.name || name == hook.place)
    };
    let file = value.get("file").and_then(Value::as_str);
    let of_file = file.is_some_and(|file| is_same(Path::new(file), &hook.file));
    is_name(Some(&value)) || of_file && is_name(value.get("name"))
}

/// Changes the list `disable` of a file, and leaves the rest of the file as it is.
fn edit(file: &Path, change: impl FnOnce(&CstArray) -> bool) -> Result<(), Problem> {
    manifest::edit(file, |_, top| {
        let list = top.array_value_or_create("disable")?;
        let is_changed = change(&list);
        if list.elements().is_empty() {
            top.get("disable")?.remove();
        }
        Some(is_changed)
    })
}
