//! stub
use crate::effects::IfUnsayable;
use crate::matcher::Matcher;
use crate::taxonomy::EventSpec;
use std::ops::Range;
use std::time::Duration;
#[derive(Debug, Clone, PartialEq)]
pub struct Manifest {
    pub version: u32,
    pub mode: Mode,
    pub groups: Vec<Group>,
}
#[derive(Debug, Clone, PartialEq)]
pub struct Group {
    pub event: String,
    pub spec: Option<&'static EventSpec>,
    pub matcher: Matcher,
    pub matcher_text: Option<String>,
    pub priority: i32,
    pub sequential: bool,
    pub name: Option<String>,
    pub mode: Mode,
    pub entries: Vec<Entry>,
    pub at: Place,
    pub index: usize,
}
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    pub action: Action,
    pub name: Option<String>,
    pub guard: bool,
    pub recheck: bool,
    pub on_failure: Option<OnFailure>,
    pub timeout: Option<Duration>,
    pub mode: Mode,
    pub once: bool,
    pub if_unsayable: IfUnsayable,
    pub at: Place,
    pub index: usize,
}
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Mode {
    #[default]
    Enforce,
    Shadow,
}
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnFailure {
    Continue,
    Deny,
    Halt,
}
#[derive(Debug, Clone, PartialEq)]
pub enum Action {
    Command(Command),
    Prompt(Prompt),
    Broken(String),
}
#[derive(Debug, Clone, PartialEq)]
pub struct Command {
    pub command: String,
    pub args: Option<Vec<String>>,
    pub env: Vec<(String, String)>,
    pub cwd: Option<String>,
}
#[derive(Debug, Clone, PartialEq)]
pub struct Prompt {
    pub prompt: String,
}
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Place {
    pub span: Range<usize>,
    pub line: u32,
    pub column: u32,
}
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    pub severity: Severity,
    pub message: String,
    pub help: Option<String>,
    pub at: Place,
}
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Severity {
    Error,
    Warning,
}
#[derive(Debug, Clone, PartialEq)]
pub struct Parsed {
    pub manifest: Manifest,
    pub findings: Vec<Finding>,
}
impl Manifest {
    pub fn parse(text: &str) -> Result<Parsed, Finding> {
        Err(Finding {
            severity: Severity::Error,
            message: text.into(),
            help: None,
            at: Place::default(),
        })
    }
}
