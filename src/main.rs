//! Command line in, exit code out.

use std::process::ExitCode;

/// A request's memory is given back by another thread than took it, where the C library's allocator
/// makes its threads wait for each other.
#[global_allocator]
static MEMORY: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    chartroom::cli::run(std::env::args_os())
}
