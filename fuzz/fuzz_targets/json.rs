//! Any bytes to the JSON reader: a value that prints as itself, or none.
#![no_main]

#[expect(dead_code, reason = "each binary runs one of them")]
#[path = "../../simulator/tests/fuzz/targets.rs"]
mod targets;

libfuzzer_sys::fuzz_target!(|data: &[u8]| targets::json(data));
