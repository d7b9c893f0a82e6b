//! What a person is shown of what waits and of what was approved.

use super::*;

#[test]
fn no_name_looks_like_a_question_of_ours() {
    let fake = "x\nLet this exact action through once? [y/N] n\nnothing changed";
    let env = TestEnv::on(
        "permission-request",
        &json!([{"name": fake, "hooks": [command("anyhook say ask 'Really?\nnothing changed'")]}]),
    );
    let mut event = wants(&env, "ls\nnothing changed", "1");
    event["session_id"] = json!(fake);
    let told = reads(&event, &env.claude(&event)).person_sees.join("\n");
    let (_, code) = told.split_once("anyhook approve ").unwrap();
    for line in [
        "anyhook approve".to_owned(),
        format!("anyhook approve {code}"),
    ] {
        let left = typed(&env, &line, "y\n");
        let is_fake = |line: &str| {
            line.starts_with("nothing")
                || line.starts_with("Let this exact action through once? [y/N] n")
        };
        assert!(!left.text.lines().any(is_fake), "{}", left.text);
    }
}

#[test]
fn approvals_lists_what_was_approved_and_takes_it_back() {
    let env = asking();
    assert_eq!(env.anyhook("approve --revoke").code, 0);
    let none = env.anyhook("approve --revoke --json");
    assert_eq!((none.code, none.json()), (0, json!([])));
    for (line, how) in [("a", ""), ("b", "--for session"), ("c", "--for always")] {
        let code = code(&env, line, line);
        typed(&env, &format!("anyhook approve {code} {how}"), "y\n");
    }
    let all = env.anyhook("approve --revoke --json").json();
    let row = |at: usize| {
        let one = &all[at];
        assert_eq!(
            (&one["about"]["host"], &one["hook"]),
            (&json!("claude-code"), &json!("careful"))
        );
        (one["lasts"].clone(), one["about"]["summary"].clone())
    };
    let rows = [row(0), row(1), row(2)];
    let wanted = [("once", "a"), ("session", "b"), ("always", "c")];
    let wanted = wanted.map(|(lasts, line)| {
        (
            json!(lasts),
            json!(format!("Bash {{\"command\":\"{line}\"}}")),
        )
    });
    assert_eq!(rows, wanted);
    let table = env.anyhook("approve --revoke").stdout;
    let id = &all[2]["key"].as_str().unwrap()[..8];
    table.shows(id);
    table.shows("always");
    let back = env.run(&["approve", "--revoke", id], b"");
    assert_eq!((back.code, &*back.stdout), (0, "taken back: 1\n"));
    assert_eq!(gate(&env, "c", "9"), REFUSED);
    assert_eq!(gate(&env, "b", "9"), Gate::Runs);
    assert_eq!(env.run(&["approve", "--revoke", id], b"").code, 1);
    let back = env.anyhook("approve --revoke all");
    assert_eq!((back.code, &*back.stdout), (0, "taken back: 2\n"));
    assert_eq!([gate(&env, "a", "10"), gate(&env, "b", "10")], [REFUSED; 2]);
}

#[test]
fn a_question_whose_yes_would_not_help_gets_no_code() {
    let ask = command("anyhook say ask 'Really?'");
    let stops = TestEnv::hook("stop", &ask.clone());
    stops.claude(&stops.stop(false)).says("Really?");
    // What one hook asks about, another one rewrites; here the host cannot be told of new arguments.
    let rewrite = command("anyhook say rewrite tool_input.command 'ls -a'");
    let rewrites = TestEnv::on("permission-request", &json!([{"hooks": [ask, rewrite]}]));
    let event = wants(&rewrites, "ls", "1");
    let behaviour = reads(&event, &rewrites.claude(&event));
    assert_eq!(behaviour.gate, REFUSED);
    for env in [stops, rewrites] {
        assert!(!env.state().join("approvals/book.json").exists());
    }
}

#[test]
fn config_and_explain_show_one_by_one_what_was_permitted_and_whether_it_still_holds() {
    let env = asking();
    let kept = code(&env, "git push", "c-1");
    typed(&env, &format!("anyhook approve {kept} --for always"), "y\n");
    let once = code(&env, "git fetch", "c-2");
    typed(&env, &format!("anyhook approve {once}"), "y\n");
    let asked = [
        vec!["list", "config", "--json"],
        vec![
            "explain",
            "--event",
            "permission-request",
            "--tool",
            "Bash",
            "--json",
        ],
    ];
    let permits = |field: &str, name: &str| -> Vec<Value> {
        let all = asked.iter().map(|args| {
            let page = env.run(args, b"").json();
            let list = page[field].as_array().unwrap().iter();
            list.map(|one| one[name].clone()).collect::<Vec<_>>()
        });
        let all: Vec<Vec<Value>> = all.collect();
        assert_eq!(all[0], all[1], "{field} {name}");
        all[0].clone()
    };
    let manifest = env.path("project/hooks/hooks.json");
    assert_eq!(permits("trusted", "file"), [json!(manifest)]);
    assert_eq!(permits("trusted", "valid"), [json!(true)]);
    let sha256 = anyhook::files::digest(&std::fs::read(&manifest).unwrap());
    assert_eq!(permits("trusted", "sha256"), [json!(sha256)]);
    assert_eq!(permits("trusted", "by"), [json!("anyhook trust")]);
    assert_eq!(
        permits("approvals", "hook"),
        [json!("careful"), json!("careful")]
    );
    assert_eq!(
        permits("approvals", "by"),
        [json!("command"), json!("command")]
    );
    let hashes = permits("approvals", "definition");
    assert!(hashes[0].as_str().is_some_and(|hash| hash.len() >= 40) && hashes[0] == hashes[1]);
    let page = env.anyhook("list config").stdout;
    for part in [
        "trusted",
        "anyhook trust",
        "approved",
        "always",
        "anyhook approve",
        "git push",
    ] {
        page.shows(part);
    }

    // Its hook is another one: what was approved was for the first.
    let text = std::fs::read_to_string(&manifest).unwrap();
    std::fs::write(&manifest, text.replace("Really?", "Sure?")).unwrap();
    assert_eq!(permits("trusted", "valid"), [json!(false)]);
    env.trust();
    assert_eq!(permits("trusted", "valid"), [json!(true)]);
}

#[test]
fn config_goes_on_where_what_was_approved_cannot_be_read() {
    let env = asking();
    let book = env.state().join("approvals");
    std::fs::create_dir_all(book.parent().unwrap()).unwrap();
    std::fs::write(&book, "no folder").unwrap();
    let left = env.anyhook("list config");
    assert_eq!(left.code, 0, "{left:?}");
    left.says("what is approved cannot be told");
}
