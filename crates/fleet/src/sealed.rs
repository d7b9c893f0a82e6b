//! A signed message: JSON, a line feed, and a signature of a key for one purpose.

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::error::PolicyError;
use crate::keys::{Public, Secret};

/// Writes and signs it; the domain is its purpose, so that no message counts for another one.
pub(crate) fn seal(
    domain: &[u8],
    said: &impl Serialize,
    key: &Secret,
) -> Result<Vec<u8>, PolicyError> {
    let mut message =
        serde_json::to_vec(said).map_err(|error| PolicyError::Form(error.to_string()))?;
    let signature = key.sign_as(domain, &message);
    message.push(b'\n');
    message.extend(signature.as_bytes());
    Ok(message)
}

/// Reads it; nothing where this key did not sign it for this purpose.
pub(crate) fn open<T: DeserializeOwned>(domain: &[u8], message: &[u8], key: &Public) -> Option<T> {
    let mut parts = message.splitn(2, |byte| *byte == b'\n');
    let (text, signature) = (parts.next()?, std::str::from_utf8(parts.next()?).ok()?);
    key.verifies_as(domain, text, signature)
        .then(|| serde_json::from_slice(text).ok())?
}
