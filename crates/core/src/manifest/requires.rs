//! `requires`: which versions of Anyhook a file is written for.

use semver::{Version, VersionReq};

use super::fields::{Complaint, ObjectFields, text};
use super::say::quote;

/// This version of Anyhook.
const THIS: &str = env!("CARGO_PKG_VERSION");

/// Looks whether this version is one that the file is written for. Where it is not, the file is wrong as a whole: what it
/// says may mean more than this version knows, so none of it runs and its guards refuse.
pub(super) fn judge(file: &mut ObjectFields<'_, '_>) {
    file.read("requires", |value| fits(&text("requires", value)?, THIS));
}

/// Says what is wrong with a requirement for a version, and what to do.
fn fits(wanted: &str, this: &str) -> Result<(), Complaint> {
    let Ok(wanted_versions) = VersionReq::parse(wanted) else {
        let found = quote(wanted);
        let wrong = Complaint::new(format!("`requires` {found} is no requirement of a version"));
        let help = r#"write `">=0.2"`, or `"0.2"` for 0.2 and what is compatible with it"#;
        return Err(wrong.help(help));
    };
    // A version before its release counts as released: it has what the file needs.
    let fits = Version::parse(this).is_ok_and(|this| {
        wanted_versions.matches(&Version::new(this.major, this.minor, this.patch))
    });
    let message = format!("this file requires Anyhook {wanted}, and this is Anyhook {this}");
    let help = "install a version that it is written for, or use an older version of the file";
    let wrong = || Complaint::new(message).help(help);
    fits.then_some(()).ok_or_else(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifest::{Manifest, Severity};

    #[test]
    fn a_requirement_is_met_by_a_version_that_is_new_enough() {
        for row in include_str!("requires.txt").lines().skip(1) {
            let mut words = row.splitn(3, ' ');
            let mut word = || words.next().unwrap();
            let (this, fits) = (word(), word() == "meets");
            let wanted = word().trim_matches('"');
            assert_eq!(super::fits(wanted, this).is_ok(), fits, "{wanted} {this}");
        }
    }

    #[test]
    fn a_file_that_requires_a_later_version_is_wrong_as_a_whole_and_says_which() {
        let text = r#"{"version": 1, "requires": ">=99", "hooks": {}}"#;
        let parsed = Manifest::parse(text).unwrap();
        let found = &parsed.findings[0];
        let said = format!("this file requires Anyhook >=99, and this is Anyhook {THIS}");
        assert_eq!((found.severity, &found.message), (Severity::Error, &said));
        assert_eq!((found.at.line, found.at.column), (1, 28));
        let fine = text.replace(">=99", ">=0.1");
        assert_eq!(Manifest::parse(&fine).unwrap().findings, []);
    }
}
