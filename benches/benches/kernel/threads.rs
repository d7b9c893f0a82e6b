//! Two threads that emit at once, beside the floor that does the same.

use std::hint::black_box;
use std::sync::{Arc, Barrier};
use std::thread;
use std::time::Instant;

use anyhook_benches::{Claim, percentile};

use crate::floor::{self, Floor};
use crate::naive::Naive;
use crate::{Boxed, EVENT, Effort, naive, now, payloads, registry};

/// Runs the work on so many threads, and returns how often it was done per second, all together.
fn rate(threads: u8, times: u32, work: &(dyn Fn() + Sync)) -> f64 {
    let start = Barrier::new(usize::from(threads) + 1);
    let seconds = thread::scope(|scope| {
        let running: Vec<_> = (0..threads)
            .map(|_| {
                scope.spawn(|| {
                    start.wait();
                    let began = Instant::now();
                    (0..times).for_each(|_| work());
                    began.elapsed().as_secs_f64()
                })
            })
            .collect();
        start.wait();
        let slowest = running.into_iter().filter_map(|thread| thread.join().ok());
        slowest.fold(0.0, f64::max)
    });
    f64::from(times) * f64::from(threads) / seconds
}

pub(crate) fn table(effort: Effort, made: &mut Vec<Claim>) -> String {
    let floor = Floor::with(EVENT, 10, || Arc::new(floor::Boxed));
    let boxed = registry(10, |_| Boxed);
    let naive: Naive = naive(10);
    let spin = || {
        black_box((0..400_u64).fold(0_u64, |sum, n| black_box(sum ^ n)));
    };
    // Each thread has a payload of its own, as two agents have.
    thread_local!(static DATA: Arc<anyhook_core::event::Map> = Arc::new(payloads::small()));
    let data = || DATA.with(Arc::clone);
    let of_floor = || drop(now(floor.emit(EVENT, data())));
    let of_emit = || drop(now(boxed.emit(EVENT, data())));
    let of_naive = || {
        drop(now(
            naive.emit(EVENT, anyhook_core::event::Map::clone(&data()))
        ));
    };
    let works: [(&str, &(dyn Fn() + Sync)); 4] = [
        ("two threads that share nothing", &spin),
        ("floor, boxed futures", &of_floor),
        ("emit, boxed futures", &of_emit),
        ("naive", &of_naive),
    ];
    let times = effort.times * 5;
    let mut rounds: Vec<[f64; 4]> = Vec::new();
    for _ in 0..=effort.rounds / 4 {
        rounds.push(works.map(|(_, work)| rate(2, times, work) / rate(1, times, work)));
    }
    written(&works.map(|(name, _)| name), rounds, made)
}

/// Writes the table of the rounds that had both cores to themselves.
fn written(names: &[&str; 4], mut rounds: Vec<[f64; 4]>, made: &mut Vec<Claim>) -> String {
    // Where two threads that share nothing are no faster than one, the second core was in use by another program.
    let all = rounds.len();
    rounds.retain(|[control, ..]| *control >= 1.8);
    let free = rounds.len();
    let mut scaling = vec![Vec::new(); names.len()];
    for round in &rounds {
        for (scaling, own) in scaling.iter_mut().zip(round) {
            scaling.push(*own);
        }
    }
    let mut text = format!(
        "\n{:44} {:>8}  {:>15}\n",
        "two threads, 10 handlers: scaling", "median", "p10 .. p90"
    );
    for (name, scaling) in names.iter().zip(&scaling) {
        let [median, low, high] = [50, 10, 90].map(|part| percentile(scaling, part));
        text.push_str(&format!(
            "{name:44} {median:>7.2}x  {low:>6.2} .. {high:<6.2}\n"
        ));
    }
    let paired: Vec<f64> = rounds
        .iter()
        .map(|[_, floor, emit, _]| emit / floor)
        .collect();
    let median = |at: usize| scaling.get(at).map_or(f64::NAN, |all| percentile(all, 50));
    text.push_str(&format!(
        "{free} of {all} rounds had both cores to themselves\n"
    ));
    made.push(Claim::at_least("two threads, to one", median(2), 1.5));
    made.push(Claim::at_least(
        "the same, to the floor's own scaling",
        percentile(&paired, 50),
        0.9,
    ));
    text
}
