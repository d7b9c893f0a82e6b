//! Programs that run others, start them later or signal them.

use super::call::Call;
use super::words;
use super::wrappers;
use crate::command::{Inner, Input};
use crate::effect::{Certainty, Kind, Object};
use crate::word::Word;

/// A shell: `-c` TEXT, a script, or what it reads.
pub(super) fn shell(call: &mut Call<'_>) {
    let words = &call.command.words;
    // `+x` turns an option off, and `-o NAME` takes a word.
    let operands: Vec<_> = {
        let all = call.reading.operands.iter();
        let mut all = all.peekable();
        while all
            .peek()
            .is_some_and(|operand| operand.word.head().starts_with('+'))
        {
            all.next();
        }
        // A lone dash ends the options.
        all.next_if(|operand| operand.word.known().as_deref() == Some("-"));
        all.cloned().collect()
    };
    let from = |at: usize| words.get(at..).unwrap_or_default().to_vec();
    wrappers::starts_up(call, operands.first().map(|operand| operand.at));
    let Some(first) = operands.first() else {
        reads_input(call, Vec::new());
        return;
    };
    // Behind the first operand words are no options of the shell.
    let own = words.get(..first.at).unwrap_or_default();
    let mut is_text = false;
    let mut reads = false;
    let mut unclear = false;
    for word in own.iter().skip(1) {
        let head = word.head();
        let short = head.starts_with('-') && !head.starts_with("--");
        is_text |= short && head.contains('c');
        reads |= short && head.contains('s') || head == "--stdin";
        unclear |= word.known().is_none();
    }
    let unclear = unclear
        || first.word.parts.first().is_some_and(|part| {
            !matches!(part, crate::word::Part::Text(_)) && !is_text && operands.len() > 1
        });
    let turned = call.reading.operands.len() > operands.len();
    if unclear && !is_text {
        call.shell(Word::unknown(), Vec::new());
    } else if call.has("n") && !["i", "c", "s"].iter().any(|name| call.may(name)) && !turned {
        // It looks at how the script is written, and runs nothing of it.
        call.act_path(Kind::Read, &first.word, Certainty::Exact, false);
    } else if is_text {
        call.shell(first.word.clone(), from(first.at + 1));
    } else if reads {
        let name = words.first().cloned();
        reads_input(call, name.into_iter().chain(from(first.at)).collect());
    } else if is_input(&first.word) {
        let name = words.first().cloned();
        reads_input(call, name.into_iter().chain(from(first.at + 1)).collect());
    } else {
        let arguments = from(first.at + 1);
        call.act_path(Kind::Read, &first.word, Certainty::Exact, false);
        call.acts.runs.push(Inner::File {
            file: first.word.clone(),
            shell: true,
            arguments,
            folders: call.folders.clone(),
        });
    }
}

/// Tells whether a name of a file is standard input.
pub(crate) fn is_input(word: &Word) -> bool {
    const NAMES: &[&str] = &[
        "/dev/stdin",
        "/dev/fd/0",
        "/proc/self/fd/0",
        "/proc/thread-self/fd/0",
    ];
    word.known().is_some_and(|text| NAMES.contains(&&*text))
}

/// A program that reads commands for a shell from its input.
fn reads_input(call: &mut Call<'_>, arguments: Vec<Word>) {
    match call.command.input.clone() {
        Input::Inherited => {}
        Input::Text(text) => call.shell(Word::text(text), arguments),
        Input::File(file) => {
            call.acts.runs.push(Inner::File {
                file,
                shell: true,
                arguments: arguments.into_iter().skip(1).collect(),
                folders: call.folders.clone(),
            });
        }
        Input::Unknown { .. } => call.shell(Word::unknown(), Vec::new()),
    }
}

/// A shell whose language is not read here.
pub(super) fn other_shell(call: &mut Call<'_>) {
    if call.row.name() == "fish" && call.reading.operands.is_empty() {
        if !call.may("c") {
            reads_input(call, Vec::new());
        }
        return;
    }
    call.anything();
}

/// What stands in front of a command may be assignments.
fn run_assigned(call: &mut Call<'_>, mut words: Vec<Word>, mut assigned: Vec<(String, Word)>) {
    while let Some(first) = words.first() {
        let head = first.head().to_owned();
        let Some((name, _)) = head.split_once('=') else {
            break;
        };
        let value = first.without(name.len() + 1);
        assigned.push((name.to_owned(), value));
        words.remove(0);
    }
    let input = call.command.input.clone();
    call.run_with(words, false, assigned, input);
}

pub(super) fn rest(call: &Call<'_>) -> Vec<Word> {
    let at = call.reading.operands.first().map(|operand| operand.at);
    at.and_then(|at| call.command.words.get(at..))
        .unwrap_or_default()
        .to_vec()
}

pub(super) fn sudo(call: &mut Call<'_>) {
    let words = rest(call);
    if call.has("e") || call.name == "sudoedit" {
        for word in &words {
            call.act_path(Kind::Write, word, Certainty::Exact, false);
        }
        call.opaque = true;
        return;
    }
    // The settings of the other user, for a shell that is started as at a login.
    call.opaque |= call.may("i");
    if words.is_empty() && (call.has("s") || call.has("i")) {
        reads_input(call, Vec::new());
    } else if matches!(&*call.name, "gosu" | "su-exec") {
        run_assigned(
            call,
            words.get(1..).unwrap_or_default().to_vec(),
            Vec::new(),
        );
    } else {
        run_assigned(call, words, Vec::new());
    }
}

pub(super) fn su(call: &mut Call<'_>) {
    let is_dash = |word: &Word| word.known().as_deref() == Some("-");
    call.opaque |= call.may("l") || call.words().first().is_some_and(is_dash);
    if !call.may("c") && !call.may("session-command") {
        let words = call.words();
        match (&*call.name, words.get(1)) {
            ("sg", Some(text)) => call.shell(text.clone(), Vec::new()),
            ("runuser", _) if call.may("u") => run_assigned(call, rest(call), Vec::new()),
            _ => reads_input(call, Vec::new()),
        }
    }
}

/// Every variable of the environment is printed, secrets among them.
fn environment(call: &mut Call<'_>) {
    let all = Object::Path(crate::places::ENVIRONMENT.into());
    call.effect(Kind::Read, all, Certainty::Exact);
}

/// `printenv` alone prints all; `ps eww` that of each process.
pub(super) fn shows(call: &mut Call<'_>) {
    let words = call.command.words.get(1..).unwrap_or_default();
    let first = words.first().and_then(Word::known);
    let is_all = match &*call.name {
        "printenv" => call.words().is_empty(),
        "ps" => first.is_some_and(|text| {
            text.contains('e') && text.chars().all(|letter| letter.is_ascii_alphabetic())
        }),
        _ => false,
    };
    if is_all {
        environment(call);
    }
}

pub(super) fn env(call: &mut Call<'_>) {
    let assigned = Vec::new();
    let text = call.reading.values("S").last().cloned();
    let mut words = rest(call);
    if words
        .first()
        .is_some_and(|word| word.known().as_deref() == Some("-"))
    {
        words.remove(0);
    }
    if let Some(text) = text {
        let Some(text) = text.known() else {
            call.anything();
            return;
        };
        // Quotes and variables in it follow other rules than those of a shell.
        if text.contains(['\'', '"', '\\', '$']) {
            call.shell(Word::text(&*text), Vec::new());
            return;
        }
        let mut all: Vec<Word> = text.split_whitespace().map(Word::text).collect();
        all.append(&mut words);
        if all.first().is_some_and(|word| word.head().starts_with('-')) {
            all.insert(0, Word::text("env"));
        }
        words = all;
    }
    if words.iter().all(|word| word.head().contains('=')) {
        environment(call);
    }
    run_assigned(call, words, assigned);
}

/// A word in front of a command that the shell splits may hold the command itself.
fn may_be_many(call: &mut Call<'_>, word: Option<&Word>) {
    if word.is_some_and(|word| word.parts.contains(&crate::word::Part::Split)) {
        call.anything();
    }
}

/// `flock FILE COMMAND…` or `flock FILE -c TEXT`.
pub(super) fn locked(call: &mut Call<'_>) {
    let words = rest(call);
    may_be_many(call, words.first());
    let words = words.get(1..).unwrap_or_default();
    match words.split_first() {
        Some((first, rest)) if matches!(first.known().as_deref(), Some("-c" | "--command")) => {
            let text = rest.first().cloned().unwrap_or_else(Word::unknown);
            call.shell(text, Vec::new());
        }
        _ => call.run(words.to_vec(), false),
    }
}

/// `watch` hands its words to a shell as one text.
pub(super) fn joined(call: &mut Call<'_>) {
    let words = rest(call);
    if call.has("x") {
        call.run(words, false);
        return;
    }
    let texts: Option<Vec<String>> = words
        .iter()
        .map(|word| word.known().map(std::borrow::Cow::into_owned))
        .collect();
    call.shell(
        texts.map_or_else(Word::unknown, |texts| Word::text(texts.join(" "))),
        Vec::new(),
    );
}

/// `script FILE COMMAND…` of BSD, `script -c TEXT FILE` of Linux.
pub(super) fn script(call: &mut Call<'_>) {
    let file = call.words().first().cloned();
    may_be_many(call, file.as_ref());
    let at = call.reading.operands.get(1).map(|operand| operand.at);
    if let Some(words) = at.and_then(|at| call.command.words.get(at..)) {
        call.run(words.to_vec(), false);
    }
    if call.reading.operands.is_empty() && call.name == "script" {
        call.act_path(
            Kind::Write,
            &Word::text("typescript"),
            Certainty::Likely,
            false,
        );
    }
}

pub(super) fn chroot(call: &mut Call<'_>) {
    let words = rest(call);
    let root = words
        .first()
        .and_then(|word| word.known().map(std::borrow::Cow::into_owned));
    call.folders = match root.as_deref() {
        Some("/") => vec!["/".into()],
        // Paths begin in another place.
        _ => Vec::new(),
    };
    if root.as_deref() == Some("/") {
        call.run(words.get(1..).unwrap_or_default().to_vec(), false);
    } else {
        call.anything();
    }
}

pub(super) fn services(call: &mut Call<'_>) {
    let words = call.words();
    let texts: Vec<String> = words
        .iter()
        .filter_map(|word| word.known().map(std::borrow::Cow::into_owned))
        .collect();
    let verb = match &*call.name {
        "service" | "rc-service" | "sv" => texts.get(1),
        _ => texts.first(),
    };
    let verb = verb.map(String::as_str).unwrap_or_default().to_owned();
    let reads = words::SERVICES_SHOW.contains(&&*verb);
    if !reads && words.len() == texts.len() {
        let is_first = matches!(&*call.name, "service" | "rc-service");
        let named = if is_first {
            texts.first()
        } else {
            texts.last()
        };
        let name = named.cloned().unwrap_or_else(|| call.name.clone());
        call.effect(Kind::Signal, Object::Name(name), Certainty::Exact);
        call.opaque = true;
    } else if !reads {
        call.anything();
    }
    let is_setting = words::SERVICES_SET.contains(&&*verb);
    if is_setting {
        call.named(Kind::Config, None, Certainty::Exact);
    }
}

/// A table of times runs commands later.
pub(super) fn schedules(call: &mut Call<'_>) {
    if !call.has("l") {
        call.effect(
            Kind::Config,
            Object::Name("crontab".to_owned()),
            Certainty::Exact,
        );
        call.opaque = true;
    }
}

/// Text that such a program hands to a shell: in its words or from its input.
pub(super) fn terminals(call: &mut Call<'_>) {
    let shows = matches!(
        call.reading.text(0).as_deref(),
        Some(
            "ls" | "list-sessions"
                | "list-windows"
                | "list-panes"
                | "capture-pane"
                | "display-message"
                | "has-session"
                | "info"
        )
    );
    if call.row.name() == "screen" && shows {
        call.opaque = false;
        return;
    }
    starts(call);
    if call.name == "tmux" || call.name == "screen" {
        let words = call.words();
        for word in words.iter().skip(1) {
            let is_line = word.known().is_none_or(|text| text.contains(' '));
            if is_line {
                call.shell(word.clone(), Vec::new());
            }
        }
    }
}

/// The command that `screen` or `zellij run` starts, behind its options.
fn starts(call: &mut Call<'_>) {
    let words = call.command.words.get(1..).unwrap_or_default();
    let known = |word: &Word| word.known().map(std::borrow::Cow::into_owned);
    let at = match &*call.name {
        "zellij" => words
            .iter()
            .position(|word| known(word).as_deref() == Some("--"))
            .map(|at| at + 1),
        "screen" => {
            let takes = |text: &str| text.ends_with(['S', 'c', 'e', 'h', 'p', 's', 't', 'T']);
            let mut at = 0;
            while let Some(text) = words
                .get(at)
                .and_then(known)
                .filter(|text| text.starts_with('-'))
            {
                at += 1 + usize::from(takes(&text));
            }
            Some(at)
        }
        _ => None,
    };
    if let Some(words) = at.and_then(|at| words.get(at..)) {
        let words = words.to_vec();
        call.run(words, false);
    }
}

/// The name of older versions for `anyhook run`: it asks hooks and writes what the agent is told.
pub(super) fn our_events(call: &mut Call<'_>) {
    let mut words = call.command.words.iter().skip(1);
    if words.any(|word| word.known().as_deref() != Some("--version")) {
        let name = Object::Name("anyhook run".to_owned());
        call.effect(Kind::Config, name, Certainty::Exact);
    }
}

/// Our own program: what guards the agent is a setting that only a person changes.
pub(super) fn ours(call: &mut Call<'_>) {
    let words = rest(call);
    let verb = words.first().map(Word::known);
    let verb = match verb {
        None => return,
        Some(None) => {
            call.anything();
            return;
        }
        Some(Some(verb)) => verb.into_owned(),
    };
    if words::OURS_CONNECT.contains(&&*verb) {
        call.effect(Kind::Net, Object::Unknown, Certainty::Likely);
    }
    let mends = ["--fix", "--o", "-o", "--write"];
    let changes = words.iter().any(|word| {
        let head = word.head();
        mends.iter().any(|mark| head.starts_with(mark))
            || (head.is_empty() && word.known().is_none())
    });
    if verb == "confine" {
        let at = words
            .iter()
            .position(|word| word.known().as_deref() == Some("--"));
        let inner = at.map_or_else(
            || words.get(1..).unwrap_or_default(),
            |at| words.get(at + 1..).unwrap_or_default(),
        );
        call.run(inner.to_vec(), false);
    } else if !words::OURS_LOOK.contains(&&*verb)
        || (changes && !matches!(&*verb, "say" | "get" | "explain"))
    {
        call.effect(
            Kind::Config,
            Object::Name(format!("anyhook {verb}")),
            Certainty::Exact,
        );
    }
}
