//! What the line makes of each payload: decided once, and told again for each event that has it.

use std::collections::HashMap;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use anyhook::core::event::Event;
use anyhook::core::ports::Approver;
use anyhook::core::question::{Answer, Question};
use anyhook::core::report::Report;
use anyhook::line::{Caller, Line, Stage};
use anyhook::load::{Loading, Trusting};
use anyhook::stores;
use anyhook::world::{Places, World};

use super::HOOKS;

/// What stands in a payload or a report for what each event has of its own.
pub(super) const SESSION: &str = "SSSSSSSSNNNN";
pub(super) const CALL: &str = "CCCCCCCCNNNN";
const ID: &str = "IIIINNNN";
const PERSON: &str = "ppppnnnn";
const PROJECT: &str = "jjjjnnnn";

/// What the person says to a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Says {
    Yes,
    No,
}

impl Approver for Says {
    fn answer(&self, _: &Event, _: &Question) -> Answer {
        match self {
            Self::Yes => Answer::AllowOnce,
            Self::No => Answer::Deny,
        }
    }
}

impl Stage for Says {
    fn person(&self) -> Option<&dyn Approver> {
        Some(self)
    }
}

/// One event, but for what it has of its own.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Asked {
    pub(super) host: &'static str,
    pub(super) event: String,
    pub(super) payload: String,
    pub(super) says: Says,
}

/// What an event has of its own.
pub(super) struct Own<'o> {
    pub(super) id: &'o str,
    pub(super) session: &'o str,
    pub(super) call: &'o str,
    /// The person's account, and the project below their home.
    pub(super) person: &'o str,
    pub(super) project: &'o str,
}

/// A temporary machine, and what was decided on it.
pub(super) struct Deciding {
    folder: tempfile::TempDir,
    root: PathBuf,
    known: HashMap<Asked, String>,
}

impl Deciding {
    pub(super) fn new() -> Result<Self, Box<dyn Error>> {
        let folder = tempfile::tempdir()?;
        let root = folder.path().canonicalize()?;
        Ok(Self {
            folder,
            root,
            known: HashMap::new(),
        })
    }

    /// Returns the report of an event.
    pub(super) fn report(
        &mut self,
        asked: &Asked,
        own: &Own<'_>,
    ) -> Result<Report, Box<dyn Error>> {
        if !self.known.contains_key(asked) {
            let text = serde_json::to_string(&self.decide(asked)?)?;
            // What was decided in a temporary folder happened at the root.
            let text = text.replace(&*self.root.to_string_lossy(), "");
            self.known.insert(asked.clone(), text);
        }
        let text = self
            .known
            .get(asked)
            .map(String::as_str)
            .unwrap_or_default();
        let ours = [
            (SESSION, own.session),
            (CALL, own.call),
            (ID, own.id),
            (PERSON, own.person),
            (PROJECT, own.project),
        ];
        let text = ours
            .iter()
            .fold(text.to_owned(), |text, (from, to)| text.replace(from, to));
        Ok(serde_json::from_str(&text)?)
    }

    /// Returns the path of the project in payloads.
    pub(super) fn project(&self) -> PathBuf {
        self.root
            .join("home")
            .join(PERSON)
            .join("src")
            .join(PROJECT)
    }

    fn decide(&self, asked: &Asked) -> Result<Report, Box<dyn Error>> {
        debug_assert!(self.folder.path().is_dir());
        let home = self.root.join("home").join(PERSON);
        let project = self.project();
        fs::create_dir_all(project.join(".git"))?;
        let manifest = home.join(".config/anyhook/hooks.json");
        if !manifest.exists() {
            fs::create_dir_all(manifest.parent().unwrap_or(Path::new("/")))?;
            fs::write(&manifest, HOOKS)?;
        }
        let world = World {
            env: [
                ("PATH".into(), "/usr/bin:/bin".into()),
                ("HOME".into(), home.clone().into_os_string()),
                ("USER".into(), PERSON.into()),
            ]
            .into(),
            cwd: project,
            places: Some(Places {
                config: home.join(".config"),
                state: home.join(".local/state/anyhook"),
                home,
            }),
            managed: self.root.join("etc/anyhook"),
            ids: || ID.into(),
            ..World::real()
        };
        let line = Line {
            world: &world,
            host: anyhook::wires::host(asked.host).ok_or("no such agent")?,
            caller: Caller::Host,
            hint: Some(&asked.event),
            manifest: Some(manifest),
            deadline: None,
            loading: Loading {
                trust: Trusting::All,
                ..Loading::default()
            },
            store: Some(&stores::None),
            state: None,
        };
        let mut answered = line.staged(asked.payload.as_bytes(), &asked.says);
        answered.settle();
        Ok(answered.report)
    }
}
