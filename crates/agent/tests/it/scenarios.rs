//! Runs as data: what the model answers, what hooks say, and what comes of it. `scenarios.json` holds one a row.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use anyhook::core::effects::Placement;
use anyhook::core::event::Event;
use anyhook::core::result::{HookResult, Injection};
use anyhook_agent::agent::{AgentDefinition, AgentSetup};
use anyhook_agent::limits::RunLimits;
use anyhook_agent::order::EventOrder;
use anyhook_agent::permissions::{Permission, PermissionPhase, Permissions};
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::athena::answers;
use crate::kit::Kit;
use crate::orders::athenas;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Scenario {
    name: String,
    /// In the order of the original.
    #[serde(default)]
    original: bool,
    /// What the agent is told first.
    #[serde(default)]
    system: String,
    script: Vec<Value>,
    #[serde(default)]
    files: BTreeMap<String, String>,
    #[serde(default)]
    may: May,
    /// The agents that can be started.
    #[serde(default)]
    defined: Vec<Defined>,
    #[serde(default)]
    limits: Bounds,
    #[serde(default)]
    hooks: Vec<Rule>,
    finish: String,
    text: Option<String>,
    turns: Option<u32>,
    /// How many requests the provider had.
    requests: Option<usize>,
    /// How many tokens the model read, for every agent.
    read: Option<u64>,
    answers: Option<Vec<(String, bool)>>,
    /// Every event, in order; `athenas` are those of the original alone, and `agents` those of the start of an agent.
    events: Option<Vec<String>>,
    athenas: Option<Vec<String>>,
    agents: Option<Vec<String>>,
    /// Every event of these names, in order, with these fields.
    #[serde(default)]
    told: BTreeMap<String, Vec<BTreeMap<String, Value>>>,
    /// What files hold at the end.
    #[serde(default)]
    written: BTreeMap<String, String>,
    #[serde(default)]
    present: Vec<String>,
    #[serde(default)]
    absent: Vec<String>,
    /// What the last request holds, and what it does not.
    #[serde(default)]
    sent: Vec<String>,
    #[serde(default)]
    unsent: Vec<String>,
    /// What requests hold, by their number, or do not.
    #[serde(default)]
    asked: Vec<(usize, String, bool)>,
}

/// What an agent may do. Without a phase, no hook is asked.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct May {
    phase: Option<Asks>,
    person: Option<Person>,
    allowed: Option<BTreeSet<String>>,
    #[serde(default)]
    disallowed: BTreeSet<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Defined {
    agent: String,
    may: May,
}

/// Another phase than the one in which nothing is asked about.
#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Asks {
    Default,
    Plan,
    Bypass,
}

/// What a person says who is asked.
#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Person {
    Allow,
    Halt,
    Panics,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Bounds {
    turns: Option<u32>,
    stop_refusals: Option<u32>,
    window: Option<u64>,
    depth: Option<u32>,
}

/// What a hook says about an event, where its fields are these.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Rule {
    on: String,
    #[serde(default)]
    r#where: BTreeMap<String, Value>,
    allow: Option<String>,
    deny: Option<String>,
    halt: Option<String>,
    inject: Option<String>,
    /// A text for the next request alone, and one below the result of a tool.
    goes: Option<String>,
    beside: Option<String>,
    /// New values of fields, or of what stands below them.
    #[serde(default)]
    modify: Map<String, Value>,
}

impl Rule {
    fn says(&self, event: &Event) -> HookResult {
        let data = Value::Object(event.json().into_owned());
        let is = |(at, value): (&String, &Value)| data.pointer(at) == Some(value);
        if !self.r#where.iter().all(is) {
            return HookResult::proceed();
        }
        let mut said = match (&self.allow, &self.deny, &self.halt) {
            (Some(_), _, _) => HookResult::allow(),
            (_, Some(why), _) => HookResult::deny(&**why),
            (_, _, Some(why)) => HookResult::halt(&**why),
            _ => HookResult::proceed(),
        };
        if let Some(text) = &self.inject {
            said = said.inject(&**text);
        }
        if let Some(text) = &self.goes {
            said = said.injecting(Injection::new(&**text).ephemeral());
        }
        if let Some(text) = &self.beside {
            said = said.injecting(Injection {
                place: Placement::LastToolResult,
                ..Injection::new(&**text)
            });
        }
        let modify = self.modify.iter();
        modify.fold(said, |said, (field, value)| {
            let Some((field, below)) = field.split_once('/') else {
                return said.modify(field.clone(), value.clone());
            };
            let mut whole = data[field].clone();
            whole[below] = value.clone();
            said.modify(field.to_owned(), whole)
        })
    }
}

fn permissions(may: &May) -> Permissions {
    let phase = match may.phase {
        None => PermissionPhase::Trusted,
        Some(Asks::Default) => PermissionPhase::Default,
        Some(Asks::Plan) => PermissionPhase::Plan,
        Some(Asks::Bypass) => PermissionPhase::BypassPermissions,
    };
    let answer: Option<fn() -> Permission> = may.person.as_ref().map(|person| match person {
        Person::Allow => (|| Permission::Allow) as fn() -> Permission,
        Person::Halt => || Permission::Halt("asked".into()),
        // Without the message that a panic prints.
        Person::Panics => || std::panic::resume_unwind(Box::new("oh")),
    });
    Permissions {
        phase,
        can_use_tool: answer.map(|answer| Arc::new(move |_: &_| answer()) as _),
        allowed: may.allowed.clone(),
        disallowed: may.disallowed.clone(),
    }
}

fn setup(scenario: &Scenario, kit: &Kit) -> AgentSetup {
    let defined = scenario.defined.iter().map(|defined| AgentDefinition {
        name: defined.agent.clone(),
        system: String::new(),
        permissions: permissions(&defined.may),
    });
    let (bounds, usual) = (&scenario.limits, RunLimits::default());
    let limits = RunLimits {
        turns: bounds.turns.unwrap_or(usual.turns),
        window: bounds.window.unwrap_or(usual.window),
        depth: bounds.depth.unwrap_or(usual.depth),
        stop_refusals: bounds.stop_refusals.unwrap_or(usual.stop_refusals),
        ..usual
    };
    AgentSetup {
        order: if scenario.original {
            EventOrder::Athena
        } else {
            EventOrder::Ours
        },
        permissions: permissions(&scenario.may),
        agents: defined.collect(),
        system: scenario.system.clone(),
        limits,
        ..kit.setup()
    }
}

fn play(scenario: &Scenario) {
    let name = &scenario.name;
    let kit = Kit::new(&Value::from(scenario.script.clone()).to_string());
    for (file, text) in &scenario.files {
        std::fs::write(kit.path().join(file), text).unwrap();
    }
    let mut agent = kit.agent(setup(scenario, &kit));
    for rule in scenario.hooks.clone() {
        let on = rule.on.clone();
        agent.on(&on, move |event: &Event| rule.says(event));
    }
    let outcome = agent.run("go");
    assert_eq!(format!("{:?}", outcome.finish), scenario.finish, "{name}");
    let turns = scenario.turns.unwrap_or(outcome.turns);
    assert_eq!(outcome.turns, turns, "{name}");
    let asked = kit.provider.asked().len();
    assert_eq!(asked, scenario.requests.unwrap_or(asked), "{name}");
    let read = outcome.usage.input;
    assert_eq!(read, scenario.read.unwrap_or(read), "{name}");
    if let Some(text) = &scenario.text {
        assert_eq!(&*outcome.text, text, "{name}");
    }
    if let Some(expected) = &scenario.answers {
        assert_eq!(&answers(&agent), expected, "{name}");
    }
    for (seen, expected) in [
        (kit.seen.names(), &scenario.events),
        (kit.seen.only(&athenas()), &scenario.athenas),
        (kit.seen.only(&["agent:spawn"]), &scenario.agents),
    ] {
        assert_eq!(&seen, expected.as_ref().unwrap_or(&seen), "{name}");
    }
    let nothing = BTreeMap::new();
    for (event, expected) in &scenario.told {
        let fields = expected.iter().chain(std::iter::repeat(&nothing));
        let seen = kit.seen.data(event).into_iter().zip(fields);
        let seen = seen.map(|(seen, fields)| {
            let of = |at: &String| (at.clone(), seen.pointer(at).cloned().unwrap_or_default());
            fields.keys().map(of).collect::<BTreeMap<_, _>>()
        });
        assert_eq!(&seen.collect::<Vec<_>>(), expected, "{name}: {event}");
    }
    for (file, text) in &scenario.written {
        let held = std::fs::read_to_string(kit.path().join(file));
        assert_eq!(&held.unwrap(), text, "{name}");
    }
    for (number, text, held) in &scenario.asked {
        let sent = format!("{:?}", kit.provider.asked()[*number]);
        assert_eq!(sent.contains(&**text), *held, "{name}: {text}: {sent}");
    }
    for (files, exist) in [(&scenario.present, true), (&scenario.absent, false)] {
        for file in files {
            assert_eq!(kit.path().join(file).exists(), exist, "{name}: {file}");
        }
    }
    for (texts, held) in [(&scenario.sent, true), (&scenario.unsent, false)] {
        for text in texts {
            let sent = kit.last_request();
            assert_eq!(sent.contains(&**text), held, "{name}: {text}: {sent}");
        }
    }
}

#[test]
fn every_scenario_comes_to_what_it_says() {
    let all = include_str!("scenarios.json");
    for scenario in serde_json::from_str::<Vec<Scenario>>(all).unwrap() {
        play(&scenario);
    }
}
