//! Is it installed: the agent is there, its settings can be read, each event has its entry, and the program is there.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use anyhook_engine::text::word;
use anyhook_engine::world::World;
use anyhook_wires::settings::Scope;
use anyhook_wires::settings::posted::TOKEN;

use super::presence::{FileFault, HookEntry, HostPresence, OwnEntry, ProgramState};
use super::{DoctorFinding, SuggestedFix, several};
use crate::install::InstallRecord;
use crate::lint::{self, LintContext, LintFinding};

/// A server of this machine answers sooner.
const PATIENCE: Duration = Duration::from_secs(2);
/// The longest first line of an answer.
const LONGEST: u64 = 1024;

pub(super) fn agent(seen: &HostPresence<'_>) -> Vec<DoctorFinding> {
    let names = seen.host.facts().executables;
    let (None, Some(first)) = (&seen.agent, names.first()) else {
        return Vec::new();
    };
    let host = seen.host.id();
    let finding = DoctorFinding::problem(
        format!("no {} on PATH", several(names)),
        "without the agent nothing calls the hooks",
        format!("install {host}, or put {first} on PATH; then: anyhook doctor"),
    );
    // Editors and cloud agents are not started from a shell.
    let is_here = seen.trace.is_some() || seen.is_installed();
    vec![finding.only_advice(is_here || !seen.named)]
}

pub(super) fn settings_files(seen: &HostPresence<'_>) -> Vec<DoctorFinding> {
    let findings = seen.files.iter().filter_map(|file| {
        let FileFault { what, line } = file.entries.as_ref().err()?;
        let shown = word(&file.path.to_string_lossy());
        let what = format!("the {} settings {what}", file.scope.name());
        let fix = match line {
            None => format!("ls -l {shown}"),
            Some(line) => format!("\"${{EDITOR:-vi}}\" +{line} {shown}"),
        };
        let why = "an agent that cannot read its settings runs without hooks, and we do not touch a file that we do not understand";
        Some(DoctorFinding::problem(what, why, fix).at(&file.path, *line))
    });
    findings.collect()
}

/// The lints of what makes an agent leave out a whole file.
const DROPPED: [&str; 2] = ["AH047", "AH048"];

/// Finds files of settings that the agent drops as a whole, with our entries.
pub(super) fn dropped(seen: &HostPresence<'_>) -> Vec<DoctorFinding> {
    let readable = seen.files.iter().filter(|file| file.entries.is_ok());
    let found = readable.flat_map(|file| {
        let text = std::fs::read_to_string(&file.path).unwrap_or_default();
        lint::check(&file.path, &text, &LintContext::default())
    });
    let found = found.filter(|found| DROPPED.contains(&found.lint.code));
    let finding = |found: LintFinding| {
        let check = format!("anyhook check {}", word(&found.file.to_string_lossy()));
        let why = "the agent leaves out the whole file, so it asks none of its hooks";
        let line = usize::try_from(found.at.line).ok();
        DoctorFinding::problem(found.message, why, check).at(&found.file, line)
    };
    found.map(finding).collect()
}

pub(super) fn entries(seen: &HostPresence<'_>) -> Vec<DoctorFinding> {
    if !seen.is_installed() {
        return no_entry(seen).into_iter().collect();
    }
    let wrong = seen.own().filter_map(|(file, entry, own)| {
        let (what, why) = wrong_entry(seen, entry, own)?;
        let fix = SuggestedFix::install(seen.host.id(), file.scope);
        Some(DoctorFinding::problem(what, why, fix).at(&file.path, Some(entry.standing.line)))
    });
    missing(seen).into_iter().chain(wrong).collect()
}

/// There is no entry at all. Whether an agent is guarded is the person's to say, so nothing is written here.
fn no_entry(seen: &HostPresence<'_>) -> Option<DoctorFinding> {
    // What cannot be read may hold entries.
    if seen.files.iter().any(|file| file.entries.is_err()) {
        return None;
    }
    let host = seen.host.id();
    let fix = |scope| SuggestedFix::install(host, scope).command;
    let records = seen.installer.records().unwrap_or_default();
    let mut records = records.iter().filter(|record| record.host == host);
    if let Some(scope) = records.find_map(InstallRecord::scope) {
        return Some(DoctorFinding::problem(
            format!(
                "the entries that anyhook wrote are gone from the {} settings",
                scope.name()
            ),
            "they were removed, and this agent asks no hook any more",
            fix(scope),
        ));
    }
    let finding = DoctorFinding::problem(
        "no event calls anyhook",
        "your hooks do not hold under this agent",
        fix(Scope::User),
    );
    Some(finding.only_advice(!seen.named))
}

/// Some events have no entry, in no file.
fn missing(seen: &HostPresence<'_>) -> Option<DoctorFinding> {
    let has = |name: &str| {
        let mut own = seen.own();
        own.any(|(_, entry, _)| entry.standing.event == name)
    };
    let rows = seen.host.rows().iter().map(|row| row.name);
    let names: Vec<&str> = rows
        .filter(|name| seen.settings.has(name) && !has(name))
        .collect();
    let (file, ..) = seen.own().next()?;
    (!names.is_empty()).then(|| {
        let what = format!("no entry for {}", several(&names));
        let why = "the agent does not ask about what has no entry";
        let fix = SuggestedFix::install(seen.host.id(), file.scope);
        DoctorFinding::problem(what, why, fix).at(&file.path, None)
    })
}

/// Says what is wrong with an entry, and why that matters.
fn wrong_entry(
    seen: &HostPresence<'_>,
    entry: &HookEntry,
    own: &OwnEntry,
) -> Option<(String, &'static str)> {
    let event = &entry.standing.event;
    let host = seen.host.id();
    let Some(row) = seen.host.rows().iter().find(|row| row.name == event) else {
        return Some((
            format!("there is an entry for `{event}`, and {host} has no event of this name"),
            "the agent may reject the whole file for it, and nothing here answers it",
        ));
    };
    if anyhook_wires::host(&own.called.host).is_none_or(|called| called.id() != host) {
        return Some((
            format!("the entry for `{event}` answers as `{}`", own.called.host),
            "the agent does not understand the answers of another one, so it goes on whatever we say",
        ));
    }
    let other = own.called.event.as_deref().filter(|told| {
        let told = seen.host.row(told);
        told.is_none_or(|told| told.name != row.name)
    });
    if let Some(told) = other {
        return Some((
            format!("the entry for `{event}` says that it is for `{told}`"),
            "what the entry says is believed, so other hooks are asked, or none",
        ));
    }
    let matcher = entry.standing.matcher.as_deref().unwrap_or_default();
    (!matches!(matcher, "" | "*" | ".*")).then(|| {
        (
            format!("the entry for `{event}` stands behind the matcher `{matcher}`"),
            "for everything that the matcher leaves out no hook is asked",
        )
    })
}

pub(super) fn quoting(seen: &HostPresence<'_>) -> Vec<DoctorFinding> {
    let mut findings = Vec::new();
    for file in &seen.files {
        let others = file.entries.iter().flatten();
        for entry in others.filter(|entry| entry.own.is_none()) {
            let found = &entry.standing;
            if found.commands.iter().any(|command| means_us(command)) {
                let fix = format!(
                    "{}   # then take this line out by hand",
                    SuggestedFix::install(seen.host.id(), file.scope).command
                );
                let what = format!(
                    "the entry for `{}` names anyhook and is not read as anyhook's: an old version wrote it, or look at its quotes and spaces",
                    found.event
                );
                let why = "a shell runs something else than you mean, or nothing";
                findings.push(
                    DoctorFinding::problem(what, why, fix)
                        .at(&file.path, Some(entry.standing.line)),
                );
            }
        }
    }
    findings
}

/// Tells whether a line means us alone: what another program wrote around us is its own.
fn means_us(command: &str) -> bool {
    let named = ["anyhook", " run ", "--host"];
    named.iter().all(|word| command.contains(word)) && !command.contains([';', '&', '|', '='])
}

pub(super) fn programs(seen: &HostPresence<'_>) -> Vec<DoctorFinding> {
    let mut findings = Vec::new();
    for file in &seen.files {
        let mut told: Vec<&str> = Vec::new();
        for (entry, own) in file.own() {
            let program = own.called.program.as_str();
            if told.contains(&program) {
                continue;
            }
            told.push(program);
            let Some((what, why)) = wrong_program(program, &own.program) else {
                continue;
            };
            let same = file.own().filter(|(_, own)| own.called.program == program);
            let names = same.map(|(entry, _)| entry.standing.event.as_str());
            let names: Vec<&str> = names.collect();
            let what = format!("{what} (the entries for {})", several(&names));
            let fix = match own.program {
                ProgramState::Closed(_) if seen.settings.asks_server() => "anyhook serve".into(),
                ProgramState::Closed(_) => {
                    "anyhook serve   # or, to start a program for every event: anyhook install"
                        .into()
                }
                _ => SuggestedFix::install(seen.host.id(), file.scope),
            };
            let finding = DoctorFinding::problem(what, why, fix);
            findings.push(finding.at(&file.path, Some(entry.standing.line)));
        }
    }
    findings
}

fn wrong_program(program: &str, state: &ProgramState) -> Option<(String, &'static str)> {
    let ours = env!("CARGO_PKG_VERSION");
    let not_started = "most agents go on when a hook cannot be started, so nothing is guarded";
    Some(match state {
        ProgramState::Closed(why) => (
            format!("the server at `{program}` gives no answer to events: {why}"),
            "until it does, the agent refuses what could be refused; a Claude Code that does not know `onFailure` asks no hook",
        ),
        ProgramState::Strangers => (
            format!(
                "`{program}` is called in a way that `anyhook install` does not write, so it was not tried"
            ),
            "a project's file is a stranger's, and what it names may be anything",
        ),
        ProgramState::Missing => (format!("nothing is at `{program}`"), not_started),
        ProgramState::NotExecutable => (format!("`{program}` may not be executed"), not_started),
        ProgramState::Strange(why) => (format!("`{program}` does not run: {why}"), not_started),
        ProgramState::Runs(version) if version != ours => (
            format!("`{program}` is anyhook {version}, and this is {ours}"),
            "what this version says about your hooks may not be what the agent hears",
        ),
        ProgramState::Runs(_) | ProgramState::Searched | ProgramState::Serves => return None,
    })
}

/// Looks at a server of this machine, without an event.
pub(super) fn server(world: &World, url: &str) -> ProgramState {
    let token = world.var(TOKEN).and_then(|token| token.to_str());
    // What is no token of ours belongs into no head.
    let is_plain = |token: &&str| token.bytes().all(|byte| byte.is_ascii_graphic());
    let Some(token) = token.filter(is_plain) else {
        return ProgramState::Closed(format!("`{TOKEN}` is not set here, where a token belongs"));
    };
    match status(url.trim_start_matches("http://"), token) {
        Ok(line) if line.contains(" 200 ") => ProgramState::Serves,
        Ok(line) if line.contains(" 401 ") => {
            ProgramState::Closed(format!("it does not know the token in `{TOKEN}`"))
        }
        Ok(_) => ProgramState::Closed("it is none of anyhook".to_owned()),
        Err(error) => ProgramState::Closed(error.to_string()),
    }
}

/// Returns the first line of the answer to a question that takes a token and tells nothing of a person.
fn status(address: &str, token: &str) -> std::io::Result<String> {
    let to = address.parse().map_err(std::io::Error::other)?;
    let mut stream = TcpStream::connect_timeout(&to, PATIENCE)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let head = format!(
        "GET /v1/openapi.json HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {token}\r\nConnection: close\r\n\r\n"
    );
    stream.write_all(head.as_bytes())?;
    let mut line = String::new();
    BufReader::new(stream.take(LONGEST)).read_line(&mut line)?;
    Ok(line)
}
