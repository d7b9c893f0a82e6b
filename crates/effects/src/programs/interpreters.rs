//! Interpreters: inline code, scripts and modules.

use super::call::Call;
use super::{Program, row};
use crate::command::{Inner, Input};
use crate::effect::{Certainty, Kind, Object};
use crate::word::{Part, Word};

pub(super) static ROWS: &[Program] = &[
    row("python|pypy|ipython|bpython|jython|micropython|python2|graalpy|sage", "+ c:! m: W: X: Q: B b d E h i I O P q s S u v V x check-hash-based-pycs: pdb", "").more(runs),
    row("perl|raku", "+ e: E: M:x m:x I:R i? l? 0? F: C? D? x? V? n p a c d? s S t T u U v w W X f", "").more(runs),
    row("ruby|jruby|irb|truffleruby", "+ e: r:x I:R C:/ E: K? T? W? x? i? F: 0? n p a c d h l s S u U v w y", "").more(runs),
    row("node|nodejs|electron|iojs", "+ e,eval: p,print: r,require:x import:x loader,experimental-loader:x env-file:r C,conditions: title: input-type: inspect? inspect-brk? inspect-wait? inspect-port: max-old-space-size,max_old_space_size: stack-trace-limit: stack-size: unhandled-rejections: dns-result-order: c,check i,interactive v,version test watch cpu-prof cpu-prof-name:w cpu-prof-dir:W cpu-prof-interval: heap-prof heap-prof-name:w heap-prof-dir:W heap-prof-interval: prof logfile:w redirect-warnings:w trace-event-file-pattern:w trace-event-categories: report-filename:w localstorage-file:w test-reporter: test-reporter-destination:w test-name-pattern: experimental-sea-config:x experimental-config-file:x openssl-config:x env-file-if-exists:r run:x diagnostic-dir:W report-dir:W report-directory:W snapshot-blob:r build-snapshot no-warnings no-deprecation trace-warnings trace-deprecation trace-uncaught enable-source-maps experimental-vm-modules experimental-strip-types experimental-transform-types experimental-default-type: expose-gc harmony preserve-symlinks throw-deprecation use-system-ca abort-on-uncaught-exception disable-warning: no-experimental-fetch no-experimental-require-module no-experimental-detect-module openssl-legacy-provider use-openssl-ca use-bundled-ca experimental-wasm-modules experimental-test-coverage experimental-test-module-mocks test-concurrency: test-timeout: test-only watch-path: watch-preserve-output pending-deprecation tls-keylog:w tls-cipher-list: jitless permission experimental-permission allow-fs-read: allow-fs-write: allow-child-process allow-worker allow-addons max-http-header-size: max-semi-space-size: trace-exit trace-sigint trace-sync-io h,help", "").more(runs),
    row("php|php-cgi|hhvm", "+ r: f:f B: R: F: E: c:r d:x z:x S:n t:R g: a i l m n s w v", "").more(runs),
    row("lua|luajit|texlua", "+ e: l:x i v E W", "").more(runs),
    row("deno", "c,config:r import-map:r L,log-level: q,quiet A,allow-all unstable cert:r lock:r allow-read? allow-write? allow-net? allow-run? allow-env? r,reload? no-check node-modules-dir? o,output:w ext:", "v"),
    row("deno eval", "p,print T", "").more(evaluates),
    row("deno run|serve|test|bench|task|repl|compile|bundle|install|add|upgrade|x|jupyter|publish|deploy|clean|uninstall|remove|init|vendor|cache|check|doc|fmt|lint|coverage", "", "-*").does("x n").more(fetched),
    row("tsx|ts-node|ts-node-esm|jsx|esno|bunx-run|babel-node|coffee|zx|vite-node|jiti|qjs|quickjs|d8|jsc|rhino|nashorn|jjs|wasmtime|wasmer|wasmedge", "+ e,eval: p,print: r,require:x P,project:r", "f").more(runs),
    row("Rscript|R|julia|octave|matlab|maxima|gp|scala|kotlin|groovy|clojure|bb|sbcl|clisp|guile|racket|mzscheme|chicken|csi|gosh|elixir|iex-shell|erl|escript|ghci|runghc|runhaskell|stack-run|swift-run|ocaml|utop|java|javaw|scala-cli|jshell|dart-run|io|gforth|tclsh|wish|expectk|pike|rexx|regina|snobol|swipl|gprolog|mono|dotnet-script|fsi|go-run|gorun|v-run|nim-run|crystal-run|tcc-run|cling|root|gnuplot|bc|dc|janet|fennel|hy|rebol|squirrel|gjs|cjs|seed|wine|wine64|box64|qemu-x86_64|qemu-user", "", "-*").does("x"),
    row("source-highlight|jupyter|nbconvert|papermill|streamlit|gradio|dash-run|notebook|marimo|quarto", "", "-*").does("x"),
];

/// Modules of Python that only read or print.
const MODULES: &[&str] = &[
    "json.tool",
    "base64",
    "calendar",
    "platform",
    "site",
    "tokenize",
    "dis",
    "this",
    "ast",
    "keyword",
    "sysconfig",
    "locale",
    "mimetypes",
    "uuid",
    "gettext",
    "difflib",
    "inspect",
    "pyclbr",
    "tabnanny",
    "textwrap",
];

/// Code in an option, a module, a script, or what the input says.
fn runs(call: &mut Call<'_>) {
    let at = call.reading.operands.first().map(|operand| operand.at);
    let words = at
        .and_then(|at| call.command.words.get(at..))
        .unwrap_or_default()
        .to_vec();
    let name = call.row.name();
    let inline: &[&str] = match name {
        "python" => &["c"],
        "perl" => &["e", "E"],
        "node" | "tsx" => &["e", "p"],
        "php" => &["r", "B", "R", "E"],
        _ => &["e"],
    };
    // Python ends its options at `-c` and `-m`: what follows belongs to the code.
    let code: Vec<Word> = inline
        .iter()
        .flat_map(|option| call.reading.values(option))
        .cloned()
        .collect();
    if call.reading.unreadable && code.is_empty() {
        call.anything();
    }
    if name == "node" {
        measures(call);
    }
    let language = if name == "tsx" { "node" } else { name };
    for text in &code {
        code_runs(call, language, text, &words);
    }
    let module: Option<Word> = call
        .reading
        .values("m")
        .next()
        .cloned()
        .filter(|_| name == "python");
    if let Some(module) = &module {
        python_module(call, module, &words);
    }
    if matches!(name, "perl" | "ruby") {
        edits(call, &words, !code.is_empty());
    }
    // After the code they go on with what they read.
    let goes_on = match name {
        "python" | "node" | "tsx" | "php" => call.may("i") || call.may("a"),
        "perl" => call.may("d"),
        _ => false,
    };
    if goes_on {
        input(call, language);
    }
    if !code.is_empty() || module.is_some() || call.has("V") || call.has("v") && words.is_empty() {
        return;
    }
    match words.split_first() {
        Some((first, rest)) if first.known().as_deref() != Some("-") && !super::is_input(first) => {
            script(call, first, rest);
        }
        _ => input(call, language),
    }
}

/// Node writes what it measured into its folder, and options of its engine that are not listed may name a file.
fn measures(call: &mut Call<'_>) {
    if ["cpu-prof", "heap-prof", "prof"]
        .iter()
        .any(|option| call.may(option))
    {
        call.act_path(Kind::Write, &Word::text("."), Certainty::Likely, true);
    }
    if !call.reading.unlisted.is_empty() {
        call.effect(Kind::Write, Object::Unknown, Certainty::Unknown);
    }
}

/// `-i` edits files in place, `-n` and `-p` read them.
fn edits(call: &mut Call<'_>, words: &[Word], has_code: bool) {
    let files = words.get(usize::from(!has_code)..).unwrap_or_default();
    let in_place = call.may("i");
    if !(in_place || (has_code && (call.may("n") || call.may("p")))) {
        return;
    }
    if call.row.name() == "perl" && !files.iter().all(is_only_a_file) {
        call.anything();
    }
    let suffix = call.reading.values("i").last().cloned();
    for word in files {
        call.act_path(Kind::Read, word, Certainty::Exact, false);
        if in_place {
            call.act_path(Kind::Write, word, Certainty::Exact, false);
        }
        if let Some(suffix) = &suffix {
            call.keeps_copy(word, suffix);
        }
    }
}

/// Whether Perl only opens a file: it runs a name with `|` at an end, and writes one that begins with `>`.
fn is_only_a_file(word: &Word) -> bool {
    let runs = |letter: char| letter.is_whitespace() || "|<>+&".contains(letter);
    if let Some(text) = word.known() {
        return !text.starts_with(runs) && !text.ends_with(runs);
    }
    let ends = |part: &Part, end: fn(&str) -> Option<char>| match part {
        Part::Text(text) => end(text).is_none_or(|letter| !runs(letter)),
        Part::Glob(pattern) => end(pattern).is_some_and(char::is_alphanumeric),
        Part::Unknown | Part::Split => false,
    };
    let first = word
        .parts
        .first()
        .is_some_and(|part| ends(part, |text| text.chars().next()));
    first
        && word
            .parts
            .last()
            .is_some_and(|part| ends(part, |text| text.chars().last()))
}

fn code_runs(call: &mut Call<'_>, language: &'static str, text: &Word, arguments: &[Word]) {
    call.acts.runs.push(Inner::Code {
        language,
        text: text.clone(),
        arguments: arguments.to_vec(),
        folders: call.folders.clone(),
    });
}

fn script(call: &mut Call<'_>, first: &Word, rest: &[Word]) {
    if call.row.name() == "tsx" {
        return;
    }
    call.act_path(Kind::Read, first, Certainty::Exact, false);
    call.acts.runs.push(Inner::File {
        file: first.clone(),
        shell: false,
        arguments: rest.to_vec(),
        folders: call.folders.clone(),
    });
    call.opaque = true;
}

fn input(call: &mut Call<'_>, language: &'static str) {
    match call.command.input.clone() {
        Input::Inherited => {}
        Input::Text(text) => code_runs(call, language, &Word::text(text), &[]),
        Input::File(file) => script(call, &file, &[]),
        Input::Unknown { .. } => code_runs(call, language, &Word::unknown(), &[]),
    }
}

/// `python -m pip install x` is `pip install x`.
fn python_module(call: &mut Call<'_>, module: &Word, words: &[Word]) {
    let Some(name) = module.known() else {
        call.anything();
        return;
    };
    if MODULES.contains(&&*name) {
        for word in words
            .iter()
            .filter(|word| !word.head().starts_with('-'))
            .take(1)
        {
            call.act_path(Kind::Read, word, Certainty::Exact, false);
        }
        for word in words
            .iter()
            .filter(|word| !word.head().starts_with('-'))
            .skip(1)
        {
            call.act_path(Kind::Write, word, Certainty::Exact, false);
        }
        return;
    }
    // The words behind the module are its own, also those that python would know.
    let all = &call.command.words;
    let at = all.iter().position(|word| {
        word.known().is_some_and(|text| {
            text == "-m"
                || (text.starts_with('-') && !text.starts_with("--") && text.ends_with('m'))
        })
    });
    let at = at.map_or_else(
        || {
            all.iter()
                .position(|word| word.head().starts_with("-m"))
                .unwrap_or_default()
                + 1
        },
        |at| at + 2,
    );
    let behind = all.get(at..).unwrap_or_default().to_vec();
    if super::find(&name).is_some() && name != "python" {
        let mut inner = vec![Word::text(&*name)];
        inner.extend(behind);
        call.run(inner, false);
        return;
    }
    call.opaque = true;
    if matches!(&*name, "venv" | "virtualenv") {
        for word in behind.iter().filter(|word| !word.head().starts_with('-')) {
            call.act_path(Kind::Write, word, Certainty::Exact, true);
        }
    }
}

/// `deno run URL`: the code of another machine, or a package.
fn fetched(call: &mut Call<'_>) {
    for word in call.words() {
        let head = word.head().to_ascii_lowercase();
        if head.starts_with("http:") || head.starts_with("https:") {
            call.connect(&word, Certainty::Exact);
            code_runs(call, "node", &Word::unknown(), &[]);
        } else if head.starts_with("npm:") || head.starts_with("jsr:") {
            call.named(Kind::Install, Some(&word.without(4)), Certainty::Exact);
        }
    }
}

/// `deno eval TEXT`.
fn evaluates(call: &mut Call<'_>) {
    let text = call.words().first().cloned().unwrap_or_else(Word::unknown);
    code_runs(call, "node", &text, &[]);
}
