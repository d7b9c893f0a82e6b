//! The page for teams, followed from nothing up to a week's statistics, on two machines and a server in networks of their own.
//!
//! Each of the three is a network namespace on one bridge. The machines of the two people have an `/etc` and a `/home` of their own,
//! so the commands of the page run there as they stand; only addresses and places of certificates are put in.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use serde_json::{Value, json};

use crate::fleets::{PROGRAM, until};
use crate::teams::{PAGE, block};
use crate::tls::certify;
use crate::tools::{Running, tools};

/// Of the bridge; the server is 10 and the people are behind it.
const NETWORK: &str = "10.78.0";
const PEOPLE: [&str; 2] = ["ada", "grace"];

/// The networks, until this is dropped.
struct Networks {
    place: tempfile::TempDir,
    /// A process in their namespaces, which others enter.
    holder: Running,
    tools: &'static Path,
}

/// Says what is not tested.
fn passed_over(why: &str) {
    #[expect(clippy::print_stderr, reason = "what is not tested is said")]
    {
        eprintln!("NOT TESTED: the page with two machines in networks of their own: {why}");
    }
}

fn held() -> Child {
    let script = "mkdir -p /run/netns && mount -t tmpfs none /run/netns && ip link set lo up && ip link add fleet type bridge && \
                  ip link set fleet up && echo ready && exec cat";
    Command::new("unshare")
        .args(["--map-root-user", "--net", "--mount", "sh", "-ec", script])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

impl Networks {
    /// Makes them, with the programs in a folder; nothing where they cannot be had.
    fn made() -> Option<Self> {
        let tools = tools()?;
        let program = Path::new(PROGRAM).with_file_name("anyhook");
        if !program.exists() {
            passed_over("build the program: cargo build -p anyhook-cli");
            return None;
        }
        let mut holder = Running(held());
        let mut word = [0; 6];
        let out = holder.0.stdout.as_mut().unwrap();
        if std::io::Read::read_exact(out, &mut word).is_err() {
            passed_over("this machine permits no namespaces");
            return None;
        }
        let networks = Self {
            place: tempfile::tempdir().unwrap(),
            holder,
            tools,
        };
        for folder in ["bin", "lead", "server"] {
            fs::create_dir(networks.path(folder)).unwrap();
        }
        // In a folder of their own, each beside the other, which no `/home` hides.
        for program in [&program, Path::new(PROGRAM)] {
            let copy = networks.path("bin").join(program.file_name().unwrap());
            fs::copy(program, copy).unwrap();
        }
        for (number, name) in ["server"].iter().chain(&PEOPLE).enumerate() {
            networks.machine(name, 10 + number);
        }
        Some(networks)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.place.path().canonicalize().unwrap().join(name)
    }

    /// Starts a command in the namespaces.
    fn inside(&self) -> Command {
        let mut command = Command::new("nsenter");
        command
            .args(["--user", "--net", "--mount", "--preserve-credentials"])
            .args(["--target", &self.holder.0.id().to_string()])
            .env_clear()
            .env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin")
            .stdin(Stdio::null());
        command
    }

    /// Plugs a machine in, with users and an id, and with agents in the home of its person.
    fn machine(&self, name: &str, number: usize) {
        let plug = format!(
            "ip netns add {name}; ip link add v{number} type veth peer name e netns {name}; ip link set v{number} master fleet up; \
             in='nsenter --net=/run/netns/{name} ip'; $in addr add {NETWORK}.{number}/24 dev e; $in link set e up; $in link set lo up"
        );
        done(self.inside().args(["sh", "-ec", &plug]));
        let etc = self.path(&format!("{name}-etc"));
        fs::create_dir(&etc).unwrap();
        for file in ["passwd", "group", "nsswitch.conf", "ld.so.cache"] {
            let _ = fs::copy(Path::new("/etc").join(file), etc.join(file));
        }
        fs::write(etc.join("machine-id"), format!("{number:032}\n")).unwrap();
        let home = self.path(&format!("{name}-home")).join(name);
        for folder in [".claude", "shop/.git", ".config/anyhook"] {
            fs::create_dir_all(home.join(folder)).unwrap();
        }
    }

    /// The file of a person on its machine.
    fn home(&self, name: &str) -> PathBuf {
        self.path(&format!("{name}-home")).join(name)
    }

    /// A line of a shell on the machine of a person, in a folder below its home.
    fn at(&self, name: &str, folder: &str, line: &str) -> Command {
        let (etc, homes) = (format!("{name}-etc"), format!("{name}-home"));
        let script =
            "mount --bind \"$1\" /etc; mount --bind \"$2\" /home; cd \"$3\"; exec sh -ec \"$4\"";
        let mut command = self.inside();
        command
            .arg("nsenter")
            .arg(format!("--net=/run/netns/{name}"))
            .args(["unshare", "--mount", "sh", "-ec", script, "sh"])
            .args([self.path(&etc), self.path(&homes)])
            .args([&format!("/home/{name}/{folder}"), line])
            .env("HOME", format!("/home/{name}"))
            .env(
                "PATH",
                format!("{}:/usr/bin:/bin", self.path("bin").display()),
            );
        command
    }

    /// A line of a shell on the server, in one of its folders.
    fn on_server(&self, folder: &str, line: &str) -> Command {
        let mut command = self.inside();
        let folder = self.path(folder);
        let (bin, tools) = (self.path("bin"), self.tools);
        command
            .args(["nsenter", "--net=/run/netns/server", "sh", "-ec"])
            .args(["cd \"$1\"; exec sh -ec \"$2\"", "sh"])
            .args([&*folder.to_string_lossy(), line])
            .env("HOME", self.home("server"))
            .env(
                "PATH",
                format!("{}:{}:/usr/bin:/bin", bin.display(), tools.display()),
            );
        command
    }
}

/// Runs a command, and returns what it says.
fn done(command: &mut Command) -> String {
    let Output {
        status,
        stdout,
        stderr,
    } = command.output().unwrap();
    let [out, err] = [stdout, stderr].map(|bytes| String::from_utf8(bytes).unwrap());
    assert!(status.success(), "{command:?}\n{out}{err}");
    out
}

impl Networks {
    /// What the agent of a person hears when it wants to run a command: the agent starts what `install` wrote for it.
    fn agent(&self, name: &str, wanted: &str) -> String {
        let file = "etc/claude-code/managed-settings.d/anyhook.json";
        let settings = fs::read(self.path(&format!("{name}-{file}"))).unwrap();
        let settings: Value = serde_json::from_slice(&settings).unwrap();
        let hook = &settings["hooks"]["PreToolUse"][0]["hooks"][0]["command"];
        let payload = json!({
            "hook_event_name": "PreToolUse", "session_id": "s1", "cwd": format!("/home/{name}/shop"), "permission_mode": "default",
            "tool_name": "Bash", "tool_use_id": wanted, "tool_input": {"command": wanted},
        });
        fs::write(self.home(name).join("payload"), payload.to_string()).unwrap();
        let line = format!("{} < ../payload", hook.as_str().unwrap());
        done(&mut self.at(name, "shop", &line))
    }

    /// Keys, the list of who may connect, certificates, and a server that runs.
    fn serve(&self) -> Running {
        certify(&self.path("server"), "authority", &format!("{NETWORK}.10"));
        let key = |said: String| {
            let line = said.lines().last().unwrap().trim().to_owned();
            serde_json::from_str::<serde_json::Map<_, _>>(&format!("{{{line}}}")).unwrap()
        };
        let mut people = serde_json::Map::new();
        for role in ["lead", "store"] {
            let line = format!("anyhook fleet keygen {role} --role {role}");
            people.extend(key(done(&mut self.on_server("server", &line))));
        }
        for name in PEOPLE {
            let line = format!("anyhook fleet keygen {name}");
            people.extend(key(done(&mut self.at(name, "", &line))));
        }
        let file = |name: &str| self.path("server").join(name);
        let fleet = json!({"name": "acme", "listen": format!("{NETWORK}.10:4222"), "people": people,
            "tls": {"certificate": file("authority-server.pem"), "key": file("authority-server.key")}});
        fs::write(file("fleet.json"), fleet.to_string()).unwrap();
        let mut lines = block("anyhook fleet streams").lines();
        done(&mut self.on_server("server", lines.next().unwrap()));
        let conf = fs::read_to_string(file("nats.conf")).unwrap();
        let messages = file("messages").to_string_lossy().into_owned();
        fs::write(file("nats.conf"), conf.replace("/var/lib/nats", &messages)).unwrap();
        let log = fs::File::create(file("log")).unwrap();
        let mut server = self.on_server("server", "exec nats-server -c nats.conf");
        let server = Running(server.stderr(log).spawn().unwrap());
        until("the server is ready", || {
            fs::read_to_string(file("log")).is_ok_and(|log| log.contains("Server is ready"))
        });
        let streams = format!("{} --authority authority.pem", lines.next().unwrap());
        done(&mut self.on_server("server", &streams));
        server
    }

    /// Writes the settings of the page, with the address of this server.
    fn configure(&self, name: &str) {
        let all = PAGE.split("```toml\n").map(|rest| rest.split("```").next());
        let mut all = all
            .flatten()
            .filter(|block| block.starts_with("[fleet]\nserver"));
        let settings = all.next().unwrap();
        let settings = settings
            .replace("nats://127.0.0.1:4222", &format!("tls://{NETWORK}.10:4222"))
            .replace("ada", name);
        let settings = format!("{settings}authority = \"/home/{name}/authority.pem\"\n");
        let home = self.home(name);
        fs::copy(
            self.path("server/authority.pem"),
            home.join("authority.pem"),
        )
        .unwrap();
        fs::write(home.join(".config/anyhook/config.toml"), settings).unwrap();
    }
}

#[test]
fn the_page_goes_from_nothing_to_a_weeks_statistics_on_two_machines_in_networks_of_their_own() {
    let Some(networks) = Networks::made() else {
        return;
    };
    // The lead writes and signs.
    let said = done(&mut networks.on_server("lead", block("anyhook fleet policy keygen")));
    assert!(said.contains("signed revision 1 of acme"), "{said}");
    // Each administrator trusts the key, installs and applies; each agent hears the policy.
    for name in PEOPLE {
        for file in ["lead.pub", "acme.policy"] {
            fs::copy(
                networks.path("lead").join(file),
                networks.home(name).join(file),
            )
            .unwrap();
        }
        let lines = block("trust-key")
            .replace("sudo ", "")
            .replace("https://policy.example.com/", "");
        let said = done(&mut networks.at(name, "", &lines));
        assert!(said.contains("holds from now on"), "{said}");
        let refused = networks.agent(name, "npm publish");
        assert!(
            refused.contains("deny") && refused.contains("Releases go through the pipeline."),
            "{refused}"
        );
        assert!(!networks.agent(name, "npm test").contains("deny"));
    }
    // A server for the team, and what each machine sends there.
    let _server = networks.serve();
    for name in PEOPLE {
        networks.configure(name);
        let said = done(&mut networks.at(name, "", "anyhook fleet ship"));
        assert!(said.starts_with("2 records were sent"), "{said}");
    }
    // The lead asks for the week.
    let mut said = Vec::new();
    for line in block("anyhook fleet stats store").lines().skip(1) {
        let mut line = line.replace("trial/", "");
        if line.contains("fleet.json") {
            line.push_str(" --authority authority.pem");
        }
        said.push(done(&mut networks.on_server("server", &line)));
    }
    let [stored, log, stats, coverage] = said.try_into().unwrap();
    assert!(
        stored.starts_with("4 records were written, 0 messages refused"),
        "{stored}"
    );
    assert_eq!(log.matches("no-publish").count(), 2, "{log}");
    for name in PEOPLE {
        let row = stats.lines().find(|line| line.contains(name));
        let row: Vec<&str> = row.unwrap().split_whitespace().collect();
        assert_eq!(row[..4], ["no-publish", name, "1", "1"], "{stats}");
    }
    let sent = coverage.lines().filter(|line| line.ends_with("batches: 1"));
    assert_eq!(sent.count(), 2, "{coverage}");
}
