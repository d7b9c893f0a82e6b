//! The command lines of `anyhook fleet` and `anyhook fleet ship`.

mod shipping;
mod trial;

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhook::text::moves_or_hides;
use anyhook::world::World;
use lexopt::{Arg, ValueExt as _};
use serde_json::json;

use crate::archive::{Archive, Stored};
use crate::bundle::Bundle;
use crate::control::{CURRENT, Fleet, Listed, POLICY, Role, is_name};
use crate::coverage::Coverage;
use crate::error::PolicyError;
use crate::failed::Failed;
use crate::keys::Secret;
use crate::query::{self, Question};
use crate::rounds::News;
use crate::server::{Caller, Server};

const HELP: &str = "\
Send the record of this machine to a fleet, and query the record of all machines

Usage: anyhook fleet ship [--follow]
       anyhook fleet VERB

For each person:
  keygen NAME                         Make NAME.key, and print the line of fleet.json for it
  ship                                Send new records to the server of [fleet] in config.toml, and to the receiver of
                                      [export]; with --follow, keep running

For the lead:
  up FOLDER NAME...                   Start a trial server on this machine, with a key for each name
  config FLEET.json                   Print the configuration of a server, or of its streams and buckets (--streams)
  streams FLEET.json --key KEY        Make the streams and buckets on a running server
  announce FILE.policy FLEET.json --key KEY
                                      Tell all machines that there is a new policy; each fetches and verifies it itself

For the store:
  store FOLDER FLEET.json --key KEY   Write incoming records as JSON lines, by day; with --follow, keep running
  log FOLDER                          Show what agents tried
  stats FOLDER                        Show which hooks decided, for whom, how often, how slow
  coverage FOLDER                     Show which machines sent records, and what did not arrive

Options:
  --follow                            Keep running until you stop it
  --role member|store|lead            The role of the new key [default: member]
  --key FILE                          The key file to connect with, named after its owner: lead.key
  --server URL                        The address of the server [default: that of fleet.json]
  --authority FILE                    A file of certificates that vouch for the server, if the system's do not
  --since 7d                          Only what is not older than this: s, m, h, d, w
  --denied, --person NAME, --text TEXT, -n NUMBER
                                      Which rows, and how many [default: 50]
  --format FORMAT                     Write the answer as text or json [default: text]
  --json                              Write JSON: the same as --format json
  -h, --help                          Print this help

Examples:
  anyhook fleet up trial ada grace
  anyhook fleet ship --follow
  anyhook fleet stats store --since 7d
";

/// What was typed.
#[derive(Debug, Default)]
struct Typed {
    words: Vec<String>,
    key: Option<PathBuf>,
    server: Option<String>,
    authority: Option<PathBuf>,
    managed: Option<PathBuf>,
    role: Option<String>,
    question: Question,
    is_followed: bool,
    is_streams: bool,
    format: Option<Format>,
    is_help: bool,
}

/// How an answer is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Format {
    /// For a person.
    Text,
    /// For a program.
    Json,
}

impl Typed {
    fn is_json(&self) -> bool {
        self.format == Some(Format::Json)
    }

    /// Takes the format, once: `--json` is short for `--format json`.
    fn written(&mut self, format: Format) -> Result<(), String> {
        match self.format.replace(format) {
            None => Ok(()),
            Some(_) => Err("give --json or --format, and only once".to_owned()),
        }
    }
}

fn format(text: &str) -> Result<Format, String> {
    match text {
        "text" => Ok(Format::Text),
        "json" => Ok(Format::Json),
        _ => Err("a format is text or json".to_owned()),
    }
}

fn typed(args: impl IntoIterator<Item = OsString>) -> Result<Typed, lexopt::Error> {
    let mut parser = lexopt::Parser::from_args(args);
    let mut typed = Typed {
        question: Question {
            last: 50,
            ..Question::default()
        },
        ..Typed::default()
    };
    while let Some(arg) = parser.next()? {
        match arg {
            Arg::Long("key") => typed.key = Some(parser.value()?.into()),
            Arg::Long("server") => typed.server = Some(parser.value()?.string()?),
            Arg::Long("authority") => typed.authority = Some(parser.value()?.into()),
            Arg::Long("managed") => typed.managed = Some(parser.value()?.into()),
            Arg::Long("role") => typed.role = Some(parser.value()?.string()?),
            Arg::Long("since") => typed.question.since = Some(parser.value()?.parse_with(since)?),
            Arg::Long("person") => typed.question.person = Some(parser.value()?.string()?),
            Arg::Long("text") => typed.question.text = Some(parser.value()?.string()?),
            Arg::Short('n') => typed.question.last = parser.value()?.parse()?,
            Arg::Long("denied") => typed.question.denied = true,
            Arg::Long("follow") => typed.is_followed = true,
            Arg::Long("streams") => typed.is_streams = true,
            Arg::Long("json") => typed.written(Format::Json)?,
            Arg::Long("format") => typed.written(parser.value()?.parse_with(format)?)?,
            Arg::Long("help") | Arg::Short('h') => typed.is_help = true,
            Arg::Value(word) => typed.words.push(word.string()?),
            other => return Err(other.unexpected()),
        }
    }
    Ok(typed)
}

/// Reads how long ago, such as `7d`.
fn since(text: &str) -> Result<i64, String> {
    let units = [
        ('s', 1),
        ('m', 60),
        ('h', 3600),
        ('d', 86_400),
        ('w', 604_800),
    ];
    let unit = units.iter().find(|(unit, _)| text.ends_with(*unit));
    let number = unit.and_then(|(unit, seconds)| {
        let number: u32 = text.strip_suffix(*unit)?.parse().ok()?;
        Some(i64::from(number) * seconds)
    });
    let seconds = number.ok_or("it is a number and one of s, m, h, d, w, such as 7d")?;
    Ok(World::real().clock.now() - seconds * 1000)
}

/// Carries it out, and returns what is printed.
pub(crate) fn carry_out(args: impl IntoIterator<Item = OsString>) -> Result<String, Failed> {
    let typed = typed(args).map_err(|error| Failed::Usage(error.to_string()))?;
    let words: Vec<&str> = typed.words.iter().map(String::as_str).collect();
    let store = |folder: &str| Path::new(folder).to_owned();
    Ok(match words.as_slice() {
        _ if typed.is_help => HELP.to_owned(),
        ["ship"] => shipping::ship(&typed)?,
        ["fleet", "keygen", name] => keygen(name, Path::new("."), role(typed.role.as_deref())?)?,
        ["fleet", "up", folder, names @ ..] => trial::up(Path::new(folder), names, &typed)?,
        ["fleet", "config", file] => config(&Fleet::open(Path::new(file))?, &typed),
        ["fleet", "streams", file] => streams(&Fleet::open(Path::new(file))?, &typed)?,
        ["fleet", "announce", policy, file] => {
            announce(policy, &Fleet::open(Path::new(file))?, &typed)?
        }
        ["fleet", "store", folder, file] => {
            keep(&store(folder), &Fleet::open(Path::new(file))?, &typed)?
        }
        ["fleet", "log", folder] => asked(&typed, &store(folder), Question::log)?,
        ["fleet", "stats", folder] => asked(&typed, &store(folder), Question::stats)?,
        ["fleet", "coverage", folder] => {
            let all = Coverage::of(&store(folder), World::real().clock.now())?;
            if typed.is_json() {
                as_json(&all)
            } else {
                all.page()
            }
        }
        [] | ["fleet"] => return Err(Failed::Usage("which verb?".into())),
        [.., verb] => {
            let what = format!("`{verb}` is no verb, or something is missing or too much");
            return Err(Failed::Usage(what));
        }
    })
}

fn role(typed: Option<&str>) -> Result<Role, Failed> {
    match typed {
        None | Some("member") => Ok(Role::Member),
        Some("store") => Ok(Role::Store),
        Some("lead") => Ok(Role::Lead),
        Some(other) => Err(Failed::Usage(format!(
            "`{other}` is no role: member, store or lead"
        ))),
    }
}

fn keygen(name: &str, folder: &Path, role: Role) -> Result<String, Failed> {
    if !is_name(name) {
        let what = format!(
            "`{name}` is no name: 1 to 32 of a-z, 0-9, `_` and `-`, the first a letter or digit"
        );
        return Err(Failed::Usage(what));
    }
    let key = Secret::generate()?;
    let (secret, _) = key.keep(name, folder)?;
    let line = json!({name: Listed::of(&key, name, role)?}).to_string();
    let line = line.trim_start_matches('{').trim_end_matches('}');
    Ok(format!(
        "made {}; keep it secret. The line for `people` of fleet.json:\n  {line}}}\n",
        secret.display()
    ))
}

fn config(fleet: &Fleet, typed: &Typed) -> String {
    if typed.is_streams {
        serde_json::to_string_pretty(&fleet.streams()).unwrap_or_default() + "\n"
    } else {
        fleet.conf("/var/lib/nats")
    }
}

/// A runtime of one thread: this program waits for a network and does little else.
fn block<T>(work: impl Future<Output = Result<T, PolicyError>>) -> Result<T, PolicyError> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    let runtime = runtime.map_err(PolicyError::io("start", Path::new("the runtime")))?;
    runtime.block_on(work)
}

/// A key and whose it is: its file is called after its owner.
fn key(file: Option<&Path>) -> Result<(String, Secret), Failed> {
    let Some(file) = file else {
        return Err(Failed::Usage("who connects? --key FILE".into()));
    };
    let name = file
        .file_stem()
        .map(|name| name.to_string_lossy().into_owned());
    let name = name.filter(|name| is_name(name));
    let name = name.ok_or_else(|| {
        let what = format!("the key `{}` is not called after a person", file.display());
        PolicyError::unfit(
            what,
            "call it NAME.key, as `anyhook fleet keygen NAME` does",
        )
    })?;
    Ok((name, Secret::open(file)?))
}

/// Does something with a connection as the owner of a key.
fn connected<T>(
    fleet: &Fleet,
    typed: &Typed,
    work: impl AsyncFnOnce(Server, &Caller<'_>) -> Result<T, PolicyError>,
) -> Result<T, Failed> {
    let (name, key) = key(typed.key.as_deref())?;
    let address = typed.server.clone().unwrap_or_else(|| fleet.address());
    let caller = Caller {
        server: &address,
        authority: typed.authority.as_deref(),
        name: &name,
        key: &key,
    };
    let done = block(async { work(Server::patiently(&caller).await?, &caller).await });
    Ok(done?)
}

fn streams(fleet: &Fleet, typed: &Typed) -> Result<String, Failed> {
    connected(fleet, typed, async |server, _| {
        let streams = fleet.streams();
        for config in &streams {
            server.make(config).await?;
        }
        Ok(format!("{} streams and buckets are there\n", streams.len()))
    })
}

fn announce(policy: &str, fleet: &Fleet, typed: &Typed) -> Result<String, Failed> {
    let path = Path::new(policy);
    let bytes = std::fs::read(path).map_err(PolicyError::io("read", path))?;
    let bundle = Bundle::unverified(&bytes)?;
    let news = News {
        revision: bundle.rules.revision,
        digest: anyhook::files::digest(&bundle.text()?),
    };
    connected(fleet, typed, async |server, _| {
        let bytes = serde_json::to_vec(&news).unwrap_or_default();
        server
            .publish(&format!("$KV.{POLICY}.{CURRENT}"), None, bytes)
            .await?;
        Ok(format!(
            "revision {} is announced; each machine fetches it from its own source\n",
            news.revision
        ))
    })
}

/// After so many rounds in which not all that was there came in time, the line to the server is slow.
const LATE: u32 = 2;

fn keep(folder: &Path, fleet: &Fleet, typed: &Typed) -> Result<String, Failed> {
    let Some(mut archive) = Archive::open(folder, fleet)? else {
        return Ok("another process writes this store\n".to_owned());
    };
    let done = connected(fleet, typed, async |mut server, caller| {
        let (mut all, mut late) = (Stored::default(), 0);
        loop {
            let round = async {
                let (done, is_all) = archive.take(&server).await?;
                all.add(done);
                Ok(is_all)
            };
            let is_all = match round.await {
                Ok(true) if !typed.is_followed => return Ok(all),
                Ok(is_all) => is_all,
                // A server that hangs does not say so.
                Err(why @ PolicyError::Server { .. }) if typed.is_followed => {
                    let why = anyhook::files::with_causes(&why);
                    crate::failed::say(&format!("{why}; connected anew\n"));
                    server = Server::connect(caller).await.unwrap_or(server);
                    true
                }
                Err(error) => return Err(error),
            };
            if is_all {
                late = 0;
                tokio::time::sleep(std::time::Duration::from_secs(1)).await;
                continue;
            }
            late += 1;
            if late % LATE == 0 && typed.is_followed {
                // Another server of the cluster may be nearer: which one is asked is chance.
                server = Server::connect(caller).await.unwrap_or(server);
            }
        }
    })?;
    Ok(format!(
        "{} records were written, {} messages refused, {} batches had come before\n",
        done.records, done.refused, done.again
    ))
}

fn asked(
    typed: &Typed,
    store: &Path,
    sql: fn(&Question, &[String]) -> String,
) -> Result<String, Failed> {
    let files = typed.question.files(store)?;
    let rows = if files.is_empty() {
        Vec::new()
    } else {
        query::ask(&sql(&typed.question, &files))?
    };
    if typed.is_json() {
        return Ok(as_json(&rows));
    }
    Ok(query::table(&rows))
}

/// Writes an answer for a program. Signs that would move or hide text on a terminal stand as escapes of JSON, so that what is
/// printed is not changed once more, and another reader gets what a member sent.
fn as_json(answer: &impl serde::Serialize) -> String {
    let text = serde_json::to_string(answer).unwrap_or_default();
    let mut escaped = String::with_capacity(text.len() + 1);
    for sign in text.chars() {
        if moves_or_hides(sign) {
            for unit in sign.encode_utf16(&mut [0; 2]) {
                escaped.push_str(&format!("\\u{unit:04x}"));
            }
        } else {
            escaped.push(sign);
        }
    }
    escaped + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn format_of(args: &[&str]) -> Result<bool, String> {
        let typed = typed(args.iter().map(OsString::from));
        typed
            .map(|typed| typed.is_json())
            .map_err(|error| error.to_string())
    }

    #[test]
    fn json_is_short_for_format_json_and_only_one_of_them_is_taken() {
        for verb in ["log", "stats", "coverage"] {
            for (args, is_json) in [
                (&[][..], false),
                (&["--json"], true),
                (&["--format", "json"], true),
                (&["--format=json"], true),
                (&["--format", "text"], false),
            ] {
                let args = [&["fleet", verb, "store"], args].concat();
                assert_eq!(format_of(&args), Ok(is_json), "{args:?}");
            }
        }
        for args in [
            &["--json", "--format", "json"][..],
            &["--format", "text", "--json"],
            &["--json", "--json"],
            &["--format", "csv"],
            &["--format"],
        ] {
            assert!(format_of(args).is_err(), "{args:?}");
        }
    }
}
