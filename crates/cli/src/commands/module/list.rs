//! `anyhook list modules`: what is built in.

use anyhook::modules::MODULES;
use serde_json::json;

use crate::error::CliError;
use crate::exit::Exit;
use crate::form::JsonFlag;
use crate::ui;

pub(in crate::commands) fn built_in(form: JsonFlag) -> Result<Exit, CliError> {
    let all = MODULES.iter().map(|module| {
        json!({"module": module.name, "kind": "built-in", "aliases": module.aliases, "summary": module.summary})
    });
    form.say(&all.collect::<Vec<_>>(), |_| {
        let rows = MODULES
            .iter()
            .map(|module| [module.name, module.summary].map(str::to_owned));
        ui::table("module|about", rows)
            + "\nMount them by name in a plan, or write `\"type\": \"builtin\"` in a hooks.json.\n"
    })
}
