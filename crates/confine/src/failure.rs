//! Why a command was not run, and the exit code that says so.

use std::io;

use crate::report::ConfinementGap;

/// Why a command was not run. It never ran less confined instead.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConfineError {
    /// The kernel has what is needed, and yet did not do it.
    #[error("cannot confine the command: {doing}")]
    Confining {
        /// What was being done.
        doing: &'static str,
        /// Why it failed.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The confinement is required, and a part of it cannot be had.
    #[error("the confinement is required, and not all of it can be had: {}", listed(.0))]
    Lacking(Vec<ConfinementGap>),
    /// The program cannot be started.
    #[error("cannot start `{program}`")]
    Starting {
        /// The program.
        program: String,
        /// Why it failed.
        #[source]
        source: io::Error,
    },
}

fn listed(lacks: &[ConfinementGap]) -> String {
    let lacks: Vec<String> = lacks.iter().map(ToString::to_string).collect();
    lacks.join("; ")
}

impl ConfineError {
    /// A step that the kernel did not take.
    #[cfg(any(target_os = "linux", test))]
    pub(crate) fn confining<E: Into<Box<dyn std::error::Error + Send + Sync>>>(
        doing: &'static str,
    ) -> impl Fn(E) -> Self {
        move |source| Self::Confining {
            doing,
            source: source.into(),
        }
    }

    /// Returns the exit code, by the habits of programs that run others: 125 when the confinement failed, 126 when the
    /// program cannot be started, 127 when there is none of this name.
    pub fn code(&self) -> u8 {
        match self {
            Self::Confining { .. } | Self::Lacking(_) => 125,
            Self::Starting { source, .. } if source.kind() == io::ErrorKind::NotFound => 127,
            Self::Starting { .. } => 126,
        }
    }

    /// Says what to do about it.
    pub fn help(&self) -> &'static str {
        match self {
            Self::Confining { .. } => "`anyhook confine --level` says what this kernel can do",
            Self::Lacking(_) => "leave that part out, or do without `required`",
            Self::Starting { source, .. } if source.kind() == io::ErrorKind::PermissionDenied => {
                "it is no program, or it lies where the command may not read: add its folder to what it may read"
            }
            Self::Starting { .. } => "look at its name and at the PATH",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_failure_has_the_exit_code_that_agents_take_for_a_refusal() {
        let starting = |kind: io::ErrorKind| ConfineError::Starting {
            program: "x".to_owned(),
            source: kind.into(),
        };
        let failures = [
            (ConfineError::confining("x")("y"), 125),
            (ConfineError::Lacking(Vec::new()), 125),
            (starting(io::ErrorKind::PermissionDenied), 126),
            (starting(io::ErrorKind::NotFound), 127),
        ];
        for (failure, code) in failures {
            assert_eq!(failure.code(), code, "{failure}");
            assert!(!failure.help().is_empty());
        }
    }
}
