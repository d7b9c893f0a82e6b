//! Whether a command line runs Anyhook itself to loosen what guards the agent.

use crate::shell::{self, Spellings, patterns};

/// Commands of ours that change nothing that guards.
pub(super) const SAFE: &[&str] = &[
    "approvals",
    "check",
    "completions",
    "config",
    "demo",
    "doctor",
    "events",
    "explain",
    "get",
    "help",
    "list",
    "log",
    "platform",
    "run",
    "say",
    "schema",
    "test",
    "why",
    "--help",
    "--version",
];
/// Commands of ours that only a person runs.
const UNSAFE: &[&str] = &[
    "add",
    "approve",
    "background",
    "install",
    "trust",
    "uninstall",
];
/// The names under which we are run.
const OURS: &[&str] = &["anyhook", "anyhook.exe", "aam", "aam.exe"];
/// Words with which a line runs what it puts together.
const DYNAMIC: &[&str] = &["alias", "eval", "exec", "function", "source", "xargs"];

/// Returns the command that is run, if one is.
pub(super) fn look(spellings: &Spellings) -> Option<String> {
    let emptied = std::iter::once(&spellings.emptied);
    let mut all = spellings.kept.iter().chain(emptied);
    all.find_map(|text| in_text(&text.to_lowercase()))
}

fn in_text(text: &str) -> Option<String> {
    let commands = shell::rough(text);
    let mut words = commands.iter().flatten();
    let is_dynamic = text.contains(['$', '`']) || words.any(|word| DYNAMIC.contains(&&**word));
    let verb = commands.iter().flatten().find(|word| is_unsafe(word));
    for command in &commands {
        for (at, word) in command.iter().enumerate() {
            let rest = command.get(at + 1..).unwrap_or_default();
            if is_ours(word) {
                if let Some(verb) = of_ours(rest) {
                    return Some(format!("anyhook {verb}"));
                }
                let is_safe = rest.first().is_some_and(|next| SAFE.contains(&&**next));
                if let (true, false, Some(verb)) = (is_dynamic, is_safe, verb) {
                    return Some(format!("anyhook {verb}"));
                }
            }
            let next = rest.first().map(String::as_str);
            if let (true, Some(verb @ ("trust" | "approve"))) = (is_open(word), next) {
                return Some(format!("{word} {verb}"));
            }
        }
    }
    None
}

/// Looks at the words behind our name. Only a safe command right behind it is safe: an option may take the next word.
fn of_ours(rest: &[String]) -> Option<&str> {
    let first = rest.first()?;
    let mut words = rest.iter().map(String::as_str);
    if first == "check" {
        // It only looks, unless it mends: then it writes manifests and their scripts.
        let mends = words.any(|word| patterns::glob(word, "--fix") || is_open(word));
        return mends.then_some("check --fix");
    }
    if SAFE.contains(&&**first) {
        return None;
    }
    words.find(|word| is_unsafe(word) || is_open(word))
}

fn is_unsafe(word: &str) -> bool {
    let is_verb =
        |verb: &&&str| patterns::glob(verb, word) && word.chars().any(char::is_alphanumeric);
    UNSAFE.iter().any(|verb| is_verb(&verb))
}

fn is_ours(word: &str) -> bool {
    let name = word.rsplit(['/', '\\']).next().unwrap_or(word);
    let says = name.chars().filter(|c| c.is_alphanumeric()).count() > 1;
    says && OURS.iter().any(|ours| patterns::glob(ours, name))
}

fn is_open(word: &str) -> bool {
    word.contains(['$', '`'])
}
