//! Interpreters: inline code, scripts and modules.

use super::call::Call;
use super::words;
use crate::command::Input;
use crate::effect::Certainty;
use crate::word::{Part, Word};

/// Code in an option, a module, a script, or what the input says.
pub(super) fn runs(call: &mut Call<'_>) {
    let words = call.rest();
    let name = call.row.name();
    let (language, inline) = match name {
        // What ipython runs may be lines of a shell too.
        "python" | "ipython" => (name, "c"),
        "perl" => (name, "e E"),
        "node" | "tsx" => ("node", "e p"),
        "qjs" => (name, "e p"),
        "php" => (name, "r B R E"),
        _ => (name, "e"),
    };
    let code = call.values(inline);
    let is_option = |code: &Word| code.head().starts_with('-');
    if language == "node" || name == "qjs" {
        for file in call.values("env-file env-file-if-exists") {
            call.loads(&file);
        }
        // `-p` takes its code behind another option too.
        if call.values("p").iter().any(is_option) {
            call.anything();
        }
    }
    if call.reading.unreadable && code.is_empty() {
        call.anything();
    }
    if name == "node" {
        // Options of its engine that are not listed may name a file.
        if !call.reading.unlisted.is_empty() {
            call.unknown("w");
        }
        // It looks at how the script is written, and runs nothing of it.
        if let ([file], true) = (&*words, call.has("check") && code.is_empty()) {
            call.opaque = true;
            return call.does("r", file);
        }
    }
    for text in &code {
        call.code(language, text.clone());
    }
    let module = call.reading.values("m").next().cloned();
    let module = module.filter(|_| ["python", "ipython"].contains(&name));
    if let Some(module) = &module {
        python_module(call, module);
    }
    // Between two slashes or quotes it is code in which more may stand.
    let is_code = |mark: &Word| {
        let text = mark.known().unwrap_or("/");
        let inner = text
            .strip_prefix('/')
            .and_then(|rest| rest.strip_suffix('/'));
        inner
            .unwrap_or(text)
            .contains(['/', '\'', '"', '$', '@', '{'])
    };
    if name == "perl" && call.values("F").iter().any(is_code) {
        call.anything();
    }
    if matches!(name, "perl" | "ruby") {
        edits(call, &words, !code.is_empty());
    }
    // After the code they go on with what they read.
    let goes_on = match name {
        "python" | "ipython" | "node" | "tsx" | "qjs" | "php" => call.may("i a"),
        "perl" => call.may("d"),
        _ => false,
    };
    if goes_on {
        prompt(call);
    }
    // Compiled modules are put below a folder of theirs.
    for prefix in call.values("X") {
        if prefix.head().starts_with("pycache_prefix=") {
            call.does("W", &prefix.without("pycache_prefix=".len()));
        } else if prefix.known().is_none() {
            call.unknown("w");
        }
    }
    // What stands behind a code or a module is its own.
    let given = call.reading.given.iter().map(|given| given.option);
    let mut own = given.take_while(|option| !option.is_one_of("c m"));
    if ["python", "ipython"].contains(&name) && own.any(|option| option.is("x")) {
        call.anything();
    }
    // A filter of warnings names a module, which is loaded.
    let names_module = |filter: &Word| filter.known().is_none_or(|text| text.contains('.'));
    if name == "python" && call.values("W").iter().any(names_module) {
        call.anything();
    }
    if !code.is_empty() || module.is_some() || call.has("V") || call.has("v") && words.is_empty() {
        return;
    }
    match words.split_first() {
        Some((first, rest)) if first.known() != Some("-") && !super::is_input(first) => {
            script(call, first, rest.to_vec());
        }
        _ => input(call, language),
    }
}

/// `-i` edits files in place, `-n` and `-p` read them.
fn edits(call: &mut Call<'_>, words: &[Word], has_code: bool) {
    let files = words.get(usize::from(!has_code)..).unwrap_or_default();
    let in_place = call.may("i");
    if !(in_place || has_code && call.may("n p")) {
        return;
    }
    if call.row.name() == "perl" && !files.iter().all(is_only_a_file) {
        call.anything();
    }
    let suffix = call.values("i").pop();
    for word in files {
        call.does(if in_place { "u" } else { "r" }, word);
        call.keeps_copy(word, suffix.as_ref());
    }
}

/// Whether Perl only opens a file: it runs a name with `|` at an end, and writes one that begins with `>`.
fn is_only_a_file(word: &Word) -> bool {
    // What a search found has plain names.
    if *word == Word::name("", "[^.]**") {
        return true;
    }
    let text = word.parts.iter().map(|part| match part {
        Part::Text(own) | Part::Glob(own) => Some(own.as_str()),
        Part::Of(_) | Part::Unknown | Part::Split => None,
    });
    let begins = |letter: char| letter.is_alphanumeric() || "./_~".contains(letter);
    let is_name = |text: String| text.starts_with(begins) && text.ends_with(char::is_alphanumeric);
    text.collect::<Option<String>>().is_some_and(is_name)
}

fn script(call: &mut Call<'_>, file: &Word, arguments: Vec<Word>) {
    // The row of `tsx` says the script by a letter.
    if call.row.name() != "tsx" {
        call.script(file, false, arguments);
        call.opaque = true;
    }
}

/// What is typed into a prompt is more than a code: errors do not end it, and it has commands of its own.
fn prompt(call: &mut Call<'_>) {
    if call.command.input != Input::Inherited {
        call.anything();
    }
}

fn input(call: &mut Call<'_>, language: &'static str) {
    match call.command.input.clone() {
        Input::Inherited => {}
        Input::Text(text) => call.code(language, Word::text(text)),
        Input::File(file) => script(call, &file, Vec::new()),
        Input::Unknown { .. } => call.code(language, Word::unknown()),
    }
}

/// `python -m pip install x` is `pip install x`. The words behind the module are its own, also those that python would know.
fn python_module(call: &mut Call<'_>, module: &Word) {
    let Some(name) = module.known() else {
        call.anything();
        return;
    };
    let names = |word: &Word| {
        word.head().starts_with('-') && !word.head().starts_with("--") && word.head().contains('m')
    };
    let words = &call.command.words;
    let at = words.iter().position(names).unwrap_or_default();
    let own = words.get(at).map(Word::head).unwrap_or_default();
    let is_next = own.ends_with('m');
    let behind = call.words_from(at + 1 + usize::from(is_next));
    let is_operand = |word: &&Word| !word.head().starts_with('-');
    let operands: Vec<&Word> = behind.iter().filter(is_operand).collect();
    let path = name.replace('.', "/");
    let ends = path.match_indices('/').map(|(at, _)| at);
    for end in ends.chain([path.len()]) {
        for file in [".py", "/__main__.py", "/__init__.py"] {
            let path = path.get(..end).unwrap_or_default();
            call.loads(&Word::text(format!("{path}{file}")));
        }
    }
    match name {
        "timeit" => timed(call, &behind),
        "asyncio" | "code" | "IPython" | "pdb" if call.command.input != Input::Inherited => {
            prompt(call);
        }
        "asyncio" | "code" if operands.is_empty() => return,
        "cProfile" | "profile" | "pdb" | "trace" | "runpy"
            if behind.iter().any(|word| {
                let name = word.head().trim_start_matches("-m");
                matches!(name, "timeit" | "asyncio" | "code" | "-c") || word.known().is_none()
            }) =>
        {
            call.anything();
        }
        "http.server" => serves(call, &behind),
        "venv" | "virtualenv" if behind.iter().any(|word| word.head().starts_with("--cl")) => {
            for word in &operands {
                call.does("D", word);
            }
        }
        _ => {}
    }
    if words::MODULES.contains(&name) {
        for (at, word) in operands.iter().enumerate() {
            call.does(if at == 0 { "r" } else { "w" }, word);
        }
    } else if super::find(name).is_some() && name != "python" {
        call.run(std::iter::once(Word::text(name)).chain(behind).collect());
    } else {
        call.opaque = true;
        if matches!(name, "venv" | "virtualenv") {
            call.by_name(format!("python -m {name}"), |call| {
                for word in operands {
                    call.does("W", word);
                }
            });
        }
    }
}

/// `python -m timeit -n 9 -s SETUP CODE`: all of it is one function.
fn timed(call: &mut Call<'_>, words: &[Word]) {
    let Some(known) = Word::all_known(words) else {
        return call.anything();
    };
    let is_option = |word: &&str| word.starts_with('-');
    let is_count = |word: &&str| word.chars().skip(2).all(|letter| letter.is_ascii_digit());
    let (options, code): (Vec<&str>, Vec<&str>) = known.into_iter().partition(is_option);
    if !options.iter().all(is_count) {
        return call.anything();
    }
    call.code("python", Word::text(code.join("\n")));
}

/// `python -m http.server -d FOLDER` gives out what is below a folder.
fn serves(call: &mut Call<'_>, words: &[Word]) {
    let is_option = |word: &&Word| word.head().starts_with("-d") || word.head().starts_with("--d");
    let joined =
        |word: &Word| Some(word.without(word.head().strip_prefix("--directory=").map(|_| 12)?));
    let mut options = (0..).zip(words).filter(|(_, word)| is_option(word));
    // Of several the last one holds, and of other spellings which one is not read.
    let folder = match (options.next(), options.next()) {
        (Some((at, word)), None) if word.says(&["-d", "--directory"]) => words.get(at + 1).cloned(),
        (Some((_, word)), None) => joined(word),
        _ => None,
    };
    call.likely("R", &folder.unwrap_or_else(|| Word::text(".")));
}

/// What `-` stands for is the code, and a file that is named first.
pub(super) fn starts(call: &mut Call<'_>, language: &'static str, endings: &[&str]) {
    let Some(first) = call.words().into_iter().next() else {
        return;
    };
    let (_, ending) = first.head().rsplit_once('.').unwrap_or_default();
    if first.says(&["-"]) || super::is_input(&first) {
        input(call, language);
    } else if !first.head().contains("://") && endings.contains(&ending) {
        script(call, &first, call.words().into_iter().skip(1).collect());
    }
}

/// `bun FILE`.
pub(super) fn bun(call: &mut Call<'_>) {
    if call.verb == super::VerbLookup::Unlisted && call.name == "bun" {
        fetched(call);
    }
}

/// `deno run URL`: the code of another machine, or a package.
pub(super) fn fetched(call: &mut Call<'_>) {
    starts(call, "node", words::NODE_FILES);
    for (at, word) in call.words().into_iter().enumerate() {
        let head = word.head().to_ascii_lowercase();
        if head.starts_with("http:") || head.starts_with("https:") {
            call.does("n", &word);
            call.code("node", Word::unknown());
        } else if head.starts_with("npm:") || head.starts_with("jsr:") {
            call.letter('p', Some(&word.without(4)), Certainty::Exact);
            let rest = call.words().into_iter().skip(at + 1);
            call.run(std::iter::once(word.without(4)).chain(rest).collect());
        }
    }
}
