//! Where events are answered: by the line of `anyhook run`, in this process, each on a thread of its own.
//!
//! Whose environment, home and state count is the person's who started the server. A client chooses the folder of its project,
//! as an agent does by the folder in which it starts `anyhook run`, and nothing else: no state, no trust, no manifest.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhook::config::RecordSettings;
use anyhook::core::report::Report;
use anyhook::event::{Caller, Context, EventAnswer, EventTime, Stores, after_a_panic};
use anyhook::load::{LoadOptions, Strictness};
use anyhook::wires::hosts::HOSTS;
use anyhook::wires::{Host, Reply, VersionSource};
use anyhook::world::{SystemClock, World};
use axum::body::Bytes;
use tokio::sync::{Semaphore, oneshot};
use tokio::time::timeout_at;

/// One event of a client.
pub(crate) struct EventRequest {
    pub(crate) host: &'static Host,
    pub(crate) hint: Option<String>,
    pub(crate) project: PathBuf,
    pub(crate) strict: Strictness,
    pub(crate) times: EventTime,
    pub(crate) payload: Bytes,
}

/// What the client reads; without a report where there is none, after a mistake of ours.
pub(crate) struct EventReply {
    pub(crate) reply: Reply,
    pub(crate) report: Option<Report>,
}

/// Answers events.
pub(crate) struct EventService {
    world: World,
    permits: Arc<Semaphore>,
}

impl EventService {
    /// Makes a desk that answers so many events at a time, in the world of one person.
    pub(crate) fn new(mut world: World, events: usize) -> Self {
        forget_agents(&mut world.env);
        Self {
            world,
            permits: Arc::new(Semaphore::new(events)),
        }
    }

    /// Answers an event. Whatever happens, an answer comes out, and in its time.
    pub(crate) async fn answer(&self, asked: EventRequest) -> EventReply {
        let world = Arc::new(self.world_of(&asked));
        let last = asked.times.last();
        let asked = Arc::new(asked);
        let permits = Arc::clone(&self.permits);
        let its = (Arc::clone(&world), Arc::clone(&asked));
        let line = async move {
            // A thread that hangs keeps its permit, so that not more of them hang than there are permits.
            let permit = permits.acquire_owned().await.ok()?;
            let (tell, told) = oneshot::channel();
            tokio::task::spawn_blocking(move || {
                let _permit = permit;
                run(&its.0, &its.1, tell);
            });
            told.await.ok()
        };
        match timeout_at(last.into(), line).await {
            Ok(Some(said)) => said,
            Ok(None) => EventReply {
                reply: after_a_panic(asked.host, asked.hint.as_deref()),
                report: None,
            },
            Err(_) => overdue(&world, &asked),
        }
    }

    /// The world of one event: the server's, in the folder that the client names.
    fn world_of(&self, asked: &EventRequest) -> World {
        let folder = &asked.project;
        let mut world = World {
            cwd: folder.clone(),
            clock: Arc::new(SystemClock::default()),
            ..self.world.clone()
        };
        let project = asked.host.facts().project_variable;
        for name in project.into_iter().chain(["PWD"]) {
            world.env.insert(name.into(), folder.clone().into());
        }
        world
    }
}

/// Takes out of the environment what an agent, or a hook, told of one event when it started the server.
fn forget_agents(env: &mut BTreeMap<OsString, OsString>) {
    let of_hosts = HOSTS.iter().flat_map(|host| {
        let version = match host.facts().version_at {
            Some(VersionSource::Variable(name) | VersionSource::Dashed(name, _)) => Some(name),
            Some(VersionSource::Field(_)) | None => None,
        };
        host.facts().project_variable.into_iter().chain(version)
    });
    let of_hooks = [
        "ANYHOOK_COMMAND",
        "ANYHOOK_EVENT",
        "ANYHOOK_HOST",
        "ANYHOOK_MARK",
        "ANYHOOK_PAYLOAD",
        "ANYHOOK_RECHECK",
        "ANYHOOK_TOOL",
        "OLDPWD",
    ];
    for name in of_hosts.chain(of_hooks) {
        env.remove(OsStr::new(name));
    }
}

/// Asks the line, tells what it says, and then ends what the hooks left running.
fn run(world: &World, asked: &EventRequest, tell: oneshot::Sender<EventReply>) {
    let answered = catch_unwind(AssertUnwindSafe(|| {
        with_line(world, asked, asked.times.left(), |context| {
            context.run(&asked.payload)
        })
    }));
    // A panic drops the sender, and the other end answers in our place.
    let Ok(mut answered) = answered else { return };
    let said = EventReply {
        reply: std::mem::take(&mut answered.reply),
        report: Some(answered.report.clone()),
    };
    // A client that has gone away hears nothing; what was decided is in the log all the same.
    let _ = tell.send(said);
    let _ = catch_unwind(AssertUnwindSafe(|| answered.settle()));
}

fn overdue(world: &World, asked: &EventRequest) -> EventReply {
    let ask = |context: &mut Context<'_>| context.overdue();
    let EventAnswer { reply, report, .. } = with_line(world, asked, Duration::ZERO, ask);
    if let Some(store) = RecordSettings::of(world).store(world) {
        let report = report.clone();
        // The disk may be what held the line up: nothing waits for the log.
        tokio::task::spawn_blocking(move || {
            let _ = store.append(&report);
        });
    }
    EventReply {
        reply,
        report: Some(report),
    }
}

fn with_line(
    world: &World,
    asked: &EventRequest,
    deadline: Duration,
    ask: impl FnOnce(&mut Context<'_>) -> EventAnswer,
) -> EventAnswer {
    let stores = Stores::of(world);
    ask(&mut Context {
        hint: asked.hint.as_deref(),
        deadline: Some(deadline),
        loading: LoadOptions {
            strict: asked.strict,
            ..LoadOptions::default()
        },
        ..stores.context(world, asked.host, Caller::Host)
    })
}
