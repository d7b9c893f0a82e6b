//! Which events a person wants to see, from the query: the filters of `anyhook log`, under the same names.

use anyhook::record::moment;
use anyhook::stores::{Filter, VerdictFilter};
use form_urlencoded::{Serializer, parse};
use maud::{Markup, html};

use super::shown;

/// The pages behind the newest one that can be turned to.
const LAST: usize = 1000;

/// What the query says: the fields as they were typed, and the page.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct Query {
    fields: Vec<(String, String)>,
    pub(super) page: usize,
}

/// The fields of the form: the name, its words, and what a person may type.
const FIELDS: &[(&str, &str, &str)] = &[
    ("text", "Text", "git push"),
    ("host", "Agent", "claude-code"),
    ("tool", "Tool", "Bash"),
    ("hook", "Hook", "no-rm"),
    ("project", "Project", "shop"),
    ("path", "Path", ".env"),
    ("session", "Session", ""),
    ("since", "Since", "2h, 7d, 2026-11-22"),
    ("until", "Until", "1h"),
];

/// What can be said about an event, as the query and as a person names it.
const SAID: &[(&str, &str, VerdictFilter)] = &[
    ("denied", "refused", VerdictFilter::Denied),
    ("asked", "asked about", VerdictFilter::Asked),
    (
        "would-deny",
        "would be refused by a shadow hook",
        VerdictFilter::WouldDeny,
    ),
];

impl Query {
    pub(super) fn of(query: &str) -> Self {
        let mut all = Self::default();
        for (name, value) in parse(query.as_bytes()) {
            let is_field = name == "said" || FIELDS.iter().any(|(field, ..)| *field == name);
            match &*name {
                "page" => all.page = value.parse::<usize>().unwrap_or_default().min(LAST),
                _ if is_field && !value.trim().is_empty() => {
                    all.fields.push((name.into(), value.trim().to_owned()));
                }
                _ => {}
            }
        }
        all
    }

    fn field(&self, name: &str) -> Option<&str> {
        let mut named = self.fields.iter().filter(|(field, _)| field == name);
        named.next().map(|(_, value)| value.as_str())
    }

    /// Returns the filter, or the moment that is none.
    pub(super) fn filter(&self) -> Result<Filter, String> {
        let text = |name| self.field(name).map(str::to_owned);
        let at = |name: &str| {
            let given = self.field(name);
            let read = |text: &str| {
                let wrong = || format!("`{text}` is no time; write 30m, 2h, 7d, or 2026-11-22");
                moment(text).ok_or_else(wrong)
            };
            given.map(read).transpose()
        };
        let said = self.field("said");
        let said = SAID.iter().find(|(name, ..)| said == Some(*name));
        Ok(Filter {
            id: None,
            since: at("since")?,
            until: at("until")?,
            said: said.map(|(.., said)| *said),
            session: text("session"),
            hook: text("hook"),
            host: text("host"),
            project: text("project"),
            tool: text("tool"),
            path: text("path"),
            texts: text("text").into_iter().collect(),
        })
    }

    /// Returns the address of another page of the same events.
    pub(super) fn turned(&self, page: usize) -> String {
        let mut all = Serializer::new(String::new());
        for (name, value) in &self.fields {
            all.append_pair(name, value);
        }
        format!("/?{}", all.append_pair("page", &page.to_string()).finish())
    }

    /// Writes the form, as it was filled in.
    pub(super) fn form(&self) -> Markup {
        html! {
            details.filter open[!self.fields.is_empty()] {
                summary { "Filter and search" }
                form method="get" action="/" role="search" {
                    @for (name, words, hint) in FIELDS {
                        label { span { (words) } input name=(name) value=(shown(self.field(name).unwrap_or_default())) placeholder=(hint) autocomplete="off"; }
                    }
                    label { span { "Only" } select name="said" {
                        option value="" { "all" }
                        @for (name, words, _) in SAID { option value=(name) selected[self.field("said") == Some(*name)] { (words) } }
                    } }
                    button { "Show" }
                    a href="/" { "All events" }
                }
            }
        }
    }
}

/// Writes the address of the events of one field.
pub(super) fn only(name: &str, value: &str) -> String {
    let mut all = Serializer::new(String::new());
    format!("/?{}", all.append_pair(name, value).finish())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_query_has_the_filters_of_the_log_and_is_turned_with_them() {
        let query = Query::of("said=denied&text=git+push%26&host=&page=2&evil=1&since=7d");
        let filter = query.filter().unwrap();
        assert_eq!(filter.said, Some(VerdictFilter::Denied));
        assert_eq!(
            (filter.texts, filter.host),
            (vec!["git push&".to_owned()], None)
        );
        assert!(filter.since.is_some());
        assert_eq!(
            query.turned(3),
            "/?said=denied&text=git+push%26&since=7d&page=3"
        );
        assert!(
            Query::of("until=soon")
                .filter()
                .unwrap_err()
                .contains("`soon`")
        );
    }
}
