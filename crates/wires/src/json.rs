//! Reading JSON that somebody else wrote: lossily where that is safe, never with a guess (D26).
