//! Agents that an agent starts: never freer than the one that starts them.

use std::time::Duration;

use anyhook::HookRegistry;
use anyhook::core::effects::{Level, Notice};
use anyhook::core::event::Event;
use anyhook::core::handler::{BoxFuture, later};
use anyhook::core::hook::Hook;
use anyhook::core::result::HookResult;
use serde_json::{Value, json};

use crate::agent::{Agent, Definition, Gated, Goes, Setup};
use crate::fields::set;
use crate::message::Call;
use crate::outcome::{Finish, Outcome};
use crate::permissions::Permissions;
use crate::run::text_of;
use crate::tools::ToolError;
use crate::worktree::{Finalized, Isolation};

/// What a child came to, and where.
struct Ended {
    outcome: Outcome,
    isolation: Value,
}

impl Agent {
    /// Starts another agent for a task, and waits for it.
    pub(crate) async fn spawn(&mut self, call: &Call) -> Goes<Result<String, ToolError>> {
        let text = |field: &str| call.input.get(field).and_then(Value::as_str);
        let Some(task) = text("prompt") else {
            return Ok(Err(ToolError(
                "the argument `prompt` has to be a text".into(),
            )));
        };
        if self.depth >= self.setup.limits.depth {
            return Ok(Err(ToolError(
                "agents are too deep inside each other; do it yourself".into(),
            )));
        }
        let definition = match self.definition(text("agent")).await? {
            Ok(definition) => definition,
            Err(error) => return Ok(Err(error)),
        };
        self.started += 1;
        let id = format!("{}.{}", self.session.id(), self.started);
        let name = definition.name.clone();
        let mut isolation = Isolation::InProcess("requested");
        let about = |isolation: &Value| {
            json!({
                "agent_id": id, "subagent_id": id, "agent_type": name, "agent": name, "agent_name": name,
                "parent_session_id": self.session.id(), "isolation": isolation,
            })
        };
        let mut data = about(&isolation.json());
        // A worktree is made when nobody objects any more, so the hooks are told what is wanted.
        if text("isolation") == Some("worktree") {
            set(
                &mut data,
                "isolation",
                json!({"kind": "worktree", "requested": true}),
            );
        }
        set(&mut data, "task", Value::from(task));
        set(&mut data, "prompt", Value::from(task));
        let common = about(&Value::Null);
        let task = match self.gate("agent:spawn", data).await? {
            Gated::Refused(why) => return Ok(Err(ToolError(format!("denied by a hook: {why}")))),
            Gated::Open { event, .. } => text_of(&event, "task", task),
        };
        if text("isolation") == Some("worktree") {
            isolation = Isolation::resolve(Some("worktree"), self.root.path(), &id);
        }
        let mut child = match self.child(&id, definition, &isolation) {
            Ok(child) => child,
            Err(error) => {
                return Ok(Err(ToolError(format!(
                    "the agent could not be started: {error}"
                ))));
            }
        };
        let ended = self.work_of(&mut child, &task, &common, isolation).await?;
        Ok(Self::answer_of(&id, ended))
    }

    /// Chooses the definition; no name is the first, and with none defined an agent like this one.
    async fn definition(&mut self, wanted: Option<&str>) -> Goes<Result<Definition, ToolError>> {
        let all: Vec<&str> = self
            .setup
            .agents
            .iter()
            .map(|agent| agent.name.as_str())
            .collect();
        let found = match wanted {
            Some(name) => self.setup.agents.iter().find(|agent| agent.name == name),
            None => self.setup.agents.first(),
        };
        let own = || Definition {
            name: "general".into(),
            system: self.setup.system.clone(),
            permissions: Permissions {
                can_use_tool: None,
                ..self.setup.permissions.clone()
            },
        };
        let chosen = match (found, wanted) {
            (Some(definition), _) => Ok(definition.clone()),
            (None, None | Some("general")) => Ok(own()),
            (None, Some(name)) => Err(ToolError(format!(
                "there is no agent `{name}`; there are: {}",
                all.join(", ")
            ))),
        };
        let data = json!({
            "available_agents": all,
            "selected_agent": chosen.as_ref().ok().map(|definition| definition.name.as_str()),
            "reason": if wanted.is_some() { "the model named it" } else { "it is the first" },
        });
        self.tell("decision:agent_resolution", data).await?;
        Ok(chosen)
    }

    /// Makes a child: its permissions are narrowed to those of this agent, and all hooks of this agent hold for it.
    fn child(
        &self,
        id: &str,
        definition: Definition,
        isolation: &Isolation,
    ) -> std::io::Result<Self> {
        let mut session = self.setup.session.clone();
        session.parent = Some(self.session.id().into());
        let root = match isolation {
            Isolation::InProcess(_) => self.root.path().to_path_buf(),
            Isolation::Worktree(tree) => tree.path.clone(),
        };
        let setup = Setup {
            id: id.to_owned(),
            system: definition.system,
            permissions: definition.permissions.within(&self.setup.permissions),
            root,
            session,
            ..Setup::clone(&self.setup)
        };
        let mut child = Self::new(setup)?;
        child.depth = self.depth + 1;
        inherit(child.session.hooks(), self.session.hooks().clone());
        Ok(child)
    }

    /// Works on a prompt inside of another agent, which works on one inside of another.
    fn turn_inside<'a>(&'a mut self, prompt: &'a str) -> BoxFuture<'a, Outcome> {
        Box::pin(self.turn_here(prompt))
    }

    /// Lets a child work until nobody sends it back, and tells how it ended.
    async fn work_of(
        &mut self,
        child: &mut Self,
        task: &str,
        common: &Value,
        isolation: Isolation,
    ) -> Goes<Ended> {
        let mut outcome = child.turn_inside(task).await;
        let mut refused = 0;
        let ended = loop {
            let mut data = common.clone();
            set(&mut data, "isolation", isolation.json());
            set(&mut data, "stop_hook_active", refused > 0);
            tell_outcome(&mut data, &outcome);
            let may_go_on = outcome.finish.is_good() && refused < self.setup.limits.stop_refusals;
            match self.gate("agent:complete", data).await {
                Ok(Gated::Refused(why)) if may_go_on => {
                    refused += 1;
                    outcome = child.turn_inside(&why).await;
                }
                Ok(_) => break Ok(()),
                Err(finish) => break Err(finish),
            }
        };
        child.end_here(&outcome).await;
        self.spent.input = self.spent.input.saturating_add(child.spent.input);
        self.spent.output = self.spent.output.saturating_add(child.spent.output);
        let isolation = self.leave(isolation);
        ended?;
        Ok(Ended { outcome, isolation })
    }

    /// Takes away where a child worked, unless it left something there; returns what became of it.
    fn leave(&mut self, isolation: Isolation) -> Value {
        let Isolation::Worktree(tree) = isolation else {
            return isolation.json();
        };
        let finalized = tree.finalize();
        let told = tree.finalized_json(&finalized);
        if finalized != Finalized::Removed {
            self.worktrees.push(tree);
        }
        told
    }

    /// Returns what the model reads of a child.
    fn answer_of(id: &str, ended: Ended) -> Result<String, ToolError> {
        let Ended { outcome, isolation } = ended;
        let text = |field: &str| isolation.get(field).and_then(Value::as_str);
        let place = match (text("kind"), text("branch")) {
            (Some("worktree_kept"), Some(branch)) => format!(", on the branch `{branch}`"),
            _ => String::new(),
        };
        match outcome.finish {
            Finish::Stop | Finish::Submitted(_) => Ok(format!(
                "{}\n\n(by agent {id}, {} turns{place})",
                outcome.text, outcome.turns
            )),
            finish => Err(ToolError(format!(
                "the agent did not finish: {}",
                finish.told()
            ))),
        }
    }
}

/// Tells how a child's work ended.
fn tell_outcome(data: &mut Value, outcome: &Outcome) {
    set(data, "last_assistant_message", outcome.text.as_str());
    if outcome.finish.is_good() {
        set(data, "outcome", "ok");
        set(data, "result", outcome.text.as_str());
    } else {
        set(data, "outcome", "error");
        set(data, "reason", outcome.finish.told());
    }
}

/// Lets every hook of a parent hold for a child: it is asked first, about every event of the child, and what it says is
/// what the child's own hooks say together with theirs.
fn inherit(child: &HookRegistry, parent: HookRegistry) {
    let asks = later(move |event: Event| {
        let parent = parent.clone();
        async move {
            let mut event = event;
            let report = parent.dispatch(&mut event).await;
            let failed = report.faults().map(|(id, fault)| {
                let name = report.hook(id).map_or("a hook", |hook| &hook.name);
                Notice::new(format!("`{name}` of the parent failed: {fault}")).at(Level::Warning)
            });
            failed.fold(report.result.clone(), HookResult::notifying)
        }
    });
    // The parent's registry keeps the time of its own hooks.
    let hook = Hook::in_process("*", "parent", asks)
        .priority(i32::MIN)
        .deadline(Duration::from_hours(24))
        .guard();
    child.register(hook);
}
