//! What is wrong with a case whatever its package is: unknown names, and expectations that mean nothing.

use anyhook::core::event::EventName;
use anyhook::core::manifest::LineIndex;
use anyhook::core::taxonomy::{self, COMMON};
use anyhook::wires::Host;
use anyhook::yaml::{self, Spanned};
use serde_json::Value;

use super::{CasePlanner, climbs};
use crate::case::CaseMode;
use crate::matching;
use crate::problem::{Problem, finding};

/// What a payload may have besides the fields of its event.
const ALSO: &[&str] = &[
    "hook_event_name",
    "tool_name",
    "tool_input",
    "tool_output",
    "tool_response",
];

/// Arguments of tools, which people take for fields of the event.
const INNER: &[&str] = &["command", "filepath", "content", "url"];

impl CasePlanner<'_> {
    /// Returns all of it.
    pub(super) fn flaws(&self) -> Vec<Problem> {
        let mut problems: Vec<Problem> = self.flaw_of_name().into_iter().collect();
        problems.extend(self.unknown_event(&self.spec.event));
        let earlier = self.spec.input.before.iter();
        problems.extend(earlier.filter_map(|earlier| self.unknown_event(&earlier.event)));
        problems.extend(self.flaws_of_overrides());
        problems.extend(self.flaw_of_skip());
        problems.extend(self.flaws_of_texts());
        problems.extend(self.flaw_of_code());
        problems.extend(self.flaws_of_matchers());
        problems.extend(self.flaws_of_files());
        problems.extend(self.flaws_of_hosts());
        problems
    }

    fn flaw_of_name(&self) -> Option<Problem> {
        let name = &self.spec.name;
        let message = || {
            let given = &name.value;
            format!("`{given}` is no name of a case: it has 1 to 64 of a-z, 0-9 and `-`")
        };
        (!is_name(&name.value)).then(|| self.problem(yaml::of(name), message()))
    }

    fn unknown_event(&self, event: &Spanned<String>) -> Option<Problem> {
        let name = EventName::new(&event.value);
        // A name with a colon is an event of the package's own: a pattern matches it too.
        let is_own = event.value.contains(':');
        let means = |on: &EventName| *on == name || is_own && on.covers(&name);
        let mut groups = self.package.groups.iter();
        let is_known =
            name.spec().is_some() || groups.any(|group| means(&EventName::new(&group.event)));
        let help = || {
            let near = taxonomy::suggest(&event.value)?;
            Some(format!("did you mean `{near}`?"))
        };
        let message = format!("no event is called `{}`", event.value);
        (!is_known).then(|| self.found(finding(yaml::of(event), message, help())))
    }

    /// A field that is only misspelled, or that stands in the arguments of the tool, changes nothing that a hook looks at.
    fn flaws_of_overrides(&self) -> Vec<Problem> {
        let Some(spec) = EventName::new(&self.spec.event.value).spec() else {
            return Vec::new();
        };
        let plain = |name: &str| name.replace('_', "").to_lowercase();
        let fields = spec.fields.iter().chain(COMMON).map(|field| field.name);
        let fields: Vec<String> = fields.chain(ALSO.iter().copied()).map(plain).collect();
        let paths = self.spec.input.overrides.0.iter();
        let flaw = |(path, value): &(String, Spanned<Value>)| {
            let field = plain(path.trim_start_matches('/').split(['.', '/']).next()?);
            if fields.contains(&field) {
                return None;
            }
            let is_inner = INNER.contains(&&*field) && spec.subject == Some("tool_name");
            let near = taxonomy::nearest(&field, fields.iter().map(String::as_str));
            let help = match near {
                _ if is_inner => format!("did you mean `toolInput.{path}`?"),
                near => format!("did you mean `{}`?", near?),
            };
            let message = format!("`{path}` is no field of `{}`", self.spec.event.value);
            Some(self.found(finding(self.path_of(path, value), message, Some(help))))
        };
        paths.filter_map(flaw).collect()
    }

    /// `skip: false` would pass a case over as well as `skip: true`: neither says why.
    fn flaw_of_skip(&self) -> Option<Problem> {
        let given = self.spec.skip.as_ref()?;
        let is_none = matches!(given.value.trim(), "" | "true" | "false");
        let message = "`skip` is a text that says why the case is not run";
        is_none.then(|| self.problem(yaml::of(given), message))
    }

    /// An empty text is in every output, so that it says nothing.
    fn flaws_of_texts(&self) -> Vec<Problem> {
        let expected = &self.spec.expected;
        let lists = [
            ("stdout-contains", Some(&expected.stdout_contains)),
            ("stderr-contains", Some(&expected.stderr_contains)),
            ("not-contains", Some(&expected.not_contains)),
            ("reason-contains", expected.reason_contains.as_ref()),
        ];
        let flaw = |(field, list): (&str, Option<&Vec<String>>)| {
            list?.iter().find(|text| text.is_empty())?;
            let line = format!("\n  {field}:");
            let from = self.text.find(&line).map_or(0, |at| at + 3);
            let at = LineIndex::new(0, self.text).place(from..from + field.len());
            let message = format!("`{field}` names an empty text, which every output contains");
            let help = Some("write a part of the output".to_owned());
            Some(self.found(finding(at, message, help)))
        };
        lists.into_iter().filter_map(flaw).collect()
    }

    /// An exit code is that of one hook.
    fn flaw_of_code(&self) -> Option<Problem> {
        let code = self.spec.expected.exit_code.as_ref()?;
        let message = "an exit code is that of one hook: assert `decision`, or leave `mode` out";
        (self.spec.mode != CaseMode::Hook).then(|| self.problem(yaml::of(code), message))
    }

    fn flaws_of_matchers(&self) -> Vec<Problem> {
        let expected = &self.spec.expected;
        let files = expected.files.0.iter().map(|(_, value)| value);
        let hosts = expected.on.values().map(|own| &own.value);
        let rewrites = hosts.clone().filter_map(|own| own.rewrites.as_ref());
        let rewrites = expected.rewrites.iter().chain(rewrites);
        let rewrites = rewrites.flat_map(|pairs| pairs.0.iter().map(|(_, value)| value));
        let placed: Vec<&Spanned<Value>> = expected
            .stdout_json
            .iter()
            .chain(files)
            .chain(rewrites)
            .collect();
        let flaw = |value: &Spanned<Value>| {
            matching::flaw(&value.value).map(|flaw| self.problem(yaml::of(value), flaw))
        };
        let mut problems: Vec<Problem> = placed.into_iter().filter_map(flaw).collect();
        let texts = hosts.filter_map(|own| own.injects.as_ref());
        let texts = expected.injects.iter().chain(texts).flatten();
        let flaws = texts.filter_map(matching::flaw);
        problems.extend(flaws.map(|flaw| self.problem(yaml::of(&self.spec.name), flaw)));
        problems
    }

    fn flaws_of_files(&self) -> Vec<Problem> {
        let files = &self.spec.expected.files.0;
        let mut problems = Vec::new();
        if let (Some((_, at)), None) = (files.first(), &self.spec.workspace) {
            let message = "`files` are those of a workspace: name one with `workspace`";
            problems.push(self.problem(yaml::of(at), message));
        }
        for (path, at) in files.iter().filter(|(path, _)| climbs(path)) {
            let message = format!("`{path}` is no path below the workspace");
            problems.push(self.problem(yaml::of(at), message));
        }
        problems
    }

    fn flaws_of_hosts(&self) -> Vec<Problem> {
        let own = self.spec.hosts.as_ref().map(|hosts| hosts.value.names());
        let played = own.unwrap_or(&self.package.config.dialects);
        let id = |name: &String| anyhook::wires::host(name).map(Host::id);
        let flaw = |(host, at): (&String, &Spanned<_>)| match id(host) {
            None => Some(self.unknown_host(yaml::of(at), host)),
            Some(known) if played.iter().any(|name| id(name) == Some(known)) => None,
            Some(_) => {
                let message = format!("this case is not played as `{host}`: name it in `as`");
                Some(self.problem(yaml::of(at), message))
            }
        };
        self.spec.expected.on.iter().filter_map(flaw).collect()
    }
}

/// Tells whether a name is one: `[a-z0-9-]`, 1 to 64 characters.
fn is_name(name: &str) -> bool {
    let is_letter = |letter: u8| matches!(letter, b'a'..=b'z' | b'0'..=b'9' | b'-');
    (1..=64).contains(&name.len()) && name.bytes().all(is_letter)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_short_and_in_small_letters() {
        let long = "a".repeat(65);
        let names = ["a", "01-x", "", "Up", "a_b", "a b", &long].map(is_name);
        assert_eq!(names, [true, true, false, false, false, false, false]);
    }
}
