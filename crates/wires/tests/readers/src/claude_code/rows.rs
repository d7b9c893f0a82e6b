//! The table, as `rows.txt` has it.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a table that cannot be read fails every test that asks it"
)]

use std::sync::LazyLock;

use super::{Decision, Exit2, Power, Reach, ReasonIn, Refusal, Row, Text};
use crate::Gate;
use crate::output::Kind;

/// Finds the row of a native event; names are case-sensitive.
pub(super) fn row(event: &str) -> Option<&'static Row> {
    ROWS.iter().find(|row| row.event == event)
}

static ROWS: LazyLock<Vec<Row>> = LazyLock::new(|| {
    let lines = include_str!("rows.txt").lines();
    lines
        .filter(|line| !line.starts_with('#'))
        .map(read)
        .collect()
});

fn read(line: &'static str) -> Row {
    let cells: Vec<&str> = line.split('|').map(str::trim).collect();
    let [event, common, decision, exit_2, text, specific] = cells[..] else {
        panic!("{line}")
    };
    let fields = |cell: &'static str| {
        let fields = cell.split_whitespace().filter(|field| *field != "-");
        let fields = fields.map(|field| field.split_once(':').unwrap());
        fields
            .map(|(name, power)| (name, self::power(power)))
            .collect()
    };
    let (block, approve) = match decision.strip_suffix(", may approve") {
        Some(block) => (block, Some(Gate::RunsWithoutPrompt)),
        None => (decision, None),
    };
    Row {
        event,
        common: fields(self::common(common)),
        decision: (block != "-").then(|| Decision {
            block: refusal(block),
            approve,
        }),
        exit_2: match exit_2.split_once(' ').unwrap() {
            ("refuses", rest) => Exit2::Refuses(refusal(rest)),
            ("if-found", rest) => Exit2::RefusesIfFound(refusal(rest)),
            (_, to) => Exit2::Tells(reach(to)),
        },
        text: match text {
            "context" => Text::Context,
            "worktree" => Text::WorktreePath,
            _ => Text::DebugLog,
        },
        specific: fields(specific),
    }
}

fn common(cell: &str) -> &'static str {
    match cell {
        "universal" => {
            "continue:continue stopReason:part suppressOutput:nothing systemMessage:person terminalSequence:text"
        }
        // `continue: false` stops the agent after the tool, which runs.
        "stops-after" => {
            "continue:continue-after stopReason:part suppressOutput:nothing systemMessage:person terminalSequence:text"
        }
        // `continue: false` is ignored.
        "goes-on" => {
            "continue:unheeded stopReason:nothing suppressOutput:nothing systemMessage:person terminalSequence:text"
        }
        "terminal" => "terminalSequence:text",
        "stops" => "continue:continue stopReason:part",
        "message" => "systemMessage:person",
        "to-slash" => "systemMessage:slash",
        _ => "-",
    }
}

fn power(word: &str) -> Power {
    match word {
        "continue" => Power::Continue,
        "continue-after" => Power::ContinueAfter,
        "unheeded" => Power::Unheeded,
        "nothing" => Power::Nothing,
        "part" => Power::Part,
        "says" => Power::Says(Reach::Model),
        "person" | "slash" => Power::Says(reach(word)),
        "sends-on" => Power::SendsOn,
        "text" => Power::Native(Kind::Text),
        "flag" => Power::Native(Kind::Flag),
        "list" => Power::Native(Kind::List),
        "object" => Power::Native(Kind::Object),
        "any" => Power::Native(Kind::Any),
        "permission" => Power::Permission(WORDS, ReasonIn::PermissionDecisionReason),
        "top-permission" => Power::Permission(&["allow", "deny", "ask"], ReasonIn::TopReason),
        "vetoes" => Power::Vetoes(WORDS),
        "input" => Power::Input,
        "spoils" => Power::Spoils,
        "output" => Power::Output,
        "mcp-output" => Power::McpOutput,
        "dialog" => Power::Dialog,
        "elicited" => Power::Elicited,
        other => panic!("{other} is no power"),
    }
}

const WORDS: &[&str] = &["allow", "deny", "ask", "defer"];

fn refusal(cell: &str) -> Refusal {
    let (gate, to) = cell.split_once(' ').unwrap();
    Refusal {
        gate: match gate {
            "refused" | "unless-policy" => Gate::Refused { erased: false },
            "erased" => Gate::Refused { erased: true },
            "goes-on" => Gate::KeepsWorking,
            "runs" => Gate::Runs,
            other => panic!("{other} is no gate"),
        },
        to: reach(to),
        except: (gate == "unless-policy").then_some(("source", "policy_settings")),
    }
}

fn reach(word: &str) -> Reach {
    match word {
        "none" => Reach::None,
        "model" => Reach::Model,
        "person" => Reach::Person,
        "both" => Reach::Both,
        "manual" => Reach::PersonIf("trigger", "manual"),
        "slash" => Reach::ModelIf("source", "slash_command"),
        other => panic!("{other} reaches no one"),
    }
}
