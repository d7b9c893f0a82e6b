//! What the table of Codex CLI does not say.

mod rules;

include!(concat!(env!("OUT_DIR"), "/codex_cli.rs"));
