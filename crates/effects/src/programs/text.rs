//! Programs that search, compare and edit text.

use super::call::Call;
use super::{Program, row};
use crate::command::Input;
use crate::effect::{Certainty, Kind, Object};
use crate::patch;
use crate::word::{Part, Word};

pub(super) static ROWS: &[Program] = &[
    row("grep|egrep|fgrep|zgrep|zegrep|zfgrep|bzgrep|xzgrep|ggrep|pcregrep|pcre2grep", "A,after-context: B,before-context: C,context: D,devices: d,directories: e,regexp:!^ f,file:r!^ m,max-count: E F G P a b c H h I i l L n o q R,r,recursive,dereference-recursive!R s T U u V v w x y Z z include: exclude: exclude-dir: exclude-from:r binary-files: color? colour? label: line-buffered no-messages", "- r*").more(patterns),
    row("rg|ripgrep", "A,after-context: B,before-context: C,context: d,max-depth: E,encoding: e,regexp:!^ f,file:r!^ g,glob: iglob: j,threads: M,max-columns: m,max-count: r,replace: T,type-not: t,type: color: colors: context-separator: dfa-size-limit: engine: field-context-separator: hostname-bin:x hyperlink-format: ignore-file:r max-filesize: path-separator: pre:x pre-glob: regex-size-limit: sort: sortr: type-add: type-clear: files!^R type-list generate: debug i n l c v w x o q s S u U P p 0 H I L N", "- R*").more(here_by_name),
    row("ag|ack|pt|ugrep|ug", "A,after: B,before: C,context: G,file-search-regex: g: p,path-to-ignore:r ignore: ignore-dir: m,max-count: depth: pager:c i l c v w Q s n a u r R f:r e:!^ output: type: include: exclude: replace: filter:x config?x", "- R*").more(here),
    row("ast-grep|semgrep|comby", "U,update-all!W i,in-place!W autofix!W r,rewrite: p,pattern: l,lang: config:", "R*").does("x"),
    row("sed|gsed|ssed", "n,quiet,silent E,r,regexp-extended i,in-place?!w e,expression:!^ f,file:r!^ l,line-length: s,separate u,unbuffered z,null-data posix debug sandbox follow-symlinks b", "- r*").more(super::sed::sed),
    row("awk|gawk|mawk|nawk|goawk", "+ F,field-separator: v,assign: f,file:r!^ e,source:!^ E,exec:r!^ i,include:r l,load:x o,pretty-print?w p,profile?w d,dump-variables?w D,debug?x b c C g h L? M n N O P r S,sandbox t V W:", "- r*").more(super::awk::awk),
    row("ed|red|ex", "G s,quiet,silent p,prompt: r v E l: c:x", "-*").more(edited),
    row("vi|vim|nvim|view|gvim|vimdiff|nano|pico|emacs|emacsclient|micro|helix|hx|code|codium|cursor|subl|gedit|kak|joe|mcedit|nvimdiff", "c:x cmd:x S:x s u:x U:x W:w w:w i:r E e Z R n N b d A f:x t: T: l,load:x eval:x batch funcall:x script:x Q q B: C: o? O? p? wait", "-*").does("x").more(edited),
    row("apply_patch|applypatch", "+", "-*").more(agents_patch),
    row("patch|gpatch", "p,strip: i,input:r o,output:w d,directory:/ b,backup B,prefix: D,ifdef: F,fuzz: N,forward R,reverse r,reject-file:w s,silent t,batch f,force E,remove-empty-files V: Y: z: dry-run!0 e,ed l u c n binary posix verbose read-only: reject-format: merge? follow-symlinks g:", "w r").more(patched),
    row("diff|cmp|colordiff|sdiff|diff3|delta|difft|icdiff|wdiff|dwdiff|diffstat|interdiff|lsdiff", "b B a c C,context: U,unified: d D: e E F: H I: i l,paginate n L,label: N p q r,recursive!R s S,starting-file: t T u w W,width: X,exclude-from:r x,exclude: y from-file:r to-file:r o,output:w color? palette: speed-large-files diff-program:x strip-trailing-cr tabsize: suppress-common-lines bytes: ignore-initial: m A merge", "r*"),
    row("jq|gojq|jaq|jql", "n,null-input r,raw-output R,raw-input s,slurp c C M S e j a L:r f,from-file:r!^ arg: argjson: slurpfile: rawfile: args jsonargs tab indent: seq stream in-place,i!w", "- r*").more(jq),
    row("yq|dasel|tomlq|xq|fx|jo|mlr|csvcut|csvgrep|csvlook|csvsort|csvstat|csvjson|htmlq|pup", "i,inplace,in-place!w o,output-format: P e n,null-input f:r from-file:r s,split-exp:W I,indent: p,input-format: m,modify!w", "- r*"),
    row("xmllint|xmlstarlet|xsltproc|tidy", "- o,output:w m,modify:w f:w schema:r path: xpath: L! inplace!w noout format recover", "r*"),
    row("tsort|spell|iconv", "f,from-code: t,to-code: o,output:w c l,list s,silent", "r*"),
    row("look", "a,alternative d,alphanum f,ignore-case t,terminate:", "- r*"),
    row("ptx|aspell|hunspell|dos2unix|unix2dos|recode", "c,check:u l s n,newfile!w k d p:r e: i b,break-file:r o,only-file:r", "u*"),
    row("sponge", "a", "w"),
    row("shfmt", "w,write!W l d i: ln: s mn f p bn ci sr kp", "R*"),
    row("sort-package-json|sqlfluff|taplo", "w,write!W l d i: ln: fix!W", "W*"),
    row("strip|ranlib|patchelf|upx|install_name_tool|codesign", "o:w s: R: K: N: set-rpath: set-interpreter: add-needed: output:w", "u*").more(super::build::removes_output),
    row("ar", "", "- u r*"),
];

/// Two arguments behind each name.
fn jq(call: &mut Call<'_>) {
    let words = &call.command.words;
    let mut files = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let is_file = matches!(
            word.known().as_deref(),
            Some("--slurpfile" | "--rawfile" | "--argfile")
        );
        if let (true, Some(file)) = (is_file, words.get(at + 2)) {
            files.push(file.clone());
        }
    }
    for file in files {
        call.act_path(Kind::Read, &file, Certainty::Exact, false);
    }
}

/// With `-r` its own folder is searched where no other is named.
fn patterns(call: &mut Call<'_>) {
    let sources = searched(call, &["e", "f"]);
    if call.may("r") && sources.is_empty() {
        call.act_path(Kind::Read, &Word::text("."), Certainty::Exact, true);
    }
    if call.may("r") {
        names_of_files(call, &sources);
    }
}

/// Searches its own folder where no other is named, and prints what options and settings of a folder make of it.
fn here(call: &mut Call<'_>) {
    in_folders(call);
}

/// Searches like [`here`], and prints names where it is asked for them.
fn here_by_name(call: &mut Call<'_>) {
    let sources = in_folders(call);
    names_of_files(call, &sources);
}

fn in_folders(call: &mut Call<'_>) -> Vec<Word> {
    let sources = searched(call, &["e", "f", "files"]);
    if sources.is_empty() {
        call.act_path(Kind::Read, &Word::text("."), Certainty::Likely, true);
    }
    sources
}

/// The operands behind the pattern, which an option may give instead.
fn searched(call: &Call<'_>, patterns: &[&str]) -> Vec<Word> {
    let named = patterns.iter().any(|name| call.may(name));
    call.words().into_iter().skip(usize::from(!named)).collect()
}

/// Options that choose where and for what is searched, and `-l`: with these alone nothing else is printed.
const CHOOSING: &str = "e E F G P f w x i y v s S u U a I n H h r R l Z 0 m d D g iglob t T include exclude exclude-dir exclude-from \
    ignore-file max-filesize";

/// With `-l` it prints the names of the files in which something was found, and nothing else.
fn names_of_files(call: &mut Call<'_>, searched: &[Word]) {
    let mut given = call.reading.given.iter();
    let is_other = given.any(|given| {
        !given
            .option
            .names()
            .any(|name| CHOOSING.split(' ').any(|own| own == name))
    });
    // Without a folder in front of it a name may be an option.
    let is_bare = searched.is_empty();
    let unsure = call.reading.unreadable || !call.reading.unlisted.is_empty();
    if !call.has("l") || is_other || is_bare || unsure {
        return;
    }
    let below = |word: &Word| {
        let mut all = word.clone();
        all.parts.push(Part::Text("/".to_owned()));
        all.parts.push(Part::Glob("**".to_owned()));
        [word.clone(), all]
    };
    let names = searched.iter().flat_map(below).collect();
    call.lists(searched, names);
}

/// An editor writes the file that it opens, and does what its input says.
fn edited(call: &mut Call<'_>) {
    for word in call.words() {
        if word.head().starts_with('+') {
            call.opaque = true;
            continue;
        }
        call.act_path(Kind::Read, &word, Certainty::Exact, false);
        call.act_path(Kind::Write, &word, Certainty::Likely, false);
    }
    if call.command.input != Input::Inherited || call.row.name() == "ed" {
        call.opaque = true;
        call.effect(Kind::Write, Object::Unknown, Certainty::Unknown);
    }
}

/// The patch of an agent, as its argument or its input. Codex carries such a line out itself, without a program of this name.
fn agents_patch(call: &mut Call<'_>) {
    let mut texts = call.words();
    if let (true, Input::Text(text)) = (texts.is_empty(), &call.command.input) {
        texts.push(Word::text(text));
    }
    let known: Option<Vec<_>> = texts.iter().map(Word::known).collect();
    let mut is_read = false;
    for text in known.into_iter().flatten() {
        let changes = patch::changes(&text);
        is_read |= !changes.is_empty();
        for (kind, path, sure) in changes {
            call.act_path(kind, &Word::text(path), sure, false);
        }
    }
    if !is_read {
        for kind in [Kind::Write, Kind::Delete] {
            call.effect(kind, Object::Unknown, Certainty::Unknown);
        }
    }
}

/// A patch names its files itself: those of a known text, or any. What it cannot apply it leaves beside them.
fn patched(call: &mut Call<'_>) {
    if call.has("dry-run") || call.has("o") {
        return;
    }
    let Input::Text(text) = call.command.input.clone() else {
        match call.words().first() {
            Some(file) => patched_file(call, file, true),
            None => patched_folder(call),
        }
        return;
    };
    let removes = call.may("E") || REMOVING.iter().any(|mark| text.contains(mark));
    if let Some(file) = call.words().first() {
        patched_file(call, file, removes);
        return;
    }
    let strip = call
        .reading
        .values("p")
        .last()
        .and_then(|word| word.known()?.parse::<usize>().ok());
    let names = names_of(&text);
    if names.iter().any(|name| name.starts_with('"')) {
        // Letters of a name in quotes may be written as numbers.
        call.anything();
    }
    if names.is_empty() {
        patched_folder(call);
    }
    for name in names {
        let from = name.split('/').collect::<Vec<_>>();
        let parts = from
            .get(strip.unwrap_or(from.len().saturating_sub(1))..)
            .unwrap_or_default();
        patched_file(call, &Word::text(parts.join("/")), removes);
    }
}

/// It writes and removes below its folder: names from the root on, and those with `..`, it refuses.
fn patched_folder(call: &mut Call<'_>) {
    for kind in [Kind::Write, Kind::Delete] {
        call.act_path(kind, &Word::text("."), Certainty::Likely, true);
    }
}

fn patched_file(call: &mut Call<'_>, file: &Word, removes: bool) {
    call.act_path(Kind::Write, file, Certainty::Likely, false);
    if removes {
        call.act_path(Kind::Delete, file, Certainty::Likely, false);
    }
    for end in [".orig", ".rej"] {
        call.keeps_copy(file, &Word::text(end));
    }
}

/// Marks of a patch that removes a file or an old name, in this or in the other direction: nothing, or the first second of 1970.
const REMOVING: &[&str] = &[
    "/dev/null",
    "1970-01-01",
    "1969-12-31",
    "rename from ",
    "deleted file ",
    "new file ",
];

/// The names that a patch may mean: a blank ends one only where no tab does, so both readings of it count.
fn names_of(text: &str) -> Vec<String> {
    let heads = [
        "+++ ",
        "--- ",
        "*** ",
        "Index: ",
        "rename from ",
        "rename to ",
        "copy from ",
        "copy to ",
    ];
    let mut names = Vec::new();
    for line in text.lines() {
        if let Some(both) = line.strip_prefix("diff --git ") {
            names.extend(both.split_whitespace());
        }
        let rest = heads.iter().find_map(|head| line.strip_prefix(head));
        let Some(rest) = rest.map(str::trim) else {
            continue;
        };
        let until = |end: fn(char) -> bool| rest.split(end).next().unwrap_or(rest);
        names.push(until(|letter| letter == '\t'));
        if !rest.contains('\t') {
            names.push(until(char::is_whitespace));
        }
    }
    names.retain(|name| *name != "/dev/null");
    names.sort_unstable();
    names.dedup();
    names.into_iter().map(str::to_owned).collect()
}
