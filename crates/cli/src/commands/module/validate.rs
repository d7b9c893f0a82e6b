//! `anyhook doctor --module`: every check that is to be made of a module, each with a reason and a fix.

use std::collections::BTreeMap;
use std::path::Path;

use anyhook::mounts::{
    Catalogue, CheckStatus, ModuleEntry, ModuleSource, TrialMode, Validation, Weight,
};
use anyhook::world::World;
use clap::Args;
use serde_json::json;

use super::python;
use crate::error::CliError;
use crate::exit::Exit;
use crate::form::JsonFlag;
use crate::ui::{self, paint, visible};

/// The module that is asked about.
#[derive(Args)]
pub(in crate::commands) struct ValidateArgs {
    /// Run every check on a module: the folder of a package of hooks or of a Python module, or the name of a built-in one
    #[arg(long, value_name = "MODULE", conflicts_with_all = ["host", "fix"])]
    pub(in crate::commands) module: Option<String>,
    /// With --module: its kind; every kind but hook is a Python module
    #[arg(id = "type", requires = "module", short = 't', long = "type", value_parser = ["hook", "tool", "provider", "orchestrator", "context"], default_value = "hook", hide_default_value = true)]
    pub(super) kind: String,
}

/// Runs every check on a module.
///
/// The module is mounted in a private session, asked about sample events, and unmounted. No command of a package is started. A
/// Python module is imported and mounted by Python, with the package `anyhook`, so its code runs in any case.
pub(in crate::commands) fn run(
    module: &str,
    args: &ValidateArgs,
    form: JsonFlag,
) -> Result<Exit, CliError> {
    let real = World::real();
    let entry = entry(module, &real)?;
    if let Some(ModuleSource::Folder(folder)) = &entry.source
        && python::is_one(&entry, &real)
    {
        return python::validate(folder, args, form, &real);
    }
    let kind = &args.kind;
    if kind != "hook" {
        let what =
            format!("`{module}` is no module in Python, and any other is a hook and no {kind}");
        return Err(CliError::new(Exit::Usage, what));
    }
    let validation = Catalogue::new(real).validate(&entry, Path::new(""), TrialMode::Look);
    let facts = json!({
        "module": validation.module, "type": "hook", "kind": validation.kind, "passed": validation.is_good(),
        "checks": validation.checks,
    });
    form.say(&facts, |_| page(&validation))?;
    Ok(Exit::from(validation.is_good()))
}

/// A word that is no folder here is the name of a module; everything else is a folder.
fn entry(module: &str, world: &World) -> Result<ModuleEntry, CliError> {
    let folder = world.absolute(Path::new(module));
    let is_name = matches!(
        ModuleSource::read(module, &world.cwd),
        Ok(ModuleSource::Named(_))
    );
    if is_name && !folder.is_dir() {
        return Ok(ModuleEntry::new(module, json!({})));
    }
    if !folder.exists() {
        let what = format!("there is no folder `{module}`");
        return Err(CliError::new(Exit::NoInput, what));
    }
    let name = folder.canonicalize().ok();
    let name = name.as_deref().and_then(Path::file_name);
    let name = name.map_or_else(|| module.into(), |name| name.to_string_lossy());
    let mut entry = ModuleEntry::new(&name, json!({}));
    entry.source = Some(ModuleSource::Folder(folder));
    Ok(entry)
}

fn page(validation: &Validation) -> String {
    let mut text = String::new();
    let mut skipped = BTreeMap::new();
    for checked in &validation.checks {
        match &checked.judged {
            CheckStatus::Passed => {
                let word = format!("{}  ", paint(ui::PASS, "pass"));
                text.push_str(&ui::beside(&word, 6, checked.check.about));
            }
            CheckStatus::Skipped { why } => {
                let others = skipped.entry(why).or_insert(0_usize);
                *others += 1;
            }
            CheckStatus::Failed { why, fix } => {
                let word = match checked.check.weight {
                    Weight::Required => paint(ui::DENY, "fail"),
                    Weight::Recommended => paint(ui::ASK, "warn"),
                };
                let (why, fix) = (visible(why), visible(fix));
                let slug = checked.check.slug;
                let why = ui::beside(&format!("{word}  "), 6, &format!("{slug}: {why}"));
                text.push_str(&(why + &ui::wrapped("      ", &fix)));
            }
        }
    }
    for (why, many) in skipped {
        text.push_str(&format!(
            "{}  {}: {why}\n",
            paint(ui::DIM, "skip"),
            ui::many(many, "check")
        ));
    }
    text.push_str(&summary(validation));
    text
}

fn summary(validation: &Validation) -> String {
    let name = visible(&validation.module);
    let count = |weight| validation.failed(weight).count();
    let passed = validation
        .checks
        .iter()
        .filter(|it| it.judged == CheckStatus::Passed);
    let word = if validation.is_good() {
        paint(ui::PASS, "is a module")
    } else {
        paint(ui::DENY, "does not pass")
    };
    let line = format!(
        "`{name}` {word}: {} of {} checks passed, {} required failed, {} recommended failed",
        passed.count(),
        validation.checks.len(),
        count(Weight::Required),
        count(Weight::Recommended),
    );
    ui::wrapped("", &line)
}
