//! Every name that some host uses for the same tool.
//!
//! One table. A hook that matches `Write` is asked about Gemini's `write_file` too, and the other way round. A native
//! tool stands for a set: `apply_patch` writes, edits and deletes, so it goes by all names of those three. Which is why
//! an alias only widens what a hook is asked about, and never carries an approval.

/// One tool. The names stand twice in a row, so that all names but one are a slice of it, without a copy.
struct ToolNames {
    /// How many of the names belong to this row; a name behind them has a row of its own that says what it stands for.
    own: usize,
    /// How many names there are.
    count: usize,
    /// The names, canonical first, and then all of them again.
    names: &'static [&'static str],
}

/// The table, compiled from `tools.txt`.
static TOOLS: &[ToolNames] = include!(concat!(env!("OUT_DIR"), "/tools.rs"));

/// Returns all other names of the tool that some host calls `native`; none for an unknown tool, and none for one that
/// is served by MCP, whose name is its server's own business.
///
/// ```
/// use anyhook_wires::tools::also;
/// assert!(also("Write").contains(&"write_file"));
/// assert!(!also("Write").contains(&"Write"));
/// assert!(also("apply_patch").contains(&"Edit") && also("apply_patch").contains(&"Delete"));
/// assert!(also("mcp__files__write_file").is_empty());
/// ```
pub fn also(native: &str) -> &'static [&'static str] {
    find(native)
        .and_then(|(tool, at)| tool.names.get(at + 1..at + tool.count))
        .unwrap_or(&[])
}

/// Returns all names of a tool of one host, which calls it `native` where we say `canonical`: where no other host has a tool of that
/// name, it goes by those of the canonical one.
pub(crate) fn also_as(native: &str, canonical: &str) -> &'static [&'static str] {
    let all = || find(canonical).and_then(|(tool, _)| tool.names.get(..tool.count));
    match also(native) {
        [] => all().unwrap_or(&[]),
        also => also,
    }
}

/// Returns the canonical name of a tool: Claude Code's, as in the seed. A tool that stands for a set, and one that
/// is unknown, keeps its own.
///
/// ```
/// use anyhook_wires::tools::canonical;
/// assert_eq!(canonical("run_shell_command"), "Bash");
/// assert_eq!(canonical("apply_patch"), "apply_patch");
/// ```
pub fn canonical(native: &str) -> &str {
    find(native)
        .and_then(|(tool, _)| tool.names.first())
        .copied()
        .unwrap_or(native)
}

/// Returns every name that some host has for a tool of its own.
///
/// ```
/// use anyhook_wires::tools::all;
/// assert!(all().any(|name| name == "run_shell_command"));
/// assert!(!all().any(|name| name == "Teleport"));
/// ```
pub fn all() -> impl Iterator<Item = &'static str> {
    let own = TOOLS.iter().filter_map(|tool| tool.names.get(..tool.own));
    own.flatten().copied()
}

/// Finds the row that says what a name stands for, and the name's place in it.
fn find(native: &str) -> Option<(&'static ToolNames, usize)> {
    TOOLS.iter().find_map(|tool| {
        let own = tool.names.get(..tool.own)?;
        let at = own.iter().position(|name| *name == native)?;
        Some((tool, at))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_has_exactly_one_row_of_its_own() {
        let mut own: Vec<&str> = TOOLS
            .iter()
            .flat_map(|tool| &tool.names[..tool.own])
            .copied()
            .collect();
        let all = own.len();
        own.sort_unstable();
        own.dedup();
        assert_eq!(own.len(), all);
        for tool in TOOLS {
            for name in tool.names {
                assert!(own.contains(name), "{name} has no row");
            }
        }
    }

    #[test]
    fn all_other_names_are_given_and_never_the_own_one() {
        for tool in TOOLS {
            for name in &tool.names[..tool.own] {
                let mut given = also(name).to_vec();
                assert!(!given.contains(name), "{name}");
                given.push(name);
                given.sort_unstable();
                let mut all = tool.names[..tool.count].to_vec();
                all.sort_unstable();
                assert_eq!(given, all, "{name}");
            }
        }
    }

    #[test]
    fn names_of_one_tool_know_each_other() {
        for tool in TOOLS {
            for one in &tool.names[..tool.count] {
                for other in also(one) {
                    assert!(also(other).contains(one), "{other} does not know {one}");
                }
            }
        }
    }

    #[test]
    fn a_set_goes_by_all_names_of_its_tools() {
        for set in ["apply_patch", "ApplyPatch", "git_apply_patch"] {
            for tool in ["Write", "Edit", "Delete"] {
                assert!(also(set).contains(&tool));
                assert!(also(tool).contains(&set));
                for name in also(tool) {
                    assert!(*name == set || also(set).contains(name), "{set} {name}");
                }
            }
        }
        assert!(!also("Write").contains(&"Edit"));
    }

    #[test]
    fn a_tool_that_only_one_host_has_goes_by_the_names_of_ours() {
        assert!(also_as("launch-process", "Bash").contains(&"run_shell_command"));
        assert!(also_as("launch-process", "Bash").contains(&"Bash"));
        assert_eq!(also_as("Write", "Write"), also("Write"));
        assert_eq!(also_as("mcp__git__bash", "mcp__git__bash"), &[] as &[&str]);
    }

    #[test]
    fn an_unknown_tool_goes_by_its_own_name_only() {
        assert_eq!(also("mcp__git__bash"), &[] as &[&str]);
        assert_eq!(also(""), &[] as &[&str]);
        assert_eq!(canonical("mcp__git__bash"), "mcp__git__bash");
        assert_eq!(canonical("Task"), "Agent");
    }
}
