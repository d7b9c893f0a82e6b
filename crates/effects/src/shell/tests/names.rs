//! Names that the line finds on the disk, and code that it brings along.

use super::*;

/// Whether the line may delete what it does not name.
fn deletes_unknown(line: &str) -> bool {
    let unknown = |effect: &Effect| effect.kind == Kind::Delete && effect.object == Object::Unknown;
    done(line).effects.iter().any(unknown)
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
