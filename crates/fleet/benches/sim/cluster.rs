//! Three servers that are one cluster, each started from what `anyhook fleet config` prints.

use std::fs;
use std::net::{SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::links::Link;
use crate::tools::Running;

pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_anyhook-fleet");
const PATIENCE: Duration = Duration::from_mins(2);

/// A server, and the link by which developers reach it.
pub(crate) struct One {
    name: String,
    at: [SocketAddr; 3],
    pub(crate) link: Link,
    running: Option<Running>,
    /// The most memory that a process of it had, in kB.
    pub(crate) memory: u64,
}

/// Starts commands beside the cluster.
pub(crate) struct Asking {
    place: PathBuf,
    tools: &'static Path,
}

/// The cluster.
pub(crate) struct Cluster {
    pub(crate) place: PathBuf,
    tools: &'static Path,
    is_apart: bool,
    pub(crate) servers: Vec<One>,
}

pub(crate) fn run(line: &str) {
    let done = Command::new("sh").args(["-ec", line]).status().unwrap();
    assert!(done.success(), "{line}");
}

/// A port that is free now.
fn free() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap()
}

impl Asking {
    pub(crate) fn fleet(&self, args: &[&str]) -> std::process::Output {
        self.command(args).output().unwrap()
    }

    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(PROGRAM);
        command
            .args(args)
            .current_dir(&self.place)
            .env_clear()
            .env("PATH", format!("{}:/usr/bin:/bin", self.tools.display()))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }
}

impl Cluster {
    pub(crate) fn of(place: &Path, tools: &'static Path, is_apart: bool) -> Self {
        if is_apart {
            run(
                "mkdir -p /run/netns; mount -t tmpfs none /run/netns; ip link set lo up; \
                 ip link add fleet type bridge; ip addr add 10.77.0.1/24 dev fleet; ip link set fleet up",
            );
        }
        let one = |number: usize| {
            let at = if is_apart {
                run(&format!(
                    "ip netns add s{number}; ip link add v{number} type veth peer name e netns s{number}; \
                     ip link set v{number} master fleet up; in='nsenter --net=/run/netns/s{number} ip'; \
                     $in addr add 10.77.0.1{number}/24 dev e; $in link set e up; $in link set lo up"
                ));
                [4222, 6222, 8222].map(|port| format!("10.77.0.1{number}:{port}").parse().unwrap())
            } else {
                [free(), free(), free()]
            };
            let name = format!("s{number}");
            let link = Link::to(at[0]);
            One {
                name,
                at,
                link,
                running: None,
                memory: 0,
            }
        };
        let servers = (1..=3).map(one).collect();
        let place = place.to_owned();
        Self {
            place,
            tools,
            is_apart,
            servers,
        }
    }

    /// The addresses as a developer writes them.
    pub(crate) fn addresses(&self, first: usize) -> String {
        let all = (0..3).map(|number| &self.servers[(first + number) % 3].link.address);
        let all: Vec<String> = all.map(|address| format!("nats://{address}")).collect();
        all.join(",")
    }

    pub(crate) fn asking(&self) -> Asking {
        Asking {
            place: self.place.clone(),
            tools: self.tools,
        }
    }

    pub(crate) fn is_apart(&self) -> bool {
        self.is_apart
    }

    pub(crate) fn fleet(&self, args: &[&str]) -> std::process::Output {
        self.asking().fleet(args)
    }

    pub(crate) fn command(&self, args: &[&str]) -> Command {
        self.asking().command(args)
    }

    /// What `fleet config` prints, with what only this server knows: its name, its addresses and the others of the cluster.
    fn conf(&self, one: &One) -> String {
        let printed = self.fleet(&["fleet", "config", "fleet.json"]);
        assert!(printed.status.success(), "{printed:?}");
        let [client, cluster, web] = one.at;
        let routes = self
            .servers
            .iter()
            .map(|other| format!("\"nats://{}\"", other.at[1]));
        let routes: Vec<String> = routes.collect();
        let messages = self.place.join(&one.name);
        let conf = String::from_utf8(printed.stdout).unwrap();
        conf.replace(
            "server_name: \"acme\"",
            &format!("server_name: {:?}", one.name),
        )
        .replace("\"127.0.0.1:4222\"", &format!("\"{client}\""))
        .replace("/var/lib/nats", &messages.to_string_lossy())
            + &format!(
                "client_advertise: \"{}\"\nhttp: \"{web}\"\ncluster {{ name: acme, listen: \"{cluster}\", ping_interval: \"2s\", ping_max: 2, routes: [{}] }}\n",
                one.link.address,
                routes.join(", ")
            )
    }

    pub(crate) fn start(&mut self, number: usize) {
        let one = &self.servers[number];
        let conf = self.place.join(format!("{}.conf", one.name));
        fs::write(&conf, self.conf(one)).unwrap();
        let server = self.tools.join("nats-server");
        let mut command = if self.is_apart {
            let mut command = Command::new("nsenter");
            command
                .arg(format!("--net=/run/netns/{}", one.name))
                .arg(server);
            command
        } else {
            Command::new(server)
        };
        let log = fs::File::create(self.place.join(format!("{}.log", one.name))).unwrap();
        let started = command.arg("-c").arg(conf).stderr(log).spawn().unwrap();
        self.servers[number].running = Some(Running(started));
    }

    /// Waits until a server says that it has what the others have.
    pub(crate) fn healed(&self, number: usize) {
        let one = &self.servers[number];
        let address = format!("http://{}/healthz", one.at[2]);
        let begun = Instant::now();
        let asked = || {
            let call = ureq::get(&address).config().http_status_as_error(false);
            let mut answer = call.build().call().map_err(|error| error.to_string())?;
            if answer.status().is_success() {
                return Ok(());
            }
            Err(answer.body_mut().read_to_string().unwrap_or_default())
        };
        while let Err(said) = asked() {
            let log = || fs::read_to_string(self.place.join(format!("{}.log", one.name)));
            assert!(
                begun.elapsed() < PATIENCE,
                "{address} stays ill: {said}\n{}",
                log().unwrap_or_default()
            );
            std::thread::sleep(Duration::from_secs(2));
        }
    }

    pub(crate) fn kill(&mut self, number: usize) {
        self.measure();
        self.servers[number].running.take().unwrap().kill();
    }

    /// Cuts a server from the others and from everybody, or ends that.
    pub(crate) fn cut(&self, number: usize, is_cut: bool) {
        self.servers[number].link.cut(is_cut);
        if self.is_apart {
            let way = if is_cut { "down" } else { "up" };
            run(&format!("ip link set v{} {way}", number + 1));
        }
    }

    /// Remembers the most memory of each server.
    pub(crate) fn measure(&mut self) {
        for one in &mut self.servers {
            let pid = one.running.as_ref().map(|running| running.0.id());
            let now = pid.map(crate::report::memory).unwrap_or_default();
            one.memory = one.memory.max(now);
        }
    }
}
