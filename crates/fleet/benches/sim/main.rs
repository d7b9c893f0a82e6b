//! A fleet as large as this machine can hold: developers with real shippers, a real `JetStream` cluster of three servers, and
//! everything that goes wrong. It counts what was lost, what came twice, and how late refusals and policies were.
//!
//! `cargo xtask fleet-sim --developers 2000 --rate 231 --minutes 10` starts it. Some developers are processes, the rest tasks of
//! the same code. The servers are in network namespaces of their own where the system lets us have these, else on ports of this
//! machine; the report says which.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a simulation that cannot go on says where"
)]

mod cluster;
mod disks;
mod lead;
mod links;
mod people;
mod report;
#[path = "../../tests/it/tools.rs"]
mod tools;
mod trouble;

use std::process::{Command, ExitCode, Stdio};

/// Tells the process inside of the namespaces that it is there.
const INSIDE: &str = "ANYHOOK_FLEET_SIM_INSIDE";

/// How large it is.
#[derive(Debug, Clone)]
pub(crate) struct Sizes {
    pub(crate) developers: usize,
    /// How many of them are processes.
    pub(crate) processes: usize,
    /// Events a second, of all together.
    pub(crate) rate: f64,
    pub(crate) minutes: f64,
    /// Whether times beyond the bounds are a failure too: not where other work shares the machine.
    pub(crate) is_timed: bool,
}

impl Sizes {
    fn typed() -> Result<Self, String> {
        let mut sizes = Self {
            developers: 60,
            processes: 0,
            rate: 20.0,
            minutes: 0.5,
            is_timed: true,
        };
        let mut words = std::env::args().skip(1);
        while let Some(word) = words.next() {
            let mut number = || {
                let text = words.next().unwrap_or_default();
                text.parse::<f64>()
                    .ok()
                    .filter(|number| *number > 0.0)
                    .ok_or(format!("{word} wants a number, not `{text}`"))
            };
            match word.as_str() {
                "--developers" => sizes.developers = number()? as usize,
                "--processes" => sizes.processes = number()? as usize,
                "--rate" => sizes.rate = number()?,
                "--minutes" => sizes.minutes = number()?,
                "--counts-only" => sizes.is_timed = false,
                // What cargo adds.
                "--bench" => {}
                _ => return Err(format!("{word} is not known")),
            }
        }
        if sizes.processes == 0 {
            sizes.processes = (sizes.developers / 10).clamp(2, 50);
        }
        if sizes.developers < sizes.processes + 10 {
            return Err("there are at least 10 developers more than processes".into());
        }
        Ok(sizes)
    }
}

fn main() -> ExitCode {
    let sizes = match Sizes::typed() {
        Ok(sizes) => sizes,
        Err(why) => {
            println!(
                "{why}\n--developers N --processes N --rate EVENTS_A_SECOND --minutes N --counts-only"
            );
            return ExitCode::from(2);
        }
    };
    let Some(tools) = tools::tools() else {
        println!("SKIPPED: the servers cannot be had");
        return ExitCode::SUCCESS;
    };
    let is_inside = std::env::var_os(INSIDE).is_some();
    if !is_inside && has_namespaces() {
        let status = Command::new("unshare")
            .args(["--map-root-user", "--net", "--mount"])
            .arg(std::env::current_exe().unwrap())
            .args(std::env::args_os().skip(1))
            .env(INSIDE, "1")
            .status();
        let code = status.unwrap().code().unwrap_or(1);
        return ExitCode::from(u8::try_from(code).unwrap_or(1));
    }
    let outcome = people::live(&sizes, tools, is_inside);
    if outcome.is_good {
        println!("{}", outcome.page);
    } else {
        // Beside what was said meanwhile, which is of interest then.
        eprintln!("{}", outcome.page);
    }
    ExitCode::from(u8::from(!outcome.is_good))
}

/// Tells whether a process of this user may have networks of its own.
fn has_namespaces() -> bool {
    let tried = Command::new("unshare")
        .args(["--map-root-user", "--net", "--mount", "sh", "-c"])
        .arg("mkdir -p /run/netns && mount -t tmpfs none /run/netns && ip netns add a && nsenter --net=/run/netns/a ip link set lo up && ip link add v type veth peer name e netns a")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    tried.is_ok_and(|status| status.success())
}
