//! Matching a command line against a pattern.

use anyhook_effects::effect::{Effect, Kind, Object};
use anyhook_effects::places::{NoFiles, Places};
use anyhook_effects::shell;
use anyhook_effects::word::Word;
use fast_glob::glob_match;

use crate::rules::{Facts, When};

/// A longer line is not taken apart: every refusal about it holds.
const LONGEST: usize = 256 * 1024;

/// Tells whether a call is surely one plain command that a pattern approves, as `only_runs` of a rule does. `ls*` is `ls`
/// with any arguments, and neither `lsof` nor `ls` behind something else; `git status` is these two words and no more.
pub(super) fn approves(pattern: &str, line: &str, facts: &Facts<'_>) -> bool {
    let beginning = pattern.trim_end_matches('*').trim();
    let is_open = pattern.trim_end().ends_with('*');
    let [wanted, given] = [beginning, line].map(|text| text.split_whitespace().collect::<Vec<_>>());
    // Also as it is written: quotes within a word of a program are no way to spell it.
    let fits = given.starts_with(&wanted) && (is_open || given == wanted);
    if !fits || beginning.contains('*') {
        return false;
    }
    let rule = format!("only_runs({})", serde_json::Value::from(beginning));
    let decided = When::read(&rule).map(|rule| rule.decide(facts));
    decided.is_ok_and(|decided| decided.is_ok_and(|decided| decided.holds))
}

/// Tells whether anything in a line is what a pattern warns of: the line, one of its commands, or one behind `sudo`, `env`
/// and the like, however it is spelled. What cannot be read may be what it warns of.
pub(super) fn warns(pattern: &str, line: &str) -> bool {
    let pattern = pattern.split_whitespace().collect::<Vec<_>>().join(" ");
    let open = format!("{}*", pattern.trim_end_matches('*'));
    let is = |text: &str| {
        let text = text.replace('/', "\u{1}");
        let glob = |pattern: &str| glob_match(pattern.replace('/', "\u{1}"), &text);
        glob(&pattern) || glob(&open)
    };
    if line.len() > LONGEST || is(line.trim()) {
        return true;
    }
    let done = shell::read(line, &Places::default(), &NoFiles);
    let unread = |effect: &Effect| effect.kind == Kind::Exec && effect.object == Object::Unknown;
    let opaque = |effect: &Effect| matches!(effect.object, Object::Program { opaque: true, .. });
    let is_warned = |words: &[Word]| {
        let known: Vec<_> = words.iter().map_while(Word::known).collect();
        let text = known.join(" ");
        let text = match text.split_once(' ') {
            Some((program, rest)) => format!("{} {rest}", name(program)),
            None => name(&text).to_owned(),
        };
        // A word that cannot be read may be any word.
        is(&text) || (known.len() < words.len() && pattern.starts_with(&format!("{text} ")))
    };
    let program = pattern.split(' ').next().unwrap_or_default();
    let mut words = line.split(|c: char| !c.is_alphanumeric() && !"-_.+".contains(c));
    !done.readable
        || done.effects.iter().any(unread)
        || done.commands.iter().any(|command| is_warned(&command.words))
        // What a program runs whose code is not read may stand in its arguments.
        || done.effects.iter().any(opaque) && words.any(|word| glob_match(program, word))
}

fn name(program: &str) -> &str {
    program.rsplit('/').next().unwrap_or(program)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_warning_is_about_every_part_of_a_line() {
        for line in [
            "rm -rf x",
            "ls && rm -rf x",
            "ls\nrm -rf x",
            "sudo rm -rf x",
            "env A=1 /bin/rm -rf x",
            "bash -c 'rm -rf x'",
            "echo $(rm -rf x)",
            "echo `rm -rf x`",
            "r''m -rf x",
            "rm${IFS}-rf x",
            "xargs rm -rf",
            "ls | xargs -n1 rm -rf",
            "rm $FLAGS x",
            "$PROGRAM -rf x",
            "if rm -rf x",
            "ssh host 'rm -rf x'",
            "docker run it rm -rf x",
            "python3 -c 'import os; os.system(\"rm -rf x\")'",
            "eval \"$LINE\"",
        ] {
            assert!(warns("rm -rf", line), "{line}");
            assert!(warns("rm*", line), "{line}");
        }
        assert!(warns("*dropdb*", "ssh host 'dropdb x'"));
        for (pattern, line) in [
            ("rm -rf", "rm x"),
            ("rm*", "echo charm"),
            ("rm*", "# rm -rf x\nls"),
            ("rm*", "cat > a.md <<'EOF'\nrm -rf x\nEOF"),
            ("rm*", "git commit -m 'rm -rf x; it is gone'"),
            ("rm*", "grep -r rm ."),
            ("rm -rf", "ls $X"),
        ] {
            assert!(!warns(pattern, line), "{pattern}: {line}");
        }
    }
}
