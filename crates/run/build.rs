//! Puts what an ordinary event runs side by side in the small program (D88): each page that is not touched is a fault less.

fn main() {
    println!("cargo:rerun-if-changed=hot.ld");
    let is = |name: &str, value: &str| std::env::var(name).is_ok_and(|it| it == value);
    // There the linker is the one that comes with Rust, of which the names of sections are known.
    let known = is("CARGO_CFG_TARGET_OS", "linux") && is("CARGO_CFG_TARGET_ARCH", "x86_64");
    if known && is("CARGO_CFG_TARGET_ENV", "gnu") && is("PROFILE", "release") {
        let folder = std::env::var("CARGO_MANIFEST_DIR").unwrap_or_default();
        println!("cargo:rustc-link-arg-bin=anyhook-run=-T");
        println!("cargo:rustc-link-arg-bin=anyhook-run={folder}/hot.ld");
    }
}
