//! The forms in which a hook may answer, in the order in which they are tried (D14).
