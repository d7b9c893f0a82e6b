//! A package in a temporary folder.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use anyhook_testing::{CaseRun, Selection, Suite, TestOptions, run};
use serde_json::Value;

/// The fixture of the seed.
pub(crate) const WRITE: &str = r#"{
  "hookEventName": "pre-tool-use",
  "toolName": "Write",
  "toolInput": {
    "file_path": "/src/app.ts",
    "content": "console.log('hello');"
  }
}"#;

/// A package that was never tested before.
pub(crate) struct Package {
    folder: tempfile::TempDir,
}

impl Package {
    /// A package whose hooks are these.
    pub(crate) fn new(hooks: &Value) -> Self {
        let folder = tempfile::Builder::new()
            .prefix("anyhook-package-")
            .tempdir()
            .unwrap();
        let package = Self { folder };
        let manifest = serde_json::json!({"version": 1, "hooks": hooks});
        package.write("hooks/hooks.json", &format!("{manifest:#}"));
        package.write("hooks/tests/fixtures/write.json", WRITE);
        package
    }

    /// A package with one hook on every tool call: this shell line.
    pub(crate) fn of(line: &str) -> Self {
        Self::new(&serde_json::json!({"pre-tool-use": [{"hooks": [command(line)]}]}))
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap()
    }

    pub(crate) fn write(&self, name: &str, text: &str) -> &Self {
        let file = self.path().join(name);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, text).unwrap();
        self
    }

    pub(crate) fn case(&self, stem: &str, text: &str) -> &Self {
        self.write(&format!("hooks/tests/cases/{stem}.yaml"), text)
    }

    /// A case that expects this of what comes of an event.
    pub(crate) fn expects(&self, name: &str, event: &str, expected: &str) -> &Self {
        let text = format!("name: {name}\nevent: {event}\nexpected:\n  {expected}\n");
        self.case(name, &text)
    }

    /// A copy of a package, so that cases can be added to it.
    pub(crate) fn copy(from: &Path) -> Self {
        let package = Self {
            folder: tempfile::tempdir().unwrap(),
        };
        for name in ["hooks", "hooks/tests/cases"] {
            package.take(from, name, name);
        }
        package
    }

    /// Takes over the files of one folder.
    pub(crate) fn take(&self, from: &Path, folder: &str, to: &str) -> &Self {
        for entry in std::fs::read_dir(from.join(folder)).unwrap().flatten() {
            if entry.path().is_file() {
                let name = entry.file_name().into_string().unwrap();
                let text = std::fs::read_to_string(entry.path()).unwrap();
                self.write(&format!("{to}/{name}"), &text);
            }
        }
        self
    }

    pub(crate) fn read(&self) -> Suite {
        anyhook_testing::read(&[self.path()])
    }

    /// Runs everything in one job, so that one case meets what another one left.
    pub(crate) fn run(&self) -> Vec<CaseRun> {
        self.run_as(&TestOptions {
            jobs: NonZeroUsize::MIN,
            ..TestOptions::default()
        })
    }

    pub(crate) fn run_as(&self, how: &TestOptions) -> Vec<CaseRun> {
        let suite = self.read();
        assert_eq!(told(&suite), [""; 0]);
        run(&suite.cases, how, &mut |_| {})
    }

    /// Runs the one case that this package has then.
    pub(crate) fn try_case(&self, text: &str) -> Vec<String> {
        self.case("only", text);
        lines(&self.run())
    }

    pub(crate) fn selected(&self, selection: &Selection) -> Vec<String> {
        let mut suite = self.read();
        selection.narrow(&mut suite);
        suite.cases.iter().map(|case| case.id.to_string()).collect()
    }
}

/// A hook that runs a shell line.
pub(crate) fn command(line: &str) -> Value {
    serde_json::json!({"type": "command", "command": line})
}

/// Everything that was told about files: place and message.
pub(crate) fn told(suite: &Suite) -> Vec<String> {
    let told = |problem: &anyhook_testing::Problem| {
        let at = &problem.finding.at;
        let name = problem
            .file
            .file_name()
            .unwrap_or_default()
            .to_string_lossy();
        format!(
            "{name}:{}:{}: {}",
            at.line, at.column, problem.finding.message
        )
    };
    suite.problems.iter().map(told).collect()
}

/// How each case went, and what did not hold.
pub(crate) fn lines(ran: &[CaseRun]) -> Vec<String> {
    let line = |ran: &CaseRun| {
        let mut all = vec![format!("{} {}", ran.outcome.as_str(), ran.case.id)];
        all.extend(ran.outcome.reason().map(str::to_owned));
        all.extend(
            ran.failures
                .iter()
                .map(|failure| format!("{}: {}", failure.about, failure.message)),
        );
        all.join("; ")
    };
    ran.iter().map(line).collect()
}
