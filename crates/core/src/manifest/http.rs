//! A hook of type `http`: a server that is asked about the event.

use std::net::{Ipv4Addr, Ipv6Addr};

use jsonc_parser::ast::Value;

use super::HttpAction;
use super::fields::{Complaint, ObjectFields, text};

/// Headers that belong to the connection, not to the hook.
const OURS: &[&str] = &[
    "connection",
    "content-length",
    "content-type",
    "host",
    "transfer-encoding",
];

/// How a request reaches a server, and who could read along.
///
/// ```
/// use anyhook_core::manifest::TransportSecurity;
///
/// assert_eq!(TransportSecurity::to("http://localhost:8080/hook"), Ok(TransportSecurity::Here));
/// assert_eq!(TransportSecurity::to("http://example.com/hook"), Ok(TransportSecurity::Clear));
/// assert_eq!(TransportSecurity::to("https://example.com/hook"), Ok(TransportSecurity::Sealed));
/// assert!(TransportSecurity::to("https://user@example.com").is_err());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TransportSecurity {
    /// It does not leave this machine.
    Here,
    /// A network that reads along.
    Clear,
    /// A network that does not.
    Sealed,
}

impl TransportSecurity {
    /// Reads the address of a server.
    pub fn to(address: &str) -> Result<Self, &'static str> {
        let (scheme, host) = parts(address)?;
        let is_here = host.eq_ignore_ascii_case("localhost")
            || host.parse().is_ok_and(|ip: Ipv4Addr| ip.is_loopback())
            || host.parse().is_ok_and(|ip: Ipv6Addr| ip.is_loopback());
        match scheme {
            "http" | "https" if is_here => Ok(Self::Here),
            "https" => Ok(Self::Sealed),
            "http" => Ok(Self::Clear),
            _ => Err("it begins with neither `https://` nor `http://`"),
        }
    }
}

/// Takes scheme and host out of an address, without the brackets of an address of six.
fn parts(address: &str) -> Result<(&str, &str), &'static str> {
    let (scheme, rest) = address.split_once("://").ok_or("it has no `https://`")?;
    let server = rest.split(['/', '?']).next().unwrap_or_default();
    let odd = |c: char| c.is_whitespace() || c.is_control() || "#\\".contains(c);
    if rest.contains(odd) || server.contains('@') {
        return Err("it is more than a host, a port and a path");
    }
    let host = match server.strip_prefix('[') {
        Some(six) => six.split(']').next().unwrap_or_default(),
        None => server.split(':').next().unwrap_or_default(),
    };
    if host.is_empty() {
        return Err("it names no host");
    }
    Ok((scheme, host))
}

impl HttpAction {
    /// Makes a hook of its parts, or says which of them cannot be.
    ///
    /// ```
    /// use anyhook_core::manifest::HttpAction;
    ///
    /// let token = vec![("Authorization".to_owned(), "Bearer $TOKEN".to_owned())];
    /// let url = "https://hooks.example.com/event";
    /// assert!(HttpAction::new(url.into(), token.clone(), vec!["TOKEN".into()]).is_ok());
    /// let refused = HttpAction::new(url.into(), token, Vec::new()).unwrap_err();
    /// assert_eq!(refused, "the header `Authorization` names `$TOKEN`, which `allowedEnvVars` does not list");
    /// ```
    pub fn new(
        url: String,
        headers: Vec<(String, String)>,
        variables: Vec<String>,
    ) -> Result<Self, String> {
        match TransportSecurity::to(&url) {
            Ok(TransportSecurity::Here | TransportSecurity::Sealed) => {}
            Ok(TransportSecurity::Clear) => {
                return Err("`url` would send the event in clear text: write `https://`".to_owned());
            }
            Err(why) => return Err(format!("`url` is no address of a server: {why}")),
        }
        let is_ours = |name: &&String| name.to_ascii_uppercase().starts_with("ANYHOOK_");
        if let Some(name) = variables.iter().find(is_ours) {
            return Err(format!(
                "`allowedEnvVars` lists `{name}`, which only Anyhook itself reads"
            ));
        }
        for (name, value) in &headers {
            header(name, value)?;
            let is_listed = |name: &str| variables.iter().any(|listed| listed == name);
            let listed = |name: &str| is_listed(name).then(String::new);
            if let Err(variable) = fill(value, listed) {
                return Err(format!(
                    "the header `{name}` names `${variable}`, which `allowedEnvVars` does not list"
                ));
            }
        }
        Ok(Self {
            url,
            headers,
            variables,
        })
    }

    /// Returns the variables that headers name.
    ///
    /// ```
    /// use anyhook_core::manifest::HttpAction;
    ///
    /// let token = [("Authorization".to_owned(), "Bearer ${TOKEN}".to_owned())];
    /// assert_eq!(HttpAction::named(&token), ["TOKEN"]);
    /// ```
    pub fn named(headers: &[(String, String)]) -> Vec<String> {
        let mut names = Vec::new();
        for (_, value) in headers {
            let _ = fill(value, |name| {
                names.push(name.to_owned());
                Some(String::new())
            });
        }
        names
    }

    /// Returns the host that it asks, without a port.
    ///
    /// ```
    /// use anyhook_core::manifest::HttpAction;
    ///
    /// let here = HttpAction::new("http://[::1]:8080/hook".into(), vec![], vec![])?;
    /// assert_eq!(here.host(), "::1");
    /// # Ok::<(), String>(())
    /// ```
    pub fn host(&self) -> &str {
        parts(&self.url).map_or("", |(_, host)| host)
    }

    /// Returns the headers with the values of the variables, or the name of one that has none.
    ///
    /// ```
    /// use anyhook_core::manifest::HttpAction;
    ///
    /// let named = vec![("x-token".to_owned(), "${TOKEN}.".to_owned())];
    /// let hook = HttpAction::new("http://localhost/".into(), named, vec!["TOKEN".into()])?;
    /// let sent = hook.filled(|_| Some("t".into()));
    /// assert_eq!(sent, Ok(vec![("x-token".to_owned(), "t.".to_owned())]));
    /// assert_eq!(hook.filled(|_| None), Err("TOKEN".to_owned()));
    /// # Ok::<(), String>(())
    /// ```
    pub fn filled(
        &self,
        value: impl Fn(&str) -> Option<String>,
    ) -> Result<Vec<(String, String)>, String> {
        let headers = self.headers.iter();
        headers
            .map(|(name, text)| Ok((name.clone(), fill(text, &value)?)))
            .collect()
    }
}

/// Refuses what is no header, and what the connection itself says.
fn header(name: &str, value: &str) -> Result<(), String> {
    let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    if name.is_empty() || !name.bytes().all(is_token) || value.chars().any(char::is_control) {
        return Err(format!("`headers` has no header called {name:?}"));
    }
    if OURS.iter().any(|ours| name.eq_ignore_ascii_case(ours)) {
        return Err(format!("the header `{name}` is not for a hook to choose"));
    }
    Ok(())
}

/// Puts values in the place of each `$NAME` and `${NAME}`, or returns the name of one that has none.
fn fill(mut text: &str, mut value: impl FnMut(&str) -> Option<String>) -> Result<String, String> {
    let mut filled = String::new();
    while let Some((before, after)) = text.split_once('$') {
        filled += before;
        let inner = after.strip_prefix('{');
        let braced = inner.and_then(|inner| inner.split_once('}'));
        let (name, rest) = braced.unwrap_or_else(|| {
            let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
            after.split_at(after.find(|c| !is_name(c)).unwrap_or(after.len()))
        });
        if name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
            filled += &value(name).ok_or_else(|| name.to_owned())?;
            text = rest;
        } else {
            filled.push('$');
            text = after;
        }
    }
    Ok(filled + text)
}

/// Reads the fields of the entry; `None` comes with a finding.
pub(super) fn read(fields: &mut ObjectFields<'_, '_>) -> Option<HttpAction> {
    let url = fields.required("url", None);
    let headers = fields.read("headers", headers).ok().unwrap_or_default();
    let variables = fields.strings("allowed-env-vars").unwrap_or_default();
    match HttpAction::new(url?, headers, variables) {
        Ok(http) => Some(http),
        Err(why) => {
            fields.read("url", |_| Err::<(), _>(Complaint::new(why)));
            None
        }
    }
}

fn headers(value: &Value<'_>) -> Result<Vec<(String, String)>, Complaint> {
    let Value::Object(object) = value else {
        return Err(Complaint::wanted("headers", "an object of strings", value));
    };
    let headers = object.properties.iter();
    headers
        .map(|prop| {
            let name = prop.name.as_str().to_owned();
            Ok((name, text("headers", &prop.value)?))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_leaves_the_machine_is_sealed_and_no_secret_stands_in_the_address() {
        let new = |url: &str| HttpAction::new(url.to_owned(), Vec::new(), Vec::new());
        for url in [
            "http://127.0.0.1:1/",
            "https://[2001:db8::1]/x?a=b",
            "http://LOCALHOST",
        ] {
            assert!(new(url).is_ok(), "{url}");
        }
        for (url, why) in [
            ("http://example.com", "in clear text"),
            ("http://localhost.example.com", "in clear text"),
            ("http://127.0.0.1@example.com/", "more than a host"),
            ("https://user:pw@example.com/", "more than a host"),
            ("https://example.com/ x", "more than a host"),
            ("https:///x", "names no host"),
            ("ftp://example.com", "begins with neither"),
            ("example.com", "no `https://`"),
        ] {
            let refused = new(url).unwrap_err();
            assert!(refused.contains(why), "{url}: {refused}");
        }
    }

    #[test]
    fn a_header_is_one_header_of_the_hooks_own() {
        let new = |name: &str, value: &str| {
            let headers = vec![(name.to_owned(), value.to_owned())];
            HttpAction::new("https://example.com".to_owned(), headers, Vec::new())
        };
        assert!(new("x-team", "costs $5 and 7$").is_ok());
        for (name, value) in [
            ("Host", "other"),
            ("content-length", "1"),
            ("x y", "1"),
            ("", "1"),
            ("x", "1\r\nHost: other"),
        ] {
            assert!(new(name, value).is_err(), "{name:?}");
        }
    }

    #[test]
    fn no_variable_of_ours_is_sent() {
        let listed = vec!["Anyhook_Model_Key".to_owned()];
        let refused = HttpAction::new("https://example.com".to_owned(), Vec::new(), listed);
        assert!(refused.unwrap_err().contains("only Anyhook itself"));
    }
}
