//! Whether a path matches a pattern, after `~`, `..` and links are resolved.

use std::path::{Path, PathBuf};

use fast_glob::glob_match;

use crate::files::links::plain;
use crate::files::links::real;

/// The folders that a path may count from.
#[derive(Debug)]
pub(super) struct Folders {
    pub(super) cwd: PathBuf,
    pub(super) project: PathBuf,
    pub(super) home: Option<PathBuf>,
}

impl Folders {
    /// Tells whether a path matches in any of its forms: by its text, and where its links lead. A pattern without a `/`
    /// is a name, in any folder; one that begins with `/` or `~` is absolute; any other counts from the project or from
    /// the folder of the event. `folder/**` is also the folder itself.
    pub(super) fn matches(&self, path: &str, pattern: &str) -> bool {
        self.forms(path)
            .iter()
            .any(|form| self.form_matches(form, pattern))
    }

    /// Tells whether it matches in all of them.
    pub(super) fn is_inside(&self, path: &str, pattern: &str) -> bool {
        let forms = self.forms(path);
        forms.iter().all(|form| self.form_matches(form, pattern))
    }

    /// Tells whether a word of a shell could be a path that matches; the shell may expand what is in it.
    pub(super) fn could_be(&self, word: &str, pattern: &str) -> bool {
        if self.matches(word, pattern) {
            return true;
        }
        let name = |text: &str| text.rsplit('/').next().unwrap_or(text).to_owned();
        let is_pattern = word.contains(['*', '?', '[', '{']);
        // `.e*` is `.env` to the shell: what the pattern asks for, with its own wildcards empty, is held against it.
        let sample: String = name(pattern).chars().filter(|c| *c != '*').collect();
        let sample = sample.replace('?', "x");
        is_pattern && !sample.is_empty() && glob_match(name(word), &sample)
    }

    /// The path by its text, and by where its links lead; absolute.
    fn forms(&self, path: &str) -> Vec<PathBuf> {
        let path = self.cwd.join(self.at_home(path));
        let (plain, real) = (plain(&path), real(&path));
        if plain == real {
            vec![plain]
        } else {
            vec![plain, real]
        }
    }

    fn at_home(&self, path: &str) -> PathBuf {
        match (path.strip_prefix('~'), &self.home) {
            (Some(""), Some(home)) => home.clone(),
            (Some(rest), Some(home)) if rest.starts_with('/') => {
                home.join(rest.trim_start_matches('/'))
            }
            _ => PathBuf::from(path),
        }
    }

    fn form_matches(&self, form: &Path, pattern: &str) -> bool {
        let glob = |pattern: &str, text: &str| {
            let folder = pattern.strip_suffix("/**");
            is_match(pattern, text) || folder.is_some_and(|folder| is_match(folder, text))
        };
        if !pattern.contains('/') {
            let name = form.file_name().map(|name| name.to_string_lossy());
            return name.is_some_and(|name| glob(pattern, &name));
        }
        if pattern.starts_with(['/', '~']) {
            let pattern = self.at_home(pattern);
            return glob(&pattern.to_string_lossy(), &form.to_string_lossy());
        }
        let pattern = pattern.strip_prefix("./").unwrap_or(pattern);
        let bases = [&self.cwd, &self.project].map(|base| [plain(base), real(base)]);
        let mut bases = bases.iter().flatten();
        let is_below = |base: &PathBuf| {
            let below = form.strip_prefix(base).ok();
            below.is_some_and(|below| glob(pattern, &below.to_string_lossy()))
        };
        let anywhere = pattern.starts_with("**/");
        bases.any(is_below)
            || (anywhere && glob(pattern, form.to_string_lossy().trim_start_matches('/')))
    }
}

/// Whether a system takes both cases of a letter for one.
#[derive(Clone, Copy)]
enum Case {
    Same,
    Different,
}

/// File systems of macOS and Windows take both cases for one.
const CASE: Case = if cfg!(any(target_os = "macos", windows)) {
    Case::Same
} else {
    Case::Different
};

fn is_match(pattern: &str, text: &str) -> bool {
    is_match_where(CASE, pattern, text)
}

fn is_match_where(case: Case, pattern: &str, text: &str) -> bool {
    match case {
        Case::Same => glob_match(pattern.to_lowercase(), text.to_lowercase()),
        Case::Different => glob_match(pattern, text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_a_system_ignores_case_so_do_patterns() {
        assert!(is_match_where(Case::Same, "/etc/**", "/ETC/Passwd"));
        assert!(is_match_where(Case::Same, ".ENV*", ".env.local"));
        assert!(!is_match_where(Case::Different, "/etc/**", "/ETC/Passwd"));
        assert!(is_match_where(Case::Different, "/etc/**", "/etc/passwd"));
    }
}
