//! What this platform can do, in the form in which agent packages ask for it (`.platform-capabilities.json`).
//!
//! Everything comes from the rows of the hosts and of the runners. What is done nowhere here is said so: artifacts other than
//! hooks, evaluations, the enforcement of declared permissions, and a level of conformance, which a suite of others would
//! have to give.
//!
//! ```
//! use anyhook_engine::platform::{capabilities, of_host};
//!
//! let all = capabilities();
//! assert_eq!(all["supported_artifacts"], serde_json::json!(["hooks"]));
//! let hosts = all["hosts"].as_array().unwrap();
//! assert!(hosts.iter().any(|host| host["platform"] == "claude-code"));
//!
//! let cursor = of_host(anyhook_engine::wires::host("cursor").ok_or("no such host")?);
//! assert!(cursor["hook_events"].as_array().unwrap().contains(&"pre-tool-use".into()));
//! # Ok::<(), &str>(())
//! ```

use anyhook_core::event::EventName;
use anyhook_core::result::Kind;
use anyhook_core::taxonomy::{Class, EVENTS};
use anyhook_wires::hosts::HOSTS;
use anyhook_wires::{Host, HostRow};
use serde_json::{Value, json};

use crate::runners::TYPES;

/// Returns what is known of every host together, with one entry for each.
///
/// ```
/// use anyhook_engine::wires::hosts::HOSTS;
///
/// let all = anyhook_engine::platform::capabilities();
/// assert_eq!(all["hosts"].as_array().map(Vec::len), Some(HOSTS.len()));
/// assert!(all["hook_types"].as_array().unwrap().contains(&"rule".into()));
/// ```
pub fn capabilities() -> Value {
    let universal = EVENTS.iter().filter_map(|row| row.universal);
    let told = |name: &&'static str| {
        let is_it = |host: &&Host| names(host, |_| true).contains(name);
        HOSTS.iter().any(is_it)
    };
    let events: Vec<&str> = universal.filter(told).collect();
    let mut all = common("anyhook", &events);
    if let Value::Object(all) = &mut all {
        let hosts = HOSTS.iter().map(|host| of_host(host));
        all.insert("hosts".to_owned(), hosts.collect());
    }
    all
}

/// Returns what is known of one host: the events that it tells of and in which a hook can refuse.
///
/// ```
/// let claude = anyhook_engine::wires::host("claude-code").ok_or("no such host")?;
/// let facts = anyhook_engine::platform::of_host(claude);
/// assert!(facts["blocking_events"].as_array().unwrap().contains(&"pre-tool-use".into()));
/// # Ok::<(), &str>(())
/// ```
pub fn of_host(host: &Host) -> Value {
    let mut facts = common(host.id(), &names(host, |_| true));
    // Where a gate knows an end of the turn and no refusal, that is what a refusal becomes.
    let is_gate = |row: &HostRow| EventName::new(row.event).class() == Class::Gate;
    let blocking = names(host, |row| {
        row.can.says(Kind::Deny) || is_gate(row) && row.can.says(Kind::Halt)
    });
    if let Value::Object(facts) = &mut facts {
        facts.insert("blocking_events".to_owned(), blocking.into());
        facts.insert("maturity".to_owned(), host.facts().maturity.as_str().into());
        facts.insert("covers".to_owned(), host.facts().covers.into());
        let natives = host.rows().iter().map(|row| row.name);
        facts.insert("native_events".to_owned(), natives.collect());
    }
    facts
}

fn common(platform: &str, events: &[&str]) -> Value {
    json!({
        "platform": platform,
        "platform_version": env!("CARGO_PKG_VERSION"),
        "uaaps_conformance_level": null,
        "spec_version": null,
        "supported_artifacts": ["hooks"],
        "hook_events": events,
        "hook_types": TYPES,
        "permissions_enforcement": "none",
        "eval_headless": false,
        "resolver_version": null,
    })
}

/// The universal names of a host's events that pass, each once, in the order of its rows.
fn names(host: &Host, passes: impl Fn(&HostRow) -> bool) -> Vec<&'static str> {
    let mut names: Vec<&'static str> = Vec::new();
    for row in host.rows().iter().filter(|row| passes(row)) {
        let universal = EventName::new(row.event)
            .spec()
            .and_then(|spec| spec.universal);
        names.extend(universal.filter(|name| !names.contains(name)));
    }
    names
}
