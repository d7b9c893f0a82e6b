//! A line as a tree.

use std::cell::OnceCell;
use std::rc::Rc;

/// Commands one after the other.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct List(pub(super) Vec<Statement>);

/// One command with what surrounds it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Statement {
    /// The byte of its text at which it begins.
    pub(super) at: usize,
    pub(super) node: Node,
    pub(super) redirects: Vec<Redirect>,
    pub(super) background: bool,
    pub(super) negated: bool,
}

impl Statement {
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
    Simple(SimpleCommand),
    /// Steps with `&&` and `||` between them, from left to right.
    Chain(Vec<(ChainOperator, Statement)>),
    Pipe(Vec<Statement>),
    Group(List),
    Subshell(List),
    If {
        arms: Vec<(List, List)>,
        otherwise: Option<List>,
    },
    /// `for`; no words: the positional parameters.
    For {
        name: String,
        words: Option<Vec<RawWord>>,
        body: List,
    },
    /// `for ((…))`.
    Count {
        text: RawWord,
        body: List,
    },
    /// `while` and `until`.
    While {
        condition: List,
        body: List,
        until: bool,
    },
    Case {
        word: RawWord,
        arms: Vec<(Vec<RawWord>, List)>,
    },
    Arithmetic(RawWord),
    /// `[[ … ]]`: its words, those that are arithmetic, and those that are names with subscripts.
    Test {
        words: Vec<RawWord>,
        numbers: Vec<RawWord>,
        names: Vec<RawWord>,
    },
    Function {
        name: String,
        body: Rc<Statement>,
    },
}

/// What stands before a step of a chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ChainOperator {
    First,
    And,
    Or,
}

/// Assignments and words.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct SimpleCommand {
    pub(super) assigned: Vec<Assignment>,
    pub(super) words: Vec<RawWord>,
    /// The assignments of `export`, `declare` and their like, which are among its operands.
    pub(super) declared: Vec<Assignment>,
}

/// An assignment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Assignment {
    pub(super) name: String,
    pub(super) subscript: Option<RawWord>,
    pub(super) value: AssignedValue,
    pub(super) append: bool,
}

/// What is assigned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum AssignedValue {
    Scalar(RawWord),
    /// The words of an array.
    Array(Vec<RawWord>),
}

/// A redirection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Redirect {
    pub(super) descriptor: Option<i32>,
    pub(super) kind: RedirectKind,
    /// Its word, or the text of a here-document, which stands behind the line.
    pub(super) target: Rc<OnceCell<RawWord>>,
}

impl Redirect {
    /// `2>&1`.
    pub(super) fn of_errors() -> Self {
        Self {
            descriptor: Some(2),
            kind: RedirectKind::CopyOut,
            target: Rc::new(OnceCell::from(vec![WordPiece::Bare("1".to_owned())])),
        }
    }

    /// Its word or text.
    pub(super) fn target(&self) -> &[WordPiece] {
        self.target.get().map_or(&[], Vec::as_slice)
    }

    /// Tells whether it is about what is printed: descriptor 1.
    pub(super) fn is_output(&self) -> bool {
        self.descriptor.unwrap_or(1) == 1
    }
}

/// The way of a redirection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RedirectKind {
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
pub(super) type RawWord = Vec<WordPiece>;

/// A piece of a word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum WordPiece {
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
    Arithmetic { text: RawWord, quoted: bool },
    /// `$v`, `${v…}`.
    Parameter { of: Box<Parameter>, quoted: bool },
    /// `<(…)` and `>(…)`.
    Process { list: List, input: bool },
}

/// A parameter and what is done with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Parameter {
    pub(super) name: String,
    pub(super) subscript: Option<RawWord>,
    pub(super) what: ParameterExpansion,
}

/// What is done with a parameter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ParameterExpansion {
    /// `$v`.
    Value,
    /// `${#v}`.
    Length,
    /// `${v:-x}`, `${v=x}`, `${v:?x}`, `${v:+x}`.
    Default {
        letter: char,
        colon: bool,
        operand: RawWord,
    },
    /// `${v%x}`, `${v%%x}`, `${v#x}`, `${v##x}`: which text is cut.
    Cut {
        suffix: bool,
        longest: bool,
        pattern: RawWord,
    },
    /// Anything else: what it evaluates. The flag says whether the value itself may be run as code (`${v@P}`, `${!v}`).
    Other { evaluated: Vec<RawWord>, runs: bool },
}
