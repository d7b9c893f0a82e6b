//! The programs that are compared, each with the same five rules and a record.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhook_benches::place::BenchProject;
use anyhook_benches::program;

/// The name of our row, which all others are compared with.
pub(crate) const OURS: &str = "`anyhook run`, five rules, trust and the record";
/// The name of the row of a program that is linked as ours is.
pub(crate) const EMPTY: &str = "an empty Rust program, linked the same way";
/// The name of the row of the system's program.
pub(crate) const TRUE: &str = "`/bin/true`";

/// A program, and how it is called.
#[derive(Debug)]
pub(crate) struct ContenderProgram {
    pub(crate) name: &'static str,
    /// What it says that it is, or its size.
    pub(crate) version: String,
    pub(crate) program: PathBuf,
    pub(crate) args: Vec<String>,
}

/// A hook in a language of scripts.
struct ScriptContender {
    name: &'static str,
    /// Its interpreter, and what else it starts.
    needs: &'static [&'static str],
    file: &'static str,
    text: &'static str,
}

const SCRIPTS: &[ScriptContender] = &[
    ScriptContender {
        name: "a Python hook",
        needs: &["python3"],
        file: "hook.py",
        text: include_str!("hook.py"),
    },
    ScriptContender {
        name: "bash with jq",
        needs: &["bash", "jq"],
        file: "hook.sh",
        text: include_str!("hook.sh"),
    },
    ScriptContender {
        name: "a Node hook",
        needs: &["node"],
        file: "hook.js",
        text: include_str!("hook.js"),
    },
];

/// Brings every program into this folder, and says which are not there. A freshly linked file is slower than a copy, so each one
/// that was built is copied.
pub(crate) fn contenders(folder: &Path) -> (Vec<ContenderProgram>, Vec<String>) {
    let own = [ours(folder), empty(folder), system_true(folder)];
    let all = own
        .into_iter()
        .chain(SCRIPTS.iter().map(|it| script(folder, it)));
    let (mut found, mut missing) = (Vec::new(), Vec::new());
    for one in all {
        match one {
            Ok(contender) => found.push(contender),
            Err(why) => missing.push(why),
        }
    }
    (found, missing)
}

fn ours(folder: &Path) -> Result<ContenderProgram, String> {
    let program = program().ok_or("`anyhook` (it is not built: see benches/README.md)")?;
    let args = [
        "run",
        "PreToolUse",
        "--host",
        "claude-code",
        "--deadline",
        "600",
    ];
    copied(OURS, &program, folder, "anyhook").map(|contender| ContenderProgram {
        args: args.map(str::to_owned).into(),
        ..contender
    })
}

/// Builds the program that does nothing.
fn empty(folder: &Path) -> Result<ContenderProgram, String> {
    let missing = |why: String| format!("{EMPTY} ({why})");
    let source = folder.join("empty.rs");
    fs::write(&source, "fn main() {}\n").map_err(|error| missing(error.to_string()))?;
    let built = folder.join("empty-built");
    let mut rustc = Command::new("rustc");
    rustc
        .arg("--edition=2024")
        .arg(&source)
        .arg("-o")
        .arg(&built);
    for flag in [
        "opt-level=3",
        "lto=fat",
        "codegen-units=1",
        "strip=symbols",
        "target-feature=+crt-static",
        "relocation-model=static",
    ] {
        rustc.args(["-C", flag]);
    }
    let done = rustc.output().map_err(|error| missing(error.to_string()))?;
    if !done.status.success() {
        return Err(missing("`rustc` cannot link it statically here".to_owned()));
    }
    copied(EMPTY, &built, folder, "empty")
}

fn system_true(folder: &Path) -> Result<ContenderProgram, String> {
    copied(TRUE, Path::new("/bin/true"), folder, "true")
}

fn copied(
    name: &'static str,
    from: &Path,
    folder: &Path,
    file: &str,
) -> Result<ContenderProgram, String> {
    let program = folder.join(file);
    let size = fs::copy(from, &program).map_err(|error| format!("{name} ({error})"))?;
    Ok(ContenderProgram {
        name,
        version: format!("{} kB", size / 1000),
        program,
        args: Vec::new(),
    })
}

fn script(folder: &Path, script: &ScriptContender) -> Result<ContenderProgram, String> {
    let file = folder.join(script.file);
    fs::write(&file, script.text).map_err(|error| format!("{} ({error})", script.name))?;
    let mut found = Vec::new();
    for need in script.needs {
        let program = found_program(need);
        found.push(program.ok_or_else(|| format!("{} (`{need}` is not installed)", script.name))?);
    }
    let versions: Vec<String> = found.iter().map(|program| version(program)).collect();
    let program = found.first().cloned().ok_or(script.name)?;
    Ok(ContenderProgram {
        name: script.name,
        version: versions.join(", "),
        program,
        args: vec![file.to_string_lossy().into_owned()],
    })
}

/// Finds a program on the path that all of them get.
fn found_program(name: &str) -> Option<PathBuf> {
    let folders = ["/usr/local/bin", "/usr/bin", "/bin"].iter();
    let mut files = folders.map(|folder| Path::new(folder).join(name));
    files.find(|file| file.is_file())
}

/// The first line that a program says of its version.
fn version(program: &Path) -> String {
    let said = Command::new(program).arg("--version").output();
    let said = said.map(|said| String::from_utf8_lossy(&said.stdout).into_owned());
    let said = said.unwrap_or_default();
    let line = said.lines().next().unwrap_or_default();
    // Of `GNU bash, version 5.2.37(1)-release (…)`, the beginning.
    let line = line.split(" (").next().unwrap_or(line);
    let name = program.file_name().unwrap_or_default().to_string_lossy();
    if line.starts_with('v') {
        return format!("{name} {line}");
    }
    line.to_owned()
}

/// Counts the instructions of one run in user space, where callgrind is installed. Not of scripts: their interpreters take long.
pub(crate) fn instructions(
    place: &BenchProject,
    contender: &ContenderProgram,
    payload: &str,
) -> Option<u64> {
    let is_script = SCRIPTS.iter().any(|script| script.name == contender.name);
    let valgrind = found_program("valgrind").filter(|_| !is_script)?;
    let mut args = ["--tool=callgrind", "--callgrind-out-file=/dev/null"]
        .map(str::to_owned)
        .to_vec();
    args.push(contender.program.to_string_lossy().into_owned());
    args.extend(contender.args.iter().cloned());
    // Once before it is counted: what is written at the first event is there.
    let _ = place.ask(&contender.program, &contender.args, payload);
    let left = place.ask(&valgrind, &args, payload).ok()?;
    let said = String::from_utf8_lossy(&left.stderr).into_owned();
    let line = said.lines().find(|line| line.contains("Collected :"))?;
    line.rsplit(' ').next()?.parse().ok()
}
