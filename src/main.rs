//! Entry point of the binary: runs the command line.

use std::process::ExitCode;

use tikv_jemallocator::Jemalloc;

/// With jemalloc, the server survives all attacks of `.ci/storms` at once in 512 MiB. With the allocator of
/// glibc or with mimalloc 3, the kernel ends it: both keep more memory after a peak. mimalloc serves up to a
/// quarter more writes, but three times as much memory stays resident.
#[global_allocator]
static ALLOCATOR: Jemalloc = Jemalloc;

/// Runs the command line with the arguments of the process, and returns its exit code.
fn main() -> ExitCode {
    chartroom::cli::run(std::env::args_os())
}
