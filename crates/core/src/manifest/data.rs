//! `data`: which files of a package are data, so that a person need not trust them as code.

use super::fields::{Complaint, Fields, text};
use super::say::quote;

const HELP: &str = "write a path below the package, such as `cache/**` or `rules/*.yaml`";

/// Reads the list. What cannot be read is no data, so that it is trusted like all else.
pub(super) fn read(file: &mut Fields<'_, '_>) -> Vec<String> {
    let help = Some("write `[` and `]` around it");
    let all = file.each("data", "a list of paths", help, |key, element| {
        below(&text(key, element)?)
    });
    all.unwrap_or_default()
}

/// A pattern stays below the package, whatever it is put together with.
fn below(pattern: &str) -> Result<String, Complaint> {
    let plain = pattern.strip_prefix("./").unwrap_or(pattern);
    let is_outside = plain.starts_with(['/', '~', '$']) || plain.contains('\\');
    let mut parts = plain.split('/');
    if is_outside || parts.any(|part| part.is_empty() || part == ".." || part == ".") {
        return Err(Complaint {
            message: format!("{} is no path below the package", quote(pattern)),
            help: Some(HELP.to_owned()),
        });
    }
    Ok(plain.to_owned())
}

#[cfg(test)]
mod tests {
    use crate::manifest::Manifest;

    #[test]
    fn data_is_a_list_of_paths_below_the_package_and_anything_else_is_an_error_and_no_data() {
        let read = |data: &str| {
            let text = format!(r#"{{"version": 1, "data": {data}, "hooks": {{}}}}"#);
            let parsed = Manifest::parse(&text).unwrap();
            (parsed.manifest.data, parsed.findings.len())
        };
        let all = ["cache/**", "rules/*.yaml", "a.json"].map(str::to_owned);
        assert_eq!(
            read(r#"["./cache/**", "rules/*.yaml", "a.json"]"#),
            (all.to_vec(), 0)
        );
        for wrong in [
            r#"["/etc/**"]"#,
            r#"["../**"]"#,
            r#"["a/../b"]"#,
            r#"["~/x"]"#,
            r#"["${HOME}/x"]"#,
            r#"[""]"#,
            r#"["a//b"]"#,
            r#"["a\\*"]"#,
            "[7]",
            r#""cache/**""#,
        ] {
            assert_eq!(read(wrong), (Vec::new(), 1), "{wrong}");
        }
    }
}
