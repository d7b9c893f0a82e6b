use std::collections::BTreeSet;

use super::*;

#[test]
fn every_check_has_a_name_of_its_own_and_says_what_it_looks_for() {
    let slugs: BTreeSet<&str> = CHECKS.iter().map(|check| check.slug).collect();
    assert_eq!(slugs.len(), CHECKS.len());
    for check in CHECKS {
        let is_fragment = check.summary.starts_with(|c: char| c.is_ascii_lowercase());
        assert!(
            is_fragment && !check.summary.ends_with('.'),
            "{}",
            check.slug
        );
    }
}

#[test]
fn every_event_of_every_host_with_settings_has_a_payload_to_try_it_with() {
    let mut unread = Vec::new();
    let hosts = anyhook_wires::hosts::HOSTS.iter();
    for host in hosts.filter(|host| host.settings().is_some()) {
        for row in host.rows() {
            let payload = sample(*host, row, "s-1", Path::new("/project"));
            let read = host.read_event(payload.to_string().as_bytes(), Some(row.name));
            let name = read.map(|event| event.name.as_str().to_owned());
            if name.as_deref() != Ok(row.event) {
                unread.push(format!("{} {}: {name:?}", host.id(), row.name));
            }
        }
    }
    assert_eq!(unread, Vec::<String>::new());
}

#[test]
fn of_many_names_the_first_are_told_and_how_many_more() {
    assert_eq!(several(&["a"]), "`a`");
    assert_eq!(several(&["a", "b", "c", "d"]), "`a`, `b`, `c`, `d`");
    assert_eq!(
        several(&["a", "b", "c", "d", "e"]),
        "`a`, `b`, `c` and 2 more"
    );
}

#[test]
fn what_only_root_may_write_is_never_fixed_by_itself() {
    let fixes = Scope::ALL.map(|scope| Fix::install("claude-code", scope));
    let safe = fixes.map(|fix| fix.safe.is_some());
    assert_eq!(safe, [false, true, true, true]);
}
