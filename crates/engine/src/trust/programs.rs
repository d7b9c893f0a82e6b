//! What a simple command executes: its program, and the files and texts that its program runs.

use Language::{Other, Python, Script, Shell};

/// What a script is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Language {
    /// A shell.
    Shell,
    /// Python.
    Python,
    /// JavaScript or TypeScript.
    Script,
    /// Any other.
    Other,
}

/// Something that is executed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Ran {
    /// A program, which is looked for on `PATH` where its word names no folder.
    Program(String),
    /// A file that an interpreter runs.
    File(String, Option<Language>),
    /// A text that an interpreter runs.
    Text(String, Language),
    /// A Python module, as `a.b`.
    Module(String),
    /// A folder from which later words may count.
    Folder(String),
}

/// A program that runs a file or a text.
struct Interpreter {
    names: &'static [&'static str],
    language: Language,
    /// Options whose value is no file that runs.
    valued: &'static [&'static str],
    /// Options whose value is a text that runs; then no argument is a script.
    texts: &'static [&'static str],
    /// Options whose value is a file that runs.
    files: &'static [&'static str],
    /// What the first argument is.
    first: First,
}

/// What the first argument of an interpreter is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum First {
    /// The file that runs.
    File,
    /// A word of the interpreter's own, or a file that is only read.
    Data,
}

const fn of(
    names: &'static [&'static str],
    language: Language,
    valued: &'static [&'static str],
    texts: &'static [&'static str],
    files: &'static [&'static str],
) -> Interpreter {
    Interpreter {
        names,
        language,
        valued,
        texts,
        files,
        first: First::File,
    }
}

const fn reader(names: &'static [&'static str], files: &'static [&'static str]) -> Interpreter {
    Interpreter {
        first: First::Data,
        ..of(names, Other, &[], &[], files)
    }
}

const LOADERS: &[&str] = &[
    "-r",
    "--require",
    "--import",
    "--loader",
    "--experimental-loader",
    "--preload",
];

#[rustfmt::skip]
static INTERPRETERS: &[Interpreter] = &[
    of(&["sh", "bash", "dash", "zsh", "ksh", "mksh", "ash", "fish"], Shell, &["-o", "+o", "-O", "+O"], &["-c"],
        &["--rcfile", "--init-file"]),
    of(&["python", "pypy"], Python, &["-W", "-X", "--check-hash-based-pycs"], &["-c"], &[]),
    of(&["node", "nodejs", "tsx", "ts-node", "electron"], Script, &["-C", "--conditions", "--title", "--tsconfig", "-P"],
        &["-e", "--eval", "-p", "--print"], LOADERS),
    of(&["bun"], Script, &["--cwd", "-c", "--config", "--env-file"], &["-e", "--eval", "-p", "--print"], LOADERS),
    of(&["deno"], Script, &["-c", "--config", "--import-map", "--lock", "--cert"], &[], LOADERS),
    of(&["ruby"], Other, &["-I", "-C", "-E"], &["-e"], &["-r"]),
    of(&["perl"], Other, &["-I"], &["-e", "-E"], &[]),
    of(&["php"], Other, &["-c", "-d"], &["-r"], &["-f"]),
    of(&["lua", "luajit", "Rscript", "julia", "osascript", "tclsh", "expect", "groovy", "elixir", "swift", "dotnet"], Other,
        &[], &["-e"], &["-f"]),
    of(&["java"], Other, &["-cp", "-classpath", "--class-path"], &[], &["-jar"]),
    of(&["pwsh", "powershell"], Other, &["-executionpolicy", "-ep", "-ex", "-version", "-workingdirectory"],
        &["-command", "-c", "-encodedcommand"], &["-file", "-f"]),
    reader(&["awk", "gawk", "mawk", "nawk"], &["-f", "--file", "-E", "--exec", "-i", "--include"]),
    reader(&["jq", "yq", "jaq"], &["-f", "--from-file"]),
    reader(&["sed", "gsed"], &["-f", "--file"]),
    reader(&["make", "gmake", "just", "ant"], &["-f", "--file", "--makefile", "--justfile", "-buildfile"]),
];

/// A program that runs another one.
struct Wrapper {
    names: &'static [&'static str],
    /// The words, one of which has to stand first; where there are none, the program itself does.
    verbs: &'static [&'static str],
    valued: &'static [&'static str],
    /// How many arguments stand before the program.
    before: usize,
}

const fn wrap(
    names: &'static [&'static str],
    verbs: &'static [&'static str],
    valued: &'static [&'static str],
    before: usize,
) -> Wrapper {
    Wrapper {
        names,
        verbs,
        valued,
        before,
    }
}

#[rustfmt::skip]
static WRAPPERS: &[Wrapper] = &[
    wrap(&["!", "builtin", "nohup", "setsid", "unbuffer", "chronic", "busybox", "caffeinate", "if", "then", "else", "elif",
        "while", "until", "do", "{", "npx", "pnpx", "bunx", "uvx"], &[], &["-p", "--package", "--from", "--with"], 0),
    wrap(&["exec"], &[], &["-a"], 0),
    wrap(&["command"], &[], &[], 0),
    wrap(&["env"], &[], &["-u", "--unset", "-C", "--chdir"], 0),
    wrap(&["sudo", "doas"], &[], &["-u", "-g", "-h", "-p", "-C", "-T", "-D", "-R", "-U", "-r", "-t", "--user", "--group"], 0),
    wrap(&["nice", "ionice"], &[], &["-n", "-c", "--adjustment", "--class", "--classdata"], 0),
    wrap(&["timeout", "gtimeout"], &[], &["-k", "-s", "--kill-after", "--signal"], 1),
    wrap(&["time"], &[], &["-o", "-f", "--output", "--format"], 0),
    wrap(&["stdbuf"], &[], &["-i", "-o", "-e"], 0),
    wrap(&["xargs"], &[], &["-I", "-n", "-P", "-L", "-d", "-E", "-s", "-a", "--max-args", "--max-procs", "--arg-file"], 0),
    wrap(&["flock", "chrt", "taskset"], &[], &["-w", "-E", "--timeout"], 1),
    wrap(&["watch", "strace", "ltrace"], &[], &["-n", "-o", "-e", "-s"], 0),
    wrap(&["uv", "pipx", "poetry", "pipenv", "rye", "hatch", "pdm", "conda", "go", "dotenvx", "op"], &["run"],
        &["--with", "--python", "-p", "--from", "--extra", "--group", "--project", "--directory", "--env-file", "-n", "-f"], 0),
    wrap(&["npm", "pnpm", "yarn", "bundle", "asdf", "mise", "rbenv", "pyenv"], &["exec", "x", "dlx", "node"], &["-C", "--prefix"], 0),
    wrap(&["direnv"], &["exec"], &[], 1),
];

/// As many programs that run each other are followed; of more, every word may be a file.
const DEEPEST: usize = 16;

/// Variables by which a program runs a file, with the program.
const RUN_BY_VARIABLE: &[(&str, &str)] = &[
    ("BASH_ENV", "sh"),
    ("ENV", "sh"),
    ("NODE_OPTIONS", "node"),
    ("PERL5OPT", "perl"),
    ("PYTHONSTARTUP", "python"),
    ("RUBYOPT", "ruby"),
];

/// Returns what runs by a variable of the environment.
pub(super) fn by_variable(name: &str, value: &str) -> Vec<Ran> {
    let known = RUN_BY_VARIABLE.iter().find(|(known, _)| *known == name);
    if name == "LD_PRELOAD" {
        return value
            .split([':', ' '])
            .map(|file| Ran::File(file.to_owned(), None))
            .collect();
    }
    let words = value.split_whitespace().map(str::to_owned);
    known.map_or_else(Vec::new, |(_, program)| {
        executed(
            &std::iter::once((*program).to_owned())
                .chain(words)
                .collect::<Vec<_>>(),
        )
    })
}

/// Returns what a command executes.
pub(super) fn executed(command: &[String]) -> Vec<Ran> {
    within(command, 0)
}

fn within(command: &[String], depth: usize) -> Vec<Ran> {
    if depth > DEEPEST {
        let words = command.iter();
        return words.map(|word| Ran::File(word.clone(), None)).collect();
    }
    let set: Vec<_> = command.iter().map_while(|word| assignment(word)).collect();
    let by_variables = set
        .iter()
        .flat_map(|(name, value)| by_variable(name, value));
    let mut ran: Vec<Ran> = by_variables.collect();
    let words = command.get(set.len()..).unwrap_or_default();
    if let Some((program, rest)) = words.split_first() {
        ran.push(Ran::Program(program.clone()));
        ran.extend(by_program(name_of(program), rest, depth));
    }
    ran
}

fn by_program(name: &str, rest: &[String], depth: usize) -> Vec<Ran> {
    let first = || rest.iter().find(|word| !word.starts_with('-')).cloned();
    let one = |ran: Option<Ran>| ran.into_iter().collect();
    match name {
        "." | "source" => one(first().map(|file| Ran::File(file, Some(Shell)))),
        "trap" => one(first().map(|text| Ran::Text(text, Shell))),
        "cd" | "pushd" => one(first().map(Ran::Folder)),
        "eval" => vec![Ran::Text(rest.join(" "), Shell)],
        "find" => {
            let runs = |word: &String| ["-exec", "-execdir", "-ok", "-okdir"].contains(&&**word);
            let parts = rest.split(|word| word == ";" || word == "+");
            let commands = parts.filter_map(|part| part.get(part.iter().position(runs)? + 1..));
            commands
                .flat_map(|command| within(command, depth + 1))
                .collect()
        }
        _ => {
            let wrapper = WRAPPERS.iter().find(|row| row.names.contains(&name));
            match (interpreter(name), wrapper) {
                (Some(interpreter), _) => interpreter.executed(rest),
                (None, Some(wrapper)) => wrapper.executed(name, rest, depth),
                (None, None) => Vec::new(),
            }
        }
    }
}

fn name_of(program: &str) -> &str {
    program.rsplit(['/', '\\']).next().unwrap_or(program)
}

/// Returns the language of a text or a file that a command reads from its standard input as a program.
pub(super) fn reads_program(command: &[String]) -> Option<Language> {
    let ran = executed(command);
    let runs_other = |ran: &Ran| !matches!(ran, Ran::Program(_));
    let last = ran.iter().rev().find_map(|ran| match ran {
        Ran::Program(program) => Some(program),
        _ => None,
    })?;
    let interpreter = interpreter(name_of(last))?;
    let is_stdin = command
        .iter()
        .any(|word| matches!(word.as_str(), "-" | "-s" | "/dev/stdin"));
    (interpreter.first == First::File && (is_stdin || !ran.iter().any(runs_other)))
        .then_some(interpreter.language)
}

/// Returns the language of the program that runs a script, by the first line of the script.
pub(super) fn language_of(program: &str) -> Option<Language> {
    interpreter(name_of(program)).map(|interpreter| interpreter.language)
}

fn interpreter(name: &str) -> Option<&'static Interpreter> {
    let name = name.strip_suffix(".exe").unwrap_or(name);
    let plain = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    let is_it = |row: &&Interpreter| row.names.contains(&name) || row.names.contains(&plain);
    INTERPRETERS.iter().find(is_it)
}

fn assignment(word: &str) -> Option<(&str, &str)> {
    let (name, value) = word.split_once('=')?;
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let is_one = !name.is_empty()
        && name.chars().all(is_name)
        && !name.starts_with(|c: char| c.is_ascii_digit());
    is_one.then_some((name, value))
}

impl Interpreter {
    fn executed(&self, rest: &[String]) -> Vec<Ran> {
        let mut ran = Vec::new();
        let mut words = rest.iter();
        let mut has_text = false;
        while let Some(word) = words.next() {
            let (option, value) = match word.split_once('=') {
                Some((option, value)) if word.starts_with("--") => (option, Some(value)),
                _ => (word.as_str(), None),
            };
            let lower = option.to_lowercase();
            let is = |options: &[&str]| {
                options.contains(&option)
                    || (self.names.contains(&"pwsh") && options.contains(&&*lower))
            };
            let mut next = || value.map(str::to_owned).or_else(|| words.next().cloned());
            if option == "-m" && self.language == Python {
                ran.extend(next().map(Ran::Module));
                return ran;
            }
            if is(self.texts) || self.is_cluster(option) {
                ran.extend(next().map(|text| Ran::Text(text, self.language)));
                has_text = true;
            } else if is(self.files) {
                ran.extend(next().map(|file| Ran::File(file, Some(self.language))));
                has_text |= self.names.contains(&"pwsh");
            } else if is(self.valued) {
                next();
            } else if let Some(file) = self.attached(option) {
                let file = Some(file.to_owned()).filter(|file| !file.is_empty());
                let file = file.or_else(next);
                ran.extend(file.map(|file| Ran::File(file, Some(self.language))));
            } else if option.len() > 1 && option.starts_with(['-', '+']) {
                // Any other option stands alone.
            } else if self.first == First::Data {
                // Its options may stand behind its arguments.
            } else if has_text || word == "-" {
                break;
            } else if self.language == Script
                && matches!(word.as_str(), "run" | "watch" | "test" | "x")
            {
                // The verb of a program that has several.
            } else {
                ran.push(Ran::File(word.clone(), Some(self.language)));
                break;
            }
        }
        ran
    }

    /// Tells whether the value of short options that are written as one is a text: `-lc`, `-ne`.
    fn is_cluster(&self, option: &str) -> bool {
        let Some(letters) = option
            .strip_prefix('-')
            .filter(|letters| letters.len() > 1 && self.language != Script)
        else {
            return false;
        };
        let is_text = |last: &str| {
            self.texts
                .iter()
                .any(|text| text.strip_prefix('-') == Some(last))
        };
        letters.chars().all(|c| c.is_ascii_alphabetic())
            && letters.len() < 6
            && !self.names.contains(&"pwsh")
            && letters.get(letters.len() - 1..).is_some_and(is_text)
    }

    /// Returns what stands behind the letter of an option that takes a file: `prog.awk` of `-fprog.awk`, `x` of `-nfx`, and
    /// nothing of `-nf`, whose file is the next word.
    fn attached<'o>(&self, option: &'o str) -> Option<&'o str> {
        let letters = option
            .strip_prefix('-')
            .filter(|letters| !letters.starts_with('-'))?;
        let mut files = self.files.iter().filter_map(|file| file.strip_prefix('-'));
        files.find_map(|file| {
            let (flags, rest) = letters.split_once(file).filter(|_| file.len() == 1)?;
            let is_flags = flags.is_empty()
                || self.first == First::Data && flags.chars().all(char::is_alphanumeric);
            is_flags.then_some(rest)
        })
    }
}

impl Wrapper {
    fn executed(&self, name: &str, rest: &[String], depth: usize) -> Vec<Ran> {
        let (mut at, mut before) = (0, self.before);
        let mut verb = !self.verbs.is_empty();
        while let Some(word) = rest.get(at) {
            if name == "command" && (word.starts_with("-v") || word.starts_with("-V")) {
                return Vec::new();
            }
            if name == "env" && (word == "-S" || word == "--split-string") {
                let text = rest.get(at + 1..).unwrap_or_default().join(" ");
                return vec![Ran::Text(text, Shell)];
            }
            if self.valued.contains(&word.as_str()) {
                at += 2;
            } else if word.starts_with('-') && word.len() > 1 {
                at += 1;
            } else if verb {
                if !self.verbs.contains(&word.as_str()) {
                    return Vec::new();
                }
                verb = false;
                at += 1;
            } else if before > 0 {
                before -= 1;
                at += 1;
            } else {
                break;
            }
        }
        let inner = rest.get(at..).unwrap_or_default();
        let mut ran = within(inner, depth + 1);
        // What such a program is given is a file as often as a name: `uv run guard.py`.
        if let (false, Some(word)) = (self.verbs.is_empty(), inner.first()) {
            ran.push(Ran::File(word.clone(), None));
        }
        ran
    }
}
