//! A server with a certificate, as `anyhook fleet config` configures it.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use crate::fleets::Room;

/// Makes an authority, and a certificate of it for a server with this address, by the program `openssl`.
pub(crate) fn certify(folder: &Path, authority: &str, address: &str) {
    let run = |line: &str| {
        let done = Command::new("openssl")
            .args(line.split(' '))
            .current_dir(folder)
            .output();
        let done = done.expect("`openssl` makes the certificates of this test");
        assert!(done.status.success(), "{line}: {done:?}");
    };
    let curve = "-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2";
    run(&format!(
        "req -x509 {curve} -subj /CN={authority} -keyout {authority}.key -out {authority}.pem \
         -addext basicConstraints=critical,CA:TRUE"
    ));
    run(&format!(
        "req {curve} -x509 -subj /CN=server -keyout {authority}-server.key -out {authority}-server.pem \
         -CA {authority}.pem -CAkey {authority}.key -addext subjectAltName=IP:{address} -addext basicConstraints=critical,CA:FALSE"
    ));
}

pub(crate) fn tls(folder: &Path) -> Value {
    certify(folder, "authority", "127.0.0.1");
    certify(folder, "stranger", "127.0.0.1");
    let file = |name: &str| folder.join(name).to_string_lossy().into_owned();
    json!({"tls": {"certificate": file("authority-server.pem"), "key": file("authority-server.key")}})
}

#[test]
fn records_reach_a_server_with_a_certificate_and_no_server_that_another_authority_vouches_for() {
    let Some(mut room) = Room::with(&["ada"], tls) else {
        return;
    };
    assert!(room.address.starts_with("tls://"), "{}", room.address);
    room.act("ada", 0, 7);
    let good = room.authority.replace(PathBuf::from("stranger.pem"));
    let said = room.ship("ada");
    let text = String::from_utf8_lossy(&said.stderr).into_owned();
    assert!(
        said.status.code() == Some(75) && text.contains("nothing is lost"),
        "{text}"
    );
    // Without TLS nothing is said to that server at all.
    room.authority = good;
    let plain = room.address.replace("tls://", "nats://");
    let address = std::mem::replace(&mut room.address, plain);
    room.authority.take();
    assert_eq!(room.ship("ada").status.code(), Some(75));
    (room.address, room.authority) = (address, Some(PathBuf::from("authority.pem")));
    let said = room.ship("ada");
    assert!(said.status.success(), "{said:?}");
    assert!(
        room.keep()
            .starts_with("7 records were written, 0 messages refused")
    );
    assert_eq!(room.ids().len(), 7);
}
