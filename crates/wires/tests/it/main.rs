//! What is written here is read by readers that share no code with it.

mod corpus;
mod fixtures;
mod hostile;
mod oracle;
mod rows;
mod said;
