//! Secrets that a command gets as an argument or as its input: a table says which, program by program.
//!
//! A text is read as a shell would split it, wherever commands may stand in it: in quotes, behind `sudo`, in a file. What
//! only looks like such a command loses a word in the record, and nothing else.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::OnceLock;

mod words;

use words::{Item, Lexer, Word};

/// The programs that get secrets: `names|word|secrets`.
///
/// The word stands in the command too; one such as `-b` is a letter of its short options. The secrets are
///
/// | | |
/// |---|---|
/// | `-p` `--password` `auth` | what is attached, behind a `=`, or the next word |
/// | `-p+` | only what is attached |
/// | `--password=` | only what is behind a `=` |
/// | `-k!` | only the next word |
/// | `@1` `@-` `@*` | an operand: the first, the last, each |
/// | `<` | the input: a text in the line, or what `echo` and `printf` print |
///
/// With `/` and a text behind it, only what follows that text is one: `-u/:` hides `b` of `-u a:b`.
const TABLE: &str = "
mysql mysqldump mysqladmin mysqlimport mysqlshow mysqlcheck mysqlpump mysqlslap mysqlbinlog mariadb mariadb-dump mariadb-admin mariadb-import mariadb-check||-p+ --password=
mysqladmin mariadb-admin|password|@-
mysqlsh mycli pgcli litecli usql||-p --password --pass
sqlcmd bcp mssql-cli||-P
sqlplus sqlldr expdp impdp||@1//
redis-cli valkey-cli keydb-cli||-a --pass auth AUTH requirepass
mongo mongosh mongodump mongorestore mongoexport mongoimport mongostat mongofiles||-p --password
cqlsh clickhouse-client clickhouse influx cypher-shell couchbase-cli||-p! --password -password
sshpass evil-winrm hydra ncftp rdesktop wpa_cli||-p
docker podman nerdctl buildah skopeo oras crane regctl helm|login|-p --password <
docker podman nerdctl|secret|<
docker podman nerdctl gcloud|secrets|<
skopeo||--creds/: --src-creds/: --dest-creds/:
helm||--registry-password
kubectl oc k kubecolor minikube microk8s|secret|--from-literal/= --docker-password
kubectl oc k kubecolor minikube microk8s||--token
az|login|-p
az||--admin-password --administrator-login-password --account-key --sas-token
az|secret|--value
aws||--master-user-password --secret-string --user-password --temporary-password --proposed-password
aws|aws_secret_access_key|@-
gcloud||--root-password
curl curlie||-u/: --user/: -U/: --proxy-user/: --oauth2-bearer --pass --proxy-pass --tlspassword
wget wget2||--http-password --ftp-password --proxy-password
http https xh xhs httpie||-a/: --auth/:
lftp||-u/,
smbclient smbget rpcclient smbcacls smbmap net||-U/% --user/%
ldapsearch ldapadd ldapmodify ldapdelete ldapcompare ldapmodrdn ldapwhoami ldapexop ldappasswd||-w
ldappasswd||-s -a
openssl||-passin/pass: -passout/pass: -pass/pass: -k! -K!
openssl|passwd|@- <
keytool jarsigner||-storepass -keypass -srcstorepass -deststorepass -srckeypass -destkeypass
apksigner||--ks-pass/pass: --key-pass/pass:
zip zipcloak zipnote unzip||-P
7z 7za 7zr 7zz||-p+
rar unrar||-p+ -hp+
qpdf||--encrypt
pdftk||user_pw owner_pw input_pw
gpg|--passphrase-fd|<
htpasswd|-b|@-
htpasswd|-i|<
chpasswd kinit cryptsetup secret-tool vncpasswd hdiutil||<
passwd|--stdin|<
smbpasswd|-s|<
sudo|-S|<
useradd usermod adduser||-p
mkpasswd wpa_passphrase||@-
ipmitool||-P
snmpget snmpwalk snmpset snmpbulkwalk||-A -X
xfreerdp xfreerdp3 wlfreerdp||/p:+
nmcli||password wifi-sec.psk 802-11-wireless-security.psk 802-1x.password
security||-p -w
rclone|obscure|@-
vault|login|@- <
vault|kv|@*/=
heroku|config:set|@*/=
fly flyctl|secrets|@*/= <
doppler|secrets|@*/=
wrangler|secret|<
gh|secret|-b --body <
gh glab|auth|-t --token <
cargo wandb bw|login|@- <
bw|unlock|@-
snyk|auth|@-
twine||-p
poetry uv pdm hatch flit|publish|-p --password -t --token
dotnet nuget|push|-k! -ApiKey
dotnet|user-secrets|@-
supabase||-p
rabbitmqctl|add_user|@-
rabbitmqctl|change_password|@-
etcdctl||--user/:
consul nomad vault||-token
sentry-cli vercel netlify huggingface-cli hf circleci tailscale cloudflared||--token --auth --authkey --auth-key
doctl||-t
ngrok||authtoken add-authtoken
conda anaconda|token|@-
";

/// What is a secret behind every program.
const EVERYWHERE: &str = "--password --passwd --passphrase --secret --api-key --access-token --auth-token --client-secret --secret-key";
/// What may stand inside a name without being a letter of it.
const QUOTES: [char; 3] = ['\'', '"', '\\'];
/// Programs whose operands are what they print.
const PRINTERS: &[&str] = &["echo", "printf", "print"];
/// Texts in quotes that are texts with quotes again are looked into this often.
const DEEPEST: usize = 4;

/// One command, and what it reads.
#[derive(Debug, Default)]
struct Command {
    words: Vec<Word>,
    inputs: Vec<Range<usize>>,
    is_piped: bool,
}

/// Finds the secrets of all commands in a text, in no order.
pub(super) fn find(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    if may_give(text) {
        within(text, 0..text.len(), 0, &mut found);
    }
    let is_marker = |range: &Range<usize>| {
        text.get(range.clone())
            .is_some_and(|text| text.starts_with("[REDACTED:"))
    };
    found.retain(|range| !range.is_empty() && !is_marker(range));
    found
}

/// Finds the secrets in a list of words, each with its place in the list.
pub(super) fn find_in_list(list: &[&str]) -> Vec<(usize, Range<usize>)> {
    let mut start = 0;
    let mut starts = Vec::new();
    let words = list.iter().map(|text| {
        starts.push(start);
        let at = (start..start + text.len()).collect();
        start += text.len() + 1;
        let text = (*text).to_owned();
        Word {
            text,
            at,
            is_literal: true,
        }
    });
    let command = Command {
        words: words.collect(),
        ..Command::default()
    };
    let mut found = Vec::new();
    command.secrets(None, &mut found);
    let placed = found.into_iter().filter_map(|range| {
        let place = starts.iter().rposition(|start| *start <= range.start)?;
        let start = starts.get(place)?;
        Some((place, range.start - start..range.end - start))
    });
    placed.collect()
}

/// Tells whether a text names a program of the table or an option that is secret everywhere. Most texts name none, and are not
/// taken apart.
fn may_give(text: &str) -> bool {
    let is_letter = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    let is_known = |word: &str| {
        word.starts_with("--") && EVERYWHERE.split(' ').any(|option| option == word)
            || !rows(word).is_empty()
    };
    let names_one = |text: &str| text.split(|c| !is_letter(c)).any(is_known);
    // A word alone is given to nothing.
    let has_words = text.contains([' ', '\t']);
    has_words && (names_one(text) || text.contains(QUOTES) && names_one(&text.replace(QUOTES, "")))
}

fn within(text: &str, part: Range<usize>, depth: usize, found: &mut Vec<Range<usize>>) {
    let mut quoted = Vec::new();
    let items = Lexer::new(text, part).items(&mut quoted);
    let mut before: Option<Command> = None;
    let mut command = Command::default();
    let mut items = items.into_iter();
    loop {
        let item = items.next();
        match item {
            Some(Item::Word(word)) => command.words.push(word),
            Some(Item::File) => drop(items.next()),
            Some(Item::Text) => {
                if let Some(Item::Word(word)) = items.next() {
                    command.inputs.extend(word.from(0));
                }
            }
            Some(Item::Lines(lines)) => command.inputs.push(lines),
            Some(Item::End | Item::Pipe) | None => {
                let is_piped = matches!(item, Some(Item::Pipe));
                let is_over = item.is_none();
                let own = std::mem::take(&mut command);
                own.secrets(before.as_ref().filter(|_| own.is_piped), found);
                command.is_piped = is_piped;
                before = Some(own);
                if is_over {
                    break;
                }
            }
        }
    }
    if depth < DEEPEST {
        for part in quoted {
            within(text, part, depth + 1, found);
        }
    }
}

/// One line of the table, for one of its programs.
struct Row {
    words: &'static str,
    secrets: &'static str,
}

/// The lengths of the names in the table, a bit each, by their first byte: most words are no name, and the table need not be
/// taken apart for them.
static LENGTHS: [u32; 256] = lengths();

#[expect(
    clippy::indexing_slicing,
    reason = "it is evaluated when this is compiled"
)]
const fn lengths() -> [u32; 256] {
    let table = TABLE.as_bytes();
    let mut lengths = [0; 256];
    let (mut at, mut start, mut is_name) = (0, 0, false);
    while at < table.len() {
        let byte = table[at];
        if is_name && (byte == b' ' || byte == b'|') {
            lengths[table[start] as usize] |= 1 << (at - start);
        }
        is_name = byte == b'\n' || is_name && byte != b'|';
        if byte == b'\n' || byte == b' ' {
            start = at + 1;
        }
        at += 1;
    }
    lengths
}

fn may_be_named(program: &str) -> bool {
    let first = program.as_bytes().first();
    let lengths = first.and_then(|first| LENGTHS.get(usize::from(*first)));
    lengths.is_some_and(|lengths| program.len() < 32 && lengths & (1 << program.len()) != 0)
}

/// Returns the rows of a program.
fn rows(program: &str) -> &'static [Row] {
    static ROWS: OnceLock<BTreeMap<&str, Vec<Row>>> = OnceLock::new();
    if !may_be_named(program) {
        return &[];
    }
    let rows = ROWS.get_or_init(|| {
        let mut rows: BTreeMap<&str, Vec<Row>> = BTreeMap::new();
        for line in TABLE.lines() {
            let mut fields = line.split('|');
            let [names, words, secrets] = [(); 3].map(|()| fields.next().unwrap_or_default());
            for name in names.split(' ') {
                rows.entry(name).or_default().push(Row { words, secrets });
            }
        }
        rows
    });
    rows.get(program).map(Vec::as_slice).unwrap_or_default()
}

impl Command {
    /// Finds what its programs get, and what they read of the command before it.
    fn secrets(&self, before: Option<&Self>, found: &mut Vec<Range<usize>>) {
        for (at, word) in self.words.iter().enumerate() {
            let behind = self.words.get(at..).unwrap_or_default();
            for row in rows(word.program()) {
                let has = |wanted: &str| behind.iter().any(|word| is_given(word, wanted));
                if row.words.is_empty() || has(row.words) {
                    self.given(behind, row.secrets, before, found);
                }
            }
        }
        self.given(&self.words, EVERYWHERE, before, found);
    }

    fn given(
        &self,
        words: &[Word],
        secrets: &str,
        before: Option<&Self>,
        found: &mut Vec<Range<usize>>,
    ) {
        for secret in secrets.split(' ') {
            match secret {
                "<" => self.input(before, found),
                secret => found.extend(secrets_of(words, secret)),
            }
        }
    }

    fn input(&self, before: Option<&Self>, found: &mut Vec<Range<usize>>) {
        found.extend(self.inputs.iter().cloned());
        let words = before.map(|before| &*before.words).unwrap_or_default();
        let at = words
            .iter()
            .position(|word| PRINTERS.contains(&word.program()));
        let printed = at.and_then(|at| words.get(at + 1..)).unwrap_or_default();
        let told = printed
            .iter()
            .filter(|word| !word.is_option() && !word.text.starts_with('%'));
        found.extend(told.filter_map(|word| word.from(0)));
    }
}

/// Tells whether a word, or a letter of its short options, is given.
fn is_given(word: &Word, wanted: &str) -> bool {
    let letter = wanted.strip_prefix('-').filter(|letter| letter.len() == 1);
    let letters = word.text.strip_prefix('-').unwrap_or_default();
    let is_short = letters.chars().all(char::is_alphanumeric);
    word.text == wanted || letter.is_some_and(|letter| is_short && letters.contains(letter))
}

/// Finds one kind of secret in the words of a command, the program first.
fn secrets_of(words: &[Word], secret: &str) -> Vec<Range<usize>> {
    let (name, mark) = secret.split_once('/').unwrap_or((secret, ""));
    // `/p:X` has its own slash.
    let (name, mark) = if name.is_empty() {
        (secret, "")
    } else {
        (name, mark)
    };
    let mut operands = words.iter().skip(1).filter(|word| !word.is_option());
    match name {
        "@1" => operands
            .next()
            .and_then(|word| word.behind(0, mark))
            .into_iter()
            .collect(),
        "@-" => operands
            .next_back()
            .and_then(|word| word.behind(0, mark))
            .into_iter()
            .collect(),
        "@*" => operands.filter_map(|word| word.behind(0, mark)).collect(),
        name => {
            let pairs = words
                .iter()
                .zip(words.iter().skip(1).map(Some).chain([None]));
            let found = pairs.filter_map(|(word, next)| of_option(word, next, name, mark));
            found.collect()
        }
    }
}

/// Finds the value of an option.
fn of_option(word: &Word, next: Option<&Word>, name: &str, mark: &str) -> Option<Range<usize>> {
    let bare = name.trim_end_matches(['+', '=', '!']);
    let next = next.filter(|next| !next.is_option() && !name.ends_with(['+', '=']));
    let is_short = bare.len() == 2 && bare.starts_with('-');
    if word.text == bare {
        return next?.behind(0, mark);
    }
    if name.ends_with('!') {
        return None;
    }
    if let Some(value) = word.text.strip_prefix(bare) {
        let is_attached = is_short || name.ends_with('+');
        let skipped = match (value.starts_with('='), is_attached) {
            (true, _) => 1,
            (false, true) => 0,
            (false, false) => return None,
        };
        return word.behind(bare.len() + skipped, mark);
    }
    // The last of several short options: `-su a:b`.
    let letters = word.text.strip_prefix('-')?;
    let is_last = is_short && letters.ends_with(bare.get(1..)?);
    let is_group = letters.len() < 6 && letters.chars().all(|c| c.is_ascii_alphabetic());
    if is_last && is_group {
        next?.behind(0, mark)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_taken_apart_only_where_it_names_a_program_of_the_table_or_a_secret_option() {
        for text in [
            "mysql -px",
            "/usr/bin/my\"sql\" -px",
            "m\\ysql -px",
            "'C:\\bin\\mysql.exe' -px",
            "run --pass'word' x",
            "run --api-key=x y",
        ] {
            assert!(may_give(text) && !find(text).is_empty(), "{text}");
        }
        for text in [
            "mysql",
            "ls -la src",
            "let a = 1; // a line of a file",
            "a --passwords",
        ] {
            assert!(!may_give(text), "{text}");
        }
    }

    #[test]
    fn every_name_of_the_table_is_looked_up_and_few_other_words_are() {
        let names = TABLE.lines().filter_map(|line| line.split('|').next());
        let names: Vec<&str> = names.flat_map(str::split_whitespace).collect();
        assert!(names.len() > 200);
        for name in names {
            assert!(may_be_named(name) && !rows(name).is_empty(), "{name}");
        }
        for word in [
            "ls",
            "-la",
            "src",
            "",
            "make",
            "a-word-of-more-letters-than-a-number-has-bits",
        ] {
            assert!(!may_be_named(word), "{word}");
        }
    }
}
