//! A case that expects nothing.

use anyhook_core::manifest::Severity;

use super::{File, Lint, Sample};

/// The row.
pub(super) static LINT: Lint = Lint {
    code: "AH040",
    slug: "idle-case",
    severity: Severity::Warning,
    about: "A case of the package's tests expects nothing, so that it passes whatever its hook answers.",
    page: "A case that runs a guard and expects nothing shows that the guard can be run, and no more: it passes on the day \
           on which the guard lets everything through. Say what has to come of it below `expected`, such as `decision: \
           deny` or `exit-code: 2`. `anyhook test --bless` writes what the hook answers now, for you to read and to keep. \
           A text that is empty is part of every output, and expects nothing either.",
    bad: Sample::of(&[
        File::at("hooks/hooks.json", HOOKS),
        File::at(
            "hooks/tests/cases/rm.yaml",
            "name: rm-is-refused\nevent: pre-tool-use\ninput:\n  overrides:\n    toolInput.command: rm -r build\n",
        ),
    ]),
    good: Sample::of(&[
        File::at("hooks/hooks.json", HOOKS),
        File::at(
            "hooks/tests/cases/rm.yaml",
            "name: rm-is-refused\nevent: pre-tool-use\ninput:\n  overrides:\n    toolInput.command: rm -r build\n\
             expected:\n  decision: deny\n",
        ),
    ]),
    says: &[],
    find: cases::find,
};

const HOOKS: &str = r#"{"version": 1, "hooks": {"pre-tool-use": [{"matcher": "Bash", "hooks": [
  {"type": "rule", "when": "runs('rm')", "then": {"deny": "rm cannot be taken back"}}
]}]}}"#;
mod cases {
    use std::fs;
    use std::path::{Path, PathBuf};

    use anyhook_core::event::EventName;
    use serde::Deserialize;
    use serde_json::{Map, Value};

    use super::super::Note;
    use super::super::linted::Linted;
    use anyhook_engine::yaml::{self, Spanned};

    /// More cases than these are not looked at.
    const MOST: usize = 2000;

    /// What of a case is of interest here.
    #[derive(Deserialize)]
    struct Case {
        name: Spanned<String>,
        event: String,
        #[serde(default)]
        expected: Option<Map<String, Value>>,
        #[serde(default)]
        skip: Option<Value>,
    }

    pub(super) fn find(linted: &Linted<'_>) -> Vec<Note> {
        if linted.format.is_some() {
            // The tests beside a host's own file are most likely another program's.
            return Vec::new();
        }
        let files = files(linted).into_iter();
        files.filter_map(|file| note(&file)).collect()
    }

    /// The files of cases, beside the manifest and below the package.
    fn files(linted: &Linted<'_>) -> Vec<PathBuf> {
        let beside = linted.file.parent().map(|folder| folder.join("tests"));
        let root = linted.root.join("tests");
        let beside = beside.filter(|tests| *tests != root);
        let mut files: Vec<PathBuf> = beside
            .into_iter()
            .chain([root])
            .flat_map(|tests| fs::read_dir(tests.join("cases")).into_iter().flatten())
            .flatten()
            .map(|entry| entry.path())
            .filter(|file| {
                file.extension()
                    .is_some_and(|end| end == "yaml" || end == "yml")
            })
            .take(MOST)
            .collect();
        files.sort();
        files
    }

    fn note(file: &Path) -> Option<Note> {
        let meta = file.metadata().ok()?;
        if !meta.is_file() || meta.len() > yaml::LONGEST {
            return None;
        }
        let text = fs::read_to_string(file).ok()?;
        // What cannot be read is for `anyhook test` to tell.
        let case: Case = yaml::read(&text).ok()?;
        let is_one = EventName::new(&case.event).spec().is_some() && case.skip.is_none();
        if !is_one || !case.expected.iter().flatten().all(is_idle) {
            return None;
        }
        let name = &case.name.value;
        let message = format!("`{name}` expects nothing: it passes whatever the hook answers");
        let help = "say below `expected` what has to come of it; `anyhook test --bless` writes what does now";
        Some(Note::new(yaml::of(&case.name), message).help(help).of(file))
    }

    /// Tells whether an expectation holds of everything.
    fn is_idle((field, value): (&String, &Value)) -> bool {
        let is_empty = |value: &Value| match value {
            Value::Array(list) => list.iter().all(|one| one.as_str() == Some("")),
            Value::Object(map) => map.is_empty(),
            other => other.is_null(),
        };
        match field.as_str() {
            "raw" => true,
            "timeout" => value == &Value::Bool(false),
            // That nothing is told, rewritten or lost is something to expect.
            "injects" | "rewrites" | "losses" | "fires" | "stdout-json" => false,
            "on" => {
                let hosts = value.as_object().into_iter().flat_map(Map::values);
                hosts.filter_map(Value::as_object).flatten().all(is_idle)
            }
            _ => is_empty(value),
        }
    }
}
