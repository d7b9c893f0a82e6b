//! stub
#[derive(Debug, Clone, PartialEq)]
pub enum Action {
    Command(Command),
    Broken(String),
}
#[derive(Debug, Clone, PartialEq)]
pub struct Command {
    pub command: String,
}
