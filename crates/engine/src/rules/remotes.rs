//! Where the name of a remote leads: the addresses that the repository's own settings give it. Nothing is run.

use std::path::Path;

use anyhook_effects::hosts::host_of;
use anyhook_effects::word::Word;

use super::branch::{SETTINGS, settings_of, whole};

/// The machines of a remote; `None` if they cannot be told.
pub(super) fn hosts_of(folder: &Path, home: Option<&Path>, remote: &str) -> Option<Vec<String>> {
    let mut settings = Settings::default();
    if let Some(of_person) = home.and_then(|home| whole(&home.join(".gitconfig"), SETTINGS)) {
        settings.read(&of_person);
    }
    // What the person includes is the person's.
    settings.includes = false;
    if let Some(own) = settings_of(folder) {
        settings.read(&own);
    }
    settings.hosts_of(remote)
}

/// What settings say of remotes.
#[derive(Debug, Default)]
struct Settings {
    /// The name of a remote, and one of its addresses.
    addresses: Vec<(String, String)>,
    /// The beginning of an address, and what git writes in its place.
    instead: Vec<(String, String)>,
    /// Whether another file is included.
    includes: bool,
}

impl Settings {
    fn read(&mut self, text: &str) {
        let mut section = (String::new(), String::new());
        for line in text.lines().map(str::trim) {
            if let Some(head) = line.strip_prefix('[') {
                let head = head.split(']').next().unwrap_or_default();
                let (kind, name) = head.split_once(char::is_whitespace).unwrap_or((head, ""));
                let name = name.trim().trim_matches('"').replace('\\', "");
                section = (kind.to_ascii_lowercase(), name);
                self.includes |= section.0.starts_with("include");
            } else if let Some((key, value)) = line.split_once('=') {
                let value = value.trim().trim_matches('"').to_owned();
                self.set(&section, &key.trim().to_ascii_lowercase(), value);
            }
        }
    }

    fn set(&mut self, (kind, name): &(String, String), key: &str, value: String) {
        match (kind.as_str(), key) {
            ("remote", "url" | "pushurl") => self.addresses.push((name.clone(), value)),
            ("url", "insteadof" | "pushinsteadof") => self.instead.push((value, name.clone())),
            _ => {}
        }
    }

    fn hosts_of(&self, remote: &str) -> Option<Vec<String>> {
        if self.includes {
            return None;
        }
        let own = self.addresses.iter().filter(|(name, _)| name == remote);
        let own = own.flat_map(|(_, address)| self.written(address));
        // An address without a machine is a folder here.
        let hosts = own.filter_map(|address| {
            let is_folder = address.starts_with(['/', '.', '~']) || address.starts_with("file:");
            (!is_folder).then(|| host_of(&Word::text(address)))
        });
        hosts.collect()
    }

    /// An address, and each that settings put in its place.
    fn written(&self, address: &str) -> Vec<String> {
        let other = self.instead.iter().filter_map(|(begins, instead)| {
            let rest = address.strip_prefix(begins.as_str())?;
            Some(format!("{instead}{rest}"))
        });
        std::iter::once(address.to_owned()).chain(other).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::Settings;

    #[test]
    fn a_remote_leads_where_the_settings_say() {
        let mut settings = Settings::default();
        settings.read(
            "[core]\n\tbare = false\n[remote \"origin\"]\n\turl = git@github.com:o/r.git\n\
             [remote \"z\"]\n\turl = https://evil.example/r\n[remote \"here\"]\n\turl = ../r\n\
             [url \"https://evil.example/\"]\n\tinsteadOf = gh:\n[remote \"short\"]\n\turl = gh:o/r\n",
        );
        let hosts = |remote: &str| settings.hosts_of(remote).unwrap_or_default();
        assert_eq!(hosts("origin"), ["github.com"]);
        assert_eq!(hosts("z"), ["evil.example"]);
        assert!(hosts("short").contains(&"evil.example".to_owned()));
        assert!(hosts("here").is_empty() && hosts("none").is_empty());
    }

    #[test]
    fn settings_in_another_file_leave_it_unknown() {
        let mut settings = Settings::default();
        settings.read("[include]\n\tpath = x\n[remote \"a\"]\n\turl = https://b/c");
        assert_eq!(settings.hosts_of("a"), None);
    }
}
