use super::*;

#[test]
fn a_substitution_ends_where_bash_ends_it() {
    for text in [
        "$(c2)",
        "$(case x in x) c2;; esac)",
        "$(case x in (x) c2;; esac)",
        "$(c2 <<'E'\nd1 ) d2\nE\n)",
        "$(c2 # it's )\n)",
        "$(c2 \")\" ')' \\) )",
        "$((c1); c2)",
        "$(echo case)",
        "$(f \"$(g \")\")\")",
        "$((1 + (2)))",
        "${v:-\"$(a})\"}",
    ] {
        let line = format!("a {text}x b");
        let (List(steps), _) = super::line(&line).unwrap();
        let Node::Simple(simple) = &steps[0].node else {
            panic!("{text}");
        };
        assert_eq!(simple.words.len(), 3, "{text}");
        let behind = simple.words[1].last();
        assert_eq!(behind, Some(&Piece::Bare("x".to_owned())), "{text}");
    }
}

#[test]
fn what_is_not_closed_or_too_deep_is_unreadable() {
    let deep = |open: &str| format!("echo {}", open.repeat(10_000));
    for text in [
        "echo 'x",
        "echo \"x",
        "echo $(x",
        "echo ${x",
        "(x",
        "x)",
        "case x in",
        "if x",
        "x;;",
        "for x in a",
        "{ x",
        "a |",
        "a &&",
        "a b(",
        "then x",
        "a <",
        "echo $\\\n(x)",
    ] {
        assert_eq!(line(text), Err(Unreadable), "{text}");
    }
    for open in [
        "$(", "(", "${a:-", "\"$(", "@(a|", "<(", "$((", "\"${a:-", "$[", "$(( $(", "f() ",
    ] {
        assert_eq!(line(&deep(open)), Err(Unreadable), "{open}");
    }
}

#[test]
fn everyday_lines_are_read() {
    for text in [
        "git commit -m \"$(cat <<'EOF'\nit's (done\nEOF\n)\"",
        "for f in *; do echo \"${f%.txt}\"; done # it's",
        "case $x in a) b;; *) c;; esac",
        "[[ $x =~ ^(a|b)$ ]] && echo $((1<<2))",
        "((i<<2)); a=(1 2); f() { :; }",
        "cat <<A <<B\n'\nA\n\"\nB\necho x",
        "a |& b 2>&1 >/dev/null; ! c & time -p d",
        "if a; then b; elif c; then d; else e; fi > x",
        "function f { a; }; f () ( b )\n f2()\n{ c\n}",
        "for ((i=0;i<3;i++)); do echo $i; done",
        "until a; do b; done < <(c)",
        "x=1 y+=2 z[0]=3 a \"$@\" ${#x} ${x//a/b} ${x:1:2} ${!x} ${a[@]}",
        "printf '%s\\n' \"${PATH//:/$'\\n'}\"",
        "exec {fd}<>file 3>&- 2>|x &>>y",
        "",
        "\n# only a comment",
    ] {
        assert!(line(text).is_ok(), "{text}");
    }
}
