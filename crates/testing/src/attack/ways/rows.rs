//! The rows of `rows.tsv`: lines that reach an effect, lines around them, other names of programs, calls of other tools.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use super::super::aim::{Aim, AttackCall, BASE};

/// A way to an effect, or a part of one: its name, and its text.
pub(super) type WayRow = (&'static str, String);

static SECTIONS: LazyLock<BTreeMap<&str, Vec<WayRow>>> = LazyLock::new(|| {
    let (mut sections, mut section) = (BTreeMap::<_, Vec<WayRow>>::new(), "");
    for line in include_str!("rows.tsv").lines() {
        if let Some(name) = line
            .strip_prefix('[')
            .and_then(|name| name.strip_suffix(']'))
        {
            section = name;
        } else if let Some((name, text)) = line.split_once('\t') {
            let text = text.replace('⏎', "\n").replace('⇥', "\t");
            sections.entry(section).or_default().push((name, text));
        }
    }
    sections
});

/// Returns the rows of a section: `around` are lines that run another line, `form` other ways to write a name, `program` other
/// names of the program that a line begins with. None where the table has no such section.
pub(super) fn section(name: &str) -> &'static [WayRow] {
    SECTIONS.get(name).map_or(&[], Vec::as_slice)
}

/// Lines that reach an aim; the first one is the plainest.
pub(super) fn makers(aim: &Aim) -> &'static [WayRow] {
    section(aim.word())
}

/// Calls of tools that reach an aim.
pub(super) fn tools(aim: &Aim) -> &'static [WayRow] {
    section(&format!("tools {}", aim.word()))
}

/// Makes the call of a row; nothing where it cannot name this target.
pub(super) fn call(row: &str, aim: &Aim) -> Option<AttackCall> {
    if row.contains("{b}") && aim.place().starts_with("home") {
        return None;
    }
    let (tool, input) = row.split_once(' ')?;
    let file = format!("{BASE}/{}", aim.place());
    let last = file.rsplit('/').next().unwrap_or_default();
    let input = input
        .replace("{p}", &file)
        .replace("{up}", &file.replace("/project/", "/project/sub/../"))
        .replace("{dots}", &file.replace("/project/", "/project//./"))
        .replace("{b}", last)
        .replace("{h}", aim.host());
    Some(AttackCall {
        tool: tool.to_owned(),
        input: serde_json::from_str(&input).ok()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_aim_has_lines_and_every_call_of_a_tool_can_be_made() {
        let file = || "project/.env".to_owned();
        let aims = [
            Aim::Removed(file()),
            Aim::Written(file()),
            Aim::Read(file()),
            Aim::Rewritten,
            Aim::Unpublished,
            Aim::Committed("main".to_owned()),
            Aim::Discarded,
            Aim::Connected("h".to_owned()),
            Aim::Ran,
            Aim::Published,
            Aim::Unchecked,
        ];
        for aim in &aims {
            assert!(makers(aim).len() >= 12, "{aim:?}");
            for (name, row) in tools(aim) {
                let call = call(row, aim).unwrap_or_else(|| panic!("{name}"));
                assert!(!call.input.to_string().contains("{p}"), "{name}");
            }
        }
        let sections: usize = aims
            .iter()
            .map(|aim| makers(aim).len() + tools(aim).len())
            .sum();
        let all: usize = SECTIONS.values().map(Vec::len).sum();
        assert_eq!(
            all,
            sections
                + ["around", "program", "form"]
                    .map(|name| section(name).len())
                    .iter()
                    .sum::<usize>()
        );
    }
}
