//! The connection to the server of a fleet: what is published is acknowledged, and a stream is read without a consumer.
//!
//! Only plain requests are used, so that the permissions of a member are a list of subjects: its own, and those it reads.

use std::fmt::Display;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use async_nats::header::HeaderMap;
use async_nats::{Client, ConnectOptions, Event, Message, Request, RequestErrorKind, Subscriber};
use futures_util::StreamExt as _;
use futures_util::future::{Either, select};
use serde_json::{Value, json};
use tokio::sync::Notify;

use crate::control::{AUDIT, AUDITED};
use crate::error::{PolicyError, Trouble};
use crate::keys::SecretKey;

/// How long one answer may take.
const PATIENCE: Duration = Duration::from_secs(5);
/// How long the first message of an answer may take, and how often one is asked for.
const FIRST: Duration = Duration::from_secs(1);
const ASKED_AGAIN: u32 = 5;
/// While a stream has no leader, because its server was lost, it is asked so often: the connection is good, and a new one would
/// only keep the servers from the election.
const ELECTION: Duration = Duration::from_millis(500);
/// So many messages are read with one request.
const TOGETHER: u32 = 256;
const READ: &str = "$JS.API.DIRECT.GET.AUDIT";

/// Who connects, and where to.
pub(crate) struct ConnectionSettings {
    /// One address, or those of a cluster with commas between them.
    pub(crate) server: String,
    pub(crate) authority: Option<PathBuf>,
    pub(crate) name: String,
    pub(crate) key: SecretKey,
}

/// A connection.
pub(crate) struct ServerConnection {
    client: Client,
    address: String,
    /// What the server said last that was no answer, such as that something is not permitted.
    said: Arc<Mutex<Option<String>>>,
    /// Rings when the connection is lost: no answer comes by it any more.
    lost: Arc<Notify>,
}

/// A message of a stream.
pub(crate) struct StreamMessage {
    pub(crate) sequence: u64,
    pub(crate) subject: String,
    /// When the server got it, in milliseconds since 1970.
    pub(crate) at: i64,
    pub(crate) message: Vec<u8>,
}

impl ServerConnection {
    /// Connects once; what is cut later is connected again by itself.
    pub(crate) async fn connect(caller: &ConnectionSettings) -> Result<Self, PolicyError> {
        let seed = caller.key.seed()?;
        let said = Arc::new(Mutex::new(None));
        let lost = Arc::new(Notify::new());
        let (heard, ends) = (said.clone(), lost.clone());
        let mut options = ConnectOptions::with_nkey(seed)
            .name(format!("anyhook {}", caller.name))
            .custom_inbox_prefix(format!("_INBOX.{}", caller.name))
            .request_timeout(Some(PATIENCE))
            .connection_timeout(PATIENCE)
            .require_tls(caller.server.contains("tls://"))
            .event_callback(move |event| {
                if let Event::ServerError(_) | Event::ClientError(_) = event {
                    *heard.lock().unwrap_or_else(PoisonError::into_inner) = Some(event.to_string());
                }
                if let Event::Disconnected = event {
                    ends.notify_waiters();
                }
                std::future::ready(())
            });
        if let Some(file) = &caller.authority {
            options = options.add_root_certificates(file.clone());
        }
        let failed = |why: &dyn Display| failed(&caller.server, why);
        let addresses: Vec<&str> = caller.server.split(',').collect();
        let client = tokio::time::timeout(PATIENCE * 2, options.connect(addresses)).await;
        let client = client.map_err(|_| failed(&"it does not answer"))?;
        let client = client.map_err(|error| failed(&error))?;
        Ok(Self {
            client,
            address: caller.server.clone(),
            said,
            lost,
        })
    }

    /// Publishes, and waits until the stream has it. What has the same id as a message before is stored once.
    pub(crate) async fn publish(
        &self,
        subject: &str,
        id: &str,
        message: Vec<u8>,
    ) -> Result<(), PolicyError> {
        let mut headers = HeaderMap::new();
        headers.insert("Nats-Msg-Id", id);
        let answer = self.ask(subject, headers, message).await?;
        if answer.get("seq").is_some_and(Value::is_u64) {
            return Ok(());
        }
        let why = answer.pointer("/error/description").map(Value::to_string);
        Err(self.failed(why.unwrap_or_else(|| "it did not store the message".into())))
    }

    /// Makes a stream as it is described, or changes it to that.
    pub(crate) async fn make(&self, config: &Value) -> Result<(), PolicyError> {
        let mut why = String::new();
        for verb in ["CREATE", "UPDATE"] {
            let (subject, config) = (format!("$JS.API.STREAM.{verb}.{AUDIT}"), config.to_string());
            let answer = self
                .ask(&subject, HeaderMap::new(), config.into_bytes())
                .await?;
            match answer.get("error") {
                None => return Ok(()),
                Some(error) => why = error.to_string(),
            }
        }
        Err(self.failed(why))
    }

    /// Reads some messages of a stream behind a sequence, in their order; none where it has no more.
    ///
    /// Each server of a cluster may be the one that answers, also one that was cut off from the others a moment ago: where
    /// nothing comes, it is asked again.
    pub(crate) async fn behind(&self, sequence: u64) -> Result<Vec<StreamMessage>, PolicyError> {
        let ask = json!({"seq": sequence + 1, "next_by_subj": AUDITED, "batch": TOGETHER, "max_bytes": 16 << 20});
        let ask = ask.to_string();
        for _ in 0..ASKED_AGAIN {
            let inbox = self.client.new_inbox();
            let answers = self.client.subscribe(inbox.clone()).await;
            let answers = answers.map_err(|error| self.failed(error))?;
            let asked = self
                .client
                .publish_with_reply(READ, inbox, ask.clone().into());
            asked.await.map_err(|error| self.failed(error))?;
            if let Some(found) = self.answers(answers).await? {
                return Ok(found);
            }
        }
        Err(self.silent())
    }

    /// Collects the messages of one answer; nothing where none begins in time.
    async fn answers(
        &self,
        mut answers: Subscriber,
    ) -> Result<Option<Vec<StreamMessage>>, PolicyError> {
        let mut found = Vec::new();
        loop {
            let patience = if found.is_empty() { FIRST } else { PATIENCE };
            let next = tokio::time::timeout(patience, answers.next());
            let Some(answer) = self.unless_lost(next).await?.ok().flatten() else {
                return if found.is_empty() {
                    Ok(None)
                } else {
                    Err(self.silent())
                };
            };
            match (kept(&answer), answer.status.map(|status| status.as_u16())) {
                (Some(kept), _) => found.push(kept),
                (None, Some(204 | 404)) => return Ok(Some(found)),
                (None, status) => {
                    let why = answer.description.as_deref().unwrap_or_default();
                    return Err(self.failed(format!("{status:?} {why}")));
                }
            }
        }
    }

    /// Waits until everything was written, so that an ending process leaves nothing behind.
    pub(crate) async fn flush(&self) {
        let _ = tokio::time::timeout(PATIENCE, self.client.flush()).await;
    }

    /// Asks; a stream whose server was lost is asked again until it has another leader.
    async fn ask(
        &self,
        subject: &str,
        headers: HeaderMap,
        text: Vec<u8>,
    ) -> Result<Value, PolicyError> {
        let begun = Instant::now();
        loop {
            let request = Request::new()
                .headers(headers.clone())
                .payload(text.clone().into());
            let answer = self.client.send_request(subject.to_owned(), request);
            let error = match self.unless_lost(answer).await? {
                Ok(answer) => {
                    return Ok(serde_json::from_slice(&answer.payload).unwrap_or_default());
                }
                Err(error) => error,
            };
            match error.kind() {
                RequestErrorKind::NoResponders if begun.elapsed() < PATIENCE => {
                    tokio::time::sleep(ELECTION).await;
                }
                RequestErrorKind::TimedOut => return Err(self.silent()),
                _ => return Err(self.failed(format!("{error} (`{subject}`)"))),
            }
        }
    }

    /// Waits for what a connection brings for as long as it is there: another server of the cluster is asked sooner so.
    async fn unless_lost<T>(&self, work: impl Future<Output = T>) -> Result<T, PolicyError> {
        let (work, lost) = (std::pin::pin!(work), std::pin::pin!(self.lost.notified()));
        match select(work, lost).await {
            Either::Left((done, _)) => Ok(done),
            Either::Right(_) => Err(self.failed("the connection was lost")),
        }
    }

    /// A server does not answer what it does not permit; it says so beside.
    fn silent(&self) -> PolicyError {
        let said = self
            .said
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        self.failed(said.unwrap_or_else(|| "it does not answer".into()))
    }

    fn failed(&self, why: impl Display) -> PolicyError {
        failed(&self.address, &why)
    }
}

fn failed(server: &str, why: &dyn Display) -> PolicyError {
    Trouble::Server.error(format!("`{server}`: {why}"))
}

/// Reads a message of a stream out of an answer; nothing where the answer is another one.
fn kept(answer: &Message) -> Option<StreamMessage> {
    let headers = answer.headers.as_ref()?;
    let text = |name: &str| headers.get(name).map(|value| value.as_str().to_owned());
    let at: jiff::Timestamp = text("Nats-Time-Stamp")?.parse().ok()?;
    Some(StreamMessage {
        at: at.as_millisecond(),
        sequence: text("Nats-Sequence")?.parse().ok()?,
        subject: text("Nats-Subject")?,
        message: answer.payload.to_vec(),
    })
}
