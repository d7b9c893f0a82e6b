//! The written form of a path: its text, or its bytes where it is no text.

use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum EncodedPath {
    Text(String),
    Bytes(Vec<u8>),
}

pub(super) fn serialize<S: Serializer>(path: &Path, to: S) -> Result<S::Ok, S::Error> {
    let bytes = || EncodedPath::Bytes(path.as_os_str().as_bytes().to_vec());
    let written = path.to_str().map(|text| EncodedPath::Text(text.to_owned()));
    written.unwrap_or_else(bytes).serialize(to)
}

pub(super) fn deserialize<'d, D: Deserializer<'d>>(from: D) -> Result<PathBuf, D::Error> {
    Ok(match EncodedPath::deserialize(from)? {
        EncodedPath::Text(text) => PathBuf::from(text),
        EncodedPath::Bytes(bytes) => PathBuf::from(OsString::from_vec(bytes)),
    })
}
