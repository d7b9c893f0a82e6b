//! What the `OpenAPI` page says of the requests of a signed-in browser; `people` answers them.

use crate::openapi::{By, Route, Takes};

/// Their rows.
pub(super) static ROUTES: &[Route] = &[
    Route {
        method: "post",
        path: "/v1/session",
        about: "Sign a browser in with the passphrase: a cookie, and in the body the proof that each answer has to carry.",
        answers: &[
            (
                200,
                "The proof. The cookie is `HttpOnly` and `SameSite=Strict`.",
            ),
            (
                400,
                "The body is not an object with `passphrase`, or it broke off.",
            ),
            (
                429,
                "Too many passphrases were wrong, or one is being looked at: wait.",
            ),
            (500, "The passphrase could not be looked at."),
        ],
        takes: Takes::Passphrase,
        by: By::Browser,
    },
    Route {
        method: "delete",
        path: "/v1/session",
        about: "Sign this browser out.",
        answers: &[(200, "It is not signed in any more.")],
        takes: Takes::Nothing,
        by: By::Browser,
    },
    Route {
        method: "get",
        path: "/v1/questions",
        about: "List the open questions of all agents and sessions.",
        answers: &[
            (
                200,
                "Each with its exact action, the hooks that ask, and the `mark` that an answer has to carry.",
            ),
            (500, "The questions cannot be read."),
        ],
        takes: Takes::Nothing,
        by: By::Person,
    },
    Route {
        method: "post",
        path: "/v1/questions/{code}",
        about: "Answer one question: `answer` is `once`, `session`, `always` or `no`; `note` is told to the model; `mark` is that of \
                the question as it was shown; `choices` has the chosen choice of each question that has choices. The header \
                `Anyhook-Proof` holds the proof.",
        answers: &[
            (200, "It is answered, and who waits for it goes on."),
            (400, "The body is not an answer, or it broke off."),
            (404, "No open question has this code."),
            (
                409,
                "Another answer came first, or the question changed since it was shown.",
            ),
            (422, "The question cannot be answered so."),
            (500, "The questions cannot be read or written."),
        ],
        takes: Takes::Answer,
        by: By::Person,
    },
];
