//! Where a body in chunks ends. Stricter than hyper, never laxer: what ends here ends there. Does no
//! input or output, and keeps none of the body.

/// So many bytes may a chunk's extensions have, and all trailers together.
const MAX_EXTRA: usize = 4096;

/// How far a body in chunks has come.
pub(super) struct Chunks {
    at: At,
    /// Bytes of extensions and trailers so far.
    extra: usize,
}

enum At {
    /// In the size of a chunk, of so many digits so far.
    Size {
        digits: u32,
        size: u64,
    },
    /// After the size, up to the end of the line.
    Extension {
        size: u64,
    },
    /// Where the line feed after a size must stand.
    SizeEnd {
        size: u64,
    },
    /// In the data of a chunk, with so many bytes to come.
    Data(u64),
    /// After the data, where CR LF must stand.
    DataEnd,
    DataFeed,
    /// In a trailer line; in an empty one, which is the last, as long as nothing came.
    Trailer {
        empty: bool,
    },
    TrailerEnd {
        empty: bool,
    },
    Ended,
}

/// What arrived is no chunk.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct NoChunk;

impl Chunks {
    /// At the beginning of a body.
    pub(super) fn new() -> Self {
        Chunks { at: SIZE, extra: 0 }
    }

    /// Whether the body has ended.
    pub(super) fn ended(&self) -> bool {
        matches!(self.at, At::Ended)
    }

    /// How many of these bytes belong to the body.
    ///
    /// # Errors
    /// Where they are no chunks; none of them may be read then.
    pub(super) fn pass(&mut self, bytes: &[u8]) -> Result<usize, NoChunk> {
        let mut at = 0;
        while at < bytes.len() && !self.ended() {
            if let At::Data(left) = &mut self.at {
                let rest = bytes.len() - at;
                let passes = usize::try_from(*left).map_or(rest, |left| left.min(rest));
                *left -= passes as u64;
                if *left == 0 {
                    self.at = At::DataEnd;
                }
                at += passes;
            } else {
                self.step(bytes[at])?;
                at += 1;
            }
        }
        Ok(at)
    }

    fn step(&mut self, byte: u8) -> Result<(), NoChunk> {
        self.at = match (&self.at, byte) {
            (&At::Size { digits, size }, b'0'..=b'9' | b'a'..=b'f' | b'A'..=b'F')
                if digits < 15 =>
            {
                let digit = char::from(byte).to_digit(16).expect("it is one");
                At::Size {
                    digits: digits + 1,
                    size: size * 16 + u64::from(digit),
                }
            }
            (&At::Size { digits: 1.., size }, b'\r') => At::SizeEnd { size },
            (&At::Size { digits: 1.., size }, b';') => At::Extension { size },
            (&At::Extension { size }, b'\r') => At::SizeEnd { size },
            (&At::Extension { size }, _) if byte != b'\n' => {
                self.take_extra()?;
                At::Extension { size }
            }
            (&At::SizeEnd { size: 0 }, b'\n') => At::Trailer { empty: true },
            (&At::SizeEnd { size }, b'\n') => At::Data(size),
            (&At::DataEnd, b'\r') => At::DataFeed,
            (&At::DataFeed, b'\n') => SIZE,
            (&At::Trailer { empty }, b'\r') => At::TrailerEnd { empty },
            (&At::Trailer { .. }, _) if byte != b'\n' => {
                self.take_extra()?;
                At::Trailer { empty: false }
            }
            (&At::TrailerEnd { empty: true }, b'\n') => At::Ended,
            (&At::TrailerEnd { empty: false }, b'\n') => At::Trailer { empty: true },
            _ => return Err(NoChunk),
        };
        Ok(())
    }

    fn take_extra(&mut self) -> Result<(), NoChunk> {
        self.extra += 1;
        match self.extra > MAX_EXTRA {
            true => Err(NoChunk),
            false => Ok(()),
        }
    }
}

const SIZE: At = At::Size { digits: 0, size: 0 };

#[cfg(test)]
mod tests {
    use super::*;

    fn pass(bytes: &str) -> Result<Option<usize>, NoChunk> {
        let mut chunks = Chunks::new();
        let passed = chunks.pass(bytes.as_bytes())?;
        Ok(chunks.ended().then_some(passed))
    }

    #[test]
    fn a_body_ends_with_the_empty_line_after_its_last_chunk() {
        for (body, ends) in [
            ("0\r\n\r\n", Some(5)),
            ("0\r\n\r\nGET", Some(5)),
            ("3\r\nabc\r\n0\r\n\r\n", Some(13)),
            ("00A;name=value\r\n0123456789\r\n0\r\n\r\n", Some(33)),
            ("0\r\nX-Trailer: a\r\n\r\n", Some(19)),
            ("3\r\nabc\r\n", None),
            ("0\r\n\r", None),
            ("", None),
        ] {
            assert_eq!(pass(body), Ok(ends), "{body:?}");
        }
    }

    #[test]
    fn what_could_be_read_in_another_way_is_no_chunk() {
        for body in [
            "3\nabc\r\n",
            "3\r\nabc\n",
            "3\r\nabcd\r\n",
            "\r\n",
            " 3\r\nabc\r\n",
            "3 \r\nabc\r\n",
            "0x3\r\nabc\r\n",
            "-3\r\nabc\r\n",
            "3;a\nb\r\n",
            "0\r\n\n",
            "0\r\nX: a\n\r\n",
            "1000000000000000\r\n",
        ] {
            assert_eq!(pass(body), Err(NoChunk), "{body:?}");
        }
        let extension = |length: usize| format!("1;{}\r\na\r\n0\r\n\r\n", "x".repeat(length));
        assert!(pass(&extension(MAX_EXTRA)).is_ok());
        assert_eq!(pass(&extension(MAX_EXTRA + 1)), Err(NoChunk));
    }
}
