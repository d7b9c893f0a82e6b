//! A repository of ours that borrows the objects of the user's: git asked through it obeys nothing that the user's says.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::brings::git::{GitQuery, program};
use crate::files;

/// The longest answer of git, in bytes: the names of a large repository.
const LONGEST: usize = 256 << 20;
/// Every file is read and written byte for byte, whatever the attributes of the repository say.
const ATTRIBUTES: &str = "* -text -eol -crlf -filter -ident -working-tree-encoding !diff -merge\n";
/// What is read of a file of settings.
const LONGEST_SETTINGS: u64 = 64 << 10;

/// It, and the files of the user that it is about.
#[derive(Debug)]
pub(super) struct ShadowRepository {
    /// Its folder.
    pub(super) git: PathBuf,
    /// The folder of the user's files.
    pub(super) top: PathBuf,
    /// Its index.
    pub(super) index: PathBuf,
    /// More folders of objects that are read.
    pub(super) objects: Vec<PathBuf>,
}

impl ShadowRepository {
    /// Makes it in a new folder, for a repository with these objects.
    pub(super) fn make(
        &self,
        objects: &[PathBuf],
        format: ObjectFormat,
        home: &Path,
    ) -> io::Result<()> {
        for folder in ["objects/info", "objects/pack", "refs", "info"] {
            fs::create_dir_all(self.git.join(folder))?;
        }
        fs::write(self.git.join("HEAD"), "ref: refs/heads/none\n")?;
        let mut config = format.config().to_owned();
        // An agent waits for a snapshot: what it writes is not compressed, and an index of ours has no digest of itself.
        config.push_str("[core]\n\tcompression = 0\n[index]\n\tskipHash = true\n");
        if let Some(file) = ignored_by(home).filter(|file| !file.contains(['"', '\\', '\n'])) {
            config.push_str(&format!("[core]\n\texcludesFile = \"{file}\"\n"));
        }
        fs::write(self.git.join("config"), config)?;
        fs::write(self.git.join("info/attributes"), ATTRIBUTES)?;
        let mut lines = Vec::new();
        for folder in objects {
            let bytes = folder.as_os_str().as_bytes();
            if bytes.contains(&b'\n') || bytes.starts_with(b"\"") {
                let why = "its folder has a name that git cannot be told";
                return Err(io::Error::other(why));
            }
            lines.extend_from_slice(bytes);
            lines.push(b'\n');
        }
        fs::write(self.git.join("objects/info/alternates"), lines)
    }

    /// Asks git; nothing if it fails or takes too long.
    pub(super) fn ask(
        &self,
        words: &[&str],
        input: Vec<u8>,
        patience: Duration,
    ) -> Option<Vec<u8>> {
        self.question(words, input, patience).answer(&program()?)
    }

    /// Asks two things at the same time, neither of which changes the index.
    pub(super) fn ask_both(
        &self,
        first: &[&str],
        second: &[&str],
        patience: Duration,
    ) -> Option<(Vec<u8>, Vec<u8>)> {
        let both = [first, second].map(|words| self.question(words, Vec::new(), patience));
        let [first, second] = GitQuery::answers(both, &program()?);
        first.zip(second)
    }

    fn question<'q>(
        &'q self,
        words: &'q [&'q str],
        input: Vec<u8>,
        patience: Duration,
    ) -> GitQuery<'q> {
        let mut more = OsString::new();
        for (at, folder) in self.objects.iter().enumerate() {
            more.push(if at > 0 { ":" } else { "" });
            more.push(folder);
        }
        GitQuery {
            folder: if self.top.is_dir() {
                &self.top
            } else {
                &self.git
            },
            words,
            variables: vec![
                ("GIT_DIR", self.git.clone().into()),
                ("GIT_WORK_TREE", self.top.clone().into()),
                ("GIT_INDEX_FILE", self.index.clone().into()),
                ("GIT_ALTERNATE_OBJECT_DIRECTORIES", more),
                ("GIT_LITERAL_PATHSPECS", "1".into()),
            ],
            input: input.into(),
            patience,
            longest: LONGEST,
        }
    }
}

/// Which digests name the objects of a repository.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ObjectFormat {
    /// The usual one.
    Sha1,
    /// The newer one.
    Sha256,
}

impl ObjectFormat {
    /// Reads it from the settings of a repository.
    pub(super) fn of(folder: &Path) -> Self {
        match setting(&folder.join("config"), "objectformat").as_deref() {
            Some("sha256") => Self::Sha256,
            _ => Self::Sha1,
        }
    }

    const fn config(self) -> &'static str {
        match self {
            Self::Sha1 => "[core]\n\trepositoryformatversion = 0\n\tbare = false\n",
            Self::Sha256 => {
                "[core]\n\trepositoryformatversion = 1\n\tbare = false\n[extensions]\n\tobjectFormat = sha256\n"
            }
        }
    }
}

/// The person's own list of what git ignores.
fn ignored_by(home: &Path) -> Option<String> {
    let files = [".gitconfig", ".config/git/config"].map(|file| home.join(file));
    let named = files.iter().find_map(|file| setting(file, "excludesfile"));
    let named = named.unwrap_or_else(|| "~/.config/git/ignore".to_owned());
    let below_home = named.strip_prefix("~/").map(|rest| home.join(rest));
    let path = below_home.unwrap_or_else(|| PathBuf::from(named));
    path.to_str().filter(|_| path.is_file()).map(str::to_owned)
}

/// Returns the value of a setting of git, in whatever section it stands.
pub(super) fn setting(file: &Path, wanted: &str) -> Option<String> {
    let bytes = files::read_up_to(file, LONGEST_SETTINGS).ok()?;
    String::from_utf8_lossy(&bytes).lines().find_map(|line| {
        let (name, value) = line.split_once('=')?;
        let is_it = name.trim().eq_ignore_ascii_case(wanted);
        is_it.then(|| value.trim().trim_matches('"').to_owned())
    })
}
