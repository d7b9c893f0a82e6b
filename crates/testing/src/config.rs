//! `tests/test-config.json`: the settings for every case of a package.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use anyhook::core::manifest::{DEADLINE, LineIndex};
use serde::Deserialize;

use crate::files;
use crate::problem::{Problem, finding, json};

/// What a package without this file says.
const EMPTY: &str = r#"{"version": 1}"#;

/// A longer file is none that a person wrote.
const LONGEST: u64 = 256 * 1024;

/// The file.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) struct TestConfig {
    pub(crate) version: u32,
    #[serde(default = "timeout")]
    pub(crate) timeout: f64,
    #[serde(default)]
    pub(crate) env: BTreeMap<String, String>,
    /// Variables of the caller that hooks get too.
    #[serde(default)]
    pub(crate) inherit_env: Vec<String>,
    /// Hosts in whose form every case is played too.
    #[serde(default)]
    pub(crate) dialects: Vec<String>,
    /// Hooks on events that can be stopped, which only look on: no case has to see them refuse.
    #[serde(default)]
    pub(crate) observers: Vec<String>,
}

/// How long a case may take where neither it nor this file says it: as long as a hook.
fn timeout() -> f64 {
    DEADLINE.as_secs_f64()
}

impl TestConfig {
    /// Reads the file of a folder of tests; without one the defaults hold.
    pub(crate) fn read(tests: &Path) -> Result<Self, Problem> {
        let file = tests.join("test-config.json");
        let text = if file.exists() {
            files::text(&file, LONGEST).map_err(|why| Problem::of_file(&file, why))?
        } else {
            EMPTY.to_owned()
        };
        let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
        let config: Self = json(&file, text)?;
        let wrong = |field: &str, message: String| {
            let name = format!("\"{field}\"");
            let from = text.rfind(&name).unwrap_or_default();
            let at = LineIndex::new(0, text).place(from..from + name.len());
            Err(Problem::at(&file, text, finding(at, message, None)))
        };
        if config.version != 1 {
            let message = format!("`version` must be 1, and is {}", config.version);
            return wrong("version", message);
        }
        if let Err(message) = seconds(config.timeout) {
            return wrong("timeout", message);
        }
        Ok(config)
    }

    /// Returns how long a case may take that does not say it.
    pub(crate) fn limit(&self) -> Duration {
        seconds(self.timeout).unwrap_or(DEADLINE)
    }
}

/// A number of seconds that a case may be given.
pub(crate) fn seconds(number: f64) -> Result<Duration, String> {
    let is_one = number > 0.0 && number <= 3600.0;
    let message = || format!("`timeout` must be above 0 and at most 3600, and is {number}");
    is_one
        .then(|| Duration::from_secs_f64(number))
        .ok_or_else(message)
}
