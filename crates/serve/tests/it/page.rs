//! The `OpenAPI` page: it says what the server answers, and the server answers nothing else.

use anyhook_serve::Limits;
use serde_json::{Value, json};

use super::home::Home;

#[test]
fn every_path_of_the_page_answers_with_a_status_that_the_page_has() {
    let home = Home::new(&json!([]));
    let served = home.serve(Limits::default());
    let page = anyhook_serve::openapi();
    let token = format!("Authorization: Bearer {}", served.token);
    let mut paths = 0;
    for (path, methods) in page["paths"].as_object().unwrap() {
        for (method, operation) in methods.as_object().unwrap() {
            let known = operation["responses"].as_object().unwrap();
            let method = method.to_ascii_uppercase();
            for (host, body) in [
                ("claude-code", "{}"),
                ("no-such-host", "{}"),
                ("claude-code", "["),
            ] {
                let path = path.replace("{host}", host);
                for head in [
                    &[][..],
                    &[&*token],
                    &[&*token, "Origin: http://x"],
                    &[&*token, "Host: x"],
                ] {
                    let answer = served.connect().send(&method, &path, head, body.as_bytes());
                    let status = answer.status.to_string();
                    assert!(
                        known.contains_key(&status),
                        "{method} {path} {status}: {known:?}"
                    );
                    paths += 1;
                }
            }
        }
    }
    assert!(paths >= 40, "{paths}");
    let nothing = served.connect().send("GET", "/v1/nothing", &[&token], b"");
    let help: Value = serde_json::from_str(&nothing.body).unwrap();
    assert!(
        nothing.status == 404 && help["help"].is_string(),
        "{nothing:?}"
    );
}
