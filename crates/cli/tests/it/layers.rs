//! What `list platform` says of every agent.

use serde_json::json;

use crate::env::TestEnv;

#[test]
fn platform_info_tells_the_events_and_types_of_every_agent() {
    let env = TestEnv::new();
    let all = env.anyhook("list platform info --json").json();
    assert_eq!(all["platform"], "anyhook");
    assert_eq!(all["hook_types"], json!(anyhook::runners::TYPES));
    let hosts = all["hosts"].as_array().unwrap();
    assert_eq!(hosts.len(), anyhook::wires::hosts::HOSTS.len());
    for host in hosts {
        let blocking = host["blocking_events"].as_array().unwrap();
        let events = host["hook_events"].as_array().unwrap();
        assert!(blocking.iter().all(|name| events.contains(name)), "{host}");
        let name = host["platform"].as_str().unwrap();
        let one = env.run(&["list", "platform", name], b"").json();
        assert_eq!(one, *host);
    }
    insta::assert_snapshot!("platform-info", env.anyhook("list platform info").stdout);
}
