//! Measuring two things side by side: in turns, in one run, so that a busy machine slows both and their ratio stays true.
//!
//! The usual harnesses measure one thing after the other; on a shared machine the second one meets another machine. Here
//! every round runs every contender once, in turn, and a ratio is the median over the rounds of *paired* ratios.

pub mod place;

use std::fmt::Write as _;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use std::{fs, io};

use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeVal;

/// Returns the target folder of this workspace.
pub fn target() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from)
}

/// Finds the program: the one that `ANYHOOK_BIN` names, else the release build.
pub fn program() -> Option<PathBuf> {
    let named = std::env::var_os("ANYHOOK_BIN").map(PathBuf::from);
    let built = target().join("release/anyhook");
    let mut all = named.into_iter().chain([built]);
    all.find(|program| program.is_file())
}

/// Writes what was measured between the two marks of a page. What stands outside of them was written by hand and stays.
pub fn marked(page: &Path, mark: &str, measured: &str) -> io::Result<()> {
    let (start, end) = (
        format!("<!-- {mark}:start -->\n"),
        format!("<!-- {mark}:end -->"),
    );
    let text = fs::read_to_string(page)?;
    let marks = text.split_once(&start).and_then(|(before, rest)| {
        let (_, after) = rest.split_once(&end)?;
        Some((before, after))
    });
    let lost = || io::Error::other(format!("`{}` has lost its marks `{mark}`", page.display()));
    let (before, after) = marks.ok_or_else(lost)?;
    fs::write(page, format!("{before}{start}{measured}{end}{after}"))
}

/// The processor time of this process and of its children in seconds, and that of this thread.
pub fn spent() -> [f64; 2] {
    let of = |who| {
        let Ok(usage) = getrusage(who) else {
            return f64::NAN;
        };
        let time = |of: TimeVal| {
            let seconds = u64::try_from(of.tv_sec()).unwrap_or_default();
            let micros = u64::try_from(of.tv_usec()).unwrap_or_default();
            Duration::from_secs(seconds) + Duration::from_micros(micros)
        };
        (time(usage.user_time()) + time(usage.system_time())).as_secs_f64()
    };
    let all = of(UsageWho::RUSAGE_SELF) + of(UsageWho::RUSAGE_CHILDREN);
    [all, of(UsageWho::RUSAGE_THREAD)]
}

/// One contender: a name, and what it does so many times.
pub struct Contender<'a> {
    name: &'a str,
    run: Box<dyn FnMut(u32) + 'a>,
}

impl std::fmt::Debug for Contender<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Contender")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

impl<'a> Contender<'a> {
    /// Makes a contender from one iteration of it. What it returns is kept from the optimiser.
    pub fn new<T>(name: &'a str, mut once: impl FnMut() -> T + 'a) -> Self {
        let run = move |times: u32| {
            for _ in 0..times {
                black_box(once());
            }
        };
        Self {
            name,
            run: Box::new(run),
        }
    }

    fn time(&mut self, times: u32) -> f64 {
        let began = Instant::now();
        (self.run)(times);
        began.elapsed().as_secs_f64() / f64::from(times)
    }
}

/// What one contender came to.
#[derive(Debug, Clone, PartialEq)]
pub struct Measurement {
    /// Its name.
    pub name: String,
    /// Seconds per iteration: the median over the rounds.
    pub median: f64,
    /// The median, and the tenth and ninetieth percentile, of its ratio to the first contender of the same round.
    pub ratio: [f64; 3],
}

/// Runs every contender once per round, in turn, `times` iterations each, and compares each with the first.
pub fn interleave(
    rounds: usize,
    times: u32,
    mut contenders: Vec<Contender<'_>>,
) -> Vec<Measurement> {
    for contender in &mut contenders {
        contender.time(times);
    }
    let mut seconds: Vec<Vec<f64>> = vec![Vec::with_capacity(rounds); contenders.len()];
    for _ in 0..rounds {
        for (contender, seconds) in contenders.iter_mut().zip(&mut seconds) {
            seconds.push(contender.time(times));
        }
    }
    let first = seconds.first().cloned().unwrap_or_default();
    let measure = |(contender, seconds): (&Contender<'_>, &Vec<f64>)| {
        let ratios: Vec<f64> = seconds
            .iter()
            .zip(&first)
            .map(|(own, first)| own / first)
            .collect();
        let at = |part| percentile(&ratios, part);
        Measurement {
            name: contender.name.to_owned(),
            median: percentile(seconds, 50),
            ratio: [at(50), at(10), at(90)],
        }
    };
    contenders.iter().zip(&seconds).map(measure).collect()
}

/// Returns the value below which so many percent lie.
pub fn percentile(values: &[f64], part: usize) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let at = sorted.len().saturating_sub(1) * part / 100;
    sorted.get(at).copied().unwrap_or(f64::NAN)
}

/// Something that is said of the numbers: a ratio, and what it may be at most.
#[derive(Debug, Clone, PartialEq)]
pub struct Claim {
    text: String,
    measured: f64,
    most: f64,
}

impl Claim {
    /// Claims that a number is not larger.
    pub fn at_most(text: &str, measured: f64, most: f64) -> Self {
        let text = text.to_owned();
        Self {
            text,
            measured,
            most,
        }
    }
}

/// Writes the claims, each with what was measured and whether it holds.
pub fn claims(claims: &[Claim]) -> String {
    let mut text = format!("\n{:52} {:>9}\n", "what is claimed", "measured");
    for Claim {
        text: what,
        measured,
        most,
    } in claims
    {
        let holds = if measured <= most {
            "holds"
        } else {
            "DOES NOT HOLD"
        };
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{what:52} {measured:>9.2}  at most {most}: {holds}");
    }
    text
}

/// Writes a table; the first row is what the others are compared with.
pub fn table(title: &str, measured: &[Measurement]) -> String {
    let mut text = format!(
        "\n{title}\n{:44} {:>12} {:>8}  {:>15}\n",
        "", "median", "ratio", "p10 .. p90"
    );
    for row in measured {
        let [median, low, high] = row.ratio;
        let time = time(row.median);
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "{:44} {time:>12} {median:>7.2}x  {low:>6.2} .. {high:<6.2}",
            row.name
        );
    }
    text
}

fn time(seconds: f64) -> String {
    match seconds {
        s if s < 1e-6 => format!("{:.1} ns", s * 1e9),
        s if s < 1e-3 => format!("{:.2} us", s * 1e6),
        s => format!("{:.2} ms", s * 1e3),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ratio_is_the_median_of_paired_ratios() {
        assert!((percentile(&[3.0, 1.0, 2.0], 50) - 2.0).abs() < f64::EPSILON);
        let spin =
            |times: u32| move || (0..times).fold(0_u64, |sum, n| black_box(sum + u64::from(n)));
        let measured = interleave(
            9,
            50,
            vec![
                Contender::new("one", spin(200)),
                Contender::new("ten", spin(2000)),
            ],
        );
        assert!((measured[0].ratio[0] - 1.0).abs() < f64::EPSILON);
        assert!(
            measured[1].ratio[0] > 2.0,
            "ten times the work is more work: {:?}",
            measured[1]
        );
    }
}
