//! How much of what was exchanged a run keeps once it is judged: bodies are kept only as long as there is
//! room for them.

use crate::capture::CapturedCase;

/// The bytes of bodies that a run keeps for its capture.
pub const USUAL_ROOM: usize = 64 << 20;

/// The bytes of bodies that it keeps as evidence, of which each report has its own.
const EVIDENCE_ROOM: usize = 16 << 20;

/// A case that takes more is large: then others wait until it is judged.
const LARGE: usize = 1 << 20;

/// Why a case is captured without its exchanges.
const LEFT_OUT: &str = "left out of the capture: its bodies are too long to be kept";

/// Room for so many bytes of bodies.
#[derive(Debug)]
pub(super) struct Room {
    left: usize,
}

impl Room {
    pub(super) fn of(bytes: usize) -> Self {
        Room { left: bytes }
    }

    /// As much as there is for evidence.
    pub(super) fn of_evidence() -> Self {
        Room::of(EVIDENCE_ROOM)
    }

    /// The tries of a case as they are kept: whole, or without what was exchanged.
    pub(super) fn keep(&mut self, tries: Vec<CapturedCase>) -> Vec<CapturedCase> {
        if self.takes(&tries) {
            return tries;
        }
        let left_out = tries.into_iter().map(|one| CapturedCase {
            exchanges: Vec::new(),
            stopped: Some(LEFT_OUT.to_owned()),
            ..one
        });
        left_out.collect()
    }

    /// The same of evidence, whose requests are kept whatever was answered. No report shows large bodies.
    pub(super) fn keep_requests(&mut self, tries: &mut [CapturedCase]) {
        if !is_large(tries) && self.takes(tries) {
            return;
        }
        let exchanges = tries.iter_mut().flat_map(|one| &mut one.exchanges);
        for response in exchanges.filter_map(|it| it.response.as_mut().ok()) {
            response.body = format!("({} bytes are not kept)", response.body.len()).into_bytes();
        }
    }

    fn takes(&mut self, tries: &[CapturedCase]) -> bool {
        let bytes = bytes(tries);
        let fits = bytes <= self.left;
        self.left -= if fits { bytes } else { 0 };
        fits
    }
}

/// Whether the answers to a case take so much that cases are better captured one by one.
pub(super) fn is_large(tries: &[CapturedCase]) -> bool {
    bytes(tries) > LARGE
}

/// The bytes of all bodies in it.
fn bytes(tries: &[CapturedCase]) -> usize {
    let exchanges = tries.iter().flat_map(|one| &one.exchanges);
    let bytes = exchanges.map(|it| {
        let answered = it.response.as_ref().map_or(0, |answer| answer.body.len());
        it.request.body.len() + answered
    });
    bytes.sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::tests::sample;

    fn case(body: &str) -> Vec<CapturedCase> {
        vec![CapturedCase {
            exchanges: vec![sample::exchange("", body)],
            ..CapturedCase::new("a.check", "a case")
        }]
    }

    #[test]
    fn what_there_is_no_room_for_is_left_out_and_what_comes_after_it_may_fit() {
        let mut room = Room::of(10);
        assert_eq!(room.keep(case("12345678")), case("12345678"));
        let left_out = room.keep(case("123"));
        assert!(left_out[0].exchanges.is_empty());
        assert_eq!(left_out[0].stopped.as_deref(), Some(LEFT_OUT));
        assert_eq!(room.keep(case("12")), case("12"));
    }

    #[test]
    fn of_evidence_the_requests_are_kept() {
        let mut evidence = case("12345678901");
        Room::of(10).keep_requests(&mut evidence);
        assert_eq!(evidence, case("(11 bytes are not kept)"));
    }
}
