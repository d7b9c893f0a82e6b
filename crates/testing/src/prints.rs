//! What a case depends on, as a print: two equal prints mean that nothing was touched between them.
//!
//! A case depends on its own file, its fixtures, its workspace and its stubs, and on every other file of its package: which
//! which of those a script reads is not known. Other files of the folder of tests belong to other cases.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use anyhook::files;

use crate::plan::{Case, Stub, Workspace};
use crate::spread::spread;

/// Prints of cases, by their [identities](Case::identity).
pub type Prints = BTreeMap<String, String>;

/// Folders in which no file is that a hook's author writes.
const PASSED_OVER: &[&str] = &[
    "node_modules",
    "target",
    "vendor",
    "__pycache__",
    ".git",
    ".hg",
    ".jj",
    ".svn",
    ".venv",
];

/// A longer file is known by its length and the time of its last change.
const LONGEST: u64 = 256 * 1024;

/// How many bytes of one package are read; what is left is known by lengths and times.
const MOST: u64 = 4 * 1024 * 1024;

/// Takes the prints of cases. Files that the run itself writes (`besides`, absolute) are passed over.
///
/// ```
/// use std::fs;
///
/// use anyhook_testing::{prints, read};
///
/// let place = tempfile::tempdir()?;
/// let write = |name: &str, text: &str| {
///     let file = place.path().join(name);
///     fs::create_dir_all(file.parent().unwrap()).and_then(|()| fs::write(file, text))
/// };
/// write("hooks/hooks.json", r#"{"version": 1, "hooks": {"stop": [{"hooks": [
///     {"type": "command", "command": "sh ${PACKAGE_ROOT}/stop.sh"}]}]}}"#)?;
/// write("stop.sh", "exit 0")?;
/// write("hooks/tests/cases/a.yaml", "name: a\nevent: stop\n")?;
/// write("hooks/tests/cases/b.yaml", "name: b\nevent: stop\n")?;
///
/// let take = || prints(&read(&[place.path().to_path_buf()]).cases, &[]);
/// let before = take();
/// write("hooks/tests/cases/b.yaml", "name: b\nevent: stop\ntags: [new]\n")?;
/// let after = take();
/// let changed = after.iter().filter(|(case, print)| before.get(*case) != Some(print));
/// assert_eq!(changed.count(), 1);
///
/// write("stop.sh", "exit 2")?;
/// assert!(take().iter().all(|(case, print)| after.get(case) != Some(print)));
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn prints(cases: &[Case], besides: &[PathBuf]) -> Prints {
    let mut packages: BTreeMap<PathBuf, String> = BTreeMap::new();
    let own = spread(cases, |case| {
        let mut taking = Taking::new(besides);
        taking.note(&case.file, &case.text);
        for file in case.files() {
            taking.take(&file);
        }
        taking.digest()
    });
    let print = |(case, own): (&Case, String)| {
        let tests = case.package.tests.clone();
        let package = packages
            .entry(tests)
            .or_insert_with(|| of_package(case, besides));
        (case.identity(), format!("{package} {own}"))
    };
    cases.iter().zip(own).map(print).collect()
}

impl Case {
    /// Returns the files and folders that are this case's own, besides the one that it stands in.
    fn files(&self) -> Vec<PathBuf> {
        let input = &self.spec.input;
        let earlier = input
            .before
            .iter()
            .filter_map(|earlier| earlier.fixture.as_ref());
        let fixtures = input.fixture.iter().chain(earlier);
        let mut files: Vec<PathBuf> = fixtures
            .map(|named| self.package.tests.join(&named.value))
            .collect();
        if let Some(Workspace::Folder(folder)) = &self.workspace {
            files.push(folder.clone());
        }
        let stubs = self.stubs.iter().filter_map(|(_, stub)| match stub {
            Stub::File(file) => Some(file.clone()),
            Stub::Script(_) => None,
        });
        files.extend(stubs);
        files
    }
}

/// The print of what every case of a package depends on.
fn of_package(case: &Case, besides: &[PathBuf]) -> String {
    let package = &case.package;
    let mut taking = Taking::new(besides);
    taking.but = Some(&package.tests);
    taking.take(&package.root);
    taking.but = None;
    taking.take(&package.manifest);
    taking.take(&package.tests.join("test-config.json"));
    taking.digest()
}

/// A print in the making.
struct Taking<'t> {
    besides: &'t [PathBuf],
    /// A folder that is passed over.
    but: Option<&'t Path>,
    /// Paths, each before what it is known by.
    noted: Vec<Box<[u8]>>,
    read: u64,
}

impl<'t> Taking<'t> {
    fn new(besides: &'t [PathBuf]) -> Self {
        Self {
            besides,
            but: None,
            noted: vec![env!("CARGO_PKG_VERSION").as_bytes().into()],
            read: 0,
        }
    }

    fn digest(&self) -> String {
        let noted: Vec<&[u8]> = self.noted.iter().map(|noted| &**noted).collect();
        files::name_of(&noted)
    }

    /// Takes a file, or a folder with everything in it. A link to a folder is taken as the link that it is.
    fn take(&mut self, path: &Path) {
        let is_passed = self.but == Some(path) || self.besides.iter().any(|other| other == path);
        if is_passed {
            return;
        }
        let Ok(meta) = fs::symlink_metadata(path) else {
            return self.note(path, "nothing");
        };
        if meta.is_dir() {
            return self.folder(path);
        }
        if meta.is_symlink()
            && let Ok(to) = fs::read_link(path)
        {
            self.note(path, &format!("-> {}", to.display()));
        }
        match fs::metadata(path) {
            Ok(meta) if meta.is_file() => {
                let known = self.file(path, &meta);
                self.note(path, &known);
            }
            Ok(_) | Err(_) => self.note(path, "no file"),
        }
    }

    fn folder(&mut self, path: &Path) {
        let entries = fs::read_dir(path).into_iter().flatten().flatten();
        let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
        paths.sort();
        for path in paths {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            if !PASSED_OVER.contains(&&*name) {
                self.take(&path);
            }
        }
    }

    fn file(&mut self, path: &Path, meta: &fs::Metadata) -> String {
        let mode = meta.mode();
        if meta.len() <= LONGEST && self.read + meta.len() <= MOST {
            self.read += meta.len();
            if let Ok(bytes) = fs::read(path) {
                return format!("{mode:o} {}", files::digest(&bytes));
            }
        }
        format!(
            "{mode:o} {} {} {}",
            meta.len(),
            meta.ctime(),
            meta.ctime_nsec()
        )
    }

    fn note(&mut self, path: &Path, what: &str) {
        let path = path.as_os_str().as_encoded_bytes();
        self.noted.extend([path.into(), what.as_bytes().into()]);
    }
}
