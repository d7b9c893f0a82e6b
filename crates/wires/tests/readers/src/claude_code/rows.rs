//! The table: one row for each event of the protocol page, in its order.

use super::{Decision, Exit2, Power, Reach, ReasonIn, Refusal, Row, Text};
use crate::Gate;
use crate::output::Kind;

/// Finds the row of a native event; names are case-sensitive.
pub(super) fn row(event: &str) -> Option<&'static Row> {
    ROWS.iter().find(|row| row.event == event)
}

const UNIVERSAL: &[(&str, Power)] = &[
    ("continue", Power::Continue),
    ("stopReason", Power::Part),
    ("suppressOutput", Power::Nothing),
    ("systemMessage", Power::Says(Reach::Person)),
    ("terminalSequence", Power::Native(Kind::Text)),
];
/// `continue: false` stops the agent after the tool, which runs.
const STOPS_AFTER: &[(&str, Power)] = &[
    ("continue", Power::ContinueAfter),
    ("stopReason", Power::Part),
    ("suppressOutput", Power::Nothing),
    ("systemMessage", Power::Says(Reach::Person)),
    ("terminalSequence", Power::Native(Kind::Text)),
];
/// `continue: false` is ignored.
const GOES_ON: &[(&str, Power)] = &[
    ("continue", Power::Unheeded),
    ("stopReason", Power::Nothing),
    ("suppressOutput", Power::Nothing),
    ("systemMessage", Power::Says(Reach::Person)),
    ("terminalSequence", Power::Native(Kind::Text)),
];
const TERMINAL: &[(&str, Power)] = &[("terminalSequence", Power::Native(Kind::Text))];
const STOPS: &[(&str, Power)] = &[("continue", Power::Continue), ("stopReason", Power::Part)];
const MESSAGE: &[(&str, Power)] = &[("systemMessage", Power::Says(Reach::Person))];
const CONTEXT: &[(&str, Power)] = &[("additionalContext", Power::Says(Reach::Model))];
const WATCHES: &[(&str, Power)] = &[("watchPaths", Power::Native(Kind::List))];
const ELICITED: &[(&str, Power)] = &[
    ("action", Power::Elicited),
    ("content", Power::Native(Kind::Object)),
];

const REFUSED: Gate = Gate::Refused { erased: false };
const ERASED: Gate = Gate::Refused { erased: true };
const MANUAL: Reach = Reach::PersonIf("trigger", "manual");

const fn refusal(gate: Gate, to: Reach) -> Refusal {
    Refusal {
        gate,
        to,
        except: None,
    }
}

const fn block(gate: Gate, to: Reach) -> Decision {
    Decision {
        block: refusal(gate, to),
        approve: None,
    }
}

const fn exit_2(gate: Gate, to: Reach) -> Exit2 {
    Exit2::Refuses(refusal(gate, to))
}

/// A row that honours nothing, to be filled with what its event honours.
const fn silent(event: &'static str, exit_2: Exit2) -> Row {
    Row {
        event,
        common: &[],
        decision: None,
        exit_2,
        text: Text::DebugLog,
        specific: &[],
    }
}

/// The policy of the organisation is the one change of settings that no hook can refuse.
const fn unless_policy() -> Refusal {
    Refusal {
        gate: REFUSED,
        to: Reach::None,
        except: Some(("source", "policy_settings")),
    }
}

static ROWS: &[Row] = &[
    Row {
        common: GOES_ON,
        text: Text::Context,
        specific: &[
            ("additionalContext", Power::Says(Reach::Model)),
            ("initialUserMessage", Power::Native(Kind::Text)),
            ("sessionTitle", Power::Native(Kind::Text)),
            ("watchPaths", Power::Native(Kind::List)),
            ("reloadSkills", Power::Native(Kind::Flag)),
        ],
        ..silent("SessionStart", Exit2::Tells(Reach::Person))
    },
    Row {
        common: UNIVERSAL,
        specific: CONTEXT,
        ..silent("Setup", Exit2::Tells(Reach::Person))
    },
    Row {
        common: TERMINAL,
        ..silent("InstructionsLoaded", Exit2::Tells(Reach::None))
    },
    Row {
        common: UNIVERSAL,
        decision: Some(block(ERASED, Reach::Person)),
        text: Text::Context,
        specific: &[
            ("additionalContext", Power::Says(Reach::Model)),
            ("sessionTitle", Power::Native(Kind::Text)),
            ("suppressOriginalPrompt", Power::Native(Kind::Flag)),
        ],
        ..silent("UserPromptSubmit", exit_2(ERASED, Reach::Person))
    },
    Row {
        common: UNIVERSAL,
        decision: Some(block(REFUSED, Reach::Person)),
        text: Text::Context,
        specific: CONTEXT,
        ..silent("UserPromptExpansion", exit_2(REFUSED, Reach::Person))
    },
    Row {
        common: STOPS_AFTER,
        decision: Some(Decision {
            block: refusal(REFUSED, Reach::Model),
            approve: Some(Gate::RunsWithoutPrompt),
        }),
        specific: &[
            (
                "permissionDecision",
                Power::Permission(
                    &["allow", "deny", "ask", "defer"],
                    ReasonIn::PermissionDecisionReason,
                ),
            ),
            ("permissionDecisionReason", Power::Part),
            ("updatedInput", Power::Input),
            ("additionalContext", Power::Says(Reach::Model)),
        ],
        ..silent("PreToolUse", exit_2(REFUSED, Reach::Model))
    },
    Row {
        common: UNIVERSAL,
        decision: Some(block(REFUSED, Reach::Both)),
        specific: &[
            (
                "permissionDecision",
                Power::Vetoes(&["allow", "deny", "ask", "defer"]),
            ),
            ("permissionDecisionReason", Power::Part),
            ("updatedInput", Power::Spoils),
        ],
        ..silent("PreSkillShellCommand", exit_2(REFUSED, Reach::Both))
    },
    Row {
        common: UNIVERSAL,
        specific: &[("decision", Power::Dialog)],
        ..silent("PermissionRequest", Exit2::Tells(Reach::None))
    },
    Row {
        common: UNIVERSAL,
        specific: &[("retry", Power::Native(Kind::Flag))],
        ..silent("PermissionDenied", Exit2::Tells(Reach::None))
    },
    Row {
        common: UNIVERSAL,
        decision: Some(block(Gate::Runs, Reach::Model)),
        specific: &[
            ("additionalContext", Power::Says(Reach::Model)),
            ("updatedMCPToolOutput", Power::McpOutput),
            ("updatedToolOutput", Power::Output),
            ("classifierContext", Power::Native(Kind::Any)),
        ],
        ..silent("PostToolUse", exit_2(Gate::Runs, Reach::Model))
    },
    Row {
        common: UNIVERSAL,
        decision: Some(block(Gate::Runs, Reach::Model)),
        specific: CONTEXT,
        ..silent("PostToolUseFailure", exit_2(Gate::Runs, Reach::Model))
    },
    Row {
        common: UNIVERSAL,
        decision: Some(block(REFUSED, Reach::Both)),
        specific: CONTEXT,
        ..silent("PostToolBatch", exit_2(REFUSED, Reach::Both))
    },
    Row {
        common: TERMINAL,
        ..silent("Notification", Exit2::Tells(Reach::None))
    },
    Row {
        specific: &[("displayContent", Power::Native(Kind::Text))],
        ..silent("MessageDisplay", Exit2::Tells(Reach::None))
    },
    Row {
        common: UNIVERSAL,
        specific: CONTEXT,
        ..silent("SubagentStart", Exit2::Tells(Reach::Person))
    },
    Row {
        common: UNIVERSAL,
        decision: Some(block(Gate::KeepsWorking, Reach::Model)),
        specific: CONTEXT,
        ..silent(
            "SubagentStop",
            Exit2::RefusesIfFound(refusal(Gate::KeepsWorking, Reach::Model)),
        )
    },
    Row {
        decision: Some(block(REFUSED, Reach::Model)),
        ..silent("TaskCreated", exit_2(REFUSED, Reach::Model))
    },
    Row {
        common: STOPS,
        ..silent(
            "TaskCompleted",
            Exit2::RefusesIfFound(refusal(REFUSED, Reach::Model)),
        )
    },
    Row {
        common: UNIVERSAL,
        decision: Some(block(Gate::KeepsWorking, Reach::Model)),
        specific: &[("additionalContext", Power::SendsOn)],
        ..silent(
            "Stop",
            Exit2::RefusesIfFound(refusal(Gate::KeepsWorking, Reach::Model)),
        )
    },
    Row {
        common: TERMINAL,
        ..silent("StopFailure", Exit2::Tells(Reach::None))
    },
    Row {
        common: STOPS,
        ..silent("TeammateIdle", exit_2(Gate::KeepsWorking, Reach::Model))
    },
    Row {
        decision: Some(Decision {
            block: unless_policy(),
            approve: None,
        }),
        ..silent("ConfigChange", Exit2::Refuses(unless_policy()))
    },
    Row {
        common: MESSAGE,
        specific: WATCHES,
        ..silent("CwdChanged", Exit2::Tells(Reach::Person))
    },
    Row {
        common: &[(
            "systemMessage",
            Power::Says(Reach::ModelIf("source", "slash_command")),
        )],
        ..silent("DirectoryAdded", Exit2::Tells(Reach::None))
    },
    Row {
        common: MESSAGE,
        specific: WATCHES,
        ..silent("FileChanged", Exit2::Tells(Reach::Person))
    },
    Row {
        text: Text::WorktreePath,
        ..silent("WorktreeCreate", exit_2(REFUSED, Reach::Person))
    },
    silent("WorktreeRemove", Exit2::Tells(Reach::None)),
    Row {
        common: TERMINAL,
        decision: Some(block(REFUSED, MANUAL)),
        ..silent("PreCompact", exit_2(REFUSED, MANUAL))
    },
    Row {
        common: TERMINAL,
        ..silent("PostCompact", Exit2::Tells(Reach::Person))
    },
    Row {
        decision: Some(block(REFUSED, Reach::Person)),
        specific: &[(
            "permissionDecision",
            Power::Permission(&["allow", "deny", "ask"], ReasonIn::TopReason),
        )],
        ..silent("PreModelSwitch", exit_2(REFUSED, Reach::Person))
    },
    Row {
        text: Text::Context,
        specific: CONTEXT,
        ..silent("PostModelSwitch", Exit2::Tells(Reach::Person))
    },
    Row {
        specific: ELICITED,
        ..silent("Elicitation", exit_2(REFUSED, Reach::None))
    },
    Row {
        specific: ELICITED,
        ..silent("ElicitationResult", exit_2(REFUSED, Reach::None))
    },
    silent("SessionEnd", Exit2::Tells(Reach::Person)),
];
