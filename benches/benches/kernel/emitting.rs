//! Emits: by the number of handlers, by the size of the payload, and with handlers that rewrite.

use std::sync::Arc;

use anyhook_benches::{Claim, Contender, interleave};
use anyhook_core::event::{Event, Map};
use anyhook_core::result::HookResult;

use crate::floor::{self, Floor};
use crate::naive::{self, Naive};
use crate::{Boxed, EVENT, Effort, now, payloads, ratio, registry, silent};

/// Every number of handlers, at 237 bytes.
pub(crate) fn table(effort: Effort, made: &mut Vec<Claim>) -> String {
    [0, 1, 10, 100]
        .map(|many| emit(effort, many, made))
        .concat()
}

fn emit(effort: Effort, many: usize, made: &mut Vec<Claim>) -> String {
    let data = Arc::new(payloads::small());
    let floors: [Floor; 2] = [
        Floor::with(EVENT, many, || Arc::new(floor::Boxed)),
        Floor::with(EVENT, many, || Arc::new(floor::Ready)),
    ];
    let (ready, boxed, naive) = (
        registry(many, |_| silent),
        registry(many, |_| Boxed),
        crate::naive(many),
    );
    let measured = interleave(
        effort.rounds,
        effort.times / u32::try_from(many.max(10) / 10).unwrap_or(1),
        vec![
            Contender::new("floor, boxed futures", || {
                now(floors[0].emit(EVENT, Arc::clone(&data)))
            }),
            Contender::new("floor, ready", || {
                now(floors[1].emit(EVENT, Arc::clone(&data)))
            }),
            Contender::new("emit, boxed futures", || {
                now(boxed.emit(EVENT, Arc::clone(&data)))
            }),
            Contender::new("emit, ready", || now(ready.emit(EVENT, Arc::clone(&data)))),
            Contender::new("dispatch, boxed, with its report", || {
                now(boxed.dispatch(&mut Event::new(EVENT, Arc::clone(&data))))
            }),
            Contender::new("naive", || now(naive.emit(EVENT, Map::clone(&data)))),
        ],
    );
    if many == 10 {
        let [emit, dispatch] = [2, 4].map(|at| ratio(&measured, at));
        made.push(Claim::at_most(
            "emit x 10 boxed, to the boxed floor",
            emit,
            1.4,
        ));
        made.push(Claim::at_most(
            "dispatch with its report, to emit",
            dispatch / emit,
            3.0,
        ));
    }
    anyhook_benches::table(&format!("emit to {many} handlers, 237 bytes"), &measured)
}

/// The size of the payload means nothing as long as no handler rewrites.
pub(crate) fn sizes(effort: Effort, made: &mut Vec<Claim>) -> String {
    let boxed = registry(10, |_| Boxed);
    let naive = crate::naive(10);
    let [small, text, structured] =
        [payloads::small(), payloads::text(), payloads::structured()].map(Arc::new);
    let (boxed, naive) = (&boxed, &naive);
    let emit = |data: &Arc<Map>| {
        let data = Arc::clone(data);
        move || now(boxed.emit(EVENT, Arc::clone(&data)))
    };
    let clone = |data: &Arc<Map>| {
        let data = Arc::clone(data);
        move || now(naive.emit(EVENT, Map::clone(&data)))
    };
    let measured = interleave(
        effort.rounds,
        effort.times,
        vec![
            Contender::new("emit, 237 bytes", emit(&small)),
            Contender::new("emit, 64 KiB in one string", emit(&text)),
            Contender::new("emit, 70 KB in 700 objects", emit(&structured)),
        ],
    );
    let beside = interleave(
        effort.rounds / 5 + 1,
        effort.times / 50 + 1,
        vec![
            Contender::new("emit, 70 KB in 700 objects", emit(&structured)),
            Contender::new("naive, 237 bytes", clone(&small)),
            Contender::new("naive, 64 KiB in one string", clone(&text)),
            Contender::new("naive, 70 KB in 700 objects", clone(&structured)),
        ],
    );
    made.push(Claim::at_most(
        "64 KiB, to 237 bytes",
        ratio(&measured, 1),
        1.1,
    ));
    made.push(Claim::at_most(
        "70 KB, to 237 bytes",
        ratio(&measured, 2),
        1.1,
    ));
    anyhook_benches::table("emit to 10 boxed handlers, by size", &measured)
        + &anyhook_benches::table("the same, beside the naive one", &beside)
}

/// Ten hooks that each change one field.
pub(crate) fn rewriting(effort: Effort, made: &mut Vec<Claim>) -> String {
    let chain = registry(10, |at| {
        move |_: &Event| HookResult::proceed().modify("turn", at)
    });
    let naive = Naive::default();
    for at in 0..10 {
        naive.register(EVENT, &format!("hook-{at}"), move |_, mut data| {
            data.insert("turn".to_owned(), at.into());
            naive::Said::Modify(data)
        });
    }
    let payloads = [
        ("237 bytes", payloads::small(), 3.0, 10),
        ("64 KiB in one string", payloads::text(), 3.0, 20),
        ("70 KB in 700 objects", payloads::structured(), 8.0, 200),
    ];
    let tables = payloads.map(|(size, data, wanted, less)| {
        let data = Arc::new(data);
        let measured = interleave(
            effort.rounds / 3 + 1,
            effort.times / less + 1,
            vec![
                Contender::new("emit", || now(chain.emit(EVENT, Arc::clone(&data)))),
                Contender::new("floor: one copy, changed in place", || {
                    let mut data = Arc::clone(&data);
                    for at in 0..10 {
                        Arc::make_mut(&mut data).insert("turn".to_owned(), at.into());
                    }
                    data
                }),
                Contender::new("naive", || now(naive.emit(EVENT, Map::clone(&data)))),
            ],
        );
        let claim = format!("modify x 10 at {size}: the naive one, to emit");
        made.push(Claim::at_least(&claim, ratio(&measured, 2), wanted));
        anyhook_benches::table(
            &format!("ten hooks that each change a field, {size}"),
            &measured,
        )
    });
    tables.concat()
}
