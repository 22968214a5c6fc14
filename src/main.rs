//! Entry point of the binary: runs the command line.

use std::process::ExitCode;

use tikv_jemallocator::Jemalloc;

/// The allocator of glibc keeps almost all memory of a peak. After the attacks of `.ci/storms` it
/// held ten times as much.
#[global_allocator]
static ALLOCATOR: Jemalloc = Jemalloc;

/// Runs the command line with the arguments of the process, and returns its exit code.
fn main() -> ExitCode {
    chartroom::cli::run(std::env::args_os())
}
