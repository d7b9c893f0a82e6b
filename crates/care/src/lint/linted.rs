//! A manifest with everything that rules ask about: its hooks with their places, and the scripts that they run.

use std::ops::Range;
use std::path::{Path, PathBuf};

use anyhook_core::manifest::{
    Action, Command, Entry, Finding, Group, LineIndex, Manifest, ParsedManifest, Place,
};
use anyhook_core::taxonomy::Class;
use anyhook_engine::load::{self, ManifestFormat};
use anyhook_engine::trust::package_root;
use anyhook_wires::native_files::{FORMATS, NativeFormat, Syntax};

use super::document::ManifestDocument;
use super::script::{self, Script};
use super::{LintContext, Note};

/// A manifest that is being looked at.
#[derive(Debug)]
pub(super) struct LintTarget<'a> {
    pub(super) file: &'a Path,
    pub(super) text: &'a str,
    /// The folder of the package.
    pub(super) root: PathBuf,
    /// The host in whose form it is written; nothing for a universal file.
    pub(super) format: Option<&'static NativeFormat>,
    /// Whether its form is told by its schema or its name, where its place tells another.
    pub(super) misplaced: bool,
    pub(super) manifest: &'a Manifest,
    pub(super) document: ManifestDocument<'a>,
    pub(super) how: &'a LintContext,
    /// Every script that a command names, in the order of the hooks.
    scripts: Vec<Script>,
}

/// One hook and its group.
#[derive(Debug, Clone, Copy)]
pub(super) struct HookSite<'l> {
    pub(super) group: &'l Group,
    pub(super) entry: &'l Entry,
}

/// In which form a text was read.
#[derive(Debug, Clone, Copy)]
pub(super) struct ManifestForm {
    pub(super) format: Option<&'static NativeFormat>,
    misplaced: bool,
}

/// Reads a text in the form of its place, or of the agent that its schema or its name tells where it makes no sense in that.
pub(super) fn read(file: &Path, text: &str) -> (ManifestForm, Result<ParsedManifest, Finding>) {
    let of = |format, misplaced| ManifestForm { format, misplaced };
    if let ManifestFormat::Native(format, _) = ManifestFormat::of(file) {
        return (of(Some(format), false), load::parse(file, text));
    }
    if let Some(format) = by_schema(text) {
        return (of(Some(format), true), format.read(text, Syntax::Json));
    }
    let parsed = load::parse(file, text);
    let universal = parsed.as_ref().ok();
    if let Some(native) = universal.and_then(|universal| universal.manifest.native) {
        return (of(NativeFormat::of_host(native), false), parsed);
    }
    let named = universal.filter(|universal| universal.has_errors());
    match named.and_then(|_| by_name(file, text)) {
        Some((format, native)) => (of(Some(format), true), Ok(native)),
        None => (of(None, false), parsed),
    }
}

/// Returns the format of the host whose settings a file says that it holds, by its schema.
pub(super) fn by_schema(text: &str) -> Option<&'static NativeFormat> {
    let document = ManifestDocument::new(text);
    let schema = &document.top.as_ref()?.as_object()?.get("$schema")?.value;
    let name = schema.as_string_lit()?.value.rsplit('/').next()?;
    let mut formats = FORMATS.iter().copied();
    formats.find(|format| name.starts_with(format.host) && name.contains("settings"))
}

/// Reads a text in the form of the agent after which its file is named, `hooks-cursor.json`, where all of it makes sense in
/// that.
fn by_name(file: &Path, text: &str) -> Option<(&'static NativeFormat, ParsedManifest)> {
    let name = file.file_stem()?.to_string_lossy().to_lowercase();
    let mut formats = FORMATS.iter().filter(|format| {
        let host = format.host.split('-').next();
        host.is_some_and(|host| name.contains(host))
    });
    formats.find_map(|format| {
        let parsed = format.read(text, Syntax::Json).ok()?;
        parsed.findings.is_empty().then_some((*format, parsed))
    })
}

impl<'a> LintTarget<'a> {
    pub(super) fn new(
        file: &'a Path,
        text: &'a str,
        form: ManifestForm,
        parsed: &'a ParsedManifest,
        how: &'a LintContext,
    ) -> Self {
        let mut linted = Self {
            file,
            text,
            root: package_root(file),
            format: form.format,
            misplaced: form.misplaced,
            manifest: &parsed.manifest,
            document: ManifestDocument::new(text),
            how,
            scripts: Vec::new(),
        };
        linted.scripts = script::all(&linted);
        linted
    }

    /// Tells whether it is the file of a plugin, which its host does not read at a place of its own.
    pub(super) fn is_plugin(&self) -> bool {
        let is_placed = NativeFormat::of_file(self.file).is_some();
        self.format.is_some() && !self.misplaced && !is_placed
    }

    /// Every hook that can run, in the order of the text.
    pub(super) fn sites(&self) -> impl Iterator<Item = HookSite<'_>> {
        self.manifest.groups.iter().flat_map(|group| {
            let entries = group.entries.iter();
            entries.map(move |entry| HookSite { group, entry })
        })
    }

    /// Every command, with its hook.
    pub(super) fn commands(&self) -> impl Iterator<Item = (HookSite<'_>, &Command)> {
        self.sites().filter_map(|site| {
            let Action::Command(command) = &site.entry.action else {
                return None;
            };
            Some((site, command))
        })
    }

    /// Every script that a command names, with its hook.
    pub(super) fn scripts(&self) -> impl Iterator<Item = (HookSite<'_>, &Script)> {
        self.scripts.iter().filter_map(|script| {
            let site = self.sites().find(|site| site.entry.at == script.of)?;
            Some((site, script))
        })
    }

    /// Every script whose text is known, with its hook.
    pub(super) fn texts(&self) -> impl Iterator<Item = (HookSite<'_>, &Script, &str)> {
        let scripts = self.scripts();
        scripts.filter_map(|(site, script)| Some((site, script, script.text.as_deref()?)))
    }

    /// Everything that hooks run and that is read here: the lines of commands, then the scripts that they name.
    pub(super) fn sources(&self) -> impl Iterator<Item = HookCode<'_>> {
        let lines = self.commands().map(|(site, command)| HookCode {
            site,
            text: &command.command,
            command: Some(command),
            script: None,
        });
        lines.chain(self.texts().map(|(site, script, text)| HookCode {
            site,
            text,
            command: None,
            script: Some(script),
        }))
    }

    /// Tells whether a hook has one of these fields.
    pub(super) fn has_any(&self, site: HookSite<'_>, fields: &[&str]) -> bool {
        let mut fields = fields.iter();
        fields.any(|field| self.document.field(&site.entry.at, field).is_some())
    }

    /// Returns the place of a hook's field, else of the hook.
    pub(super) fn at(&self, site: HookSite<'_>, key: &str) -> Place {
        let field = self.document.field(&site.entry.at, key);
        field.unwrap_or_else(|| site.entry.at.clone())
    }

    /// Returns the place of a command line, quotes included.
    pub(super) fn command_at(&self, site: HookSite<'_>) -> Place {
        let keys = self.format.map_or_else(
            || vec!["command"],
            |format| format.commands_here().collect(),
        );
        let mut fields = keys.iter();
        let field = fields.find_map(|key| self.document.field(&site.entry.at, key));
        field.unwrap_or_else(|| site.entry.at.clone())
    }

    /// Returns the place of a group's matcher, else of the group.
    pub(super) fn matcher_at(&self, group: &Group) -> Place {
        let field = self.document.field(&group.at, "matcher");
        field.unwrap_or_else(|| group.at.clone())
    }
}

impl HookSite<'_> {
    /// The class of its event; an unknown event is told to no host.
    pub(super) fn class(&self) -> Class {
        self.group.spec.map_or(Class::Notice, |spec| spec.class)
    }

    /// The event, as the file has it.
    pub(super) fn event(&self) -> &str {
        event_of(self.group)
    }
}

/// The event of a group, as the file has it.
pub(super) fn event_of(group: &Group) -> &str {
    let speaks = group.speaks.as_ref();
    speaks.map_or(&*group.event, |speaks| &speaks.native)
}

/// A text that a hook runs: the line of a command, or a script.
#[derive(Debug, Clone, Copy)]
pub(super) struct HookCode<'l> {
    pub(super) site: HookSite<'l>,
    pub(super) text: &'l str,
    /// The command, where the text is its line.
    pub(super) command: Option<&'l Command>,
    pub(super) script: Option<&'l Script>,
}

impl HookCode<'_> {
    /// Returns where the script is.
    pub(super) fn path(&self) -> Option<&Path> {
        self.script.map(|script| &*script.path)
    }

    /// Says something about a part of the text.
    pub(super) fn note(
        &self,
        linted: &LintTarget<'_>,
        part: Range<usize>,
        message: impl Into<String>,
    ) -> Note {
        if let Some(script) = self.script {
            let at = LineIndex::new(0, self.text).place(part);
            return Note::new(at, message).of(&script.path);
        }
        let at = linted.command_at(self.site).within(self.text, &part);
        Note::new(at, message)
    }
}
