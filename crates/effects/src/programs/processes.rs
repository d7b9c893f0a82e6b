//! Programs that run others, start them later or signal them.

use super::call::Call;
use super::words;
use crate::command::{Input, NestedCommand, ShellCommand};
use crate::effect::Certainty::{Exact, Likely};
use crate::effect::{EffectKind, Target};
use crate::word::{Part, Word};

/// A shell: `-c` TEXT, a script, or what it reads.
pub(super) fn shell(call: &mut Call<'_>) {
    let words = call.words_from(0);
    // `+x` turns an option off, and a lone dash ends the options.
    let turned = |word: &Word| word.head().starts_with('+');
    let is_dash = |word: &Word| word.says(&["-"]);
    let operands = call.reading.operands.iter();
    // `+o NAME` and `-O NAME` make words mean other things.
    let named = |word: &Word| turned(word) && word.head().contains(['o', 'O']);
    let changes = |name: &Word| !name.says(words::SHOPTS);
    let mut first = operands.clone().take_while(|it| turned(&it.word));
    if first.any(|it| named(&it.word)) || call.values("O").iter().any(changes) {
        return call.anything();
    }
    let mut operands = operands.skip_while(|it| turned(&it.word)).peekable();
    operands.next_if(|operand| is_dash(&operand.word));
    let first = operands.next().cloned();
    let count = usize::from(first.is_some()) + operands.count();
    // Behind the first operand words are no options of the shell.
    let end = first.as_ref().map_or(words.len(), |first| first.at);
    let own = words.get(1..end).unwrap_or_default();
    starts_up(call, own);
    let Some(first) = first else {
        reads_input(call, Vec::new());
        return;
    };
    let has = |letter: char| has_letter(own, letter);
    let is_text = has('c');
    let may_be_option =
        !is_text && count > 1 && !matches!(first.word.parts.first(), None | Some(Part::Text(_)));
    let named = |from: usize| {
        let rest = words.iter().skip(from);
        words.iter().take(1).chain(rest).cloned().collect()
    };
    if is_text {
        call.shell(first.word.clone(), call.words_from(first.at + 1));
    } else if may_be_option || own.iter().any(|word| word.known().is_none()) {
        call.shell(Word::unknown(), Vec::new());
    } else if call.has("n") && !call.may("i c s") && !call.words().iter().any(turned) {
        // It looks at how the script is written, and runs nothing of it.
        call.does("r", &first.word);
    } else if has('s') || own.iter().any(|word| word.head() == "--stdin") {
        reads_input(call, named(first.at));
    } else if is_input(&first.word) {
        reads_input(call, named(first.at + 1));
    } else {
        call.script(&first.word, true, call.words_from(first.at + 1));
    }
}

/// Tells whether one of these words is an option with this letter.
fn has_letter(words: &[Word], letter: char) -> bool {
    let mut heads = words.iter().map(Word::head);
    heads.any(|head| head.starts_with('-') && !head.starts_with("--") && head.contains(letter))
}

/// Notes that a shell runs settings of the person before anything else, whose code is not read here.
fn starts_up(call: &mut Call<'_>, own: &[Word]) {
    let has = |long: &str| own.iter().any(|word| word.known() == Some(long));
    let short = |letter: char| has_letter(own, letter);
    let is_login = short('l') || has("--login");
    let starts = match &*call.name {
        "zsh" => !short('f') && !has("--no-rcs"),
        "bash" if is_login => !has("--noprofile"),
        "bash" => short('i') && !has("--norc"),
        _ => is_login || short('i'),
    };
    call.opaque |= starts;
    if starts {
        for file in call.places.at_home(words::AT_START) {
            call.effect(EffectKind::Read, Target::Path(file), Likely);
        }
    }
}

/// Tells whether a name of a file is standard input.
pub(crate) fn is_input(word: &Word) -> bool {
    word.says(words::INPUTS)
}

/// A program that reads commands for a shell from its input.
fn reads_input(call: &mut Call<'_>, arguments: Vec<Word>) {
    match call.command.input.clone() {
        Input::Inherited => {}
        Input::Text(text) => call.shell(Word::text(text), arguments),
        Input::File(file) => call.acts.runs.push(NestedCommand::File {
            file,
            shell: true,
            arguments: arguments.into_iter().skip(1).collect(),
            folders: call.folders.clone(),
        }),
        Input::Unknown { .. } => call.shell(Word::unknown(), Vec::new()),
    }
}

/// `make -f -` runs what its input says; `make install DESTDIR=FOLDER` writes there. `SHELL=LINE` runs, also with `-n`, and so
/// does what a value calls: `X=$(shell LINE)`, `X!=LINE`.
pub(super) fn from_input(call: &mut Call<'_>) {
    call.values("f").iter().for_each(|file| call.loads(file));
    for name in ["SHELL=", "MAKE="] {
        for word in call
            .words()
            .iter()
            .filter(|word| word.head().starts_with(name))
        {
            call.shell(word.without(name.len()), Vec::new());
        }
    }
    let calls = |word: &Word| {
        let Some((name, value)) = word.head().split_once('=') else {
            return false;
        };
        let value = value.replace("$$", "");
        let is_steering = [".SHELLFLAGS", "MAKEFLAGS", "GNUMAKEFLAGS", "MAKEFILES"].contains(&name);
        is_steering || name.ends_with('!') || value.contains("$(") || value.contains("${")
    };
    if call.words().iter().any(calls) {
        call.anything();
    }
    let is_folder = |word: &Word| word.head().starts_with("DESTDIR=");
    for word in call.words().into_iter().filter(is_folder) {
        call.likely("W", &word.without("DESTDIR=".len()));
    }
}

/// What stands in front of a command may be assignments.
fn run_assigned(call: &mut Call<'_>, mut words: Vec<Word>) {
    let name = |word: &Word| word.head().split_once('=').map(|(name, _)| name.to_owned());
    let mut assigned = Vec::new();
    while let Some(name) = words.first().and_then(name) {
        let value = words.remove(0).without(name.len() + 1);
        assigned.push((name, value));
    }
    call.run_as(ShellCommand {
        assigned,
        ..call.command.with(words)
    });
}

pub(super) fn sudo(call: &mut Call<'_>) {
    let mut words = call.rest();
    if call.has("e") || call.name == "sudoedit" {
        for word in &words {
            call.does("w", word);
        }
        call.opaque = true;
        return;
    }
    if matches!(&*call.name, "gosu" | "su-exec") {
        words.drain(..words.len().min(1));
    }
    if words.is_empty() && call.has("s i") {
        reads_input(call, Vec::new());
    } else {
        run_assigned(call, words);
    }
}

pub(super) fn su(call: &mut Call<'_>) {
    let words = call.words();
    call.opaque |= call.may("l") || words.first().is_some_and(|word| word.says(&["-"]));
    if call.may("c session-command") {
        return;
    }
    if call.name == "runuser" && call.may("u") {
        run_assigned(call, call.rest());
    } else {
        reads_input(call, Vec::new());
    }
}

/// Every variable of the environment is printed, secrets among them.
fn environment(call: &mut Call<'_>) {
    let all = Target::Path(crate::places::ENVIRONMENT.into());
    call.effect(EffectKind::Read, all, Exact);
}

/// Tells whether the processes that are chosen serve a project: by the name of such a program, or a port that is no other's.
fn serve_a_project(call: &Call<'_>) -> bool {
    let is_port = |word: &Word| {
        let text = word.known().unwrap_or_default();
        let port = text.rsplit_once(':').map_or("", |(_, port)| port);
        port.parse::<u16>().is_ok_and(|number| number >= 1024)
            && !words::PORTS_OF_OTHERS.contains(&port)
    };
    let is_program = |word: &Word| {
        let text = word.known().unwrap_or_default();
        let first = text.split_whitespace().next().unwrap_or_default();
        let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "._/- ".contains(letter);
        // A dot is any letter to `pgrep`.
        let is_script = text.matches('.').count() == 1
            && first.len() > 4
            && text.starts_with(|letter: char| letter.is_ascii_alphanumeric())
            && [".py", ".js", ".mjs", ".cjs", ".ts"]
                .iter()
                .any(|end| text.ends_with(end));
        words::SERVES_A_PROJECT.contains(&first) || is_script && text.chars().all(is_plain)
    };
    let chosen = call.words();
    if call.row.name() == "lsof" {
        // Without `-a` each choice adds some.
        let ports = [chosen, call.values("i")].concat();
        !ports.is_empty() && !call.may("c p u g") && ports.iter().all(is_port)
    } else {
        !chosen.is_empty() && !call.may("v u U P g t") && chosen.iter().all(is_program)
    }
}

/// `lsof -t`, `pgrep` and `pidof` print numbers of processes alone. Those of others are as good as unknown.
pub(super) fn tells(call: &mut Call<'_>) {
    let chooses = |name: &&str| words::CHOOSING_PROCESSES.contains(name);
    let mut given = call.reading.given.iter();
    let is_usual = given.all(|given| given.sure && given.option.names.iter().all(chooses))
        && call.reading.unlisted.is_empty();
    if is_usual && (call.row.name() != "lsof" || call.has("t")) && serve_a_project(call) {
        call.prints_words(vec![Word::name("", "[0-9]*")]);
    }
}

/// `docker ps -q` prints the ids of containers alone.
pub(super) fn ids(call: &mut Call<'_>) {
    if call.has("q")
        && !call.may("s no-trunc digests tree format")
        && call.reading.unlisted.is_empty()
    {
        call.prints_words(vec![Word::name("", "[0-9a-f]*")]);
    }
}

/// `printenv` alone prints all; `ps eww` that of each process.
pub(super) fn shows(call: &mut Call<'_>) {
    let first = call.command.words.get(1);
    let first = first.and_then(Word::known).unwrap_or_default();
    let is_letters = first.chars().all(|letter| letter.is_ascii_alphabetic());
    let is_all = match &*call.name {
        "printenv" => call.words().iter().all(Word::may_vanish),
        name => name == "ps" && is_letters && first.contains('e'),
    };
    if is_all {
        environment(call);
    }
}

pub(super) fn env(call: &mut Call<'_>) {
    let mut words = call.rest();
    if words.first().is_some_and(|word| word.says(&["-"])) {
        words.remove(0);
    }
    // Quotes and variables in it follow other rules than those of a shell.
    if call.may("S") {
        return call.anything();
    }
    if words.iter().all(|word| word.head().contains('=')) {
        environment(call);
    }
    run_assigned(call, words);
}

/// `watch` hands its words to a shell as one text.
pub(super) fn in_shell(call: &mut Call<'_>) {
    if call.has("x") {
        call.run(call.rest());
    } else {
        joined_line(call);
    }
}

/// Our own program: what guards the agent is a setting that only a person changes.
pub(super) fn ours(call: &mut Call<'_>) {
    let words = call.rest();
    let Some(first) = words.first() else { return };
    let Some(verb) = first.known() else {
        call.anything();
        return;
    };
    let prints = matches!(verb, "say" | "get" | "explain");
    let rest = words.iter().skip(1).filter(|_| !prints);
    let deed = rest.clone().find_map(deed);
    // With a task the demo is an agent, which asks a model and uses tools.
    let is_task = |word: &Word| !word.head().starts_with('-');
    let is_agent = verb == "demo" && rest.clone().any(is_task);
    if words::OURS_CONNECT.contains(&verb) || is_agent || deed == Some("export") {
        call.effect(EffectKind::Net, Target::Unknown, Likely);
    }
    if verb == "confine" {
        let end = words.iter().position(|word| word.says(&["--"]));
        call.run(words.iter().skip(end.unwrap_or(0) + 1).cloned().collect());
    } else if !words::OURS_LOOK.contains(&verb) || is_agent {
        call.on(EffectKind::Config, format!("anyhook {verb}"), Exact);
    } else if let Some(deed) = deed {
        call.on(EffectKind::Config, format!("anyhook {verb} {deed}"), Exact);
    }
}

/// Returns what a word behind a verb that looks makes of it, if it is or may be one that does more.
fn deed(word: &Word) -> Option<&'static str> {
    let head = word.head();
    let is_known = word.known().is_some();
    let mut all = words::OURS_DO.iter().copied();
    all.find(|deed| {
        let is_flag = deed.starts_with('-') && head.starts_with(deed);
        is_flag || (is_known && head == *deed) || (!is_known && deed.starts_with(&*head))
    })
}

/// A wrapper whose own options are not all known: what follows an unlisted one may be its value, and the value of an option
/// that other programs of the row lack may be the command.
pub(super) fn wrapper(call: &mut Call<'_>) {
    let is_unshare = call.row.name() == "unshare";
    let words = &call.command.words;
    let first = call.reading.operands.first();
    let first = first.map_or(words.len(), |first| first.at);
    let is_program = |text: &str| text.contains('/') || super::find(text).is_some();
    let may_be = |word: &Word| word.known().is_none_or(&is_program);
    let mut own = words.iter().take(first).skip(1);
    let at = own.position(|word| !word.head().starts_with('-') && may_be(word));
    if let Some(at) = at {
        call.run(call.words_from(at + 2));
    }
    if !call.reading.unlisted.is_empty() && !is_unshare {
        call.run(call.rest().into_iter().skip(1).collect());
    }
    if call.words().is_empty() {
        call.opaque = is_unshare;
    }
}

/// `uv run`, `mise exec`: a command begins behind `--`, or at the first word that is a program. Their own options are not all
/// known, so what stands behind one may be its value too.
pub(super) fn handed_on(call: &mut Call<'_>) {
    let words = &call.command.words;
    let verb = call.name.rsplit(' ').next().unwrap_or_default();
    let verb = words.iter().position(|word| word.says(&[verb]));
    let mut before = "";
    let mut begins = Vec::new();
    for (at, word) in words.iter().enumerate().skip(verb.unwrap_or_default() + 1) {
        let is_behind = before == "--";
        let is_value = before.starts_with('-') && !is_behind;
        before = word.head();
        let is_first = begins.is_empty() && !is_value && word.known().is_none();
        let is_program =
            word.known().is_some() && super::find(&super::program_name(word)).is_some();
        if is_behind || is_first || is_program {
            begins.push(at);
            if !is_value {
                break;
            }
        }
    }
    for at in begins {
        call.run(call.words_from(at));
    }
}

/// `pnpm TOOL WORDS`, `minikube kubectl WORDS`: the verb is the name of a program.
pub(super) fn tool(call: &mut Call<'_>) {
    let verb = call.name.rsplit(' ').next().unwrap_or_default();
    let is_verb = |word: &Word| word.says(&[verb]);
    if let Some(at) = call.command.words.iter().position(is_verb) {
        call.run(call.words_from(at));
    }
}

/// `yarn workspace NAME WORDS` is `yarn WORDS` there.
pub(super) fn in_workspace(call: &mut Call<'_>) {
    let words = &call.command.words;
    let verb = words.iter().position(|word| word.says(&["workspace"]));
    let rest = words.iter().skip(verb.unwrap_or_default() + 2);
    call.run(words.iter().take(1).chain(rest).cloned().collect());
}

/// The lines for a shell that run later, as the program reads them from its input.
pub(super) fn later(call: &mut Call<'_>) {
    if matches!(call.command.input, Input::Text(_)) && !call.may("f l d e r c") {
        call.anything();
    }
}

/// `strace -o '|LINE'` writes to a line for a shell.
pub(super) fn traced(call: &mut Call<'_>) {
    for word in call.values("o") {
        if word.head().starts_with(['|', '!']) {
            call.shell(word.without(1), Vec::new());
        }
    }
}

/// `tmux new-window WORDS`: one word is text for a shell, and so may be several. What `tmux send-keys` types stands one behind
/// the other, and some of it are names of keys.
pub(super) fn joined_line(call: &mut Call<'_>) {
    let types = call.row.name() == "tmux send-keys";
    let words = if types { call.words() } else { call.rest() };
    let key = |word: &str| match word {
        "Space" => " ".to_owned(),
        "Enter" | "C-m" | "C-j" | "KPEnter" => "\n".to_owned(),
        "Escape" | "C-c" | "C-d" | "C-u" | "C-z" | "C-l" => String::new(),
        text => text.to_owned(),
    };
    let text = Word::all_known(&words).map(|words| {
        if types {
            words.into_iter().map(key).collect()
        } else {
            words.join(" ")
        }
    });
    let text = text.map_or_else(Word::unknown, |text: String| Word::text(text.trim_end()));
    if !words.is_empty() {
        call.shell(text, Vec::new());
    }
}

/// `#(LINE)` in a text of `tmux`, what it starts by default, and properties of a unit of `systemd-run` run lines or write files.
pub(super) fn formats(call: &mut Call<'_>) {
    const MARKS: &[&str] = &["#(", "default-command", "default-shell", "Exec", "Standard"];
    let words = call.reading.operands.iter().map(|operand| &operand.word);
    let values = call
        .reading
        .given
        .iter()
        .filter_map(|given| given.value.as_ref());
    let is_unit = call.name == "systemd-run";
    let mut texts = values.chain(words.filter(|_| !is_unit));
    if texts.any(|word| MARKS.iter().any(|mark| word.head().contains(mark))) {
        call.anything();
    }
}

/// `screen -X stuff LINE`: a line is typed into another terminal, or runs here.
pub(super) fn typed(call: &mut Call<'_>) {
    let first = call.words().into_iter().next();
    if call.may("X") && first.is_some_and(|word| word.says(&["exec", "eval", "stuff"])) {
        call.anything();
    }
}
