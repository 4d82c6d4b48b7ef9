//! Changes seeds: the same way for the same number. Knows nothing of what they mean.

/// Pieces that formats are broken with.
const PIECES: &[&[u8]] = &[
    b"\r\n",
    b"\n",
    b"\r\n\r\n",
    b"\0",
    b"\"",
    b"\\",
    b"{",
    b"}",
    b"[",
    b"]",
    b",",
    b":",
    b"=",
    b"'",
    b"\\ud800",
    b"\\u0000",
    b"\xef\xbb\xbf",
    b"\xff",
    b"\xc0\x80",
    b"-",
    b"-0",
    b"0.1",
    b"1e309",
    b"9007199254740993",
    b"18446744073709551615",
    b"null",
    b"true",
    b"ZZZZZ0000Z",
    b"STATUS 422",
    b"[[scenario]]\n",
    b"then = { ",
    b"pending = {}",
    b"matches = \"(\"",
    b"t=",
    b",v1=",
    b"Content-Length: 0\r\n",
    b"Transfer-Encoding: chunked\r\n",
    b"Host: b\r\n",
    b"HTTP/1.1",
    b"0\r\n\r\n",
    b"Bearer ",
    b"\x1b[31m",
    b"\xe2\x80\xae",
    b" ",
    b"\t",
    b"%00",
    b"../",
];

/// Makes one changed input after the other.
pub(crate) struct Mutator<'s> {
    seeds: &'s [Vec<u8>],
    state: u64,
}

impl<'s> Mutator<'s> {
    /// The changes of this number.
    pub(crate) fn new(number: u64, seeds: &'s [Vec<u8>]) -> Self {
        Mutator {
            seeds,
            state: number,
        }
    }

    /// A seed with one to eight changes.
    pub(crate) fn next(&mut self) -> Vec<u8> {
        let mut bytes = self.seeds[self.below(self.seeds.len())].clone();
        for _ in 0..=self.below(8) {
            self.change(&mut bytes);
        }
        bytes
    }

    fn change(&mut self, bytes: &mut Vec<u8>) {
        let at = self.below(bytes.len() + 1);
        let end = (at + 1 + self.below(16)).min(bytes.len());
        match self.below(8) {
            0 if at < bytes.len() => bytes[at] ^= 1 << self.below(8),
            1 if at < bytes.len() => bytes[at] = self.random().to_le_bytes()[0],
            2 => drop(bytes.drain(at..end)),
            3 => {
                let again = bytes[at..end].repeat(1 + self.below(4));
                bytes.splice(at..at, again);
            }
            4 => bytes.truncate(at),
            5 => {
                let other = &self.seeds[self.below(self.seeds.len())];
                let from = self.below(other.len() + 1);
                bytes.truncate(at);
                bytes.extend_from_slice(&other[from..]);
            }
            _ => {
                let piece = PIECES[self.below(PIECES.len())];
                bytes.splice(at..at, piece.iter().copied());
            }
        }
        bytes.truncate(64 * 1024);
    }

    fn below(&mut self, end: usize) -> usize {
        let end = u64::try_from(end).expect("a length");
        usize::try_from(self.random() % end).expect("below a length")
    }

    /// SplitMix64.
    fn random(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }
}
