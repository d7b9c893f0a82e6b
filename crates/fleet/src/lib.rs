//! One policy for many machines: a signed file that the administrator of each machine applies, and that its events obey.
//!
//! ```text
//!  lead: hooks, packages, settings, policy.json ── build ──> acme.policy, signed
//!                                                               │ a file, or HTTPS
//!  machine: trusted keys ── apply ──> /etc/anyhook/policy/current ──> the managed layer of every event
//! ```
//!
//! No server is in the way of a decision: an event reads the files of the last good revision, and this program, which
//! fetches and verifies, is started by a person or a timer.
//!
//! ```
//! use anyhook_fleet::{Applied, Bundle, Secret, Source, Store, trust};
//!
//! let place = tempfile::tempdir()?;
//! let lead = place.path().join("policy");
//! std::fs::create_dir_all(lead.join("hooks"))?;
//! std::fs::write(lead.join("policy.json"), r#"{"name": "acme", "revision": 1}"#)?;
//! std::fs::write(lead.join("hooks/hooks.json"), r#"{"version": 1, "hooks": {}}"#)?;
//! let secret = Secret::generate()?;
//! let bundle = Bundle::build(&lead)?.sign(std::slice::from_ref(&secret))?;
//!
//! // The machine of another person, which trusts the key.
//! let machine = place.path().join("etc");
//! trust(&machine, &secret.public("lead"))?;
//! let store = Store::at(&machine);
//! let Applied::Enforced { name, .. } = store.apply(bundle.as_bytes(), &Source::file("acme.policy"))? else { panic!() };
//! assert!(name.starts_with("1-"));
//!
//! // Another key's policy is refused, and the good one goes on.
//! let stranger = Bundle::build(&lead)?.sign(&[Secret::generate()?])?;
//! assert!(store.apply(stranger.as_bytes(), &Source::file("x.policy")).is_err());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod archive;
mod batch;
mod bundle;
mod command;
mod control;
mod coverage;
mod diff;
mod disk;
mod error;
mod fetch;
mod fleet_verbs;
mod keys;
mod machine;
mod paths;
mod policy_verbs;
mod query;
mod rounds;
mod row;
mod rules;
mod server;
mod ship;
mod shipping;
mod source;
mod spool;
mod store;

pub use batch::{Batch, Head};
pub use bundle::{Bundle, Kept, Verified};
pub use command::main;
pub use control::{Fleet, Listed, Role};
pub use diff::diff;
pub use error::{PolicyError, Trouble};
pub use fetch::{Source, fetch};
pub use keys::{Public, Secret, trust, trusted};
pub use machine::Machine;
pub use rules::{Granted, Holds, KeyChanges, Rules};
pub use ship::{Shipment, Shipped, Shipper};
pub use store::{Applied, Store};
