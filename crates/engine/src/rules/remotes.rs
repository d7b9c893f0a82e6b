//! Where the name of a remote leads: the addresses that the repository's own settings give it. Nothing is run.

use std::path::Path;

use anyhook_effects::hosts::host_of;
use anyhook_effects::word::Word;

use super::branch::{SETTINGS, settings_of, whole};

/// The machines of a remote; `None` if they cannot be told.
pub(super) fn hosts_of(folder: &Path, home: Option<&Path>, remote: &str) -> Option<Vec<String>> {
    let mut settings = Settings::default();
    for name in [".gitconfig", ".config/git/config"] {
        if let Some(of_person) = home.and_then(|home| whole(&home.join(name), SETTINGS)) {
            settings.read(&of_person);
        }
    }
    // What the person includes is the person's.
    settings.includes = false;
    settings.read(&settings_of(folder)?);
    settings.hosts_of(remote)
}

/// What settings say of remotes.
#[derive(Debug, Default)]
struct Settings {
    /// The name of a remote, and one of its addresses.
    addresses: Vec<(String, String)>,
    /// The beginning of an address, and what git writes in its place.
    instead: Vec<(String, String)>,
    /// The remotes that git chooses where none is named.
    chosen: Vec<String>,
    /// Whether other files are read too.
    includes: bool,
}

/// The head of a section: `[remote "origin"]`.
#[derive(Debug, Default)]
struct Section {
    kind: String,
    name: String,
}

impl Section {
    fn read(head: &str) -> Self {
        let head = head.split(']').next().unwrap_or_default();
        let (kind, name) = head.split_once(char::is_whitespace).unwrap_or((head, ""));
        Self {
            kind: kind.to_ascii_lowercase(),
            name: name.trim().trim_matches('"').replace('\\', ""),
        }
    }
}

impl Settings {
    fn read(&mut self, text: &str) {
        let mut section = Section::default();
        for line in text.lines().map(str::trim) {
            let setting = match line.strip_prefix('[') {
                Some(head) => {
                    section = Section::read(head);
                    self.includes |= section.kind.starts_with("include");
                    // A setting may stand behind the head.
                    head.split_once(']').map_or("", |(_, behind)| behind)
                }
                None => line,
            };
            if let Some((key, value)) = setting.split_once('=') {
                let value = value.trim().trim_matches('"');
                self.set(&section, &key.trim().to_ascii_lowercase(), value);
            }
        }
    }

    fn set(&mut self, Section { kind, name }: &Section, key: &str, value: &str) {
        let value = value.to_owned();
        match (kind.as_str(), key) {
            ("remote", "url" | "pushurl") => self.addresses.push((name.clone(), value)),
            ("url", "insteadof" | "pushinsteadof") => self.instead.push((value, name.clone())),
            ("branch", "remote" | "pushremote") | ("remote", "pushdefault") => {
                self.chosen.push(value);
            }
            ("extensions", "worktreeconfig") => self.includes = true,
            _ => {}
        }
    }

    /// The machines that a remote leads to. Git says `origin` where it may choose another one.
    fn hosts_of(&self, remote: &str) -> Option<Vec<String>> {
        let mut remotes = vec![remote];
        if remote == "origin" {
            remotes.extend(self.chosen.iter().map(String::as_str));
        }
        let mut hosts = Vec::new();
        for name in remotes {
            hosts.extend(self.hosts_of_one(name)?);
        }
        (!self.includes).then_some(hosts)
    }

    fn hosts_of_one(&self, name: &str) -> Option<Vec<String>> {
        let own = self.addresses.iter().filter(|(of, _)| of == name);
        let mut addresses: Vec<&str> = own.map(|(_, address)| address.as_str()).collect();
        if addresses.is_empty() {
            // An address itself, a folder, or what an older file of git says.
            if !name.contains([':', '/', '.']) {
                return None;
            }
            addresses.push(name);
        }
        let all = addresses
            .into_iter()
            .flat_map(|address| self.written(address));
        // An address without a machine is a folder here.
        let hosts = all.filter_map(|address| {
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

    fn hosts_of(settings: &Settings, remote: &str) -> Vec<String> {
        settings.hosts_of(remote).unwrap_or_default()
    }

    #[test]
    fn a_remote_leads_where_the_settings_say() {
        let mut settings = Settings::default();
        settings.read(
            "[core]\n\tbare = false\n[remote \"origin\"]\n\turl = git@github.com:o/r.git\n\
             [remote \"z\"]\n\turl = https://evil.example/r\n[remote \"here\"]\n\turl = ../r\n\
             [url \"https://evil.example/\"]\n\tinsteadOf = gh:\n[remote \"short\"]\n\turl = gh:o/r\n",
        );
        let hosts = |remote: &str| hosts_of(&settings, remote);
        assert_eq!(hosts("origin"), ["github.com"]);
        assert_eq!(hosts("z"), ["evil.example"]);
        assert!(hosts("short").contains(&"evil.example".to_owned()));
        assert!(hosts("here").is_empty());
        // What an older file of git may say is unknown.
        assert_eq!(settings.hosts_of("none"), None);
        settings.read("[branch \"main\"] remote = z");
        assert!(hosts_of(&settings, "origin").contains(&"evil.example".to_owned()));
    }

    #[test]
    fn settings_in_another_file_leave_it_unknown() {
        let mut settings = Settings::default();
        settings.read("[include]\n\tpath = x\n[remote \"a\"]\n\turl = https://b/c");
        assert_eq!(settings.hosts_of("a"), None);
    }
}
