//! A host's own names for tools and their arguments, and the canonical ones.

use anyhook_core::event::{Datum, Event, Map, OriginTool};
use serde_json::Value;

use super::patch;
use crate::bare::bare;
use crate::hosts::universal::table::NAMING;
use crate::{DecodeError, tools};

/// The canonical argument that holds a patch.
pub(crate) const PATCH: &str = "patch";

/// The canonical argument that lists the files of a patch.
pub(crate) const FILES: &str = "files";

bare! {
    /// One tool of a host.
    ///
    /// ```
    /// use anyhook_wires::payload::HostTool;
    ///
    /// static SHELL: HostTool = HostTool {
    ///     name: "run_shell_command",
    ///     is: "Bash",
    ///     arguments: &[("directory", "cwd")],
    /// };
    /// let written = SHELL.arguments.iter().find(|(_, canonical)| *canonical == "cwd");
    /// assert_eq!(written.map(|(own, _)| *own), Some("directory"));
    /// ```
    #[derive(Debug, Clone, Copy)]
    pub struct HostTool(name, is, arguments) {
        /// The host's own name, such as `run_shell_command`.
        pub name: &'static str = "",
        /// The canonical name, such as `Bash`; the name itself where the tool stands for a set (`apply_patch`).
        pub is: &'static str = "",
        /// Arguments with a name of their own: the host's, and the canonical one. Several of the host's may stand for one
        /// canonical argument, where versions differ; the first is the one that is written, and may be the canonical name. The
        /// empty name stands for arguments that are no object but one bare value.
        pub arguments: &'static [(&'static str, &'static str)] = &[],
    }
}

/// How a host names the tools of MCP servers: `prefix`, server, `between`, tool.
///
/// ```
/// use anyhook_wires::payload::Mcp;
///
/// let Mcp { prefix, between, .. } = Mcp { prefix: "mcp_", between: "_", cuts_once: false };
/// assert_eq!(format!("{prefix}github{between}search"), "mcp_github_search");
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Mcp {
    /// What the name begins with.
    pub prefix: &'static str,
    /// The text between server and tool.
    pub between: &'static str,
    /// Whether a name that can be cut at several places is no server's: the wrong one could be approved.
    pub cuts_once: bool,
}

/// The canonical form of such names.
const MCP: Mcp = Mcp {
    prefix: "mcp__",
    between: "__",
    cuts_once: false,
};

/// All tools of a host.
///
/// ```
/// use anyhook_wires::hosts::HOSTS;
/// use anyhook_wires::payload::{HostTool, Tools};
///
/// static OWN: Tools =
///     Tools { rows: &[HostTool { name: "shell", is: "Bash", arguments: &[] }], ..Tools::CANONICAL };
/// assert_eq!((OWN.rows[0].is, OWN.mcp.is_none()), ("Bash", true));
/// // No host calls a tool by two canonical names.
/// for rows in HOSTS.iter().map(|host| host.facts().tools.rows) {
///     assert!(
///         rows.iter()
///             .all(|row| rows.iter().all(|other| other.name != row.name || other.is == row.is))
///     );
/// }
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Tools {
    /// Its own tools; the first of several rows with one canonical name is the one that is written.
    pub rows: &'static [HostTool],
    /// The tools of MCP servers, where their names differ from the canonical form.
    pub mcp: Option<Mcp>,
}

impl Tools {
    /// No tool has a name of its own.
    pub const CANONICAL: Self = Self {
        rows: &[],
        mcp: None,
    };

    /// Makes the tool of a payload canonical: `tool_name` and the arguments in `tool_input`. Returns what it takes to
    /// write them back, if anything changed. The files of a patch become the argument `files`.
    pub(crate) fn read(&self, data: &mut Map) -> Result<Option<OriginTool>, DecodeError> {
        let Some(Value::String(native)) = data.get("tool_name") else {
            return Ok(None);
        };
        let native = native.clone();
        let named = self.rows.iter().find(|row| row.name == native);
        // Under a name that all hosts share its arguments are this host's all the same.
        let row = named.or_else(|| self.rows.iter().find(|row| row.is == native));
        let canonical = match row {
            Some(row) => row.is.to_owned(),
            None => (self.mcp)
                .and_then(|own| respelled(&native, own, MCP))
                .unwrap_or_else(|| native.clone()),
        };
        let mut renamed = Vec::new();
        if let Some(row) = row
            && let Some(input) = data.get_mut("tool_input")
        {
            renamed = canonical_arguments(row, input)?;
            list_files(input);
        }
        if canonical == native && renamed.is_empty() {
            return Ok(None);
        }
        data.insert("tool_name".to_owned(), canonical.as_str().into());
        Ok(Some(OriginTool {
            name: native.into(),
            is: canonical.into(),
            arguments: renamed.into(),
        }))
    }

    /// Gives the tool of an event this host's own name and arguments.
    pub(crate) fn write(&self, data: &mut Map, own: Option<&OriginTool>) {
        let Some(Value::String(canonical)) = data.get("tool_name") else {
            return;
        };
        let canonical = canonical.clone();
        let own = own.filter(|own| *own.is == *canonical);
        let row = self.rows.iter().find(|row| row.is == canonical);
        let (name, pairs): (String, &[(&str, &str)]) = match (own, row) {
            (Some(own), _) => (own.name.to_string(), &own.arguments),
            (None, Some(row)) => (row.name.to_owned(), row.arguments),
            (None, None) => (
                (self.mcp)
                    .and_then(|own| respelled(&canonical, MCP, own))
                    .unwrap_or_else(|| canonical.clone()),
                &[],
            ),
        };
        data.insert("tool_name".to_owned(), name.into());
        if let Some(input) = data.get_mut("tool_input") {
            native_arguments(pairs, input);
        }
    }
}

/// Takes the canonical name of a server's tool apart: the server, and its own name for the tool.
pub(crate) fn served(name: &str) -> Option<(&str, &str)> {
    name.strip_prefix(MCP.prefix)?.split_once(MCP.between)
}

/// Gives the tool of an event the canonical name of a server's: it goes by no other name but `native`, the host's own.
pub(crate) fn serve(event: &mut Event, native: &str, canonical: &str) {
    if let Some(origin) = event.origin.as_deref_mut() {
        origin.tool = Some(Box::new(OriginTool {
            name: native.into(),
            is: canonical.into(),
            arguments: Box::default(),
        }));
    }
    event
        .data
        .set("tool_name", Some(&Datum::Json(canonical.into())));
    event.also = &[];
}

fn respelled(name: &str, from: Mcp, to: Mcp) -> Option<String> {
    let (server, tool) = name.strip_prefix(from.prefix)?.split_once(from.between)?;
    let is_whole = !server.is_empty() && !tool.is_empty() && tools::also(name).is_empty();
    let is_sure = !from.cuts_once || !tool.contains(from.between);
    (is_whole && is_sure).then(|| format!("{}{server}{}{tool}", to.prefix, to.between))
}

/// Renames arguments to their canonical names, and returns the pairs that were renamed.
fn canonical_arguments(
    row: &HostTool,
    input: &mut Value,
) -> Result<Vec<(&'static str, &'static str)>, DecodeError> {
    let mut renamed = Vec::new();
    if let Some(pair) = row.arguments.iter().find(|(native, _)| native.is_empty())
        && !input.is_object()
        && !input.is_null()
    {
        let value = input.take();
        *input = Value::Object(Map::from_iter([(pair.1.to_owned(), value)]));
        return Ok(vec![*pair]);
    }
    let Value::Object(fields) = input else {
        return Ok(renamed);
    };
    for pair in row.arguments {
        let (native, canonical) = *pair;
        let Some(value) = fields.get(native) else {
            continue;
        };
        match fields.get(canonical) {
            None => {
                super::rename(fields, native, canonical);
                renamed.push(*pair);
            }
            Some(other) if other == value => {}
            Some(_) => {
                return Err(DecodeError::new(format!(
                    "`tool_input` has `{native}` and another argument for the same thing, and they differ"
                )));
            }
        }
    }
    Ok(renamed)
}

/// Gives arguments the names that the host has for them, and takes away what we added.
fn native_arguments(pairs: &[(&str, &str)], input: &mut Value) {
    let Value::Object(fields) = input else {
        return;
    };
    if let Some(("", canonical)) = pairs.first() {
        if let Some(value) = fields.shift_remove(*canonical) {
            *input = value;
        }
        return;
    }
    if pairs.iter().any(|(_, canonical)| *canonical == PATCH) || fields.contains_key(PATCH) {
        fields.shift_remove(FILES);
    }
    let mut done: Vec<&str> = Vec::new();
    for (native, canonical) in pairs {
        if native == canonical {
            done.push(canonical);
        } else if !done.contains(canonical) && !fields.contains_key(*native) {
            super::rename(fields, canonical, native);
            done.push(canonical);
        }
    }
}

/// Lists the files of a patch beside it, so that a guard need not read patches. A hook that rewrote the patch may have
/// left the list as it was: what is listed is what the patch says now.
pub(crate) fn list_files(input: &mut Value) {
    let Value::Object(fields) = input else {
        return;
    };
    let Some(Value::String(text)) = fields.get(PATCH) else {
        return;
    };
    let files = patch::files(text);
    fields.insert(FILES.to_owned(), files);
}

/// Returns the files that a call names in its arguments, and those of its patch, each once and as they are written.
///
/// ```
/// use anyhook_wires::payload::named_files;
/// use serde_json::json;
///
/// let input = json!({"file_path": "a", "patch": "*** Add File: b\n+x"});
/// assert_eq!(named_files(input.as_object().unwrap()), ["a", "b"]);
/// ```
pub fn named_files(input: &Map) -> Vec<String> {
    let texts = NAMING.iter().filter_map(|name| input.get(*name)?.as_str());
    let mut named: Vec<String> = texts.map(str::to_owned).collect();
    let patch = input.get(PATCH).and_then(Value::as_str);
    let patched = patch.map(patch::files);
    let listed = patched.as_ref().or_else(|| input.get(FILES));
    let listed = listed.and_then(Value::as_array).into_iter().flatten();
    named.extend(listed.filter_map(|file| Some(file.get("path")?.as_str()?.to_owned())));
    let mut once: Vec<String> = Vec::with_capacity(named.len());
    for file in named {
        if !file.is_empty() && !once.contains(&file) {
            once.push(file);
        }
    }
    once
}
