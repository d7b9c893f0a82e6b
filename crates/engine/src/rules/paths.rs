//! Whether a path matches a pattern, after `~`, `..` and links are resolved.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use fast_glob::glob_match;

use crate::actions::{CallFolders, DiskCache};
use crate::files::links::{at_home, plain};
use crate::load::repository_of;
use crate::shell::globs::alternatives;

/// The folders that a path may count from.
#[derive(Debug)]
pub(super) struct EventFolders {
    pub(super) cwd: PathBuf,
    pub(super) project: PathBuf,
    pub(super) home: Option<PathBuf>,
    pub(super) seen: Arc<DiskCache>,
    bases: OnceLock<PatternBases>,
}

/// The folders that a relative pattern counts from, by their text and where their links lead.
#[derive(Debug)]
struct PatternBases {
    refusing: Vec<PathBuf>,
    approving: Vec<PathBuf>,
}

impl EventFolders {
    /// Those of an event in a folder of a project.
    pub(super) fn new(
        cwd: PathBuf,
        project: PathBuf,
        home: Option<&Path>,
        seen: Arc<DiskCache>,
    ) -> Self {
        Self {
            cwd,
            project,
            home: home.map(Path::to_owned),
            seen,
            bases: OnceLock::new(),
        }
    }

    /// Where a call happens.
    pub(super) fn around(&self) -> CallFolders<'_> {
        CallFolders {
            folder: &self.cwd,
            project: &self.project,
            home: self.home.as_deref(),
        }
    }
}

/// Who asks, and so which folders a relative pattern counts from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PatternPurpose {
    /// A guard: the project, the root of its repository, where hooks hold for a session that begins below it, and the folder
    /// of the event.
    Refusing,
    /// An approval: the project. The agent chooses the folder of the event.
    Approving,
}

impl EventFolders {
    /// Tells whether a path as an argument writes it matches, by its text or where its links lead.
    pub(super) fn matches(&self, path: &str, pattern: &str) -> bool {
        self.path_matches(&self.cwd.join(at_home(path, self.home.as_deref())), pattern)
    }

    /// Tells whether an absolute path matches in any of its forms: by its text, and where its links lead. A pattern without
    /// a `/` is a name, in any folder; one that begins with `/` or `~` is absolute; any other is relative. `folder/**` is
    /// also the folder itself.
    pub(super) fn path_matches(&self, path: &Path, pattern: &str) -> bool {
        self.path_matches_any(path, [pattern])
    }

    /// The same of several patterns.
    pub(super) fn path_matches_any<'p>(
        &self,
        path: &Path,
        patterns: impl IntoIterator<Item = &'p str>,
    ) -> bool {
        let forms = self.forms(path);
        let is_one = |pattern| {
            let mut forms = forms.iter();
            forms.any(|form| self.form_matches(form, pattern, PatternPurpose::Refusing))
        };
        patterns.into_iter().any(is_one)
    }

    /// Tells whether it matches in all of them.
    pub(super) fn is_inside(&self, path: &Path, pattern: &str) -> bool {
        let forms = self.forms(path);
        forms
            .iter()
            .all(|form| self.form_matches(form, pattern, PatternPurpose::Approving))
    }

    /// An absolute path by its text, and by where its links lead.
    pub(super) fn forms(&self, path: &Path) -> Vec<PathBuf> {
        let real = self.seen.elsewhere(path).into_iter();
        real.chain([plain(path)]).collect()
    }

    /// Tells whether a path is the project or below it, by the text of either or by where its links lead.
    pub(super) fn is_of_project(&self, path: &Path) -> bool {
        let bases = self.bases(PatternPurpose::Approving);
        bases.iter().any(|base| path.starts_with(base))
    }

    /// Tells whether a path leads to the project or the home, or stands in one of them: of these an absolute exception, such
    /// as `/tmp/**`, holds nothing.
    pub(super) fn is_near(&self, path: &Path) -> bool {
        let places = [Some(&self.project), self.home.as_ref()];
        places.into_iter().flatten().any(|place| {
            let place = plain(place);
            path.starts_with(&place) || place.starts_with(path)
        })
    }

    fn bases(&self, asked: PatternPurpose) -> &[PathBuf] {
        let of = |folders: &[&Path]| {
            let forms = folders.iter().flat_map(|base| self.forms(base));
            let mut bases: Vec<PathBuf> = forms.collect();
            bases.dedup();
            bases
        };
        let bases = self.bases.get_or_init(|| {
            let root = repository_of(&self.project).unwrap_or(&self.project);
            PatternBases {
                refusing: of(&[&self.cwd, &self.project, root]),
                approving: of(&[&self.project]),
            }
        });
        match asked {
            PatternPurpose::Refusing => &bases.refusing,
            PatternPurpose::Approving => &bases.approving,
        }
    }

    fn form_matches(&self, form: &Path, pattern: &str, asked: PatternPurpose) -> bool {
        let glob = |pattern: &str, text: &str| {
            let folder = pattern.strip_suffix("/**");
            is_match(pattern, text) || folder.is_some_and(|folder| is_match(folder, text))
        };
        if !pattern.contains('/') {
            let name = form.file_name().map(|name| name.to_string_lossy());
            return name.is_some_and(|name| glob(pattern, &name));
        }
        if pattern.starts_with(['/', '~']) {
            let pattern = at_home(pattern, self.home.as_deref());
            return glob(&pattern.to_string_lossy(), &form.to_string_lossy());
        }
        let pattern = pattern.strip_prefix("./").unwrap_or(pattern);
        let is_below = |base: &PathBuf| {
            let below = form.strip_prefix(base).ok();
            below.is_some_and(|below| glob(pattern, &below.to_string_lossy()))
        };
        let anywhere = pattern.starts_with("**/") && asked == PatternPurpose::Refusing;
        self.bases(asked).iter().any(is_below)
            || (anywhere && glob(pattern, form.to_string_lossy().trim_start_matches('/')))
    }

    /// Writes a pattern as absolute ones, for a guard.
    pub(super) fn absolute(&self, pattern: &str) -> Vec<String> {
        let whole = if !pattern.contains('/') {
            vec![format!("/**/{pattern}")]
        } else if pattern.starts_with(['/', '~']) {
            vec![
                at_home(pattern, self.home.as_deref())
                    .to_string_lossy()
                    .into_owned(),
            ]
        } else if pattern.starts_with("**/") {
            vec![format!("/{pattern}")]
        } else {
            let pattern = pattern.strip_prefix("./").unwrap_or(pattern);
            let bases = self.bases(PatternPurpose::Refusing).iter();
            bases
                .map(|base| {
                    format!(
                        "{}/{pattern}",
                        escaped(&base.to_string_lossy()).trim_end_matches('/')
                    )
                })
                .collect()
        };
        let folders = whole
            .iter()
            .filter_map(|pattern| pattern.strip_suffix("/**").map(str::to_owned));
        let folders: Vec<String> = folders.collect();
        let all = whole.into_iter().chain(folders);
        all.map(|pattern| in_case(&pattern).into_owned()).collect()
    }
}

/// Writes a text so that a pattern takes it as it is.
pub(super) fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        if matches!(letter, '*' | '?' | '[' | ']' | '{' | '}' | '\\') {
            escaped.push('\\');
        }
        escaped.push(letter);
    }
    escaped
}

/// Returns a text as it is compared on this system.
pub(super) fn in_case(text: &str) -> Cow<'_, str> {
    match CASE {
        CaseSensitivity::Same => Cow::Owned(text.to_lowercase()),
        CaseSensitivity::Different => Cow::Borrowed(text),
    }
}

/// Whether a system takes both cases of a letter for one.
#[derive(Clone, Copy)]
enum CaseSensitivity {
    Same,
    Different,
}

/// File systems of macOS and Windows take both cases for one.
const CASE: CaseSensitivity = if cfg!(any(target_os = "macos", windows)) {
    CaseSensitivity::Same
} else {
    CaseSensitivity::Different
};

/// Each choice of braces is a pattern of its own: the matcher gives up behind the first of two that begin alike.
fn is_match(pattern: &str, text: &str) -> bool {
    let choices = pattern.contains('{').then(|| alternatives(pattern));
    match choices.flatten() {
        Some(all) => all.iter().any(|one| is_match_where(CASE, one, text)),
        None => is_match_where(CASE, pattern, text),
    }
}

fn is_match_where(case: CaseSensitivity, pattern: &str, text: &str) -> bool {
    match case {
        CaseSensitivity::Same => glob_match(pattern.to_lowercase(), text.to_lowercase()),
        CaseSensitivity::Different => glob_match(pattern, text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_choice_of_braces_is_tried_to_its_end() {
        for text in [
            "a/.env.test",
            ".env.template",
            ".env",
            ".env.test/.env.test",
            ".env.x/.env.test",
            ".env.x/b/.env.test",
        ] {
            assert!(is_match("**/.env{,.{template,test}}", text), "{text}");
        }
        assert!(!is_match("**/.env{,.{template,test}}", ".env.te"));
    }

    #[test]
    fn where_a_system_ignores_case_so_do_patterns() {
        assert!(is_match_where(
            CaseSensitivity::Same,
            "/etc/**",
            "/ETC/Passwd"
        ));
        assert!(is_match_where(CaseSensitivity::Same, ".ENV*", ".env.local"));
        assert!(!is_match_where(
            CaseSensitivity::Different,
            "/etc/**",
            "/ETC/Passwd"
        ));
        assert!(is_match_where(
            CaseSensitivity::Different,
            "/etc/**",
            "/etc/passwd"
        ));
    }
}
