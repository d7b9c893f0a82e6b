//! Sub-agents: an agent that another agent starts never has more permissions than that one.

use std::sync::Arc;
use std::time::Duration;

use anyhook::HookRegistry;
use anyhook::core::effects::{Level, Notice};
use anyhook::core::event::Event;
use anyhook::core::handler::{BoxFuture, later};
use anyhook::core::hook::Hook;
use anyhook::core::result::HookResult;
use serde_json::{Value, json};

use crate::agent::{Agent, AgentDefinition, AgentSetup, Flow, GateOutcome};
use crate::begin::text_of;
use crate::fields::with;
use crate::limits::RunLimits;
use crate::message::ToolUse;
use crate::outcome::{Finish, RunOutcome};
use crate::permissions::Permissions;
use crate::provider::TokenUsage;
use crate::tools::ToolError;
use crate::worktree::{Isolation, Worktree, WorktreeOutcome};

impl Agent {
    /// Starts another agent for a task, and waits for it.
    pub(crate) async fn spawn(&mut self, call: &ToolUse) -> Flow<Result<String, ToolError>> {
        let text = |field: &str| call.input.get(field).and_then(Value::as_str);
        let Some(task) = text("prompt") else {
            return Ok(Err(ToolError(
                "the argument `prompt` has to be a text".into(),
            )));
        };
        let is_apart = match call.input.get("isolation").map(Value::as_str) {
            None | Some(Some("in_process")) => false,
            Some(Some("worktree")) => true,
            Some(_) => {
                let told = "`isolation` is `in_process` or `worktree`";
                return Ok(Err(ToolError(told.into())));
            }
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
        // Hooks are told where it will work, and not where the model wished it to.
        let isolation = if is_apart {
            Isolation::resolve(self.root.path(), &id)
        } else {
            Isolation::InProcess("requested")
        };
        let about = json!({
            "agent_id": id, "subagent_id": id, "agent_type": name, "agent": name, "agent_name": name,
            "parent_session_id": self.session.id(), "isolation": isolation.json(),
        });
        let made = self.admitted(&about, task, definition, &isolation).await;
        let (mut child, task) = match made {
            Ok(Ok(made)) => made,
            refused => {
                self.leave(isolation, Vec::new());
                return refused.map(|refused| refused.map(|_| String::new()));
            }
        };
        self.work_of(&mut child, &task, &about, isolation).await
    }

    /// Offers the spawn, and makes the child with the task that hooks left.
    async fn admitted(
        &mut self,
        about: &Value,
        task: &str,
        definition: AgentDefinition,
        isolation: &Isolation,
    ) -> Flow<Result<(Self, String), ToolError>> {
        let data = with(about.clone(), json!({"task": task, "prompt": task}));
        let task = match self.gate("agent:spawn", data).await? {
            GateOutcome::Refused(why) => {
                return Ok(Err(ToolError(format!("denied by a hook: {why}"))));
            }
            GateOutcome::Open { event, .. } => text_of(&event, "task")?,
        };
        let id = about.get("agent_id").and_then(Value::as_str);
        let child = self.child(id.unwrap_or_default(), definition, isolation);
        let failed = |error| ToolError(format!("the agent could not be started: {error}"));
        Ok(child.map(|child| (child, task)).map_err(failed))
    }

    /// Chooses the definition; no name is the first, and with none defined an agent like this one.
    async fn definition(
        &mut self,
        wanted: Option<&str>,
    ) -> Flow<Result<AgentDefinition, ToolError>> {
        let agents = &self.setup.agents;
        let all: Vec<&str> = agents.iter().map(|agent| agent.name.as_str()).collect();
        let found = match wanted {
            Some(name) => agents.iter().find(|agent| agent.name == name),
            None => agents.first(),
        };
        let own = || AgentDefinition {
            name: "general".into(),
            system: self.setup.system.clone(),
            permissions: Permissions {
                can_use_tool: None,
                ..self.setup.permissions.clone()
            },
        };
        let chosen = match (found, wanted) {
            (Some(definition), _) => Ok(definition.clone()),
            (None, None) => Ok(own()),
            // Where the agents are defined, no name leads around them.
            (None, Some("general")) if all.is_empty() => Ok(own()),
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
        definition: AgentDefinition,
        isolation: &Isolation,
    ) -> std::io::Result<Self> {
        let mut session = self.setup.session.clone();
        session.parent = Some(self.session.id().into());
        let root = match isolation {
            Isolation::InProcess(_) => self.root.path().to_path_buf(),
            Isolation::Worktree(tree) => tree.root.clone(),
        };
        let setup = AgentSetup {
            id: id.to_owned(),
            system: definition.system,
            permissions: definition.permissions.within(&self.setup.permissions),
            root,
            session,
            limits: self.limits_left(),
            ..AgentSetup::clone(&self.setup)
        };
        let mut child = Self::new(setup)?;
        child.depth = self.depth + 1;
        inherit(child.session.hooks(), self.session.hooks().clone());
        Ok(child)
    }

    /// Works on a prompt inside of another agent, which works on one inside of another.
    fn turn_inside<'a>(&'a mut self, prompt: &'a str) -> BoxFuture<'a, RunOutcome> {
        Box::pin(self.turn_here(prompt))
    }

    /// Returns the limits of a child: what is left of this agent's own.
    fn limits_left(&self) -> RunLimits {
        let limits = self.setup.limits;
        RunLimits {
            turns: limits.turns.saturating_sub(self.turns_used()),
            ..limits
        }
    }

    /// Lets a child work until no hook sends it back, and returns what the model reads of it.
    async fn work_of(
        &mut self,
        child: &mut Self,
        task: &str,
        about: &Value,
        isolation: Isolation,
    ) -> Flow<Result<String, ToolError>> {
        let mut outcome = self.turn_of(child, task).await;
        let mut refused = 0;
        let ended = loop {
            let isolation = place_left(&isolation, child);
            let left = json!({"isolation": isolation, "stop_hook_active": refused > 0});
            let data = with(with(about.clone(), left), told(&outcome));
            let may_go_on = outcome.finish.is_good() && refused < self.setup.limits.stop_refusals;
            match self.gate("agent:complete", data).await {
                Ok(GateOutcome::Refused(why)) if may_go_on => {
                    refused += 1;
                    outcome = self.turn_of(child, &why).await;
                }
                Ok(_) => break Ok(()),
                Err(finish) => break Err(finish),
            }
        };
        child.end_here(&outcome).await;
        let isolation = self.leave(isolation, std::mem::take(&mut child.worktrees));
        ended?;
        match self.setup.order.ends_parent(&outcome.finish) {
            Some(finish) => Err(finish),
            None => Ok(answer_of(child.session.id(), outcome, &isolation)),
        }
    }

    /// Lets a child work on a prompt, at the cost of this agent.
    async fn turn_of(&mut self, child: &mut Self, prompt: &str) -> RunOutcome {
        let before = child.spent;
        Arc::make_mut(&mut child.setup).limits = self.limits_left();
        let outcome = child.turn_inside(prompt).await;
        self.turns_below = self.turns_below.saturating_add(child.turns_used());
        self.spent.add(TokenUsage {
            input: child.spent.input.saturating_sub(before.input),
            output: child.spent.output.saturating_sub(before.output),
        });
        outcome
    }

    /// Takes away where a child worked, unless something was left there, or below there by agents of its own; returns
    /// what became of it.
    fn leave(&mut self, isolation: Isolation, below: Vec<Worktree>) -> Value {
        let is_free = below.is_empty();
        self.worktrees.extend(below);
        let Isolation::Worktree(tree) = isolation else {
            return isolation.json();
        };
        let finalized = if is_free {
            tree.finalize()
        } else {
            WorktreeOutcome::Kept
        };
        let told = tree.finalized_json(&finalized);
        if finalized != WorktreeOutcome::Removed {
            self.worktrees.push(tree);
        }
        told
    }
}

/// Returns what the model reads of a child.
fn answer_of(id: &str, outcome: RunOutcome, isolation: &Value) -> Result<String, ToolError> {
    if !outcome.finish.is_good() {
        let told = outcome.finish.told();
        return Err(ToolError(format!("the agent did not finish: {told}")));
    }
    let text = |field: &str| isolation.get(field).and_then(Value::as_str);
    let place = match (text("kind"), text("branch")) {
        (Some("worktree_kept"), Some(branch)) => format!(", on the branch `{branch}`"),
        _ => String::new(),
    };
    let RunOutcome { text, turns, .. } = outcome;
    Ok(format!("{text}\n\n(by agent {id}, {turns} turns{place})"))
}

/// Tells where a child worked, and what becomes of that if it ends now.
fn place_left(isolation: &Isolation, child: &Agent) -> Value {
    match isolation {
        Isolation::InProcess(_) => isolation.json(),
        Isolation::Worktree(tree) if child.worktrees.is_empty() => {
            tree.finalized_json(&tree.look())
        }
        Isolation::Worktree(tree) => tree.finalized_json(&WorktreeOutcome::Kept),
    }
}

/// Tells how a child's work ended.
fn told(RunOutcome { finish, text, .. }: &RunOutcome) -> Value {
    let (said, reason) = (json!({"last_assistant_message": text}), finish.told());
    let more = match finish {
        Finish::Stop | Finish::Submitted(_) => json!({"outcome": "ok", "result": text}),
        Finish::Provider(_) | Finish::Unsendable(_) => {
            json!({"outcome": "error", "reason": reason})
        }
        _ => json!({"outcome": "incomplete", "result": text, "reason": reason}),
    };
    with(said, more)
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
