//! What a person permitted, one by one, as `config` and `explain` show it: files that are trusted, and whether they are what they
//! were; actions that are approved, and what that is bound to; of each when it was given and how.

use anyhook::approvals::{Approval, Giver, given};
use anyhook::core::question::Remember;
use anyhook::trust::{Kept, Standing, Trust};
use anyhook::world::World;
use serde_json::{Map, Value, json};

use crate::ui::{self, paint, short, visible};

/// How much of a hash a page shows; JSON has all of it.
const SHORT: usize = 12;

/// What is trusted, and what is approved.
#[derive(Debug)]
pub(crate) struct Permits {
    pub(crate) trusted: Vec<Kept>,
    pub(crate) approvals: Vec<Approval>,
    /// Why it is not known what is approved.
    pub(crate) trouble: Option<String>,
}

impl Permits {
    /// Collects everything.
    pub(crate) fn of(world: &World) -> Self {
        let trust = world.places.as_ref().map(Trust::of);
        let (approvals, trouble) = match given(world) {
            Ok(given) => (given, None),
            Err(error) => (Vec::new(), Some(error.to_string())),
        };
        Self {
            trusted: trust.map(|trust| trust.kept()).unwrap_or_default(),
            approvals,
            trouble,
        }
    }

    pub(crate) fn page(&self, now: i64) -> String {
        let mut text = String::new();
        if !self.trusted.is_empty() {
            text.push_str(&format!("\n{}\n", paint(ui::BOLD, "trusted")));
        }
        for kept in &self.trusted {
            let file = visible(&kept.manifest.to_string_lossy());
            let others = kept.pinned.files.len().saturating_sub(1);
            let with = match others {
                0 => String::new(),
                1 => " with 1 script".to_owned(),
                many => format!(" with {many} scripts"),
            };
            let told = format!(
                "sha256 {}, by anyhook trust, {}{with}: {}",
                short(kept.sha256(), SHORT),
                ui::ago(kept.at, now),
                standing(kept),
            );
            text.push_str(&format!(
                "  {file}\n    {}\n",
                told_as(kept.is_valid(), &told)
            ));
        }
        if !self.approvals.is_empty() {
            text.push_str(&format!("\n{}\n", paint(ui::BOLD, "approved")));
        }
        for given in &self.approvals {
            text.push_str(&approved(given, now));
        }
        if let Some(trouble) = &self.trouble {
            let told = format!("what is approved cannot be told: {}", visible(trouble));
            text.push_str(&format!("\n{}: {told}\n", paint(ui::ASK, "warning")));
        }
        text
    }

    pub(crate) fn as_json(&self) -> Map<String, Value> {
        let trusted = self.trusted.iter().map(|kept| {
            let files: Map<String, Value> = kept
                .pinned
                .files
                .iter()
                .map(|(name, sha256)| (name.clone(), sha256.as_str().into()))
                .collect();
            json!({
                "file": kept.manifest, "sha256": kept.sha256(), "at": kept.at, "by": "anyhook trust",
                "valid": kept.is_valid(), "standing": standing(kept), "copy": kept.copy, "files": files,
            })
        });
        let approvals = self.approvals.iter().map(|approval| {
            json!({
                "id": approval.id(), "hook": approval.hook, "at_file": approval.place, "hash": approval.definition,
                "at": approval.at, "by": approval.by.map(Giver::words), "lasts": lasts(approval.lasts),
                "host": approval.about.host, "event": approval.about.event, "action": approval.about.summary,
            })
        });
        let lists = [
            ("trusted", trusted.collect::<Vec<_>>()),
            ("approvals", approvals.collect()),
        ];
        lists
            .into_iter()
            .map(|(name, list)| (name.to_owned(), list.into()))
            .collect()
    }
}

fn approved(approval: &Approval, now: i64) -> String {
    let place = approval.place.as_deref().unwrap_or("built in");
    let hash = match &approval.definition {
        Some(hash) => format!(", hash {}", short(hash, SHORT)),
        None => String::new(),
    };
    let by = approval
        .by
        .as_ref()
        .map(|by| format!(", by {}", by.words()));
    let told = format!(
        "{}{}, {}",
        lasts(approval.lasts),
        by.unwrap_or_default(),
        ui::ago(approval.at, now),
    );
    format!(
        "  {} {}  {}\n    {}\n    {}\n",
        short(approval.id(), 8),
        paint(ui::BOLD, &visible(&approval.hook)),
        paint(ui::DIM, &format!("{}{hash}", visible(place))),
        short(
            &approval.about.summary,
            ui::width().saturating_sub(4).max(24)
        ),
        paint(ui::DIM, &told),
    )
}

fn told_as(valid: bool, told: &str) -> String {
    if valid {
        paint(ui::DIM, told)
    } else {
        paint(ui::ASK, told)
    }
}

pub(crate) fn lasts(lasts: Remember) -> &'static str {
    match lasts {
        Remember::Once => "once",
        Remember::Session => "for the session",
        Remember::Always => "always",
    }
}

fn standing(kept: &Kept) -> String {
    match &kept.standing {
        Standing::Trusted => "valid".to_owned(),
        Standing::Never(why) => why.clone().unwrap_or_else(|| "not trusted".to_owned()),
        Standing::Changed(changes) => {
            let changes: Vec<String> = changes.iter().map(ToString::to_string).collect();
            format!("a newer version waits: {}", changes.join(", "))
        }
        Standing::Unreadable(why) => format!("cannot be read: {why}"),
    }
}
