//! A sandbox in sentences, for a person who decides about it.

use super::{Network, PathRoot, Sandbox, SandboxPath};
use crate::words::joined;

impl Sandbox {
    /// Says in one or two plain sentences what a command in this sandbox may touch. What is not said is not mentioned: fill it
    /// in before. Whatever a stranger chose is on one line and has nothing that a terminal obeys.
    pub fn told(&self) -> String {
        let read = listed(self.read.as_deref().unwrap_or_default());
        let write = listed(self.write.as_deref().unwrap_or_default());
        let read = read.map_or("Reads nothing besides the system".to_owned(), |places| {
            format!("Reads {places}")
        });
        let write = write.map_or("writes nothing".to_owned(), |places| {
            format!("writes {places}")
        });
        let network = match self.network.unwrap_or_default() {
            Network::None => "has no network",
            Network::Loopback => "connects only to programs that it starts itself",
            Network::Any => "uses the network",
        };
        let env = self.variables();
        let most = self.processes;
        let most = most.map_or(String::new(), |most| {
            format!(", and at most {most} processes")
        });
        format!("{read}, {write}, and {network}. It gets {env}{most}.")
    }

    /// Says which variables it gets.
    fn variables(&self) -> String {
        match self.env.as_deref() {
            None => "all variables of your environment".to_owned(),
            Some([]) => "no variable of your environment".to_owned(),
            Some(names) if names.iter().any(|name| name == "*") => {
                "all variables of your environment".to_owned()
            }
            Some(names) if *names == *Self::of_package().env.unwrap_or_default() => {
                "no variable of your environment that could hold a key".to_owned()
            }
            Some(names) => {
                let names: Vec<String> = names.iter().map(|name| shown(name)).collect();
                format!("the variables {}", joined(&names, "and"))
            }
        }
    }
}

/// Names places; nothing where there is none.
fn listed(places: &[SandboxPath]) -> Option<String> {
    let names: Vec<String> = places.iter().map(named).collect();
    (!names.is_empty()).then(|| joined(&names, "and"))
}

fn named(place: &SandboxPath) -> String {
    let is_whole = place.below.as_os_str().is_empty();
    let name = match (place.root, is_whole) {
        (PathRoot::Project, true) => "the project",
        (PathRoot::Home, true) => "your whole home",
        (PathRoot::Package, true) => "the package's own folder",
        (PathRoot::Private, true) => "its private folder",
        (PathRoot::System, true) => "every file of this machine",
        (_, false) => return shown(&place.to_string()),
    };
    name.to_owned()
}

fn shown(text: &str) -> String {
    format!("`{}`", text.escape_debug())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_sandbox_is_told_in_plain_sentences_that_no_name_of_a_stranger_breaks() {
        assert_eq!(
            Sandbox::of_package().told(),
            "Reads the project and the package's own folder, writes its private folder, and has no network. \
             It gets no variable of your environment that could hold a key, and at most 1024 processes."
        );
        let wide: Sandbox = serde_json::from_value(json!({
            "read": [], "write": ["./a\n\u{7}/**", "~/**", "/**"], "network": "any", "env": ["API_*"],
            "processes": 9,
        }))
        .unwrap();
        assert_eq!(
            wide.told(),
            "Reads nothing besides the system, writes `./a\\n\\u{7}/**`, your whole home and every file of this machine, \
             and uses the network. It gets the variables `API_*`, and at most 9 processes."
        );
        assert_eq!(
            Sandbox::of_command().told(),
            "Reads the project, writes nothing, and has no network. It gets all variables of your environment."
        );
    }
}
