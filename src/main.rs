//! Command line in, exit code out.

use std::process::ExitCode;

fn main() -> ExitCode {
    chartroom::cli::run(std::env::args_os())
}
