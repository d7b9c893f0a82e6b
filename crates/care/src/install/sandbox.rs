//! `install --sandbox`: what the rules refuse by files and machines alone, in the words of each agent's own sandbox.
//!
//! The hooks go on holding all of it. A sandbox holds a part again, by the kernel, whatever a command looks like. What an agent's
//! words cannot say is a note of the change.

use std::path::PathBuf;
use std::sync::LazyLock;

use anyhook_engine::load::{self, locals_of, manifests_of};
use anyhook_engine::rules::{Fence, FenceKind, Fences};
use anyhook_wires::settings::edit::{SettingsForm, find};
use anyhook_wires::settings::{Scope, SettingsFile};
use serde_json::Value;

use super::rows::{self, RowInsertion, SettingRow};
use super::target::TargetFile;
use super::{InstallError, InstallPlan, Installer, Obstacle, PlannedChange, RecordStep};
use crate::doctor::several;

const TABLE: &str = include_str!("sandbox.txt");

static SHEETS: LazyLock<Vec<SandboxSheet>> = LazyLock::new(|| {
    let sections = TABLE
        .split("\n[")
        .filter_map(|section| section.split_once("]\n"));
    let sheets = sections.map(|(host, text)| {
        let lines = text.lines().filter(|line| !line.starts_with('#'));
        let lines = lines.filter_map(|line| {
            let (what, rest) = line.split_once(" |")?;
            let (at, value) = rest.split_once(" | ").unwrap_or((rest, ""));
            Some(SandboxLine {
                what,
                at: at.trim(),
                value,
            })
        });
        let lines: Vec<SandboxLine> = lines.collect();
        let file = |line: &SandboxLine| {
            Some(SettingsFile {
                scope: Scope::named(line.what)?,
                path: line.at,
                // We look for no entries there.
                at: &["anyhook"],
                ..SettingsFile::BARE
            })
        };
        let files = lines.iter().filter_map(file).collect();
        SandboxSheet { host, files, lines }
    });
    sheets.collect()
});

/// The files of one agent, and its words.
struct SandboxSheet {
    host: &'static str,
    files: Vec<SettingsFile>,
    lines: Vec<SandboxLine>,
}

struct SandboxLine {
    what: &'static str,
    at: &'static str,
    value: &'static str,
}

/// Returns the files of an agent that hold its sandbox.
pub(super) fn files_of(host: &str) -> impl Iterator<Item = &'static SettingsFile> {
    let sheets = SHEETS.iter().filter(move |sheet| sheet.host == host);
    sheets.flat_map(|sheet| &sheet.files)
}

impl Installer<'_> {
    /// Adds to a plan what the rules of this scope say about files and machines, in the settings of each agent's own sandbox. What
    /// these cannot say is a note of the change. All errors are returned at once.
    pub fn add_sandbox(
        &self,
        plan: &mut InstallPlan,
        scope: Scope,
    ) -> Result<(), Vec<InstallError>> {
        let fences = self.fences(scope).map_err(|error| vec![error])?;
        let mut hosts: Vec<&str> = plan.changes.iter().map(|change| change.host).collect();
        hosts.dedup();
        let mut errors = Vec::new();
        for host in hosts {
            errors.extend(self.fence(plan, host, scope, &fences).err());
        }
        errors.is_empty().then_some(()).ok_or(errors)
    }

    /// Reads what the rules of a scope refuse.
    fn fences(&self, scope: Scope) -> Result<Fences, InstallError> {
        let own = self.places()?.user_manifest();
        let files: Vec<PathBuf> = if scope == Scope::User {
            vec![own.clone()]
        } else {
            let project = self.project()?;
            manifests_of(&project).chain(locals_of(&project)).collect()
        };
        let mut all = Fences::default();
        for file in &files {
            if file.symlink_metadata().is_err() {
                continue;
            }
            let what = "has errors, which `anyhook check` shows";
            let found = load::open(file).map_err(|_| InstallError::unfit(file, what))?;
            all.add(&found);
        }
        if all.fences.is_empty() {
            let flag = if scope == Scope::User { " --user" } else { "" };
            let path = files.into_iter().next().unwrap_or(own);
            let what = format!(
                "`{}` has no rule that refuses a file or a machine alone",
                path.display()
            );
            let help = format!("write some: anyhook add{flag} secrets");
            return Err(InstallError::new(Obstacle::Unfit, what, &help));
        }
        Ok(all)
    }

    fn fence(
        &self,
        plan: &mut InstallPlan,
        host: &str,
        scope: Scope,
        fences: &Fences,
    ) -> Result<(), InstallError> {
        let sheet = SHEETS.iter().find(|sheet| sheet.host == host);
        let file = files_of(host).find(|file| file.scope == scope);
        let known = anyhook_wires::host(host);
        let known = known.and_then(|host| Some((host, host.facts().settings?)));
        let (Some(sheet), Some(file), Some((of, settings))) = (sheet, file, known) else {
            let why =
                "no sandbox of its own is known in these settings: the hooks alone hold the rules";
            plan.note(host, vec![why.to_owned()]);
            return Ok(());
        };
        let form = SettingsForm { settings, file };
        let target = self.open(of, form, None)?;
        let mut changes = plan.changes.iter_mut();
        let change = changes.find(|change| change.path == target.path);
        let planned = change.as_ref().and_then(|change| change.after.as_deref());
        let text = planned.map_or_else(
            || target.text(),
            |bytes| Ok(str::from_utf8(bytes).unwrap_or_default()),
        )?;
        find(text, form).map_err(|source| target.unedited(source))?;
        let (wanted, mut notes) = sheet.rows(fences);
        let earlier = self.rows_of(&target)?;
        let put = if file.is_toml() {
            rows::put_toml
        } else {
            rows::put
        };
        let put = put(text, &earlier, &wanted).filter(|put| find(&put.text, form).is_ok());
        let RowInsertion { text, rows, kept } = put.ok_or_else(|| target.changed())?;
        notes.extend(
            kept.iter()
                .map(|at| format!("`{at}` says something else there, and stays")),
        );
        if let Some(change) = change {
            change.after = Some(text.into_bytes());
            change.rows = Some(rows);
            change.notes.extend(notes);
        } else if rows.is_empty() {
            plan.note(host, notes);
        } else {
            // A file in which the agent has its sandbox, and no hooks.
            let record = RecordStep::Write(self.original(&target)?);
            let change = PlannedChange {
                notes,
                rows: Some(rows),
                ..target.change(Some(text.into_bytes()), record)
            };
            let at = plan.changes.iter().rposition(|change| change.host == host);
            plan.changes.insert(at.map_or(0, |at| at + 1), change);
        }
        Ok(())
    }

    /// Returns what we put into a file earlier.
    fn rows_of(&self, target: &TargetFile) -> Result<Vec<SettingRow>, InstallError> {
        let record = self.record(&target.path)?;
        Ok(record.map(|record| record.rows).unwrap_or_default())
    }

    /// Returns the text of a file without what we put into its sandbox.
    pub(super) fn without_rows(&self, target: &TargetFile) -> Result<String, InstallError> {
        let (text, rows) = (target.text()?, self.rows_of(target)?);
        let rest = match &*rows {
            [] => Some(text.to_owned()),
            rows if target.form.file.is_toml() => rows::take_toml(text, rows),
            rows => rows::take(text, rows.iter()),
        };
        rest.ok_or_else(|| target.changed())
    }
}

impl TargetFile {
    fn changed(&self) -> InstallError {
        let path = self.path.display();
        let what = format!("`{path}` has another sandbox where that of anyhook stands");
        InstallError::new(
            Obstacle::OtherSandbox,
            what,
            "take it out by hand: in that of Codex `default_permissions` and the tables `[permissions.anyhook…]`",
        )
    }
}

impl InstallPlan {
    /// Adds notes to the first change of an agent.
    fn note(&mut self, host: &str, notes: Vec<String>) {
        let mut changes = self.changes.iter_mut();
        if let Some(change) = changes.find(|change| change.host == host) {
            change.notes.extend(notes);
        }
    }
}

impl SandboxSheet {
    fn lines(&self, fits: impl Fn(&str) -> bool) -> Vec<&SandboxLine> {
        let lines = self.lines.iter();
        lines.filter(|line| fits(line.what)).collect()
    }

    /// Writes fences in its words, and says what is left to the hooks.
    fn rows(&self, fences: &Fences) -> (Vec<SettingRow>, Vec<String>) {
        let always = self.lines(|what| matches!(what, "always" | "absent"));
        let mut rows: Vec<SettingRow> = always.into_iter().map(|line| line.row("")).collect();
        let (mut lost, mut excepted, mut closed) = (Vec::new(), Vec::new(), Vec::new());
        for fence in &fences.fences {
            let (pattern, shape) = (fence.pattern.as_str(), shape(fence));
            let words = [fence.kind.name(), shape];
            let lines = self.lines(|what| {
                words
                    .iter()
                    .all(|word| what.split(' ').any(|one| one == *word))
            });
            if lines.is_empty() {
                lost.push(pattern);
            } else if shape != "whole" && !fence.except.is_empty() {
                excepted.push(pattern);
            } else {
                let inner = fence.except.iter().map(String::as_str);
                closed.extend(inner.filter(|inner| inner.starts_with(path_of(pattern))));
                let lines = lines.iter().filter(|line| !line.at.is_empty());
                rows.extend(lines.map(|line| line.row(pattern)));
            }
        }
        let mut once: Vec<SettingRow> = Vec::new();
        for row in rows {
            if !once.contains(&row) {
                once.push(row);
            }
        }
        let others = fences.others.iter().map(String::as_str).collect();
        let told = [
            ("left to the hooks, as its sandbox has no word for it", lost),
            (
                "left to the hooks, as its sandbox knows no exceptions",
                excepted,
            ),
            (
                "left to the hooks, as it is not about files or machines alone",
                others,
            ),
            ("closed too, which the rules leave open", closed),
        ];
        let told = told.iter().filter(|(_, what)| !what.is_empty());
        let told = told.map(|(why, what)| format!("{why}: {}", several(what)));
        let notes = self.lines(|what| what == "note").into_iter();
        (
            once,
            told.chain(notes.map(|line| line.at.to_owned())).collect(),
        )
    }
}

impl SandboxLine {
    fn row(&self, pattern: &str) -> SettingRow {
        let root = if pattern.starts_with('/') { "/" } else { "" };
        let filled = |text: &str| {
            let text = text.replace("{rule}", &format!("{root}{pattern}"));
            text.replace("{path}", path_of(pattern))
                .replace("{pattern}", pattern)
        };
        let value = filled(self.value);
        let value = match self.what {
            "absent" => Value::Null,
            "always" => serde_json::from_str(&value).unwrap_or(Value::String(value)),
            _ => Value::String(value),
        };
        let at = self.at.split(' ').map(filled).collect();
        SettingRow { at, value }
    }
}

/// Returns how the pattern of a fence is written.
fn shape(fence: &Fence) -> &'static str {
    let pattern = fence.pattern.as_str();
    let is_anchored = fence.kind == FenceKind::Connect || pattern.starts_with(['~', '/']);
    match path_of(pattern).contains(['*', '?', '[', '{']) {
        _ if !is_anchored => "floating",
        true if fence.kind == FenceKind::Connect => "floating",
        true => "anchored",
        false => "whole",
    }
}

/// Returns the folder of which a pattern is all that is below it; else the pattern.
fn path_of(pattern: &str) -> &str {
    pattern.strip_suffix("/**").unwrap_or(pattern)
}
