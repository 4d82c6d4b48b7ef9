//! Any text to the scenario loader: rules, or every mistake.
#![no_main]

#[expect(dead_code, reason = "each binary runs one of them")]
#[path = "../../simulator/tests/fuzz/targets.rs"]
mod targets;

libfuzzer_sys::fuzz_target!(|data: &[u8]| targets::scenarios(data));
