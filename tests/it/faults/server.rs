//! The server, which the fault tests build with a shim between it and the C library.

use std::process::ExitCode;

fn main() -> ExitCode {
    chartroom::cli::run(std::env::args_os())
}
