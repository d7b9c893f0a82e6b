//! How a person is asked and informed: `[approve]` and `[notify]` in `config.toml`.

use std::time::Duration;

use toml_edit::{Item, TableLike, Value};

use super::ConfigError;
use super::config::{Wrong, of_file};
use crate::world::{ConfigFiles, World};

/// Where the page stands if nothing else is said.
const PAGE: &str = "http://127.0.0.1:7467";
/// The most commands, and the most webhooks.
const MOST: usize = 8;

/// How questions reach a person, and what an answer takes.
///
/// ```
/// use anyhook_engine::limits::Asking;
///
/// let usual = Asking::default();
/// assert_eq!((usual.passphrase_required, usual.wait, usual.notify.commands.len()), (false, None, 0));
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Asking {
    /// Whether nothing is granted before a passphrase is set.
    pub passphrase_required: bool,
    /// How long an event waits for an answer given elsewhere, at most: no time is not to wait. Nothing: it waits only as long
    /// as the hook that asks says, else it refuses, and the agent tries again.
    pub wait: Option<Duration>,
    /// What tells the person of a question.
    pub notify: Notify,
}

/// What tells a person of a question.
///
/// ```
/// use anyhook_engine::limits::Notify;
/// assert_eq!(Notify::default().page, "http://127.0.0.1:7467");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notify {
    /// Programs with their arguments; each reads the question as JSON.
    pub commands: Vec<Vec<String>>,
    /// Addresses to which the question is posted.
    pub webhooks: Vec<Webhook>,
    /// Where the page stands that links lead to.
    pub page: String,
}

impl Default for Notify {
    fn default() -> Self {
        Self {
            commands: Vec::new(),
            webhooks: Vec::new(),
            page: PAGE.to_owned(),
        }
    }
}

/// One address.
///
/// ```
/// use anyhook_engine::limits::{Form, Webhook};
/// let hook = Webhook { url: "https://ntfy.sh/mine".into(), form: Form::Ntfy, token: None };
/// assert_eq!(hook.form, Form::Ntfy);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Webhook {
    /// Where it is.
    pub url: String,
    /// What it takes.
    pub form: Form,
    /// The variable of the environment that holds its token.
    pub token: Option<String>,
}

/// What a webhook takes.
///
/// ```
/// use anyhook_engine::limits::Form;
/// assert_eq!(Form::default(), Form::Json);
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Form {
    /// The question as JSON, as a command reads it.
    #[default]
    Json,
    /// The text as the body, the title and the link as headers.
    Ntfy,
    /// `{"text": …}`, as Slack and its like take it.
    Slack,
}

impl Asking {
    /// Reads what is configured for this machine and person. What the administrator says about a passphrase only adds to
    /// what the person says; of everything else the managed file is taken where it says anything.
    pub fn of(world: &World) -> Result<Self, ConfigError> {
        Self::read(&ConfigFiles::of(world))
    }

    /// Reads what is configured in these files.
    pub fn read(files: &ConfigFiles) -> Result<Self, ConfigError> {
        let mut found = Self::default();
        let mut waits = None;
        let mut notify = None;
        for file in [&files.managed, &files.user].into_iter().flatten() {
            if let Some((required, wait)) = of_file(file, "approve", of_approve)? {
                found.passphrase_required |= required;
                waits = waits.or(wait);
            }
            if notify.is_none() {
                notify = of_file(file, "notify", of_notify)?;
            }
        }
        found.wait = waits;
        found.notify = notify.unwrap_or_default();
        Ok(found)
    }

    /// Returns what holds where the files cannot be read: whether a passphrase is required is unknown then, so it is.
    pub fn unreadable() -> Self {
        Self {
            passphrase_required: true,
            ..Self::default()
        }
    }
}

/// Returns whether a passphrase is required, and how long is waited, where that is said; no time is not to wait.
fn of_approve(table: &dyn TableLike) -> Result<(bool, Option<Duration>), Wrong> {
    let (mut required, mut wait) = (false, None);
    for (name, item) in table.iter() {
        match name {
            "passphrase" => {
                required = match item.as_str() {
                    Some("required") => true,
                    Some("optional") => false,
                    Some(_) | None => {
                        return Err(must(
                            item,
                            "approve.passphrase",
                            "`\"required\"` or `\"optional\"`",
                        ));
                    }
                };
            }
            "wait" => wait = Some(wait_of(item)?),
            _ => return Err((item.span(), format!("unknown field `approve.{name}`"))),
        }
    }
    Ok((required, wait))
}

fn wait_of(item: &Item) -> Result<Duration, Wrong> {
    if let Some(waits) = item.as_bool() {
        return Ok(if waits { Duration::MAX } else { Duration::ZERO });
    }
    let seconds = item
        .as_integer()
        .and_then(|seconds| u64::try_from(seconds).ok());
    let seconds = seconds.filter(|seconds| (1..=86_400).contains(seconds));
    let wanted = "`true`, `false`, or a number of seconds from 1 to 86400";
    let seconds = seconds.ok_or_else(|| must(item, "approve.wait", wanted))?;
    Ok(Duration::from_secs(seconds))
}

fn of_notify(table: &dyn TableLike) -> Result<Notify, Wrong> {
    let mut notify = Notify::default();
    for (name, item) in table.iter() {
        match name {
            "commands" => notify.commands = list(item, "notify.commands", command_of)?,
            "webhooks" => notify.webhooks = list(item, "notify.webhooks", webhook_of)?,
            "page" => {
                let page = item.as_str().filter(|page| is_address(page));
                let page =
                    page.ok_or_else(|| must(item, "notify.page", "an `http` or `https` address"))?;
                page.trim_end_matches('/').clone_into(&mut notify.page);
            }
            _ => return Err((item.span(), format!("unknown field `notify.{name}`"))),
        }
    }
    Ok(notify)
}

fn list<T>(item: &Item, name: &str, one: impl Fn(&Value) -> Option<T>) -> Result<Vec<T>, Wrong> {
    let wanted = match name {
        "notify.commands" => "up to 8 lists of a program and its arguments",
        _ => "up to 8 tables of `url`, `form` (`json`, `ntfy` or `slack`) and `token`",
    };
    let all = item.as_array().filter(|array| array.len() <= MOST);
    let all = all.and_then(|array| array.iter().map(one).collect());
    all.ok_or_else(|| must(item, name, wanted))
}

fn command_of(value: &Value) -> Option<Vec<String>> {
    let words = value.as_array()?.iter();
    let words: Option<Vec<String>> = words.map(|word| Some(word.as_str()?.to_owned())).collect();
    words.filter(|words| words.first().is_some_and(|program| !program.is_empty()))
}

fn webhook_of(value: &Value) -> Option<Webhook> {
    let table = value.as_inline_table()?;
    let mut hook = Webhook {
        url: String::new(),
        form: Form::default(),
        token: None,
    };
    for (name, value) in table {
        let text = value.as_str()?;
        match (name, text) {
            ("url", _) if is_address(text) => text.clone_into(&mut hook.url),
            ("form", "json") => hook.form = Form::Json,
            ("form", "ntfy") => hook.form = Form::Ntfy,
            ("form", "slack") => hook.form = Form::Slack,
            ("token", _) if !text.is_empty() => hook.token = Some(text.to_owned()),
            _ => return None,
        }
    }
    (!hook.url.is_empty()).then_some(hook)
}

fn is_address(text: &str) -> bool {
    let rest = text
        .strip_prefix("https://")
        .or_else(|| text.strip_prefix("http://"));
    rest.is_some_and(|rest| !rest.is_empty())
        && !text.contains(|c: char| c.is_control() || c == ' ')
}

fn must(item: &Item, name: &str, wanted: &str) -> Wrong {
    (item.span(), format!("`{name}` must be {wanted}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(managed: &str, user: &str) -> Result<Asking, String> {
        let place = tempfile::tempdir().unwrap();
        let written = |name: &str, text: &str| {
            std::fs::write(place.path().join(name), text).unwrap();
            Some(place.path().join(name))
        };
        let files = ConfigFiles {
            managed: written("managed.toml", managed),
            user: written("user.toml", user),
        };
        let folder = format!("{}/", place.path().display());
        Asking::read(&files).map_err(|error| error.to_string().replace(&folder, ""))
    }

    #[test]
    fn a_passphrase_is_required_if_the_administrator_or_the_person_says_so() {
        for (managed, user, required) in [
            ("", "", false),
            ("required", "optional", true),
            ("optional", "required", true),
            ("optional", "", false),
        ] {
            let table = |text: &str| match text {
                "" => String::new(),
                text => format!("[approve]\npassphrase = \"{text}\"\n"),
            };
            let found = read(&table(managed), &table(user)).unwrap();
            assert_eq!(found.passphrase_required, required, "{managed} {user}");
        }
        assert!(Asking::unreadable().passphrase_required);
    }

    #[test]
    fn commands_and_webhooks_are_lists_with_their_forms() {
        let text = "[approve]\nwait = 90\n[notify]\ncommands = [[\"notify-send\", \"Anyhook\"]]\n\
             webhooks = [{ url = \"https://ntfy.example/mine\", form = \"ntfy\", token = \"NTFY\" }]\npage = \"http://localhost:1/\"\n";
        let found = read("[approve]\nwait = false\n", text).unwrap();
        assert_eq!(found.wait, Some(Duration::ZERO), "the administrator's");
        let found = read("", text).unwrap();
        assert_eq!(found.wait, Some(Duration::from_secs(90)));
        let webhook = Webhook {
            url: "https://ntfy.example/mine".into(),
            form: Form::Ntfy,
            token: Some("NTFY".into()),
        };
        assert_eq!(
            found.notify,
            Notify {
                commands: vec![vec!["notify-send".into(), "Anyhook".into()]],
                webhooks: vec![webhook],
                page: "http://localhost:1".into(),
            }
        );
    }

    #[test]
    fn a_mistake_is_named_with_its_place() {
        for (text, expected) in [
            (
                "[approve]\nwait = 0\n",
                "`user.toml:2:8`: `approve.wait` must be `true`, `false`, or a number of seconds from 1 to 86400",
            ),
            (
                "[approve]\npassphrase = true\n",
                "`user.toml:2:14`: `approve.passphrase` must be `\"required\"` or `\"optional\"`",
            ),
            (
                "[approve]\nfast = 1\n",
                "`user.toml:2:8`: unknown field `approve.fast`",
            ),
            (
                "[notify]\ncommands = [\"x\"]\n",
                "`user.toml:2:12`: `notify.commands` must be up to 8 lists of a program and its arguments",
            ),
            (
                "[notify]\nwebhooks = [{ url = \"ftp://x\" }]\n",
                "`user.toml:2:12`: `notify.webhooks` must be up to 8 tables of `url`, `form` (`json`, `ntfy` or `slack`) and `token`",
            ),
            (
                "[notify]\npage = \"x\"\n",
                "`user.toml:2:8`: `notify.page` must be an `http` or `https` address",
            ),
        ] {
            assert_eq!(read("", text).unwrap_err(), expected);
        }
    }
}
