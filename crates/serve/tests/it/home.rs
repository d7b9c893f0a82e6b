//! A home, a project that is trusted, and a server of its own.

use std::path::PathBuf;
use std::thread::JoinHandle;

use anyhook::trust::Trust;
use anyhook::world::{UserFolders, World};
use anyhook_serve::{Clients, Limits, ServeError, Server, ServerFolder, ServerInstance};
use serde_json::{Value, json};
use tokio::sync::oneshot;

use super::client::{Answer, Connection};

/// Where Claude Code posts its events.
pub(crate) const CLAUDE: &str = "/v1/hosts/claude-code/events";

pub(crate) struct Home {
    folder: tempfile::TempDir,
}

impl Home {
    /// A home, and a project whose hooks.json has these hooks on `pre-tool-use`.
    pub(crate) fn new(hooks: &Value) -> Self {
        Self::with(&json!({"pre-tool-use": [{"hooks": hooks}]}))
    }

    /// A home, and a project that refuses every call.
    pub(crate) fn refusing() -> Self {
        Self::new(&json!([{"name": "all", "type": "rule", "when": "true", "then": {"deny": "no"}}]))
    }

    /// A home, and a project whose hooks.json has these hooks, by their events.
    pub(crate) fn with(hooks: &Value) -> Self {
        let home = Self {
            folder: tempfile::Builder::new().prefix("serve-").tempdir().unwrap(),
        };
        std::fs::create_dir_all(home.path("home")).unwrap();
        let file = home.path("project/hooks/hooks.json");
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        let text = json!({"version": 1, "hooks": hooks});
        std::fs::write(&file, text.to_string()).unwrap();
        let trust = Trust::new(home.path("state/anyhook/trust"));
        trust.pin(&file, 0).unwrap();
        home
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(name)
    }

    /// Takes away what was trusted. The copies are read-only, so a user who is not root moves them and removes nothing.
    pub(crate) fn forget_trust(&self) {
        let trust = self.path("state/anyhook/trust");
        std::fs::rename(&trust, trust.with_extension("gone")).unwrap();
    }

    /// The world of a person who lives here.
    pub(crate) fn world(&self) -> World {
        let places = UserFolders {
            home: self.path("home"),
            config: self.path("config/anyhook"),
            state: self.path("state/anyhook"),
        };
        let env = [
            ("PATH".into(), "/usr/local/bin:/usr/bin:/bin".into()),
            ("HOME".into(), self.path("home").into()),
        ];
        World {
            env: env.into(),
            cwd: "/".into(),
            places: Some(places),
            managed: self.path("managed"),
            ..World::real()
        }
    }

    pub(crate) fn clients(&self) -> Clients {
        Clients::of(&ServerFolder::of(&self.world()).unwrap()).unwrap()
    }

    pub(crate) fn serve(&self, limits: Limits) -> Served {
        let server = Server::bind(&self.world(), 0, limits).unwrap();
        let running = server.running.clone();
        let (end, ends) = oneshot::channel::<()>();
        let thread = std::thread::spawn(move || {
            server.run(async {
                let _ = ends.await;
            })
        });
        let token = self.clients().add("test");
        Served {
            running,
            token: token.unwrap_or_default(),
            end: Some(end),
            thread: Some(thread),
        }
    }

    /// What Claude Code sends before a command runs.
    pub(crate) fn bash(&self, command: &str) -> Value {
        json!({
            "session_id": "s-1", "transcript_path": "/t.jsonl", "cwd": self.path("project"),
            "permission_mode": "default", "hook_event_name": "PreToolUse",
            "tool_name": "Bash", "tool_input": {"command": command}, "tool_use_id": "toolu_1",
        })
    }
}

/// A server that runs.
pub(crate) struct Served {
    pub(crate) running: ServerInstance,
    pub(crate) token: String,
    end: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<Result<(), ServeError>>>,
}

impl Served {
    pub(crate) fn connect(&self) -> Connection {
        Connection::port(&self.running.address)
    }

    /// Posts an event of Claude Code.
    pub(crate) fn posts(&self, event: &Value) -> Answer {
        let event = event.to_string();
        self.connect().post(CLAUDE, &self.token, event.as_bytes())
    }

    /// Connects, and writes the head of such an event: what stands behind its path, and how long it says to be.
    pub(crate) fn begins(&self, query: &str, length: &str) -> Connection {
        let (address, token) = (&self.running.address, &self.token);
        let mut begun = self.connect();
        let head = format!(
            "POST {CLAUDE}{query} HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {token}\r\n"
        );
        begun.write(format!("{head}{length}\r\n\r\n").as_bytes());
        begun
    }

    /// Reads a page with these lines of head.
    pub(crate) fn reads(&self, path: &str, head: &[&str]) -> Answer {
        self.connect().send("GET", path, head, b"")
    }

    /// Lets a browser in, and returns its name of the server and its cookie, as lines of head.
    pub(crate) fn browser(&self, home: &Home) -> [String; 2] {
        let folder = ServerFolder::of(&home.world()).unwrap();
        let [link, _] = self.running.links(&folder).unwrap();
        let (host, path) = link
            .strip_prefix("http://")
            .unwrap()
            .split_once('/')
            .unwrap();
        let host = format!("Host: {host}");
        let answer = self.reads(&format!("/{path}"), &[&host]);
        assert_eq!((answer.status, answer.header("location")), (303, Some("/")));
        let cookie = answer.header("set-cookie").unwrap();
        let (value, rest) = cookie.split_once(';').unwrap();
        assert!(
            rest.contains("HttpOnly") && rest.contains("SameSite=Strict"),
            "{cookie}"
        );
        [host, format!("Cookie: {value}")]
    }

    /// Tells it to end, as a signal does.
    pub(crate) fn tell(&mut self) {
        drop(self.end.take());
    }

    /// Ends it, and waits until it has.
    pub(crate) fn end(&mut self) {
        self.tell();
        if let Some(thread) = self.thread.take() {
            thread.join().unwrap().unwrap();
        }
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        self.tell();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
