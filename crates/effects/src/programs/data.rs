//! Databases, keys and secrets.

use super::call::Call;
use crate::command::Input;
use crate::effect::{Certainty, Kind, Object};
use crate::word::Word;

/// Commands of the shell of sqlite that write or run.
pub(super) fn sqlite(call: &mut Call<'_>) {
    // `-A`, also with letters of its command behind it: `-Acf`.
    let mut words = call.command.words.iter().map(Word::head);
    if call.may("A") || words.any(|head| head.starts_with("-A") || head.starts_with("--A")) {
        // What follows is a command for archives, which packs or unpacks files.
        for kind in [Kind::Read, Kind::Write] {
            call.effect(kind, Object::Unknown, Certainty::Unknown);
        }
    }
    let mut texts: Vec<Word> = call.words().into_iter().skip(1).collect();
    texts.extend(call.reading.values("cmd").cloned());
    texts.extend(call.reading.values("c").cloned());
    match &call.command.input {
        Input::Inherited => {}
        Input::Text(text) => texts.push(Word::text(text.clone())),
        Input::File(_) | Input::Unknown { .. } => texts.push(Word::unknown()),
    }
    for text in texts {
        statements(call, &text);
    }
}

fn statements(call: &mut Call<'_>, text: &Word) {
    let Some(text) = text.known() else {
        call.effect(Kind::Write, Object::Unknown, Certainty::Unknown);
        call.may_run_code();
        return;
    };
    let lower = text.to_lowercase();
    for line in text.lines() {
        let line = line.trim();
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = rest.trim().trim_matches(['"', '\'']);
        match word {
            ".shell" | ".system" | ".sh" | ".sy" => call.shell(Word::text(rest), Vec::new()),
            ".output" | ".once" | ".out" | ".o" | ".on" | ".excel" | ".log" | ".backup"
            | ".save" | ".clone" | ".trace" | ".cd" => match rest.strip_prefix('|') {
                Some(line) => call.shell(Word::text(line), Vec::new()),
                None => call.act_path(
                    Kind::Write,
                    &Word::text(rest.rsplit(' ').next().unwrap_or(rest)),
                    Certainty::Exact,
                    false,
                ),
            },
            ".read" | ".open" | ".import" | ".restore" | ".load" | ".archive" | ".edit" => {
                call.opaque = true;
                let first = rest.split(' ').next().unwrap_or_default();
                call.act_path(Kind::Read, &Word::text(first), Certainty::Exact, false);
            }
            _ => {}
        }
    }
    if [
        "writefile",
        "load_extension",
        "attach",
        "into outfile",
        "vacuum into",
        "copy ",
        "edit(",
    ]
    .iter()
    .any(|mark| lower.contains(mark))
    {
        call.effect(Kind::Write, Object::Unknown, Certainty::Unknown);
    }
    if lower.contains("readfile") {
        call.effect(Kind::Read, Object::Unknown, Certainty::Unknown);
    }
}

/// Text for a server: `\!` runs a command, `\o` and `\copy` write.
pub(super) fn database(call: &mut Call<'_>) {
    if !call.may("h") {
        call.effect(
            Kind::Net,
            Object::Host("localhost".to_owned()),
            Certainty::Likely,
        );
    }
    let mut texts: Vec<Word> = ["c", "e", "init-command"]
        .iter()
        .flat_map(|name| call.reading.values(name))
        .cloned()
        .collect();
    match &call.command.input {
        Input::Text(text) => texts.push(Word::text(text.clone())),
        Input::File(_) | Input::Unknown { .. } => call.opaque = true,
        Input::Inherited => {}
    }
    if call.may("f") && call.row.name() == "psql" {
        call.opaque = true;
        let file = call
            .reading
            .values("f")
            .last()
            .cloned()
            .unwrap_or_else(Word::unknown);
        let kind = if call.name == "psql" || call.name == "pg_restore" {
            Kind::Read
        } else {
            Kind::Write
        };
        call.act_path(kind, &file, Certainty::Exact, false);
    }
    for text in texts {
        queries(call, &text);
    }
}

/// Statements, and commands of the client between them.
fn queries(call: &mut Call<'_>, text: &Word) {
    let Some(text) = text.known() else {
        call.may_run_code();
        return;
    };
    let lower = text.to_lowercase();
    for line in text.lines().flat_map(|line| line.split(';')) {
        let line = line.trim();
        if let Some((_, line)) = line
            .split_once("\\!")
            .or_else(|| line.strip_prefix("system ").map(|line| ("", line)))
        {
            call.shell(Word::text(line.trim()), Vec::new());
        }
        let writes = ["\\o ", "\\out ", "\\w ", "\\g ", "\\copy ", "\\T ", "tee "];
        if writes.iter().any(|mark| line.contains(mark)) {
            call.effect(Kind::Write, Object::Unknown, Certainty::Unknown);
        }
    }
    if ["into outfile", "into dumpfile", "program '", "load data"]
        .iter()
        .any(|mark| lower.contains(mark))
    {
        call.effect(Kind::Write, Object::Unknown, Certainty::Unknown);
        call.opaque = true;
    }
}

/// `openssl VERB -in FILE -out FILE`.
pub(super) fn openssl(call: &mut Call<'_>) {
    let words = call.command.words.clone();
    for (at, word) in words.iter().enumerate() {
        let value = words.get(at + 1).cloned().unwrap_or_else(Word::unknown);
        match word.known().as_deref() {
            Some(
                "-out" | "-keyout" | "-writerand" | "-sigout" | "-CAserial" | "-sess_out"
                | "-keylogfile" | "-respout" | "-reqout",
            ) => call.act_path(Kind::Write, &value, Certainty::Exact, false),
            Some(
                "-in" | "-inkey" | "-key" | "-CA" | "-CAkey" | "-cert" | "-CAfile" | "-config"
                | "-kfile" | "-certfile" | "-signer" | "-extfile" | "-rand" | "-sigfile"
                | "-verify",
            ) => call.act_path(Kind::Read, &value, Certainty::Exact, false),
            Some("-outdir" | "-writedir") => {
                call.act_path(Kind::Write, &value, Certainty::Exact, true);
            }
            Some("-connect" | "-proxy" | "-host" | "-url") => {
                call.connect(&value, Certainty::Exact);
            }
            Some("-engine" | "-provider" | "-provider-path" | "-provider_path") => {
                call.opaque = true;
            }
            None => {
                call.effect(Kind::Write, Object::Unknown, Certainty::Unknown);
                call.effect(Kind::Read, Object::Unknown, Certainty::Unknown);
            }
            Some(_) => {}
        }
    }
    if call.reading.text(0).as_deref() == Some("dgst")
        && let Some(last) = words.last()
    {
        call.act_path(Kind::Read, last, Certainty::Likely, false);
    }
}
