//! The command lines of `anyhook fleet policy`; those of the fleet are in a file of their own.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhook::files::with_causes;
use anyhook::policy::{Policy, Stamp, Vouched};
use anyhook::trust::Trust;
use anyhook::world::World;
use lexopt::{Arg, ValueExt as _};
use serde_json::json;

use crate::bundle::Bundle;
use crate::diff::diff;
use crate::disk;
use crate::error::PolicyError;
use crate::failed::Failed;
use crate::fetch::{Fetched, Source, fetch};
use crate::keys::{Keyring, Public, Secret};
use crate::machine::Machine;
use crate::rules::shown;
use crate::store::{Applied, Store};

const HELP: &str = "\
Sign a policy for many machines, or apply one to this machine

Usage: anyhook fleet policy VERB

For the lead:
  keygen NAME                         Make NAME.key, which signs, and NAME.pub, which machines trust
  check FOLDER [--history FILE]       Lint the policy of a folder, run the tests of its hooks, and show what it would have
                                      changed in a history: a file of `anyhook log --json`, or - for your own record
  build FOLDER -o FILE --key KEY      Sign it; give --key again to sign with a second key
  diff OLD NEW                        Show what changes: files of policies, folders, or `current`
  digest FILE                         Print the line by which a policy vouches for a hooks.json

For the administrator of a machine, as root:
  trust-key FILE.pub                  Trust a key
  apply [FILE|URL]                    Verify a policy and apply it [default: from where the last one came]
  status [--json]                     Show the revision, its age, its signer, its exceptions
  leave                               Remove the policy; the keys stay

Options:
  --managed FOLDER                    Use another folder than /etc/anyhook, for the image of a machine
  -h, --help                          Print this help
  -V, --version                       Print the version

Examples:
  anyhook fleet policy keygen lead
  anyhook fleet policy build policy -o acme.policy --key lead.key
  sudo anyhook fleet policy apply https://policy.example.com/acme.policy
";

/// What was typed.
#[derive(Debug, Default)]
struct Typed {
    words: Vec<String>,
    keys: Vec<PathBuf>,
    output: Option<PathBuf>,
    managed: Option<PathBuf>,
    history: Option<PathBuf>,
    is_json: bool,
    is_help: bool,
    is_version: bool,
}

/// Carries out the command line of `anyhook fleet policy`, and returns what is printed.
pub(crate) fn policy(args: impl IntoIterator<Item = OsString>) -> Result<String, Failed> {
    carry_out(&typed(args)?)
}

fn typed(args: impl IntoIterator<Item = OsString>) -> Result<Typed, Failed> {
    let usage = |error: lexopt::Error| Failed::Usage(error.to_string());
    let mut parser = lexopt::Parser::from_args(args);
    let mut typed = Typed::default();
    while let Some(arg) = parser.next().map_err(usage)? {
        match arg {
            Arg::Long("key") => typed.keys.push(parser.value().map_err(usage)?.into()),
            Arg::Short('o') | Arg::Long("output") => {
                typed.output = Some(parser.value().map_err(usage)?.into());
            }
            Arg::Long("managed") => {
                typed.managed = Some(parser.value().map_err(usage)?.into());
            }
            Arg::Long("history") => {
                typed.history = Some(parser.value().map_err(usage)?.into());
            }
            Arg::Long("json") => typed.is_json = true,
            Arg::Long("help") | Arg::Short('h') => typed.is_help = true,
            Arg::Long("version") | Arg::Short('V') => typed.is_version = true,
            Arg::Value(word) => typed.words.push(word.string().map_err(usage)?),
            other => return Err(usage(other.unexpected())),
        }
    }
    Ok(typed)
}

/// Carries it out, and returns what is printed.
fn carry_out(typed: &Typed) -> Result<String, Failed> {
    if typed.is_version {
        return Ok(concat!("anyhook-fleet ", env!("CARGO_PKG_VERSION"), "\n").to_owned());
    }
    let words: Vec<&str> = typed.words.iter().map(String::as_str).collect();
    let rest = match words.as_slice() {
        _ if typed.is_help => return Ok(HELP.to_owned()),
        ["policy", rest @ ..] => rest,
        _ => {
            return Err(Failed::Usage(
                "which verb? It is started by `anyhook fleet policy`".into(),
            ));
        }
    };
    // What is written here is read by all users of the machine, whatever mask root has.
    rustix::process::umask(rustix::fs::Mode::from_raw_mode(0o022));
    let managed = typed
        .managed
        .clone()
        .unwrap_or_else(|| World::real().managed);
    if typed.is_json && rest != ["status"] {
        return Err(Failed::Usage("--json is for `status`".into()));
    }
    Ok(match rest {
        ["keygen"] => return Err(Failed::Usage("what is the key called? keygen NAME".into())),
        ["keygen", name] => keygen(name)?,
        ["check", folder] => check(Path::new(folder), typed.history.as_deref(), &managed)?,
        ["build", folder] => build(Path::new(folder), typed)?,
        ["diff", old, new] => match diff(&opened(old, &managed)?, &opened(new, &managed)?)? {
            told if told.is_empty() => "the two are the same\n".to_owned(),
            told => told,
        },
        ["digest", file] => digest(Path::new(file))?,
        ["trust-key", file] => trust_key(Path::new(file), &managed)?,
        ["apply"] => apply(None, &managed)?,
        ["apply", source] => apply(Some(source), &managed)?,
        ["status"] if typed.is_json => status_as_json(&managed)?,
        ["status"] => status(&managed)?,
        ["leave"] => {
            Store::at(&managed).leave()?;
            "the policy of this machine is gone; its keys are still trusted\n".to_owned()
        }
        [] => return Err(Failed::Usage("which verb?".into())),
        [verb, ..] => {
            return Err(Failed::Usage(format!(
                "`{verb}` is no verb, or something is missing or too much"
            )));
        }
    })
}

fn keygen(name: &str) -> Result<String, Failed> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    if name.is_empty() || name.starts_with('.') || !name.chars().all(is_plain) {
        return Err(Failed::Usage(
            "a key is called by letters, digits, `.`, `_` and `-`".into(),
        ));
    }
    let key = Secret::generate()?;
    let (secret, public) = key.keep(name, Path::new("."))?;
    Ok(format!(
        "made {} and {}, the key {}\nKeep the first one secret: who has it decides for every machine that trusts the second one.\n",
        secret.display(),
        public.display(),
        key.public(name).id(),
    ))
}

fn build(folder: &Path, typed: &Typed) -> Result<String, Failed> {
    let Some(output) = &typed.output else {
        return Err(Failed::Usage("where to? -o FILE".into()));
    };
    let keys = typed
        .keys
        .iter()
        .map(|file| Secret::open(file))
        .collect::<Result<Vec<_>, _>>()?;
    let bundle = Bundle::build(folder)?;
    let file = bundle.sign(&keys)?;
    disk::replace(
        &std::path::absolute(output).unwrap_or_else(|_| output.clone()),
        file.as_bytes(),
        0o644,
    )?;
    let (name, revision, files) = (
        &bundle.rules.name,
        bundle.rules.revision,
        bundle.files.len(),
    );
    let mut said = format!(
        "signed revision {revision} of {name}: {files} files, {} bytes, {}\n",
        file.len(),
        output.display()
    );
    let now = World::real().clock.now();
    for granted in bundle
        .rules
        .exceptions
        .iter()
        .filter(|granted| granted.end().is_ok_and(|end| end <= now))
    {
        said.push_str(&format!(
            "the exception from {} of {} is over: take it out\n",
            granted.hook, granted.owner
        ));
    }
    Ok(said)
}

/// The `anyhook` of this version, which is beside this program.
struct Beside(PathBuf);

impl Beside {
    fn find() -> Result<Self, PolicyError> {
        let own = std::env::current_exe().and_then(|own| own.canonicalize());
        let own = own.map_err(PolicyError::io("find", Path::new("this program")))?;
        Ok(Self(own.with_file_name("anyhook")))
    }

    /// Runs one of its commands, and returns how it ended.
    fn run(&self, args: &[&str], paths: &[PathBuf]) -> Result<i32, PolicyError> {
        let status = Command::new(&self.0).args(args).args(paths).status();
        let status = status.map_err(PolicyError::io("start", &self.0))?;
        Ok(status.code().unwrap_or(70))
    }
}

/// Runs the linter and the tests, and asks a history what the policy would have changed.
fn check(folder: &Path, history: Option<&Path>, managed: &Path) -> Result<String, Failed> {
    let bundle = Bundle::build(folder)?;
    let anyhook = Beside::find()?;
    let manifests = bundle.manifests(folder);
    let linted = anyhook.run(&["check", "--strict"], &manifests)?;
    let tested = anyhook.run(&["test", "--hooks"], &[folder.to_owned()])?;
    let said = match (linted, tested) {
        (0, 0) => "the hooks are well, and their cases passed",
        // 4 means that there was nothing to run.
        (0, 4) => "the hooks are well; they have no cases: see `anyhook test --help`",
        (0, failed) | (failed, _) => return Err(Failed::Found(u8::try_from(failed).unwrap_or(1))),
    };
    let mut said = format!(
        "revision {} of {}: {said}\n",
        bundle.rules.revision, bundle.rules.name
    );
    if let Some(history) = history {
        said.push_str(backtest(&anyhook, (folder, &manifests), history, managed)?);
    }
    Ok(said)
}

/// Compares each manifest with the same one of the policy that holds here, or with no hooks, over a history.
fn backtest(
    anyhook: &Beside,
    (folder, manifests): (&Path, &[PathBuf]),
    history: &Path,
    managed: &Path,
) -> Result<&'static str, Failed> {
    let place = tempfile::tempdir().map_err(PolicyError::io("make", Path::new("a folder")))?;
    let none = place.path().join("hooks.json");
    disk::replace(&none, br#"{"version": 1, "hooks": {}}"#, 0o600)?;
    let current = Store::at(managed).current().map(|policy| policy.folder);
    for manifest in manifests {
        let name = manifest.strip_prefix(folder).unwrap_or(manifest);
        let held = current.as_ref().map(|current| current.join(name));
        let before = held
            .filter(|file| file.is_file())
            .unwrap_or_else(|| none.clone());
        let sides = [
            Path::new("--before"),
            &before,
            Path::new("--after"),
            manifest,
            history,
        ];
        let sides = sides.map(Path::to_owned);
        match anyhook.run(
            &["backtest", "--fail-on", "newly-allowed,new-fault"],
            &sides,
        )? {
            0 => {}
            failed => return Err(Failed::Found(u8::try_from(failed).unwrap_or(1))),
        }
    }
    Ok("over the history nothing is newly allowed and no hook fails anew\n")
}

/// Opens a folder of a lead, a file of a policy, or the policy of this machine.
fn opened(name: &str, managed: &Path) -> Result<Bundle, PolicyError> {
    let path = Path::new(name);
    if name == "current" && path.symlink_metadata().is_err() {
        let store = Store::at(managed);
        return Bundle::unverified(&store.signed(&store.current().ok_or(PolicyError::Nothing)?)?);
    }
    if path.is_dir() {
        return Bundle::build(path);
    }
    match fetch(&Source::read(name)?, None)? {
        Fetched::New { file, .. } => Bundle::unverified(&file),
        Fetched::Same => Err(PolicyError::Nothing),
    }
}

fn digest(file: &Path) -> Result<String, Failed> {
    let looked = Trust::look(file).map_err(|error| {
        let what = format!(
            "`{}` cannot be vouched for: {}",
            file.display(),
            with_causes(&error)
        );
        PolicyError::unfit(what, format!("anyhook check {}", file.display()))
    })?;
    let bytes = std::fs::read(file).map_err(PolicyError::io("read", file))?;
    let note = looked
        .root
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    let vouched = Vouched {
        manifest: anyhook::files::digest(&bytes),
        package: looked.digest,
        note,
    };
    Ok(serde_json::to_string(&vouched).unwrap_or_default() + "\n")
}

fn trust_key(file: &Path, managed: &Path) -> Result<String, Failed> {
    let bytes = std::fs::read_to_string(file).map_err(PolicyError::io("read", file))?;
    let key = Public::read(&bytes)?;
    disk::folder(managed)?;
    let kept = Keyring::at(managed).add(&key)?;
    Ok(format!(
        "trusted: the key {} ({}), in {}\nCompare {} with what its owner says: that key decides for every user of this machine.\n",
        key.id(),
        key.name(),
        kept.display(),
        key.id(),
    ))
}

pub(crate) fn apply(source: Option<&&str>, managed: &Path) -> Result<String, Failed> {
    let store = Store::at(managed);
    let seen = store.seen()?;
    let source = match source {
        Some(source) => Source::read(source)?,
        None if seen.source.is_empty() => return Err(PolicyError::Nothing.into()),
        None => Source::read(&seen.source)?,
    };
    let etag = seen
        .etag
        .as_deref()
        .filter(|_| seen.source == source.to_string());
    let (file, etag) = match fetch(&source, etag)? {
        Fetched::New { file, etag } => (file, etag),
        Fetched::Same => {
            let held = store.confirm()?;
            return Ok(format!(
                "revision {} is the one to have, says {source}\n",
                held.name
            ));
        }
    };
    let applied = store.apply(&file, &source)?;
    store.tagged(etag)?;
    Ok(match applied {
        Applied::Enforced { name, before } => {
            let before = before
                .map(|before| format!(" after {before}"))
                .unwrap_or_default();
            format!(
                "revision {name} holds from now on{before}, for every agent of every user of this machine\n"
            )
        }
        Applied::Confirmed { name } => {
            format!("revision {name} holds already, and was confirmed\n")
        }
        Applied::Waits { revision, place } => {
            format!(
                "revision {revision} is not for this machine yet, which has place {place} of 100; nothing changed\n"
            )
        }
    })
}

fn status(managed: &Path) -> Result<String, Failed> {
    let store = Store::at(managed);
    let mut page = String::new();
    match store.current() {
        Some(Policy { name, stamp, .. }) => {
            page.push_str(&format!("revision {name}  holds\n"));
            match stamp {
                Ok(stamp) => page.push_str(&about(&stamp)),
                Err(why) => {
                    page.push_str(&format!("  cannot be read, so every gate refuses: {why}\n"));
                }
            }
        }
        None => page.push_str("no policy was applied on this machine\n"),
    }
    match Machine::here(managed) {
        Ok(machine) => page.push_str(&format!(
            "machine {}  place {} of 100\n",
            machine.id(),
            machine.place()
        )),
        Err(_) => page.push_str("machine without an id; `apply` gives it one\n"),
    }
    for key in store.keys()? {
        page.push_str(&format!("trusts the key {}  {}\n", key.id(), key.name()));
    }
    Ok(page)
}

/// Nothing is where no policy was applied, and where the machine has no id yet.
fn status_as_json(managed: &Path) -> Result<String, Failed> {
    let store = Store::at(managed);
    let of = |policy: Policy| match policy.stamp {
        Ok(stamp) => json!({"name": policy.name, "stamp": stamp}),
        Err(why) => json!({"name": policy.name, "unreadable": why}),
    };
    let machine = Machine::here(managed).ok();
    let machine = machine.map(|machine| json!({"id": machine.id(), "place": machine.place()}));
    let keys = store.keys()?;
    let keys = keys
        .iter()
        .map(|key| json!({"id": key.id(), "name": key.name()}));
    let all = json!({
        "holds": store.current().map(of), "machine": machine,
        "keys": keys.collect::<Vec<_>>(),
    });
    Ok(format!("{all}\n"))
}

fn about(stamp: &Stamp) -> String {
    let mut lines = format!(
        "  signed by   {}\n  from        {}\n  applied     {}\n  confirmed   {}\n",
        stamp.signers.join(", "),
        stamp.source,
        shown(stamp.applied),
        shown(stamp.confirmed),
    );
    if let Some(until) = stamp.until {
        let then = serde_json::to_string(&stamp.then).unwrap_or_default();
        lines.push_str(&format!(
            "  holds until {}, then {}\n",
            shown(until),
            then.trim_matches('"')
        ));
    }
    for granted in &stamp.exceptions {
        let people = match granted.people.as_slice() {
            [] => "everybody here".to_owned(),
            people => people.join(", "),
        };
        lines.push_str(&format!(
            "  exception   {} for {people} until {} ({}: {})\n",
            granted.hook,
            shown(granted.until),
            granted.owner,
            granted.reason
        ));
    }
    lines
}
