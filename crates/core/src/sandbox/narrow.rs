//! The intersection of two sandboxes: of each part the stricter one.

use super::{Sandbox, SandboxPath, passes};

impl Sandbox {
    /// Returns what holds where this one and an inner one both do, and the fields in which the inner one asked for more than it
    /// gets. What only one of them says is as it says.
    pub fn narrowed(&self, inner: &Self) -> (Self, Vec<&'static str>) {
        let open = self.open();
        let (read, more_read) = both(open.as_ref(), inner.read.as_ref(), SandboxPath::holds);
        let (write, more_write) = both(
            self.write.as_ref(),
            inner.write.as_ref(),
            SandboxPath::holds,
        );
        let (network, more_network) = least(self.network, inner.network);
        let (env, more_env) = both(self.env.as_ref(), inner.env.as_ref(), |outer, inner| {
            covers(outer, inner)
        });
        let (processes, more_processes) = least(self.processes, inner.processes);
        let both = Self {
            read: read.filter(|_| inner.read.is_some()).or(self.read.clone()),
            write,
            network,
            env,
            processes,
            required: self.required || inner.required,
        };
        let more = [
            ("read", more_read),
            ("write", more_write),
            ("network", more_network),
            ("env", more_env),
            ("processes", more_processes),
        ];
        let in_vain = more.into_iter().filter(|(_, more)| *more);
        (both, in_vain.map(|(field, _)| field).collect())
    }

    /// What may be read, where this is said: also what may be written.
    fn open(&self) -> Option<Vec<SandboxPath>> {
        let read = self.read.as_ref()?.iter();
        Some(read.chain(self.write.iter().flatten()).cloned().collect())
    }

    /// Tells whether nothing is open here that is closed in another one. Both are taken as whole: what one of them does not
    /// say is [`Sandbox::of_command`].
    pub fn is_within(&self, other: &Self) -> bool {
        let (own, other) = (
            self.clone().or(Self::of_command()),
            other.clone().or(Self::of_command()),
        );
        let says = |own: bool, other: bool| own || !other;
        let (_, in_vain) = other.narrowed(&own);
        in_vain.is_empty()
            && says(own.env.is_some(), other.env.is_some())
            && says(own.processes.is_some(), other.processes.is_some())
            && says(own.required, other.required)
    }
}

/// Tells whether every name of a variable that an inner pattern means is meant by an outer one.
fn covers(outer: &str, inner: &str) -> bool {
    let is_within = |name: &str| passes(&[outer.to_owned()], name);
    match inner.strip_suffix('*') {
        Some(start) => outer.ends_with('*') && is_within(start),
        None => is_within(inner),
    }
}

/// Returns what two lists have in common, and whether the inner one has more: of two where one holds the other, the smaller.
fn both<T: Clone + PartialEq>(
    outer: Option<&Vec<T>>,
    inner: Option<&Vec<T>>,
    holds: impl Fn(&T, &T) -> bool,
) -> (Option<Vec<T>>, bool) {
    let (Some(outer), Some(inner)) = (outer, inner) else {
        return (outer.or(inner).cloned(), false);
    };
    let (mut common, mut more): (Vec<T>, bool) = (Vec::new(), false);
    for asked in inner {
        if outer.iter().any(|outer| holds(outer, asked)) {
            common.push(asked.clone());
            continue;
        }
        more = true;
        let smaller = outer.iter().filter(|outer| holds(asked, outer));
        common.extend(smaller.cloned());
    }
    (Some(common), more)
}

fn least<T: Copy + Ord>(outer: Option<T>, inner: Option<T>) -> (Option<T>, bool) {
    let more = matches!((outer, inner), (Some(outer), Some(inner)) if inner > outer);
    (outer.into_iter().chain(inner).min(), more)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn sandbox(value: serde_json::Value) -> Sandbox {
        serde_json::from_value(value).unwrap()
    }

    #[test]
    fn of_two_sandboxes_the_narrower_part_holds_and_what_was_asked_in_vain_is_named() {
        let outer = sandbox(json!({
            "read": ["./**"], "write": ["./build/**", "/tmp/**"], "network": "loopback", "env": ["PATH", "LC_*"],
            "processes": 2,
        }));
        let inner = sandbox(json!({
            "read": ["./src/**", "~/**", "/tmp/x"], "write": ["./**"], "network": "any", "env": ["LC_ALL", "AWS_*"],
            "processes": 4, "required": true,
        }));
        let (both, in_vain) = outer.narrowed(&inner);
        let expected = sandbox(json!({
            "read": ["./src/**", "/tmp/x"], "write": ["./build/**"], "network": "loopback", "env": ["LC_ALL"],
            "processes": 2, "required": true,
        }));
        assert_eq!(both, expected);
        assert_eq!(in_vain, ["read", "write", "network", "env", "processes"]);
    }

    #[test]
    fn a_sandbox_is_within_one_that_opens_as_much_and_limits_no_more() {
        let within = |own, other| sandbox(own).is_within(&sandbox(other));
        assert!(within(json!({}), json!({})));
        assert!(within(json!({"processes": 9}), json!({"write": ["./**"]})));
        assert!(within(
            json!({"write": ["./a/**"]}),
            json!({"write": ["./**"]})
        ));
        assert!(!within(json!({"write": ["./**"]}), json!({})));
        assert!(!within(json!({"network": "any"}), json!({})));
        assert!(!within(json!({}), json!({"processes": 9})));
        assert!(!within(json!({}), json!({"env": ["PATH"]})));
        assert!(!within(json!({}), json!({"required": true})));
        assert!(!within(json!({"read": ["~/**"]}), json!({})));
    }

    fn sandboxes() -> impl Strategy<Value = Sandbox> {
        let place = prop_oneof![
            Just("./**"),
            Just("./a/**"),
            Just("./a/b"),
            Just("~/**"),
            Just("/**"),
            Just("/tmp/**"),
        ];
        let places = || {
            let place = place
                .clone()
                .prop_map(|text| text.parse::<SandboxPath>().unwrap());
            proptest::option::of(proptest::collection::vec(place, 0..3))
        };
        let name = prop_oneof![Just("A"), Just("A*"), Just("AB*"), Just("*")];
        let env = proptest::collection::vec(name.prop_map(str::to_owned), 0..3);
        let network = proptest::sample::select(super::super::Network::ALL);
        (
            places(),
            places(),
            proptest::option::of(network),
            proptest::option::of(env),
            proptest::option::of(1_u32..4),
            any::<bool>(),
        )
            .prop_map(|(read, write, network, env, count, required)| Sandbox {
                read,
                write,
                network,
                env,
                processes: count.and_then(std::num::NonZeroU32::new),
                required,
            })
    }

    proptest! {
        #[test]
        fn what_holds_of_two_is_within_both_whatever_they_say(outer in sandboxes(), inner in sandboxes()) {
            let (outer, inner) = (outer.or(Sandbox::of_command()), inner.or(Sandbox::of_command()));
            let (both, in_vain) = outer.narrowed(&inner);
            prop_assert!(both.is_within(&inner), "{both:?}");
            prop_assert!(both.is_within(&outer), "{both:?}");
            prop_assert_eq!(in_vain.is_empty(), both == inner.clone().or(both.clone()));
        }
    }
}
