//! How a program that is linked statically looks host names up. It stands here because this is the one crate that calls C.

#![cfg_attr(
    target_env = "gnu",
    expect(unsafe_code, reason = "glibc has this call, and no crate names it")
)]

#[cfg(target_env = "gnu")]
use std::ffi::{c_char, c_int};

#[cfg(target_env = "gnu")]
unsafe extern "C" {
    fn __nss_configure_lookup(database: *const c_char, services: *const c_char) -> c_int;
}

/// Looks host names up in `/etc/hosts` and by DNS from now on, whatever `/etc/nsswitch.conf` says.
///
/// A program that is linked statically has these two inside. Anything else that the file names would be loaded, and a second C
/// library with it, which works only where that one has the same version: elsewhere the process may end.
#[cfg(target_env = "gnu")]
pub fn names_without_plugins() {
    // SAFETY: both are texts that end with a zero and live for ever, and no other thread looks anything up at the start of a program.
    unsafe { __nss_configure_lookup(c"hosts".as_ptr(), c"files dns".as_ptr()) };
}

/// Another C library loads nothing.
#[cfg(not(target_env = "gnu"))]
pub fn names_without_plugins() {}
