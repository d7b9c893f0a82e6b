//! An agent in a folder of its own, with a script for a model, and a record of every event.

use std::path::Path;
use std::sync::{Arc, Mutex};

use anyhook::core::event::Event;
use anyhook::core::hook::Hook;
use anyhook_agent::agent::{Agent, AgentSetup};
use anyhook_agent::limits::RunLimits;
use anyhook_agent::order::EventOrder;
use anyhook_agent::permissions::{PermissionPhase, Permissions};
use anyhook_agent::provider::Provider;
use anyhook_agent::provider::scripted::ScriptedProvider;
use serde_json::Value;

/// What a test works with.
pub(crate) struct Kit {
    pub(crate) folder: tempfile::TempDir,
    pub(crate) provider: Arc<ScriptedProvider>,
    pub(crate) seen: Seen,
}

/// Every event, in order.
#[derive(Clone, Default)]
pub(crate) struct Seen(pub(crate) Arc<Mutex<Vec<Event>>>);

impl Seen {
    /// The names of all, in order.
    pub(crate) fn names(&self) -> Vec<String> {
        let all = self.0.lock().unwrap();
        all.iter()
            .map(|event| event.name.as_str().to_owned())
            .collect()
    }

    /// The names of those among these, in order.
    pub(crate) fn only(&self, wanted: &[&str]) -> Vec<String> {
        let mut names = self.names();
        names.retain(|name| wanted.contains(&name.as_str()));
        names
    }

    /// The data of every event of this name.
    pub(crate) fn data(&self, name: &str) -> Vec<Value> {
        let all = self.0.lock().unwrap();
        let of = all.iter().filter(|event| event.name.as_str() == name);
        of.map(|event| Value::Object(event.json().into_owned()))
            .collect()
    }

    /// Listens to every event of an agent, after everybody else.
    pub(crate) fn listen(&self, agent: &Agent) {
        let seen = self.clone();
        let hook = Hook::on("*", move |event: &Event| {
            seen.0.lock().unwrap().push(event.clone());
        });
        agent.session.hooks().register(hook.observing());
    }
}

impl Kit {
    pub(crate) fn new(script: &str) -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
            provider: Arc::new(ScriptedProvider::read(script).unwrap()),
            seen: Seen::default(),
        }
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// A setup in which nothing is asked about.
    pub(crate) fn setup(&self) -> AgentSetup {
        AgentSetup {
            permissions: Permissions {
                phase: PermissionPhase::Trusted,
                ..Permissions::default()
            },
            ..AgentSetup::new("s1", self.provider.clone(), self.folder.path())
        }
    }

    pub(crate) fn agent(&self, setup: AgentSetup) -> Agent {
        let agent = Agent::new(setup).unwrap();
        self.seen.listen(&agent);
        agent
    }

    /// An agent that is asked to stay within these limits.
    pub(crate) fn limited(&self, limits: RunLimits) -> Agent {
        self.agent(AgentSetup {
            limits,
            ..self.setup()
        })
    }

    pub(crate) fn within(&self, window: u64) -> Agent {
        self.limited(RunLimits {
            window,
            ..RunLimits::default()
        })
    }

    pub(crate) fn permitted(&self, permissions: Permissions) -> Agent {
        self.agent(AgentSetup {
            permissions,
            ..self.setup()
        })
    }

    pub(crate) fn with(&self, provider: Arc<dyn Provider>) -> Agent {
        self.agent(AgentSetup {
            provider,
            ..self.setup()
        })
    }

    pub(crate) fn ordered(&self, order: EventOrder) -> Agent {
        self.agent(AgentSetup {
            order,
            ..self.setup()
        })
    }

    /// An agent in which nothing is asked about.
    pub(crate) fn free(&self) -> Agent {
        self.agent(self.setup())
    }

    /// The texts of the conversation as the provider read them last.
    pub(crate) fn last_request(&self) -> String {
        format!("{:?}", self.provider.asked().last().unwrap())
    }
}
