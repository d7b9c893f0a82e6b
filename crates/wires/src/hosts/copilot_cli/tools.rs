//! The names of tools that servers have.

use crate::payload;

/// Cuts the name of an MCP tool, `prefix` and server and `between` and tool, where it can be cut at one place only: a
/// server or a tool whose own name has the separator could be anybody's.
pub(in crate::hosts) fn server_tool(native: &str, prefix: &str, between: char) -> Option<String> {
    let (server, tool) = native.strip_prefix(prefix)?.split_once(between)?;
    let is_sure = !server.is_empty() && !tool.is_empty() && !tool.contains(between);
    is_sure.then(|| format!("mcp__{server}__{tool}"))
}

/// Gives an MCP tool of the canonical form this host's name.
pub(super) fn native_mcp(canonical: &str) -> Option<String> {
    let (server, tool) = payload::served(canonical)?;
    (!server.is_empty() && !tool.is_empty()).then(|| format!("{server}-{tool}"))
}
