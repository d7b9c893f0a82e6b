//! The file of a policy: signatures, then the signed text, which holds every file.
//!
//! ```text
//! anyhook-policy 1
//! signature 0a1b2c3d4e5f6071 BASE64
//!
//! {"rules": {…}, "files": [{"path": "hooks/hooks.json", "text": "…"}, …]}
//! ```
//!
//! It is text and no archive of a general form: links, owners, devices and compression cannot be written in it, so a reader
//! need not refuse them. Nothing of the text is read before a signature holds.

use std::path::Path;

use anyhook::files;
use data_encoding::BASE64;
use serde::{Deserialize, Serialize};

use crate::disk;
use crate::error::PolicyError;
use crate::keys::{Public, Secret};
use crate::paths;
use crate::rules::Rules;

const FIRST: &str = "anyhook-policy 1\n";
/// No policy is longer.
pub(crate) const LONGEST: usize = 48 * 1024 * 1024;
const MOST_BYTES: usize = 32 * 1024 * 1024;
const MOST_FILES: usize = 5_000;
const MOST_SIGNATURES: usize = 8;

/// What a policy says and holds, before it is signed and after it was verified.
///
/// ```
/// use anyhook_fleet::{Bundle, Kept, Rules};
///
/// let rules = Rules::read(br#"{"name": "acme", "revision": 1}"#)?;
/// let file = Kept { path: "hooks/hooks.json".into(), bytes: b"{}".to_vec(), run: false };
/// let bundle = Bundle { rules, files: vec![file] };
/// assert_eq!(bundle.text()?, bundle.text()?);
/// # Ok::<(), anyhook_fleet::PolicyError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bundle {
    /// What it says.
    pub rules: Rules,
    /// Its files, by their paths.
    pub files: Vec<Kept>,
}

/// One file of a policy.
///
/// ```
/// use anyhook_fleet::Kept;
/// let script = Kept { path: "hooks/check.sh".into(), bytes: b"exit 0\n".to_vec(), run: true };
/// assert!(script.run);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kept {
    /// Its path, with `/` between its parts.
    pub path: String,
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// Whether it may be executed.
    pub run: bool,
}

/// A policy with a signature that holds.
#[derive(Debug)]
pub struct Verified {
    /// What it says and holds.
    pub bundle: Bundle,
    /// The ids of the trusted keys that signed it.
    pub signers: Vec<String>,
    /// The SHA-256 of the signed text.
    pub digest: String,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Text {
    rules: Rules,
    files: Vec<Written>,
}

/// A file as it is written: as text where it is one, so that a person can read what was signed.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    path: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    base64: Option<String>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    run: bool,
}

impl Bundle {
    /// Returns the text that is signed: the same bytes for the same policy, in whatever order its files were found.
    pub fn text(&self) -> Result<Vec<u8>, PolicyError> {
        let mut files: Vec<&Kept> = self.files.iter().collect();
        files.sort_by(|a, b| a.path.cmp(&b.path));
        check(&files)?;
        let text = Text {
            rules: self.rules.clone(),
            files: files.into_iter().map(Written::of).collect(),
        };
        let mut text = serde_json::to_vec(&text)?;
        text.push(b'\n');
        Ok(text)
    }

    /// Signs it with every one of these keys.
    pub fn sign(&self, keys: &[Secret]) -> Result<String, PolicyError> {
        let text = self.text()?;
        let mut signatures: Vec<String> = keys
            .iter()
            .map(|key| format!("signature {} {}\n", key.public("").id(), key.sign(&text)))
            .collect();
        signatures.sort();
        signatures.dedup();
        if signatures.is_empty() || signatures.len() > MOST_SIGNATURES {
            return Err(PolicyError::Key(format!(
                "a policy is signed with 1 to {MOST_SIGNATURES} keys"
            )));
        }
        let text = String::from_utf8(text).map_err(|error| PolicyError::Form(error.to_string()))?;
        Ok(format!("{FIRST}{}\n{text}", signatures.concat()))
    }

    /// Verifies the file of a policy: at least one of these keys signed exactly this text.
    pub fn verify(file: &[u8], trusted: &[Public]) -> Result<Verified, PolicyError> {
        let (signatures, text) = split(file)?;
        let signed = signatures.iter().filter(|(id, signature)| {
            let mut keys = trusted.iter().filter(|key| key.id() == *id);
            keys.any(|key| key.verifies(text, signature))
        });
        let mut signers: Vec<String> = signed.map(|(id, _)| (*id).to_owned()).collect();
        signers.sort();
        signers.dedup();
        if signers.is_empty() {
            let ids: Vec<&str> = signatures.iter().map(|(id, _)| *id).collect();
            if let Some(id) = ids
                .iter()
                .find(|id| trusted.iter().any(|key| key.id() == **id))
            {
                return Err(PolicyError::Changed((*id).to_owned()));
            }
            return Err(PolicyError::Unsigned(format!(
                "it names the keys {}",
                ids.join(", ")
            )));
        }
        Ok(Verified {
            bundle: Self::read(text)?,
            signers,
            digest: files::digest(text),
        })
    }

    /// Reads a file of a policy without asking who signed it: to show it, never to apply it.
    pub fn unverified(file: &[u8]) -> Result<Self, PolicyError> {
        Self::read(split(file)?.1)
    }

    fn read(text: &[u8]) -> Result<Self, PolicyError> {
        let read: Text = serde_json::from_slice(text)?;
        read.rules.judged().map_err(PolicyError::Form)?;
        let files: Vec<Kept> = read
            .files
            .into_iter()
            .map(Written::kept)
            .collect::<Result<_, _>>()?;
        check(&files.iter().collect::<Vec<_>>())?;
        Ok(Self {
            rules: read.rules,
            files,
        })
    }

    /// Returns the bytes of a file.
    pub fn file(&self, path: &str) -> Option<&[u8]> {
        let file = self.files.iter().find(|file| file.path == path);
        file.map(|file| file.bytes.as_slice())
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

impl Written {
    fn of(file: &Kept) -> Self {
        let text = str::from_utf8(&file.bytes).ok().map(str::to_owned);
        Self {
            path: file.path.clone(),
            base64: text.is_none().then(|| BASE64.encode(&file.bytes)),
            text,
            run: file.run,
        }
    }

    fn kept(self) -> Result<Kept, PolicyError> {
        let Self {
            path,
            text,
            base64,
            run,
        } = self;
        let bytes = match (text, base64) {
            (Some(text), None) => Some(text.into_bytes()),
            (None, Some(base64)) => BASE64.decode(base64.as_bytes()).ok(),
            (Some(_), Some(_)) | (None, None) => None,
        };
        let what =
            || PolicyError::Hostile(format!("`{}` has no content, or two", path.escape_debug()));
        let bytes = bytes.ok_or_else(what)?;
        Ok(Kept { path, bytes, run })
    }
}

/// Refuses files that no policy may hold.
fn check(files: &[&Kept]) -> Result<(), PolicyError> {
    let size: usize = files.iter().map(|file| file.bytes.len()).sum();
    if files.len() > MOST_FILES || size > MOST_BYTES {
        let most = MOST_BYTES >> 20;
        return Err(PolicyError::Hostile(format!(
            "it holds more than {MOST_FILES} files or {most} MiB"
        )));
    }
    paths::check_all(files.iter().map(|file| file.path.as_str()))?;
    if files.iter().any(|file| file.path == "hooks/hooks.json") {
        Ok(())
    } else {
        Err(PolicyError::Form("it has no `hooks/hooks.json`".into()))
    }
}

/// The ids of keys with their signatures, and the text that they are of.
type Split<'f> = (Vec<(&'f str, &'f str)>, &'f [u8]);

/// Takes the signatures from the text that they are of.
fn split(file: &[u8]) -> Result<Split<'_>, PolicyError> {
    let form = |why: &str| PolicyError::Form(why.to_owned());
    if file.len() > LONGEST {
        return Err(PolicyError::Hostile(format!(
            "it is longer than {} MiB",
            LONGEST >> 20
        )));
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
