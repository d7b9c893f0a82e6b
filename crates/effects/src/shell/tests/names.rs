//! Names that the line finds on the disk, and code that it brings along.

use super::*;

/// Whether the line may delete what it does not name.
fn deletes_unknown(line: &str) -> bool {
    let unknown = |effect: &Effect| effect.kind == Kind::Delete && effect.object == Object::Unknown;
    done(line).effects.iter().any(unknown)
}

#[test]
fn a_path_through_a_folder_of_a_process_ends_as_it_is_written() {
    let deleted = |line: &str| {
        let all = done(line).effects.into_iter();
        let mut all = all.filter(|effect| effect.kind == Kind::Delete);
        all.next().map(|effect| effect.object)
    };
    for line in [
        "exec 3< /d; rm /dev/fd/3/src/x",
        "rm /proc/self/cwd/src/x",
        "rm /proc/$$/fd/7/src/x",
        "rm /proc/self/root/src/x",
    ] {
        let wanted = Object::Pattern("**/src/x".to_owned());
        assert_eq!(deleted(line), Some(wanted), "{line}");
    }
    assert_eq!(deleted("rm /proc/x"), Some(Object::Path("/proc/x".into())));
    for line in [
        "rm -r /proc/self/cwd/",
        "rm -r /proc/self/cwd/../x",
        "rm -r /dev/fd/3/.",
    ] {
        assert_eq!(deleted(line), Some(Object::Unknown), "{line}");
    }
}

#[test]
fn names_that_a_program_found_are_the_words_of_xargs_where_all_names_are_plain() {
    let pattern = |text: &str| Object::Pattern(text.to_owned());
    let deleted = |line: &str| -> Vec<Object> {
        let effects = done(line).effects.into_iter();
        let deleted = effects.filter(|effect| effect.kind == Kind::Delete);
        deleted.map(|effect| effect.object).collect()
    };
    let found = [pattern("/p/plain/*.o"), pattern("/p/plain/**/*.o")];
    for line in [
        "find plain -name '*.o' | xargs rm",
        "find plain -name '*.o' -print0 | xargs -0 rm",
        "cd plain && find . -name '*.o' | xargs -r rm | cat",
    ] {
        let own: Vec<Object> = deleted(line)
            .into_iter()
            .map(|object| match object {
                Object::Pattern(text) => Object::Pattern(text.replace("/./", "/")),
                other => other,
            })
            .collect();
        assert_eq!(own, found, "{line}");
    }
    for line in [
        // A name may hold a blank: what it splits into may be anything.
        "find other -name '*.o' | xargs rm",
        "find plain other -name '*.o' | xargs rm",
        "find plain -name '*.o' -printf '/x' | xargs rm",
        "find plain -name $X | xargs -d / rm",
        "find plain -name '*.o' | xargs -d / rm",
        "find plain -name '*.o' | sed s/a/b/ | xargs rm",
        "(find plain; echo /x $y) | xargs rm",
        "{ find plain; cat x; } | xargs rm",
        "find 'plain/x .env' | xargs rm",
        "find -- 'plain/../-x' | xargs rm",
        "grep -rl x \"plain/it's\" | xargs rm",
        "find plain -fprintf /dev/stdout '/x ' | xargs rm",
        "find plain -fls /dev/fd/1 | xargs rm",
        "GREP_OPTIONS=--color=always grep -rl x plain | xargs rm",
        "export GREP_OPTIONS=--color=always; grep -rl x plain | xargs rm",
        "grep -rlc x plain | xargs rm",
        "rg -l --type-add 'x: .env ' --type-list plain | xargs rm",
        "ack -l x plain | xargs rm",
        "mkdir 'plain/ x'; find plain | xargs rm",
        "find plain | xargs rm | mkdir 'plain/ x'",
        "(find plain | xargs rm) & mkdir 'plain/ x'",
        "grep -rl x plain --label=/etc/y - | xargs rm",
        "rg -l x plain --path-separator x | xargs rm",
        "grep -rl --color=always x plain | xargs rm",
        "cd plain && grep -rl x | xargs rm",
    ] {
        assert!(deletes_unknown(line), "{line}");
    }
}

#[test]
fn a_pattern_is_no_option_where_all_names_are_plain_and_nothing_made_another_one() {
    let may_write_elsewhere = |line: &str| {
        let unknown =
            |effect: &Effect| effect.kind == Kind::Write && effect.object == Object::Unknown;
        done(line).effects.iter().any(unknown)
    };
    assert!(!may_write_elsewhere("cd plain && mv *.log old/"));
    for line in [
        "mv *.log old/",
        "cd plain && touch -- -tx.log; mv *.log old/",
        "cd plain && make; mv *.log old/",
        "cd plain && mv *.log old/ | touch -- -tx.log",
        "cd plain && (sleep 1; mv *.log old/) & touch -- -tx.log",
        "cd plain && cat <(mv *.log old/); touch -- -tx.log",
        "cd plain && mv *.log old/ $(touch -- -tx.log)",
        "cd plain && while true; do mv *.log old/; touch -- -tx.log; done",
        "cd plain && find . -exec sh -c 'mv *.log old/; touch -- -tx.log' ';'",
    ] {
        assert!(may_write_elsewhere(line), "{line}");
    }
}

#[test]
fn a_variable_that_counts_stays_a_number() {
    assert!(!anything(&done(
        "n=5; while [ $n -gt 0 ]; do n=$((n-1)); done"
    )));
    assert!(anything(&done(
        "n=5; while [ $n -gt 0 ]; do n=$(cat x); : $((n)); done"
    )));
}

#[test]
fn where_no_name_is_found_xargs_runs_its_command_without_one() {
    let reads = |line: &str, folder: &str| {
        let object = Object::Tree(folder.into());
        let is_read = |effect: &Effect| effect.kind == Kind::Read && effect.object == object;
        done(line).effects.iter().any(is_read)
    };
    assert!(reads("find plain -name x | xargs grep -r KEY", "/p"));
    assert!(!reads("find plain -name x | xargs grep KEY", "/p"));
}

/// What is read, as far as it is no program, and `?` for what cannot be told.
fn read_files(line: &str) -> Vec<String> {
    let effects = done(line).effects.into_iter();
    let told = |effect: Effect| match effect.object {
        Object::Pattern(path) if effect.certainty != Certainty::Unknown => path,
        Object::Path(path) => path.to_string_lossy().into_owned(),
        _ => "?".to_owned(),
    };
    let mut all: Vec<String> = effects
        .filter(|effect| effect.kind == Kind::Read)
        .map(told)
        .collect();
    all.sort_unstable();
    all.dedup();
    all
}

#[test]
fn names_that_git_or_find_tells_are_the_words_of_a_line_where_all_names_are_plain() {
    for (line, files) in [
        ("cd plain && cat $(git ls-files)", vec!["/p/plain/**"]),
        (
            "cd plain/few && git ls-files '*.rs' | xargs cat",
            vec!["/p/plain/few/a.rs", "/p/plain/few/src/b.rs"],
        ),
        (
            "cd plain/few && cat $(git ls-files src)",
            vec!["/p/plain/few/src/b.rs", "/p/plain/few/src/c"],
        ),
        (
            "ls plain | xargs -I{} cat plain/{}",
            vec!["/p/plain", "/p/plain/*", "/p/plain/plain"],
        ),
        (
            "cd plain && git ls-files '*.rs' | xargs cat",
            vec!["/p/plain/**/*.rs", "/p/plain/*.rs"],
        ),
        (
            "cd plain && git ls-files -z src | xargs -0 cat",
            vec!["/p/plain/src", "/p/plain/src/**"],
        ),
        (
            "cd plain && git ls-files '*.rs' | while read -r f; do cat \"$f\"; done",
            vec!["/p/plain/**/*.rs", "/p/plain/*.rs"],
        ),
        (
            "cd plain && git ls-files '*.rs' | xargs -I{} cat {}.bak",
            vec!["/p/plain/**/*.rs.bak", "/p/plain/*.rs.bak"],
        ),
    ] {
        assert_eq!(read_files(line), files, "{line}");
    }
    for line in [
        "cat $(git ls-files)",
        "cd plain && cat \"$(git ls-files)\"",
        "cd plain && cat x$(git ls-files)",
        "cd plain && IFS=e; cat $(git ls-files)",
        "cd plain && cat $(git ls-files -z .en v)",
        "cd plain && git ls-files -z .en v | while read f; do cat \"$f\"; done",
        "cd plain && cat $(git ls-files --format='/etc/x')",
        "cd plain && cat $(git ls-files -s)",
        "ls -a plain | xargs cat",
        "ls -l plain | xargs cat",
        "ls plain -- x | xargs cat",
        "cd plain && cat $(git ls-files ../x)",
        "cd plain && cat $(git ls-files ':(top)x')",
        "cd plain && cat $(git -C /x ls-files)",
        "cd plain && cat $(GIT_DIR=/x git ls-files)",
        "cd plain && cat $(git diff --name-only HEAD~3)",
        "cd plain && cat $(git ls-files; cat names)",
        "cd plain && git update-index --add --cacheinfo \"$X\"; cat $(git ls-files)",
        "cd plain && cat $(git ls-files) | git update-index --index-info",
        "cd plain && GIT_INDEX_FILE=x; cat $(git ls-files)",
        "cd plain && (alias y=/etc/x; git ls-files; alias y) | xargs cat",
        "cd plain && (x=/etc/x; git ls-files; declare -p x) | xargs cat",
        "cd plain && (trap /etc/x EXIT; git ls-files; trap) | xargs cat",
        "cat \"$(declare -p X)\"",
        "cd plain && cat $(cd sub && git ls-files)",
        "cd plain && cat $(git rev-list --objects HEAD)",
        "cd plain && git ls-files | xargs -I{} -a names cat {}",
        "cd plain && git ls-files | xargs -d e -I{} cat {}",
        "cd plain && git ls-files | while read -d e f; do cat \"$f\"; done",
        "cd plain && git ls-files | while read f g; do cat \"$g\"; done",
        "cd plain && git ls-files | while read f; do read f; cat \"$f\"; done",
    ] {
        assert!(read_files(line).contains(&"?".to_owned()), "{line}");
    }
    // The name of a commit is no option, so nothing is written.
    let writes = |line: &str| {
        let effects = done(line).effects;
        effects.iter().any(|one| one.kind == Kind::Write)
    };
    assert!(!writes("git diff $(git merge-base main HEAD)"));
    assert!(writes("git diff $(git merge-base --is-ancestor main HEAD)"));
    // Where there is none, the command runs without one.
    let tree = Object::Tree("/p/plain".into());
    let done = done("cd plain && grep -r KEY $(git ls-files '*.rs')");
    assert!(done.effects.iter().any(|effect| effect.object == tree));
}

#[test]
fn a_name_that_mktemp_made_is_known_where_mktemp_succeeded() {
    let deleted = |line: &str| -> Vec<Object> {
        let effects = done(line).effects.into_iter();
        let deleted = effects.filter(|effect| effect.kind == Kind::Delete);
        deleted.map(|effect| effect.object).collect()
    };
    let made = |name: &str| vec![Object::Path(name.into())];
    for (line, name) in [
        (
            "t=$(mktemp) && echo x > \"$t\" && rm \"$t\"",
            "/tmp/tmp.XXXXXXXXXX",
        ),
        ("t=$(mktemp) && rm $t", "/tmp/tmp.XXXXXXXXXX"),
        ("t=\"$(mktemp aXXX.c)\" && rm $t", "/p/aXXX.c"),
        ("TMPDIR=/p/x; t=$(mktemp) && rm $t", "/p/x/tmp.XXXXXXXXXX"),
    ] {
        assert_eq!(deleted(line), made(name), "{line}");
    }
    // Where it fails the name is empty.
    let all = deleted("t=$(mktemp -d); rm -r \"$t/x\"");
    assert!(
        all.contains(&Object::Tree("/x".into())) && all.len() > 1,
        "{all:?}"
    );
    assert_eq!(
        deleted("t=$(mktemp); rm \"$t\""),
        made("/tmp/tmp.XXXXXXXXXX")
    );
    for line in [
        "rm -r \"$(mktemp -d)/x\"",
        "export t=$(mktemp -d) && rm -r \"$t/x\"",
        "t=$(mktemp -d) u=$(true) && rm -r \"$t/x\"",
        "t=$(mktemp -d || true) && rm -r \"$t/x\"",
        "t=$(mktemp -d; true) && rm -r \"$t/x\"",
        "t=$(mktemp -d | cat) && rm -r \"$t/x\"",
        "t=$(if x; then mktemp; fi) && rm -r \"$t/x\"",
        "t=$(mktemp -du) && rm -r \"$t/x\"",
        "mktemp() { echo /p; }; t=$(mktemp) && rm -r \"$t/x\"",
    ] {
        let all = deleted(line);
        let is_open = |object: &Object| match object {
            Object::Unknown => true,
            Object::Pattern(text) => text.starts_with("**"),
            Object::Tree(path) => path.starts_with("/p"),
            _ => false,
        };
        assert!(all.iter().any(is_open), "{line}: {all:?}");
    }
}

#[test]
fn each_word_of_a_loop_that_stands_for_many_may_come_behind_each_other_one() {
    for line in [
        "x=a; for f in .e*; do cat \"$x\"; x=$f; done",
        "x=a; for f in b .e*; do cat \"$x\"; x=$f; done",
        "a=1 b=1 c=1 d=1 e=1; for f in .e*; do cat $a; a=$b; b=$c; c=$d; d=$e; e=$f; done",
        "a=1 b=1 c=1 d=1 e=1; while x; do cat $a; a=$b; b=$c; c=$d; d=$e; e=.env; done",
    ] {
        let all = read_files(line);
        let is_it = |file: &String| file == "?" || file == "/p/.e*";
        assert!(all.iter().any(is_it), "{line}: {all:?}");
    }
}

#[test]
fn a_shell_that_may_know_no_braces_may_take_them_for_letters() {
    let both = vec!["?"];
    assert_eq!(read_files("cat {a,b}"), ["/p/a", "/p/b"]);
    assert_eq!(read_files("bash -c 'cat {a,b}'"), ["/p/a", "/p/b"]);
    assert_eq!(read_files("sh -c 'cat {a,b}'"), both);
    assert_eq!(read_files("watch 'cat {a,b}'"), both);
    assert_eq!(read_files("echo 'cat {a,b}' | dash"), both);
    assert_eq!(read_files(r"cat $'a'"), ["/p/a"]);
    assert_eq!(read_files(r#"sh -c "cat $'a'""#), ["?"]);
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

/// Asserts for each line whether it may do anything.
fn assert_may_do_anything(is: bool, lines: &[&str]) {
    for line in lines {
        assert_eq!(anything(&done(line)), is, "{line}");
    }
}

#[test]
fn messages_of_errors_that_are_printed_too_are_words_that_the_line_chose() {
    for line in [
        // What cannot be read as an expression is told as it was written.
        "rg -l ' .env (' plain 2>&1 | xargs rm",
        "rg -l ' .env (' plain |& xargs rm",
        "{ rg -l ' .env (' plain; } 2>&1 | xargs rm",
        "exec 2>&1; rg -l ' .env (' plain | xargs rm",
        "rg -l ' .env (' plain 2>/dev/stdout | xargs rm",
        "rg -l ' .env (' plain 2>/proc/self/fd/1 | xargs rm",
        "rg -l ' .env (' plain 2>\"$OUT\" | xargs rm",
        "rg -l ' .env (' plain 3>&1 >&2 2>&3 | xargs rm",
        "for x in 1 2; do rg -l ' .env (' plain | xargs rm; exec 2>&1; done",
        // A command that prints nothing tells what it was asked for.
        "mkdir ' .env ' 2>&1 | xargs rm",
        "rm $(mkdir ' .env ' 2>&1)",
        "mkdir ' .env ' |& xargs rm",
        "cp names /dev/stdout | xargs rm",
    ] {
        assert!(deletes_unknown(line), "{line}");
    }
    for line in [
        "find plain 2>/dev/null | xargs rm",
        "mkdir x 2>/dev/null | xargs rm",
    ] {
        assert!(!deletes_unknown(line), "{line}");
    }
}

#[test]
fn a_file_of_settings_that_names_a_program_is_code() {
    assert_may_do_anything(true, &["RIPGREP_CONFIG_PATH=conf rg -l x plain"]);
    assert_may_do_anything(false, &["rg -l x plain"]);
}

#[test]
fn code_that_the_line_wrote_and_that_is_imported_is_as_good_as_code_in_the_line() {
    assert_may_do_anything(
        true,
        &[
            "echo x > json.py; python3 -c 'import json; print(1)'",
            "mkdir x.json; echo x > x.json/index.js; node -e \"console.log(require('./x.json').version)\"",
            "cp -r evil x.json; node -e \"console.log(require('./x.json').version)\"",
            "tar xf a.tar; python3 -c 'import json; print(1)'",
        ],
    );
    assert_may_do_anything(
        false,
        &[
            "python3 -c 'import json; print(1)' > out.txt",
            "node -e \"console.log(require('./package.json').version)\" > out.txt",
        ],
    );
}

#[test]
fn perl_runs_a_name_with_a_pipe_at_its_end() {
    assert_may_do_anything(
        true,
        &[
            "perl -ne 'print if /x/' 'rm -rf src |'",
            "perl -pi -e 's/a/b/' '| rm x'",
            "perl -ne 'print' '> .env'",
            "perl -pe 's/a/b/' \"$FILE\"",
            "perl -pe 's/a/b/' src/*",
        ],
    );
    assert_may_do_anything(
        false,
        &[
            "perl -ne 'print if /x/' a.txt",
            "perl -pi -e 's/a/b/' src/*.txt",
        ],
    );
}
