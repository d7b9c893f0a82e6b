//! From a file to the cases that run: its variants, each checked against the package before anything is started.

mod flaws;
mod model;
mod payload;
mod props;
mod target;
mod variants;

use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhook::core::event::EventName;
use anyhook::core::manifest::{Finding, Place};
use anyhook::core::taxonomy;
use anyhook::models::StandIn;
use anyhook::wires::Host;
use anyhook::yaml;

use crate::case::{CaseFile, CaseMode};
use crate::config;
use crate::package::Package;
use crate::problem::{Problem, finding};
pub(crate) use payload::{CasePayload, smallest};
pub(crate) use props::{Stub, Workspace};
pub(crate) use target::CaseTarget;
use variants::CaseVariant;

/// One case that can run: a file, or one variant of it.
#[derive(Debug, Clone)]
pub struct Case {
    /// Its name, and in brackets what sets this variant apart.
    pub id: Box<str>,
    /// The package.
    pub package: Arc<Package>,
    /// The file that it stands in.
    pub file: PathBuf,
    /// The event.
    pub event: EventName,
    /// The text of the file, as it was read.
    pub(crate) text: Arc<str>,
    pub(crate) spec: Arc<CaseFile>,
    pub(crate) target: CaseTarget,
    pub(crate) payload: CasePayload,
    pub(crate) before: Arc<[CasePayload]>,
    pub(crate) host: Option<&'static Host>,
    pub(crate) workspace: Option<Workspace>,
    pub(crate) stubs: Arc<[(String, Stub)]>,
    pub(crate) limit: Duration,
    pub(crate) skip: Option<String>,
    pub(crate) model: Option<StandIn>,
}

impl Case {
    /// Returns the name as the file has it.
    pub fn name(&self) -> &str {
        &self.spec.name.value
    }

    /// Returns what it is about, in the words of its author.
    pub fn description(&self) -> Option<&str> {
        self.spec.description.as_deref()
    }

    /// Returns the line at which its name stands.
    pub fn line(&self) -> u32 {
        yaml::of(&self.spec.name).line
    }

    /// Returns the tool that its payload names.
    pub fn tool(&self) -> Option<&str> {
        self.payload.tool.as_deref()
    }

    /// Returns what it runs.
    pub fn mode(&self) -> CaseMode {
        self.spec.mode
    }

    /// Returns the host in whose form it is played, if it is one.
    pub fn host(&self) -> Option<&'static str> {
        self.host.map(Host::id)
    }

    /// Returns its file below the package's folder.
    pub fn place(&self) -> String {
        self.package.names(&self.file).display().to_string()
    }
}

/// Makes the cases of a file, or tells everything that is wrong with it.
pub(crate) fn cases(
    package: &Arc<Package>,
    file: &Path,
    text: &str,
    spec: &Arc<CaseFile>,
) -> Result<Vec<Case>, Vec<Problem>> {
    let planning = CasePlanner {
        package,
        file,
        text,
        spec,
    };
    let mut problems = planning.flaws();
    let mut wrong = |problem: Problem| {
        // Of an unknown event nothing more is said.
        let is_told = |other: &Problem| other.finding.at == problem.finding.at;
        if !problems.iter().any(is_told) {
            problems.push(problem);
        }
    };
    // Every part is read, to tell of all that are wrong at once.
    let target = planning.target().map_err(&mut wrong);
    let variants = planning.variants().map_err(&mut wrong);
    let before = planning.before().map_err(&mut wrong);
    let workspace = planning.workspace().map_err(&mut wrong);
    let stubs = planning.stubs().map_err(&mut wrong);
    let limit = planning.limit().map_err(&mut wrong);
    let model = planning.model().map_err(&mut wrong);
    let (Ok(target), Ok(variants), Ok(before), Ok(workspace), Ok(stubs), Ok(limit), Ok(model), []) = (
        target, variants, before, workspace, stubs, limit, model, &*problems,
    ) else {
        return Err(problems);
    };
    let before: Arc<[CasePayload]> = before.into();
    let stubs: Arc<[(String, Stub)]> = stubs.into();
    let text: Arc<str> = text.into();
    let own = spec.skip.as_ref().map(|why| why.value.clone());
    let case = |variant: CaseVariant| Case {
        id: variant.id.into(),
        package: Arc::clone(package),
        file: file.to_path_buf(),
        event: EventName::new(&spec.event.value),
        text: Arc::clone(&text),
        spec: Arc::clone(spec),
        target: target.clone(),
        payload: variant.payload,
        before: Arc::clone(&before),
        host: variant.host,
        workspace: workspace.clone(),
        stubs: Arc::clone(&stubs),
        limit,
        skip: own
            .clone()
            .or(variant.skip)
            .or_else(|| target.skip().filter(|_| model.is_none())),
        model: model.clone(),
    };
    Ok(variants.into_iter().map(case).collect())
}

/// What a file is checked against.
struct CasePlanner<'p> {
    package: &'p Arc<Package>,
    file: &'p Path,
    text: &'p str,
    spec: &'p CaseFile,
}

impl CasePlanner<'_> {
    fn problem(&self, at: Place, message: impl Into<String>) -> Problem {
        self.found(finding(at, message, None))
    }

    fn found(&self, finding: Finding) -> Problem {
        Problem::at(self.file, self.text, finding)
    }

    fn unknown_host(&self, at: Place, host: &str) -> Problem {
        let known = anyhook::wires::hosts::HOSTS.iter().map(|host| host.id());
        let near = taxonomy::nearest(host, known).map(|near| format!("did you mean `{near}`?"));
        self.found(finding(at, format!("no host is called `{host}`"), near))
    }

    fn limit(&self) -> Result<Duration, Problem> {
        let Some(given) = &self.spec.timeout else {
            return Ok(self.package.config.limit());
        };
        let seconds = config::seconds(given.value);
        seconds.map_err(|message| self.problem(yaml::of(given), message))
    }
}

/// Tells whether a path leads anywhere but below the folder that it counts from, as it is written.
fn climbs(path: &str) -> bool {
    let mut parts = Path::new(path).components();
    path.is_empty() || parts.any(|part| !matches!(part, Component::Normal(_) | Component::CurDir))
}
