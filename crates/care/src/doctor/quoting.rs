//! Checks whether the command line of an entry that names Anyhook can be parsed as ours.

use super::presence::Presence;
use super::{Check, Finding, Fix};

/// The row.
pub(super) const ROW: Check = Check {
    slug: "quoting",
    summary: "no entry means us and is written so that a shell runs something else",
    run,
};

fn run(seen: &Presence) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in &seen.files {
        for entry in file
            .entries
            .iter()
            .flatten()
            .filter(|entry| entry.own.is_none())
        {
            let commands = &entry.standing.found.commands;
            let Some(why) = commands.iter().find_map(|command| broken(command)) else {
                continue;
            };
            let what = format!(
                "the entry for `{}` is not read as anyhook's: {why}",
                entry.standing.found.event
            );
            let fix = Fix::by_hand(format!(
                "{}   # then take this line out by hand",
                Fix::install(seen.host.id(), file.scope).command
            ));
            findings.push(
                Finding::problem(
                    &ROW,
                    what,
                    "a shell runs something else than you mean, or nothing",
                    fix,
                )
                .at(&file.path, Some(entry.standing.line)),
            );
        }
    }
    findings
}

/// Says what is wrong with a line that means us; nothing where it means something else, also something that calls us.
fn broken(command: &str) -> Option<String> {
    let names = command.match_indices("anyhook");
    let mut splits =
        names.map(|(at, name)| (command.split_at(at).0, command.split_at(at + name.len()).1));
    let (before, after) = splits.find(|(_, after)| {
        // The program of older versions may leave `run` out.
        let is_old = after.starts_with("-run");
        let after = after
            .trim_start_matches("-run")
            .trim_start_matches(['\'', '"']);
        after.starts_with(" run ") || (is_old && after.starts_with(' '))
    })?;
    if !after.contains("--host") {
        return None;
    }
    for quote in ['\'', '"'] {
        if command.matches(quote).count() % 2 == 1 {
            return Some(format!("a quote ({quote}) is not closed"));
        }
    }
    let is_bare = !before.contains(['\'', '"', '=', ';', '&', '|']);
    let path = before.trim_start();
    let word = path.split_whitespace().next()?;
    (is_bare && path.contains(char::is_whitespace) && word.contains('/')).then(|| {
        format!(
            "there is a space in the path and no quotes around it, so a shell looks for `{word}`"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_means_us_and_cannot_work_says_why() {
        let run = "run Stop --host claude-code --deadline 60";
        assert_eq!(
            broken(&format!("/home/me/my anyhook/bin/anyhook {run}")).as_deref(),
            Some(
                "there is a space in the path and no quotes around it, so a shell looks for `/home/me/my`"
            )
        );
        assert_eq!(
            broken(&format!("'/home/me/my bin/anyhook {run}")).as_deref(),
            Some("a quote (') is not closed")
        );
        assert_eq!(
            broken(&format!("/home/me/my bin/anyhook-run {run}")).as_deref(),
            Some(
                "there is a space in the path and no quotes around it, so a shell looks for `/home/me/my`"
            )
        );
    }

    #[test]
    fn what_another_program_wrote_around_us_stays() {
        for line in [
            "./guard.sh && anyhook run Stop --host claude-code",
            "if true; then /opt/my bin/anyhook run Stop --host claude-code; fi",
            "anyhook say hello",
            "echo anyhook",
            "",
        ] {
            assert_eq!(broken(line), None, "{line}");
        }
    }
}
