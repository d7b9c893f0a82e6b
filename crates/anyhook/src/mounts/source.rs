//! Where a module comes from, as a plan writes it. A plan may be a stranger's: what could be more than a place is refused.

use std::path::{Component, Path, PathBuf};

use anyhook_care::packages::PackageError;

/// Where a module comes from.
///
/// ```
/// use std::path::Path;
///
/// use anyhook::mounts::{GitSource, Scheme, ModuleSource};
///
/// let plans = Path::new("/srv/plans");
/// assert_eq!(ModuleSource::read("./guard", plans)?, ModuleSource::Folder("/srv/plans/guard".into()));
/// assert_eq!(ModuleSource::read("redaction", plans)?, ModuleSource::Named("redaction".into()));
///
/// let ModuleSource::Git(git) = ModuleSource::read("git+https://example.com/hooks@v2#subdirectory=guard", plans)?
/// else {
///     panic!()
/// };
/// let GitSource { url, reference, subdirectory, .. } = &git;
/// assert_eq!((&**url, reference.as_deref()), ("https://example.com/hooks", Some("v2")));
/// assert_eq!(subdirectory.as_deref(), Some("guard"));
/// assert_eq!((git.scheme, git.pin().as_str()), (Scheme::Https, "git+https://example.com/hooks@v2"));
///
/// // What git would take for an option, or for a program to start, is no source.
/// assert!(ModuleSource::read("git+https://example.com/hooks@--upload-pack=x", plans).is_err());
/// let refused = ModuleSource::read("git+ext::sh -c id", plans).unwrap_err();
/// assert!(refused.help.is_some(), "{}", refused.what);
/// # Ok::<(), anyhook::packages::PackageError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ModuleSource {
    /// A folder of this machine.
    Folder(PathBuf),
    /// A repository, by the `git` command.
    Git(GitSource),
    /// A module that is built in, or that the program brought, by its name.
    Named(String),
}

/// A repository, and what of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GitSource {
    /// How it is reached.
    pub scheme: Scheme,
    /// Its address, as git is given it.
    pub url: String,
    /// A branch, a tag or a commit; nothing is what the repository itself shows first.
    pub reference: Option<String>,
    /// The folder of the module in it.
    pub subdirectory: Option<String>,
}

/// How a repository is reached. Nothing else is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scheme {
    /// Over the network, encrypted.
    Https,
    /// From this machine's disk.
    File,
}

impl Scheme {
    /// Returns its name, as git allows or forbids it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Https => "https",
            Self::File => "file",
        }
    }
}

const KNOWN: &str = "write a folder, `git+https://HOST/REPOSITORY@REF`, `git+file:///FOLDER@REF`, or a module's name";

impl ModuleSource {
    /// Reads a source; folders count from `base`.
    pub fn read(text: &str, base: &Path) -> Result<Self, PackageError> {
        if text.trim().is_empty() || text.chars().any(char::is_control) {
            return Err(refused(format!("`{}` is no source", text.escape_debug())));
        }
        if let Some(address) = text.strip_prefix("git+") {
            return GitSource::read(address).map(Self::Git);
        }
        if let Some(path) = text.strip_prefix("file://") {
            return Ok(Self::Folder(plain(&base.join(path))));
        }
        if text.contains("://") || text.contains("::") {
            return Err(refused(format!("`{text}` cannot be fetched")));
        }
        let is_name = text
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'));
        Ok(if is_name {
            Self::Named(text.to_owned())
        } else {
            Self::Folder(plain(&base.join(text)))
        })
    }
}

impl std::fmt::Display for ModuleSource {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Folder(folder) => write!(f, "{}", folder.display()),
            Self::Git(git) => f.write_str(&git.pin()),
            Self::Named(name) => f.write_str(name),
        }
    }
}

/// Leaves out the steps that lead nowhere: `./`.
fn plain(path: &Path) -> PathBuf {
    let steps = path.components();
    steps.filter(|step| *step != Component::CurDir).collect()
}

fn refused(what: String) -> PackageError {
    PackageError::new(what).help(KNOWN)
}

impl GitSource {
    fn read(address: &str) -> Result<Self, PackageError> {
        let (address, fragment) = match address.split_once('#') {
            Some((address, fragment)) => (address, Some(fragment)),
            None => (address, None),
        };
        let subdirectory = fragment.map(subdirectory).transpose()?;
        let (scheme, rest) = address
            .split_once("://")
            .ok_or_else(|| refused(format!("`git+{address}` cannot be fetched")))?;
        // The last `@` behind the last folder: `@` may stand in names of folders.
        let folder = rest.rfind('/').map_or(0, |at| at + 1);
        let at = rest.rfind('@').filter(|at| *at >= folder);
        let with_slashes = rest.find('@').filter(|_| at.is_none());
        let split = at.or(with_slashes.filter(|at| rest.find('/').is_some_and(|host| *at > host)));
        let (rest, reference) = match split {
            Some(at) => (rest.get(..at), rest.get(at + 1..)),
            None => (Some(rest), None),
        };
        let rest = rest.unwrap_or_default();
        let scheme = scheme_of(scheme, rest)?;
        if rest.is_empty() || rest.contains(char::is_whitespace) || rest.starts_with('-') {
            return Err(refused(format!("`git+{address}` names no repository")));
        }
        Ok(Self {
            scheme,
            url: format!("{}://{rest}", scheme.name()),
            reference: reference.map(reference_of).transpose()?,
            subdirectory,
        })
    }

    /// Returns the name under which the lock file pins it: without the folder, so that two modules of one repository are of
    /// one commit.
    pub fn pin(&self) -> String {
        match &self.reference {
            Some(reference) => format!("git+{}@{reference}", self.url),
            None => format!("git+{}", self.url),
        }
    }
}

fn scheme_of(scheme: &str, rest: &str) -> Result<Scheme, PackageError> {
    let host = rest.split('/').next().unwrap_or_default();
    if host.contains('@') && scheme != "file" {
        let what =
            format!("`{scheme}://…@…` has a name or a secret in it, which a lock file would keep");
        let help = "let a credential helper of git know who you are";
        return Err(PackageError::new(what).help(help));
    }
    if host.starts_with('-') {
        return Err(refused(format!("`{host}` is no host")));
    }
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.chars().all(|c| c.is_ascii_digit()) => name,
        Some(_) | None => host,
    };
    match scheme {
        "https" if !name.is_empty() => Ok(Scheme::Https),
        "file" if rest.starts_with('/') => Ok(Scheme::File),
        _ => Err(refused(format!(
            "`git+{scheme}://` cannot be fetched from `{name}`"
        ))),
    }
}

/// A branch, a tag or a commit, and nothing that git would take for an option or for more than one name.
fn reference_of(text: &str) -> Result<String, PackageError> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "._/-".contains(c);
    let is_name = !text.is_empty()
        && text.chars().all(is_plain)
        && !text.starts_with(['-', '/', '.'])
        && !text.ends_with(['/', '.'])
        && !text.contains("..")
        && !text.contains("//");
    if is_name {
        return Ok(text.to_owned());
    }
    let what = format!("`{text}` is no branch, tag or commit");
    let help = "write `@` and the name of a branch, a tag or a commit";
    Err(PackageError::new(what).help(help))
}

fn subdirectory(fragment: &str) -> Result<String, PackageError> {
    let inside = |folder: &&str| {
        let mut parts = Path::new(folder).components();
        !folder.is_empty() && parts.all(|part| matches!(part, Component::Normal(_)))
    };
    let folder = fragment.strip_prefix("subdirectory=");
    folder.filter(inside).map(str::to_owned).ok_or_else(|| {
        let what = format!("`#{fragment}` names no folder of the repository");
        PackageError::new(what)
            .help("write `#subdirectory=FOLDER`, with a folder inside the repository")
    })
}
