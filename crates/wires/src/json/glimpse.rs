//! A glimpse into bytes that are no JSON as a whole.

/// Looks for a string of the outermost object in bytes that cannot be read as a whole, such as a truncated payload.
///
/// Only the outermost object is looked at, so nothing inside a tool's arguments can pose as the event's name. Where the
/// key stands twice with different values, nothing is found.
///
/// ```
/// use anyhook_wires::json::glimpse;
/// let cut = br#"{"tool_input": {"name": "Stop"}, "name": "PreToolUse", "more": "#;
/// assert_eq!(glimpse(cut, "name").as_deref(), Some("PreToolUse"));
/// ```
pub fn glimpse(bytes: &[u8], key: &str) -> Option<String> {
    let mut depth = 0_usize;
    let mut at = 0;
    let mut found: Option<String> = None;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.saturating_sub(1),
            b'"' => {
                let Some((end, text)) = string(bytes, at) else {
                    break;
                };
                at = end;
                if depth == 1 && text.as_deref() == Some(key) {
                    let Some((end, value)) = value_after(bytes, at) else {
                        continue;
                    };
                    if found.as_ref().is_some_and(|found| *found != value) {
                        return None;
                    }
                    found = Some(value);
                    at = end;
                }
                continue;
            }
            _ => {}
        }
        at += 1;
    }
    found
}

/// Reads the string that begins here; returns where it ends, or nothing if it does not.
fn string(bytes: &[u8], start: usize) -> Option<(usize, Option<String>)> {
    let mut at = start + 1;
    loop {
        match bytes.get(at)? {
            b'\\' => at += 2,
            b'"' => break,
            _ => at += 1,
        }
    }
    let text = serde_json::from_slice(bytes.get(start..=at)?).ok();
    Some((at + 1, text))
}

/// Reads the string behind a colon.
fn value_after(bytes: &[u8], at: usize) -> Option<(usize, String)> {
    let colon = blank(bytes, at);
    if bytes.get(colon) != Some(&b':') {
        return None;
    }
    let start = blank(bytes, colon + 1);
    if bytes.get(start) != Some(&b'"') {
        return None;
    }
    let (end, text) = string(bytes, start)?;
    Some((end, text?))
}

fn blank(bytes: &[u8], at: usize) -> usize {
    let rest = bytes.get(at..).unwrap_or_default();
    let is_blank = |byte: &&u8| byte.is_ascii_whitespace();
    at + rest.iter().take_while(is_blank).count()
}
