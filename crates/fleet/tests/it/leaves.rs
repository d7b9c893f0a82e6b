//! The server of another site: a leaf node, whose people can do as much there as at the hub.

use std::fs;

use anyhook_fleet::{Fleet, Keyring, Source, Store};
use futures_util::StreamExt as _;
use serde_json::{Value, json};

use crate::colleagues::{asked, codes, typed};
use crate::fleets::{Room, Started, until};
use crate::members::{OTHERS, batch, is_refused, key, options, run, takes};
use crate::room::Lead;
use crate::tls::tls;

/// A hub, and a server of the site berlin, where ada is; bob and grace are at the hub.
fn site() -> Option<(Room, Started)> {
    let room = Room::with(&["ada", "bob", "berlin:leaf", "grace:answerer"], |folder| {
        let mut more = tls(folder);
        more["leaves"] = json!("127.0.0.1:-1");
        more
    })?;
    change(&room, |fleet| {
        fleet["people"]["ada"]["at"] = json!("berlin");
        // The hub comes back where it was.
        fleet["leaves"] = json!(room.leaves);
        fleet["listen"] = json!(room.address.replace("tls://", ""));
        fleet["sites"] = json!({"berlin": {
            "listen": "127.0.0.1:-1", "hub": format!("tls://{}", room.leaves.as_ref().unwrap()),
            "authority": room.path("authority.pem"),
        }});
    });
    let mut room = room;
    room.restart();
    let leaf = leaf(&room);
    Some((room, leaf))
}

fn change(room: &Room, change: impl FnOnce(&mut Value)) {
    let file = room.path("fleet.json");
    let mut fleet = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
    change(&mut fleet);
    fs::write(file, fleet.to_string()).unwrap();
}

/// Starts the server of the site, as `anyhook fleet config --site` configures it.
fn leaf(room: &Room) -> Started {
    let printed = room.fleet(&["config", "fleet.json", "--site", "berlin"]);
    assert!(printed.status.success(), "{printed:?}");
    fs::write(room.path("berlin.conf"), printed.stdout).unwrap();
    room.started("berlin.conf")
}

/// Does something as at the site: its server is another one, and of this machine alone.
fn at_site<T>(room: &mut Room, leaf: &Started, work: impl FnOnce(&Room) -> T) -> T {
    let address = std::mem::replace(&mut room.address, format!("nats://{}", leaf.listens));
    let authority = room.authority.take();
    let done = work(room);
    (room.address, room.authority) = (address, authority);
    done
}

#[test]
fn records_of_a_site_arrive_at_the_hub_and_wait_on_their_machine_while_the_hub_is_away() {
    let Some((mut room, berlin)) = site() else {
        return;
    };
    room.act("ada", 0, 30);
    room.act("bob", 0, 2);
    assert!(room.ship("bob").status.success());
    until("the site has its hub", || {
        at_site(&mut room, &berlin, |room| room.ship("ada").status.success())
    });
    assert!(
        room.keep()
            .starts_with("32 records were written, 0 messages refused")
    );

    // The hub dies: the server of the site answers, and acknowledges nothing in its place.
    room.server.take().unwrap().kill();
    room.act("ada", 30, 40);
    let said = at_site(&mut room, &berlin, |room| room.ship("ada"));
    let text = String::from_utf8_lossy(&said.stderr).into_owned();
    assert!(
        said.status.code() == Some(75) && text.contains("nothing is lost"),
        "{text}"
    );
    room.start();
    until("the site has its hub again", || {
        at_site(&mut room, &berlin, |room| room.ship("ada").status.success())
    });
    room.keep();
    let ids: Vec<String> = (0..40).map(|number| format!("ada-{number:06}")).collect();
    let all = [ids, vec!["bob-000000".into(), "bob-000001".into()]].concat();
    assert_eq!(room.ids(), all);
}

/// A machine of ada, with a policy that lets grace answer.
fn machine(room: &Room, lead: &Lead) -> Store {
    let etc = room.path("ada-etc");
    fs::create_dir_all(&etc).unwrap();
    Keyring::at(&etc).add(&lead.key.public("lead")).unwrap();
    rules(room, lead, 1);
    let store = Store::at(&etc);
    let served = room.path("served.policy");
    let source = Source::file(&served.to_string_lossy());
    store.apply(&fs::read(&served).unwrap(), &source).unwrap();
    store
}

fn rules(room: &Room, lead: &Lead, revision: u64) {
    let grace = key(room, "grace").public("grace").to_string();
    lead.rules(json!({"name": "acme", "revision": revision, "answerers": [grace.trim_end()]}));
    fs::write(room.path("served.policy"), lead.signed()).unwrap();
}

#[test]
fn a_machine_at_a_site_obeys_the_policy_of_the_hub_and_a_colleague_at_the_hub_answers_it() {
    let Some((mut room, berlin)) = site() else {
        return;
    };
    let lead = Lead::new();
    let store = machine(&room, &lead);
    let follower = at_site(&mut room, &berlin, |room| {
        Room::following(room.shipping("ada", &["--follow"]))
    });
    rules(&room, &lead, 2);
    let address = room.address.clone();
    let announced = room.fleet(&[
        "announce",
        "served.policy",
        "fleet.json",
        "--key",
        "lead.key",
        "--server",
        &address,
    ]);
    assert!(announced.status.success(), "{announced:?}");
    until("revision 2 holds at the site", || {
        let held = store.current();
        held.is_some_and(|policy| policy.name.starts_with("2-"))
    });
    let code = asked(&room, "npm publish");
    // The machine says first how its guards are.
    until("grace hears the question, and answers it", || {
        let yes = typed(&room, "grace", &code, "y\n", "--authority authority.pem");
        String::from_utf8_lossy(&yes.stdout).contains("grace let it happen once")
    });
    assert_eq!(codes(&room), Vec::<String>::new());
    follower.kill();
}

#[test]
fn a_member_at_a_site_can_do_no_more_than_at_the_hub_and_others_do_not_connect_there() {
    let Some((mut room, berlin)) = site() else {
        return;
    };
    at_site(&mut room, &berlin, |room| {
        run(async {
            let ada = options(room, "ada").connect(&room.address).await.unwrap();
            let own = batch("ada", "m", 1, &key(room, "ada"));
            // What the hub wants to hear is known at the site a moment after the connection.
            while !takes(&ada, "audit.ada.m", own.clone()).await {}
            for subject in OTHERS {
                assert!(is_refused(&ada, subject).await, "{subject}");
            }
            for stranger in ["bob", "grace", "berlin"] {
                let connected = options(room, stranger).connect(&room.address).await;
                assert!(connected.is_err(), "{stranger}");
            }
        });
    });
    assert!(
        room.keep()
            .starts_with("1 records were written, 0 messages refused")
    );
}

/// The configuration of a server that its owner, or a thief, made to permit everything.
fn permits_all(room: &Room, name: &str) {
    let hub = room.leaves.clone().unwrap();
    let seed = key(room, name).seed().unwrap();
    let conf = format!(
        "server_name: thief\nlisten: \"127.0.0.1:-1\"\nleafnodes {{ remotes: [ {{ urls: [\"tls://{hub}\"], nkey: {seed}, tls {{ ca_file: {} }} }} ] }}\n\
         default_js_domain {{ $G: \"\" }}\n",
        json!(room.path("authority.pem")),
    );
    fs::write(room.path("thief.conf"), conf).unwrap();
}

#[test]
fn a_thief_of_the_key_of_a_site_hears_what_its_people_may_and_what_it_forges_is_refused() {
    let Some((room, _leaf)) = site() else {
        return;
    };
    permits_all(&room, "berlin");
    let thief = room.started("thief.conf");
    run(async {
        let server = format!("nats://{}", thief.listens);
        let all = async_nats::ConnectOptions::new()
            .request_timeout(Some(std::time::Duration::from_secs(2)))
            .custom_inbox_prefix("_INBOX.ada")
            .connect(&server)
            .await
            .unwrap();
        // It says what it wants in the name of others: readers look who signed it.
        let forged = |person, machine| batch(person, machine, 1, &key(&room, "berlin"));
        while !takes(&all, "audit.ada.m", forged("ada", "m")).await {}
        assert!(takes(&all, "audit.bob.m", forged("bob", "m")).await);
        for subject in OTHERS.iter().filter(|subject| {
            !subject.starts_with("audit.") && !subject.starts_with("$KV.presence")
        }) {
            assert!(is_refused(&all, subject).await, "{subject}");
        }
        // It hears nothing of what is said to others, or of what others say.
        for others in ["_INBOX.bob.>", "answer.bob.*", "audit.>", "ask.*.*", ">"] {
            let mut heard = all.subscribe(others).await.unwrap();
            all.flush().await.unwrap();
            let bob = options(&room, "bob")
                .add_root_certificates(room.path("authority.pem"))
                .connect(&room.address)
                .await
                .unwrap();
            let own = batch("bob", "n", 1, &key(&room, "bob"));
            assert!(takes(&bob, "audit.bob.n", own).await);
            bob.publish("ask.bob.n", "a question".into()).await.unwrap();
            bob.flush().await.unwrap();
            // An answer to a request of the same connection comes behind all that was passed on before it.
            assert!(takes(&all, "audit.ada.m", forged("ada", "m")).await);
            heard.unsubscribe().await.unwrap();
            while let Some(message) = heard.next().await {
                let is_own = message.subject.starts_with("audit.ada.")
                    || message.subject.starts_with("_INBOX.ada.");
                assert!(is_own, "{others}: {}", message.subject);
            }
        }
    });
    let said = room.keep();
    assert!(
        said.starts_with("1 records were written, 7 messages refused"),
        "{said}"
    );

    // The key of a person opens no way for a server.
    permits_all(&room, "ada");
    let refused = room.started("thief.conf");
    until("the hub refuses it", || {
        refused.says("Authorization Violation")
    });
}

type Change = fn(&mut Value);

#[test]
fn what_is_wrong_with_a_site_is_said_in_plain_words() {
    let listed = |name: &str, role: &str| {
        let key = anyhook_fleet::Secret::generate().unwrap();
        let role = serde_json::from_value(json!(role)).unwrap();
        json!(anyhook_fleet::Listed::of(&key, name, role).unwrap())
    };
    let fleet = |change: Change| {
        let mut fleet = json!({"name": "acme", "listen": "127.0.0.1:1",
            "people": {"ada": listed("ada", "member"), "berlin": listed("berlin", "leaf"), "lead": listed("lead", "lead")},
            "sites": {"berlin": {"listen": "127.0.0.1:1", "hub": "tls://hub.example.com:7422"}}});
        fleet["people"]["ada"]["at"] = json!("berlin");
        change(&mut fleet);
        Fleet::read(fleet.to_string().as_bytes())
    };
    let good = fleet(|_| ()).unwrap();
    assert!(good.conf_of_site("berlin").unwrap().contains("audit.ada.*"));
    let error = good.conf_of_site("paris").unwrap_err().to_string();
    assert!(error.contains("no site `paris`"), "{error}");
    let wrong: [(Change, &str); 6] = [
        (
            |fleet| fleet["people"]["berlin"]["role"] = json!("member"),
            "the role `leaf`",
        ),
        (
            |fleet| fleet["people"]["ada"]["at"] = json!("paris"),
            "which `sites` does not name",
        ),
        (
            |fleet| fleet["people"]["lead"]["at"] = json!("berlin"),
            "connects to the hub alone",
        ),
        (
            |fleet| fleet["sites"]["berlin"]["listen"] = json!("0.0.0.0:4222"),
            "it needs `tls`",
        ),
        (
            |fleet| fleet["sites"]["berlin"]["hub"] = json!("nats://hub.example.com:7422"),
            "is an address such as",
        ),
        (
            |fleet| fleet["sites"]["berlin"]["hub"] = json!("tls://a:b@hub.example.com:7422"),
            "is an address such as",
        ),
    ];
    for (change, said) in wrong {
        let error = fleet(change).unwrap_err().to_string();
        assert!(error.contains(said), "{error}");
    }
}
