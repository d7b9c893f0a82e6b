//! Puts what an ordinary event runs side by side in the small program: each page that is not touched is a fault less.
//!
//! Only in the profile `small`, of which packages are made: elsewhere a person's own linker may not read the script.

use std::path::Path;

fn main() {
    println!("cargo:rerun-if-changed=hot.ld");
    let var = |name: &str| std::env::var(name).unwrap_or_default();
    let is = |name: &str, value: &str| var(name) == value;
    let is_linux = is("CARGO_CFG_TARGET_OS", "linux") && is("CARGO_CFG_TARGET_ENV", "gnu");
    // There the linker is the one that comes with Rust, of which the names of sections are known.
    let is_known = is_linux && is("CARGO_CFG_TARGET_ARCH", "x86_64");
    // A profile has a folder of its own; no variable names it.
    let out = var("OUT_DIR");
    let profile = Path::new(&out).ancestors().nth(3).and_then(Path::file_name);
    if is_known && profile.is_some_and(|name| name == "small") {
        println!("cargo:rustc-link-arg-bin=anyhook-run=-T");
        println!(
            "cargo:rustc-link-arg-bin=anyhook-run={}/hot.ld",
            var("CARGO_MANIFEST_DIR")
        );
    }
}
