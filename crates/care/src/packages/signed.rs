//! Signed packages: `SHA256SUMS` lists the files of a package, and `SHA256SUMS.minisig` is its signature by minisign.
//!
//! The lock file names the key. What is not signed by it, and what is not listed, is not added.

use std::collections::BTreeMap;

use anyhook_engine::files;
use minisign_verify::{PublicKey, Signature};

use super::{PackageContents, PackageError};

/// The list of files, as `sha256sum` writes it.
const LIST: &str = "SHA256SUMS";
/// Its signature.
const SIGNATURE: &str = "SHA256SUMS.minisig";

/// Refuses a package that is not the one that was signed with this key.
pub(super) fn verify(tree: &PackageContents, key: &str) -> Result<(), PackageError> {
    let key = PublicKey::from_base64(key).map_err(|_| {
        PackageError::new(format!("`{}` is no key of minisign", key.escape_debug()))
            .help("it is the second line of a `.pub` file, and begins with RW")
    })?;
    let signature = Signature::decode(text(tree, SIGNATURE)?)
        .map_err(|_| unsigned("its signature cannot be read"))?;
    let list = text(tree, LIST)?;
    key.verify(list.as_bytes(), &signature, false)
        .map_err(|_| unsigned("its list of files is not signed with the key"))?;
    let mut listed = BTreeMap::new();
    for line in list.lines() {
        let (sum, name) = line
            .split_once("  ")
            .ok_or_else(|| unsigned("its list of files cannot be read"))?;
        listed.insert(name.trim_start_matches("./"), sum);
    }
    for (name, bytes) in tree
        .contents()
        .filter(|(name, _)| *name != LIST && *name != SIGNATURE)
    {
        match listed.remove(name) {
            Some(sum) if sum == files::digest(bytes) => {}
            Some(_) => return Err(unsigned(&format!("`{name}` is not what was signed"))),
            None => return Err(unsigned(&format!("`{name}` was not signed"))),
        }
    }
    match listed.keys().next() {
        Some(name) => Err(unsigned(&format!(
            "`{}` was signed and is missing",
            name.escape_debug()
        ))),
        None => Ok(()),
    }
}

fn text<'t>(tree: &'t PackageContents, name: &str) -> Result<&'t str, PackageError> {
    let mut all = tree.contents();
    let found = all.find(|(known, _)| *known == name);
    let text = found.and_then(|(_, bytes)| str::from_utf8(bytes).ok());
    text.ok_or_else(|| unsigned(&format!("it has no `{name}`")))
}

fn unsigned(why: &str) -> PackageError {
    PackageError::new(format!("the package is not signed as its key asks: {why}"))
        .help("ask its author for the signed package; to do without a signature: anyhook add --remove it, and add it without --key")
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: &str = "RWQBAgMEBQYHCONvkTMrUQL9XdnzReRN2B8tJwDN9585OCiZf/nANhUm";
    const OTHER: &str = "RWQBAgMEBQYHCOPoLT18UxJh0qhOBlGUH+h3C/vlMS25jkOFpZ0h8mEM";
    const SIGNED: &str = "untrusted comment: of the tests\n\
        RUQBAgMEBQYHCC6MB/KR8Js022I9xV0Sue/mkZ4u/VwCfMjBrGoZiieRCwdU8gV11kJyOupGMG3DAhaEEiD/AIZlodXtU9Y2pwQ=\n\
        trusted comment: the package of the tests\n\
        5JrrPgaQmEu8/+XCvB8X+reAjFVOMbrS5SRVc8BTV6fyp769e3BqpvZFAyGQci/08uW3ITyx8iHNoqqHnxUBCA==\n\n";
    const MANIFEST: (&str, &str) = ("hooks/hooks.json", "{\"version\": 1, \"hooks\": {}}\n");
    const GUARD: (&str, &str) = ("hooks/guard.sh", "exit 2\n");

    fn list() -> String {
        let line =
            |(name, text): (&str, &str)| format!("{}  {name}\n", files::digest(text.as_bytes()));
        line(MANIFEST) + &line(GUARD)
    }

    #[test]
    fn a_package_is_what_was_signed_with_the_key_and_nothing_else() {
        let list = list();
        let own = [(LIST, &*list), (SIGNATURE, SIGNED)];
        let of = |files: &[(&str, &str)]| PackageContents::of(&[files, &own].concat());
        assert_eq!(verify(&of(&[MANIFEST, GUARD]), KEY), Ok(()));
        let why = |tree: &PackageContents, key: &str| verify(tree, key).unwrap_err().what;
        let whole = of(&[MANIFEST, GUARD]);
        assert!(why(&whole, OTHER).contains("not signed with the key"));
        assert!(why(&whole, "RW").contains("no key"));
        let edited = of(&[MANIFEST, (GUARD.0, "exit 0\n")]);
        assert!(why(&edited, KEY).contains("`hooks/guard.sh` is not what was signed"));
        let more = of(&[MANIFEST, GUARD, ("x.sh", "")]);
        assert!(why(&more, KEY).contains("`x.sh` was not signed"));
        assert!(why(&of(&[MANIFEST]), KEY).contains("is missing"));
        assert!(
            why(&PackageContents::of(&[MANIFEST, GUARD]), KEY)
                .contains("has no `SHA256SUMS.minisig`")
        );
        let forged = list.replace("guard", "other");
        let forged = PackageContents::of(&[MANIFEST, (LIST, &forged), (SIGNATURE, SIGNED)]);
        assert!(why(&forged, KEY).contains("not signed with the key"));
    }
}
