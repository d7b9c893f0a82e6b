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
//! use anyhook_fleet::{ApplyOutcome, Bundle, SecretKey, PolicySource, Store, trust};
//!
//! let place = tempfile::tempdir()?;
//! let lead = place.path().join("policy");
//! std::fs::create_dir_all(lead.join("hooks"))?;
//! std::fs::write(lead.join("policy.json"), r#"{"name": "acme", "revision": 1}"#)?;
//! std::fs::write(lead.join("hooks/hooks.json"), r#"{"version": 1, "hooks": {}}"#)?;
//! let secret = SecretKey::generate()?;
//! let bundle = Bundle::build(&lead)?.sign(std::slice::from_ref(&secret))?;
//!
//! // The machine of another person, which trusts the key.
//! let machine = place.path().join("etc");
//! trust(&machine, &secret.public("lead"))?;
//! let store = Store::at(&machine);
//! let ApplyOutcome::Enforced { name, .. } = store.apply(bundle.as_bytes(), &PolicySource::file("acme.policy"))? else { panic!() };
//! assert!(name.starts_with("1-"));
//!
//! // Another key's policy is refused, and the good one goes on.
//! let stranger = Bundle::build(&lead)?.sign(&[SecretKey::generate()?])?;
//! assert!(store.apply(stranger.as_bytes(), &PolicySource::file("x.policy")).is_err());
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

pub use batch::{Batch, BatchHeader};
pub use bundle::{Bundle, BundleFile, VerifiedPolicy};
pub use command::main;
pub use control::{Fleet, FleetAccount, FleetRole};
pub use diff::diff;
pub use error::{PolicyError, Trouble};
pub use fetch::{PolicySource, fetch};
pub use keys::{NamedKey, SecretKey, trust, trusted};
pub use machine::Machine;
pub use rules::{ExceptionGrant, KeyChanges, PolicyRules, PolicyValidity};
pub use ship::{Shipment, ShipmentSummary, Shipper};
pub use store::{ApplyOutcome, Store};
