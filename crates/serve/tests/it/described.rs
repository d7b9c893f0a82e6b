//! The server against its own page: schemathesis makes requests of it, right ones and wrong ones, and judges the answers.
//!
//! `.ci/nightly tools` puts the program into the target folder; where it is not there the test says so.

use std::process::Command;

use anyhook_serve::Limits;
use serde_json::json;

use super::home::{Home, Served};
use super::inbox::home_with;

/// What it does not judge, and why:
/// - An event that cannot be read is answered as `anyhook run` answers it, so it is no request that is rejected.
/// - A right request may still name no folder of a project, or name it twice, which no schema can say.
const UNJUDGED: &str = "negative_data_rejection,positive_data_acceptance";

/// So many requests of each kind for each route: a run takes about half a minute.
const EXAMPLES: &str = "25";

fn judge(home: &Home, served: &Served, heads: &[String]) {
    let this = std::env::current_exe().unwrap();
    let program = this.ancestors().nth(3).unwrap().join("schemathesis/bin/st");
    let address = &*served.running.address;
    let page = home.path("openapi.json");
    std::fs::write(&page, anyhook_serve::openapi().to_string()).unwrap();
    let mut command = Command::new(program);
    command
        .arg("run")
        .arg(&page)
        .args(["--url", &format!("http://{address}")])
        .args(["--exclude-checks", UNJUDGED])
        .args([
            "--max-examples",
            EXAMPLES,
            "--seed",
            "1",
            "--no-color",
            "--request-timeout",
            "10",
        ])
        .current_dir(home.path("home"))
        .env("HOME", home.path("home"))
        .env("PYTHONDONTWRITEBYTECODE", "1");
    for head in heads {
        command.args(["-H", head]);
    }
    let said = command.output().unwrap();
    let (stdout, stderr) = (&said.stdout, &said.stderr);
    let text = String::from_utf8_lossy(stdout).into_owned() + &String::from_utf8_lossy(stderr);
    assert!(said.status.success(), "{text}");
    // It passes where it was asked for nothing, too.
    assert!(text.contains("generated"), "{text}");
}

mod nightly {
    use super::*;

    #[test]
    #[ignore = "needs a browser, Node or an agent"]
    fn every_answer_to_what_schemathesis_makes_of_the_page_is_one_that_the_page_has() {
        let this = std::env::current_exe().unwrap();
        if !this
            .ancestors()
            .nth(3)
            .unwrap()
            .join("schemathesis/bin/st")
            .exists()
        {
            eprintln!(
                "not run: no schemathesis in the target folder; put it there: .ci/nightly tools"
            );
            return;
        }
        let home = home_with(&json!([
        {"name": "no", "type": "rule", "when": "true", "then": {"deny": "no"}}]));
        let served = home.serve(Limits::default());
        let token = format!("Authorization: Bearer {}", served.token);
        let project = format!("Anyhook-Project: {}", home.path("project").display());
        judge(&home, &served, &[token, project]);
    }
}
