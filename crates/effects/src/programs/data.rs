//! Databases, keys and secrets.

use super::call::Call;
use super::{Program, row};
use crate::command::Input;
use crate::effect::{Certainty, Kind, Object};
use crate::word::Word;

pub(super) static ROWS: &[Program] = &[
    row("sqlite3|sqlite|sqlcipher|duckdb|litecli", "- cmd: init:x A: separator: nullvalue: mode: newline: csv json line list column header readonly batch bail html box markdown table quote tabs c: f:r maxsize: vfs: zip", "u -*").more(sqlite),
    row("psql|pgcli|createdb|dropdb|createuser|dropuser|pg_dump|pg_dumpall|pg_restore|pg_basebackup|vacuumdb|pg_ctl|initdb|pgbench", "c,command: f,file: o,output:w L,log-file:w d,dbname: h,host:n p,port: U,username: v,set: D,pgdata:W t A q X 1 W w e n,schema: F: R: P: l j: Z: E:", "-*").more(database),
    row("mysql|mariadb|mysqldump|mysqladmin|mysqlimport|mycli|mysqlsh", "e,execute: h,host:n P,port: u,user: p,password? D,database: S,socket: r,result-file:w T,tab:W tee:w init-command: defaults-file:r defaults-extra-file:r B N t X v", "-*").more(database),
    row("mongo|mongosh|mongodump|mongorestore|mongoimport|mongoexport|redis-cli|valkey-cli|influx|cqlsh|clickhouse-client|clickhouse|sqlcmd|sqlplus|snowsql|usql|neo4j|cypher-shell|etcdctl|bsql|isql|trino|presto|beeline|spark-sql|hive|impala-shell|kafka-console-producer|kcat|rabbitmqadmin|nats|surreal|turso|edgedb|cockroach", "h,host,H:n p: u: eval:x e:x c: f,file:r o,out:w", "-*").does("n x"),
    row("openssl", "+", "").more(openssl),
    row("gpg|gpg2|gpgv", "o,output:w r,recipient: u,local-user: homedir:RW d,decrypt e,encrypt s,sign b,detach-sign c,symmetric a,armor v,verify k,list-keys K import!k export delete-keys!k delete-secret-keys!k gen-key!k full-generate-key!k edit-key!k batch yes passphrase: passphrase-file:r passphrase-fd: status-file:w logger-file:w photo-viewer:c exec-path:x agent-program:x keyserver:n recv-keys!n send-keys!n search-keys!n pinentry-mode: trust-model: status-fd: default-key: cipher-algo: log-file:w multifile", "r*"),
    row("age|rage|sops|pass|gopass|op-read|bw|security|keyring|secret-tool|kwallet-query|gnome-keyring|step|mkcert|certbot|acme.sh|keytool|minisign|signify|rekor|ssh-vault|ansible-vault-run|git-secret|blackbox|teller|keybase", "o,output:w d,decrypt e,encrypt i,identity,in-place:r r,recipient: R,recipients-file:r p a", "r*").does("x"),
    row("tput-run|xclip|xsel|pbcopy|pbpaste|wl-copy|wl-paste|clip|notify-send|say|afplay|aplay|play|mpv|vlc|mplayer|feh|eog|evince|screencapture|scrot|grim|import-image|scanimage|lp|lpr|lpstat|cancel|espeak|festival|qrencode|zbarimg|figlet|cowsay|fortune|lolcat|toilet|sl-train|neofetch|fastfetch|cmatrix|banner", "i:r o:w", "-*"),
];

/// Commands of the shell of sqlite that write or run.
fn sqlite(call: &mut Call<'_>) {
    // `-A`, also with letters of its command behind it: `-Acf`.
    let mut words = call.command.words.iter().map(Word::head);
    if call.may("A") || words.any(|head| head.starts_with("-A") || head.starts_with("--A")) {
        // What follows is a command for archives, which packs or unpacks files.
        for kind in [Kind::Read, Kind::Write] {
            call.effect(kind, Object::Unknown, Certainty::Unknown);
        }
    }
    let mut texts: Vec<Word> = call.words().into_iter().skip(1).collect();
    texts.extend(call.reading.values("cmd").cloned());
    texts.extend(call.reading.values("c").cloned());
    match &call.command.input {
        Input::Inherited => {}
        Input::Text(text) => texts.push(Word::text(text.clone())),
        Input::File(_) | Input::Unknown { .. } => texts.push(Word::unknown()),
    }
    for text in texts {
        statements(call, &text);
    }
}

fn statements(call: &mut Call<'_>, text: &Word) {
    let Some(text) = text.known() else {
        call.effect(Kind::Write, Object::Unknown, Certainty::Unknown);
        call.may_run_code();
        return;
    };
    let lower = text.to_lowercase();
    for line in text.lines() {
        let line = line.trim();
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = rest.trim().trim_matches(['"', '\'']);
        match word {
            ".shell" | ".system" | ".sh" | ".sy" => call.shell(Word::text(rest), Vec::new()),
            ".output" | ".once" | ".out" | ".o" | ".on" | ".excel" | ".log" | ".backup"
            | ".save" | ".clone" | ".trace" | ".cd" => match rest.strip_prefix('|') {
                Some(line) => call.shell(Word::text(line), Vec::new()),
                None => call.act_path(
                    Kind::Write,
                    &Word::text(rest.rsplit(' ').next().unwrap_or(rest)),
                    Certainty::Exact,
                    false,
                ),
            },
            ".read" | ".open" | ".import" | ".restore" | ".load" | ".archive" | ".edit" => {
                call.opaque = true;
                let first = rest.split(' ').next().unwrap_or_default();
                call.act_path(Kind::Read, &Word::text(first), Certainty::Exact, false);
            }
            _ => {}
        }
    }
    if [
        "writefile",
        "load_extension",
        "attach",
        "into outfile",
        "vacuum into",
        "copy ",
        "edit(",
    ]
    .iter()
    .any(|mark| lower.contains(mark))
    {
        call.effect(Kind::Write, Object::Unknown, Certainty::Unknown);
    }
    if lower.contains("readfile") {
        call.effect(Kind::Read, Object::Unknown, Certainty::Unknown);
    }
}

/// Text for a server: `\!` runs a command, `\o` and `\copy` write.
fn database(call: &mut Call<'_>) {
    if !call.may("h") {
        call.effect(
            Kind::Net,
            Object::Host("localhost".to_owned()),
            Certainty::Likely,
        );
    }
    let mut texts: Vec<Word> = ["c", "e", "init-command"]
        .iter()
        .flat_map(|name| call.reading.values(name))
        .cloned()
        .collect();
    match &call.command.input {
        Input::Text(text) => texts.push(Word::text(text.clone())),
        Input::File(_) | Input::Unknown { .. } => call.opaque = true,
        Input::Inherited => {}
    }
    if call.may("f") && call.row.name() == "psql" {
        call.opaque = true;
        let file = call
            .reading
            .values("f")
            .last()
            .cloned()
            .unwrap_or_else(Word::unknown);
        let kind = if call.name == "psql" || call.name == "pg_restore" {
            Kind::Read
        } else {
            Kind::Write
        };
        call.act_path(kind, &file, Certainty::Exact, false);
    }
    for text in texts {
        queries(call, &text);
    }
}

/// Statements, and commands of the client between them.
fn queries(call: &mut Call<'_>, text: &Word) {
    let Some(text) = text.known() else {
        call.may_run_code();
        return;
    };
    let lower = text.to_lowercase();
    for line in text.lines().flat_map(|line| line.split(';')) {
        let line = line.trim();
        if let Some((_, line)) = line
            .split_once("\\!")
            .or_else(|| line.strip_prefix("system ").map(|line| ("", line)))
        {
            call.shell(Word::text(line.trim()), Vec::new());
        }
        let writes = ["\\o ", "\\out ", "\\w ", "\\g ", "\\copy ", "\\T ", "tee "];
        if writes.iter().any(|mark| line.contains(mark)) {
            call.effect(Kind::Write, Object::Unknown, Certainty::Unknown);
        }
    }
    if ["into outfile", "into dumpfile", "program '", "load data"]
        .iter()
        .any(|mark| lower.contains(mark))
    {
        call.effect(Kind::Write, Object::Unknown, Certainty::Unknown);
        call.opaque = true;
    }
}

/// `openssl VERB -in FILE -out FILE`.
fn openssl(call: &mut Call<'_>) {
    let words = call.command.words.clone();
    for (at, word) in words.iter().enumerate() {
        let value = words.get(at + 1).cloned().unwrap_or_else(Word::unknown);
        match word.known().as_deref() {
            Some(
                "-out" | "-keyout" | "-writerand" | "-sigout" | "-CAserial" | "-sess_out"
                | "-keylogfile" | "-respout" | "-reqout",
            ) => call.act_path(Kind::Write, &value, Certainty::Exact, false),
            Some(
                "-in" | "-inkey" | "-key" | "-CA" | "-CAkey" | "-cert" | "-CAfile" | "-config"
                | "-kfile" | "-certfile" | "-signer" | "-extfile" | "-rand" | "-sigfile"
                | "-verify",
            ) => call.act_path(Kind::Read, &value, Certainty::Exact, false),
            Some("-outdir" | "-writedir") => {
                call.act_path(Kind::Write, &value, Certainty::Exact, true);
            }
            Some("-connect" | "-proxy" | "-host" | "-url") => {
                call.connect(&value, Certainty::Exact);
            }
            Some("-engine" | "-provider" | "-provider-path" | "-provider_path") => {
                call.opaque = true;
            }
            None => {
                call.effect(Kind::Write, Object::Unknown, Certainty::Unknown);
                call.effect(Kind::Read, Object::Unknown, Certainty::Unknown);
            }
            Some(_) => {}
        }
    }
    if call.reading.text(0).as_deref() == Some("dgst")
        && let Some(last) = words.last()
    {
        call.act_path(Kind::Read, last, Certainty::Likely, false);
    }
}
