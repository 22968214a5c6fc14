//! Entry point of the binary: runs the command line.

use std::process::ExitCode;

use tikv_jemallocator::Jemalloc;

/// The allocator of glibc keeps almost all memory of a peak, and takes twice as much at the peak.
#[global_allocator]
static ALLOCATOR: Jemalloc = Jemalloc;

fn main() -> ExitCode {
    chartroom::cli::run(std::env::args_os())
}
