//! The family of Claude Code: agents that took over the form of its payloads and answers, each as data.
//!
//! They share `hook_event_name`, `hookSpecificOutput`, `decision` and exit code 2, and each honours another part of it. What
//! one of them honours is its rows ([`HostRow`]) and a few words about the host as a whole ([`Host`], [`AnswerWords`]). What no
//! row can say is a function ([`HostFunctions`]). Results are written in [`encode`] and answers of hooks read in [`decode`], for all
//! of them; nothing is ever written that a row does not have.

pub(super) mod decode;
pub(super) mod encode;
mod odd;
pub(super) mod row;
pub(super) mod words;

use std::fmt;
use std::sync::Arc;

use anyhook_core::can::{Capabilities, RewriteCoupling};
use anyhook_core::event::{Event, EventName, Origin};
use anyhook_core::handler::HandlerResult;
use anyhook_core::hook::HookInfo;
use anyhook_core::result::HookResult;
use anyhook_core::taxonomy;
use anyhook_core::transcript::Transcript;
use serde_json::Value;

use crate::bare::bare;
use crate::payload::{self, IncomingEvent};
use crate::{DecodeError, HostFacts, Reply, json};
use decode::HookRun;
pub(super) use odd::HostFunctions;
use row::{Form, HostRow};
pub(super) use words::{
    AnswerWords, ContextForm, InputUpdate, JsonCondition, MisnamedEvent, MissingReason, NoticeForm,
    Schema,
};

pub(super) const NAME: &str = "hook_event_name";

/// The exit code of a command line that is wrong.
const USAGE: u8 = 64;

bare! {
    /// An agent that calls us, as data: no other code matches on its id.
    ///
    /// Every method is total: whatever the bytes are, it returns. What cannot be read is an error that says why.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// use anyhook_core::event::Event;
    /// use anyhook_core::result::{HookResult, Kind};
    /// use anyhook_core::transcript::{Capture, End, Transcript};
    /// use anyhook_wires::{Host, Maturity, Neutral};
    /// use serde_json::json;
    ///
    /// let claude: &Host = anyhook_wires::host("claude-code").unwrap();
    /// let row = claude.row("PreToolUse").unwrap();
    /// assert_eq!((row.event, row.neutral()), ("tool:pre", Neutral::Silent));
    /// assert!(row.can.says(Kind::Ask));
    /// assert_eq!(claude.row("tool:pre").map(|row| row.name), Some("PreToolUse"));
    /// assert!(claude.rows().iter().any(|row| row.event == "session:start"));
    ///
    /// // What cannot be read is refused in the host's own words.
    /// let refused = claude.refuse_unread(Some(row), "the payload is no JSON");
    /// assert!(refused.stdout.contains("the payload is no JSON"));
    ///
    /// // Which files are its hook settings, and which processes are it.
    /// assert!(claude.facts().guarded().any(|file| file == "~/.claude/settings.json"));
    /// assert!(claude.facts().executables.contains(&"claude"));
    /// assert!(claude.facts().settings.is_some_and(|settings| settings.has("PreToolUse")));
    /// assert_eq!(claude.facts().project_variable, Some("CLAUDE_PROJECT_DIR"));
    ///
    /// // How well it is known, whose hook files it reads too, and what it calls its tools.
    /// assert_eq!(claude.facts().maturity, Maturity::Proved);
    /// assert_eq!(claude.facts().aliases, ["claude"]);
    /// assert!(!claude.facts().covers.is_empty() && claude.facts().also_reads.is_empty());
    /// assert!(claude.facts().tools.rows.is_empty(), "the canonical names are its own");
    ///
    /// // What a hook of its own files reads and answers, event by event; and since when it has an event.
    /// let stop = Event::new("stop", json!({"session_id": "s"}));
    /// assert_eq!(claude.write_as(&stop, "Stop")["hook_event_name"], "Stop");
    /// let refused = Transcript {
    ///     stdout: Capture::default(),
    ///     stderr: Capture { kept: b"the tests are red".to_vec(), dropped: 0 },
    ///     end: End::Code(2),
    ///     took: Duration::ZERO,
    /// };
    /// assert_eq!(claude.read_as(&refused, &stop, "Stop").unwrap().verdict.kind(), Kind::Deny);
    /// assert_eq!(row.since, None, "every version that is covered has it");
    /// assert!(claude.asks_later(&stop).is_none(), "it asks at once, or not at all");
    /// assert_eq!(claude.overlooks(&stop, &HookResult::proceed()), None, "it changes nothing");
    /// assert_eq!(claude.facts().prompts.id, None, "it tells of a prompt once");
    /// assert!(claude.facts().version_at.is_some(), "its hooks hear its version");
    ///
    /// // What it can be told may depend on the payload: nothing refuses a change of an organisation's policy.
    /// let change = claude.row("ConfigChange").unwrap();
    /// let payload = json!({"hook_event_name": "ConfigChange", "source": "policy_settings"});
    /// let event = claude.read_event(payload.to_string().as_bytes(), None).unwrap();
    /// assert!(change.can.says(Kind::Deny) && !claude.can(&event).says(Kind::Deny));
    ///
    /// // The other direction is for hooks of this host: what they read, and what they answered.
    /// let universal = anyhook_wires::host("universal").unwrap();
    /// assert_eq!(universal.id(), "universal");
    /// let event = Event::new("tool:pre", json!({"tool_name": "Bash"}));
    /// assert_eq!(universal.write_event(&event)["toolName"], "Bash");
    ///
    /// let transcript = Transcript {
    ///     stdout: Capture::default(),
    ///     stderr: Capture { kept: b"deploys are frozen".to_vec(), dropped: 0 },
    ///     end: End::Code(2),
    ///     took: Duration::from_millis(40),
    /// };
    /// assert_eq!(universal.read_result(&transcript, &event), Ok(HookResult::deny("deploys are frozen")));
    /// ```
    #[derive(Clone, Copy)]
    pub struct Host {
        pub(super) id: &'static str = "",
        pub(super) facts: &'static HostFacts = &HostFacts::BARE,
        /// The fields of a payload that may name its event: the first is written.
        pub(super) named_by: &'static [&'static str] = &[NAME],
        /// Fields of every payload with a name of their own: the host's, in which a dot leads into an object, and the canonical one.
        pub(super) fields: &'static [(&'static str, &'static str)] = &[("tool_response", "tool_result")],
        /// Names of old for fields: read where the new one is not there, and never written.
        pub(super) former: &'static [(&'static str, &'static str)] = &[],
        /// One row for each event that it has.
        pub(super) events: &'static [HostRow] = &[],
        /// The permission modes in which the person has approved everything already.
        pub(super) free_modes: &'static [&'static str] = &[],
        pub(super) updates: InputUpdate = InputUpdate::Replace(&[]),
        pub(super) schema: Schema = Schema::Open,
        pub(super) json: JsonCondition = JsonCondition::OnSuccess,
        /// The exit code by which a hook ends the agent.
        pub(super) aborts: Option<i32> = None,
        /// Whether another name than those of its events is a slip, with which every hook would be off.
        pub(super) lists_all: bool = false,
        /// What may be said about an event that the host does not have.
        pub(super) unknown: Capabilities = Capabilities::NOTHING,
        pub(super) words: AnswerWords = AnswerWords::BARE,
        pub(super) odd: HostFunctions = HostFunctions::BARE,
    }
}

impl Host {
    /// Returns the row of an event for a hook on this event of the host: one event of ours may be several of a host's.
    pub(super) fn row_as(&self, event: &Event, native: &str) -> Option<&'static HostRow> {
        let named = self.row(native).filter(|row| row.is(&event.name));
        named.or_else(|| self.by_call(event))
    }

    /// Returns the row of an event: the one under whose name it came, if this host sent it.
    pub(super) fn row_of(&self, event: &Event) -> Option<&'static HostRow> {
        match self.origin_of(event) {
            Some(origin) => self.row_as(event, &origin.native),
            None => self.by_call(event),
        }
    }

    fn by_call(&self, event: &Event) -> Option<&'static HostRow> {
        let tool = event.text("tool_name");
        let mut rows = self.events.iter();
        rows.find(|row| row.is(&event.name) && row.fits(tool.as_deref()))
    }

    /// Returns where an event came from, if this host sent it.
    pub(super) fn origin_of<'e>(&self, event: &'e Event) -> Option<&'e Origin> {
        payload::own(event, self.id)
    }

    fn no_event(&self, name: &str) -> String {
        let called = self.facts.aliases.first().unwrap_or(&self.id);
        format!("{called} has no event `{name}`")
    }

    /// Says nothing.
    pub(super) fn silence(&self) -> Reply {
        Reply::printing(self.words.silence)
    }

    fn run<'a>(
        &'a self,
        raw: &'a Transcript,
        event: &'a Event,
        row: Option<&'a HostRow>,
    ) -> HookRun<'a> {
        HookRun {
            host: self,
            raw,
            event,
            row,
        }
    }

    fn is_free(&self, event: &Event) -> bool {
        let mode = event.get("permission_mode");
        let mode = mode.as_deref().and_then(Value::as_str);
        mode.is_some_and(|mode| self.free_modes.contains(&mode))
    }
}

impl Host {
    /// Returns the name of this wire, as on the command line.
    pub const fn id(&self) -> &'static str {
        self.id
    }

    /// Reads an event. `hint` is the event's name as the command line has it, in any spelling: it holds where the payload
    /// carries no name, and, where this wire knows it, against a payload that names another event. The author of the
    /// command line knew which event it is for.
    ///
    /// The hint is for a payload that does not name its event:
    ///
    /// ```
    /// let claude = anyhook_wires::host("claude-code").unwrap();
    /// let event =
    ///     claude.read_event(br#"{"tool_name": "Bash", "tool_input": {}}"#, Some("pre-tool-use"))?;
    /// assert_eq!(event.name.as_str(), "tool:pre");
    ///
    /// let error = claude.read_event(br#"{"tool_name": "#, None).unwrap_err();
    /// assert_eq!(error.at, Some((1, 14)));
    /// # Ok::<(), anyhook_wires::DecodeError>(())
    /// ```
    pub fn read_event(&self, bytes: &[u8], hint: Option<&str>) -> Result<Event, DecodeError> {
        let read = (self.odd.read)(self, bytes, hint);
        read.map_err(|error| DecodeError {
            event: error.event.or_else(|| hint.map(str::to_owned)),
            ..error
        })
    }

    /// Writes an event as a hook of this wire reads it on its standard input.
    pub fn write_event(&self, event: &Event) -> Value {
        (self.odd.write)(self, event, self.row_of(event))
    }

    /// Reads what a hook of this wire answered.
    pub fn read_result(&self, raw: &Transcript, event: &Event) -> HandlerResult {
        (self.odd.decode)(self.run(raw, event, self.row_of(event)))
    }

    /// Writes a fitted result as this wire's host reads it.
    pub fn write_result(&self, event: &Event, result: &HookResult) -> Reply {
        self.write_result_of(event, result, &[])
    }

    /// Writes a fitted result of these hooks, which are those of its report: a host that reads who said what finds their
    /// names there. To any other it is [`Host::write_result`].
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use anyhook_core::hook::HookInfo;
    /// use anyhook_core::result::{HookId, HookResult};
    /// use anyhook_wires::host;
    /// use serde_json::{Value, json};
    ///
    /// let amplifier = host("amplifier").unwrap();
    /// let payload = json!({"event": "session:start", "data": {}});
    /// let event = amplifier.read_event(payload.to_string().as_bytes(), None)?;
    ///
    /// let calendar = HookInfo { name: "calendar".into(), ..HookInfo::default() };
    /// let mut said = HookResult::proceed().inject("today is Monday");
    /// said.effects.edit().inject[0].by = Some(HookId(0));
    /// let reply = amplifier.write_result_of(&event, &said, &[Arc::new(calendar)]);
    /// let flat: Value = serde_json::from_str(&reply.stdout)?;
    /// assert_eq!(flat["context_injections"][0]["hook_name"], "calendar");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn write_result_of(
        &self,
        event: &Event,
        result: &HookResult,
        hooks: &[Arc<HookInfo>],
    ) -> Reply {
        (self.odd.answer)(self, event, result, hooks)
    }

    /// Returns what is known of the host as data.
    pub const fn facts(&self) -> &'static HostFacts {
        self.facts
    }

    /// Returns one row per event that the host has.
    pub const fn rows(&self) -> &'static [HostRow] {
        self.events
    }

    /// Returns what this event lets a hook say; the row, narrowed or widened by what the payload tells.
    pub fn can(&self, event: &Event) -> Capabilities {
        (self.odd.can)(self, event)
    }

    /// Tells whether a host does not wait for a hook that prints this as its first line.
    ///
    /// ```
    /// let [claude, cursor] = ["claude-code", "cursor"].map(|id| anyhook_wires::host(id).unwrap());
    /// let line = br#"{"async": true, "asyncTimeout": 180000}"#;
    /// assert!(claude.leaves(line) && !claude.leaves(b"{}") && !cursor.leaves(line));
    /// ```
    pub fn leaves(&self, line: &[u8]) -> bool {
        (self.odd.leaves)(line)
    }

    /// Refuses an event whose payload could not be read; `row` is known if the command line named the event.
    pub fn refuse_unread(&self, row: Option<&'static HostRow>, reason: &str) -> Reply {
        (self.odd.refuse)(self, row, reason)
    }

    /// Returns the error for a name that is no event of this host; nothing where a later version may have it, so that an
    /// event that cannot be refused goes on.
    ///
    /// ```
    /// use anyhook_wires::host;
    /// let [athena, claude] = ["athena", "claude-code"].map(|id| host(id).unwrap());
    /// let error = athena.misnamed("PreToolUze").unwrap();
    /// assert_eq!(error.exit, 64);
    /// assert_eq!(error.stderr, "error: ex_athena has no event `PreToolUze`\nhelp: did you mean `PreToolUse`?\n");
    /// assert!(claude.misnamed("PreToolUze").is_none());
    /// ```
    pub fn misnamed(&self, name: &str) -> Option<Reply> {
        let names = self.events.iter().map(|row| row.name);
        let near = taxonomy::nearest(name, names);
        let help = near.map(|near| format!("help: did you mean `{near}`?\n"));
        self.lists_all.then(|| Reply {
            stderr: format!(
                "error: {}\n{}",
                self.no_event(name),
                help.unwrap_or_default()
            ),
            exit: USAGE,
            ..Reply::default()
        })
    }

    /// Writes an event as a hook on this event of the host reads it. `native` is the host's own name for it: one event of
    /// ours may be several of a host's, each with a form of its own.
    pub fn write_as(&self, event: &Event, native: &str) -> Value {
        (self.odd.write_as)(self, event, native)
    }

    /// Reads what a hook on this event of the host answered.
    pub fn read_as(&self, raw: &Transcript, event: &Event, native: &str) -> HandlerResult {
        (self.odd.decode)(self.run(raw, event, self.row_as(event, native)))
    }

    /// Reads an answer that was written for this host as the host itself does, where a hook of it is read otherwise.
    pub fn read_back(&self, raw: &Transcript, event: &Event, native: &str) -> HandlerResult {
        (self.odd.read_back)(self.run(raw, event, self.row_as(event, native)))
    }

    /// Returns the later event of the very same call at which the host asks a person, where this one cannot. A question
    /// may be left to it by a caller that knows that our entry for it stands in the host's settings; else it is a refusal here.
    pub fn asks_later(&self, event: &Event) -> Option<&'static HostRow> {
        self.origin_of(event)?;
        let tool = event.subject.as_deref()?;
        let mut again = self.row_of(event)?.again.iter();
        let (_, native) = again.find(|(prefix, _)| tool.starts_with(prefix))?;
        self.row(native)
    }

    /// Returns the row of an event, by the host's own name for it, of today or of old, else by any other name.
    pub fn row(&self, name: &str) -> Option<&'static HostRow> {
        let is_it = |row: &&HostRow| row.name == name || row.also.contains(&name);
        let exact = self.events.iter().find(is_it);
        let event = EventName::new(name);
        exact.or_else(|| self.events.iter().find(|row| row.is(&event)))
    }
}

impl fmt::Debug for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.id)
    }
}

/// Writes a fitted result as the host reads it; nothing on an event that it does not have.
pub(super) fn answer(
    host: &Host,
    event: &Event,
    result: &HookResult,
    _: &[Arc<HookInfo>],
) -> Reply {
    host.row_of(event).map_or_else(
        || host.silence(),
        |row| (host.odd.reply)(host, row, Some(event), result),
    )
}

/// Returns what an event lets a hook say.
///
/// A rewrite is said with an approval, and a rewrite alone must never approve. Where the person has approved everything
/// already, it gives nothing away.
pub(super) fn can(host: &Host, event: &Event) -> Capabilities {
    let Some(row) = host.row_of(event) else {
        return host.unknown;
    };
    let mut can = row.can_on(event);
    if row.form == Form::Permission && host.is_free(event) {
        can.coupling = RewriteCoupling::Free;
    }
    can
}

/// Reads a payload: its name goes to the origin, fields with a name of their own get the canonical one, and everything else stays.
pub(super) fn read_payload(
    host: &Host,
    bytes: &[u8],
    hint: Option<&str>,
) -> Result<Event, DecodeError> {
    let mut data = json::object(bytes)?;
    let native = payload::native_name(host, &mut data, host.named_by, hint)?;
    let row = host.row(&native);
    let mut slips = [hint, Some(&*native)].into_iter().flatten();
    let slip = slips.find(|name| host.lists_all && host.row(name).is_none());
    if let Some(name) = slip {
        return Err(DecodeError::new(host.no_event(name)).about(name));
    }
    // A name of old is one of the event's names, and not the one that it goes by.
    let is_old = |row: &&HostRow| row.also.contains(&&*native);
    let native = row
        .filter(is_old)
        .map_or_else(|| native.clone(), |row| row.name.to_owned());
    let about = |error: DecodeError| error.about(&native);
    for (former, now) in host.former {
        if !data.contains_key(*now) {
            payload::rename(&mut data, former, now);
        }
    }
    for (native, canonical) in host.fields {
        payload::rename(&mut data, native, canonical);
    }
    if let Some(row) = row {
        payload::check(&data, row.needs).map_err(about)?;
        for (native, canonical) in row.fields {
            payload::rename(&mut data, native, canonical);
        }
        (host.odd.open)(row, &mut data).map_err(about)?;
        if let Some((name, text)) = row.adds {
            data.entry(name).or_insert_with(|| text.into());
        }
    }
    let mut incoming = incoming(host, native.clone(), row, bytes);
    let failed = row.and_then(|row| row.failed);
    incoming.event = failed
        .filter(|_| data.contains_key("error"))
        .or(incoming.event);
    let mut event = payload::event(incoming, data)?;
    (host.odd.close)(&mut event, row).map_err(about)?;
    Ok(event)
}

/// Returns what the row tells of an event before its data is looked at.
pub(super) fn incoming<'a>(
    host: &'a Host,
    native: String,
    row: Option<&HostRow>,
    bytes: &'a [u8],
) -> IncomingEvent<'a> {
    IncomingEvent {
        host: host.id,
        native,
        event: row.map(|row| row.event),
        subject: row.and_then(|row| row.subject),
        tools: host.facts.tools,
        bytes,
    }
}

/// Writes a payload: the same JSON again, where this host sent it.
pub(super) fn write_payload(host: &Host, event: &Event, row: Option<&'static HostRow>) -> Value {
    payload::as_it_came(host, event, row, |event| lowered(host, event, row))
}

fn lowered(host: &Host, event: &Event, row: Option<&'static HostRow>) -> Value {
    let mut data = payload::fields(event, host.id, host.facts.tools);
    if let Some(row) = row {
        (host.odd.lower)(event, row, &mut data);
        for (native, canonical) in row.fields {
            payload::rename(&mut data, canonical, native);
        }
    }
    for (native, canonical) in host.fields {
        payload::rename(&mut data, canonical, native);
    }
    if let Some(name) = host.named_by.first() {
        let native = match (host.origin_of(event), row) {
            (Some(origin), _) => &*origin.native,
            (None, Some(row)) => row.name,
            (None, None) => event.name.as_str(),
        };
        data.insert((*name).to_owned(), native.into());
    }
    Value::Object(data)
}

/// Writes a payload for a hook on this event of the host, which may have several for one of ours.
pub(super) fn write_as(host: &Host, event: &Event, native: &str) -> Value {
    let row = host.row_as(event, native);
    let mut written = (host.odd.write)(host, event, row);
    let native = host.row(native).map_or(native, |row| row.name);
    // One that the host itself sent keeps the name that it came with.
    if let (Value::Object(data), Some(name), None) =
        (&mut written, host.named_by.first(), host.origin_of(event))
    {
        data.insert((*name).to_owned(), native.into());
    }
    written
}
