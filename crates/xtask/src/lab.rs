//! `cargo xtask lab`: asks the agents themselves, in the versions that are pinned, and keeps what they did.
//!
//! The agents come from npm into the target folder, with a Node from there where the machine's is too old. Each is asked by
//! `anyhook verify`, and `crates/readers/truth/<host>-<version>.json` (also `fixtures/truth`) is what it did. What its reader expects otherwise is a
//! failure, told row by row; the file is written all the same, for the developer who corrects the reader.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhook_readers::truth::Truth;
use serde_json::Value;

use crate::done::Failure;
use crate::say;
use crate::workspace::{Workspace, capture, run as pass};

/// The folder of what agents did.
const TRUTHS: &str = "crates/readers/truth";

/// The first Node that every agent runs on.
const NODE: u32 = 22;

/// An agent as `anyhook verify --agents` names it.
struct Pinned {
    host: String,
    package: String,
    version: String,
}

/// Asks these hosts, or all of them, and tells whether each does what its reader expects.
pub(crate) fn run(workspace: &Workspace, hosts: &[&str]) -> Result<bool, Failure> {
    let lab = Lab::new(workspace)?;
    let all = lab.pinned()?;
    let names = || {
        all.iter()
            .map(|agent| &*agent.host)
            .collect::<Vec<_>>()
            .join(", ")
    };
    if let Some(odd) = hosts
        .iter()
        .find(|host| all.iter().all(|agent| agent.host != **host))
    {
        let why = format!("`{odd}` is no agent of the lab; it has {}", names());
        return Err(Failure::new(why));
    }
    let mut is_good = true;
    for agent in &all {
        if hosts.is_empty() || hosts.contains(&&*agent.host) {
            is_good &= lab.ask(agent)?;
        }
    }
    Ok(is_good)
}

/// Asks one agent about the gate alone; why not, where it cannot be had here.
pub(crate) fn quick(workspace: &Workspace, host: &str) -> Result<Result<(), Failure>, String> {
    let lab = Lab::new(workspace).map_err(|failure| failure.to_string())?;
    let path = lab.fetched(host)?;
    let mut verify = lab.anyhook(&path);
    Ok(pass(verify.args(["verify", "--quick", "--host", host])))
}

/// Agents that are no hosts, whose plugins of ours are tried: the name, the package and the version.
const OTHERS: &[(&str, &str, &str)] = &[
    ("kilo", "@kilocode/cli", "7.7.7"),
    ("pi", "@mariozechner/pi-coding-agent", "0.73.1"),
];

/// Installs one agent, unless it is here; why not, where it cannot be had.
pub(crate) fn fetch(workspace: &Workspace, name: &str) -> Result<(), String> {
    let lab = Lab::new(workspace).map_err(|failure| failure.to_string())?;
    let mut others = OTHERS.iter().filter(|(known, ..)| *known == name);
    let Some((name, package, version)) = others.next() else {
        return lab.fetched(name).map(drop);
    };
    let fetched = lab.package(name, package, version);
    fetched.map(drop).map_err(|failure| failure.to_string())
}

struct Lab<'a> {
    workspace: &'a Workspace,
    folder: PathBuf,
    program: PathBuf,
}

impl<'a> Lab<'a> {
    fn new(workspace: &'a Workspace) -> Result<Self, Failure> {
        pass(&mut workspace.cargo(&["build", "--quiet", "-p", "anyhook-cli"]))?;
        let folder = workspace.target.join("lab");
        let home = folder.join("home");
        fs::create_dir_all(&home).map_err(|cause| Failure::because("the lab", cause))?;
        // A copy: another build may replace the program while an agent is asked for minutes.
        let program = folder.join("anyhook");
        let built = workspace.target.join("debug/anyhook");
        let _ = fs::remove_file(&program);
        fs::copy(built, &program).map_err(|cause| Failure::because("the lab", cause))?;
        Ok(Self {
            workspace,
            folder,
            program,
        })
    }

    /// Our program, in an empty home.
    fn anyhook(&self, path: &OsString) -> Command {
        let mut command = self.workspace.command(&self.program);
        command
            .env("PATH", path)
            .env("HOME", self.folder.join("home"));
        command
    }

    fn pinned(&self) -> Result<Vec<Pinned>, Failure> {
        let path = env::var_os("PATH").unwrap_or_default();
        let text = capture(
            self.anyhook(&path)
                .args(["verify", "--agents", "--format", "json"]),
        )?;
        let all: Value =
            serde_json::from_str(&text).map_err(|cause| Failure::because("the agents", cause))?;
        let all = all.as_array().into_iter().flatten().map(|agent| {
            let field = |name: &str| {
                let field = agent.get(name).and_then(Value::as_str);
                field.unwrap_or_default().to_owned()
            };
            Pinned {
                host: field("host"),
                package: field("package"),
                version: field("version"),
            }
        });
        Ok(all.collect())
    }

    /// Installs an agent by its name, and returns the `PATH` on which it is found; why not, where it cannot be had here.
    fn fetched(&self, host: &str) -> Result<OsString, String> {
        let all = self.pinned().map_err(|failure| failure.to_string())?;
        let agent = all.iter().find(|agent| agent.host == host);
        let agent = agent.ok_or_else(|| format!("`{host}` is no agent of the lab"))?;
        self.path(agent).map_err(|failure| failure.to_string())
    }

    /// Installs an agent, unless it is here, and returns the `PATH` on which it is found.
    fn path(&self, agent: &Pinned) -> Result<OsString, Failure> {
        let mut folders = vec![self.package(&agent.host, &agent.package, &agent.version)?];
        if node().is_none_or(|version| version < NODE) {
            folders.push(self.package("node", "node", &NODE.to_string())?);
        }
        let rest = env::var_os("PATH").unwrap_or_default();
        let all = folders.into_iter().chain(env::split_paths(&rest));
        env::join_paths(all).map_err(|cause| Failure::because("the PATH", cause))
    }

    /// Installs a package of npm below the lab, and returns the folder of its programs.
    fn package(&self, name: &str, package: &str, version: &str) -> Result<PathBuf, Failure> {
        let folder = self.folder.join(name);
        let programs = folder.join("node_modules/.bin");
        if is_here(&folder, package, version) {
            return Ok(programs);
        }
        say::line(format!("installing {package} {version}"));
        fs::create_dir_all(&folder).map_err(|cause| Failure::because("the lab", cause))?;
        let mut npm = self.workspace.command("npm");
        npm.args([
            "install",
            "--no-audit",
            "--no-fund",
            "--loglevel=error",
            "--prefix",
        ])
        .arg(&folder)
        .arg(format!("{package}@{version}"));
        pass(&mut npm)?;
        Ok(programs)
    }

    /// Asks an agent everything, and keeps what it did.
    fn ask(&self, agent: &Pinned) -> Result<bool, Failure> {
        let path = self.path(agent)?;
        say::line(format!("asking {} {}", agent.host, agent.version));
        let mut verify = self.anyhook(&path);
        verify.args(["verify", "--format", "json", "--host", &agent.host]);
        verify.args(["--package", "examples/guardrails"]);
        // It ends with 1 where something differs; what it found stands on its output all the same.
        let output = verify.output();
        let output = output.map_err(|cause| Failure::because("anyhook verify", cause))?;
        let found: Value = serde_json::from_slice(&output.stdout).map_err(|_| {
            let why = String::from_utf8_lossy(&output.stderr);
            Failure::new(format!("{} was not asked: {}", agent.host, why.trim()))
        })?;
        let truth = found.get("truth").unwrap_or(&Value::Null);
        let truth = Truth::read(&truth.to_string())
            .map_err(|cause| Failure::because("what it did", cause))?;
        self.keep(&truth)?;
        let differences = truth.differences();
        for found in &differences {
            say::line(format!(
                "  {}: expected {}; seen {}",
                found.row,
                found.expected.words(),
                found.seen.words()
            ));
        }
        let (many, differ) = (truth.rows.len(), differences.len());
        say::line(format!("  {many} answers, {differ} with a difference"));
        Ok(differences.is_empty())
    }

    /// Writes the truth file of an agent in the place of that of another version.
    fn keep(&self, truth: &Truth) -> Result<(), Failure> {
        let folder = self.workspace.root.join(TRUTHS);
        let name = format!("{}-{}.json", truth.host, truth.version);
        let failed = |cause| Failure::because(format!("{TRUTHS}/{name}"), cause);
        fs::create_dir_all(&folder).map_err(failed)?;
        fs::write(folder.join(&name), truth.write()).map_err(failed)
    }
}

/// Tells whether a package is installed in a version, or in one of that number.
fn is_here(folder: &Path, package: &str, version: &str) -> bool {
    let about = folder
        .join("node_modules")
        .join(package)
        .join("package.json");
    let about = fs::read_to_string(about).unwrap_or_default();
    let about: Value = serde_json::from_str(&about).unwrap_or_default();
    let here = about.get("version").and_then(Value::as_str);
    here.is_some_and(|here| here == version || here.split('.').next() == Some(version))
}

/// The major version of the machine's Node.
fn node() -> Option<u32> {
    let output = Command::new("node").arg("--version").output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout);
    let major = text.trim().trim_start_matches('v').split('.').next()?;
    major.parse().ok()
}
