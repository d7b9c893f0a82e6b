//! `then: {"confine": …}`: the command of a shell tool, rewritten so that it runs confined.

use anyhook_confine::CommandWrapper;
use anyhook_core::event::{Datum, Map};
use anyhook_core::result::HookResult;
use anyhook_core::sandbox::{Sandbox, SandboxPathError};
use anyhook_effects::effect::EffectKind;
use anyhook_wires::tools::canonical;
use serde_json::Value;

use crate::processes::system_program;
use crate::rules::Facts;
use crate::runners::RunnerRequest;

/// The field that holds the arguments of a call.
const INPUT: &str = "tool_input";

/// Adds the rewrite to what a rule says. It is never more than a rewrite: what the rule approves, if it does, stands beside it.
///
/// A call that starts no program is left as it is. One that may start some, and has no command that could be rewritten, is an
/// error of the rule, which refuses.
pub(super) fn add(
    said: HookResult,
    sandbox: &Sandbox,
    asking: &RunnerRequest<'_>,
    facts: &Facts<'_>,
) -> Result<HookResult, String> {
    let data = asking.event.data.json();
    let name = asking.event.text("tool_name").unwrap_or_default();
    if canonical(&name) != "Bash" || name.eq_ignore_ascii_case("powershell") {
        return no_shell(said, &name, facts);
    }
    // What the rule itself makes of the arguments is what runs.
    let mut patch = said.effects.patch().iter().rev();
    let own = patch.find(|rewrite| rewrite.field == INPUT);
    let own = own.and_then(|rewrite| rewrite.value.as_ref());
    let own = own.map(Datum::json);
    let input = own.as_ref().or_else(|| data.get(INPUT));
    let Some(input) = input.and_then(Value::as_object) else {
        return Err("the arguments of the call are no object".to_owned());
    };
    // It is named in full: the command could change the PATH.
    let anyhook = asking.anyhook()?;
    let wrapper = CommandWrapper {
        anyhook: &anyhook,
        project: &asking.shared.project,
        // The shell of agents' tools.
        shell: system_program("bash").map_or("sh", |_| "bash"),
    };
    let Some(command) = rewritten(&wrapper, input, sandbox)? else {
        return Ok(said);
    };
    let mut input: Map = input.clone();
    input.insert("command".to_owned(), command);
    Ok(said.modify(INPUT, Value::Object(input)))
}

/// What a rule says about a tool that is no shell.
fn no_shell(said: HookResult, name: &str, facts: &Facts<'_>) -> Result<HookResult, String> {
    let mut effects = facts.effects().unwrap_or_default().into_iter();
    if !effects.any(|effect| effect.kind == EffectKind::Exec) {
        return Ok(said);
    }
    Err(format!(
        "it confines shell commands, and `{}` may start programs in another way",
        crate::text::plain(name)
    ))
}

/// Returns the command as it is to be; nothing where it runs confined so narrowly already.
fn rewritten(
    wrapper: &CommandWrapper<'_>,
    input: &Map,
    sandbox: &Sandbox,
) -> Result<Option<Value>, String> {
    let wrong = |error: SandboxPathError| format!("{error}: {}", error.help);
    match input.get("command") {
        Some(Value::String(line)) if wrapper.holds(line, sandbox) => Ok(None),
        Some(Value::String(line)) => {
            let confined = wrapper.wrap(line, sandbox).map_err(wrong)?;
            Ok(Some(Value::String(confined)))
        }
        Some(Value::Array(words)) if !words.is_empty() => {
            let words = words.iter().map(|word| word.as_str().map(str::to_owned));
            let words = words.collect::<Option<Vec<String>>>();
            let words = words.ok_or("a word of the command is no text")?;
            if wrapper.holds_words(&words, sandbox) {
                return Ok(None);
            }
            let confined = wrapper.wrap_words(&words, sandbox).map_err(wrong)?;
            Ok(Some(confined.into()))
        }
        _ => Err("the call has no `command` that could run confined".to_owned()),
    }
}
