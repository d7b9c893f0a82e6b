//! What the settings of git say without a question to git: where the name of a remote leads, what a plain push pushes, and
//! what an alias stands for. Nothing is run.

use std::path::Path;

use anyhook_effects::hosts::host_of;
use anyhook_effects::word::Word;

use super::branch::{CurrentBranch, SETTINGS, checked_out, settings_of, whole};

/// The machines of a remote; `None` if they cannot be told.
pub(super) fn hosts_of(folder: &Path, home: Option<&Path>, remote: &str) -> Option<Vec<String>> {
    GitSettings::of(folder, home)?.hosts_of(remote)
}

/// The branches that a push changes which names none, beside the one that is checked out: `:` for all. Nothing where there is
/// no repository.
pub(super) fn pushed_by(folder: &Path, home: Option<&Path>) -> Vec<String> {
    let Some(settings) = GitSettings::of(folder, home) else {
        return Vec::new();
    };
    let current = match checked_out(folder) {
        CurrentBranch::Branch(name) => Some(name),
        CurrentBranch::Nothing | CurrentBranch::Unknown => None,
    };
    settings.pushed(current.as_deref())
}

/// What a verb of git stands for, where the settings say it.
pub(crate) fn alias_of(folder: &Path, home: Option<&Path>, verb: &str) -> Option<String> {
    let mut settings = GitSettings::of_person(home);
    settings.read(&settings_of(folder).unwrap_or_default());
    let verb = verb.to_lowercase();
    let last = settings.said("alias", &[&verb]).last();
    last.map(|(_, text)| text.to_owned())
}

/// What settings say.
#[derive(Debug, Default)]
struct GitSettings {
    /// In their order: of those with one name the last counts, or all.
    all: Vec<GitSetting>,
    /// Whether other files are read too.
    includes: bool,
}

/// One setting: `url` of `[remote "origin"]`.
#[derive(Debug)]
struct GitSetting {
    kind: String,
    name: String,
    key: String,
    value: String,
}

/// The head of a section: `[remote "origin"]`.
#[derive(Debug, Default)]
struct SectionHead {
    kind: String,
    name: String,
}

impl SectionHead {
    fn read(head: &str) -> Self {
        let head = head.split(']').next().unwrap_or_default();
        let (kind, name) = head.split_once(char::is_whitespace).unwrap_or((head, ""));
        Self {
            kind: kind.to_ascii_lowercase(),
            name: name.trim().trim_matches('"').replace('\\', ""),
        }
    }
}

impl GitSettings {
    /// Those of a person and of the repository around a folder.
    fn of(folder: &Path, home: Option<&Path>) -> Option<Self> {
        let mut settings = Self::of_person(home);
        settings.read(&settings_of(folder)?);
        Some(settings)
    }

    /// Those of a person; what the person includes is the person's.
    fn of_person(home: Option<&Path>) -> Self {
        let mut settings = Self::default();
        for name in [".config/git/config", ".gitconfig"] {
            let text = home.and_then(|home| whole(&home.join(name), SETTINGS));
            settings.read(&text.unwrap_or_default());
        }
        settings.includes = false;
        settings
    }

    fn read(&mut self, text: &str) {
        let mut section = SectionHead::default();
        for line in text.replace("\\\n", "").lines().map(str::trim) {
            let setting = match line.strip_prefix('[') {
                Some(head) => {
                    section = SectionHead::read(head);
                    self.includes |= section.kind.starts_with("include");
                    // A setting may stand behind the head.
                    head.split_once(']').map_or("", |(_, behind)| behind)
                }
                None => line,
            };
            if let Some((key, value)) = setting.split_once('=') {
                self.all.push(GitSetting {
                    kind: section.kind.clone(),
                    name: section.name.clone(),
                    key: key.trim().to_ascii_lowercase(),
                    value: unquoted(value.trim()),
                });
            }
        }
    }

    /// What the settings of these keys say: the name of the section, and the value.
    fn said(&self, kind: &str, keys: &[&str]) -> impl Iterator<Item = (&str, &str)> {
        let is_it = move |one: &&GitSetting| one.kind == kind && keys.contains(&&*one.key);
        let all = self.all.iter().filter(is_it);
        all.map(|one| (&*one.name, &*one.value))
    }

    /// The branches that a push changes which names none, where this one is checked out.
    fn pushed(&self, current: Option<&str>) -> Vec<String> {
        let all = || ":".to_owned();
        let told = self.said("remote", &["push"]);
        let mut refs: Vec<String> = told.map(|(_, of)| of.to_owned()).collect();
        let mirrors = self.said("remote", &["mirror"]);
        if self.includes || mirrors.last().is_some_and(|(_, value)| value != "false") {
            refs.push(all());
        }
        match self.said("push", &["default"]).last() {
            Some((_, "upstream" | "tracking")) => {
                let of_current =
                    |(of, _): &(&str, &str)| current.is_none_or(|current| current == *of);
                let merged = self.said("branch", &["merge"]).filter(of_current);
                refs.extend(merged.map(|(_, name)| name.to_owned()));
            }
            Some((_, "matching")) => refs.push(all()),
            _ => {}
        }
        refs
    }

    /// The machines that a remote leads to. Git says `origin` where it may choose another one.
    fn hosts_of(&self, remote: &str) -> Option<Vec<String>> {
        let mut remotes = vec![remote];
        if remote == "origin" {
            let chosen = self.said("branch", &["remote", "pushremote"]);
            let chosen = chosen.chain(self.said("remote", &["pushdefault"]));
            remotes.extend(chosen.map(|(_, value)| value));
        }
        let mut hosts = Vec::new();
        for name in remotes {
            hosts.extend(self.hosts_of_one(name)?);
        }
        (!self.includes).then_some(hosts)
    }

    fn hosts_of_one(&self, name: &str) -> Option<Vec<String>> {
        let own = self.said("remote", &["url", "pushurl"]);
        let own = own.filter(|(of, _)| *of == name);
        let mut addresses: Vec<&str> = own.map(|(_, address)| address).collect();
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
        let other = self.said("url", &["insteadof", "pushinsteadof"]);
        let other = other.filter_map(|(instead, begins)| {
            let rest = address.strip_prefix(begins)?;
            Some(format!("{instead}{rest}"))
        });
        std::iter::once(address.to_owned()).chain(other).collect()
    }
}

/// A value as git reads it: quotes hold blanks and marks of comments, and a backslash the letter behind it.
fn unquoted(value: &str) -> String {
    let mut text = String::new();
    let (mut letters, mut is_open) = (value.chars(), false);
    while let Some(letter) = letters.next() {
        match letter {
            '"' => is_open = !is_open,
            '\\' => match letters.next() {
                Some('n') => text.push('\n'),
                Some('t') => text.push('\t'),
                other => text.extend(other),
            },
            '#' | ';' if !is_open => break,
            letter => text.push(letter),
        }
    }
    text.trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::GitSettings;

    fn hosts_of(settings: &GitSettings, remote: &str) -> Vec<String> {
        settings.hosts_of(remote).unwrap_or_default()
    }

    #[test]
    fn a_remote_leads_where_the_settings_say() {
        let mut settings = GitSettings::default();
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
    fn a_plain_push_changes_what_the_settings_say() {
        let pushed = |text: &str, current: Option<&str>| {
            let mut settings = GitSettings::default();
            settings.read(text);
            settings.pushed(current)
        };
        let tracking = "[push]\ndefault = upstream # as before\n[branch \"x\"]\nmerge = refs/heads/main\n\
                        [branch \"y\"]\nmerge = refs/heads/y\n";
        assert_eq!(pushed(tracking, Some("x")), ["refs/heads/main"]);
        assert_eq!(pushed(tracking, Some("y")), ["refs/heads/y"]);
        assert_eq!(pushed(tracking, None).len(), 2);
        let simple = tracking.replace("upstream", "simple");
        assert!(pushed(&simple, Some("x")).is_empty());
        assert_eq!(pushed("[push]\ndefault = matching", None), [":"]);
        let own = "[remote \"o\"]\npush = HEAD:main\nmirror = false";
        assert_eq!(pushed(own, None), ["HEAD:main"]);
        assert_eq!(pushed("[remote \"o\"]\nmirror = true", None), [":"]);
        assert_eq!(pushed("[include]\npath = x", None), [":"]);
    }

    #[test]
    fn an_alias_is_the_text_that_git_reads() {
        let mut settings = GitSettings::default();
        settings.read("[alias]\n zz = \"!cat \\\"a b\\\"; x\" ; y\n lg = log \\\n  --oneline\n");
        let said: Vec<&str> = settings
            .said("alias", &["zz", "lg"])
            .map(|(_, value)| value)
            .collect();
        assert_eq!(said, ["!cat \"a b\"; x", "log   --oneline"]);
    }

    #[test]
    fn settings_in_another_file_leave_it_unknown() {
        let mut settings = GitSettings::default();
        settings.read("[include]\n\tpath = x\n[remote \"a\"]\n\turl = https://b/c");
        assert_eq!(settings.hosts_of("a"), None);
    }
}
