//! `anyhook list`: the hooks that hold in this folder.

use std::path::{Path, PathBuf};

use anyhook::core::hook::{Hook, WaitMode};
use anyhook::files;
use anyhook::load::{self, Layer, LoadOptions, ManifestFile};
use anyhook::packages::{PackageError, Packages};
use anyhook::survey::{HookStatus, LayerFile, LayerHook, Survey};
use anyhook::trust::{Trust, TrustedManifest};
use anyhook::world::World;
use clap::Args;
use serde_json::{Value, json};

use super::module::list as modules;
use super::{CommandMode, CommandSpec, asks, config, events, hosts, install, next, switch};
use crate::error::{self, CliError};
use crate::exit::Exit;
use crate::findings;
use crate::form::JsonFlag;
use crate::preview;
use crate::ui::{self, paint, short};
use crate::view;

/// The row.
pub(crate) const ROW: CommandSpec = verb!("list", ListArgs, run, MODES);

const JSON: &[&str] = &["json"];
const MODES: &[CommandMode] = &[
    asks("on", &["manifest"]),
    asks("off", &["manifest"]),
    asks("config", JSON),
    asks("events", JSON),
    asks("hosts", JSON),
    asks("modules", JSON),
    asks("", &["manifest", "json"]),
];

/// List the hooks of this folder, and switch one on or off
#[derive(Args)]
#[command(after_help = include_str!("help/list.txt"))]
struct ListArgs {
    /// What to list or switch, as below [default: the hooks]
    #[arg(value_name = "WHAT")]
    words: Vec<String>,
    /// Only the hooks of this file
    #[arg(long, value_name = "FILE")]
    manifest: Option<PathBuf>,
    #[command(flatten)]
    form: JsonFlag,
}

fn run(args: &ListArgs) -> Result<Exit, CliError> {
    let words: Vec<&str> = args.words.iter().map(String::as_str).collect();
    let (form, file) = (args.form, args.manifest.as_deref());
    match &*words {
        [] => hooks(file, form),
        ["on", name] => switch::on(name, file),
        ["off", name] => switch::off(name, file),
        ["config"] => config::run(form),
        ["events"] => events::run(None, form),
        ["events", name] => events::run(Some(name), form),
        ["hosts"] => hosts::run(None, form),
        ["hosts", name] => hosts::run(Some(name), form),
        ["modules"] => modules::built_in(form),
        [word, ..] if MODES.iter().all(|mode| mode.word != *word) => {
            let problem = CliError::unknown("list", word, MODES.iter().map(|mode| mode.word));
            let help = "all of them: anyhook list --help; the rules and packs: anyhook add";
            Err(problem.or_help(help.to_owned()))
        }
        [word @ ("on" | "off")] => {
            let what = format!("`anyhook list {word}` needs the name of a hook");
            Err(CliError::new(Exit::Usage, what)
                .help(format!("anyhook list {word} NAME; the names: anyhook list")))
        }
        [word, ..] => {
            let what = format!("`anyhook list {word}` does not take these words");
            Err(CliError::new(Exit::Usage, what).help("how it is called: anyhook list --help"))
        }
    }
}

/// Lists the hooks of this folder, or of one file.
fn hooks(file: Option<&Path>, form: JsonFlag) -> Result<Exit, CliError> {
    let world = World::real();
    let survey = match file {
        Some(file) => {
            crate::manifest::bytes(file)?;
            let file = world.absolute(file);
            let layer = Layer::Project;
            let mut survey = Survey::of_files(&world, &[ManifestFile { file, layer }]);
            survey.files.retain(LayerFile::is_there);
            survey
        }
        None => Survey::of(&world, ""),
    };
    if world.places.is_none() {
        ui::err(&ui::warning(&error::no_home().to_string()));
    }
    config::tell_mistakes(&world);
    let there: Vec<&LayerFile> = survey.files.iter().filter(|file| file.is_there()).collect();
    if there.is_empty() && !form.is_json() {
        return ui::done(&next::page(&world, &survey));
    }
    let agents = install::asking(&world);
    form.say(&as_json(&there, &agents), |_| {
        let asked = match &*agents {
            [] => format!(
                "\n{} no agent asks these hooks yet: anyhook install\n",
                paint(ui::ASK, "!")
            ),
            agents => format!("\nasked by {}\n", agents.join(", ")),
        };
        table(&there, &kept(&world)) + &untrusted(&there) + &asked
    })?;
    told(&there);
    for file in &there {
        if let Some(PackageError { what, help }) = Packages::altered(&file.file) {
            let help = help.unwrap_or_default();
            ui::err(&ui::warning(&format!("{what}; {help}")));
        }
    }
    Ok(Exit::Done)
}

/// Says what is wrong with the files. The findings say it with their lines; without them the remarks do.
fn told(there: &[&LayerFile]) {
    let findings: String = there.iter().map(|file| findings::of(&file.file)).collect();
    ui::err(&findings);
    if !findings.is_empty() {
        return;
    }
    let found: Vec<ManifestFile> = there
        .iter()
        .map(|file| ManifestFile {
            file: file.file.clone(),
            layer: file.layer,
        })
        .collect();
    for remark in load::load(&found, None, LoadOptions::ALL).remarks {
        ui::err(&ui::warning(&remark.text));
    }
}

fn kind(hook: &Hook) -> &'static str {
    hook.action().map_or("built in", load::kind)
}

/// Says what is special about a hook.
fn mode(hook: &Hook) -> &'static str {
    match (hook.info.shadow, hook.info.guard, hook.pace) {
        (true, ..) => "shadow",
        (false, true, _) => "guard",
        (false, false, WaitMode::Background) => "async",
        (false, false, WaitMode::Waited) => "",
    }
}

/// Everything that a person trusts.
fn kept(world: &World) -> Vec<TrustedManifest> {
    let trust = world.places.as_ref().map(Trust::of);
    trust.map(|trust| trust.kept()).unwrap_or_default()
}

/// Names the command that asks about what is not trusted.
fn untrusted(files: &[&LayerFile]) -> String {
    match files.iter().filter(|file| file.waits()).count() {
        0 => String::new(),
        count => format!(
            "\n{} {} for you to look at: anyhook trust\n",
            paint(ui::ASK, "!"),
            if count == 1 {
                "1 file waits".to_owned()
            } else {
                format!("{count} files wait")
            },
        ),
    }
}

/// Says what of a trusted file is not covered by its copy.
fn limits(file: &LayerFile, kept: &[TrustedManifest]) -> String {
    let real = files::real(&file.file);
    let Some(kept) = kept.iter().find(|kept| kept.manifest == real) else {
        return String::new();
    };
    let told = |(_, title, names): (_, &str, Vec<String>)| {
        let names: Vec<String> = names.iter().map(|name| ui::line(name)).collect();
        let told = format!("{title}: {}", names.join(", "));
        format!("  {}\n", paint(ui::DIM, &told))
    };
    preview::limits(&kept.pinned)
        .into_iter()
        .map(told)
        .collect()
}

/// One block for each file, one row for each hook.
fn table(files: &[&LayerFile], kept: &[TrustedManifest]) -> String {
    let mut text = String::new();
    for file in files {
        let name = ui::path(&file.file);
        text.push_str(&format!(
            "{} {}  {}\n",
            file.layer.name(),
            paint(ui::BOLD, &name),
            paint(ui::DIM, &ui::line(&file.stands()))
        ));
        text.push_str(&limits(file, kept));
        let rows = file.hooks.iter().map(|listed| row(listed, file));
        let head = "name|line|event|matcher|type|prio|mode|timeout|state";
        text.push_str(&ui::table(head, rows));
        text.push('\n');
    }
    text.pop();
    text
}

fn row(listed: &LayerHook, file: &LayerFile) -> [String; 9] {
    let (hook, info) = (&listed.hook, &listed.hook.info);
    // On a narrow terminal the names have the room; `anyhook explain` says how long a hook may take.
    let timeout = hook
        .deadline
        .filter(|_| ui::width() >= 100)
        .map(|time| format!("{} s", time.as_secs_f64()));
    let line = info.source.as_ref().map_or(0, |source| source.line);
    [
        short(&info.name, 32),
        line.to_string(),
        short(hook.event.universal(), 40),
        ui::line(info.matcher.as_deref().unwrap_or("*")),
        kind(hook).to_owned(),
        Some(info.priority)
            .filter(|priority| *priority != 0)
            .map(|priority| priority.to_string())
            .unwrap_or_default(),
        mode(hook).to_owned(),
        timeout.unwrap_or_default(),
        ui::line(&listed.state(file)),
    ]
}

fn as_json(files: &[&LayerFile], agents: &[&str]) -> Value {
    let hooks = files.iter().flat_map(|file| {
        let own = file.hooks.iter();
        own.map(|listed| hook_as_json(listed, file))
    });
    let listed = files.iter().map(
        |file| json!({"layer": file.layer.name(), "file": file.file.to_string_lossy(), "standing": file.stands()}),
    );
    json!({
        "files": listed.collect::<Vec<_>>(),
        "hooks": hooks.collect::<Vec<_>>(),
        "asked_by": agents,
    })
}

fn hook_as_json(listed: &LayerHook, file: &LayerFile) -> Value {
    let (hook, info) = (&listed.hook, &listed.hook.info);
    let runs = listed.runs == HookStatus::Yes;
    json!({
        "event": hook.event.as_str(), "name": info.name, "matcher": info.matcher, "type": kind(hook),
        "priority": info.priority, "guard": info.guard, "shadow": info.shadow,
        "async": hook.pace == WaitMode::Background,
        "timeout": hook.deadline.map(|time| time.as_secs_f64()), "at": view::place(info),
        "layer": file.layer.name(), "file": file.file.to_string_lossy(), "line": info.source.as_ref().map(|source| source.line),
        "enabled": runs, "why_not": (!runs).then(|| listed.state(file)),
    })
}
