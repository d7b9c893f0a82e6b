//! What a dispatch costs on the heap. A binary of its own, because it counts every allocation of its thread.

use anyhook_core::dispatch::{Dispatch, DispatchPolicy, DriverAction, StepRecording};
use anyhook_core::event::Event;
use anyhook_core::handler::{Handler, HandlerReply};
use anyhook_core::hook::{Hook, Hooks};
use anyhook_core::result::HookResult;
use serde_json::json;

/// Asks `hooks` silent hooks that are ready, and counts the allocations.
fn allocations(hooks: usize) -> u64 {
    let silent = |at: usize| {
        Hook::in_process("tool:pre", &at.to_string(), |_: &Event| {
            HookResult::proceed()
        })
    };
    let hooks: Hooks = (0..hooks).map(silent).collect();
    let mut event = Event::new("tool:pre", json!({"tool_name": "Write"}));
    let policy = DispatchPolicy {
        record: StepRecording::Nothing,
        ..DispatchPolicy::default()
    };
    let mut asked = 0;
    let info = allocation_counter::measure(|| {
        let mut dispatch = Dispatch::begin(&hooks, &event, policy);
        while let DriverAction::Ask(id) = dispatch.next(&mut event) {
            if let Some(Handler::InProcess(handler)) = hooks.get(id).map(|hook| &hook.handler)
                && let HandlerReply::Ready(said) = handler.handle(&event)
            {
                asked += 1;
                dispatch.answer(id, said, None);
            }
        }
        assert!(dispatch.finish().result.is_identity());
    });
    assert_eq!(asked, hooks.list().len());
    info.count_total
}

#[test]
fn the_counter_counts() {
    let info = allocation_counter::measure(|| drop(std::hint::black_box(Box::new(1))));
    assert_eq!(info.count_total, 1);
}

#[test]
fn hooks_that_say_nothing_cost_nothing_on_the_heap() {
    assert_eq!([1, 10, 1_000].map(allocations), [0, 0, 0]);
}
