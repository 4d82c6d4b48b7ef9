//! The command: arguments in, exit code out. What it does is in the library.

use std::process::ExitCode;

#[cfg(feature = "mimalloc")]
use svc_allocator as _;

fn main() -> ExitCode {
    svc_contract_tests::cli::main()
}
