//! Keys: the lead signs with a secret one, and a machine trusts public ones, which only its administrator can add.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use anyhook::files;
use data_encoding::BASE64;
use ed25519_dalek::{Signature, Signer as _, SigningKey, VerifyingKey};
use sha2::{Digest as _, Sha256};

use crate::disk;
use crate::error::{PolicyError, Trouble};

const SECRET: &str = "anyhook-policy-secret";
const PUBLIC: &str = "anyhook-policy-key";
/// The folder of trusted keys, below the managed folder.
const FOLDER: &str = "keys";
const LONGEST: u64 = 4096;

/// A key that signs.
#[derive(Clone)]
pub struct SecretKey(SigningKey);

impl std::fmt::Debug for SecretKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Secret({})", self.public("").id())
    }
}

/// A key that verifies, and what it is called.
///
/// ```
/// use anyhook_fleet::{NamedKey, SecretKey};
/// let public = SecretKey::generate()?.public("lead");
/// assert_eq!(NamedKey::read(&public.to_string())?, public);
/// assert_eq!(public.id().len(), 16);
/// # Ok::<(), anyhook_fleet::PolicyError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedKey {
    key: VerifyingKey,
    /// What its owner called it.
    pub name: String,
}

impl SecretKey {
    /// Makes a new one.
    pub fn generate() -> Result<Self, PolicyError> {
        Ok(Self(SigningKey::from_bytes(&random()?)))
    }

    /// Reads the file of one. A file that others can read is refused.
    pub fn open(file: &Path) -> Result<Self, PolicyError> {
        let meta = fs::metadata(file).map_err(PolicyError::io("read", file))?;
        if meta.mode() & 0o077 != 0 {
            let what = format!("others can read the secret key `{}`", file.display());
            return Err(PolicyError::unfit(
                what,
                format!(
                    "chmod 600 {}; then make a new key if others did read it",
                    file.display()
                ),
            ));
        }
        let text = read(file)?;
        let bytes = bytes_of(&text, SECRET).map(|(bytes, _)| bytes);
        bytes.map(|bytes| Self(SigningKey::from_bytes(&bytes)))
    }

    /// Returns its public half under a name.
    pub fn public(&self, name: &str) -> NamedKey {
        NamedKey {
            key: self.0.verifying_key(),
            name: name.to_owned(),
        }
    }

    /// Writes it and its public half as two new files, and returns their paths.
    pub fn keep(&self, name: &str, folder: &Path) -> Result<(PathBuf, PathBuf), PolicyError> {
        let [secret, public] = ["key", "pub"].map(|ending| folder.join(format!("{name}.{ending}")));
        let text = format!("{SECRET} {}\n", BASE64.encode(self.0.as_bytes()));
        disk::create(&secret, text.as_bytes(), 0o600)?;
        disk::create(&public, self.public(name).to_string().as_bytes(), 0o644)?;
        Ok((secret, public))
    }

    /// Signs a text of a kind: a signature of one kind is none of another. Tests of attacks sign what a
    /// [`Bundle`](crate::Bundle) would not.
    #[doc(hidden)]
    pub fn sign(&self, domain: &[u8], text: &[u8]) -> String {
        let signature = self.0.sign(&[domain, text].concat());
        BASE64.encode(&signature.to_bytes())
    }

    /// Returns the secret by which a server knows the owner: for tests of what a server permits.
    #[doc(hidden)]
    pub fn seed(&self) -> Result<String, PolicyError> {
        let seed = self.nkey()?.seed();
        seed.map_err(|error| Trouble::Key.error(error.to_string()))
    }

    /// Returns what stands for this key where a server asks who connects: another key that is made of it, so that nothing that
    /// a server lets one sign counts for anything else.
    pub(crate) fn nkey(&self) -> Result<nkeys::KeyPair, PolicyError> {
        let seed = Sha256::new_with_prefix(b"anyhook nats 1\0").chain_update(self.0.as_bytes());
        let pair = nkeys::KeyPair::new_from_raw(nkeys::KeyPairType::User, seed.finalize().into());
        pair.map_err(|error| {
            Trouble::Key.error(format!("no key for a server can be made: {error}"))
        })
    }
}

impl NamedKey {
    /// Reads the text of one.
    pub fn read(text: &str) -> Result<Self, PolicyError> {
        let (bytes, name) = bytes_of(text, PUBLIC)?;
        let key = VerifyingKey::from_bytes(&bytes)
            .ok()
            .filter(|key| !key.is_weak());
        let key = key.ok_or_else(|| Trouble::Key.error("this is no public key"))?;
        Ok(Self { key, name })
    }

    /// Returns the short name by which policies call it: 16 signs of its SHA-256.
    pub fn id(&self) -> String {
        let mut id = files::digest(self.key.as_bytes());
        id.truncate(16);
        id
    }

    pub(crate) fn verifies(&self, domain: &[u8], text: &[u8], signature: &str) -> bool {
        let bytes = BASE64.decode(signature.as_bytes()).ok();
        let signature = bytes.and_then(|bytes| Signature::from_slice(&bytes).ok());
        signature.is_some_and(|signature| {
            self.key
                .verify_strict(&[domain, text].concat(), &signature)
                .is_ok()
        })
    }
}

impl std::fmt::Display for NamedKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        writeln!(
            f,
            "{PUBLIC} {} {}",
            BASE64.encode(self.key.as_bytes()),
            self.name
        )
    }
}

/// Trusts a key on the machine of a managed folder, in its folder `keys`.
///
/// ```
/// use anyhook_fleet::{SecretKey, trust, trusted};
/// let place = tempfile::tempdir()?;
/// assert!(trusted(place.path())?.is_empty());
/// trust(place.path(), &SecretKey::generate()?.public("lead"))?;
/// assert_eq!(trusted(place.path())?[0].name, "lead");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn trust(managed: &Path, key: &NamedKey) -> Result<PathBuf, PolicyError> {
    let folder = managed.join(FOLDER);
    disk::folder(&folder)?;
    let file = folder.join(format!("{}.pub", key.id()));
    disk::replace(&file, key.to_string().as_bytes(), 0o644)?;
    Ok(file)
}

/// Returns every trusted key. Where another user than the administrator could have put one there, none is trusted.
pub fn trusted(managed: &Path) -> Result<Vec<NamedKey>, PolicyError> {
    let folder = managed.join(FOLDER);
    if folder.symlink_metadata().is_err() {
        return Ok(Vec::new());
    }
    administrators(managed)?;
    administrators(&folder)?;
    let listed = fs::read_dir(&folder).map_err(PolicyError::io("read", &folder))?;
    let files = listed.flatten().map(|entry| entry.path());
    let mut files: Vec<PathBuf> = files
        .filter(|file| file.extension().is_some_and(|ending| ending == "pub"))
        .collect();
    files.sort();
    files.iter().try_for_each(|file| administrators(file))?;
    let keys = files.iter().map(|file| NamedKey::read(&read(file)?));
    keys.collect()
}

/// Refuses what another user than the administrator could have changed.
fn administrators(path: &Path) -> Result<(), PolicyError> {
    let meta = fs::symlink_metadata(path).map_err(PolicyError::io("look at", path))?;
    let (own, root) = (rustix::process::geteuid().as_raw(), 0);
    let is_owned = meta.uid() == root || meta.uid() == own;
    if is_owned && meta.mode() & 0o022 == 0 && !meta.is_symlink() {
        return Ok(());
    }
    let what = format!(
        "another user than the administrator can change `{}`, and so the keys that are trusted",
        path.display()
    );
    Err(PolicyError::unfit(
        what,
        format!(
            "look at the keys, then: sudo chown root {0} && sudo chmod go-w {0}",
            path.display()
        ),
    ))
}

/// Returns random bytes of the system.
pub(crate) fn random<const N: usize>() -> Result<[u8; N], PolicyError> {
    let mut bytes = [0; N];
    let filled = getrandom::fill(&mut bytes);
    filled.map_err(|error| {
        Trouble::Key.error(format!("the system gives no random numbers: {error}"))
    })?;
    Ok(bytes)
}

fn read(file: &Path) -> Result<String, PolicyError> {
    let bytes = files::read_up_to(file, LONGEST);
    let bytes = bytes
        .map_err(|why| Trouble::Key.error(format!("`{}` cannot be read: {why}", file.display())))?;
    String::from_utf8(bytes)
        .map_err(|_| Trouble::Key.error(format!("`{}` is no key", file.display())))
}

fn bytes_of(text: &str, kind: &str) -> Result<([u8; 32], String), PolicyError> {
    let mut words = text.trim_end().splitn(3, ' ');
    let is_kind = words.next() == Some(kind);
    let bytes = words
        .next()
        .and_then(|word| BASE64.decode(word.as_bytes()).ok());
    let bytes = bytes.and_then(|bytes| <[u8; 32]>::try_from(bytes).ok());
    let name = words.next().unwrap_or_default();
    match bytes.filter(|_| is_kind && name.len() <= 100 && !name.chars().any(char::is_control)) {
        Some(bytes) => Ok((bytes, name.to_owned())),
        None => Err(Trouble::Key.error(format!("this is no `{kind}`"))),
    }
}
