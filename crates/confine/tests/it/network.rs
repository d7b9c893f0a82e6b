//! Connections that a confined command may not make.

use std::net::TcpListener;
use std::os::unix::net::{UnixDatagram, UnixListener};

use serde_json::json;

use crate::room::{Room, call, called, called_open, needs};

/// Connects by TCP, in perl.
fn tcp(port: u16) -> String {
    format!(
        "(socket($s, PF_INET, SOCK_STREAM, 0) && connect($s, pack_sockaddr_in({port}, inet_aton('127.0.0.1')))) ? 1 : -1"
    )
}

fn unix(path: &std::path::Path) -> String {
    format!(
        "(socket($s, PF_UNIX, SOCK_STREAM, 0) && connect($s, pack_sockaddr_un('{}'))) ? 1 : -1",
        path.display()
    )
}

#[test]
fn no_service_of_this_machine_is_reached_by_a_unix_socket_whatever_the_network() {
    needs!(seccomp);
    needs!(perl);
    let room = Room::new();
    let path = room.path("project/service");
    let _listener = UnixListener::bind(&path).unwrap();
    room.given_to_all("project/service");
    assert_eq!(called_open(&room, &unix(&path)), "done");
    for network in ["none", "loopback", "any"] {
        assert_eq!(called(&room, network, &unix(&path)), "EPERM", "{network}");
    }
}

#[test]
fn a_pair_of_sockets_of_its_own_is_no_network() {
    needs!(seccomp);
    needs!(perl);
    let pair = "socketpair($a, $b, AF_UNIX, SOCK_STREAM, PF_UNSPEC) ? 1 : -1";
    assert_eq!(called(&Room::new(), "none", pair), "done");
}

#[test]
fn a_loopback_of_its_own_reaches_what_the_command_started_and_no_service_of_this_machine() {
    needs!(seccomp);
    needs!(namespaces);
    needs!(perl);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let room = Room::new();
    let own = "socket($l, PF_INET, SOCK_STREAM, 0) && bind($l, pack_sockaddr_in(0, inet_aton('127.0.0.1'))) && listen($l, 1) \
               or die; my ($port) = unpack_sockaddr_in(getsockname($l)); \
               socket($s, PF_INET, SOCK_STREAM, 0) && connect($s, pack_sockaddr_in($port, inet_aton('127.0.0.1'))) or die \"own: $!\"; \
               print 'own '; ";
    let script = format!("{own}{}", call(&tcp(port)));
    let ran = room.run(
        &json!({"network": "loopback"}),
        &["perl", "-MSocket", "-e", &script],
    );
    assert!(ran.out.starts_with("own error"), "{ran:?}");
    listener.set_nonblocking(true).unwrap();
    assert!(listener.accept().is_err(), "nothing came here");
}

#[test]
fn a_socket_that_was_left_open_is_not_passed_on() {
    needs!(perl);
    let room = Room::new();
    let path = room.path("project/box");
    let _service = UnixDatagram::bind(&path).unwrap();
    room.given_to_all("project/box");
    let open = format!(
        "socket($s, PF_UNIX, SOCK_DGRAM, 0) && connect($s, pack_sockaddr_un('{}')) or die; $^F = 99; \
         open(my $d, '>&=', fileno($s)); fcntl($s, 2, 0); exec(@ARGV, fileno($s))",
        path.display()
    );
    let say = "open(my $s, '>&=', $ARGV[0]) or die 'closed'; syswrite($s, 'x') or die 'refused'; print 'sent'";
    let plain = ["perl", "-MSocket", "-e", &open, "perl", "-e", say];
    assert_eq!(room.open(&plain).out, "sent");
    let helper = Room::helper();
    let spec = room.spec(&json!({"read": ["./**"]}));
    let mut words = plain[..4].to_vec();
    words.extend([helper.as_str(), &spec, "--"]);
    words.extend(&plain[4..]);
    let ran = room.open(&words);
    assert!(ran.code != Some(0) && ran.err.contains("closed"), "{ran:?}");
}
