//! Running the calls that were admitted: calls that only read run side by side, a few at a time.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread;

use anyhook::core::event::Map;

use crate::agent::{Agent, Goes};
use crate::message::Call;
use crate::tools::{At, Kind, Tool, ToolError};

/// So many calls run at the same time: a model may ask for hundreds in one turn.
const TOGETHER: usize = 4;

/// What came of a call that ran; nothing where it was not admitted.
pub(crate) type Ran = Option<Result<String, ToolError>>;

/// What became of one call before it ran.
pub(crate) enum Admitted {
    /// It may run, as it is now.
    Runs(&'static dyn Tool),
    /// It may not, and the model reads why.
    Refused(String),
    /// It cannot: there is no such tool.
    Unknown,
}

impl Agent {
    /// Runs what was admitted. A sub-agent is run by the loop, everything else by its tool.
    pub(crate) async fn run_all(
        &mut self,
        batch: &[Call],
        admitted: &[Admitted],
    ) -> Goes<Vec<Ran>> {
        self.still_wanted()?;
        let at = At {
            root: &self.root,
            deadline: self.setup.limits.tool,
            cancel: &self.setup.cancel,
        };
        Ok(match (batch, admitted) {
            ([call], [Admitted::Runs(tool)]) if tool.kind() == Kind::Spawns => {
                vec![Some(self.spawn(call).await?)]
            }
            ([call], [Admitted::Runs(tool)]) => vec![Some(run(*tool, &call.input, at))],
            _ => {
                let calls = batch.iter().zip(admitted);
                let calls: Vec<Option<Running<'_>>> = calls
                    .map(|(call, admitted)| match admitted {
                        Admitted::Runs(tool) => Some((*tool, &call.input)),
                        Admitted::Refused(_) | Admitted::Unknown => None,
                    })
                    .collect();
                let few = calls.chunks(TOGETHER);
                few.flat_map(|few| side_by_side(few, at, thread::Builder::new))
                    .collect()
            }
        })
    }
}

/// A call that runs: its tool, and its arguments.
type Running<'a> = (&'static dyn Tool, &'a Map);

/// Runs these calls, each on a thread of its own. Where no thread is to be had the call has failed, and the model reads so.
fn side_by_side<'a>(
    calls: &[Option<Running<'a>>],
    at: At<'a>,
    threads: fn() -> thread::Builder,
) -> Vec<Ran> {
    thread::scope(|scope| {
        let start = |(tool, input): Running<'a>| {
            threads().spawn_scoped(scope, move || run(tool, input, at))
        };
        let started: Vec<_> = calls.iter().map(|call| call.map(start)).collect();
        let ended = |running: io::Result<thread::ScopedJoinHandle<'_, _>>| match running {
            Ok(running) => running.join().unwrap_or_else(|_| Err(panicked())),
            Err(error) => Err(ToolError(format!(
                "no thread could be started for it: {error}"
            ))),
        };
        started
            .into_iter()
            .map(|running| running.map(ended))
            .collect()
    })
}

/// A tool that panics has failed, and one that is not wanted any more does not begin.
fn run(tool: &dyn Tool, input: &Map, at: At<'_>) -> Result<String, ToolError> {
    if at.cancel.is_now() {
        return Err(ToolError("not run: the run was cancelled".into()));
    }
    catch_unwind(AssertUnwindSafe(|| tool.run(input, &at))).unwrap_or_else(|_| Err(panicked()))
}

pub(crate) fn panicked() -> ToolError {
    ToolError("the tool failed in a way that it does not tell".into())
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::mpsc::{Receiver, Sender, channel};
    use std::sync::{Arc, Mutex};
    use std::time::Duration;

    use anyhook::registry::wait;
    use serde_json::{Value, json};

    use super::*;
    use crate::agent::Setup;
    use crate::provider::scripted::Scripted;

    /// Where one side sends and the other receives.
    type Ends = (Sender<()>, Receiver<()>);

    /// Ends only if another call runs at the same time.
    struct Meets(Mutex<Vec<Ends>>);

    impl Tool for Meets {
        fn name(&self) -> &'static str {
            "meets"
        }
        fn about(&self) -> &'static str {
            "Waits for another one."
        }
        fn schema(&self) -> Value {
            json!({})
        }
        fn kind(&self) -> Kind {
            Kind::Reads
        }
        fn run(&self, _: &Map, _: &At<'_>) -> Result<String, ToolError> {
            let ends = self.0.lock().ok().and_then(|mut all| all.pop());
            let (other, own) = ends.ok_or_else(|| ToolError("a third one".into()))?;
            let _ = other.send(());
            // Long enough for any machine; it is not waited for where both run.
            let met = own.recv_timeout(Duration::from_mins(1));
            met.map(|()| "met".into())
                .map_err(|_| ToolError("alone".into()))
        }
    }

    #[test]
    fn calls_that_only_look_run_at_the_same_time() -> Result<(), Box<dyn std::error::Error>> {
        let place = tempfile::tempdir()?;
        let setup = Setup::new("s1", Arc::new(Scripted::read("[]")?), place.path());
        let mut agent = Agent::new(setup)?;
        let (first, second) = (channel(), channel());
        let ends = vec![(first.0, second.1), (second.0, first.1)];
        let tool: &'static dyn Tool = Box::leak(Box::new(Meets(Mutex::new(ends))));
        let call = |id: &str| Call {
            id: id.into(),
            name: "meets".into(),
            input: Map::new(),
        };
        let runs = [Admitted::Runs(tool), Admitted::Runs(tool)];
        let calls = [call("1"), call("2")];
        let said = wait(agent.run_all(&calls, &runs)).map_err(|_| "it ended")?;
        let met = || Some(Ok("met".to_owned()));
        assert_eq!(said, [met(), met()]);
        Ok(())
    }

    /// Counts how many of its calls run at the same time, and the most of them.
    #[derive(Default)]
    struct Counts {
        now: AtomicUsize,
        most: AtomicUsize,
    }

    impl Tool for Counts {
        fn name(&self) -> &'static str {
            "counts"
        }
        fn about(&self) -> &'static str {
            "Counts."
        }
        fn schema(&self) -> Value {
            json!({})
        }
        fn kind(&self) -> Kind {
            Kind::Reads
        }
        fn run(&self, _: &Map, _: &At<'_>) -> Result<String, ToolError> {
            let now = self.now.fetch_add(1, Ordering::SeqCst) + 1;
            self.most.fetch_max(now, Ordering::SeqCst);
            thread::sleep(Duration::from_millis(1));
            self.now.fetch_sub(1, Ordering::SeqCst);
            Ok("counted".into())
        }
    }

    /// Runs so many calls of one tool in a turn.
    fn run_many(
        tool: &'static dyn Tool,
        count: usize,
    ) -> Result<Vec<Ran>, Box<dyn std::error::Error>> {
        let place = tempfile::tempdir()?;
        let setup = Setup::new("s1", Arc::new(Scripted::read("[]")?), place.path());
        let mut agent = Agent::new(setup)?;
        let call = |at: usize| Call {
            id: at.to_string(),
            name: tool.name().into(),
            input: Map::new(),
        };
        let calls: Vec<Call> = (0..count).map(call).collect();
        let runs: Vec<Admitted> = (0..count).map(|_| Admitted::Runs(tool)).collect();
        Ok(wait(agent.run_all(&calls, &runs)).map_err(|_| "it ended")?)
    }

    #[test]
    fn of_six_hundred_calls_of_a_turn_four_run_at_the_same_time()
    -> Result<(), Box<dyn std::error::Error>> {
        let tool: &'static Counts = Box::leak(Box::default());
        let said = run_many(tool, 600)?;
        assert_eq!(said, vec![Some(Ok("counted".to_owned())); 600]);
        assert!(tool.most.load(Ordering::SeqCst) <= TOGETHER);
        Ok(())
    }

    #[test]
    fn where_no_thread_is_to_be_had_a_call_has_failed() -> Result<(), Box<dyn std::error::Error>> {
        let place = tempfile::tempdir()?;
        let root = crate::tools::Root::open(place.path())?;
        let cancel = crate::cancel::Cancel::default();
        let at = At {
            root: &root,
            deadline: Duration::from_secs(1),
            cancel: &cancel,
        };
        let tool: &'static Counts = Box::leak(Box::default());
        let input = Map::new();
        // No machine has so much room for a stack.
        let none = || thread::Builder::new().stack_size(usize::MAX / 4);
        let said = side_by_side(&[Some((tool, &input)), None], at, none);
        let told = said
            .into_iter()
            .map(|ran| ran.map(|ran| ran.map_err(|error| error.0)));
        let told: Vec<_> = told.collect();
        assert!(
            matches!(&told[..], [Some(Err(why)), None] if why.starts_with("no thread could be started for it")),
            "{told:?}"
        );
        Ok(())
    }
}
