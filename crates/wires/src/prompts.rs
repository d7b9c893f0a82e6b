//! Whether a prompt of a host is a new one from a person.

use crate::bare::bare;

bare! {
    /// What tells a person's new prompt from others: a host may tell of one prompt before every request, and of texts that no
    /// person wrote.
    ///
    /// ```
    /// use anyhook_wires::{Prompts, host};
    ///
    /// // Qwen Code tells of a prompt once for every request that it leads to.
    /// assert_eq!(host("qwen-code").unwrap().facts().prompts.id, Some("prompt_id"));
    /// // Claude Code hands over what a sub-agent in the background came to, and Copilot the tasks of sub-agents.
    /// assert_eq!(host("claude-code").unwrap().facts().prompts.of_host, ["<task-notification>"]);
    /// let copilot = host("copilot-cli").unwrap().facts().prompts;
    /// assert_eq!((copilot.of_agents, copilot.parent), (&["agent_id"][..], Some("parent_agent_id")));
    /// // Of others each prompt is a new one.
    /// assert_eq!(host("cursor").unwrap().facts().prompts, Prompts::BARE);
    /// ```
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct Prompts {
        /// The field that says which prompt it is, where the host tells of one prompt several times.
        pub id: Option<&'static str> = None,
        /// The fields that only the prompt of a sub-agent has.
        pub of_agents: &'static [&'static str] = &[],
        /// What a prompt begins with that the host wrote itself.
        pub of_host: &'static [&'static str] = &[],
        /// The field in which an event of a sub-agent names the session of the agent that started it, where it has one of its own.
        pub parent: Option<&'static str> = None,
    }
}
