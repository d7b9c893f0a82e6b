//! The lines of a file, the last first, without holding more than one of them.

use std::io::{self, Read, Seek, SeekFrom};

const CHUNK: usize = 64 * 1024;
/// A line longer than this is no line of ours.
const LONGEST: usize = 16 * 1024 * 1024;

/// One line.
pub(in crate::stores) enum Line {
    /// Its bytes, without the line break.
    Text(Vec<u8>),
    /// It is longer than any report.
    TooLong,
}

/// Reads lines from the end of a file to its beginning; empty ones are left out.
pub(super) struct Backwards<R> {
    file: R,
    /// How much of the file lies before what was read.
    before: u64,
    /// What was read and not given out yet; no line break is right of `searched`.
    rest: Vec<u8>,
    searched: usize,
    overlong: bool,
}

impl<R: Read + Seek> Backwards<R> {
    pub(super) fn new(mut file: R) -> io::Result<Self> {
        Ok(Self {
            before: file.seek(SeekFrom::End(0))?,
            file,
            rest: Vec::new(),
            searched: 0,
            overlong: false,
        })
    }

    /// Takes the last whole line out of what was read; nothing where its beginning was not read yet.
    fn last_line(&mut self) -> Option<Vec<u8>> {
        let unsearched = self.rest.get(..self.searched).unwrap_or_default();
        match memchr::memrchr(b'\n', unsearched) {
            Some(at) => {
                let line = self.rest.split_off(at + 1);
                self.rest.truncate(at);
                self.searched = at;
                Some(line)
            }
            None if self.before == 0 && !self.rest.is_empty() => {
                self.searched = 0;
                Some(std::mem::take(&mut self.rest))
            }
            None => {
                self.searched = 0;
                None
            }
        }
    }

    fn read_more(&mut self) -> io::Result<()> {
        let size = self.before.min(CHUNK as u64);
        self.before -= size;
        self.file.seek(SeekFrom::Start(self.before))?;
        let mut more = Vec::new();
        (&mut self.file).take(size).read_to_end(&mut more)?;
        self.searched = more.len();
        if self.rest.len() > LONGEST {
            self.overlong = true;
            self.rest.clear();
        }
        more.append(&mut self.rest);
        self.rest = more;
        Ok(())
    }
}

impl<R: Read + Seek> Iterator for Backwards<R> {
    type Item = io::Result<Line>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(line) = self.last_line() {
                if std::mem::take(&mut self.overlong) {
                    return Some(Ok(Line::TooLong));
                }
                if !line.is_empty() {
                    return Some(Ok(Line::Text(line)));
                }
            } else if self.before == 0 {
                return None;
            } else if let Err(error) = self.read_more() {
                self.before = 0;
                self.rest.clear();
                return Some(Err(error));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use proptest::prelude::*;

    use super::*;

    fn lines(text: &[u8]) -> Vec<Vec<u8>> {
        let all = Backwards::new(Cursor::new(text)).unwrap();
        all.map(|line| match line.unwrap() {
            Line::Text(line) => line,
            Line::TooLong => b"too long".to_vec(),
        })
        .collect()
    }

    proptest! {
        #[test]
        fn lines_read_backwards_are_the_lines_read_forwards(
            parts in prop::collection::vec((0usize..3 * CHUNK, any::<u8>()), 0..6),
            ends in any::<bool>(),
        ) {
            let parts: Vec<Vec<u8>> = parts.into_iter()
                .map(|(length, byte)| vec![if byte == b'\n' { b'x' } else { byte }; length])
                .collect();
            let mut text = parts.join(&b'\n');
            if ends {
                text.push(b'\n');
            }
            let mut forwards: Vec<_> = parts.into_iter().filter(|part| !part.is_empty()).collect();
            forwards.reverse();
            prop_assert_eq!(lines(&text), forwards);
        }
    }

    #[test]
    fn a_line_that_is_too_long_is_told_and_its_neighbours_are_read() {
        let mut text = b"first\n".to_vec();
        text.resize(LONGEST + 3 * CHUNK, b'x');
        text.extend(b"\nlast\n");
        assert_eq!(lines(&text), [&b"last"[..], b"too long", b"first"]);
    }
}
