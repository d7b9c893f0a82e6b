//! The page for teams, followed as a new lead would, with two machines.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::{Value, json};

use crate::room::{Computer, Lead, trusted};

pub(crate) const PAGE: &str = include_str!("../../../../docs/teams.md");
const FLEET: &str = env!("CARGO_BIN_EXE_anyhook-fleet");

/// Runs a line of a shell in a folder, with a program `anyhook` that is `anyhook-fleet` and a linter that finds nothing.
fn sh(folder: &Path, line: &str) -> Output {
    let bin = folder.join("bin");
    fs::create_dir_all(&bin).unwrap();
    let copy = bin.join("anyhook-fleet");
    if !copy.exists() {
        fs::copy(FLEET, &copy).unwrap();
        let script = "#!/bin/sh\ncase $1 in fleet) shift; exec \"${0%/*}/anyhook-fleet\" \"$@\";; esac\n\
                      echo \"$*\" >> \"${0%/*}/asked\"\n";
        fs::write(bin.join("anyhook"), script).unwrap();
        fs::set_permissions(bin.join("anyhook"), fs::Permissions::from_mode(0o755)).unwrap();
    }
    let path = format!("{}:/usr/bin:/bin", bin.display());
    let output = Command::new("sh")
        .args(["-ec", line])
        .current_dir(folder)
        .env_clear()
        .env("PATH", path)
        .output();
    output.unwrap()
}

fn done(folder: &Path, line: &str) -> String {
    let left = sh(folder, line);
    let [out, err] = [left.stdout, left.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
    assert!(left.status.success(), "{line}\n{out}{err}");
    out
}

/// The commands of the page that hold this one.
pub(crate) fn block(with: &str) -> &'static str {
    let mut blocks = PAGE
        .split("```sh\n")
        .skip(1)
        .map(|rest| rest.split("```").next().unwrap());
    blocks.find(|block| block.contains(with)).unwrap()
}

#[test]
fn the_page_goes_from_nothing_to_a_policy_that_refuses_on_two_machines() {
    let lead = tempfile::tempdir().unwrap();
    let folder = lead.path().canonicalize().unwrap();
    let said = done(&folder, block("anyhook fleet keygen"));
    assert!(said.contains("signed revision 1 of acme"), "{said}");
    let asked = fs::read_to_string(folder.join("bin/asked")).unwrap();
    assert!(
        asked.contains("check --strict policy\ntest policy\n"),
        "{asked}"
    );

    let stranger = Lead::new();
    for id in ["machine-one", "machine-two"] {
        let machine = Computer::of(&stranger, id);
        fs::remove_dir_all(machine.path("etc/keys")).unwrap();
        let managed = machine.path("etc");
        let ours = block("trust-key")
            .lines()
            .filter(|line| line.contains("anyhook fleet policy"));
        for line in ours {
            let line = line
                .replace("sudo ", "")
                .replace("https://policy.example.com/", "");
            done(
                &folder,
                &format!("{line} --managed '{}'", managed.display()),
            );
        }
        let (verdict, revision) = machine.verdict("npm publish");
        assert_eq!(
            (&*verdict, revision.unwrap().split('-').next()),
            ("deny", Some("1")),
            "{id}"
        );
        assert_eq!(machine.verdict("npm test").0, "continue");
        let status = done(
            &folder,
            &format!(
                "anyhook fleet policy status --managed '{}'",
                managed.display()
            ),
        );
        assert!(
            status.contains("holds until")
                && status.contains("signed by")
                && status.contains("lead"),
            "{status}"
        );
        let status = done(
            &folder,
            &format!(
                "anyhook fleet policy status --json --managed '{}'",
                managed.display()
            ),
        );
        let status: Value = serde_json::from_str(&status).unwrap();
        let (holds, stamp) = (&status["holds"], &status["holds"]["stamp"]);
        assert!(
            holds["name"].as_str().unwrap().starts_with("1-"),
            "{status}"
        );
        assert_eq!(stamp["revision"], 1, "{status}");
        assert_eq!(stamp["signers"].as_array().unwrap().len(), 1);
        assert_eq!(status["keys"][0]["name"], "lead");
        // Any user may read what holds: root's mask is not theirs.
        let held = machine.store().current().unwrap().folder;
        for path in [held.join("hooks/hooks.json"), held.join("stamp.json"), held] {
            let mode = fs::metadata(&path).unwrap().permissions().mode();
            assert_eq!(mode & 0o022, 0);
            assert_eq!(mode & 0o044, 0o044, "{}", path.display());
        }
    }
}

#[test]
fn what_a_later_policy_changes_is_shown_line_by_line() {
    let lead = Lead::new();
    let folder = lead.place.path().canonicalize().unwrap();
    lead.write("config.toml", "[session]\nstrict = true\n");
    lead.rules(json!({"name": "acme", "revision": 1}));
    fs::write(folder.join("old.policy"), lead.signed()).unwrap();
    lead.hooks(&[
        ("no-publish", "runs('npm publish')", "ask"),
        ("no-rm", "runs('rm')", "deny"),
    ]);
    lead.write("config.toml", "[session]\nstrict = false\n");
    let granted = json!({"hook": "no-rm", "owner": "grace", "reason": "r", "until": "2026-11-03"});
    lead.rules(json!({"name": "acme", "revision": 2, "exceptions": [granted]}));
    let said = done(&folder, "anyhook fleet policy diff old.policy policy");
    for line in [
        "-  \"revision\": 1,\n+  \"revision\": 2,",
        "~ hook no-publish",
        "+ hook no-rm",
        "-strict = true",
        "+strict = false",
        "+      \"hook\": \"no-rm\",",
    ] {
        assert!(said.contains(line), "{line}\n{said}");
    }
    assert_eq!(
        done(&folder, "anyhook fleet policy diff policy policy"),
        "the two are the same\n"
    );
}

#[test]
fn a_mistake_on_the_command_line_says_what_to_type() {
    let place = tempfile::tempdir().unwrap();
    for (line, code, told) in [
        ("anyhook fleet policy", 64, "trust-key"),
        ("anyhook fleet policy status", 0, "no policy was applied"),
        ("anyhook fleet policy status --json", 0, r#""holds":null"#),
        (
            "anyhook fleet policy apply",
            1,
            "anyhook fleet policy apply FILE",
        ),
        (
            "anyhook fleet policy apply http://policy.example/x",
            78,
            "use https",
        ),
        (
            "anyhook fleet policy apply nothing.policy",
            75,
            "cannot fetch",
        ),
        ("anyhook fleet keygen ../x", 64, "is no name"),
    ] {
        let managed = place.path().join("etc");
        let left = sh(
            place.path(),
            &format!("{line} --managed '{}'", managed.display()),
        );
        let said = [left.stdout, left.stderr].concat();
        let said = String::from_utf8(said).unwrap();
        assert_eq!(left.status.code(), Some(code), "{line}: {said}");
        assert!(said.contains(told), "{line}: {said}");
    }
}

#[test]
fn the_same_server_is_asked_again_and_what_it_has_no_more_changes_nothing() {
    use std::io::{Read as _, Write as _};
    let (lead, machine) = trusted();
    let file = lead.signed();
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/acme.policy", listener.local_addr().unwrap());
    let server = std::thread::spawn(move || {
        let head = "connection: close\r\ncontent-length: ";
        let there = format!("HTTP/1.1 200 OK\r\n{head}{}\r\n\r\n", file.len());
        let there = [there.as_bytes(), &file].concat();
        let gone = format!("HTTP/1.1 503 Busy\r\n{head}0\r\n\r\n").into_bytes();
        for answer in [there.clone(), there, gone] {
            let (mut stream, _) = listener.accept().unwrap();
            let _ = stream.read(&mut [0; 2048]).unwrap();
            stream.write_all(&answer).unwrap();
        }
    });
    let folder = machine.path(".");
    let managed = format!("--managed '{}'", machine.path("etc").display());
    let first = format!("anyhook fleet policy apply {url} {managed}");
    assert!(done(&folder, &first).contains("holds from now on"));
    let again = format!("anyhook fleet policy apply {managed}");
    assert!(done(&folder, &again).contains("was confirmed"));
    assert_eq!(sh(&folder, &again).status.code(), Some(75));
    server.join().unwrap();
    assert_eq!(machine.verdict("npm publish").0, "deny");
}
