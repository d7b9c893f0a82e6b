//! The functions about what a session has seen: its marks and its calls.

use anyhook_core::hook::Hook;
use anyhook_effects::effect::{Effect, Kind, Object};
use serde_json::Value;

use super::Facts;
use super::functions::{Does, Function, Texts};

const UNKNOWN: &str = "what the session has seen is not known here: the event names no session, or nothing is kept of it";

pub(super) const MARKED: Function = Function {
    name: "marked",
    usage: "marked('read-web')",
    summary: "a rule of this session set the mark",
    does: Does::Recall(Texts::Some, |facts, names| {
        Ok((sum(facts, names)? > 0).into())
    }),
};

pub(super) const MARKS: Function = Function {
    name: "marks",
    usage: "marks('edited')",
    summary: "how often the mark was set",
    does: Does::Recall(Texts::Some, |facts, names| {
        sum(facts, names).map(Value::from)
    }),
};

pub(super) const CALLS: Function = Function {
    name: "calls",
    usage: "calls('Bash')",
    summary: "how many calls of these tools, or of all, this turn has begun, this one included",
    does: Does::Recall(Texts::Any, |facts, tools| {
        let (tally, _) = facts.tally().ok_or(UNKNOWN)?;
        Ok(of_tools(tools, |tool| tally.calls(tool)).into())
    }),
};

pub(super) const SESSION_CALLS: Function = Function {
    name: "session_calls",
    usage: "session_calls('Bash')",
    summary: "the same for the whole session",
    does: Does::Recall(Texts::Any, |facts, tools| {
        let (tally, _) = facts.tally().ok_or(UNKNOWN)?;
        Ok(of_tools(tools, |tool| tally.session_calls(tool)).into())
    }),
};

pub(super) const REPEATS: Function = Function {
    name: "repeats",
    usage: "repeats() >= 2",
    summary: "how often in a row the same call, with the same input, was made just before and failed",
    does: Does::Recall(Texts::Of(&[]), |facts, _| {
        let (tally, event) = facts.tally().ok_or(UNKNOWN)?;
        Ok(tally.repeats(event).into())
    }),
};

pub(super) const WRITTEN_HERE: Function = Function {
    name: "written_here",
    usage: "written_here()",
    summary: "it runs a file with the name of one that this session wrote or may have written, or a build tool whose own file it wrote",
    does: Does::Recall(Texts::Of(&[]), |facts, _| {
        let (tally, _) = facts.tally().ok_or(UNKNOWN)?;
        let done = facts.done().unwrap_or_default();
        let runs = |effect: &&Effect| match (&effect.kind, &effect.object) {
            (
                Kind::Exec,
                Object::Program {
                    name, opaque: true, ..
                },
            ) => {
                let mut files = BUILT_FROM.iter().filter(|(program, _)| program == name);
                tally.has_written(name) || files.any(|(_, file)| tally.has_written(file))
            }
            (Kind::Exec, Object::Unknown) => tally.has_written_any(),
            _ => false,
        };
        Ok(done.effects.iter().any(|effect| runs(&effect)).into())
    }),
};

/// Build tools, and the files from which they take what they run.
const BUILT_FROM: &[(&str, &str)] = &[
    ("make", "Makefile"),
    ("make", "makefile"),
    ("make", "GNUmakefile"),
    ("gmake", "Makefile"),
    ("just", "justfile"),
    ("task", "Taskfile.yml"),
    ("npm", "package.json"),
    ("pnpm", "package.json"),
    ("yarn", "package.json"),
    ("bun", "package.json"),
    ("cargo", "build.rs"),
    ("cargo", "Cargo.toml"),
    ("gradle", "build.gradle"),
    ("gradlew", "build.gradle"),
    ("mvn", "pom.xml"),
    ("tox", "tox.ini"),
    ("rake", "Rakefile"),
    ("pytest", "conftest.py"),
    ("docker", "Dockerfile"),
    ("ansible-playbook", "ansible.cfg"),
];

fn sum(facts: &Facts<'_>, names: &[String]) -> Result<u64, String> {
    let (tally, _) = facts.tally().ok_or(UNKNOWN)?;
    Ok(names.iter().map(|name| tally.marks(name)).sum())
}

fn of_tools(tools: &[String], count: impl Fn(Option<&str>) -> u64) -> u64 {
    match tools {
        [] => count(None),
        tools => tools.iter().map(|tool| count(Some(tool))).sum(),
    }
}

/// Tells whether a hook's condition may ask about what the session has seen.
pub(crate) fn asks_memory(hook: &Hook) -> bool {
    calls_one_of(
        hook,
        &[MARKED, MARKS, CALLS, SESSION_CALLS, REPEATS, WRITTEN_HERE],
    )
}

/// Tells whether a hook's condition may ask about calls, so that each has to be counted.
pub(crate) fn counts_calls(hook: &Hook) -> bool {
    calls_one_of(hook, &[CALLS, SESSION_CALLS, REPEATS])
}

/// Tells whether a hook's condition may ask what the session wrote, so that each file has to be remembered.
pub(crate) fn asks_written(hook: &Hook) -> bool {
    calls_one_of(hook, &[WRITTEN_HERE])
}

/// Looks at the text alone, so it may say yes too often.
fn calls_one_of(hook: &Hook, functions: &[Function]) -> bool {
    let condition = hook.condition.as_deref().unwrap_or_default();
    functions
        .iter()
        .any(|function| condition.contains(function.name))
}
