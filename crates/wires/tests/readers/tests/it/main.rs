//! The readers against the corpus, and the corpus against itself.

#[cfg(test)]
mod behaviour;
#[cfg(test)]
mod corpus;
#[cfg(test)]
mod hostile;
#[cfg(test)]
mod payloads;
