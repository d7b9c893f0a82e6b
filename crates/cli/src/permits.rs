//! What a person permitted, one by one: files that are trusted, and whether they are what they were; actions that are approved,
//! and what that is bound to; of each when it was given and how.

use anyhook::approvals::{Approval, ApprovalChannel};
use anyhook::core::question::AnswerLifetime;
use anyhook::trust::{PinStatus, TrustedManifest};
use serde_json::{Value, json};

use crate::ui::{self, paint, short};

/// How much of a hash a page shows; JSON has all of it.
const SHORT: usize = 12;
/// What a person trusts files by.
const BY: &str = "anyhook trust";

/// Writes what is trusted, and what is approved, for a program.
pub(crate) fn as_json(kept: &[TrustedManifest], approvals: &[Approval]) -> Value {
    json!({"trusted": kept.iter().map(kept_as_json).collect::<Value>(), "approvals": approvals})
}

fn kept_as_json(kept: &TrustedManifest) -> Value {
    let files = kept.pinned.files.iter();
    let files = files.map(|(name, file)| (name.clone(), json!(file.sha256)));
    json!({
        "file": kept.manifest.to_string_lossy(), "sha256": kept.sha256(), "at": kept.at, "by": BY,
        "valid": kept.is_valid(), "standing": standing(kept), "copy": kept.copy.to_string_lossy(),
        "files": files.collect::<Value>(),
    })
}

fn standing(kept: &TrustedManifest) -> String {
    match &kept.standing {
        PinStatus::Trusted => "valid".to_owned(),
        PinStatus::Never(why) => why.clone().unwrap_or_else(|| "not trusted".to_owned()),
        PinStatus::Changed(changes) => {
            let changes: Vec<String> = changes.iter().map(ToString::to_string).collect();
            format!("a newer version waits: {}", changes.join(", "))
        }
        PinStatus::Unreadable(why) => format!("cannot be read: {why}"),
    }
}

/// Writes the same for a person.
pub(crate) fn page(kept: &[TrustedManifest], approvals: &[Approval], now: i64) -> String {
    let mut text = String::new();
    if !kept.is_empty() {
        text += &format!("\n{}\n", paint(ui::BOLD, "trusted"));
    }
    for one in kept {
        let (file, sha256) = (ui::path(&one.manifest), short(one.sha256(), SHORT));
        let (ago, stands) = (ui::ago(one.at, now), standing(one));
        let told = format!("sha256 {sha256}, by {BY}, {ago}: {stands}");
        text += &format!("  {file}\n    {}\n", paint(ui::DIM, &told));
    }
    if !approvals.is_empty() {
        text += &format!("\n{}", table(approvals, now));
    }
    text
}

/// Lists what is approved.
pub(crate) fn table(all: &[Approval], now: i64) -> String {
    let rows = all.iter().map(|one| {
        let lasts = match one.lasts {
            AnswerLifetime::Once => "once",
            AnswerLifetime::Session => "for the session",
            AnswerLifetime::Always => "always",
        };
        let (ago, by) = (
            ui::ago(one.at, now),
            one.by.map_or("", ApprovalChannel::words),
        );
        let (host, action) = (&*one.about.host, &*one.about.summary);
        [one.id(), lasts, &ago, by, host, &one.hook, action].map(str::to_owned)
    });
    ui::table("id|lasts|approved|by|host|hook|action", rows)
}
