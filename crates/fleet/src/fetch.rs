//! Where a policy comes from: a file, or a server over HTTPS.

use std::io::Read as _;
use std::path::Path;
use std::time::Duration;

use ureq::Agent;

use crate::bundle::LONGEST;
use crate::error::{PolicyError, Trouble};

const PATIENCE: Duration = Duration::from_mins(1);

/// Where a policy comes from: the whole path of a file, or the address of a server.
///
/// ```
/// use anyhook_fleet::PolicySource;
///
/// assert_eq!(PolicySource::read("./acme.policy")?, PolicySource::file("acme.policy"));
/// assert!(PolicySource::read("http://policy.example/acme.policy").is_err(), "anybody on the way could hold it back");
/// # Ok::<(), anyhook_fleet::PolicyError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PolicySource(pub(crate) String);

impl PolicySource {
    /// Reads what a person typed.
    pub fn read(text: &str) -> Result<Self, PolicyError> {
        let Some((scheme, rest)) = text.split_once("://") else {
            return Ok(Self::file(text));
        };
        let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
        let name = match host.strip_prefix('[') {
            Some(six) => six.split(']').next().unwrap_or_default(),
            None => host.split(':').next().unwrap_or_default(),
        };
        let is_here = ["127.0.0.1", "localhost", "::1"].contains(&name);
        if host.contains('@') || host.is_empty() {
            return Err(PolicyError::unfit(
                "the address of a policy has a name or a password in it, or no server",
                "write https://SERVER/FILE: a policy is signed and no secret",
            ));
        }
        match scheme {
            "https" => Ok(Self(text.to_owned())),
            "http" if is_here => Ok(Self(text.to_owned())),
            _ => Err(PolicyError::unfit(
                format!("a policy is not fetched over `{scheme}`"),
                "use https, or a file that another program fetched",
            )),
        }
    }

    /// Takes a file.
    pub fn file(path: &str) -> Self {
        let absolute = std::path::absolute(path).unwrap_or_else(|_| path.into());
        Self(absolute.to_string_lossy().into_owned())
    }
}

/// Fetches what a source has.
pub fn fetch(PolicySource(source): &PolicySource) -> Result<Vec<u8>, PolicyError> {
    let failed = |why: String| Trouble::Fetch.error(format!("`{source}`: {why}"));
    if !source.starts_with("http") {
        let read = anyhook::files::read_up_to(Path::new(source), LONGEST as u64);
        return read.map_err(failed);
    }
    let agent: Agent = Agent::config_builder()
        .user_agent(concat!("anyhook-fleet/", env!("CARGO_PKG_VERSION")))
        .http_status_as_error(false)
        .https_only(source.starts_with("https:"))
        .max_redirects(3)
        .timeout_global(Some(PATIENCE))
        .build()
        .into();
    let answer = agent.get(source).call();
    let answer = answer.map_err(|error| failed(error.to_string()))?;
    if answer.status() != 200 {
        return Err(failed(format!("the server answered {}", answer.status())));
    }
    let (mut file, body) = (Vec::new(), answer.into_body().into_reader());
    let read = body.take(LONGEST as u64 + 1).read_to_end(&mut file);
    read.map_err(|error| failed(error.to_string()))?;
    Ok(file)
}
