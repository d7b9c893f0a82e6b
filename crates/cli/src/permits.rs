//! What a person permitted, one by one: files that are trusted, and whether they are what they were; actions that are approved,
//! and what that is bound to; of each when it was given and how.

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhook::approvals::{Approval, Giver, given};
use anyhook::core::question::Remember;
use anyhook::trust::{Kept, Standing, Trust};
use anyhook::world::World;
use serde::Serialize;

use crate::ui::{self, paint, short, visible};

/// How much of a hash a page shows; JSON has all of it.
const SHORT: usize = 12;

/// What is trusted, and what is approved.
#[derive(Debug, Serialize)]
pub(crate) struct Permits {
    trusted: Vec<Trusted>,
    approvals: Vec<Approval>,
    /// Why it is not known what is approved.
    #[serde(skip)]
    trouble: Option<String>,
}

/// A manifest that is trusted.
#[derive(Debug, Serialize)]
struct Trusted {
    file: PathBuf,
    sha256: String,
    at: i64,
    by: &'static str,
    valid: bool,
    standing: String,
    copy: PathBuf,
    files: BTreeMap<String, String>,
}

impl Permits {
    /// Collects everything.
    pub(crate) fn of(world: &World) -> Self {
        let kept = world.places.as_ref().map(|places| Trust::of(places).kept());
        let (approvals, trouble) = match given(world) {
            Ok(given) => (given, None),
            Err(error) => (Vec::new(), Some(error.to_string())),
        };
        Self {
            trouble,
            ..Self::about(&kept.unwrap_or_default(), &approvals)
        }
    }

    /// Tells of these alone.
    pub(crate) fn about(kept: &[Kept], approvals: &[Approval]) -> Self {
        Self {
            trusted: kept.iter().map(Trusted::of).collect(),
            approvals: approvals.to_vec(),
            trouble: None,
        }
    }

    pub(crate) fn page(&self, now: i64) -> String {
        let mut text = String::new();
        if !self.trusted.is_empty() {
            text += &format!("\n{}\n", paint(ui::BOLD, "trusted"));
        }
        for one in &self.trusted {
            let (file, sha256) = (
                visible(&one.file.to_string_lossy()),
                short(&one.sha256, SHORT),
            );
            let (by, ago, stands) = (one.by, ui::ago(one.at, now), &one.standing);
            let told = format!("sha256 {sha256}, by {by}, {ago}: {stands}");
            text += &format!("  {file}\n    {}\n", paint(ui::DIM, &told));
        }
        if !self.approvals.is_empty() {
            text += &format!("\n{}", table(&self.approvals, now));
        }
        if let Some(trouble) = &self.trouble {
            let told = format!("what is approved cannot be told: {trouble}");
            text += &format!("\n{}", ui::warning(&told));
        }
        text
    }
}

impl Trusted {
    fn of(kept: &Kept) -> Self {
        let files = kept.pinned.files.iter();
        let files = files.map(|(name, file)| (name.clone(), file.sha256.clone()));
        Self {
            file: kept.manifest.clone(),
            sha256: kept.sha256().to_owned(),
            at: kept.at,
            by: "anyhook trust",
            valid: kept.is_valid(),
            standing: match &kept.standing {
                Standing::Trusted => "valid".to_owned(),
                Standing::Never(why) => why.clone().unwrap_or_else(|| "not trusted".to_owned()),
                Standing::Changed(changes) => {
                    let changes: Vec<String> = changes.iter().map(ToString::to_string).collect();
                    format!("a newer version waits: {}", changes.join(", "))
                }
                Standing::Unreadable(why) => format!("cannot be read: {why}"),
            },
            copy: kept.copy.clone(),
            files: files.collect(),
        }
    }
}

/// Lists what is approved.
pub(crate) fn table(all: &[Approval], now: i64) -> String {
    let rows = all.iter().map(|one| {
        let lasts = match one.lasts {
            Remember::Once => "once",
            Remember::Session => "for the session",
            Remember::Always => "always",
        };
        let (ago, by) = (ui::ago(one.at, now), one.by.map_or("", Giver::words));
        let (host, action) = (&*one.about.host, &*one.about.summary);
        [one.id(), lasts, &ago, by, host, &one.hook, action]
            .map(str::to_owned)
            .into()
    });
    let head = ["id", "lasts", "approved", "by", "host", "hook", "action"];
    ui::table(&head, &rows.collect::<Vec<_>>())
}
