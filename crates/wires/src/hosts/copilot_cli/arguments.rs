//! The arguments of a tool in their three forms: an object, a text that holds one (older builds), and bare text such as a
//! patch. Each is written back as it came.
//!
//! A text that cannot be taken for one of these is an error on a gate: a hook would look for an argument that is not
//! there, and find nothing wrong with it.

use std::borrow::Cow;

use anyhook_core::event::{Event, Map, OriginTool};
use serde_json::Value;

use super::table::TOOLS;
use crate::{DecodeError, json, tools};

/// The canonical argument of a bare text that is no patch.
const BARE: &str = "input";

const PATCH: &str = "apply_patch";

/// How to make an event of what was read: names that the payload had, where the data has others by now.
#[derive(Debug, Default)]
pub(super) struct OriginalCall {
    /// The name of the tool, where it brings a patch.
    pub(super) tool: Option<String>,
    /// Whether the arguments were one bare text.
    is_bare: bool,
}

/// Makes the arguments an object, or leaves a bare text to the tool's row.
pub(super) fn open(call: &mut Map) -> Result<OriginalCall, DecodeError> {
    let mut opened = OriginalCall::default();
    let Some(Value::String(native)) = call.get("tool_name") else {
        return Ok(opened);
    };
    let native = native.clone();
    if let Some(Value::String(text)) = call.get("tool_input") {
        let text = text.clone();
        opened.is_bare = text_of(call, &native, &text)?;
    }
    let is_patch = call.get("tool_name").is_some_and(|name| name != &*native);
    if is_patch {
        opened.tool = Some(native);
    }
    Ok(opened)
}

/// Opens a text; tells whether it stays one bare argument.
fn text_of(call: &mut Map, native: &str, text: &str) -> Result<bool, DecodeError> {
    if text.trim_start().starts_with('{') {
        let object = json::object(text.as_bytes())?;
        call.insert("tool_input".to_owned(), Value::Object(object));
        return Ok(false);
    }
    let row = TOOLS.rows.iter().find(|row| row.name == native);
    let takes_text = row.is_some_and(|row| row.is == PATCH);
    if takes_text {
        return Ok(false);
    }
    if text.contains("*** Begin Patch") {
        call.insert("tool_name".to_owned(), PATCH.into());
        return Ok(false);
    }
    if row.is_some() {
        return Err(DecodeError::new(format!(
            "the arguments of `{native}` must be an object, and are a text"
        )));
    }
    let bare = Map::from_iter([(BARE.to_owned(), text.into())]);
    call.insert("tool_input".to_owned(), Value::Object(bare));
    Ok(true)
}

impl OriginalCall {
    /// Gives the event the names that its payload had.
    pub(super) fn close(self, event: &mut Event) {
        let Some(name) = event.text("tool_name").map(Cow::into_owned) else {
            return;
        };
        if self.tool.is_none() && !self.is_bare {
            return;
        }
        let Some(origin) = event.origin.as_deref_mut() else {
            return;
        };
        let tool = origin.tool.get_or_insert_with(|| {
            Box::new(OriginTool {
                name: name.as_str().into(),
                is: name.as_str().into(),
                arguments: Box::default(),
            })
        });
        if self.is_bare {
            tool.arguments = [("", BARE)].into();
        }
        if let Some(native) = self.tool {
            event.also = tools::also(PATCH);
            tool.name = native.as_str().into();
            event.subject = Some(native.into());
        }
    }
}

/// Returns arguments that a hook gave as canonical ones.
pub(super) fn canonical(native: &str, input: Value) -> Result<Value, DecodeError> {
    let mut call = Map::from_iter([
        ("tool_name".to_owned(), native.into()),
        ("tool_input".to_owned(), input),
    ]);
    open(&mut call)?;
    TOOLS.read(&mut call)?;
    Ok(call.shift_remove("tool_input").unwrap_or_default())
}
