//! Any bytes to the engine: the answer is an envelope.
#![no_main]

#[expect(dead_code, reason = "each binary runs one of them")]
#[path = "../../simulator/tests/fuzz/targets.rs"]
mod targets;

libfuzzer_sys::fuzz_target!(|data: &[u8]| targets::engine(data));
