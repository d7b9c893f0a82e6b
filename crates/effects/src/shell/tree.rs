//! A line as a tree.

use std::cell::OnceCell;
use std::rc::Rc;

/// Commands one after the other.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct List(pub(super) Vec<Step>);

/// One command with what surrounds it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Step {
    /// The byte of its text at which it begins.
    pub(super) at: usize,
    pub(super) node: Node,
    pub(super) redirects: Vec<Redirect>,
    pub(super) background: bool,
    pub(super) negated: bool,
}

impl Step {
    /// A command with nothing around it.
    pub(super) fn of(node: Node, at: usize) -> Self {
        Self {
            at,
            node,
            redirects: Vec::new(),
            background: false,
            negated: false,
        }
    }
}

/// A command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Node {
    Simple(Simple),
    /// Steps with `&&` and `||` between them, from left to right.
    Chain(Vec<(Link, Step)>),
    Pipe(Vec<Step>),
    Group(List),
    Subshell(List),
    If {
        arms: Vec<(List, List)>,
        otherwise: Option<List>,
    },
    /// `for`; no words: the positional parameters.
    For {
        name: String,
        words: Option<Vec<Raw>>,
        body: List,
    },
    /// `for ((…))`.
    Count {
        text: Raw,
        body: List,
    },
    /// `while` and `until`.
    While {
        condition: List,
        body: List,
        until: bool,
    },
    Case {
        word: Raw,
        arms: Vec<(Vec<Raw>, List)>,
    },
    Arithmetic(Raw),
    /// `[[ … ]]`: its words, those that are arithmetic, and those that are names with subscripts.
    Test {
        words: Vec<Raw>,
        numbers: Vec<Raw>,
        names: Vec<Raw>,
    },
    Function {
        name: String,
        body: Rc<Step>,
    },
}

/// What stands before a step of a chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Link {
    First,
    And,
    Or,
}

/// Assignments and words.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Simple {
    pub(super) assigned: Vec<Assignment>,
    pub(super) words: Vec<Raw>,
    /// The assignments of `export`, `declare` and their like, which are among its operands.
    pub(super) declared: Vec<Assignment>,
}

/// An assignment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Assignment {
    pub(super) name: String,
    pub(super) subscript: Option<Raw>,
    pub(super) value: AssignedValue,
    pub(super) append: bool,
}

/// What is assigned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum AssignedValue {
    Scalar(Raw),
    /// The words of an array.
    Array(Vec<Raw>),
}

/// A redirection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Redirect {
    pub(super) descriptor: Option<i32>,
    pub(super) kind: Way,
    /// Its word, or the text of a here-document, which stands behind the line.
    pub(super) target: Rc<OnceCell<Raw>>,
}

impl Redirect {
    /// `2>&1`.
    pub(super) fn of_errors() -> Self {
        Self {
            descriptor: Some(2),
            kind: Way::CopyOut,
            target: Rc::new(OnceCell::from(vec![Piece::Bare("1".to_owned())])),
        }
    }

    /// Its word or text.
    pub(super) fn target(&self) -> &[Piece] {
        self.target.get().map_or(&[], Vec::as_slice)
    }

    /// Tells whether it is about what is printed: descriptor 1.
    pub(super) fn is_output(&self) -> bool {
        self.descriptor.unwrap_or(1) == 1
    }
}

/// The way of a redirection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    /// `>`, `>|`.
    Write,
    /// `>>`.
    Append,
    /// `&>`, `&>>`.
    Both,
    /// `<`.
    Read,
    /// `<>`.
    ReadWrite,
    /// `>&` and `<&`: a copy of a descriptor, or a file.
    CopyOut,
    CopyIn,
    /// A here-document.
    Document,
    /// `<<<`.
    Text,
}

/// A word before anything is filled in.
pub(super) type Raw = Vec<Piece>;

/// A piece of a word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Piece {
    /// Text outside of quotes: `*`, `~` and `{` mean something.
    Bare(String),
    /// Text in quotes; it may be empty.
    Quoted(String),
    /// Text of `$'…'`, with what its `\` stand for.
    Ansi(String),
    /// A pattern outside of quotes.
    Pattern(String),
    /// `$(…)` and backquotes.
    Command { list: List, quoted: bool },
    /// `$((…))`.
    Arithmetic { text: Raw, quoted: bool },
    /// `$v`, `${v…}`.
    Parameter { of: Box<Parameter>, quoted: bool },
    /// `<(…)` and `>(…)`.
    Process { list: List, input: bool },
}

/// A parameter and what is done with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Parameter {
    pub(super) name: String,
    pub(super) subscript: Option<Raw>,
    pub(super) what: What,
}

/// What is done with a parameter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum What {
    /// `$v`.
    Value,
    /// `${#v}`.
    Length,
    /// `${v:-x}`, `${v=x}`, `${v:?x}`, `${v:+x}`.
    Default {
        letter: char,
        colon: bool,
        operand: Raw,
    },
    /// `${v%x}`, `${v%%x}`, `${v#x}`, `${v##x}`: which text is cut.
    Cut {
        suffix: bool,
        longest: bool,
        pattern: Raw,
    },
    /// Anything else: what it evaluates. The flag says whether the value itself may be run as code (`${v@P}`, `${!v}`).
    Other { evaluated: Vec<Raw>, runs: bool },
}
