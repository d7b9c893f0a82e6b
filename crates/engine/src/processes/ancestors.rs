//! The processes that started us: `trust` and `approve` refuse if an agent is among them.

use std::fs;
use std::path::{Path, PathBuf};

/// The most generations that are looked at.
const MOST: usize = 256;
/// Programs that run a script: the agent is then the script.
const INTERPRETERS: &[&str] = &["bun", "deno", "node", "nodejs", "python", "python3", "ruby"];

/// One process above us.
///
/// ```
/// use anyhook_engine::processes::{AncestorProcess, below_an_agent};
///
/// // An agent that is a script is known by the script.
/// let node = AncestorProcess {
///     name: "node".into(),
///     exe: Some("/usr/bin/node".into()),
///     words: vec!["node".into(), "/usr/bin/claude".into()],
/// };
/// assert!(below_an_agent(&[node], &["claude"]).is_some());
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AncestorProcess {
    /// The name that it gives itself.
    pub name: String,
    /// Its executable, where it can be told.
    pub exe: Option<PathBuf>,
    /// The first words of its command line, for programs that run a script.
    pub words: Vec<String>,
}

/// Finds the nearest process that is one of the agents of that name. A name is compared without regard to case.
///
/// ```
/// use anyhook_engine::processes::{AncestorProcess, below_an_agent};
/// let shell = AncestorProcess { name: "bash".into(), ..AncestorProcess::default() };
/// let agent = AncestorProcess { name: "claude".into(), ..AncestorProcess::default() };
/// let above = [shell, agent];
/// assert_eq!(below_an_agent(&above, &["claude"]), Some(&above[1]));
/// assert_eq!(below_an_agent(&above, &["codex"]), None);
/// ```
pub fn below_an_agent<'a>(
    processes: &'a [AncestorProcess],
    agents: &[&str],
) -> Option<&'a AncestorProcess> {
    processes.iter().find(|process| {
        let names = process.names();
        let is_agent = |name: &String| agents.iter().any(|agent| agent.eq_ignore_ascii_case(name));
        names.iter().any(is_agent)
    })
}

impl AncestorProcess {
    fn names(&self) -> Vec<String> {
        let exe = self.exe.as_deref().map(stem);
        let first = self.words.first().map(|word| stem(Path::new(word)));
        let runs_script = [&exe, &first]
            .into_iter()
            .flatten()
            .any(|name| INTERPRETERS.iter().any(|known| name.starts_with(known)));
        let mut names = vec![self.name.clone()];
        names.extend(exe);
        names.extend(first);
        if runs_script {
            let scripts = self
                .words
                .iter()
                .skip(1)
                .filter(|word| !word.starts_with('-'));
            // A script is also known by its package: `…/node_modules/@openai/codex/bin/run.js`.
            names.extend(scripts.take(1).flat_map(|word| {
                let parts = Path::new(word).components();
                let parts = parts.map(|part| part.as_os_str().to_string_lossy().into_owned());
                parts.chain([stem(Path::new(word))]).collect::<Vec<_>>()
            }));
        }
        names
    }
}

fn stem(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    // What was replaced by an update while it ran.
    let name = name.strip_suffix(" (deleted)").unwrap_or(&name);
    let is_script = [".exe", ".js", ".mjs", ".cjs", ".py"]
        .iter()
        .find_map(|ending| name.strip_suffix(ending));
    is_script.unwrap_or(name).to_owned()
}

/// Lists the processes above this one, the nearest first, as `/proc` tells it; empty on a system without.
///
/// ```
/// use anyhook_engine::processes::{ancestors, below_an_agent};
///
/// let above = ancestors();
/// assert_eq!(below_an_agent(&above, &["an agent that is not installed"]), None);
/// ```
pub fn ancestors() -> Vec<AncestorProcess> {
    let mut found = Vec::new();
    let mut next = stat(std::process::id()).map(|(_, parent)| parent);
    while let Some(id) = next.filter(|id| *id > 0 && found.len() < MOST) {
        let Some((name, parent)) = stat(id) else {
            break;
        };
        let words = fs::read(format!("/proc/{id}/cmdline")).unwrap_or_default();
        let words = words.split(|byte| *byte == 0).take(4);
        found.push(AncestorProcess {
            name,
            exe: fs::read_link(format!("/proc/{id}/exe")).ok(),
            words: words
                .map(|word| String::from_utf8_lossy(word).into_owned())
                .collect(),
        });
        next = Some(parent);
    }
    found
}

/// Returns the name of a process and its parent.
pub(super) fn stat(id: u32) -> Option<(String, u32)> {
    stat_in(&fs::read(format!("/proc/{id}/stat")).ok()?)
}

/// Reads `pid (name) state parent …`; the name is chosen by the process, brackets and all.
fn stat_in(line: &[u8]) -> Option<(String, u32)> {
    let line = String::from_utf8_lossy(line);
    let (before, after) = line.rsplit_once(')')?;
    let (_, name) = before.split_once('(')?;
    let parent = after.split_ascii_whitespace().nth(1)?.parse().ok()?;
    Some((name.to_owned(), parent))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn process(name: &str, exe: &str, words: &[&str]) -> AncestorProcess {
        AncestorProcess {
            name: name.into(),
            exe: (!exe.is_empty()).then(|| exe.into()),
            words: words.iter().map(|word| (*word).to_owned()).collect(),
        }
    }

    #[test]
    fn a_process_name_with_brackets_and_spaces_hides_nothing() {
        let read = stat_in(b"7 (a) R 1 (b\xff)) S 3 5 9 0 -1");
        assert_eq!(read.map(|(_, parent)| parent), Some(3));
    }

    #[test]
    fn an_agent_is_known_by_its_name_its_executable_or_its_script() {
        let agents = ["claude", "codex", "cursor-agent"];
        let are = [
            process("claude", "", &[]),
            process("MainThread", "/opt/Codex.exe", &[]),
            process("x", "/opt/codex (deleted)", &[]),
            process(
                "node",
                "/usr/bin/node",
                &["node", "--no-warnings", "/usr/bin/claude"],
            ),
            process(
                "node",
                "/usr/bin/node",
                &["node", "/l/node_modules/@openai/codex/bin/run.js"],
            ),
            process("x", "", &["/usr/local/bin/cursor-agent"]),
        ];
        for one in &are {
            let list = [process("sh", "/bin/sh", &["sh"]), one.clone()];
            assert_eq!(below_an_agent(&list, &agents), Some(one));
        }
        let are_not = [
            process("vim", "/usr/bin/vim", &["vim", "codex"]),
            process("claudette", "/usr/bin/claudette", &["claudette"]),
            process("", "", &[]),
        ];
        assert_eq!(below_an_agent(&are_not, &agents), None);
    }

    #[test]
    fn this_test_has_ancestors_and_they_end() {
        let all = ancestors();
        assert!(all.len() < MOST);
        assert_eq!(all.is_empty(), !Path::new("/proc/self/stat").exists());
    }
}
