//! What of a package is data: its manifest says so, a person does not trust it, and hooks see the live files.
//!
//! A stranger wrote the manifest. So what its hooks run is never data, and neither is anything that looks like code.

use std::collections::BTreeSet;
use std::fs::{File, Metadata};
use std::io::Read as _;
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use jsonc_parser::ast::Value;
use rustix::fs::OFlags;

use super::follow::is_of_code;
use super::named::below;
use crate::shell::patterns::{Cover, covers};

/// The files that a manifest calls data.
#[derive(Debug, Default)]
pub(super) struct Data {
    pub(super) patterns: Vec<String>,
}

impl Data {
    /// Reads the patterns of a manifest; one that leaves the package is none.
    pub(super) fn of(manifest: Option<&Value<'_>>) -> Self {
        let list = manifest
            .and_then(|value| value.as_object())
            .and_then(|file| file.get_array("data"));
        let texts = list.into_iter().flat_map(|list| &list.elements);
        let texts = texts.filter_map(|value| value.as_string_lit());
        let stays =
            |text: &String| below(Path::new("/"), "", text).is_some_and(|path| path.is_relative());
        Self {
            patterns: texts
                .map(|text| text.value.trim_start_matches("./").to_owned())
                .filter(stays)
                .collect(),
        }
    }

    /// Tells whether a path is called data, whatever it is.
    fn names(&self, path: &Path) -> bool {
        let Some(path) = path.to_str() else {
            return false;
        };
        let names: Vec<&str> = path.split('/').collect();
        self.patterns.iter().any(|pattern| {
            let pattern: Vec<&str> = pattern.split('/').collect();
            covers(&pattern, &names) == Some(Cover::Whole)
        })
    }

    /// Tells whether a file below the root is data: it is called so, and it is no code.
    pub(super) fn has(&self, root: &Path, path: &Path) -> bool {
        if !self.names(path) || is_of_code(path) {
            return false;
        }
        let full = root.join(path);
        full.symlink_metadata()
            .is_ok_and(|meta| !meta.is_symlink() && !is_program(&full, &meta))
    }

    /// Returns what the copy leads to instead of these files of data: whole folders, where nothing else is in them.
    pub(super) fn places(
        &self,
        data: &[PathBuf],
        is_trusted: impl Fn(&Path) -> bool,
    ) -> BTreeSet<PathBuf> {
        let folders = self.patterns.iter();
        let folders = folders.filter_map(|pattern| pattern.strip_suffix("/**"));
        let plain = folders.filter(|folder| !folder.contains(['*', '?', '[']));
        let plain = plain.map(Path::new).filter(|folder| !is_trusted(folder));
        let of_data = data.iter().map(PathBuf::as_path);
        plain
            .chain(of_data)
            .map(|path| {
                let above = path.ancestors().skip(1);
                let alone = above.take_while(|at| *at != Path::new("") && !is_trusted(at));
                alone.last().unwrap_or(path).to_owned()
            })
            .collect()
    }
}

/// Tells whether a file may be executed, by its mode or its first line.
fn is_program(path: &Path, meta: &Metadata) -> bool {
    if !meta.is_file() {
        return false;
    }
    let mut first = [0_u8; 4];
    let flags = (OFlags::NONBLOCK | OFlags::NOFOLLOW).bits().cast_signed();
    let opened = File::options().read(true).custom_flags(flags).open(path);
    // What cannot be read is not known to be data.
    let Ok(read) = opened.and_then(|mut file| file.read(&mut first)) else {
        return true;
    };
    let first = first.get(..read).unwrap_or_default();
    meta.permissions().mode() & 0o111 != 0 || first.starts_with(b"#!") || first == b"\x7fELF"
}
