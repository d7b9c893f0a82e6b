//! The order for a supervisor: one line of JSON, then the standard input of each process.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhook_confine::Spec;
use anyhook_core::event::{Event, Map, Origin};
use anyhook_core::handler::Handler;
use anyhook_core::hook::{Hook, HookInfo};
use anyhook_core::sandbox::Sandbox;
use serde::{Deserialize, Serialize};

use crate::processes::{Confined, Job};
use crate::state::SessionKey;

/// The version of this form: the supervisor is the same program, unless it was replaced between two steps.
pub(crate) const VERSION: u32 = 5;

/// One hook that goes on in the background.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Order {
    pub(crate) version: u32,
    /// The report of the event.
    pub(crate) parent: String,
    /// The session that hears of it; nothing where nothing is remembered.
    pub(crate) session: Option<SessionKey>,
    /// Whether the report keeps values.
    pub(crate) keeps_payload: bool,
    pub(crate) hook: HookInfo,
    /// The hook from one process to the next.
    pub(crate) mark: String,
    /// What its entry does, by the `type` of the entry.
    pub(crate) kind: String,
    /// What its command may touch, where it runs confined.
    pub(crate) sandbox: Option<Sandbox>,
    /// In whose words it answers: a host, and that host's name of the event.
    pub(crate) speaks: Option<(String, String)>,
    pub(crate) work: Vec<Work>,
}

impl Order {
    /// Begins an order without work.
    pub(crate) fn new(hook: &Hook, mark: String, parent: &str) -> Self {
        let kind = match &hook.handler {
            Handler::Declared(action) => crate::load::kind(action),
            Handler::InProcess(_) => "command",
        };
        let speaks = hook.speaks.as_deref();
        Self {
            version: VERSION,
            parent: parent.to_owned(),
            session: None,
            keeps_payload: false,
            hook: HookInfo::clone(&hook.info),
            mark,
            kind: kind.to_owned(),
            sandbox: hook.sandbox.as_deref().cloned(),
            speaks: speaks.map(|speaks| (speaks.host.to_owned(), speaks.native.to_string())),
            work: Vec::new(),
        }
    }
}

/// One process of it, and what that is asked about.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Work {
    program: Text,
    args: Vec<Text>,
    env: Vec<(Text, Text)>,
    cwd: Text,
    millis: u64,
    /// The helper that confines it, what the helper gets, and whether what is refused is seen.
    confined: Option<(Vec<Text>, Spec, bool)>,
    /// How many bytes it reads.
    stdin: usize,
    name: String,
    subject: Option<String>,
    data: Map,
    host: String,
    native: String,
    session_id: Option<String>,
}

/// Text of the system, which may be no UTF-8.
#[derive(Debug, Serialize, Deserialize)]
#[serde(untagged)]
enum Text {
    Plain(String),
    Bytes(Vec<u8>),
}

impl From<&OsStr> for Text {
    fn from(text: &OsStr) -> Self {
        match text.to_str() {
            Some(text) => Self::Plain(text.to_owned()),
            None => Self::Bytes(text.as_bytes().to_owned()),
        }
    }
}

impl From<Text> for OsString {
    fn from(text: Text) -> Self {
        match text {
            Text::Plain(text) => text.into(),
            Text::Bytes(bytes) => Self::from_vec(bytes),
        }
    }
}

impl Work {
    pub(crate) fn new(job: &Job, event: &Event) -> Self {
        let origin = event.origin.as_deref();
        Self {
            program: job.program.as_os_str().into(),
            args: job.args.iter().map(|arg| arg.as_os_str().into()).collect(),
            env: job
                .env
                .iter()
                .map(|(name, value)| (name.as_os_str().into(), value.as_os_str().into()))
                .collect(),
            cwd: job.cwd.as_os_str().into(),
            confined: job.confined.as_deref().map(|confined| {
                let helper = confined.helper.iter().map(|word| word.as_os_str().into());
                (helper.collect(), confined.spec.clone(), confined.watched)
            }),
            millis: u64::try_from(job.deadline.as_millis()).unwrap_or(u64::MAX),
            stdin: job.stdin.len(),
            name: event.name.as_str().to_owned(),
            subject: event.subject.as_deref().map(str::to_owned),
            data: event.data.json().into_owned(),
            host: origin
                .map(|origin| origin.host.to_string())
                .unwrap_or_default(),
            native: origin
                .map(|origin| origin.native.to_string())
                .unwrap_or_default(),
            session_id: event.session().map(str::to_owned),
        }
    }

    /// Returns the process and the event; `stdin` is what stands behind the line, and the bytes of this one are taken off.
    pub(crate) fn undone(self, stdin: &mut &[u8]) -> Option<(Job, Event)> {
        let (own, rest) = stdin.split_at_checked(self.stdin)?;
        *stdin = rest;
        let text = |text: Text| OsString::from(text);
        let confined = self.confined.map(|(helper, spec, watched)| {
            let helper = helper.into_iter().map(text).collect();
            Box::new(Confined {
                helper,
                spec,
                watched,
            })
        });
        let job = Job {
            program: PathBuf::from(text(self.program)),
            args: self.args.into_iter().map(text).collect(),
            env: self
                .env
                .into_iter()
                .map(|(name, value)| (name.into(), value.into()))
                .collect(),
            cwd: PathBuf::from(text(self.cwd)),
            stdin: Arc::from(own),
            deadline: Duration::from_millis(self.millis),
            confined,
        };
        let mut event = Event::new(&self.name, self.data);
        event.subject = self.subject.map(String::into_boxed_str);
        event.origin = Some(Box::new(Origin {
            host: self.host.into(),
            native: self.native.into(),
            session: self.session_id.map(String::into_boxed_str),
            ..Origin::default()
        }));
        Some((job, event))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_no_text_comes_back_as_it_was() {
        let odd = OsString::from_vec(vec![b'a', 0xff, b'"']);
        let job = Job {
            program: "/bin/sh".into(),
            args: vec!["-c".into(), odd.clone()],
            env: vec![("A".into(), odd.clone())],
            cwd: PathBuf::from(&odd),
            stdin: b"one\n".as_slice().into(),
            deadline: Duration::from_millis(1500),
            confined: None,
        };
        let mut event = Event::new("tool:post", json!({"tool_name": "Write"}));
        event.origin = Some(Box::new(Origin {
            session: Some("s".into()),
            ..Origin::default()
        }));
        let line = serde_json::to_string(&Work::new(&job, &event)).unwrap();
        let work: Work = serde_json::from_str(&line).unwrap();
        let mut rest = b"one\ntwo".as_slice();
        let (back, heard) = work.undone(&mut rest).unwrap();
        assert_eq!(
            (back.args, back.env, back.cwd),
            (job.args, job.env, job.cwd)
        );
        assert_eq!(
            (&*back.stdin, back.deadline, rest),
            (&*job.stdin, job.deadline, &b"two"[..])
        );
        assert_eq!((&heard.name, heard.session()), (&event.name, Some("s")));
    }

    #[test]
    fn an_order_that_was_cut_off_is_none() {
        let job = Job {
            program: "/bin/sh".into(),
            args: Vec::new(),
            env: Vec::new(),
            cwd: "/".into(),
            stdin: b"1234".as_slice().into(),
            deadline: Duration::ZERO,
            confined: None,
        };
        let work = Work::new(&job, &Event::new("stop", json!({})));
        assert!(work.undone(&mut b"123".as_slice()).is_none());
    }
}
