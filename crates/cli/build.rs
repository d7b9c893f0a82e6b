//! Puts the demo's files into the program: every file of the package and of the recorded project. Says how it is linked.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

fn main() {
    let out = PathBuf::from(std::env::var_os("OUT_DIR").unwrap_or_default());
    // As it is told now, not when this script was compiled: another checkout may share what was built.
    let here = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let root = here.join("../..");
    embed(
        &root.join("examples/guardrails"),
        &out.join("guardrails.rs"),
    );
    embed(&root.join("packs"), &out.join("packs.rs"));
    embed(&root.join("fixtures/sessions/shop"), &out.join("shop.rs"));
    link();
}

/// The program is started at every event of an agent, so that its start is most of what it costs. Only where programs are
/// put together for glibc; everywhere else the defaults stay. `docs/design.md` says what is gained
/// and what is given up.
fn link() {
    let target = |of: &str| std::env::var(format!("CARGO_CFG_TARGET_{of}")).unwrap_or_default();
    if target("OS") == "linux" && target("ENV") == "gnu" {
        // A program that may stand anywhere in memory has 35,000 addresses to write when it starts, on 160 pages that it
        // then has for itself.
        println!("cargo::rustc-link-arg-bins=-no-pie");
        if has_unwinder() {
            // Inside, it costs less than a library that is looked for.
            println!("cargo::rustc-link-lib=static:-bundle=gcc_eh");
        }
    }
}

/// Tells whether the unwinder can be put inside: it comes with gcc, and a C compiler may be another one.
fn has_unwinder() -> bool {
    println!("cargo::rerun-if-env-changed=RUSTC_LINKER");
    let linker = std::env::var_os("RUSTC_LINKER").unwrap_or_else(|| "cc".into());
    let mut asked = Command::new(linker);
    let said = asked.arg("-print-file-name=libgcc_eh.a").output();
    // A name without a folder is that of a file which is not there.
    let is_there = |path: &str| Path::new(path).is_absolute() && Path::new(path).exists();
    said.is_ok_and(|said| is_there(String::from_utf8_lossy(&said.stdout).trim()))
}

fn embed(folder: &Path, into: &Path) {
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut files = Vec::new();
    walk(folder, &mut files);
    files.sort();
    if files.is_empty() {
        println!("cargo::error=there are no files in {}", folder.display());
    }
    let mut text = String::from("[\n");
    for file in files {
        let name = file
            .strip_prefix(folder)
            .unwrap_or(&file)
            .to_string_lossy()
            .into_owned();
        let path = file.canonicalize().unwrap_or_else(|_| file.clone());
        let _ = writeln!(
            text,
            "({name:?}, include_str!({:?})),",
            path.to_string_lossy()
        );
    }
    text.push(']');
    if let Err(error) = std::fs::write(into, text) {
        println!("cargo::error=cannot write {}: {error}", into.display());
    }
}

fn walk(folder: &Path, into: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            walk(&path, into);
        } else {
            into.push(path);
        }
    }
}
