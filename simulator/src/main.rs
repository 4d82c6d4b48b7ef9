//! The program `svc-simulator`: hands its arguments to the command line layer, and its exit code
//! back. Must not decide anything.

use std::process::ExitCode;

#[cfg(feature = "mimalloc")]
use svc_allocator as _;

fn main() -> ExitCode {
    svc_simulator::cli::run(std::env::args_os())
}
