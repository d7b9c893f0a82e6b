//! Lines for the differential test, made from a grammar.
//!
//! Real bash runs each of them, so a line names relative files only: no `..`, no absolute path but `/dev/null`, and no
//! variable in front of a `/` but `HOME` and `PWD`, which are the scratch folder and folders below it.

/// Numbers that follow from a seed.
#[derive(Debug)]
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    pub(crate) fn below(&mut self, limit: usize) -> usize {
        usize::try_from(self.next() % (limit as u64)).unwrap()
    }

    pub(crate) fn one<'a>(&mut self, all: &[&'a str]) -> &'a str {
        all[self.below(all.len())]
    }

    pub(crate) fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }
}

const FILES: &[&str] = &["f1", "f2", "f3", "n1", "n2", "n3", "d1/f1", "d1/n1", "d2/x"];
const FOLDERS: &[&str] = &["d1", "d2", "d1/e", "n9"];
const VARIABLES: &[&str] = &["v", "w", "x"];

/// A line.
pub(crate) fn line(dice: &mut Dice) -> String {
    let mut line = match dice.below(8) {
        0 => statement(dice, 3),
        1..4 => format!(
            "export v={} w={} x={}; {}",
            plain(dice),
            plain(dice),
            plain(dice),
            statement(dice, 3)
        ),
        _ => format!(
            "v={}; w={}; x={}; {}",
            plain(dice),
            plain(dice),
            plain(dice),
            statement(dice, 3)
        ),
    };
    for _ in 0..dice.below(3) {
        let between = dice.one(&["; ", " && ", " || ", "\n", "; ", " && "]);
        // What stands behind a here-document or a comment begins on a new line.
        let between = if line.ends_with('\n') {
            ""
        } else if line.contains('\n') {
            "\n"
        } else {
            between
        };
        line = format!("{line}{between}{}", statement(dice, 3));
    }
    line
}

/// A statement with statements inside, this deep.
fn statement(dice: &mut Dice, depth: usize) -> String {
    if depth == 0 || dice.chance(30) {
        return simple(dice);
    }
    let inner = |dice: &mut Dice| statement(dice, depth - 1);
    match dice.below(52) {
        0 => format!("({})", flat(&inner(dice))),
        1 => format!("{{ {}; }}", flat(&inner(dice))),
        2 => {
            let (a, b, c) = (flat(&inner(dice)), flat(&inner(dice)), flat(&inner(dice)));
            format!("if {a}; then {b}; else {c}; fi")
        }
        3 => {
            let (name, words, body) = (variable(dice), words(dice), flat(&inner(dice)));
            let file = dice.one(&["touch", "rm -f", "zz1"]);
            format!("for {name} in {words}; do {file} \"${name}\"; {body}; done")
        }
        4 => format!(
            "case {} in f*) {};; n1|n2) {};; *) {};; esac",
            word(dice),
            flat(&inner(dice)),
            simple_flat(dice),
            simple_flat(dice)
        ),
        5 => format!(
            "g() {{ {}; touch \"$1\"; }}; g {}",
            flat(&inner(dice)),
            plain(dice)
        ),
        6 => format!("cd {} && {}", dice.one(FOLDERS), flat(&inner(dice))),
        7 => format!("cd {}; {}", dice.one(FOLDERS), flat(&inner(dice))),
        8 => format!("cd {} || exit; {}", dice.one(FOLDERS), flat(&inner(dice))),
        9 => format!(
            "(cd {} && {}); {}",
            dice.one(FOLDERS),
            flat(&inner(dice)),
            simple_flat(dice)
        ),
        10 => format!(
            "pushd {} >/dev/null && {}; popd >/dev/null; {}",
            dice.one(FOLDERS),
            flat(&inner(dice)),
            simple_flat(dice)
        ),
        11 => format!("bash -c {}", quoted(&inner(dice))),
        12 => format!("eval {}", quoted(&inner(dice))),
        13 => format!("echo {} | bash", quoted(&inner(dice))),
        14 => format!("bash <<'E'\n{}\nE\n", inner(dice)),
        15 => format!(
            "trap {} EXIT; {}",
            quoted(&flat(&inner(dice))),
            simple_flat(dice)
        ),
        16 => format!("{} | {}", simple_flat(dice), simple_flat(dice)),
        17 => format!("{} & wait", flat(&inner(dice))),
        18 => format!("! {}", simple_flat(dice)),
        19 => format!("{}={}; {}", variable(dice), word(dice), flat(&inner(dice))),
        20 => format!("zz1 \"$({})\"", flat(&inner(dice))),
        21 => format!("zz2 `{}`", simple_flat(dice).replace(['`', '\\', '$'], "")),
        22 => format!("source <(echo {})", quoted(&inner(dice))),
        23 => format!(
            "while read -r {0}; do {1} \"${0}\"; done < list",
            variable(dice),
            dice.one(&["touch", "rm -f", "zz1"])
        ),
        24 => format!(
            "printf -v 'a[$({})]' y",
            simple_flat(dice).replace('\'', "")
        ),
        25 => format!(
            "v='a[$({})]'; {}",
            simple_flat(dice).replace('\'', ""),
            dice.one(&[
                "((v))",
                "zz1 $((v+1))",
                "let v",
                "declare -i k=v",
                "[[ v -eq 0 ]]",
                "zz1 ${w:v}"
            ])
        ),
        26 => format!("test -v 'a[$({})]'", simple_flat(dice).replace('\'', "")),
        27 => format!("{{ {}; }} > {}", simple_flat(dice), plain(dice)),
        28 => format!(
            "set -- {}; {} \"$@\"",
            words(dice),
            dice.one(&["touch", "rm -f", "zz1"])
        ),
        29 => format!(
            "a=({}); {} \"${{a[@]}}\"",
            words(dice),
            dice.one(&["touch", "rm -f", "zz3"])
        ),
        30 => format!(
            "g() {{ local v={}; {}; }}; v={}; g; touch $v",
            plain(dice),
            simple_flat(dice),
            plain(dice)
        ),
        31 => format!(
            "for {} in 1 2; do {}; {}; {}; done",
            variable(dice),
            simple_flat(dice),
            dice.one(&["break", "continue", "true"]),
            simple_flat(dice)
        ),
        32 => format!(
            "g() {{ {}; return; {}; }}; g; {}",
            simple_flat(dice),
            simple_flat(dice),
            simple_flat(dice)
        ),
        33 => format!(
            "echo {} > n1; {} n1",
            quoted(&flat(&inner(dice))),
            dice.one(&["bash", ".", "source ./"]).replace("./ ", "./")
        ),
        34 => format!(
            "IFS=:; v={}:{}; {} $v",
            plain(dice),
            plain(dice),
            dice.one(&["touch", "rm -f", "zz1"])
        ),
        35 => format!(
            "shopt -s expand_aliases; alias k={}\nk {}",
            quoted(dice.one(&["touch", "rm -f", "zz1"])),
            plain(dice)
        ),
        36 => format!(
            "{} {}",
            dice.one(&[
                "command",
                "builtin command",
                "env",
                "exec",
                "env X=1",
                "nice",
                "time"
            ]),
            simple(dice).trim_start_matches(": ")
        ),
        37 => format!(
            "echo {} | xargs {}",
            word(dice),
            dice.one(&["touch", "rm -f", "zz1", "bash -c 'touch \"$0\"'"])
        ),
        38 => format!(
            "[[ -n $({}) ]] && {}",
            simple_flat(dice),
            flat(&inner(dice))
        ),
        39 => format!("g() {{ {}; }}; export -f g; bash -c g", simple_flat(dice)),
        40 => format!(
            "cd {} && {}; cd - >/dev/null && {}",
            dice.one(FOLDERS),
            simple_flat(dice),
            simple_flat(dice)
        ),
        41 => format!("exec > {}; {}", plain(dice), flat(&inner(dice))),
        42 => format!(
            "until {}; do {}; done",
            simple_flat(dice),
            dice.one(&["break", "false; break"])
        ),
        43 => format!(
            "while read -r {0}; do {1} \"${0}\"; done <<E\nf1\nn2\nE\n",
            variable(dice),
            dice.one(&["touch", "rm -f", "zz1"])
        ),
        44 => format!(
            "{{ read -r v; bash; }} <<'E'\nx\n{}\nE\n",
            simple_flat(dice)
        ),
        45 => format!("g() {{ h() {{ {}; }}; }}; g; h", simple_flat(dice)),
        46 => format!("set -e; {}; {}", simple_flat(dice), simple_flat(dice)),
        47 => format!(
            "for ((i=0; i<2; i++)); do {}; touch n$i; done",
            simple_flat(dice)
        ),
        48 => format!("k=touch; $k {}; k='rm -f'; $k {}", word(dice), word(dice)),
        49 => format!(
            "cat <<E | bash\n{}\nE\n",
            simple_flat(dice).replace(['$', '`', '\\'], "")
        ),
        50 => format!(
            "({}) | while read -r v; do {}; done",
            simple_flat(dice),
            simple_flat(dice)
        ),
        _ => format!("zz1 $((1+$({}; echo 1)))", simple_flat(dice)),
    }
}

/// A line of a program of the table.
pub(crate) fn program(dice: &mut Dice) -> String {
    let lines = include_str!("programs.txt").lines();
    let lines: Vec<_> = lines.filter(|line| !line.starts_with('#')).collect();
    let line = dice.one(&lines);
    let line = line.replace("@o", plain_old(dice));
    let line = line.replace("@n", dice.one(&["n1", "n2", "d1/n1"]));
    line.replace("@d", dice.one(&FOLDERS[..2]))
}

/// A file that stands in the folder.
fn plain_old(dice: &mut Dice) -> &'static str {
    dice.one(&["f1", "f2", "f3", "d1/f1", "./f1", "list"])
}

/// A simple command.
fn simple(dice: &mut Dice) -> String {
    match dice.below(30) {
        0..=2 => format!("touch {}", word(dice)),
        3 | 4 => format!("rm -f {}", word(dice)),
        5 => format!(
            "echo {} {} {}",
            word(dice),
            dice.one(&[">", ">>", ">|", "1>"]),
            target(dice)
        ),
        6 => format!("{}cat {}", dice.one(&["", "", "command "]), word(dice)),
        7 => format!("cp {} {}", plain(dice), plain(dice)),
        8 => format!("mv {} {}", plain(dice), plain(dice)),
        9 => format!(
            "mkdir -p {}",
            dice.one(&["n4", "d1/n5", "n6/n7", "\"n 8\""])
        ),
        10 => format!("rm -rf {}", dice.one(FOLDERS)),
        11 => format!(
            "{} {}",
            dice.one(&[
                "zz1",
                "zz2",
                "\\zz3",
                "'zz4'",
                "zz\"\"5",
                "$'zz\\x36'",
                "zz[1]"
            ]),
            word(dice)
        ),
        12 => format!(
            "cat <<E > {}\nx {}\nE\n",
            target(dice),
            word(dice).replace(['"', '\'', '\\', '`'], "")
        ),
        13 => format!("cat <<'E' | tee {}\nx $(touch n3)\nE\n", plain(dice)),
        14 => format!("> {}", target(dice)),
        15 => format!("zz1 <({}) >(cat > n2)", simple_flat(dice)),
        16 => format!("tee {} <<< {} >/dev/null", word(dice), plain(dice)),
        17 => format!("{}={}", variable(dice), word(dice)),
        18 => {
            format!(
                "zz2 # {}",
                dice.one(&["it's (a) $( comment", "x > n1", "\""])
            ) + "\n"
        }
        19..=28 => program(dice),
        _ => format!(
            "read -r v {}; touch \"$v\"",
            dice.one(&["< name", "<<< n2", "<<< 'n 9'"])
        ),
    }
}

/// A simple command on one line.
fn simple_flat(dice: &mut Dice) -> String {
    loop {
        let text = simple(dice);
        if !text.contains(['\n', '#']) {
            return text;
        }
    }
}

/// A statement where a newline may not stand: what has one is run by a shell.
fn flat(text: &str) -> String {
    if text.contains('\n') {
        return format!("bash -c {}", quoted(text));
    }
    text.to_owned()
}

pub(crate) fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

fn variable(dice: &mut Dice) -> &'static str {
    dice.one(VARIABLES)
}

/// A file without a `/`, as it is.
fn plain(dice: &mut Dice) -> &'static str {
    dice.one(&FILES[..6])
}

/// A target of a redirection.
fn target(dice: &mut Dice) -> String {
    if dice.chance(10) {
        return "/dev/null".to_owned();
    }
    loop {
        let word = word(dice);
        if !word.contains(['*', '{', '[']) {
            return word;
        }
    }
}

fn words(dice: &mut Dice) -> String {
    let count = 1 + dice.below(3);
    (0..count).map(|_| word(dice)).collect::<Vec<_>>().join(" ")
}

/// A word for a file, in one of the ways to write it.
fn word(dice: &mut Dice) -> String {
    let file = dice.one(FILES);
    let plain = plain(dice);
    match dice.below(34) {
        0..=8 => file.to_owned(),
        9 => format!("\"{file}\""),
        10 => format!("'{file}'"),
        11 => format!("$'{}'", file.replace('f', "\\146")),
        12 => format!("\\{file}"),
        13 => format!("\"${}\"", variable(dice)),
        14 => format!("${}", variable(dice)),
        15 => format!("${{{}:-{plain}}}", variable(dice)),
        16 => format!("\"${{{}-{plain}}}\"", variable(dice)),
        17 => format!("$(echo {plain})"),
        18 => format!("`echo {plain}`"),
        19 => format!("\"$(echo {file})\""),
        20 => "{f1,n2}".to_owned(),
        21 => "n{1..2}".to_owned(),
        22 => dice
            .one(&["f*", "f?", "[fn]1", "d1/*", "*1", "d?/f1", "'f'*", "n[1-2]"])
            .to_owned(),
        23 => format!("~/{file}"),
        24 => format!("$HOME/{file}"),
        25 => format!("\"${{HOME}}\"/{file}"),
        26 => format!("\"$PWD\"/{plain}"),
        27 => format!("./{file}"),
        28 => format!("\"g h\"{}", dice.one(&["", "1"])),
        29 => format!("${{{}%x}}", variable(dice)),
        30 => "$(cat name)".to_owned(),
        31 => format!("\"a${}\"", variable(dice)),
        32 => format!("n$((1+{}))", dice.below(2)),
        _ => format!("${{{}:={plain}}}", variable(dice)),
    }
}
