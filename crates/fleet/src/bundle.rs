//! The file of a policy: signatures, then the signed text, which holds every file.
//!
//! ```text
//! anyhook-policy 1
//! signature 0a1b2c3d4e5f6071 BASE64
//!
//! {"rules": {…}, "files": [{"path": "hooks/hooks.json", "content": {"text": "…"}}, …]}
//! ```
//!
//! It is text and no archive of a general form: links, owners, devices and compression cannot be written in it, so a reader
//! need not refuse them. Nothing of the text is read before a signature holds.

use std::collections::BTreeSet;
use std::path::Path;

use anyhook::files;
use serde::{Deserialize, Serialize};

use crate::disk;
use crate::error::{PolicyError, Trouble};
use crate::keys::{NamedKey, SecretKey};
use crate::paths;
use crate::rules::PolicyRules;

/// What stands before a signed text, so that no signature of anything else counts for a policy.
const DOMAIN: &[u8] = b"anyhook policy 1\0";
const FIRST: &str = "anyhook-policy 1\n";
/// No policy is longer.
pub(crate) const LONGEST: usize = 48 * 1024 * 1024;
const MOST_BYTES: usize = 32 * 1024 * 1024;
const MOST_FILES: usize = 5_000;
const MOST_SIGNATURES: usize = 8;

/// What a policy says and holds, before it is signed and after it was verified.
///
/// ```
/// use anyhook_fleet::{Bundle, BundleFile, PolicyRules};
///
/// let rules = PolicyRules::read(br#"{"name": "acme", "revision": 1}"#)?;
/// let file = BundleFile { path: "hooks/hooks.json".into(), bytes: b"{}".to_vec(), run: false };
/// let bundle = Bundle { rules, files: vec![file] };
/// assert_eq!(bundle.text()?, bundle.text()?);
/// # Ok::<(), anyhook_fleet::PolicyError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bundle {
    /// What it says.
    pub rules: PolicyRules,
    /// Its files, by their paths.
    pub files: Vec<BundleFile>,
}

/// One file of a policy.
///
/// ```
/// use anyhook_fleet::BundleFile;
/// let script = BundleFile { path: "hooks/check.sh".into(), bytes: b"exit 0\n".to_vec(), run: true };
/// assert!(script.run);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BundleFile {
    /// Its path, with `/` between its parts.
    pub path: String,
    /// Its bytes.
    #[serde(rename = "content", with = "content")]
    pub bytes: Vec<u8>,
    /// Whether it may be executed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub run: bool,
}

/// A policy with a signature that holds.
#[derive(Debug)]
pub struct VerifiedPolicy {
    /// What it says and holds.
    pub bundle: Bundle,
    /// The ids of the trusted keys that signed it.
    pub signers: Vec<String>,
    /// The SHA-256 of the signed text.
    pub digest: String,
}

impl Bundle {
    /// Returns the text that is signed: the same bytes for the same policy, in whatever order its files were found.
    pub fn text(&self) -> Result<String, PolicyError> {
        let mut sorted = self.clone();
        sorted.files.sort_by(|a, b| a.path.cmp(&b.path));
        sorted.check()?;
        Ok(serde_json::to_string(&sorted)? + "\n")
    }

    /// Signs it with every one of these keys.
    pub fn sign(&self, keys: &[SecretKey]) -> Result<String, PolicyError> {
        let text = self.text()?;
        let signature = |key: &SecretKey| {
            let (id, signed) = (key.public("").id(), key.sign(DOMAIN, text.as_bytes()));
            format!("signature {id} {signed}\n")
        };
        let signatures: BTreeSet<String> = keys.iter().map(signature).collect();
        if signatures.is_empty() || signatures.len() > MOST_SIGNATURES {
            return Err(Trouble::Key.error(format!(
                "a policy is signed with 1 to {MOST_SIGNATURES} keys"
            )));
        }
        let head: String = signatures.into_iter().collect();
        Ok(format!("{FIRST}{head}\n{text}"))
    }

    /// Verifies the file of a policy: at least one of these keys signed exactly this text.
    pub fn verify(file: &[u8], trusted: &[NamedKey]) -> Result<VerifiedPolicy, PolicyError> {
        let (signatures, text) = split(file)?;
        let signed = signatures.iter().filter(|(id, signature)| {
            let mut keys = trusted.iter().filter(|key| key.id() == *id);
            keys.any(|key| key.verifies(DOMAIN, text, signature))
        });
        let signers: BTreeSet<String> = signed.map(|(id, _)| (*id).to_owned()).collect();
        if signers.is_empty() {
            let ids: Vec<&str> = signatures.iter().map(|(id, _)| *id).collect();
            let is_known = |id: &&&str| trusted.iter().any(|key| key.id() == **id);
            if let Some(id) = ids.iter().find(is_known) {
                let what = format!("{id} signed: it was damaged, cut or changed");
                return Err(Trouble::Changed.error(what));
            }
            return Err(Trouble::Unsigned.error(format!("it names the keys {}", ids.join(", "))));
        }
        Ok(VerifiedPolicy {
            bundle: Self::read(text)?,
            signers: signers.into_iter().collect(),
            digest: files::digest(text),
        })
    }

    /// Reads a file of a policy without asking who signed it: to show it, never to apply it.
    pub fn unverified(file: &[u8]) -> Result<Self, PolicyError> {
        Self::read(split(file)?.1)
    }

    fn read(text: &[u8]) -> Result<Self, PolicyError> {
        let read: Self = serde_json::from_slice(text)?;
        read.rules
            .judged()
            .map_err(|why| Trouble::Form.error(why))?;
        read.check()?;
        Ok(read)
    }

    /// Returns the paths of its files.
    pub(crate) fn paths(&self) -> impl Iterator<Item = &str> {
        self.files.iter().map(|file| file.path.as_str())
    }

    /// Returns a file.
    pub(crate) fn kept(&self, path: &str) -> Option<&BundleFile> {
        self.files.iter().find(|file| file.path == path)
    }

    /// Refuses files that no policy may hold.
    fn check(&self) -> Result<(), PolicyError> {
        let size: usize = self.files.iter().map(|file| file.bytes.len()).sum();
        if self.files.len() > MOST_FILES || size > MOST_BYTES {
            let most = MOST_BYTES >> 20;
            let why = format!("it holds more than {MOST_FILES} files or {most} MiB");
            return Err(Trouble::Hostile.error(why));
        }
        paths::check_all(self.paths())?;
        match self.kept("hooks/hooks.json") {
            Some(_) => Ok(()),
            None => Err(Trouble::Form.error("it has no `hooks/hooks.json`")),
        }
    }

    /// Writes its files into a folder that is new.
    pub fn unpack(&self, folder: &Path) -> Result<(), PolicyError> {
        for file in &self.files {
            paths::check(&file.path)?;
            let path = folder.join(&file.path);
            disk::folder(path.parent().unwrap_or(folder))?;
            disk::create(&path, &file.bytes, if file.run { 0o755 } else { 0o644 })?;
        }
        Ok(())
    }
}

/// Bytes are written as a text where they are one, so that a person can read what was signed.
mod content {
    use data_encoding::BASE64;
    use serde::de::Error as _;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    #[derive(Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    enum FileContent {
        Text(String),
        Base64(String),
    }

    pub(super) fn serialize<S: Serializer>(bytes: &[u8], to: S) -> Result<S::Ok, S::Error> {
        let content = match str::from_utf8(bytes) {
            Ok(text) => FileContent::Text(text.to_owned()),
            Err(_) => FileContent::Base64(BASE64.encode(bytes)),
        };
        content.serialize(to)
    }

    pub(super) fn deserialize<'d, D: Deserializer<'d>>(from: D) -> Result<Vec<u8>, D::Error> {
        match FileContent::deserialize(from)? {
            FileContent::Text(text) => Ok(text.into_bytes()),
            FileContent::Base64(text) => BASE64.decode(text.as_bytes()).map_err(D::Error::custom),
        }
    }
}

/// The ids of keys with their signatures, and the text that they are of.
type SignatureParts<'f> = (Vec<(&'f str, &'f str)>, &'f [u8]);

/// Takes the signatures from the text that they are of.
fn split(file: &[u8]) -> Result<SignatureParts<'_>, PolicyError> {
    let form = |why: &str| Trouble::Form.error(why);
    if file.len() > LONGEST {
        return Err(Trouble::Hostile.error(format!("it is longer than {} MiB", LONGEST >> 20)));
    }
    let mut rest = file
        .strip_prefix(FIRST.as_bytes())
        .ok_or_else(|| form("it does not begin like one"))?;
    let mut signatures = Vec::new();
    loop {
        let end = rest.iter().take(512).position(|byte| *byte == b'\n');
        let (line, below) = end
            .and_then(|end| rest.split_at_checked(end))
            .ok_or_else(|| form("a line of its head is too long"))?;
        rest = below.strip_prefix(b"\n").unwrap_or(below);
        if line.is_empty() {
            return Ok((signatures, rest));
        }
        let line = str::from_utf8(line)
            .ok()
            .and_then(|line| line.strip_prefix("signature "));
        let signature = line
            .and_then(|line| line.split_once(' '))
            .ok_or_else(|| form("its head has a line that is no signature"))?;
        signatures.push(signature);
        if signatures.len() > MOST_SIGNATURES {
            return Err(form("it has too many signatures"));
        }
    }
}
