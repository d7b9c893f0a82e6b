//! What any module should do, as one line of a test.

use std::path::Path;

use anyhook::mounts::{Catalogue, CheckStatus, ModuleEntry, Mount, TrialMode, Validation, Weight};
use anyhook::world::World;
use serde_json::Value;

use crate::TestFailure;

/// Makes every check of a module: it can be mounted, its handlers answer samples of everything that they listen to and
/// data that are not what they should be, its cleanup works, and nothing of it is left. What is recommended counts too.
///
/// ```
/// use anyhook::Session;
/// use anyhook::core::event::Event;
/// use anyhook::core::hook::Hook;
/// use anyhook::core::result::HookResult;
/// use anyhook::mounts::Cleanup;
/// use serde_json::{Value, json};
///
/// fn polite(session: &Session, _: &Value) -> Cleanup {
///     let greet = |_: &Event| HookResult::proceed().inject("be kind");
///     let handle = session.hooks().register(Hook::on("session:start", greet).named("polite").priority(50));
///     Cleanup::new(move || handle.unregister())
/// }
/// anyhook_testing::module("polite", polite, json!({}))?;
///
/// // What is wrong is told in words.
/// let rude = |session: &Session, _: &Value| {
///     session.hooks().register(Hook::on("tool:pre", |_: &Event| HookResult::deny("")).named("rude"));
/// };
/// let failed = anyhook_testing::module("rude", rude, json!({})).unwrap_err().to_string();
/// assert!(failed.contains("results: asked about `tool:pre`"), "{failed}");
/// # Ok::<(), anyhook_testing::TestFailure>(())
/// ```
pub fn module(name: &str, module: impl Mount + 'static, config: Value) -> Result<(), TestFailure> {
    let catalogue = Catalogue::new(World::real()).with(name, module);
    let entry = ModuleEntry::new(name, config);
    judged(&catalogue.validate(&entry, Path::new(""), TrialMode::Look))
}

fn judged(validation: &Validation) -> Result<(), TestFailure> {
    let mut text = String::new();
    for checked in &validation.checks {
        if let CheckStatus::Failed { why, fix } = &checked.judged {
            let word = match checked.check.weight {
                Weight::Required => "required",
                Weight::Recommended => "recommended",
            };
            text.push_str(&format!(
                "{}: {why} ({word})\n    {fix}\n",
                checked.check.slug
            ));
        }
    }
    if text.is_empty() {
        return Ok(());
    }
    Err(TestFailure(format!(
        "the module `{}` fails\n{text}",
        validation.module
    )))
}
