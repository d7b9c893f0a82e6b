//! Attacks beyond the corpus, by the agent (a shell, an editor) and by a stranger's repository.

mod by_hooks;
mod on_files;
mod on_terminals;
mod on_the_host;
