//! Verbs of git that change the files of a repository, throw work away or print names.

use super::call::Call;
use super::git::{discards, writes_tree};
use super::words;
use crate::command::{OutputShape, PrintedNames, ShellCommand};
use crate::effect::Certainty::{self, Exact, Likely};
use crate::effect::EffectKind;
use crate::places::is_plain;
use crate::word::{Part, Word};

/// `git checkout`: of a branch, or of paths.
pub(super) fn checkout(call: &mut Call<'_>) {
    let end = call.end_of_options();
    let operands = call.reading.operands.clone();
    let makes = call.has("b B orphan");
    if call.may("f B") {
        discards(call, if call.has("f") { Exact } else { Likely });
    }
    let mut is_tree = !makes || !operands.is_empty();
    for (at, operand) in operands.iter().enumerate() {
        let word = &operand.word;
        let is_path = match end {
            Some(end) => operand.at > end,
            None => !makes && (at > 0 || word.says(&["."])),
        };
        if is_path {
            is_tree = false;
            throws_away(call, word);
        } else if end.is_none() && !makes && !is_commit(word) {
            // `git checkout X` is a branch or a path: it may be both.
            for path in pathspec(call, word) {
                call.likely("Y", &path);
            }
        }
    }
    if call.may("pathspec-from-file") {
        throws_away(call, &Word::unknown());
    } else if is_tree {
        writes_tree(call, Likely);
    }
}

fn throws_away(call: &mut Call<'_>, path: &Word) {
    for path in pathspec(call, path) {
        call.likely("W", &path);
        call.does("Y", &path);
    }
}

/// What git takes for the name of files: a `*` in it also stands for folders, also where no shell fills it in, so it may be
/// all that is below the folder before it; magic (`:/`, `:!x`) may be all of a repository.
fn pathspec(call: &Call<'_>, word: &Word) -> Vec<Word> {
    if word.head().starts_with(':') {
        let all = super::git::repositories(call);
        let all: Vec<Word> = all
            .iter()
            .map(|folder| Word::text(folder.to_string_lossy()))
            .collect();
        return if all.is_empty() {
            vec![Word::unknown()]
        } else {
            all
        };
    }
    let mut before = String::new();
    for part in &word.parts {
        match part {
            Part::Text(text) => {
                let Some(at) = text.find(['*', '?', '[']) else {
                    before.push_str(text);
                    continue;
                };
                before.extend(text.get(..at));
            }
            Part::Glob(_) => {}
            Part::Of(_) | Part::Unknown | Part::Split => break,
        }
        let folder = before.rsplit_once('/').map_or(".", |(folder, _)| folder);
        return vec![Word::text(if folder.is_empty() { "/" } else { folder })];
    }
    vec![word.clone()]
}

/// Tells whether a word is a branch or a commit by its look, and no path.
fn is_commit(word: &Word) -> bool {
    word.known().is_some_and(|text| {
        let is_hash = text.len() >= 7 && text.chars().all(|letter| letter.is_ascii_hexdigit());
        is_hash
            || words::BRANCHES.contains(&text)
            || words::COMMIT_HEADS
                .iter()
                .any(|head| text.starts_with(head))
    })
}

/// `git restore`: of the index alone it throws nothing away.
pub(super) fn restore(call: &mut Call<'_>) {
    if call.has("S") && !call.may("W") {
        return;
    }
    for path in call.words() {
        throws_away(call, &path);
    }
    if call.may("pathspec-from-file") {
        throws_away(call, &Word::unknown());
    }
}

/// `git clean`: below the folder it runs in, or the paths that are named.
pub(super) fn clean(call: &mut Call<'_>) {
    let frees = |setting: &Word| {
        let key = setting.head().to_lowercase();
        key.starts_with("clean.requireforce")
    };
    let is_free = call.above.values("c").any(frees);
    if call.has("n") || !(is_free || call.may("f i") || call.reading.unreadable) {
        return;
    }
    let mut paths = call.words();
    if paths.is_empty() {
        paths.push(Word::text("."));
    }
    let sure = if call.has("f") {
        Likely
    } else {
        Certainty::Unknown
    };
    for path in paths
        .iter()
        .flat_map(|path| pathspec(call, path))
        .collect::<Vec<_>>()
    {
        call.letter('D', Some(&path), sure);
        call.letter('Y', Some(&path), sure);
    }
}

/// `git reset`: `--hard` and its kin throw changes away.
pub(super) fn reset(call: &mut Call<'_>) {
    for given in call.reading.given.clone() {
        if given.option.is_one_of("hard merge keep") {
            discards(call, given.certainty());
            writes_tree(call, given.certainty());
        }
    }
}

/// `git branch -D`, `git tag -d`, `git update-ref -d`: what they throw away has a name. `git branch -d` alone refuses a branch
/// that is not merged, so nothing is lost by it; of a branch of another place it does not ask that.
pub(super) fn forgets(call: &mut Call<'_>) {
    let asks = call.row.name() == "git branch" && !call.may("D f r");
    for given in call.reading.given.clone() {
        if given.option.is_one_of("D M f C") || given.option.is("d") && !asks {
            for word in call.words() {
                call.named(EffectKind::Discard, Some(&word), given.certainty());
            }
        }
    }
    names(call);
}

/// `git update-ref refs/heads/BRANCH COMMIT`.
pub(super) fn moves_ref(call: &mut Call<'_>) {
    forgets(call);
    let first = call.words().into_iter().next();
    if let Some(first) =
        first.filter(|word| word.head().starts_with("refs/heads/") && !call.may("d"))
    {
        super::git::moves_branch(call, &first);
    }
}

/// `jj bookmark set BRANCH`.
pub(super) fn moves_bookmark(call: &mut Call<'_>) {
    for word in call.words() {
        super::git::moves_branch(call, &word);
    }
}

/// `git grep`: outside of the index it reads every file below its folder.
pub(super) fn grep(call: &mut Call<'_>) {
    if let Some(name) = ["no-index", "untracked"].iter().find(|name| call.may(name)) {
        call.by_name(format!("git grep --{name}"), |call| {
            call.does("R", &Word::text("."));
        });
    }
    let has_pattern = call.may("e f");
    for word in call.words().iter().skip(usize::from(!has_pattern)) {
        reads(call, word);
    }
}

/// `git add`, which also reads what its words stand for.
pub(super) fn adds(call: &mut Call<'_>) {
    if call.words().is_empty() && call.may("A") {
        for folder in pathspec(call, &Word::text(":/")) {
            call.likely("R", &folder);
        }
    }
    for word in call.words() {
        for path in pathspec(call, &word) {
            if path != word {
                call.likely("R", &path);
            }
        }
    }
}

/// `git rm`: files and their copy in the index.
pub(super) fn removes(call: &mut Call<'_>) {
    if call.has("cached n") {
        return;
    }
    if call.may("pathspec-from-file") {
        call.unknown("d");
    }
    for word in call.words() {
        for path in pathspec(call, &word) {
            let tree = call.may("r") || path != word;
            call.does(if tree { "D" } else { "d" }, &path);
            if call.may("f") {
                call.act_path(EffectKind::Discard, &path, Exact, tree);
            }
        }
    }
}

/// Notes the file that an operand may name: a path, or one of a commit (`HEAD:FILE`). What git alone takes for a commit is
/// no file, and neither is a word of which nothing is known.
fn reads(call: &mut Call<'_>, word: &Word) {
    let Some(text) = word.known() else {
        let tells = |part: &Part| match part {
            Part::Text(text) => text.contains(char::is_alphanumeric),
            // Sets of letters alone are the names of commits.
            Part::Glob(glob) => glob.contains(['*', '?']),
            Part::Of(_) | Part::Unknown | Part::Split => false,
        };
        // `$BASE...HEAD` is commits, whatever stands in front.
        let is_range = matches!(word.parts.last(), Some(Part::Text(end)) if end.contains("..") && !end.contains(['/', ':']));
        if word.parts.iter().any(tells) && !is_range {
            call.letter('r', Some(word), Certainty::Unknown);
        }
        return;
    };
    let is_commit = text == "HEAD"
        || text.contains(['^', '~']) && !text.contains('/')
        || text.contains("@{")
        || text.contains("..") && !text.contains("../") && !text.ends_with("/..");
    let file = match text.rsplit_once(':') {
        Some((_, file)) => file,
        None if is_commit => return,
        None => text,
    };
    if !file.is_empty() && file != "." {
        call.likely("r", &Word::text(file));
    }
}

/// Says which names are printed, and notes the files whose text is.
pub(super) fn told(call: &mut Call<'_>) {
    let verb = call.name.split(' ').nth(1).unwrap_or_default();
    if words::SHOWN_BY_GIT.contains(&verb) {
        // `-L 1,9:FILE` shows lines of a file.
        for word in call.words().iter().chain(&call.values("L")) {
            reads(call, word);
        }
    }
    names(call);
}

/// Says which names are printed, where each word of the command is known and no variable is set for it.
fn names(call: &mut Call<'_>) {
    let words = Word::all_known(&call.command.words).unwrap_or_default();
    if !call.command.assigned.is_empty() || call.folders.len() != 1 {
        return;
    }
    let from = call.folders.clone();
    if asks_for_branch(call.command) {
        call.acts.shape = from.into_iter().next().map(OutputShape::Branch);
        return;
    }
    let one = match &*words {
        ["git", "rev-parse", rest @ ..] if is_head(rest) => Some(Word::of("*")),
        ["git", "merge-base", rest @ ..] if rest.iter().all(|word| !word.starts_with('-')) => {
            Some(Word::of("*"))
        }
        // The name of a tag may be that of a file, and begins with no dash.
        ["git", "describe", rest @ ..] if rest.iter().all(is_of_tags) => Some(Word::of("**/*")),
        _ => None,
    };
    if let Some(word) = one {
        call.acts.shape = Some(OutputShape::Text(word));
        return;
    }
    let mut commits = Vec::new();
    let (names, tracked) = match &*words {
        ["git", "ls-files", rest @ ..] => (of_index(rest), true),
        // Its names begin at the top of the repository.
        ["git", "diff", rest @ ..] if from == [call.places.project.clone()] => {
            let mut parts = rest.splitn(2, |word| *word == "--");
            let choosing = parts.next().unwrap_or_default();
            if !choosing.contains(&"--name-only") {
                return;
            }
            let limits = parts.next().unwrap_or_default();
            let names = of_index(limits);
            if !shows_only_tracked(choosing) && limits.is_empty() {
                let others = choosing.iter().filter(|word| !word.starts_with('-'));
                commits.extend(others.map(|word| (*word).to_owned()));
            }
            (names.filter(|_| choosing.iter().all(of_changes)), true)
        }
        ["git", "rev-list", rest @ ..] => (of_commits(rest), false),
        ["git", "log", rest @ ..] if rest.iter().any(|it| words::NAMES_OF_COMMITS.contains(it)) => {
            (of_commits(rest), false)
        }
        _ => return,
    };
    let below = if tracked { from.clone() } else { Vec::new() };
    let indexed = tracked && !words.iter().any(|word| matches!(*word, "-o" | "--others"));
    call.acts.shape = names.map(|names| {
        OutputShape::Names(PrintedNames {
            names,
            from,
            zeros: call.ends_with_zeros(),
            tracked,
            indexed,
            commits,
            below,
        })
    });
}

/// Whether a command prints the name of the branch that is checked out, and does nothing else.
pub(crate) fn asks_for_branch(command: &ShellCommand) -> bool {
    let known = Word::all_known(&command.words);
    known.is_some_and(|known| words::BRANCH_QUESTIONS.contains(&&*known.join(" ")))
}

/// Whether a command may check another branch out, or makes names mean other ones.
///
/// ```
/// use anyhook_effects::command::ShellCommand;
/// use anyhook_effects::programs::may_switch_branch;
/// use anyhook_effects::word::Word;
///
/// let may = |line: &str| {
///     let words = line.split(' ').map(Word::text).collect();
///     may_switch_branch(&ShellCommand::new(words, Vec::new()))
/// };
/// assert!(may("git rebase main") && may("gh pr checkout 7"));
/// assert!(!may("git commit -m x") && !may("ls"));
/// ```
pub fn may_switch_branch(command: &ShellCommand) -> bool {
    let name = command.program();
    let is_verb = |verbs| command.words.get(1).is_some_and(|verb| verb.says(verbs));
    // A fetch that names what it changes here.
    let names = |word: &Word| {
        let known = word.known();
        known.is_none_or(|word| word.contains(':') || word.starts_with("--refmap"))
    };
    let stays = || is_verb(words::STAYING) || asks_for_branch(command);
    words::OTHER_GIT.contains(&&*name)
        || name.starts_with("git")
            && (is_verb(&["fetch", "pull"]) && command.words.iter().any(names) || !stays())
}

/// Returns the branch that is checked out when a command is done, if it is one that surely does this.
///
/// ```
/// use anyhook_effects::command::ShellCommand;
/// use anyhook_effects::programs::switches_to;
/// use anyhook_effects::word::Word;
///
/// let branch = |line: &str| {
///     let words = line.split(' ').map(Word::text).collect();
///     switches_to(&ShellCommand::new(words, Vec::new()))
/// };
/// assert_eq!(branch("git checkout -b mine origin/main").as_deref(), Some("mine"));
/// assert_eq!(branch("git switch main").as_deref(), Some("main"));
/// assert_eq!(branch("git checkout main"), None, "it may be the name of a file");
/// ```
pub fn switches_to(command: &ShellCommand) -> Option<String> {
    let known = Word::all_known(&command.words)?;
    let (name, from) = match &*known {
        ["git", "switch", "-c" | "-C" | "--create", name, from @ ..]
        | ["git", "checkout", "-b" | "-B", name, from @ ..] => (name, from),
        ["git", "switch", name] => (name, &[][..]),
        _ => return None,
    };
    let is_name = |name: &&str| !name.starts_with(['-', '@', '+']);
    (from.len() < 2 && is_name(name) && from.iter().all(is_name)).then(|| (*name).to_owned())
}

/// Whether `git rev-parse` prints the name of the commit that is checked out, or of one before it.
fn is_head(words: &[&str]) -> bool {
    let is_commit = |word: &str| {
        let steps = word.strip_prefix("HEAD");
        steps.is_some_and(|steps| {
            steps
                .chars()
                .all(|c| c.is_ascii_digit() || "~^".contains(c))
        })
    };
    let (commits, others): (Vec<_>, Vec<_>) = words.iter().partition(|word| is_commit(word));
    commits.len() == 1
        && others
            .iter()
            .all(|word| matches!(*word, "--short" | "--verify"))
}

/// Whether a word of `git describe` leaves it at one name.
fn is_of_tags(word: &&str) -> bool {
    matches!(
        *word,
        "--tags" | "--abbrev=0" | "--always" | "HEAD" | "HEAD^"
    )
}

/// Whether `git diff` shows only what is in the index: beside a commit it shows what the index lacks as deleted, which may
/// still be on the disk.
fn shows_only_tracked(words: &[&str]) -> bool {
    let passes_deleted_over = |word: &&str| {
        word.strip_prefix("--diff-filter=").is_some_and(|kinds| {
            let names_kinds = kinds.contains(|letter: char| letter.is_ascii_uppercase());
            kinds.contains('d') || names_kinds && !kinds.contains(['D', '*'])
        })
    };
    words.iter().all(|word| word.starts_with('-')) || words.iter().any(passes_deleted_over)
}

/// Whether a word of `git diff` leaves it at files that are in the index: a choice of them, or a commit.
fn of_changes(word: &&str) -> bool {
    let is_commit = |letter: char| letter.is_ascii_alphanumeric() || "._/~^@{}-".contains(letter);
    matches!(
        *word,
        "--name-only" | "--cached" | "--staged" | "--merge-base"
    ) || word.starts_with("--diff-filter=")
        || !word.starts_with('-') && word.chars().all(is_commit)
}

/// All names of the index below the folder, or those of a file, a folder or an ending.
fn of_index(rest: &[&str]) -> Option<Vec<Word>> {
    // An empty text in front says that no name begins like an option.
    let mut all = Vec::new();
    for word in rest.iter().filter(|word| !words::LISTING.contains(word)) {
        let last = word.rsplit('/').next()?;
        let folder = word.strip_suffix(last)?;
        let is_known = |(at, part)| is_plain(part, at > 0) && part != "..";
        let mut names = folder.trim_end_matches('/').split('/').enumerate();
        if !folder.is_empty() && !names.all(is_known) {
            return None;
        }
        match last.strip_prefix("*.") {
            // The `*` of git stands for folders too.
            Some(end) if is_plain(end, true) => {
                let deeper = Word::name(folder, format!("**/{last}"));
                all.extend([Word::name(folder, last), deeper]);
            }
            None if is_plain(last, !folder.is_empty()) && last != ".." => {
                let below = Word::name(&format!("{}/", word.trim_end_matches('/')), "**");
                all.extend([Word::text(*word), below]);
            }
            _ if last == "*" => all.push(Word::name(folder, "**")),
            _ => return None,
        }
    }
    if all.is_empty() {
        all.push(Word::name("", "**"));
    }
    Some(all)
}

/// The names of commits.
fn of_commits(rest: &[&str]) -> Option<Vec<Word>> {
    let is_number = |text: &str| text.chars().all(|letter| letter.is_ascii_digit());
    let is_known = |word: &&str| {
        let count = ["--max-count=", "--skip=", "-n", "-"];
        let mut counts = count.iter().filter_map(|count| word.strip_prefix(count));
        words::COMMITS.contains(word) || !word.starts_with('-') || counts.any(is_number)
    };
    let name = Word::name("", "[0-9a-f]".repeat(40));
    rest.iter().all(is_known).then(|| vec![name])
}
