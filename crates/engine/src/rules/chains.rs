//! Shell lines of which every command is on a list: `only_runs('@reading')`.
//!
//! It approves, so it takes little: what [`visit::chain`] does. Anything else, and any option that its row does not have, is no
//! approval.

use std::path::{Component, Path, PathBuf};

use anyhook_effects::effect::{Certainty, EffectKind, Target};
use anyhook_effects::shell::visit;

use super::Facts;
use super::objects;
use super::paths::EventFolders;

const COMMON: &str = include_str!("chains/common.txt");

/// The lists by their names.
pub(super) const LISTS: &[(&str, &str)] = &[
    ("@reading", include_str!("chains/reading.txt")),
    ("@building", include_str!("chains/building.txt")),
];

/// What stands in a word for what a command prints.
const PRINTED: &str = "${?}";

/// Tells whether a part of a word is what a command prints.
fn is_printed(word: &str) -> bool {
    word.contains(PRINTED)
}

/// A row of a list: the words that a command begins with, and what may follow.
struct ChainRow<'t> {
    beginning: &'t str,
    options: &'t str,
}

fn rows(text: &str) -> impl Iterator<Item = ChainRow<'_>> {
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines.filter_map(|line| {
        let (beginning, options) = line.split_once(" :")?;
        Some(ChainRow { beginning, options })
    })
}

impl ChainRow<'_> {
    fn begins(&self, words: &[String]) -> bool {
        let fits = |wanted: &str, word: &String| {
            let mut any = wanted.split('|');
            !is_printed(word)
                && any.any(|one| match one.strip_suffix('*') {
                    Some(head) => !word.starts_with('-') && word.starts_with(head),
                    None => one == word,
                })
        };
        let mut words = words.iter();
        let mut beginning = self.beginning.split_whitespace();
        beginning.all(|wanted| words.next().is_some_and(|word| fits(wanted, word)))
    }

    fn has(&self, option: &str) -> bool {
        self.options.split_whitespace().any(|one| one == option)
    }

    /// Tells whether all that follows the beginning is on the row, and no word names a file elsewhere.
    fn allows(&self, words: &[String], place: &LineFolders<'_>) -> bool {
        let beginning = self.beginning.split_whitespace().count();
        let rest = words.get(beginning..).unwrap_or_default();
        if self.has("@text") {
            let is_text = |word: &String| is_printed(word) || !word.starts_with('-');
            return rest
                .iter()
                .all(|word| is_text(word) || self.is_option(word));
        }
        let is_operand = |word: &&String| !word.starts_with('-') || *word == "-";
        let operands: Vec<&String> = rest.iter().filter(is_operand).collect();
        let most = ["@0", "@1"].iter().position(|most| self.has(most));
        let is_line = |word: &&String| word.chars().all(|letter| "0123456789,$p;".contains(letter));
        let is_free = |word: &String| {
            let options = self.options.split_whitespace();
            let mut forbidden = options.filter_map(|one| one.strip_prefix('!'));
            !forbidden.any(|part| word.contains(part))
        };
        most.is_none_or(|most| operands.len() <= most)
            && (!self.has("@lines") || operands.first().is_some_and(is_line))
            && (!self.has("@format") || operands.iter().all(|word| word.starts_with('+')))
            && rest.iter().all(|word| {
                !is_printed(word)
                    && is_free(word)
                    && place.holds(word)
                    && (is_operand(&word) || self.is_option(word))
            })
    }

    /// Tells whether the row has an option: `--name` or `-name` as it stands, else each letter of `-abc`, of which one with a
    /// `:` takes the rest for its value.
    fn is_option(&self, word: &str) -> bool {
        let name = word.split_once('=').map_or(word, |(name, _)| name);
        if word == "--" || self.has(name) {
            return true;
        }
        let mut letters = word.chars().skip(1).peekable();
        if letters.peek() == Some(&'-') {
            return false;
        }
        let is_count = word.chars().skip(1).all(|letter| letter.is_ascii_digit());
        if is_count {
            return self.has("-#");
        }
        for letter in letters {
            if self.has(&format!("-{letter}:")) {
                return true;
            }
            if !self.has(&format!("-{letter}")) {
                return false;
            }
        }
        true
    }
}

/// Where the words of a line are seen from.
struct LineFolders<'f> {
    folders: &'f EventFolders,
    /// The folder of the event, and the one that a `cd` leads to, which may fail.
    cwds: Vec<PathBuf>,
}

impl LineFolders<'_> {
    /// Tells whether a word, and each part of it that may be a path, is in the project and no secret.
    fn holds(&self, word: &str) -> bool {
        let glued = word.strip_prefix('-').and_then(|rest| rest.get(1..));
        let parts = word.split(['=', ':', ',']).chain(glued).chain([word]);
        parts.into_iter().all(|part| self.holds_path(part))
    }

    fn holds_path(&self, part: &str) -> bool {
        let is_out = part.starts_with('~')
            || Path::new(part)
                .components()
                .any(|part| part == Component::ParentDir);
        let mut paths = self.cwds.iter().map(|cwd| cwd.join(part));
        !is_out && part.len() < 4096 && paths.all(|path| self.is_free(&path))
    }

    fn is_free(&self, path: &Path) -> bool {
        self.folders.is_inside(path, "./**")
            && (!self.folders.path_matches_any(path, secrets())
                || spared().any(|one| self.folders.is_inside(path, one)))
    }
}

fn listed(kind: &'static str) -> impl Iterator<Item = &'static str> {
    let lines = COMMON
        .lines()
        .filter_map(move |line| line.strip_prefix(kind));
    lines.flat_map(str::split_whitespace)
}

fn secrets() -> impl Iterator<Item = &'static str> {
    listed("secret: ").filter(|one| !one.starts_with('!'))
}

fn spared() -> impl Iterator<Item = &'static str> {
    listed("secret: ").filter_map(|one| one.strip_prefix('!'))
}

/// Tells whether every command of a line is on one of these lists, and the reader of lines finds nothing else in it.
pub(super) fn only_runs(facts: &Facts<'_>, line: &str, lists: &[&str]) -> bool {
    // The commands of a line, those in substitutions included; nothing where a part of it is not read here.
    let Some(commands) = visit::chain(line.trim()) else {
        return false;
    };
    let mut place = LineFolders {
        folders: facts.folders(),
        cwds: vec![facts.folders().cwd.clone()],
    };
    let listed = commands.iter().enumerate().all(|(at, command)| {
        let words = without_settings(&command.words);
        let [program, rest @ ..] = words else {
            return false;
        };
        if program == "cd" && at == 0 {
            let [folder] = rest else { return false };
            let held = !is_printed(folder) && !folder.starts_with('-') && place.holds(folder);
            place.cwds.push(facts.folders().cwd.join(folder));
            return held;
        }
        // The settings of a repository in a folder below name programs.
        let is_moved = place.cwds.len() > 1 && matches!(&**program, "git" | "gh");
        let mut all = lists.iter().flat_map(|list| rows(list));
        !is_moved && all.any(|row| row.begins(words) && row.allows(words, &place))
    });
    listed && place.holds(".") && is_harmless(facts)
}

/// The words behind assignments that change nothing but how a program prints.
fn without_settings(words: &[String]) -> &[String] {
    let is_setting = |word: &String| {
        let parts = word.split_once('=').filter(|_| !is_printed(word));
        let is_plain =
            |letter: char| letter.is_ascii_alphanumeric() || letter == '-' || letter == '.';
        parts.is_some_and(|(name, value)| {
            listed("setting: ").any(|one| one == name) && value.chars().all(is_plain)
        })
    };
    let from = words.iter().take_while(|word| is_setting(word)).count();
    words.get(from..).unwrap_or_default()
}

/// Tells whether the reader of lines knows all effects, and each of them stays in the project, away from secrets.
fn is_harmless(facts: &Facts<'_>) -> bool {
    let patterns: Vec<String> = listed("secret: ").map(str::to_owned).collect();
    let inside = |effect| objects::is_inside(effect, "./**", facts.folders());
    let is_nothing =
        |object: &Target| matches!(object, Target::Path(path) if path == Path::new("/dev/null"));
    let missed = facts.walks.missed();
    let touches = facts.touched(&patterns, &[]).is_some();
    // A folder that was not looked at yet may hold a secret.
    facts.call().readable
        && !touches
        && facts.walks.missed() == missed
        && facts.call().effects.iter().all(|effect| match effect.kind {
            EffectKind::Exec => effect.object != Target::Unknown,
            // The settings of a program name the machine, so its name is not known.
            EffectKind::Net => effect.certainty != Certainty::Unknown,
            EffectKind::Read | EffectKind::Write => is_nothing(&effect.object) || inside(effect),
            _ => false,
        })
}
