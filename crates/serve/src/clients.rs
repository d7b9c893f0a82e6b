//! The clients of a server: each has a token of its own, and the server keeps only what proves it.
//!
//! A token lets a client post events. It answers no question, grants nothing, and says nothing about whose state counts: that is
//! always the person's who started the server.

use std::hint::black_box;
use std::io::Write as _;

use anyhook::files;

use crate::error::ServeError;
use crate::places::ServerFolder;

/// What every token begins with, so that a search for secrets finds it.
const MARK: &str = "anyhook_";
/// The length of a secret, in bytes.
const SECRET: usize = 32;
/// The longest file of a token.
const LONGEST: u64 = 256;

/// The clients of one person's server.
///
/// ```
/// use anyhook::world::{UserFolders, World};
/// use anyhook_serve::{Clients, ServerFolder};
///
/// let place = tempfile::tempdir()?;
/// let state = place.path().join("state");
/// let places = UserFolders { home: place.path().into(), config: place.path().join("config"), state };
/// let world = World { places: Some(places), ..World::real() };
/// let clients = Clients::of(&ServerFolder::of(&world)?)?;
///
/// let token = clients.add("opencode")?;
/// assert_eq!(clients.client_of(&token).as_deref(), Some("opencode"));
/// clients.revoke("opencode")?;
/// assert_eq!(clients.client_of(&token), None);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Clients {
    folder: std::path::PathBuf,
}

impl Clients {
    /// Returns the clients of a server.
    pub fn of(folder: &ServerFolder) -> Result<Self, ServeError> {
        let folder = folder.below("tokens")?;
        Ok(Self { folder })
    }

    /// Makes a token for a new client, and returns it: nothing keeps it but the client.
    pub fn add(&self, name: &str) -> Result<String, ServeError> {
        named(name)?;
        let secret = secret()?;
        let made = ServerFolder::create(&self.folder.join(name));
        let mut file = made.map_err(|error| match error.kind() {
            std::io::ErrorKind::AlreadyExists => {
                let what = format!("the client `{name}` has a token already");
                let help = "revoke the old token first: anyhook serve --revoke NAME";
                ServeError::new(64, what, help)
            }
            _ => ServeError::io("keep the token of a client")(error),
        })?;
        file.write_all(files::digest(secret.as_bytes()).as_bytes())
            .and_then(|()| file.sync_all())
            .map_err(ServeError::io("keep the token of a client"))?;
        Ok(format!("{MARK}{name}_{secret}"))
    }

    /// Forgets a client: the server takes its token for none from the next request on.
    pub fn revoke(&self, name: &str) -> Result<(), ServeError> {
        named(name)?;
        std::fs::remove_file(self.folder.join(name)).map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => {
                let what = format!("no client is called `{name}`");
                ServeError::new(1, what, "all clients: anyhook serve --status")
            }
            _ => ServeError::io("remove the token of a client")(error),
        })
    }

    /// Returns the names of all clients, sorted.
    pub fn names(&self) -> Result<Vec<String>, ServeError> {
        let entries =
            std::fs::read_dir(&self.folder).map_err(ServeError::io("list the clients"))?;
        let names = entries
            .flatten()
            .filter_map(|entry| entry.file_name().into_string().ok());
        let mut names: Vec<String> = names.filter(|name| is_name(name)).collect();
        names.sort();
        Ok(names)
    }

    /// Returns the client whose token this is. The file is read for each request, so what is revoked counts at once.
    pub fn client_of(&self, token: &str) -> Option<String> {
        let (name, secret) = token.strip_prefix(MARK)?.split_once('_')?;
        let given = files::digest(secret.as_bytes());
        let file = is_name(name).then(|| self.folder.join(name));
        let kept = file.and_then(|file| files::read(&file, LONGEST).ok()?);
        // Without such a client the same is compared, so that the time says nothing about names.
        let known = kept.unwrap_or_else(|| vec![b'-'; given.len()]);
        is_same(given.as_bytes(), &known).then(|| name.to_owned())
    }
}

/// Makes a secret that no other program can guess.
pub(crate) fn secret() -> Result<String, ServeError> {
    let mut secret = [0; SECRET];
    getrandom::fill(&mut secret).map_err(ServeError::io("make a secret"))?;
    Ok(files::hex(&secret))
}

/// Compares two texts in a time that does not depend on where they differ.
pub(crate) fn is_same(a: &[u8], b: &[u8]) -> bool {
    let differs = a.iter().zip(b).fold(0, |differs, (a, b)| differs | (a ^ b));
    a.len() == b.len() && black_box(differs) == 0
}

fn named(name: &str) -> Result<(), ServeError> {
    if is_name(name) {
        return Ok(());
    }
    let help = "a name has 1 to 40 of a-z, 0-9 and -, and begins with a letter";
    let what = format!("`{name}` is no name of a client");
    Err(ServeError::new(64, what, help))
}

fn is_name(name: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    name.len() <= 40
        && name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.chars().all(is_plain)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    fn clients(place: &tempfile::TempDir) -> Clients {
        Clients {
            folder: place.path().into(),
        }
    }

    #[test]
    fn a_token_is_kept_as_its_digest_in_a_file_that_only_its_person_reads() {
        let place = tempfile::tempdir().unwrap();
        let token = clients(&place).add("editor").unwrap();
        let file = place.path().join("editor");
        let kept = std::fs::read_to_string(&file).unwrap();
        let secret = token.rsplit('_').next().unwrap();
        assert_eq!(secret.len(), 2 * SECRET);
        assert!(!kept.contains(secret), "{kept}");
        let mode = file.metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!(mode, 0o600);
    }

    #[test]
    fn no_token_but_the_whole_one_of_a_client_that_is_there_counts() {
        let place = tempfile::tempdir().unwrap();
        let clients = clients(&place);
        let token = clients.add("editor").unwrap();
        let other = clients.add("other").unwrap();
        let secret = other.rsplit('_').next().unwrap();
        let cut: String = token.chars().take(token.len() - 1).collect();
        let mixed = format!("anyhook_editor_{secret}");
        let absent = format!("anyhook_absent_{secret}");
        let outside = format!("anyhook_../editor_{secret}");
        for wrong in [
            &cut,
            &mixed,
            &absent,
            &outside,
            &format!("{token}0"),
            &String::new(),
        ] {
            assert_eq!(clients.client_of(wrong), None, "{wrong}");
        }
        assert_eq!(clients.client_of(&token).as_deref(), Some("editor"));
        // An empty file is no token of an empty secret.
        std::fs::write(place.path().join("editor"), "").unwrap();
        assert_eq!(clients.client_of("anyhook_editor_"), None);
    }

    #[test]
    fn a_client_has_one_token_and_a_plain_name() {
        let place = tempfile::tempdir().unwrap();
        let clients = clients(&place);
        clients.add("editor").unwrap();
        let again = clients.add("editor").unwrap_err();
        assert!(again.to_string().contains("has a token already"), "{again}");
        for name in ["", "../x", "A", "1st", "a_b", "a/b", &"a".repeat(41)] {
            let error = clients.add(name).unwrap_err();
            assert!(error.to_string().contains("is no name"), "{name}: {error}");
        }
        assert_eq!(clients.names().unwrap(), ["editor"]);
        let unknown = clients.revoke("other").unwrap_err();
        assert_eq!(unknown.code, 1, "{unknown}");
    }
}
