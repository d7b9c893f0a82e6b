use super::*;
use crate::effect::{Certainty, Effect, EffectKind, Target};
use crate::places::TrackedNames;
use crate::tests::{rows, table_now};
use crate::word::Word;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Scripts by their paths.
struct Scripts(BTreeMap<PathBuf, String>);

impl Files for Scripts {
    fn script(&self, path: &Path) -> Option<String> {
        self.0.get(path).cloned()
    }

    fn is_nowhere(&self, path: &Path) -> bool {
        let is_module = path
            .components()
            .any(|part| part.as_os_str() == "venv.py" || part.as_os_str() == "venv");
        !self.0.contains_key(path)
            && (path.starts_with("/p/new")
                || path.file_stem().is_some_and(|name| name == "t")
                || is_module && !path.starts_with("/p/old"))
    }

    fn plain_names(&self, folder: &Path, _deep: bool) -> bool {
        folder.starts_with("/p/plain")
    }

    fn branch(&self, folder: &Path) -> Option<String> {
        (folder == Path::new("/p")).then(|| "work".to_owned())
    }

    fn alias(&self, folder: &Path, verb: &str) -> Option<String> {
        let all = [("pf", "push --force"), ("zz", "!cat a $1"), ("o", "o")];
        let own = all.iter().filter(|_| folder.starts_with("/p"));
        let own = own.clone().find(|(name, _)| *name == verb);
        own.map(|(_, text)| (*text).to_owned())
    }

    fn names_of_git(&self, folder: &Path, commits: &[String]) -> TrackedNames {
        if commits.iter().any(|commit| commit != "HEAD~1") {
            return TrackedNames::Unknown;
        }
        if folder == Path::new("/p/plain/few") {
            return TrackedNames::All(vec!["a.rs".into(), "src/b.rs".into(), "src/c".into()]);
        }
        if folder.starts_with("/p/plain") {
            TrackedNames::Plain
        } else {
            TrackedNames::Unknown
        }
    }
}

fn places() -> Places {
    Places {
        folder: "/p".into(),
        project: "/p".into(),
        home: Some("/h".into()),
        variables: BTreeMap::new(),
    }
}

fn done(line: &str) -> LineAnalysis {
    let script = ("/p/s.sh".into(), "#!/bin/sh\ncd sub\nrm $1\n".to_owned());
    let python = ("/p/s.py".into(), "#!/usr/bin/python3\n".to_owned());
    let module = "from shutil import rmtree\nfrom .parts import (\n    parse,\n)\n\ndef main(x):\n    pass\n\
                  def clean(x): pass\ndef run(x): pass\ndef get_settings(): pass\ndef get_item(x): pass\n";
    let module = ("/p/own/m.py".into(), module.to_owned());
    let parts = "from os import system\ndef parse(x): pass\n";
    let parts = ("/p/own/parts.py".into(), parts.to_owned());
    let package = "from .m import main, rmtree\n";
    let package = ("/p/own/__init__.py".into(), package.to_owned());
    let tables = ("/p/tables.sql".into(), "create table t (a);\n".to_owned());
    let hostile = ("/p/hostile.sql".into(), ".shell rm a\n".to_owned());
    let scripts = [script, python, module, parts, package, tables, hostile];
    let scripts = Scripts(BTreeMap::from(scripts));
    read(line, &places(), &scripts)
}

/// Whether anything may happen.
fn anything(done: &LineAnalysis) -> bool {
    EffectKind::ALL.iter().all(|kind| {
        let unknown = |effect: &&Effect| effect.object == Target::Unknown && effect.kind == *kind;
        done.effects.iter().find(unknown).is_some()
    })
}

/// The names of the programs of a line, `?` where one cannot be read.
fn programs(done: &LineAnalysis) -> Vec<String> {
    let names = done.commands.iter().map(|command| {
        let name = command.words.first().and_then(Word::known);
        name.map_or("?".to_owned(), str::to_owned)
    });
    names.collect()
}

/// What a line does, shortly: `w/p/x` for a file that is written, `?` before what only may be and `~` before what is likely.
fn told(line: &str) -> String {
    let done = done(line);
    let is_open = anything(&done);
    let mut all = Vec::new();
    all.extend(is_open.then(|| "anything".to_owned()));
    for effect in &done.effects {
        let is_told = is_open && effect.object == Target::Unknown;
        let kind = match (effect.kind, &effect.object) {
            (EffectKind::Exec, Target::Program { opaque: true, .. }) => "x",
            (EffectKind::Exec, _) => continue,
            _ if is_told => continue,
            (EffectKind::Read, _) => "r",
            (EffectKind::Write, _) => "w",
            (EffectKind::Delete, _) => "d",
            (EffectKind::Net, _) => "n",
            (kind, _) => kind.name(),
        };
        let object = match &effect.object {
            Target::Path(path) => path.display().to_string(),
            Target::Tree(path) => format!("{}/**", path.display()),
            Target::Pattern(pattern) => format!("~{pattern}"),
            Target::Host(name) | Target::Name(name) | Target::Program { name, .. } => name.clone(),
            Target::Push(_) | Target::Unknown => "?".to_owned(),
        };
        let sure = match effect.certainty {
            Certainty::Exact => "",
            Certainty::Likely => "~",
            Certainty::Unknown => "?",
        };
        all.push(format!("{sure}{kind}{object}"));
    }
    if all.is_empty() {
        return "nothing".to_owned();
    }
    all.join(" ")
}

/// Lines, where `⏎` ends one of several, and below each what it does.
const LINES: &str = include_str!("lines.txt");

/// The lines of other tests, by what is said of them.
const ROWS: &str = include_str!("rows.txt");

#[test]
fn each_line_of_the_file_does_what_stands_below_it() {
    let now = table_now(LINES, |row| vec![told(&row.replace('⏎', "\n"))]);
    assert!(now == LINES, "lines.txt as it is now:\n{now}<end>");
}

#[test]
fn hostile_lines_get_an_answer_that_is_unknown() {
    let many = |text: &str| text.repeat(10_000);
    for line in [
        many("$("),
        many("("),
        many("{ "),
        many("if "),
        many("case x in x) "),
        many("[[ ("),
        many("\"$("),
        many("<("),
        many("! "),
        many("${a:-"),
        many("${a#"),
        many("$(("),
        many("$["),
        many("f() "),
        format!("[[ a == {}", many("@(a|")),
        many("coproc "),
        many("a && "),
        many("a | "),
        many("until "),
        "x".repeat(LONGEST + 1),
        "rm a\0b".to_owned(),
        ":(){ :|:& };:".to_owned(),
        "f() { f; f; f; }; f".to_owned(),
        format!(
            "{}:{}",
            "for i in 1 2 3 4 5 6 7 8 9; do ".repeat(9),
            "; done".repeat(9)
        ),
        format!(
            "x=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa; {} echo $x",
            "x=$x$x$x$x;".repeat(30)
        ),
        format!("echo {}", "{a,b}".repeat(30)),
        format!("{}echo{}", "$((a) ; ".repeat(14), ")".repeat(14)),
        format!("rm {}", "a ".repeat(30_000)),
        format!("rm {}", "{".repeat(60_000)),
        format!("rm {}", "{a,".repeat(20_000)),
        format!("rm a{}", "\"\"{".repeat(20_000)),
        format!("x={}; rm ${{x%*a*b*c*d}}", "abc".repeat(20_000)),
        format!(
            "f() {{ {}f{}; }}; f",
            "if :; then ".repeat(20),
            "; fi".repeat(20)
        ),
        format!(
            "f() {{ {}f{}; }}; eval f",
            "{ ".repeat(25),
            "; }".repeat(25)
        ),
        "eval 'eval \"eval \\\"$0\\\"\"'".to_owned(),
    ] {
        let done = done(&line);
        let unknown = |effect: &Effect| effect.certainty == Certainty::Unknown;
        let short: String = line.chars().take(40).collect();
        let splits = done.commands.iter().flat_map(|command| &command.words);
        let splits = splits
            .flat_map(|word| &word.parts)
            .any(|part| *part == crate::word::Part::Split);
        assert!(done.effects.iter().any(unknown) || splits, "{short}");
    }
}

#[test]
fn long_and_deep_lines_of_everyday_are_read() {
    // What is not optimized needs more of the stack for each level, of which the parser takes a part.
    let deep = if cfg!(debug_assertions) { 8 } else { 20 };
    for line in [
        format!("echo {}", "x ".repeat(3_000)),
        "echo x; ".repeat(1_000),
        format!(
            "git commit -m \"$(cat <<'EOF'\n{}\nEOF\n)\"",
            "it's (a \"body\" $( ${ ` \n".repeat(500)
        ),
        format!("{}:{}", "if :; then ".repeat(deep), "; fi".repeat(deep)),
        format!("{}:{}", "echo $(".repeat(deep), ")".repeat(deep)),
    ] {
        let done = done(&line);
        let short: String = line.chars().take(40).collect();
        assert!(done.readable && !anything(&done), "{short}");
    }
}

#[test]
fn a_plain_command_is_told_from_everything_else() {
    for line in ["ls -la", "git log --oneline 'a b'", "rm -rf x # gone"] {
        assert!(done(line).plain, "{line}");
    }
    for line in rows(ROWS, "not plain").chain([String::new()]) {
        assert!(!done(&line).plain, "{line}");
    }
}

#[test]
fn commands_are_told_in_order_with_what_surrounds_them() {
    let done = done("A=1 c1 x | (cd d && c2) && sudo c3 $(c4)");
    assert_eq!(programs(&done), ["c1", "cd", "c2", "c4", "sudo", "c3"]);
    let first = done.commands.first().unwrap();
    assert_eq!(first.assigned, [("A".to_owned(), Word::text("1"))]);
    let second = done.commands.get(2).unwrap();
    assert_eq!(second.folders, [PathBuf::from("/p/d")]);
}

#[test]
fn a_plain_name_is_whole_and_begins_like_no_option_or_assignment() {
    use crate::places::is_plain;
    for name in ["a.log", ".env", "_x", "a+b", "x@2", "é"] {
        assert!(is_plain(name, false) && is_plain(name, true), "{name}");
    }
    for name in ["-x", "+main", "@file", "of=x", "%1"] {
        assert!(!is_plain(name, false) && is_plain(name, true), "{name}");
    }
    for name in [
        "a b", "a\nb", "a'b", "a\"b", "a\\b", "a*", "a?", "[a]", "a:b", "~a", "a|",
    ] {
        assert!(!is_plain(name, false) && !is_plain(name, true), "{name}");
    }
}

#[test]
fn what_edits_the_files_that_a_program_found_makes_no_other_names() {
    let may_write_elsewhere = |line: &str| {
        let unknown =
            |effect: &Effect| effect.kind == EffectKind::Write && effect.object == Target::Unknown;
        done(line).effects.iter().any(unknown)
    };
    for line in rows(ROWS, "writes what was found") {
        assert!(!may_write_elsewhere(&line), "{line}");
    }
    for line in rows(ROWS, "may write elsewhere") {
        assert!(may_write_elsewhere(&line), "{line}");
    }
}

#[test]
fn the_branch_that_is_checked_out_is_known_where_nothing_before_may_change_it() {
    let forces = |line: &str| {
        done(line)
            .effects
            .iter()
            .any(|effect| match &effect.object {
                Target::Push(push) => push.forced || push.deleted,
                object => effect.kind == EffectKind::Push && *object == Target::Unknown,
            })
    };
    for line in rows(ROWS, "pushes the branch") {
        assert!(!forces(&line), "{line}");
    }
    for line in rows(ROWS, "may force a branch") {
        assert!(forces(&line), "{line}");
    }
}

#[test]
fn the_script_that_activates_an_environment_of_python_sets_variables_and_does_nothing_else() {
    let script = |more: &str| {
        format!(
            "deactivate () {{\n  unset VIRTUAL_ENV\n}}\n# why\ndeactivate nondestructive\n\
             VIRTUAL_ENV=\"/p/.venv\"\nPATH=\"$VIRTUAL_ENV/bin:$PATH\"\n\
             PS1=\"(.venv) ${{PS1:-}}\"\n{more}"
        )
    };
    let sourced = |more: &str| {
        let file = ("/p/.venv/bin/activate".into(), script(more));
        let scripts = Scripts(BTreeMap::from([file]));
        let line = ". .venv/bin/activate && pytest; deactivate";
        read(line, &places(), &scripts)
    };
    assert!(!anything(&sourced("")));
    for more in [
        "PS1=$X",
        "VIRTUAL_ENV=\"/p/$(cat x)\"",
        "PATH=/x:$PATH\nPS1=$(cat y)",
    ] {
        assert!(anything(&sourced(more)), "{more}");
    }
    let removes = |done: &LineAnalysis| {
        done.effects
            .iter()
            .any(|effect| effect.kind == EffectKind::Delete)
    };
    assert!(removes(&sourced("rm x")));
    // A script of the environment runs in the place of the program of its name.
    let files = [
        ("activate", script("")),
        ("pytest", "#!/bin/sh\nrm x\n".to_owned()),
    ];
    let files = files.map(|(name, text)| (Path::new("/p/.venv/bin").join(name), text));
    let own = Scripts(BTreeMap::from(files));
    assert!(removes(&read(
        ". .venv/bin/activate && pytest",
        &places(),
        &own
    )));
    // Another folder than its own is none that it activates.
    let file = ("/p/other/bin/activate".into(), script(""));
    let other = Scripts(BTreeMap::from([file]));
    assert!(anything(&read(". other/bin/activate", &places(), &other)));
}

#[test]
fn an_environment_of_python_that_the_line_makes_is_activated() {
    let knows_its_folder = |line: &str| {
        let done = read(line, &places(), &Scripts(BTreeMap::new()));
        let is_it = |command: &ShellCommand| {
            command.words == [Word::text("pytest")] && command.folders == [Path::new("/p")]
        };
        done.commands.iter().any(is_it) && !anything(&done)
    };
    for made in rows(ROWS, "activates what it made") {
        assert!(knows_its_folder(&made), "{made}");
    }
    for other in rows(ROWS, "activates something else") {
        assert!(!knows_its_folder(&other), "{other}");
    }
}
