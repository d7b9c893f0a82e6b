use super::*;

fn calls(text: &str) -> Vec<String> {
    let calls = read(text).calls.into_iter();
    calls.map(|call| call.words.join(" ")).collect()
}

fn bash(text: &str) -> Vec<&'static str> {
    read(text).bash.into_iter().map(|(_, what)| what).collect()
}

#[test]
fn comments_and_here_documents_are_no_commands_and_assignments_are_no_words() {
    for (text, wanted) in [
        ("# Prevent it\nls -l # Auto-run", vec!["ls -l"]),
        ("cat > d.md <<'EOF'\nrm -rf x\nEOF\nls", vec!["cat", "ls"]),
        (
            "a=1 b=$(jq -r .x) run \"$a b\"",
            vec!["jq -r .x", "run $a b"],
        ),
        ("if a; then b; else c; fi", vec!["a", "b", "c"]),
        ("for f in *; do cp $f 'x y'; done", vec!["cp $f x y"]),
        ("case $x in a) b;; esac", vec!["b"]),
        ("f() { g; }\n! h | i && (j)", vec!["g", "h", "i", "j"]),
        ("if", vec![]),
    ] {
        let mut found = calls(text);
        found.sort_unstable();
        assert_eq!(found, wanted, "{text}");
    }
}

#[test]
fn what_only_bash_understands_is_found_and_what_every_shell_does_is_not() {
    for (text, wanted) in [
        ("[[ $a =~ b ]] && echo x", "[["),
        ("cat <<< \"$x\"", "<<<"),
        ("diff <(ls) b", "<(…)"),
        ("a=(1 2)", "an array"),
        ("local b=(1)", "an array"),
        ("echo ${a[0]}", "${…}"),
        ("echo \"${a//x/y}\"", "${…}"),
        ("set -euo pipefail", "pipefail"),
        ("function f { ls; }", "function"),
        ("if ((a > 1)); then ls; fi", "((…))"),
        ("ls &> log", "&>"),
        ("[ a == b ]", "=="),
        ("source x", "source"),
    ] {
        assert_eq!(bash(text), [wanted], "{text}");
    }
    for text in [
        "[ \"$a\" = b ] && echo '[[ x ]]' # [[ y ]]",
        "cat <<'EOF'\n[[ a ]]\nEOF",
        "f() { ls; }; echo ${a:-b} ${a%.*} ${#a} $((1 + 2)) \"$(ls)\" 2>&1",
        "bash -c '[[ a ]]'",
        "set -eu; . ./x; [ -n \"$functions\" ]",
        "jq '.a == \"x\"'",
    ] {
        assert_eq!(bash(text), [""; 0], "{text}");
    }
}

#[test]
fn a_hostile_text_costs_neither_the_stack_nor_an_answer() {
    for piece in ["(", "$(", "a;", "{ ", "`", "a|", "if "] {
        let text = piece.repeat(shell::LONGEST / piece.len());
        let _ = read(&text);
    }
}

#[test]
fn a_place_is_that_of_the_command_and_counts_bytes() {
    let text = "é=ü\necho 'ö'; [[ a ]]\nx=$(cat <(g))\n";
    let found: Vec<&str> = read(text)
        .bash
        .into_iter()
        .map(|(at, _)| text.get(at..).unwrap().lines().next().unwrap())
        .collect();
    assert_eq!(found, ["[[ a ]]", "x=$(cat <(g))"]);
}
