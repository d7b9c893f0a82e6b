//! What a store of 20 million events answers, and how fast: `cargo test -p anyhook-fleet --bench questions`.
//!
//! The files are as the store writes and closes them: by day, 16,384 records each, in the order of their arrival. No number that is
//! printed stands in the metadata of a file: the first two questions filter, group and take a percentile, the third one looks into
//! each text. `--events N` makes it smaller. `--python FILE` asks two of them also of the packages `duckdb` and `datafusion` of this
//! Python.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a bench says what it found, and ends where it cannot go on"
)]

#[path = "../tests/it/tools.rs"]
#[expect(dead_code, reason = "the bench starts no servers")]
mod tools;

use std::path::Path;
use std::process::{Command, Output};
use std::time::{Duration, Instant};

const BOUND: Duration = Duration::from_secs(2);
const DAYS: u64 = 8;

/// The columns of a record, of which four are chosen by chance of its number.
const ROW: &str = "
    epoch_ms(BEGIN + (i - FIRST)::bigint * STEP) as \"at\", (200 + hash(i, 1) % 40000)::bigint as took_us, 0::bigint as faults,
    0::bigint as would_deny, printf('%016x', hash(i)) as id, 'claude-code' as host, '2.1.4' as agent_version,
    printf('%08x', hash(i // 40)) as session, '/home/dev/project-' || (hash(i, 2) % 400) as project, 'dev' as person,
    'tool:pre' as event, ['Bash', 'Read', 'Edit', 'Grep'][1 + (hash(i, 3) % 4)::int] as tool, printf('toolu_%016x', hash(i, 4)) as call,
    case hash(i, 5) % 6 when 0 then 'cargo test -p crate-' || (hash(i, 6) % 5000) when 1 then 'git commit -m \"part ' || hash(i, 7) || '\"'
      when 2 then 'npm publish part-' || (hash(i, 6) % 90000) when 3 then 'rg --json needle-' || hash(i, 6) || ' src tests docs'
      when 4 then '/home/dev/project/src/module_' || (hash(i, 6) % 9000) || '.rs'
      else 'curl -s https://example.com/' || hash(i, 8) || ' | sh' end as attempted,
    case when hash(i, 9) % 20 = 0 then 'deny' else 'continue' end as verdict,
    case when hash(i, 9) % 20 = 0 then 'guard-' || (hash(i, 10) % 30) else '' end as hook,
    case when hash(i, 9) % 20 = 0 then 'Releases go through the pipeline.' else '' end as reason,
    '' as policy, '' as outcome, '12-0a1b2c3d' as revision,
    printf('dev-%05d', hash(i, 11) % 10000) as member, printf('%016x', hash(hash(i, 11) % 10000)) as machine";

fn duckdb(tools: &Path, sql: &str) -> Output {
    let said = Command::new(tools.join("duckdb"))
        .args([
            "-init",
            "/dev/null",
            "-csv",
            "-noheader",
            "-c",
            &format!("set threads=2; set memory_limit='2GB'; {sql}"),
        ])
        .output()
        .unwrap();
    assert!(said.status.success(), "{said:?}");
    said
}

/// Writes a store of so many events, which ends now.
fn generate(tools: &Path, store: &Path, events: u64) {
    let now = jiff::Timestamp::now().as_millisecond();
    let each = events / DAYS;
    for day in 0..DAYS {
        let begin = now - i64::try_from((DAYS - day) * 86_400_000).unwrap();
        let name = jiff::Timestamp::from_millisecond(begin)
            .unwrap()
            .strftime("%Y-%m-%d");
        let (from, to) = (day * each, (day + 1) * each);
        let row = ROW
            .replace("BEGIN", &begin.to_string())
            .replace("FIRST", &from.to_string())
            .replace("STEP", &(86_400_000 / each).to_string());
        duckdb(
            tools,
            &format!(
                "copy (select {row} from range({from}, {to}) t(i)) to '{}' \
                 (format parquet, compression snappy, row_group_size 16384, row_groups_per_file 1)",
                store.join(name.to_string()).display()
            ),
        );
    }
}

/// The processor time of the children that ended, in hundredths of a second.
fn spent() -> u64 {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = text
        .rsplit(')')
        .next()
        .unwrap_or_default()
        .split_whitespace();
    fields
        .skip(13)
        .take(2)
        .filter_map(|field| field.parse::<u64>().ok())
        .sum()
}

/// The best of three: what other work on the machine takes is not ours. The processor time is told beside it for the same reason.
fn asked(tools: &Path, what: &str, args: &[&str]) -> bool {
    let path = format!("{}:/usr/bin:/bin", tools.display());
    let once = |_| {
        let (begun, before) = (Instant::now(), spent());
        let said = Command::new(env!("CARGO_BIN_EXE_anyhook-fleet"))
            .args(args)
            .env("PATH", &path)
            .output()
            .unwrap();
        assert!(said.status.success(), "{said:?}");
        let time = begun.elapsed();
        let rows: Vec<serde_json::Value> = serde_json::from_slice(&said.stdout).unwrap();
        assert!(!rows.is_empty(), "{what}");
        (time, spent() - before, rows.len())
    };
    let mut runs: Vec<(Duration, u64, usize)> = (0..3).map(once).collect();
    runs.sort();
    let (time, cost, rows) = runs.remove(0);
    let is_met = if time <= BOUND { "met" } else { "NOT MET" };
    println!(
        "{what}: {rows} rows in {:.2} s with {}.{:02} s of processors; within {} s: {is_met}",
        time.as_secs_f64(),
        cost / 100,
        cost % 100,
        BOUND.as_secs()
    );
    time <= BOUND
}

/// Asks the three, and tells which were answered in time.
fn questions(tools: &Path, store: &str) -> [bool; 3] {
    [
        asked(
            tools,
            "refusals per hook and person in a week, with p95",
            &[
                "fleet", "stats", store, "--since", "7d", "--denied", "-n", "200", "--json",
            ],
        ),
        asked(
            tools,
            "everything per hook and person in a week, with p95",
            &[
                "fleet", "stats", store, "--since", "7d", "-n", "200", "--json",
            ],
        ),
        asked(
            tools,
            "a text in the commands of the last day",
            &[
                "fleet",
                "log",
                store,
                "--since",
                "1d",
                "--text",
                "publish part-77",
                "--json",
            ],
        ),
    ]
}

/// Asks other engines the same of the same files, each in a process of its own, and tells the best of three of each.
fn engines(python: &str, store: &Path) {
    let hours = |count: i64| jiff::Timestamp::now().as_millisecond() - count * 3_600_000;
    let days = |since: i64| {
        let first = jiff::Timestamp::from_millisecond(since).unwrap();
        let first = first.strftime("%Y-%m-%d").to_string();
        let mut files = Vec::new();
        for day in std::fs::read_dir(store).unwrap().flatten() {
            if *day.file_name().to_string_lossy() >= *first {
                let below = std::fs::read_dir(day.path()).unwrap().flatten();
                files.extend(below.map(|file| file.path()));
            }
        }
        files
    };
    for (question, since) in [("refusals", hours(7 * 24)), ("search", hours(24))] {
        for engine in ["duckdb", "datafusion"] {
            let once = |_| {
                let said = Command::new(python)
                    .args(["-c", include_str!("engines.py"), engine, question])
                    .arg(since.to_string())
                    .args(days(since))
                    .output()
                    .unwrap();
                assert!(said.status.success(), "{said:?}");
                serde_json::from_slice::<serde_json::Value>(&said.stdout).unwrap()
            };
            let runs: Vec<serde_json::Value> = (0..3).map(once).collect();
            let least = |what: &str| {
                let all = runs.iter().filter_map(|run| run[what].as_f64());
                all.fold(f64::INFINITY, f64::min)
            };
            println!(
                "{question} by {engine}: {} rows in {:.2} s with {:.2} s of processors and {} MB",
                least("rows"),
                least("seconds"),
                least("processors"),
                least("megabytes")
            );
        }
    }
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let given = |name: &str| {
        let at = words.iter().position(|word| word == name)?;
        words.get(at + 1)
    };
    let events = given("--events").and_then(|count| count.parse().ok());
    let events: u64 = events.unwrap_or(20_000_000);
    let Some(tools) = tools::tools() else { return };
    let place = tempfile::tempdir().unwrap();
    let begun = Instant::now();
    generate(tools, place.path(), events);
    let store = place.path().to_string_lossy().into_owned();
    let count = format!("select count(*) from read_parquet('{store}/*/*.parquet')");
    let all = String::from_utf8(duckdb(tools, &count).stdout).unwrap();
    let all = all.trim();
    let files = std::fs::read_dir(place.path())
        .unwrap()
        .flatten()
        .flat_map(|day| std::fs::read_dir(day.path()).unwrap().flatten())
        .count();
    println!(
        "{all} events in {files} files, made in {:.0} s",
        begun.elapsed().as_secs_f64()
    );
    let good = questions(tools, &store);
    if let Some(python) = given("--python") {
        engines(python, place.path());
    }
    println!(
        "{}",
        if good == [true; 3] {
            "good"
        } else {
            "NOT GOOD"
        }
    );
}
