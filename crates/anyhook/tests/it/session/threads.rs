//! Many threads at once: the budget is one, and no thread gets in the way of another.

use anyhook::core::result::HookResult;

use super::*;

#[test]
fn a_strict_budget_holds_under_eight_threads() {
    let context = Arc::new(Conversation::default());
    let session = session(|setup| {
        setup.context = Some(context.clone());
        setup.settings = settings(json!({"injection_budget_per_turn": 100, "strict": true}));
    });
    let refused: usize = std::thread::scope(|scope| {
        let work = || {
            let one = || lint(&session, HookResult::proceed().inject("12345678901"));
            (0..25).map(|_| one().faults.len()).sum::<usize>()
        };
        let threads: Vec<_> = (0..8).map(|_| scope.spawn(work)).collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap())
            .sum()
    });
    // Three tokens each: 33 of 200 fit into 100.
    assert_eq!((context.texts().len(), refused), (33, 200 - 33));
    assert_eq!(session.injected_tokens().unwrap(), 99);
}
