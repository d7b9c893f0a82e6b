//! Anyhook's kernel: `Event -> Hook* -> HookResult`, folded by one associative operation.

pub mod can;
pub mod dispatch;
pub mod effects;
pub mod event;
pub mod fault;
pub mod fit;
pub mod handler;
pub mod hook;
pub mod manifest;
pub mod matcher;
pub mod ports;
pub mod question;
pub mod report;
pub mod result;
pub mod taxonomy;
pub mod transcript;
