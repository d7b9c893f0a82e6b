//! Programs that find files or read words, and run a command for each: `find`, `fd`, `xargs`, `parallel`.

use super::call::Call;
use super::words;
use crate::command::{Input, OutputShape, PrintedNames, ShellCommand};
use crate::effect::Certainty::Likely;
use crate::effect::Target;
use crate::places::{objects, tidy};
use crate::word::{Part, Word};

/// What `find` was asked for: roots, then tests and actions.
struct FindQuery {
    roots: Vec<Word>,
    tests: Vec<Word>,
}

impl FindQuery {
    /// What an action at this place works on, from each root as it is written.
    fn found(&self, action: usize) -> Vec<Word> {
        let names = self.names(action);
        let found = |root: &Word| found(root, root, names.as_deref());
        self.roots.iter().flat_map(found).collect()
    }

    /// What is printed, from each root as it is written.
    fn printed(&self) -> Vec<Word> {
        let chains = self.chains(self.tests.len());
        let printed = |chains: NameTests| {
            let is_told = chains.printed.is_empty();
            in_one(if is_told { chains.open } else { chains.printed })
        };
        let names = chains.and_then(printed);
        let all = |root: &Word| found(root, root, names.as_deref());
        self.roots.iter().flat_map(all).collect()
    }

    /// The names of the files that come to an action at this place, where the tests in a row before it say them; None where a
    /// file may have any.
    fn names(&self, action: usize) -> NameFilter {
        self.chains(action)?.open.pop()?
    }

    /// The tests up to this place. Nothing where a word cannot be read.
    fn chains(&self, end: usize) -> Option<NameTests> {
        let known: Option<Vec<_>> = self.tests.get(..end)?.iter().map(Word::known).collect();
        let mut words = known?.into_iter();
        let mut chains: Vec<NameFilter> = vec![None];
        let (mut around, mut printed) = (Vec::new(), Vec::new());
        let mut is_denied = false;
        while let Some(word) = words.next() {
            let mut names = None;
            match word {
                "!" | "-not" => {
                    is_denied = !is_denied;
                    continue;
                }
                "-o" | "-or" | "," => chains.push(None),
                "(" => {
                    around.push((std::mem::replace(&mut chains, vec![None]), is_denied));
                    is_denied = false;
                    continue;
                }
                ")" => {
                    let (outer, denied) = around.pop()?;
                    names = in_one(std::mem::replace(&mut chains, outer));
                    is_denied = denied;
                }
                "-name" => names = name_of_some(words.next()?),
                "-print" | "-print0" => printed.extend(chains.last().cloned()),
                text if words::FIND_RUNS.contains(&text) => {
                    let inner = self.command_behind(end - words.len());
                    _ = words.nth(inner.len());
                }
                "-fprintf" => _ = words.nth(1),
                text if takes_value(text) => _ = words.next(),
                _ => {}
            }
            if let Some(chain) = chains.last_mut().filter(|_| !is_denied) {
                *chain = chain.take().or(names);
            }
            is_denied = false;
        }
        Some(NameTests {
            open: chains,
            printed,
        })
    }

    /// The words of the command that begins at this place: up to a `;`, or to a `+` behind `{}`.
    fn command_behind(&self, at: usize) -> &[Word] {
        let words = self.tests.get(at..).unwrap_or_default();
        let is_end = |at: &usize| {
            let before = at.checked_sub(1).and_then(|at| words.get(at));
            words.get(*at).is_some_and(|word| {
                word.says(&[";"]) || word.says(&["+"]) && before.is_some_and(|it| it.says(&["{}"]))
            })
        };
        let end = (0..words.len()).find(is_end);
        words.get(..end.unwrap_or(words.len())).unwrap_or_default()
    }
}

/// The names that tests in a row ask for; what is not to be found makes them fewer.
struct NameTests {
    /// Of each alternative in the innermost brackets that are open.
    open: Vec<NameFilter>,
    /// Of what is printed by name.
    printed: Vec<NameFilter>,
}

/// Names that files have; None for any.
type NameFilter = Option<Vec<String>>;

/// The names of alternatives together.
fn in_one(chains: Vec<NameFilter>) -> NameFilter {
    let all: Option<Vec<Vec<String>>> = chains.into_iter().collect();
    all.map(|all| all.concat())
}

/// The name that `-name` asks for; one of marks alone is that of every file.
fn name_of_some(name: &str) -> NameFilter {
    let mut sets = name.split('[');
    let first = sets.next().into_iter();
    let outside: Option<Vec<&str>> = sets.map(|set| Some(set.split_once(']')?.1)).collect();
    let mut outside = first.chain(outside?);
    let has_letters = outside.any(|part| part.contains(|letter| !matches!(letter, '*' | '?')));
    (has_letters || !name.contains('*') || name.ends_with('~')).then(|| vec![name.to_owned()])
}

/// Tells whether the word behind a test of `find` is its value.
fn takes_value(test: &str) -> bool {
    let lists = [words::FIND_TAKES, words::FIND_WRITES, words::FIND_READS];
    lists.iter().any(|list| list.contains(&test))
}

pub(super) fn find(call: &mut Call<'_>) {
    let is_link = |word: &Word| word.says(&["-L", "-P", "-H"]);
    let mut roots: Vec<Word> = call.words_from(1).into_iter().skip_while(is_link).collect();
    let follows = roots.len() + 1 < call.command.words.len();
    let is_test = |word: &Word| word.head().starts_with(['-', '(', '!']);
    let end = roots.iter().position(is_test).unwrap_or(roots.len());
    let tests = roots.split_off(end);
    let unreadable =
        |word: &Word| word.parts.len() == 1 && !matches!(word.parts.first(), Some(Part::Text(_)));
    let may_act = roots.iter().chain(&tests).any(Word::splits)
        || tests.is_empty() && roots.iter().any(unreadable);
    if roots.is_empty() {
        roots.push(Word::text("."));
    }
    for root in &roots {
        call.does("R", root);
    }
    if may_act {
        call.unknown("d");
        call.may_run_code();
    }
    // What it follows leads elsewhere.
    let is_led = call
        .command
        .words
        .iter()
        .any(|word| word.says(&["-L", "-follow"]));
    if is_led
        && tests
            .iter()
            .any(|word| word.says(&["-delete", "-exec", "-execdir", "-ok", "-okdir"]))
    {
        call.unknown("d");
    }
    let search = FindQuery { roots, tests };
    actions(call, &search);
    let is_other = |word: &Word| {
        let is_value = |name: &str| name.starts_with(|letter: char| letter.is_ascii_digit());
        word.known().is_none_or(|text| {
            let name = text.strip_prefix('-').filter(|name| !is_value(name));
            name.is_some_and(|_| !words::FIND_NAMES.contains(&text))
        })
    };
    if !follows && !search.tests.iter().chain(&search.roots).any(is_other) {
        call.lists(&search.roots, search.printed());
    }
}

fn actions(call: &mut Call<'_>, search: &FindQuery) {
    let own = call.name.clone();
    let mut tests = search.tests.iter().enumerate();
    while let Some((at, word)) = tests.next() {
        let text = word.known().unwrap_or_default();
        call.name = format!("{own} {text}");
        match text {
            "-delete" if search.names(at).is_some() => {
                for word in search.found(at) {
                    call.likely("d", &word);
                }
            }
            "-delete" => search.roots.iter().for_each(|root| call.likely("D", root)),
            text if words::FIND_RUNS.contains(&text) => {
                let inner = search.command_behind(at + 1);
                let _end = tests.nth(inner.len());
                executed(call, search, at, inner);
            }
            text if words::FIND_WRITES.contains(&text) => {
                if let Some((_, file)) = tests.next() {
                    call.does("w", file);
                }
            }
            text if words::FIND_READS.contains(&text) => {
                if let Some((_, file)) = tests.next() {
                    call.does("r", file);
                }
            }
            text if words::FIND_TAKES.contains(&text) => drop(tests.next()),
            _ => {}
        }
    }
    call.name = own;
}

/// What is found from a root, which is written as `at`: all below it, or what has one of these names; the root itself too, if
/// it may have the name. A root that is `.` is left out: no program removes that.
fn found(root: &Word, at: &Word, names: Option<&[String]>) -> Vec<Word> {
    let here = at.below(&Word::default());
    let patterns = |name: &String| match name.strip_prefix(['*', '?']) {
        // The first mark stands for a dot too, which one of a shell does not.
        Some(rest) if name.starts_with('*') => vec![here.with_pattern(format!("**{rest}"))],
        Some(_) => vec![here.with_pattern(format!("**{name}"))],
        None => vec![
            here.with_pattern(name),
            here.with_pattern(format!("**/{name}")),
        ],
    };
    let mut words = match names {
        Some(names) => names.iter().flat_map(patterns).collect(),
        None => vec![here.with_pattern("**")],
    };
    let text = root.known();
    let own = text.and_then(|text| text.rsplit('/').next());
    let is_folder = matches!(own, Some("" | "." | ".."));
    let may_be = |own: &str| names.is_none_or(|names| names.iter().any(|name| may_have(own, name)));
    if !is_folder && own.is_none_or(may_be) {
        words.push(at.clone());
    }
    words
}

/// Tells whether a name may match the pattern of `-name`.
fn may_have(own: &str, name: &str) -> bool {
    match name.split_once('*').zip(name.rsplit_once('*')) {
        _ if name.contains(['?', '[', '\\']) => true,
        Some(((head, _), (_, tail))) => own.starts_with(head) && own.ends_with(tail),
        None => own == name,
    }
}

/// Runs the words of `-exec` with what matches below the roots in place of `{}`.
fn executed(call: &mut Call<'_>, search: &FindQuery, tests: usize, inner: &[Word]) {
    let folders = call.folders.clone();
    if call.name.ends_with("dir") {
        // It runs in the folder of each file, so words without `{}` mean other files each time.
        call.folders = Vec::new();
    }
    let names = search.names(tests);
    for root in &search.roots {
        let absolute = objects(root, &folders)
            .into_iter()
            .map(|(object, _)| match object {
                Target::Path(path) => Some(Word::text(tidy(&path).to_string_lossy())),
                _ => None,
            });
        let absolute: Option<Vec<Word>> = absolute.collect();
        let all = |at: &Word| found(root, at, names.as_deref());
        let each = match absolute.filter(|places| !places.is_empty()) {
            Some(places) => places.iter().flat_map(all).collect(),
            None => vec![Word::unknown()],
        };
        for found in each {
            let filled = inner.iter().map(|word| in_place(word, "{}", &found));
            call.run(filled.collect());
        }
    }
    call.folders = folders;
}

/// `fd -x` takes all words behind it: a name follows them, or stands in place of `{}`.
pub(super) fn fd(call: &mut Call<'_>) {
    const RUNNING: &[&str] = &["-x", "-X", "--exec", "--exec-batch"];
    let words = &call.command.words;
    let runs = |word: &Word| word.says(RUNNING);
    if let Some(at) = words.iter().position(runs) {
        let mut inner = call.words_from(at + 1);
        let found = found_by_fd(words.get(1..at).unwrap_or_default());
        call.acts.runs.clear();
        // Other marks, such as `{.}`, stand for a part of a name.
        let is_other = |word: &Word| {
            word.known()
                .is_none_or(|text| text.replace("{}", "").contains('{'))
        };
        let found = found.filter(|_| !inner.iter().any(is_other));
        let found = found.unwrap_or_else(|| vec![Word::split()]);
        let has_mark = |word: &Word| word.known().is_some_and(|text| text.contains('{'));
        if inner.iter().any(has_mark) {
            for name in &found {
                let filled = inner.iter().map(|word| in_place(word, "{}", name));
                call.run(filled.collect());
            }
        } else {
            inner.extend(found);
            call.run(inner);
        }
    }
    if call.reading.operands.len() < 2 {
        call.likely("R", &Word::text("."));
    }
}

/// What `fd` finds below the folder that it runs in: all, or what has one of these endings. None where other options or
/// folders are named before the command.
fn found_by_fd(own: &[Word]) -> Option<Vec<Word>> {
    let here = Word::text(".");
    let (mut names, mut patterns) = (Vec::new(), 0);
    let mut own = own.iter();
    while let Some(word) = own.next() {
        match word.known() {
            Some("-e" | "--extension") => names.push(format!("*.{}", own.next()?.known()?)),
            Some(text) if !text.starts_with('-') && patterns == 0 => patterns += 1,
            _ => return None,
        }
    }
    let names = Some(&*names).filter(|names| !names.is_empty());
    Some(found(&here, &here, names))
}

/// `ls` of one folder prints the names in it, which begin with no dot; of a file its own.
pub(super) fn listed(call: &mut Call<'_>) {
    let operands = call.words();
    let is_usual = call.has_only(&["1", "t", "r", "S", "U", "X"]);
    if call.name != "ls" || !is_usual || operands.len() > 1 {
        return;
    }
    // None of them begins like an option, or with a dot.
    let inside = Word::name("", "[^.]*");
    // A pattern stands for names of the folder in front of it, or of the one it runs in.
    let above = |word: &Word| match &*word.parts {
        [.., Part::Glob(glob), Part::Text(end)] if !end.contains('/') && !glob.contains('/') => {
            let (above, _) = word.head().rsplit_once('/').unwrap_or((".", ""));
            (word.parts.len() < 4).then(|| Word::text(above))
        }
        _ => None,
    };
    let folder = match operands.first() {
        Some(word) => above(word).unwrap_or_else(|| word.clone()),
        None => Word::text("."),
    };
    let names = operands.into_iter().chain([inside]).collect();
    call.lists(&[folder], names);
}

/// What a program prints that passes on some lines of its input as they are, where these are names.
pub(super) fn narrowed(command: &ShellCommand) -> Option<OutputShape> {
    let Input::Unknown { names, zeros, .. } = &command.input else {
        return None;
    };
    let reading = super::called(&command.words).reading;
    let (letters, operands) = match command.words.first()?.known()? {
        "grep" => ("EFGPviwx", 1),
        "head" | "tail" => ("n0123456789", 0),
        "sort" | "uniq" => ("ruf", 0),
        _ => return None,
    };
    let is_usual = |name: &str| {
        name.trim_start_matches('-')
            .chars()
            .all(|it| letters.contains(it))
    };
    let given = reading.given.iter().map(|given| given.option.written());
    let mut options = given.chain(reading.unlisted.iter().cloned());
    let passes = reading.operands.len() == operands && options.all(|option| is_usual(&option));
    let lists = || PrintedNames {
        zeros: *zeros,
        ..PrintedNames::of(names.clone(), &command.folders)
    };
    (passes && !names.is_empty()).then(|| OutputShape::Names(lists()))
}

/// Words of the input follow the known ones, or stand in place of a mark.
pub(super) fn xargs(call: &mut Call<'_>) {
    let mark = call.values("I replace J").pop();
    let mark = mark.and_then(|word| Some(word.known()?.to_owned()));
    let mark = mark.or_else(|| call.may("replace").then(|| "{}".to_owned()));
    let mut inner = call.rest();
    let own = call.command.words.len() - inner.len();
    let found = names_for(call, own, mark.as_deref());
    let reads_nothing = ShellCommand {
        input: Input::Inherited,
        assigned: Vec::new(),
        ..call.command.clone()
    };
    let Some(mark) = mark else {
        if found.is_some() && matches!(call.command.input, Input::Unknown { .. }) {
            // Where nothing is found, it runs the command without a name.
            call.run_as(ShellCommand {
                certainty: Likely.min(call.command.certainty),
                ..reads_nothing.with(inner.clone())
            });
        }
        if !inner.is_empty() {
            inner.extend(found.unwrap_or_else(|| vec![Word::split()]));
        }
        return call.run_as(reads_nothing.with(inner));
    };
    for name in found.unwrap_or_else(|| vec![Word::unknown()]) {
        let filled = inner.iter().map(|word| in_place(word, &mark, &name));
        call.run_as(reads_nothing.with(filled.collect()));
    }
}

/// The words that `xargs` takes from its input, where no option but these says what one of them is.
fn names_for(call: &Call<'_>, own: usize, mark: Option<&str>) -> Option<Vec<Word>> {
    let marked = mark.unwrap_or_default();
    let joined = format!("-I{marked}");
    let (options, inner) = call.command.words.split_at_checked(own).unwrap_or_default();
    let is_number = |word: &Word| {
        let text = word.known().unwrap_or_default();
        let digits = text.trim_start_matches("-n").trim_start_matches("-P");
        !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit())
    };
    let mut options_of = options.iter().skip(1);
    let is_usual = options_of.all(|word| {
        word.says(words::XARGS_USUAL) || word.says(&[marked, &joined]) || is_number(word)
    });
    let is_told = inner.first().is_some_and(|word| !word.head().is_empty());
    match &call.command.input {
        Input::Unknown { names, .. } if is_usual && is_told && !names.is_empty() => {
            Some(names.clone())
        }
        Input::Text(text)
            if own == 1 && is_told && mark.is_none() && !text.contains(['\'', '"', '\\']) =>
        {
            Some(text.split_whitespace().map(Word::text).collect())
        }
        _ => None,
    }
}

/// A word with a name in each place of the mark.
fn in_place(word: &Word, mark: &str, name: &Word) -> Word {
    let Some(text) = word.known().filter(|text| text.contains(mark)) else {
        return word.clone();
    };
    let pieces: Vec<Word> = text.split(mark).map(Word::text).collect();
    let between = |(at, piece)| {
        if at == 0 {
            vec![piece]
        } else {
            vec![name, piece]
        }
    };
    let all: Vec<&Word> = pieces.iter().enumerate().flat_map(between).collect();
    Word::joined(&all)
}
