//! The corpus against the truth.

#[cfg(test)]
mod payloads;
