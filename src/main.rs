//! Entry point of the binary: runs the command line.

use std::process::ExitCode;

fn main() -> ExitCode {
    chartroom::cli::run(std::env::args_os())
}
