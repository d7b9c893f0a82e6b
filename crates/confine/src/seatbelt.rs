//! A confinement as a profile of Seatbelt, which macOS reads: what it may read, write and connect to.
//!
//! The program is started by `sandbox-exec`, which puts the profile on itself first. Of rules that both speak of a call the
//! later one counts.

use std::path::Path;

use anyhook_core::sandbox::Network;

use crate::spec::Spec;
use crate::target::ResolvedPath;

/// The program of macOS that puts a profile on itself and becomes another program.
#[cfg(not(target_os = "linux"))]
pub(crate) const PROGRAM: &str = "/usr/bin/sandbox-exec";

/// What every program needs: to start others, to ask about itself and the machine, and to read the system.
const BASE: &str = include_str!("../tables/base.sb");
/// What a program needs besides to reach another machine: its name, and whom to believe.
const NAMES: &str = include_str!("../tables/names.sb");

/// Writes the profile.
pub(crate) fn profile(spec: &Spec, ours: Option<&Path>) -> String {
    let mut text = BASE.to_owned();
    let ours = ours.and_then(ResolvedPath::file);
    for target in spec.read.iter().chain(&ours) {
        text.extend(["(allow file-read* ", &place(target), ")\n"]);
    }
    for target in &spec.write {
        text.extend(["(allow file-read* file-write* ", &place(target), ")\n"]);
    }
    match spec.network {
        Network::None => {}
        Network::Loopback => text.push_str(
            "(allow network-bind network-inbound (local ip \"localhost:*\"))\n\
             (allow network-outbound (remote ip \"localhost:*\"))\n",
        ),
        Network::Any => {
            text.push_str(NAMES);
            text.push_str("(allow network-bind network-inbound (local ip))\n(allow network-outbound (remote ip))\n");
        }
    }
    text
}

fn place(target: &ResolvedPath) -> String {
    let filter = if target.is_folder() {
        "subpath"
    } else {
        "literal"
    };
    let path = target.path().to_string_lossy();
    let path = path.replace('\\', "\\\\").replace('"', "\\\"");
    format!("({filter} \"{path}\")")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spec(json: &str) -> Spec {
        serde_json::from_str(json).unwrap()
    }

    #[test]
    fn a_profile_opens_the_places_and_nothing_of_the_network() {
        let spec = spec(
            r#"{"read": ["/Users/ann/shop/", "/Users/ann/.gitconfig"], "write": ["/Users/ann/shop/out/"]}"#,
        );
        let told = profile(&spec, Some("/usr/local/bin/anyhook".as_ref()));
        let own = told.strip_prefix(BASE).unwrap();
        assert_eq!(
            own,
            "(allow file-read* (subpath \"/Users/ann/shop\"))\n\
             (allow file-read* (literal \"/Users/ann/.gitconfig\"))\n\
             (allow file-read* (literal \"/usr/local/bin/anyhook\"))\n\
             (allow file-read* file-write* (subpath \"/Users/ann/shop/out\"))\n"
        );
        assert!(!told.contains("network"));
        let opened = told.matches('(').count();
        assert_eq!(opened, told.matches(')').count());
    }

    #[test]
    fn a_network_is_opened_as_far_as_it_was_asked_for() {
        let loopback = profile(&spec(r#"{"network": "loopback"}"#), None);
        assert!(
            loopback.contains("(remote ip \"localhost:*\")") && !loopback.contains("(remote ip))")
        );
        let any = profile(&spec(r#"{"network": "any"}"#), None);
        assert!(any.contains("(allow network-outbound (remote ip))"));
    }

    #[test]
    fn a_name_cannot_end_its_text_and_add_a_rule() {
        let spec = spec(r#"{"write": ["/tmp/a\"))(allow default)(x (\"/"]}"#);
        let told = profile(&spec, None);
        assert!(
            told.ends_with("(subpath \"/tmp/a\\\"))(allow default)(x (\\\"\"))\n"),
            "{told}"
        );
    }
}
