//! Programs whose arguments are a small program of their own: `find`, `fd`, `sed`, `awk`.

use super::call::Call;
use super::{Program, row};
use crate::effect::{Certainty, Effect, Kind, Object};
use crate::places::objects;
use crate::word::{Part, Word};

pub(super) static ROWS: &[Program] = &[
    row("xargs|gxargs", "+ 0,null a,arg-file:r d,delimiter: E: e,eof? I: i,replace? J: L,max-lines: l? n,max-args: o,open-tty P,max-procs: p,interactive process-slot-var: R: r,no-run-if-empty S: s,max-chars: t,verbose x,exit show-limits", "").more(xargs),
    row("parallel|sem|env_parallel", "+ 0,null a,arg-file:r d,delimiter: I: j,jobs: k,keep-order L: l? n,max-args: N: P,max-procs: q,quote S,sshlogin:n results:W joblog:w tmpdir:W C,colsep: X m t,verbose u,ungroup bar progress eta dry-run!0 load: delay: timeout: retries: halt: workdir,wd:/ env: tag lb,line-buffer pipe block: recstart: recend: shebang arg-sep: will-cite transfer return: cleanup basefile: trc: profile: no-notice plain", "").more(parallel),
];

/// What `find` does to what it finds; each takes so many words.
const FILES_OF_FIND: &[(&str, Kind)] = &[
    ("-fprint", Kind::Write),
    ("-fprint0", Kind::Write),
    ("-fls", Kind::Write),
    ("-fprintf", Kind::Write),
    ("-newer", Kind::Read),
    ("-anewer", Kind::Read),
    ("-cnewer", Kind::Read),
    ("-samefile", Kind::Read),
    ("-files0-from", Kind::Read),
];

/// Roots, then tests and actions.
pub(super) fn find(call: &mut Call<'_>) {
    let words: Vec<Word> = call.command.words.iter().skip(1).cloned().collect();
    let is_test = |word: &Word| {
        let head = word.head();
        head.starts_with('-') || head.starts_with('(') || head.starts_with('!')
    };
    let links = |word: &&Word| matches!(word.known().as_deref(), Some("-L" | "-P" | "-H"));
    let first = words.iter().take_while(links).count();
    let rest = words.get(first..).unwrap_or_default();
    let end = rest.iter().position(is_test).unwrap_or(rest.len());
    let (roots, tests) = rest.split_at(end);
    let mut roots = roots.to_vec();
    if roots.is_empty() {
        roots.push(Word::text("."));
    }
    for root in &roots {
        call.act_path(Kind::Read, root, Certainty::Exact, true);
    }
    let unreadable = |word: &Word| !matches!(word.parts.first(), None | Some(Part::Text(_)));
    let may_act = rest.iter().any(|word| {
        word.parts.contains(&Part::Split)
            || (unreadable(word) && word.parts.len() == 1 && tests.is_empty())
    });
    if may_act {
        call.effect(Kind::Delete, Object::Unknown, Certainty::Unknown);
        call.may_run_code();
    }
    actions(call, &roots, tests);
}

fn actions(call: &mut Call<'_>, roots: &[Word], tests: &[Word]) {
    let own = call.name.clone();
    let mut at = 0;
    while let Some(word) = tests.get(at) {
        at += 1;
        let text = word.known().unwrap_or_default();
        call.name = format!("{own} {text}");
        match &*text {
            "-delete" => {
                for root in roots {
                    call.act_path(Kind::Delete, root, Certainty::Likely, true);
                }
            }
            "-exec" | "-execdir" | "-ok" | "-okdir" => {
                let rest = tests.get(at..).unwrap_or_default();
                let ends = |word: &Word| matches!(word.known().as_deref(), Some(";" | "+"));
                let end = rest.iter().position(ends).unwrap_or(rest.len());
                let inner = rest.get(..end).unwrap_or_default();
                executed(call, roots, inner, text.ends_with("dir"));
                at += end + 1;
            }
            text => {
                let row = FILES_OF_FIND.iter().find(|(name, _)| *name == text);
                if let (Some((_, kind)), Some(file)) = (row, tests.get(at)) {
                    call.act_path(*kind, file, Certainty::Exact, false);
                    at += 1;
                } else if takes_value(text) {
                    at += 1;
                }
            }
        }
    }
    call.name = own;
}

fn takes_value(test: &str) -> bool {
    matches!(
        test,
        "-name"
            | "-iname"
            | "-path"
            | "-ipath"
            | "-wholename"
            | "-iwholename"
            | "-regex"
            | "-iregex"
            | "-lname"
            | "-ilname"
            | "-type"
            | "-xtype"
            | "-size"
            | "-mtime"
            | "-mmin"
            | "-atime"
            | "-amin"
            | "-ctime"
            | "-cmin"
            | "-user"
            | "-group"
            | "-uid"
            | "-gid"
            | "-perm"
            | "-maxdepth"
            | "-mindepth"
            | "-links"
            | "-inum"
            | "-fstype"
            | "-printf"
            | "-newermt"
            | "-newerct"
            | "-newerat"
            | "-used"
            | "-regextype"
            | "-context"
    )
}

/// In place of `{}` stands anything below the roots.
fn executed(call: &mut Call<'_>, roots: &[Word], inner: &[Word], from_own_folder: bool) {
    let folders = call.folders.clone();
    if from_own_folder {
        // It runs in the folder of each file, so words without `{}` mean other files each time.
        call.folders = Vec::new();
    }
    for root in roots {
        let below = objects(root, &folders)
            .into_iter()
            .find_map(|(object, _)| match object {
                Object::Path(path) => Some(path),
                _ => None,
            });
        let filled = |word: &Word| match word.known() {
            Some(text) if &*text == "{}" && below.is_some() => {
                let path = below
                    .as_ref()
                    .map(|path| path.to_string_lossy().into_owned());
                Word {
                    parts: vec![
                        Part::Text(path.unwrap_or_default() + "/"),
                        Part::Glob("**".to_owned()),
                    ],
                }
            }
            Some(text) if text.contains("{}") => Word::unknown(),
            _ => word.clone(),
        };
        call.run(inner.iter().map(filled).collect(), false);
    }
    call.folders = folders;
}

/// `fd -x` takes all words behind it.
pub(super) fn fd(call: &mut Call<'_>) {
    let words = &call.command.words;
    let runs = |word: &Word| {
        matches!(
            word.known().as_deref(),
            Some("-x" | "-X" | "--exec" | "--exec-batch")
        )
    };
    if let Some(at) = words.iter().position(runs) {
        let inner = words.get(at + 1..).unwrap_or_default().to_vec();
        call.acts.runs.clear();
        call.run(inner, true);
    }
    if call.reading.operands.len() < 2 {
        call.act_path(Kind::Read, &Word::text("."), Certainty::Likely, true);
    }
}

/// Words of the input follow the known ones, or stand in place of a mark.
fn xargs(call: &mut Call<'_>) {
    let marked = call
        .reading
        .values("I")
        .chain(call.reading.values("replace"))
        .chain(call.reading.values("J"))
        .last();
    let mark = marked.and_then(|word| word.known().map(std::borrow::Cow::into_owned));
    let mark = mark.or_else(|| call.may("replace").then(|| "{}".to_owned()));
    let Some(start) = call.reading.operands.first().map(|operand| operand.at) else {
        return;
    };
    let inner = call.command.words.get(start..).unwrap_or_default();
    let fill = |word: &Word| match (&mark, word.known()) {
        (Some(mark), Some(text)) if text.contains(&**mark) => Word::unknown(),
        _ => word.clone(),
    };
    let inner: Vec<Word> = inner.iter().map(fill).collect();
    let more = mark.is_none();
    call.run_with(inner, more, Vec::new(), crate::command::Input::Inherited);
}

/// Its command is text for a shell, with marks in it.
fn parallel(call: &mut Call<'_>) {
    let Some(start) = call.reading.operands.first().map(|operand| operand.at) else {
        call.anything();
        return;
    };
    let words = call.command.words.get(start..).unwrap_or_default();
    let marks = |word: &&Word| word.known().is_some_and(|text| text.starts_with(":::"));
    let end = words
        .iter()
        .position(|word| marks(&word))
        .unwrap_or(words.len());
    let inner = words.get(..end).unwrap_or_default();
    let fill = |word: &Word| match word.known() {
        Some(text) if text.contains(['{', ';', '|', '&', '$', '>']) => Word::unknown(),
        _ => word.clone(),
    };
    let has_text = |word: &Word| {
        word.known()
            .is_some_and(|text| text.contains([';', '|', '&', '$', '>', ' ']))
    };
    if inner.is_empty() || inner.iter().any(has_text) {
        call.shell(Word::unknown(), Vec::new());
    } else {
        call.run_with(
            inner.iter().map(fill).collect(),
            true,
            Vec::new(),
            crate::command::Input::Inherited,
        );
    }
}

/// The scripts of a command: the values of these options, or else its first operand.
fn scripts_of(call: &Call<'_>, options: &[&str]) -> Vec<Word> {
    let given: Vec<Word> = options
        .iter()
        .flat_map(|name| call.reading.values(name))
        .cloned()
        .collect();
    let from_file = call.may("f");
    match call.reading.operands.first() {
        Some(first) if given.is_empty() && !from_file => vec![first.word.clone()],
        _ => given,
    }
}

/// What `sed` scripts do besides editing: `w FILE`, `r FILE`, `e COMMAND`.
pub(super) fn sed(call: &mut Call<'_>) {
    if call.may("f") {
        call.opaque = true;
    }
    for script in scripts_of(call, &["e"]) {
        let Some(text) = script.known() else {
            code_may_act(call, "sed");
            continue;
        };
        for act in sed_acts(&text) {
            match act {
                SedAct::Writes(file) => {
                    call.act_path(Kind::Write, &Word::text(file), Certainty::Likely, false);
                }
                SedAct::Reads(file) => {
                    call.act_path(Kind::Read, &Word::text(file), Certainty::Likely, false);
                }
                SedAct::Runs(text) if text.is_empty() => call.shell(Word::unknown(), Vec::new()),
                SedAct::Runs(text) => call.shell(Word::text(text), Vec::new()),
                SedAct::Unclear => code_may_act(call, "sed"),
            }
        }
    }
    if call.may("i") {
        let sure = if call.has("i") {
            Certainty::Exact
        } else {
            Certainty::Unknown
        };
        let from_operand = !(call.may("e") || call.may("f"));
        for word in call.words().iter().skip(usize::from(from_operand)) {
            call.act_path(Kind::Read, word, sure, false);
        }
    }
}

/// Code that cannot be read may write anything and run anything.
fn code_may_act(call: &mut Call<'_>, language: &str) {
    let through = format!("{language} script");
    let own = std::mem::replace(&mut call.name, through);
    for effect in Effect::anything(&call.name) {
        if matches!(effect.kind, Kind::Read | Kind::Write | Kind::Exec) {
            call.acts.note(effect);
        }
    }
    call.name = own;
}

enum SedAct {
    Writes(String),
    Reads(String),
    Runs(String),
    Unclear,
}

/// Reads a `sed` script as far as is needed to find its commands.
fn sed_acts(script: &str) -> Vec<SedAct> {
    let mut acts = Vec::new();
    let mut left = script;
    while let Some(letter) = left.chars().next() {
        left = left.get(letter.len_utf8()..).unwrap_or_default();
        match letter {
            '/' | '\\' => {
                let end = if letter == '\\' {
                    left.chars().next()
                } else {
                    Some('/')
                };
                let skip = if letter == '\\' {
                    end.map_or(0, char::len_utf8)
                } else {
                    0
                };
                let body = left.get(skip..).unwrap_or_default();
                let Some((_, rest)) = end.and_then(|end| until(body, end)) else {
                    acts.push(SedAct::Unclear);
                    return acts;
                };
                left = rest;
            }
            's' | 'y' => {
                let Some((flags, rest)) = replaced(left) else {
                    acts.push(SedAct::Unclear);
                    return acts;
                };
                left = rest;
                let end = flags
                    .find(|c: char| !c.is_ascii_alphanumeric())
                    .unwrap_or(flags.len());
                let letters = flags.get(..end).unwrap_or_default();
                if letter == 's'
                    && letters
                        .split('w')
                        .next()
                        .is_some_and(|before| before.contains('e'))
                {
                    acts.push(SedAct::Runs(String::new()));
                }
                if let (true, Some((_, file))) = (
                    letter == 's' && letters.contains('w'),
                    flags.split_once('w'),
                ) {
                    acts.push(SedAct::Writes(line(file).0.trim().to_owned()));
                    left = line(left).1;
                }
            }
            'w' | 'W' | 'r' | 'R' | 'e' => {
                let (argument, rest) = line(left);
                let argument = argument.trim().to_owned();
                acts.push(match letter {
                    'w' | 'W' => SedAct::Writes(argument),
                    'e' => SedAct::Runs(argument),
                    _ => SedAct::Reads(argument),
                });
                left = rest;
            }
            // Text to add, and names of labels, reach to the end of the line.
            'a' | 'i' | 'c' | 'b' | 't' | 'T' | ':' | '#' | 'q' | 'Q' | 'l' | 'v' | 'L' => {
                let text = "aic".contains(letter);
                let (label, rest) = if text { added(left) } else { line(left) };
                let end = label.find([';', '}']).filter(|_| !text && letter != '#');
                left = match end {
                    Some(end) => left.get(end..).unwrap_or_default(),
                    None => rest,
                };
            }
            _ => {}
        }
    }
    acts
}

/// Splits at the end of the line.
fn line(text: &str) -> (&str, &str) {
    text.split_once('\n').unwrap_or((text, ""))
}

/// Splits behind text that goes on where a line ends in a backslash.
fn added(text: &str) -> (&str, &str) {
    let mut escaped = false;
    for (at, letter) in text.char_indices() {
        if letter == '\n' && !escaped {
            return (
                text.get(..at).unwrap_or_default(),
                text.get(at + 1..).unwrap_or_default(),
            );
        }
        escaped = letter == '\\' && !escaped;
    }
    (text, "")
}

/// Splits behind the next such letter that is not escaped nor in brackets.
fn until(text: &str, end: char) -> Option<(&str, &str)> {
    let mut escaped = false;
    let mut bracket = false;
    for (at, letter) in text.char_indices() {
        match letter {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            letter if letter == end && !bracket => {
                return Some((text.get(..at)?, text.get(at + letter.len_utf8()..)?));
            }
            '[' => bracket = true,
            ']' => bracket = false,
            _ => {}
        }
    }
    // A bracket that does not close is none.
    let (before, rest) = text.split_once(end)?;
    Some((before, rest))
}

/// Returns what follows both halves of `s/a/b/`: once as flags and once as the rest of the script.
fn replaced(text: &str) -> Option<(&str, &str)> {
    let end = text.chars().next()?;
    let body = text.get(end.len_utf8()..)?;
    let (_, second) = until(body, end)?;
    let (_, rest) = plain_until(second, end)?;
    let flags = rest
        .find(|c: char| !(c.is_ascii_digit() || "gpiImMe".contains(c)))
        .unwrap_or(rest.len());
    Some((rest, rest.get(flags..)?))
}

fn plain_until(text: &str, end: char) -> Option<(&str, &str)> {
    let mut escaped = false;
    for (at, letter) in text.char_indices() {
        if letter == end && !escaped {
            return Some((text.get(..at)?, text.get(at + letter.len_utf8()..)?));
        }
        escaped = letter == '\\' && !escaped;
    }
    None
}

/// What `awk` programs do besides printing: `print > FILE`, `system()`, `| getline`.
pub(super) fn awk(call: &mut Call<'_>) {
    if call.may("f") || call.may("i") || call.may("E") {
        call.opaque = true;
    }
    for script in scripts_of(call, &["source"]) {
        let Some(text) = script.known() else {
            code_may_act(call, "awk");
            continue;
        };
        if runs_code(&text) {
            code_may_act(call, "awk");
        }
        for file in awk_targets(&text) {
            match file {
                Some(file) if file == "/dev/stderr" || file == "/dev/stdout" => {}
                Some(file) => {
                    call.act_path(Kind::Write, &Word::text(file), Certainty::Likely, false);
                }
                None => call.effect(Kind::Write, Object::Unknown, Certainty::Unknown),
            }
        }
    }
}

/// The program with spaces in place of what stands in quotes or between slashes.
fn outside_of_text(script: &str) -> String {
    let mut out = String::new();
    let mut quoted = None;
    let mut escaped = false;
    let mut before = ' ';
    for letter in script.chars() {
        match quoted {
            Some(end) if letter == end && !escaped => {
                quoted = None;
                out.push(letter);
            }
            Some(_) => {
                escaped = letter == '\\' && !escaped;
                out.push(' ');
            }
            None => {
                let divides = before.is_alphanumeric() || ")]$".contains(before);
                let begins = letter == '"' || (letter == '/' && !divides);
                quoted = begins.then_some(letter);
                out.push(letter);
            }
        }
        if !letter.is_whitespace() {
            before = letter;
        }
    }
    out
}

fn runs_code(script: &str) -> bool {
    let plain = outside_of_text(script).replace("||", " ");
    let words = ["|", "system", "getline", "@", "inplace"];
    words.iter().any(|word| plain.contains(word))
}

/// Returns the files that `print > "FILE"` names; `None` for one that is put together.
fn awk_targets(script: &str) -> Vec<Option<String>> {
    let plain: Vec<char> = outside_of_text(script).chars().collect();
    let whole: Vec<char> = script.chars().collect();
    let mut targets = Vec::new();
    let mut at = 0;
    while let Some(rest) = plain.get(at..).filter(|rest| !rest.is_empty()) {
        if !rest.starts_with(&['p', 'r', 'i', 'n', 't']) {
            at += 1;
            continue;
        }
        let end = rest
            .iter()
            .position(|letter| ";}\n".contains(*letter))
            .unwrap_or(rest.len());
        let mut depth = 0_usize;
        let mut mark = None;
        for (offset, letter) in rest.iter().take(end).enumerate() {
            match letter {
                '(' => depth += 1,
                ')' => depth = depth.saturating_sub(1),
                '>' if depth == 0 => mark = Some(at + offset + 1),
                _ => {}
            }
        }
        if let Some(target) = mark.and_then(|mark| whole.get(mark..at + end)) {
            let target: String = target.iter().collect();
            let target = target.trim();
            let text = target
                .strip_prefix('"')
                .and_then(|text| text.strip_suffix('"'));
            targets.push(
                text.filter(|text| !text.contains(['"', '\\']))
                    .map(str::to_owned),
            );
        }
        at += end.max(1);
    }
    targets
}
