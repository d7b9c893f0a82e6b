//! Programs that make, change, show, find or remove files.

use super::call::Call;
use super::{Program, row};
use crate::command::{Input, Shape};
use crate::effect::{Certainty, Kind, Object};
use crate::word::{Part, Word};

pub(super) static ROWS: &[Program] = &[
    row("rm", "f,force i I interactive? r,R,recursive!D d,dir v,verbose x preserve-root? no-preserve-root one-file-system", "d*"),
    row("rmdir", "p,parents v,verbose ignore-fail-on-non-empty", "d*").more(parents),
    row("unlink", "", "d*"),
    row("shred", "u,remove?!wd n,iterations: s,size: z,zero f,force v,verbose random-source:r x,exact", "w*"),
    row("trash|trash-put|rmtrash|gio-trash", "", "D*"),
    row("touch", "a m c,no-create d,date: h,no-dereference r,reference:r t: time:", "w*"),
    row("mkdir", "m,mode: p,parents v,verbose Z context?", "w*").more(parents),
    row("mkfifo|mknod", "m,mode: Z context?", "w -*"),
    row("truncate", "c,no-create o,io-blocks r,reference:r s,size:", "w*"),
    row("fallocate", "c,collapse-range d,dig-holes i,insert-range l,length: n,keep-size o,offset: p,punch-hole x,posix z,zero-range", "w*"),
    row("chmod", "R,recursive!W f,silent,quiet v,verbose c,changes reference:^r preserve-root no-preserve-root", "- w*").more(mode_as_option),
    row("chown|chgrp", "R,recursive!W f,silent,quiet v,verbose c,changes h,no-dereference H L P reference:^r from: preserve-root no-preserve-root", "- w*"),
    row("chattr", "R!W V f v: p:", "- u*"),
    row("setfacl", "R,recursive!W m,modify:^- M,modify-file:^r x,remove:^- X,remove-file:^r b,remove-all k,remove-default d,default restore:r n P L", "w*"),
    row("setfattr|xattr", "n,name: v,value: x,remove: h,no-dereference restore:r r w d c", "w*"),
    row("getfacl|getfattr|lsattr", "R,recursive d,dump n,name: e,encoding: m,match: a v p", "r*"),
    row("chcon", "R,recursive!W u,user:^ r,role:^ t,type:^ l,range: reference:^r", "- w*"),
    row("tee", "a,append i,ignore-interrupts p output-error?", "w*").more(passes),
    row("split|csplit", "a,suffix-length: b,bytes: C,line-bytes: d,numeric-suffixes? e,elide-empty-files f,prefix: filter:c l,lines: n,number: x,hex-suffixes? t,separator: additional-suffix: u,unbuffered verbose k,keep-files s,quiet,silent z", "r -*").more(pieces),
    row("cat|tac|nl|rev", "A,show-all b: d: e E f: h: i: l: n p r,regex s,squeeze-blank: t T u v: w:", "r*").more(passes),
    row("bat|batcat", "A,show-all p,plain l,language: H,highlight-line: file-name: pager:c paging: style: theme: r,line-range: wrap: color: tabs: m,map-syntax: config-file:r n,number", "r*"),
    row("head|tail", "c,bytes: n,lines: q,quiet v,verbose f F follow? s,sleep-interval: pid: retry max-unchanged-stats: z,zero-terminated", "r*"),
    row("less|more|most", "o:w O:w log-file:w LOG-FILE:w k,lesskey-file:r lesskey-src:r P,prompt: p,pattern: t,tag:r T,tag-file:r b: h: j: x: y: z: D: N S R r F X E i I n q s", "r*").more(plus_runs),
    row("wc", "c,bytes m,chars l,lines w,words L,max-line-length files0-from:r total:", "r*").more(counted),
    row("shuf|gshuf", "e,echo!0 i,input-range: n,head-count: o,output:w r,repeat z random-source:r", "r*"),
    row("sort", "b d f g i M h n R r V c,check? C k,key: m,merge o,output:w s,stable S,buffer-size: t,field-separator: T,temporary-directory:W parallel: u,unique z compress-program:x random-source:r files0-from:r batch-size:", "r*").more(of_a_list),
    row("uniq", "c,count d,repeated D f,skip-fields: s,skip-chars: w,check-chars: i u z all-repeated? group?", "r w"),
    row("cut", "b,bytes: c,characters: d,delimiter: f,fields: n s,only-delimited complement output-delimiter: z", "r*"),
    row("paste|join|comm", "d,delimiters: s,serial z a: e: i j: o: t: v: 1 2 3 check-order nocheck-order header total output-delimiter:", "r*"),
    row("tr|seq|expr|factor|true|false|yes|sleep|numfmt|nproc|arch|uname|whoami|id|groups|logname|users|who|w|tty|uptime|cal|locale|hostid|getconf|clear|tput|stty|reset|dircolors|mesg|tabs|logger", "", "-*"),
    row("fold|fmt|expand|unexpand|colrm", "b,bytes s,spaces w,width: c: t: u g: p: l: o: h: n: e: i: N: separator: tabs: table-columns: table J", "r*"),
    row("xxd", "A: j: N: S: t: w? a b c: d e: f:r g: i l: n: o: p ps r s: u v x C E k P R:", "r w"),
    row("od|hexdump|hd|strings", "A: j: N: S: t: w? a b c d e: f:r i: l: n: o: p s: u v x C T: address-radix: skip-bytes: format: width?", "r*"),
    row("md5sum|sha1sum|sha224sum|sha256sum|sha384sum|sha512sum|b2sum|b3sum|cksum|sum|shasum|crc32|md5", "b c,check t a,algorithm: l,length: tag z status quiet strict w,warn ignore-missing", "r*"),
    row("base64|base32|basenc|uuencode", "d,decode,D i,ignore-garbage w,wrap: base64 base64url base32 o,output:w input:r", "r*").more(decodes),
    row("ls|dir|vdir|exa|eza|lsd", "a,all A l,long 1 h R,recursive t r S d F i s I,ignore: w,width: T,tabsize: L,level: block-size: color? colour? format: sort: time: time-style: hide: indicator-style: quoting-style: hyperlink? G n X U tree", "r*"),
    row("tree", "o:w L: P: I: fromfile filelimit: charset: gitfile:r infofile:r R H: T: a d f h s u", "R*"),
    row("objdump", "a f p h x,all-headers d,disassemble D,disassemble-all S,source? s r R t T g e G W? z j,section: l C,demangle? m,architecture: M,disassembler-options: b,target: start-address: stop-address: prefix: dwarf-depth: w", "r*"),
    row("pr", "a c d D,date-format: e? F,f h,header: i? J l,length: m n,number-lines? N,first-line-number: o,indent: r,no-file-warnings s,separator? S,sep-string? t,omit-header T,omit-pagination v,show-nonprinting w,width: W,page-width: pages: columns:", "r*"),
    row("column", "t,table s,separator: o,output-separator: c,output-width: x,fillrows n,table-name: N,table-columns: R,table-right: T,table-truncate: W,table-wrap: H,table-hide: E,table-noextreme: d,table-noheadings e,table-header-repeat J,json L,keep-empty-lines O,table-order: r,tree: i,tree-id: p,tree-parent:", "r*"),
    row("date", "d,date: f,file:r r,reference:r I,iso-8601? R,rfc-email rfc-3339: s,set: u,utc,universal debug resolution j v: n", "-*"),
    row("file", "C,compile!w m,magic-file:u f,files-from:r b,brief i,mime L,dereference z s k F,separator: e,exclude: P: mime-type mime-encoding", "r*"),
    row("stat|du|df|readlink|realpath|pathchk|namei|lsof|size|nm|ldd|readelf|otool|lsblk|findmnt|blkid|mountpoint", "L,dereference f,file-system,files-from:r c,format: t,terse printf: z s,summarize h a d,max-depth: k m:r e,canonicalize-existing n q v x X,exclude-from:r exclude: B,block-size: time? time-style: T,type: i I P,F: b mime mime-type relative-to: relative-base:", "r*"),
    row("basename", "a,multiple s,suffix: z,zero", "-*").more(last_name),
    row("dirname", "z,zero", "-*").more(folder_name),
    row("pwd", "L,logical P,physical", "").more(prints_folder),
    row("echo", "n e E", "-*").more(echoes),
    row("printf", "", "-*").more(prints),
    row("test|[|[[", "", "-*"),
    row("mktemp", "d,directory q,quiet u,dry-run p: tmpdir? t suffix:", "-*").more(temporary),
    row("sync", "d,data f,file-system", "-*"),
    row("dd", "", "-*").more(dd),
    row("find|gfind", "", "").more(super::scripts::find),
    row("fd|fdfind", "x,exec:c X,exec-batch:c H,hidden I,no-ignore u s i g F a l L p 0 d,max-depth: min-depth: exact-depth: E,exclude: t,type: e,extension: S,size: changed-within: changed-before: o,owner: c,color: j,threads: C,base-directory:/ search-path:R path-separator: ignore-file:r max-results: q 1", "- R*").more(super::scripts::fd),
    row("locate|mlocate|plocate|updatedb", "d,database:r l,limit: n: r,regexp: o,output:w U,database-root:R", "-*"),
    row("man", "P,pager:c H,html?c C,config-file:r M,manpath: a k,apropos f,whatis w s: S: l,local-file!r L: e: T? X? Z t p: E: R: r: 7 u c d D i I K m:", "-*"),
    row("which|whereis|type|whatis|apropos|info|tldr|help", "P,pager:c H,html?c C,config-file:r M,manpath: a k f w s: S: b m l,local-file:!r o,output:w K preprocessor: L: e: T? X? Z", "-*"),
];

/// `mkdir -p a/b` makes `a` too, and `rmdir -p a/b` removes it.
fn parents(call: &mut Call<'_>) {
    let kind = if call.row.name() == "mkdir" {
        Kind::Write
    } else {
        Kind::Delete
    };
    if call.may("p") {
        for word in call.words() {
            above(call, kind, &word);
        }
    }
}

/// Notes the folders that a path names on its way.
pub(super) fn above(call: &mut Call<'_>, kind: Kind, word: &Word) {
    let Some(text) = word.known() else {
        // One of the folders on the way cannot be told.
        call.effect(kind, Object::Unknown, Certainty::Unknown);
        return;
    };
    let mut text = text.trim_end_matches('/');
    while let Some((above, _)) = text.rsplit_once('/').filter(|(above, _)| !above.is_empty()) {
        call.act_path(kind, &Word::text(above), Certainty::Likely, false);
        text = above;
    }
}

/// `mktemp TEMPLATE`: its last `X` are filled in.
fn temporary(call: &mut Call<'_>) {
    if call.has("u") {
        return;
    }
    let folder = call
        .reading
        .values("p")
        .chain(call.reading.values("tmpdir"))
        .last()
        .cloned();
    let template = call.words().first().cloned();
    let in_temp = call.may("t") || call.may("p") || call.may("tmpdir") || template.is_none();
    let mut assigned = call.command.assigned.iter();
    let chosen = assigned.find_map(|(name, value)| (name == "TMPDIR").then(|| value.clone()));
    let mut parts = match (&folder, in_temp) {
        (Some(folder), _) => folder.parts.clone(),
        (None, true) if chosen.is_some() => chosen.unwrap_or_default().parts,
        (None, true) => vec![Part::Text("/tmp".to_owned())],
        (None, false) => Vec::new(),
    };
    if in_temp {
        parts.push(Part::Text("/".to_owned()));
    }
    let text = template.map_or(Some("tmp.XXXXXXXXXX".into()), |word| {
        word.known().map(std::borrow::Cow::into_owned)
    });
    match &text {
        Some(text) => {
            // The last run of this letter is filled in; what stands behind it stays.
            let end = text.rfind('X').map_or(text.len(), |at| at + 1);
            let (before, behind) = text.split_at_checked(end).unwrap_or((text, ""));
            let head = before.trim_end_matches('X');
            parts.push(Part::Text(head.to_owned()));
            parts.push(Part::Glob(FILLED.repeat(before.len() - head.len())));
            parts.push(Part::Text(behind.to_owned()));
        }
        None => parts.push(Part::Unknown),
    }
    parts.retain(|part| !matches!(part, Part::Text(text) | Part::Glob(text) if text.is_empty()));
    let word = Word { parts };
    call.act_path(Kind::Write, &word, Certainty::Likely, false);
    let plain = |given: &crate::options::Given| given.option.is("d") || given.option.is("q");
    let is_sure = call.reading.given.iter().all(plain) && call.reading.unlisted.is_empty();
    if is_sure && text.is_some() && !call.reading.unreadable && !word.head().starts_with('-') {
        call.acts.shape = Some(Shape::Word(joined(word)));
    }
}

/// What `mktemp` puts in the place of one `X`.
pub(crate) const FILLED: &str = "[0-9A-Za-z]";

/// The word with texts that stand side by side as one.
fn joined(word: Word) -> Word {
    let mut parts: Vec<Part> = Vec::new();
    for part in word.parts {
        match (parts.last_mut(), part) {
            (Some(Part::Text(last)), Part::Text(text)) => last.push_str(&text),
            (_, part) => parts.push(part),
        }
    }
    Word { parts }
}

/// With a list of names it reads every file of the list.
fn of_a_list(call: &mut Call<'_>) {
    if call.may("files0-from") {
        call.effect(Kind::Read, Object::Unknown, Certainty::Unknown);
    }
}

/// `wc -l` of its input prints one number.
fn counted(call: &mut Call<'_>) {
    of_a_list(call);
    let words = call.command.words.get(1..).unwrap_or_default();
    if let [word] = words
        && word
            .known()
            .is_some_and(|text| ["-l", "-w", "-c", "-m"].contains(&&*text))
    {
        call.acts.shape = Some(Shape::Number);
    }
}

/// `tee` and `cat` hand on what they read.
fn passes(call: &mut Call<'_>) {
    let only_hands_on = call.row.name() == "tee"
        || (call.name == "cat"
            && call.reading.given.is_empty()
            && call.reading.operands.is_empty());
    if let (true, Input::Text(text)) = (only_hands_on, &call.command.input) {
        call.acts.prints = Some(text.clone());
    }
}

/// `less +!command` and `more +:w` do what they say at the start.
fn plus_runs(call: &mut Call<'_>) {
    let plus = call.words().iter().any(|word| word.head().starts_with('+'));
    if plus {
        call.opaque = true;
    }
}

/// `split` writes files beside each other whose names begin alike.
fn pieces(call: &mut Call<'_>) {
    let words = call.words();
    let prefix = match call.row.name() {
        _ if call.name == "csplit" => call.reading.values("f").next().cloned(),
        _ => words.get(1).cloned(),
    };
    let default = if call.name == "csplit" { "xx" } else { "x" };
    let mut name = prefix.unwrap_or_else(|| Word::text(default));
    name.parts.push(Part::Glob("*".to_owned()));
    call.act_path(Kind::Write, &name, Certainty::Likely, false);
}

fn decodes(call: &mut Call<'_>) {
    let Input::Text(text) = &call.command.input else {
        return;
    };
    if call.has("d") && call.row.name() == call.name && call.words().is_empty() {
        let packed: String = text.chars().filter(|c| !c.is_whitespace()).collect();
        call.acts.prints = unpacked(&packed);
    }
}

/// Reads base64.
fn unpacked(text: &str) -> Option<String> {
    const LETTERS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut bytes = Vec::new();
    let (mut held, mut bits) = (0_u32, 0);
    for letter in text.trim_end_matches('=').chars() {
        let value = u32::try_from(LETTERS.find(letter)?).ok()?;
        held = (held << 6 | value) & 0xFFFF;
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            bytes.push(u8::try_from(held >> bits & 0xFF).ok()?);
        }
    }
    String::from_utf8(bytes).ok()
}

fn last_name(call: &mut Call<'_>) {
    if let (true, [word]) = (call.reading.given.is_empty(), &*call.words()) {
        let text = word.known();
        let name = text.map(|text| {
            text.trim_end_matches('/')
                .rsplit('/')
                .next()
                .unwrap_or_default()
                .to_owned()
        });
        call.acts.prints = name.map(|name| format!("{name}\n"));
    }
}

fn folder_name(call: &mut Call<'_>) {
    if let (true, [word]) = (call.reading.given.is_empty(), &*call.words()) {
        let folder = word
            .known()
            .map(|text| match text.trim_end_matches('/').rsplit_once('/') {
                Some(("", _)) => "/".to_owned(),
                Some((above, _)) => above.trim_end_matches('/').to_owned(),
                None => ".".to_owned(),
            });
        call.acts.prints = folder.map(|folder| format!("{folder}\n"));
    }
}

fn prints_folder(call: &mut Call<'_>) {
    if let [folder] = &*call.folders {
        call.acts.prints = folder.to_str().map(|folder| format!("{folder}\n"));
    }
}

fn known(words: &[Word]) -> Option<Vec<String>> {
    let words = words
        .iter()
        .map(|word| word.known().map(std::borrow::Cow::into_owned));
    words.collect()
}

/// Only what each shell prints alike counts as known.
fn echoes(call: &mut Call<'_>) {
    let words = call.command.words.get(1..).unwrap_or_default();
    let Some(words) = known(words) else { return };
    let (end, words) = match words.split_first() {
        Some((first, rest)) if first == "-n" => ("", rest),
        _ => ("\n", &*words),
    };
    let is_plain = !words.iter().any(|word| word.contains('\\'))
        && !words.first().is_some_and(|word| word.starts_with('-'));
    if is_plain {
        call.acts.prints = Some(words.join(" ") + end);
    }
}

fn prints(call: &mut Call<'_>) {
    let words = call.command.words.get(1..).unwrap_or_default();
    let Some(words) = known(words) else { return };
    let words = match words.split_first() {
        Some((first, rest)) if first == "--" => rest,
        _ => &*words,
    };
    if let Some((format, values)) = words.split_first() {
        call.acts.prints = formatted(format, values);
    }
}

/// Fills in a format, if it holds only what every `printf` prints alike.
fn formatted(format: &str, values: &[String]) -> Option<String> {
    let mut all = String::new();
    let mut values = values.iter();
    loop {
        let before = values.len();
        let mut letters = format.chars();
        while let Some(letter) = letters.next() {
            match letter {
                '\\' => all.push(match letters.next()? {
                    'n' => '\n',
                    't' => '\t',
                    '\\' => '\\',
                    '"' => '"',
                    '\'' => '\'',
                    _ => return None,
                }),
                '%' => match letters.next()? {
                    '%' => all.push('%'),
                    's' => all.push_str(values.next().map_or("", |value| value)),
                    _ => return None,
                },
                letter => all.push(letter),
            }
        }
        if values.len() == 0 {
            return Some(all);
        }
        if values.len() == before {
            return Some(all);
        }
    }
}

/// `dd` takes no options but words such as `of=FILE`.
fn dd(call: &mut Call<'_>) {
    for word in call.command.words.iter().skip(1) {
        let head = word.head();
        if head.starts_with("of=") {
            call.act_path(Kind::Write, &word.without(3), Certainty::Exact, false);
        } else if head.starts_with("if=") {
            call.act_path(Kind::Read, &word.without(3), Certainty::Exact, false);
        } else if word.known().is_none() && !head.contains('=') {
            call.effect(Kind::Write, Object::Unknown, Certainty::Unknown);
            call.effect(Kind::Read, Object::Unknown, Certainty::Unknown);
        }
    }
}

/// `chmod -x FILE`: a mode that looks like an option, so the first operand is a file too.
fn mode_as_option(call: &mut Call<'_>) {
    let is_mode = |option: &String| matches!(&**option, "-r" | "-w" | "-x" | "-X" | "-s" | "-t");
    if call.reading.unlisted.iter().any(is_mode)
        && let Some(file) = call.words().first().cloned()
    {
        call.act_path(Kind::Write, &file, Certainty::Exact, false);
    }
}
