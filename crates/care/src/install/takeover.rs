//! Taking the hooks of an agent over: out of its settings, into a universal file.

use std::path::{Path, PathBuf};

use anyhook_core::manifest::{Action, Entry, Finding, Severity};
use anyhook_engine::models::ConfiguredModel;
use anyhook_wires::convert::{ConversionLoss, to_universal};
use anyhook_wires::native_files::{NativeFormat, Syntax};
use anyhook_wires::settings::{Scope, edit};

use super::plan::InstallRequest;
use super::program::called;
use super::target::UNDERSTOOD;
use super::{InstallError, InstallOptions, InstallPlan, Installer, Obstacle};

/// The hooks of an agent that go over to us. They are asked by us from then on, and by their agent no more.
#[derive(Debug)]
pub struct Takeover {
    /// The agent's file.
    pub file: PathBuf,
    /// They alone, as a universal file.
    pub hooks: String,
    /// What that file says otherwise.
    pub lost: Vec<ConversionLoss>,
    /// The entries that stay, because only their agent runs them.
    pub kept: Vec<edit::FoundEntry>,
    /// The agent's file without them, with our entries. It is carried out when the universal file is there and may run: the
    /// hooks run twice for a moment, and never not at all.
    pub plan: InstallPlan,
}

impl Installer<'_> {
    /// Plans to take the hooks of a scope over; nothing where there are none that we can run. A hook goes only if the
    /// universal file has it, and if its whole group goes.
    pub fn plan_takeover(
        &self,
        format: &'static NativeFormat,
        scope: Scope,
    ) -> Result<Option<Takeover>, InstallError> {
        let host = anyhook_wires::host(format.host);
        let missing = || {
            let what = format!("the hooks of `{}` cannot be taken over", format.host);
            InstallError::new(Obstacle::Unusable, what, "write them anew: anyhook init")
        };
        let Some((host, settings)) = host.and_then(|host| Some((host, host.facts().settings?)))
        else {
            return Err(missing());
        };
        let target = self.target(host, settings, scope)?;
        let target = target.ok_or_else(missing)?;
        let (text, form) = (target.text()?, target.form);
        let syntax = Syntax::of(&target.path);
        let failed = |source| target.unedited(source);
        if target.entries()?.is_empty() {
            return Ok(None);
        }
        let all =
            to_universal(text, syntax, format).map_err(|findings| wrong(&target.path, findings))?;
        let has_model = ConfiguredModel::of(self.world).settings.is_ok();
        let mut places = all.hooks;
        for (event, entry) in entries(text, syntax, format) {
            // The agent asks its own model; we would have none to ask. Of an event without an entry of ours we hear nothing.
            let is_asked = has_model || !matches!(entry.action, Action::Prompt(_));
            if !(is_asked && settings.has(&event)) {
                places.retain(|place| *place != entry.at.span);
            }
        }
        let taken = edit::take(text, form, &places).map_err(failed)?;
        let Some(alone) = &taken.taken else {
            return Ok(None);
        };
        let gone = to_universal(alone, syntax, format)
            .map_err(|findings| wrong(&target.path, findings))?;
        let kept = edit::find(&taken.rest, form).map_err(failed)?;
        let stable = self.stable(scope)?;
        let usual = called(scope, &stable)?;
        let wanted = InstallRequest {
            host,
            settings,
            scope,
            how: InstallOptions::default(),
            usual,
        };
        let file = target.path.clone();
        let change = self.text_change(&wanted, target, taken)?;
        Ok(Some(Takeover {
            file,
            hooks: gone.text,
            lost: all.lost,
            kept: kept.into_iter().filter(|found| !found.is_ours()).collect(),
            plan: InstallPlan {
                changes: vec![change],
                skipped: Vec::new(),
                program: Some(stable),
            },
        }))
    }
}

/// Returns the hooks of an agent's file, each with the agent's own name of its event.
fn entries(text: &str, syntax: Syntax, format: &'static NativeFormat) -> Vec<(String, Entry)> {
    let groups = format.read(text, syntax).map(|read| read.manifest.groups);
    let entries = groups.into_iter().flatten().flat_map(|group| {
        let event = group.speaks.map(|speaks| speaks.native.to_string());
        let event = event.unwrap_or_else(|| group.event.clone());
        group
            .entries
            .into_iter()
            .map(move |entry| (event.clone(), entry))
    });
    entries.collect()
}

/// Says the first thing that is wrong with a file.
fn wrong(path: &Path, findings: Vec<Finding>) -> InstallError {
    let mut findings = findings.into_iter();
    let Some(found) = findings.find(|finding| finding.severity == Severity::Error) else {
        return InstallError::unfit(path, "cannot be read");
    };
    let what = format!("`{}:{}`: {}", path.display(), found.at.line, found.message);
    InstallError::new(Obstacle::Unfit, what, UNDERSTOOD)
}
