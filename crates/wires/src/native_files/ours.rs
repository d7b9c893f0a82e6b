//! Knowing our own entries again: `install` writes them, and they are no hooks.

/// Tells whether a command line is an entry that `install` wrote: one call of `anyhook run --host`, and nothing beside
/// it. A line that does more is somebody's hook and stays one.
///
/// ```
/// use anyhook_wires::native_files::is_ours;
/// assert!(is_ours("/home/me/.local/share/anyhook/bin/anyhook run --host claude-code PreToolUse --deadline 600"));
/// assert!(!is_ours("./guard.sh || anyhook run --host claude-code"));
/// ```
pub fn is_ours(command: &str) -> bool {
    if command.contains([';', '|', '&', '<', '>', '`', '$', '\n', '(', ')']) {
        return false;
    }
    let is_quote = |c: char| c == '"' || c == '\'';
    let mut words = command
        .split_whitespace()
        .map(|word| word.trim_matches(is_quote));
    let program = words.next().unwrap_or_default();
    let name = program.rsplit(['/', '\\']).next().unwrap_or_default();
    let is_program = name == "anyhook" || name == "anyhook.exe";
    is_program && words.next() == Some("run") && words.any(|word| word == "--host")
}
