//! Where symbolic links lead, also for many paths that share their way.

use std::collections::HashMap;
use std::ffi::OsString;
use std::fs;
use std::io::ErrorKind;
use std::path::{Component, Path, PathBuf};

pub(crate) use anyhook_effects::places::tidy as plain;
use foldhash::fast::RandomState;

/// The most symbolic links that are followed on the way to one file, as in the kernel.
const MOST_LINKS: usize = 40;

/// No system follows a longer path, and taking one apart would take more time than there is.
pub(crate) const LONGEST_PATH: usize = 4096;

/// Tells whether nothing would have to be taken out of an absolute path.
pub(crate) fn is_plain(path: &Path) -> bool {
    let text = path.as_os_str().as_encoded_bytes();
    let mut names = text.split(|byte| *byte == b'/').skip(1);
    text.starts_with(b"/") && names.all(|name| !matches!(name, b"" | b"." | b".."))
}

/// Returns the path that `~` and what stands behind it is in a home.
pub(crate) fn at_home(path: &str, home: Option<&Path>) -> PathBuf {
    match (path.strip_prefix('~'), home) {
        (Some(""), Some(home)) => home.to_owned(),
        (Some(rest), Some(home)) if rest.starts_with('/') => {
            home.join(rest.trim_start_matches('/'))
        }
        _ => PathBuf::from(path),
    }
}

/// Follows every symbolic link of a path, also one to a file that does not exist yet: writing through it makes that file.
pub fn real(path: &Path) -> PathBuf {
    LinkResolver::default().real(path)
}

/// Returns every name that an absolute path has on the way to what it leads to: as it is written, after each symbolic link,
/// and the last one, behind which no link follows.
///
/// ```text
/// /link/p/hooks.json -> /real/p/hooks.json -> /real/elsewhere/hooks.json
/// ```
pub(crate) fn names(path: &Path) -> Vec<PathBuf> {
    let mut names = vec![plain(path)];
    while let Some(next) = names.last().and_then(|name| behind_first_link(name)) {
        let is_round = names.contains(&next) || names.len() > MOST_LINKS;
        if is_round {
            break;
        }
        names.push(next);
    }
    names
}

/// Follows the first symbolic link of a path, and no other.
fn behind_first_link(path: &Path) -> Option<PathBuf> {
    let mut at = PathBuf::new();
    for part in path.components() {
        let above = at.clone();
        at.push(part);
        match fs::read_link(&at) {
            Ok(target) => {
                let rest = path.strip_prefix(&at).unwrap_or(Path::new(""));
                let next = plain(&above.join(target));
                // An empty rest would leave a slash at the end.
                let is_whole = rest.as_os_str().is_empty();
                return Some(if is_whole { next } else { next.join(rest) });
            }
            Err(error) if error.kind() == ErrorKind::NotFound => return None,
            Err(_) => {}
        }
    }
    None
}

/// Where several paths lead, each step on the way to them as it was when it was looked at for the first time.
#[derive(Debug, Default)]
pub(crate) struct LinkResolver {
    known: HashMap<OsString, ResolvedLink, RandomState>,
}

/// Where a path leads.
#[derive(Debug, Clone, Default)]
struct ResolvedLink {
    to: PathBuf,
    /// Whether nothing is there: below it there is nothing either, and no link.
    is_nothing: bool,
}

impl LinkResolver {
    /// Follows every symbolic link of a path; what is not there is taken as it is written.
    pub(crate) fn real(&mut self, path: &Path) -> PathBuf {
        // What no system follows is not taken apart one folder at a time.
        if path.as_os_str().len() > LONGEST_PATH {
            return plain(path);
        }
        self.follow(path).to
    }

    /// The same, where a link stands on the way of an absolute path: most have none, and are not written anew.
    pub(crate) fn elsewhere(&mut self, path: &Path) -> Option<PathBuf> {
        let above = path.parent()?;
        if path.as_os_str().len() > LONGEST_PATH {
            return None;
        }
        let leads = self.follow(above);
        let is_link = || fs::read_link(path).is_ok();
        if leads.to == above && path.file_name().is_some() && (leads.is_nothing || !is_link()) {
            return None;
        }
        Some(self.real(path))
    }

    fn follow(&mut self, path: &Path) -> ResolvedLink {
        if let Some(known) = self.known.get(path.as_os_str()) {
            return known.clone();
        }
        let mut parts = path.components();
        let mut leads = ResolvedLink::default();
        if let Some(last) = parts.next_back() {
            leads = self.follow(parts.as_path());
            leads.enter(last);
        }
        self.known.insert(path.into(), leads.clone());
        leads
    }
}

impl ResolvedLink {
    /// Goes on to what this part leads to, through links that lead to links.
    fn enter(&mut self, part: Component<'_>) {
        let mut links = 0;
        let mut target = self.step(part);
        let mut rest: Vec<PathBuf> = Vec::new();
        while let Some(next) = target.take().or_else(|| rest.pop()) {
            let mut parts = next.components();
            let Some(part) = parts.next() else { continue };
            rest.push(parts.as_path().to_owned());
            target = self.step(part);
            links += usize::from(target.is_some());
            if links >= MOST_LINKS {
                break;
            }
        }
    }

    /// Adds one part; returns the target of the symbolic link that it is, which counts from here then.
    fn step(&mut self, part: Component<'_>) -> Option<PathBuf> {
        match part {
            Component::Normal(name) => self.to.push(name),
            Component::CurDir => return None,
            Component::ParentDir | Component::RootDir | Component::Prefix(_) => {
                self.to = plain(&self.to.join(part));
                // The one above something that is not there may be.
                self.is_nothing = false;
                return None;
            }
        }
        if self.is_nothing {
            return None;
        }
        match fs::read_link(&self.to) {
            Ok(target) => {
                self.to.pop();
                return Some(target);
            }
            Err(error) => self.is_nothing = error.kind() == ErrorKind::NotFound,
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn links_are_followed_to_what_is_not_there_and_past_it() {
        let place = tempfile::tempdir().unwrap();
        let place = place.path().canonicalize().unwrap();
        fs::create_dir(place.join("folder")).unwrap();
        symlink("folder", place.join("link")).unwrap();
        symlink("link/later", place.join("before")).unwrap();
        let mut links = LinkResolver::default();
        let cases = [
            ("gone/a/b/c", "gone/a/b/c"),
            ("gone/../link/file", "folder/file"),
            ("gone/../../TOP/link", "folder"),
            ("before/settings.json", "folder/later/settings.json"),
        ];
        let name = place.file_name().unwrap().to_str().unwrap();
        for (path, real) in cases {
            let path = place.join(path.replace("TOP", name));
            assert_eq!(links.real(&path), place.join(real));
            let elsewhere = LinkResolver::default().elsewhere(&path);
            assert_eq!(elsewhere.unwrap_or_else(|| plain(&path)), place.join(real));
        }
    }

    #[test]
    fn a_path_has_a_name_before_and_after_each_link_on_its_way() {
        let place = tempfile::tempdir().unwrap();
        let place = place.path().canonicalize().unwrap();
        fs::create_dir_all(place.join("real/p")).unwrap();
        fs::create_dir_all(place.join("other")).unwrap();
        symlink("second", place.join("first")).unwrap();
        symlink(place.join("real"), place.join("second")).unwrap();
        symlink("../../other", place.join("real/p/hooks")).unwrap();
        symlink("round", place.join("round")).unwrap();
        let all = |path: &str| {
            let all = names(&place.join(path)).into_iter();
            let all = all.map(|name| name.strip_prefix(&place).unwrap().to_owned());
            all.map(|name| name.to_str().unwrap().to_owned())
                .collect::<Vec<_>>()
        };
        assert_eq!(
            all("first/p/hooks/hooks.json"),
            [
                "first/p/hooks/hooks.json",
                "second/p/hooks/hooks.json",
                "real/p/hooks/hooks.json",
                "other/hooks.json"
            ]
        );
        assert_eq!(all("real/p"), ["real/p"]);
        assert_eq!(all("gone/x"), ["gone/x"]);
        assert_eq!(all("round/x"), ["round/x"]);
    }

    #[test]
    fn many_paths_together_lead_where_each_of_them_does() {
        let place = tempfile::tempdir().unwrap();
        let place = place.path().canonicalize().unwrap();
        fs::create_dir_all(place.join("a/b")).unwrap();
        fs::write(place.join("a/file"), "").unwrap();
        let away = tempfile::tempdir().unwrap();
        for (link, to) in [
            ("to-b", "a/b"),
            ("a/b/up", ".."),
            ("a/top", "/"),
            ("gone", "no/where/at/all"),
            ("round", "round"),
            ("out", away.path().to_str().unwrap()),
            ("twice", "to-b/up/top"),
        ] {
            symlink(to, place.join(link)).unwrap();
        }
        symlink(place.join("a/b"), away.path().join("back")).unwrap();
        let inside = place.strip_prefix("/").unwrap().to_str().unwrap();
        let mut links = LinkResolver::default();
        for path in [
            "a/b/x",
            "a/b/x/y/z",
            "to-b/up/file",
            "to-b/up/file/below",
            "to-b/up/b/up/top/TOP/to-b/x",
            "a/top/TOP/to-b",
            "twice/TOP/a/top/TOP/out/back/up/file",
            "gone/x/y",
            "gone",
            "out/back/x",
            "out/new/x",
        ] {
            let path = place.join(path.replace("TOP", inside));
            assert_eq!(links.real(&path), real(&path), "{}", path.display());
        }
    }
}
