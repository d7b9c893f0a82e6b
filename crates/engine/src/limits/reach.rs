//! The servers that hooks may ask: `[http]` in `config.toml`.

use toml_edit::{Item, TableLike};

use super::ConfigError;
use super::config::{Wrong, first};
use crate::world::{ConfigFiles, World};

/// Which servers hooks of type `http` may ask, and which variables they may send.
///
/// ```
/// use anyhook_engine::limits::Reach;
///
/// let open = Reach::default();
/// assert!(open.allows("hooks.example.com") && open.sends("TOKEN") && !open.names("intranet"));
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reach {
    /// The hosts, where they are limited; `*.example.com` is every host below it.
    pub hosts: Option<Vec<String>>,
    /// The variables, where they are limited.
    pub variables: Option<Vec<String>>,
}

impl Reach {
    /// Reads what is configured for this machine and person. The managed file is taken as a whole where it says anything,
    /// else the person's own.
    pub fn of(world: &World) -> Result<Self, ConfigError> {
        let found = first(&ConfigFiles::of(world), "http", of_table)?;
        Ok(found.unwrap_or_default().0)
    }

    /// Tells whether a host may be asked.
    pub fn allows(&self, host: &str) -> bool {
        self.hosts.is_none() || self.names(host)
    }

    /// Tells whether a host is on the list, so that its name may lead to a private address.
    pub fn names(&self, host: &str) -> bool {
        let is = |listed: &String| match listed.strip_prefix("*.") {
            Some(above) => {
                let rest = host.len().checked_sub(above.len());
                let split = rest.and_then(|rest| host.split_at_checked(rest));
                split.is_some_and(|(below, end)| {
                    end.eq_ignore_ascii_case(above) && below.ends_with('.') && below.len() > 1
                })
            }
            None => listed.eq_ignore_ascii_case(host),
        };
        self.hosts.iter().flatten().any(is)
    }

    /// Tells whether the value of a variable may be sent.
    pub fn sends(&self, variable: &str) -> bool {
        let listed = self.variables.as_ref();
        listed.is_none_or(|listed| listed.iter().any(|one| one == variable))
    }
}

fn of_table(table: &dyn TableLike) -> Result<Reach, Wrong> {
    let mut reach = Reach::default();
    for (name, item) in table.iter() {
        match name {
            "hosts" => reach.hosts = Some(list(name, item)?),
            "env" => reach.variables = Some(list(name, item)?),
            _ => return Err((item.span(), format!("unknown field `http.{name}`"))),
        }
    }
    Ok(reach)
}

fn list(name: &str, item: &Item) -> Result<Vec<String>, Wrong> {
    let what = || {
        (
            item.span(),
            format!("`http.{name}` must be a list of strings"),
        )
    };
    let array = item.as_array().ok_or_else(what)?;
    let words = array.iter().map(|word| word.as_str().map(str::to_owned));
    words.collect::<Option<_>>().ok_or_else(what)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_of_hosts_allows_what_it_names_and_nothing_else() {
        let listed = ["hooks.example.com", "*.corp.example"].map(str::to_owned);
        let reach = Reach {
            hosts: Some(listed.to_vec()),
            variables: Some(Vec::new()),
        };
        for host in ["HOOKS.example.com", "a.corp.example", "a.b.corp.example"] {
            assert!(reach.allows(host), "{host}");
        }
        for host in [
            "example.com",
            "corp.example",
            "acorp.example",
            ".corp.example",
            "localhost",
        ] {
            assert!(!reach.allows(host), "{host}");
        }
        assert!(!reach.sends("TOKEN"));
    }
}
