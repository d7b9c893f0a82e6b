//! Whether the server to which entries post their events answers to the token that is set here.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use anyhook_engine::world::World;
use anyhook_wires::settings::posted::TOKEN;

use super::presence::ProgramState;

/// A server of this machine answers sooner.
const PATIENCE: Duration = Duration::from_secs(2);
/// The longest first line of an answer.
const LONGEST: u64 = 1024;

/// Looks at a server of this machine, without an event.
pub(super) fn state_of(world: &World, server: &str) -> ProgramState {
    let token = world.var(TOKEN).and_then(|token| token.to_str());
    // What is no token of ours belongs into no head.
    let is_plain = |token: &&str| token.bytes().all(|byte| byte.is_ascii_graphic());
    let Some(token) = token.filter(is_plain) else {
        return ProgramState::Closed(format!("`{TOKEN}` is not set here, where a token belongs"));
    };
    match status(server.trim_start_matches("http://"), token) {
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
