//! stub
#[derive(Debug, PartialEq)]
pub struct EventSpec {
    pub name: &'static str,
    pub universal: Option<&'static str>,
    pub aliases: &'static [&'static str],
    pub class: Class,
    pub subject: Option<&'static str>,
    pub mutable: &'static [&'static str],
    pub summary: &'static str,
}
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    Gate,
    Continuation,
    After,
    Notice,
}
pub static EVENTS: &[EventSpec] = &[
    EventSpec {
        name: "tool:pre",
        universal: Some("pre-tool-use"),
        aliases: &["PreToolUse"],
        class: Class::Gate,
        subject: Some("tool_name"),
        mutable: &["tool_input"],
        summary: "",
    },
    EventSpec {
        name: "tool:post",
        universal: Some("post-tool-use"),
        aliases: &["PostToolUse"],
        class: Class::After,
        subject: Some("tool_name"),
        mutable: &["tool_result"],
        summary: "",
    },
    EventSpec {
        name: "stop",
        universal: Some("stop"),
        aliases: &["Stop"],
        class: Class::Continuation,
        subject: None,
        mutable: &[],
        summary: "",
    },
];
pub fn find(name: &str) -> Option<&'static EventSpec> {
    EVENTS
        .iter()
        .find(|e| e.name == name || e.universal == Some(name) || e.aliases.contains(&name))
}
pub fn suggest(_: &str) -> Option<&'static str> {
    None
}
