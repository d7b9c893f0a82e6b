//! The protocols in which a model is asked: one file and one row each. Pure: they write requests and read answers.
//!
//! ```
//! use anyhook_engine::models::answer::ModelOutput;
//! use anyhook_engine::models::providers::{ModelReply, PROVIDERS, ModelProtocol};
//! use serde_json::json;
//!
//! let ids: Vec<&str> = PROVIDERS.iter().map(|ModelProtocol { id, .. }| *id).collect();
//! assert_eq!(ids, ["anthropic", "openai"]);
//!
//! let message = json!({"content": [{"type": "text", "text": "no"}], "stop_reason": "end_turn"});
//! let ModelReply { said, tokens } = (PROVIDERS[0].read)(message.as_object().unwrap())?;
//! assert_eq!((said, tokens), (Ok(ModelOutput::Text("no".into())), None));
//! # Ok::<(), anyhook_engine::models::answer::UnreadableAnswer>(())
//! ```

pub mod anthropic;
pub mod openai;

use anyhook_core::event::Map;
use serde_json::Value;

use super::answer::{ModelOutput, UnreadableAnswer};

/// One protocol.
#[derive(Debug)]
pub struct ModelProtocol {
    /// Its name in settings.
    pub id: &'static str,
    /// The address of its first provider, for those without a server of their own.
    pub base: &'static str,
    /// What is appended to the address of a server.
    pub path: &'static str,
    /// The headers of every request.
    pub headers: &'static [(&'static str, &'static str)],
    /// The header of the key, and what stands in it before the key.
    pub key: (&'static str, &'static str),
    /// The forms of a request, the strictest first. A server that does not know one is asked in the next.
    pub forms: &'static [fn(&ModelRequest<'_>) -> Value],
    /// Reads the answer of a server.
    pub read: fn(&Map) -> Result<ModelReply, UnreadableAnswer>,
}

/// Every protocol.
pub static PROVIDERS: &[&ModelProtocol] = &[&anthropic::ROW, &openai::ROW];

/// Returns the protocol of this name.
pub(crate) fn named(id: &str) -> Option<&'static ModelProtocol> {
    PROVIDERS.iter().copied().find(|row| row.id == id)
}

/// What a request is made of. The first two are from people who were trusted; the last one is from anybody.
///
/// ```
/// use anyhook_engine::models::providers::{ModelRequest, openai};
/// let wanted = ModelRequest { model: "m", instruction: "Is it safe?", data: "{}", most: 512 };
/// let body = (openai::ROW.forms[0])(&wanted);
/// assert_eq!(body["messages"][1], serde_json::json!({"role": "user", "content": "{}"}));
/// ```
#[derive(Debug, Clone, Copy)]
pub struct ModelRequest<'a> {
    /// The model.
    pub model: &'a str,
    /// The hook's instruction.
    pub instruction: &'a str,
    /// The event, as one line of JSON.
    pub data: &'a str,
    /// How many tokens the answer may have.
    pub most: u64,
}

/// What a server answered.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelReply {
    /// What the model said, or why that is no answer; its tokens are spent all the same.
    pub said: Result<ModelOutput, UnreadableAnswer>,
    /// How many tokens it took, where the server tells.
    pub tokens: Option<u64>,
}

/// Returns the number of a field, nothing where it has none.
fn number(object: Option<&Map>, field: &str) -> Option<u64> {
    object?.get(field)?.as_u64()
}

fn cut_off() -> UnreadableAnswer {
    UnreadableAnswer::new("the answer of the model was cut off: it was too long")
}
