//! Committed pages that a table writes are what it writes today. `ANYHOOK_GENERATE=1 cargo test generated` writes them.

#[path = "../../../core/src/tests/generated/files.rs"]
#[expect(dead_code, reason = "not every crate has a folder of generated files")]
mod files;
mod hosts_page;
mod lints_page;

use files::is_current;

#[test]
fn generated_lints_page_is_current() {
    is_current("docs/reference/lints.md", &lints_page::page());
}

#[test]
fn generated_hosts_page_is_current() {
    is_current("docs/reference/hosts.md", &hosts_page::page());
}
