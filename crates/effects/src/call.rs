//! A whole tool call: its own effects, and those of the lines that it runs.

use serde_json::Value;

use crate::places::{Files, Places};
use crate::shell::{self, Done};
use crate::tools::{self, Hints};

/// Says what a call of a tool does.
///
/// ```
/// use anyhook_effects::call;
/// use anyhook_effects::effect::Kind;
/// use anyhook_effects::places::{NoFiles, Places};
/// use anyhook_effects::tools::Hints;
/// use serde_json::json;
///
/// let places = Places { folder: "/p".into(), project: "/p".into(), ..Places::default() };
/// let input = json!({"command": "cd src && rm -rf x"});
/// let done = call::read("Bash", &input, Hints::default(), &places, &NoFiles);
/// assert!(done.effects.iter().any(|effect| effect.kind == Kind::Delete));
/// ```
pub fn read(tool: &str, input: &Value, hints: Hints, places: &Places, files: &dyn Files) -> Done {
    let acts = tools::act(tool, input, hints, places);
    let mut done = Done {
        plain: acts.effects.is_empty() && acts.runs.len() == 1,
        effects: acts.effects,
        readable: true,
        ..Done::default()
    };
    for inner in acts.runs {
        let part = shell::inner(inner, places, files);
        done.plain &= part.plain;
        done.readable &= part.readable;
        done.effects.extend(part.effects);
        done.commands.extend(part.commands);
    }
    done
}
