//! Variants: one file, several cases, by `matrix` and by the hosts in whose form it is played.

use std::collections::BTreeSet;

use anyhook::core::event::EventName;
use anyhook::wires::{self, Host};
use serde_json::Value;

use super::{CasePayload, CasePlanner};
use crate::overrides;
use crate::problem::Problem;
use anyhook::yaml;

/// A file that stands for more cases than this is a slip.
const MOST: usize = 1000;

/// One variant.
pub(super) struct CaseVariant {
    pub(super) id: String,
    pub(super) payload: CasePayload,
    pub(super) host: Option<&'static Host>,
    pub(super) skip: Option<String>,
}

/// A payload in the making, and what sets it apart.
struct MatrixPoint {
    value: Value,
    parts: Vec<String>,
}

/// A host of a case; nothing is the universal form.
type PlayedHost = (Option<&'static Host>, Option<String>);

impl CasePlanner<'_> {
    pub(super) fn variants(&self) -> Result<Vec<CaseVariant>, Problem> {
        let spec = self.spec;
        let mut value = self.fixture(&spec.event, spec.input.fixture.as_ref())?;
        self.overridden(&mut value, &spec.input.overrides)?;
        let is_place = |(path, _): &(String, _)| path == "cwd";
        let has_place = spec.matrix.0.iter().any(is_place);
        let hosts = self.hosts()?;
        let mut variants = Vec::new();
        for point in self.points(value)? {
            let mut payload = self.checked(&spec.event, &spec.input.overrides, point.value)?;
            payload.has_place |= has_place;
            for (host, skip) in &hosts {
                let mut parts = point.parts.clone();
                parts.extend(host.map(|host| format!("as={}", host.id())));
                variants.push(CaseVariant {
                    id: named(&spec.name.value, &parts),
                    payload: payload.clone(),
                    host: *host,
                    skip: skip.clone(),
                });
            }
        }
        Ok(variants)
    }

    /// Multiplies the payload by the matrix: each combination of its values.
    fn points(&self, value: Value) -> Result<Vec<MatrixPoint>, Problem> {
        let mut points = vec![MatrixPoint {
            value,
            parts: Vec::new(),
        }];
        for (path, values) in &self.spec.matrix.0 {
            let wrong = |message: String| self.problem(yaml::of(values), message);
            if values.value.is_empty() {
                return Err(wrong(format!("`{path}` has no value: no case would run")));
            }
            if points.len().saturating_mul(values.value.len()) > MOST {
                return Err(wrong(format!(
                    "the matrix has more than {MOST} combinations"
                )));
            }
            let names = names(&values.value);
            let mut multiplied = Vec::new();
            for point in &points {
                for (name, value) in names.iter().zip(&values.value) {
                    let mut changed = point.value.clone();
                    overrides::set(&mut changed, path, value)
                        .map_err(|why| wrong(format!("`{path}` cannot be overridden: {why}")))?;
                    let part = format!("{path}={name}");
                    multiplied.push(MatrixPoint {
                        value: changed,
                        parts: point.parts.iter().cloned().chain([part]).collect(),
                    });
                }
            }
            points = multiplied;
        }
        Ok(points)
    }

    /// The hosts that the case names, else the universal form and the package's dialects.
    fn hosts(&self) -> Result<Vec<PlayedHost>, Problem> {
        if let Some(named) = &self.spec.hosts {
            let at = yaml::of(named);
            let names = named.value.names();
            if names.is_empty() {
                return Err(self.problem(at, "`as` names no host"));
            }
            let mut seen = BTreeSet::new();
            return names
                .iter()
                .filter(|name| seen.insert(*name))
                .map(|name| {
                    let host =
                        wires::host(name).ok_or_else(|| self.unknown_host(at.clone(), name))?;
                    match self.no_event(host) {
                        Some(why) => Err(self.problem(at.clone(), why)),
                        None => Ok((Some(host).filter(|host| is_other(host)), None)),
                    }
                })
                .collect();
        }
        let mut hosts: Vec<PlayedHost> = vec![(None, None)];
        for name in &self.package.config.dialects {
            let host = wires::host(name).ok_or_else(|| {
                let file = self.package.tests.join("test-config.json");
                Problem::of_file(&file, format!("no host is called `{name}`"))
            })?;
            hosts.push((Some(host), self.no_event(host)));
        }
        Ok(hosts)
    }

    fn no_event(&self, host: &'static Host) -> Option<String> {
        let name = EventName::new(&self.spec.event.value);
        let has = host.row(name.as_str()).is_some() || !is_other(host);
        (!has).then(|| {
            format!(
                "`{}` has no event for `{}`",
                host.id(),
                self.spec.event.value
            )
        })
    }
}

fn is_other(host: &Host) -> bool {
    host.id() != wires::hosts::universal::ID
}

fn named(name: &str, parts: &[String]) -> String {
    if parts.is_empty() {
        name.to_owned()
    } else {
        format!("{name}[{}]", parts.join(","))
    }
}

/// Values as parts of names: each itself where it is short and plain and no other reads the same, else its number.
fn names(values: &[Value]) -> Vec<String> {
    let texts: Vec<Option<String>> = values.iter().map(short).collect();
    let is_alone = |text: &&String| {
        let mut same = texts.iter().flatten().filter(|other| other == text);
        same.next().is_some() && same.next().is_none()
    };
    let numbered = texts.iter().enumerate();
    let name = |(index, text): (usize, &Option<String>)| match text.as_ref().filter(is_alone) {
        Some(text) => text.clone(),
        None => format!("#{index}"),
    };
    numbered.map(name).collect()
}

fn short(value: &Value) -> Option<String> {
    let text = match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "-_./ ".contains(letter);
    (text.len() <= 48 && text.chars().all(is_plain)).then_some(text)
}
