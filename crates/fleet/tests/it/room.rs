//! A lead with a folder and keys, and machines that trust them.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use anyhook::core::ports::Clock;
use anyhook::core::report::Report;
use anyhook::event::{Caller, Context};
use anyhook::stores::{Jsonl, RecordDetail};
use anyhook::world::{UserFolders, World};
use anyhook_fleet::{ApplyOutcome, Bundle, PolicyError, PolicySource, SecretKey, Store, trust};
use serde_json::{Value, json};

pub(crate) const DAY: i64 = 24 * 60 * 60 * 1000;
/// 2026-11-01.
pub(crate) const NOW: i64 = 1_793_491_200_000;

#[derive(Debug)]
struct Given(AtomicI64);

impl Clock for Given {
    fn now(&self) -> i64 {
        self.0.load(Ordering::Relaxed)
    }

    fn since(&self) -> Duration {
        Duration::ZERO
    }
}

pub(crate) struct Lead {
    pub(crate) place: tempfile::TempDir,
    pub(crate) key: SecretKey,
}

impl Lead {
    pub(crate) fn new() -> Self {
        let place = tempfile::tempdir().unwrap();
        let key = SecretKey::generate().unwrap();
        let lead = Self { place, key };
        lead.rules(json!({"name": "acme", "revision": 1}));
        lead.hooks(&[("no-publish", "runs('npm publish')", "deny")]);
        lead
    }

    pub(crate) fn folder(&self) -> PathBuf {
        self.place.path().join("policy")
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        let file = self.folder().join(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }

    #[expect(clippy::needless_pass_by_value, reason = "what `json!` gives")]
    pub(crate) fn rules(&self, rules: Value) {
        self.write("policy.json", &rules.to_string());
    }

    pub(crate) fn hooks(&self, rules: &[(&str, &str, &str)]) {
        let rules: Vec<Value> = rules
            .iter()
            .map(|(name, when, kind)| {
                json!({"type": "rule", "name": name, "when": when, "then": {*kind: format!("the policy says so: {name}")}})
            })
            .collect();
        let hooks = json!({"version": 1, "hooks": {"pre-tool-use": [{"hooks": rules}]}});
        self.write("hooks/hooks.json", &hooks.to_string());
    }

    /// The same key once more, as a file of it would give it.
    pub(crate) fn key_again(&self) -> SecretKey {
        let name = format!("again-{}", self.key.public("").id());
        let (file, _) = self.key.keep(&name, self.place.path()).unwrap();
        SecretKey::open(&file).unwrap()
    }

    /// Why its folder cannot be built.
    pub(crate) fn refused(&self) -> String {
        Bundle::build(&self.folder()).unwrap_err().to_string()
    }

    pub(crate) fn bundle(&self) -> Bundle {
        Bundle::build(&self.folder()).unwrap()
    }

    pub(crate) fn signed(&self) -> Vec<u8> {
        self.bundle()
            .sign(std::slice::from_ref(&self.key))
            .unwrap()
            .into_bytes()
    }
}

pub(crate) struct Computer {
    pub(crate) place: tempfile::TempDir,
    clock: Arc<Given>,
}

impl Computer {
    /// A machine with this id, which trusts the key of the lead.
    pub(crate) fn of(lead: &Lead, id: &str) -> Self {
        let place = tempfile::tempdir().unwrap();
        let computer = Self {
            place,
            clock: Arc::new(Given(AtomicI64::new(NOW))),
        };
        for folder in ["etc", "home", "project/.git"] {
            fs::create_dir_all(computer.path(folder)).unwrap();
        }
        fs::write(computer.path("etc/machine"), id).unwrap();
        trust(&computer.path("etc"), &lead.key.public("lead")).unwrap();
        computer
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.place.path().canonicalize().unwrap().join(name)
    }

    pub(crate) fn later(&self, millis: i64) {
        self.clock.0.fetch_add(millis, Ordering::Relaxed);
    }

    pub(crate) fn world(&self) -> World {
        let places = UserFolders {
            home: self.path("home"),
            config: self.path("home/config"),
            state: self.path("home/state"),
        };
        World {
            env: [("PATH".into(), "/usr/bin:/bin".into())].into(),
            cwd: self.path("project"),
            places: Some(places),
            managed: self.path("etc"),
            clock: self.clock.clone(),
            ..World::real()
        }
    }

    pub(crate) fn store(&self) -> Store {
        let mut store = Store::at(&self.path("etc"));
        store.world = self.world();
        store
    }

    pub(crate) fn apply(&self, file: &[u8]) -> Result<ApplyOutcome, PolicyError> {
        self.store()
            .apply(file, &PolicySource::file("/srv/acme.policy"))
    }

    /// What Claude Code hears when its agent runs a command here, and what is recorded.
    pub(crate) fn ask(&self, command: &str) -> Report {
        let world = self.world();
        let payload = json!({
            "hook_event_name": "PreToolUse", "session_id": "s1", "cwd": world.cwd, "permission_mode": "default",
            "tool_name": "Bash", "tool_use_id": command, "tool_input": {"command": command},
        });
        let store = Jsonl::new(self.path("home/reports"), RecordDetail::Payload);
        let line = Context {
            store: Some(&store),
            ..Context::new(
                &world,
                anyhook::wires::host("claude-code").unwrap(),
                Caller::Host,
            )
        };
        line.run(payload.to_string().as_bytes()).report
    }

    /// The verdict about a command, and the revision that the record names.
    pub(crate) fn verdict(&self, command: &str) -> (String, Option<String>) {
        let report = self.ask(command);
        let revision = report.action.and_then(|action| action.revision);
        (
            report.result.verdict.kind().as_str().to_owned(),
            revision.map(Into::into),
        )
    }
}

/// A lead, and a machine that trusts the key of the lead.
pub(crate) fn trusted() -> (Lead, Computer) {
    let lead = Lead::new();
    let machine = Computer::of(&lead, "machine-one");
    (lead, machine)
}

/// The same, and the policy of the lead holds on the machine.
pub(crate) fn held() -> (Lead, Computer) {
    let (lead, machine) = trusted();
    machine.apply(&lead.signed()).unwrap();
    (lead, machine)
}

/// The names of everything below a folder, with what the files hold.
pub(crate) fn listed(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut all = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(next) = open.pop() {
        for entry in fs::read_dir(&next).unwrap().flatten() {
            let path = entry.path();
            if entry.file_type().unwrap().is_dir() {
                open.push(path);
            } else {
                let name = path
                    .strip_prefix(folder)
                    .unwrap()
                    .to_string_lossy()
                    .into_owned();
                all.push((name, fs::read(&path).unwrap_or_default()));
            }
        }
    }
    all.sort();
    all
}
