//! Events about providers and models, as Amplifier has them.

use super::super::field::{any, flag, integer, list, number, object, text};
use super::{EventSpec, after, gate, notice};

pub(super) const ROWS: &[EventSpec] = &[
    gate("provider:request", "A provider is about to be called.")
        .mutable(&["messages", "model"])
        .fields(&[
            text("provider", "The provider's name.", "amplifier"),
            list("messages", "The messages that are to be sent.", "amplifier"),
            text("model", "The model's name.", "amplifier"),
            integer(
                "input_count",
                "How many messages are to be sent.",
                "amplifier",
            ),
            integer("iteration", "Which turn of the loop it is.", "amplifier"),
            flag(
                "max_reached",
                "Whether it is the loop's last turn.",
                "amplifier",
            ),
        ]),
    after("provider:response", "A provider has answered.")
        .mutable(&["response"])
        .fields(&[
            text("provider", "The provider's name.", "amplifier"),
            any("response", "The answer.", "amplifier"),
            object("usage", "Tokens in and out.", "amplifier"),
            integer("tokens_used", "Tokens in and out together.", "amplifier"),
            flag(
                "tool_calls",
                "Whether the model wants to call tools.",
                "amplifier",
            ),
            number(
                "duration_ms",
                "How long it took, in milliseconds.",
                "amplifier",
            ),
        ]),
    notice("provider:retry", "A request to a provider is tried again.").fields(&[
        text("provider", "The provider's name.", "amplifier"),
        integer("attempt", "Which attempt it is.", "amplifier"),
        number(
            "delay",
            "How long it waits before, in seconds.",
            "amplifier",
        ),
        number(
            "retry_after",
            "How long the provider asked to wait, in seconds.",
            "amplifier",
        ),
    ]),
    notice("provider:error", "A provider has failed.")
        .aliases(&["error:provider"])
        .fields(&[
            text("provider", "The provider's name.", "amplifier"),
            any(
                "error",
                "What failed: a text, or an object with type and message.",
                "amplifier",
            )
            .must(),
            flag("retryable", "Whether trying again may help.", "amplifier"),
            integer("status_code", "The HTTP status.", "amplifier"),
        ]),
    notice(
        "provider:throttle",
        "A provider is near its limit, and requests are held back.",
    )
    .fields(&[
        text("provider", "The provider's name.", "amplifier"),
        text("model", "The model's name.", "amplifier"),
        text("dimension", "What is nearly used up.", "amplifier"),
        number("remaining", "How much is left.", "amplifier"),
        number("limit", "How much there was.", "amplifier"),
        number("delay", "How long it waits, in seconds.", "amplifier"),
        text("reason", "Why it waits.", "amplifier"),
    ]),
    notice(
        "provider:tool_sequence_repaired",
        "A broken sequence of tool calls was repaired before a request.",
    )
    .fields(&[
        text("provider", "The provider's name.", "amplifier"),
        list("original_calls", "The calls as they were.", "amplifier"),
        list("repaired_calls", "The calls as they are sent.", "amplifier"),
    ]),
    notice("provider:resolve", "A provider and a model were chosen.").fields(&[
        text("provider_id", "The provider.", "amplifier").must(),
        text("model", "The model's name.", "amplifier"),
    ]),
    gate("llm:request", "A request is about to go to a model.")
        .mutable(&["messages", "params"])
        .fields(&[
            text("provider", "The provider's name.", "amplifier"),
            text("model", "The model's name.", "amplifier"),
            any(
                "messages",
                "The messages, or how many they are.",
                "amplifier",
            ),
            object("params", "The request's parameters.", "amplifier"),
            object(
                "raw",
                "The request as it goes over the wire, redacted.",
                "amplifier",
            ),
        ]),
    notice("llm:response", "A model has answered.").fields(&[
        text("provider", "The provider's name.", "amplifier"),
        text("model", "The model's name.", "amplifier"),
        object(
            "usage",
            "Tokens in and out, and tokens read from and written to the cache.",
            "amplifier",
        ),
        text("status", "How it went.", "amplifier"),
        number(
            "duration_ms",
            "How long it took, in milliseconds.",
            "amplifier",
        ),
        object(
            "raw",
            "The answer as it came over the wire, redacted.",
            "amplifier",
        ),
    ]),
    notice(
        "llm:request:debug",
        "A request to a model, in short, for those who log it.",
    )
    .fields(&[
        text("provider", "The provider's name.", "amplifier"),
        object("request", "The request.", "amplifier"),
    ]),
    notice(
        "llm:request:raw",
        "A request to a model, whole, for those who log it.",
    )
    .fields(&[
        text("provider", "The provider's name.", "amplifier"),
        object("request", "The request.", "amplifier"),
    ]),
    notice(
        "llm:response:debug",
        "A model's answer, in short, for those who log it.",
    )
    .fields(&[
        text("provider", "The provider's name.", "amplifier"),
        object("response", "The response.", "amplifier"),
    ]),
    notice(
        "llm:response:raw",
        "A model's answer, whole, for those who log it.",
    )
    .fields(&[
        text("provider", "The provider's name.", "amplifier"),
        object("response", "The response.", "amplifier"),
    ]),
    notice("content_block:start", "A block of streamed content began.").fields(&[
        text("block_type", "What kind of content it is.", "amplifier"),
        integer(
            "block_index",
            "Which block of the answer it is.",
            "amplifier",
        ),
        integer(
            "index",
            "Which block of the answer it is, in the documentation's spelling.",
            "amplifier",
        ),
        integer(
            "total_blocks",
            "How many blocks the answer has.",
            "amplifier",
        ),
        object("metadata", "What else belongs to the block.", "amplifier"),
    ]),
    notice(
        "content_block:delta",
        "A piece of a block of streamed content arrived.",
    )
    .fields(&[
        text("block_type", "What kind of content it is.", "amplifier"),
        integer(
            "block_index",
            "Which block of the answer it is.",
            "amplifier",
        ),
        integer(
            "index",
            "Which block of the answer it is, in the documentation's spelling.",
            "amplifier",
        ),
        text("delta", "The piece.", "amplifier"),
    ]),
    after("content_block:end", "A block of streamed content ended.").fields(&[
        text("block_type", "What kind of content it is.", "amplifier"),
        integer(
            "block_index",
            "Which block of the answer it is.",
            "amplifier",
        ),
        integer(
            "index",
            "Which block of the answer it is, in the documentation's spelling.",
            "amplifier",
        ),
        integer(
            "total_blocks",
            "How many blocks the answer has.",
            "amplifier",
        ),
        object("block", "The block.", "amplifier"),
        any(
            "content",
            "The block's content, in the documentation's spelling.",
            "amplifier",
        ),
        object("usage", "Tokens in and out.", "amplifier"),
        object("metadata", "What else belongs to the block.", "amplifier"),
    ]),
    notice("thinking:delta", "A piece of the model's thinking arrived.").fields(&[text(
        "delta",
        "The piece.",
        "amplifier",
    )
    .must()]),
    notice("thinking:final", "The model's thinking is complete.").fields(&[text(
        "thinking",
        "The thinking.",
        "amplifier",
    )
    .must()]),
];
