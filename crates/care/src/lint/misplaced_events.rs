//! Events at a place of the file where its agent does not look.

use anyhook_core::manifest::Group;
use anyhook_wires::settings::SettingsFile;

use super::Note;
use super::linted::Linted;

pub(super) fn find(linted: &Linted<'_>) -> Vec<Note> {
    let (Some(format), Some(file)) = (linted.format, settings_file(linted)) else {
        return Vec::new();
    };
    let is_below = |group: &&Group| linted.document.is_below("hooks", &group.at);
    let (help, misplaced): (_, Vec<&Group>) = if file.at.is_empty() {
        let help = "take the events out of `hooks`, to the top of the file";
        (
            help,
            linted.manifest.groups.iter().filter(is_below).collect(),
        )
    } else {
        let help = "put the events below `hooks`";
        let groups = linted.manifest.groups.iter();
        (help, groups.filter(|group| !is_below(group)).collect())
    };
    let notes = misplaced.into_iter().map(|group| {
        let event = group
            .speaks
            .as_ref()
            .map_or(&*group.event, |speaks| &speaks.native);
        let message = format!(
            "`{}` ignores `{event}` at this place of the file",
            format.host
        );
        Note::new(group.at.clone(), message).help(help)
    });
    notes.collect()
}

/// Returns what is known of a file whose agent has one file with the events at the top, and another one.
fn settings_file(linted: &Linted<'_>) -> Option<&'static SettingsFile> {
    let settings = anyhook_wires::host(linted.format?.host)?.facts().settings?;
    settings
        .files
        .iter()
        .any(|file| file.at.is_empty())
        .then_some(())?;
    let ends = |file: &&SettingsFile| linted.file.ends_with(file.path.trim_start_matches("~/"));
    settings.files.iter().find(ends)
}
