//! Events about the context, artifacts, modules, old decisions and errors, as Amplifier has them.

use super::super::field::{any, integer, list, text};
use super::{EventSpec, after, notice};

pub(super) const ROWS: &[EventSpec] = &[
    notice("context:compaction", "Details of a compaction.").fields(&[any(
        "details",
        "What was compacted, and how.",
        "amplifier",
    )]),
    notice("context:include", "A file was taken into the context.").fields(&[
        text("file_path", "The file.", "amplifier").must(),
        integer("size", "Its size in bytes.", "amplifier"),
    ]),
    notice("artifact:write", "An artifact was written.").fields(&[
        text("artifact_id", "The artifact.", "amplifier").must(),
        text("path", "Its file.", "amplifier"),
        integer("size", "Its size in bytes.", "amplifier"),
    ]),
    notice("artifact:read", "An artifact was read.").fields(&[
        text("artifact_id", "The artifact.", "amplifier").must(),
        text("path", "Its file.", "amplifier"),
        integer("size", "Its size in bytes.", "amplifier"),
    ]),
    notice(
        "module:on_session_ready_failed",
        "A module failed when its session became ready.",
    )
    .fields(&[
        text("module_id", "The module.", "amplifier").must(),
        text("error", "What failed.", "amplifier").must(),
    ]),
    notice("module:load_failed", "A module could not be loaded.").fields(&[
        text("module_type", "What kind of module it is.", "amplifier").must(),
        text("module_id", "The module.", "amplifier").must(),
        text("error", "What failed.", "amplifier").must(),
        text("reason_code", "A stable code for it.", "amplifier"),
        text(
            "instance_id",
            "Which instance of the module it is.",
            "amplifier",
        ),
    ]),
    after("decision:tool_resolution", "A tool was chosen.").fields(&[
        list(
            "available_tools",
            "What there was to choose from.",
            "amplifier",
        ),
        text("selected_tool", "What was chosen.", "amplifier"),
        text("reason", "Why.", "amplifier"),
    ]),
    after("decision:agent_resolution", "An agent was chosen.").fields(&[
        list(
            "available_agents",
            "What there was to choose from.",
            "seed 000",
        ),
        text("selected_agent", "What was chosen.", "seed 000"),
        text("reason", "Why.", "seed 000"),
    ]),
    after("decision:context_resolution", "A context was chosen.").fields(&[
        list(
            "available_contexts",
            "What there was to choose from.",
            "seed 000",
        ),
        text("selected_context", "What was chosen.", "seed 000"),
        text("reason", "Why.", "seed 000"),
    ]),
    notice("error:orchestration", "An orchestrator has failed.").fields(&[any(
        "error",
        "What failed: a text, or an object with type and message.",
        "amplifier",
    )
    .must()]),
];
