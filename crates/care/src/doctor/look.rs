//! Collects the facts about the hosts of this machine.

use std::path::PathBuf;

use anyhook_engine::policy::Policy;
use anyhook_engine::processes::find_program;
use anyhook_wires::Host;
use anyhook_wires::hosts::HOSTS;
use anyhook_wires::settings::Settings;

use super::presence::{Agent, File, Presence};
use super::rehearsal::{Tried, rehearse};
use super::versions::ask_versions;
use super::{fast, project, switches, trust};
use crate::install::Installer;
use crate::verify::verified;

/// Whether a person named a host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Asked {
    /// It was found on this machine.
    Found,
    /// A person asks about it.
    Named,
}

/// Looks at one host, or at every host that is found on this machine.
pub fn look(installer: &Installer<'_>, named: Option<&'static dyn Host>) -> Vec<Presence> {
    let hosts = HOSTS.iter().copied();
    let known = hosts.filter_map(|host| Some((host, host.facts().settings?)));
    let mut seen: Vec<Presence> = known
        .filter(|(host, _)| named.is_none_or(|named| named.id() == host.id()))
        .filter_map(|(host, settings)| {
            let asked = named.map_or(Asked::Found, |_| Asked::Named);
            let looking = Looking {
                installer,
                host,
                settings,
            };
            let files = looking.files();
            let trace = installer.finds(host, settings);
            let is_ours = |file: &File| file.own_entries() > 0;
            let is_here = trace.is_some() || files.iter().any(is_ours);
            (is_here || asked == Asked::Named).then(|| looking.presence(asked, trace, files))
        })
        .collect();
    ask_versions(installer.world, &mut seen);
    for presence in &mut seen {
        let looking = Looking {
            installer,
            host: presence.host,
            settings: presence.settings,
        };
        presence.trials = looking.trials(presence);
    }
    seen
}

/// One host, and where to look.
pub(super) struct Looking<'a> {
    pub(super) installer: &'a Installer<'a>,
    pub(super) host: &'static dyn Host,
    pub(super) settings: &'static Settings,
}

impl Looking<'_> {
    fn presence(&self, asked: Asked, trace: Option<PathBuf>, files: Vec<File>) -> Presence {
        let world = self.installer.world;
        let records = self.installer.records().unwrap_or_default();
        let records = records
            .iter()
            .filter(|record| record.host == self.host.id());
        let manifests = project::manifests(world, self.host);
        let places = world.places.as_ref();
        let mut presence = Presence {
            host: self.host,
            settings: self.settings,
            asked,
            agent: self.agent(),
            trace,
            files,
            recorded: records.filter_map(crate::install::Record::scope).collect(),
            switched_off: Vec::new(),
            trusted: Vec::new(),
            trials: Vec::new(),
            verified: places.and_then(|places| verified(places, self.host.id())),
            reads_too: self.reads_too(),
            slow: fast::timed(world, &manifests),
            managed: crate::survey::managed_trouble(world),
            policy: Policy::of(&world.managed).map(|policy| (policy, world.clock.now())),
            manifests,
        };
        presence.switched_off = switches::look(self, &presence);
        presence.trusted = trust::look(self, &presence);
        presence
    }

    fn agent(&self) -> Option<Agent> {
        let world = self.installer.world;
        let path = world.var("PATH")?;
        let mut names = self.host.facts().executables.iter();
        let program = names.find_map(|name| find_program(name.as_ref(), path, &world.cwd))?;
        Some(Agent {
            program,
            version: None,
        })
    }

    /// Returns where a path of a table is on this machine; nothing where there is no such place, such as no home.
    pub(super) fn place(&self, path: &str) -> Option<PathBuf> {
        self.installer.expand(self.settings, path).ok()
    }

    /// Finds entries of ours in the files of the hosts whose files this one reads too.
    fn reads_too(&self) -> Vec<(&'static str, PathBuf)> {
        let others = self.host.facts().also_reads.iter();
        let others = others.filter_map(|id| anyhook_wires::host(id));
        let mut found = Vec::new();
        for other in others {
            let Some(settings) = other.facts().settings else {
                continue;
            };
            let looking = Looking {
                installer: self.installer,
                host: other,
                settings,
            };
            let files = looking.files().into_iter();
            let ours = files.filter(|file| file.entries.iter().flatten().any(|e| e.own.is_some()));
            found.extend(ours.map(|file| (other.id(), file.path)));
        }
        found
    }

    fn trials(&self, presence: &Presence) -> Vec<super::Trial> {
        let own = presence.own().filter(|(.., own)| own.program.may_run());
        let tried: Vec<Tried<'_>> = own
            .map(|(file, entry, own)| Tried {
                file,
                event: &entry.standing.found.event,
                line: entry.standing.line,
                own,
            })
            .collect();
        if tried.is_empty() {
            return Vec::new();
        }
        rehearse(self.installer.world, self.host, self.settings, &tried)
    }
}
