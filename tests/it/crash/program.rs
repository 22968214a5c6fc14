//! Builds a program, statically linked like the product, with the shim between it and the C library.
//!
//! The build reuses all compiled dependencies. Only the last link runs again.

use std::path::Path;
use std::path::PathBuf;
use std::process::Command;
use std::process::Stdio;

/// Calls that the shim wraps: all calls by which SQLite or the standard library change files.
const WRAPPED_CALLS: [&str; 8] =
    ["open64", "close", "write", "pwrite64", "ftruncate64", "fsync", "fdatasync", "unlink"];

/// Builds the example `name` and returns the path of a copy in `dir`.
pub fn build(name: &str, dir: &Path) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let shim_object = dir.join("shim.o");
    let compiler = std::env::var("CC").unwrap_or_else(|_| "cc".to_owned());
    let mut compile = Command::new(compiler);
    compile.args(["-O1", "-Wall", "-Wextra", "-Werror", "-fPIC", "-c", "-o"]).arg(&shim_object);
    compile.arg(root.join("tests/it/crash/shim.c"));
    assert!(compile.status().expect("a C compiler is needed").success());

    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned());
    let mut build = Command::new(cargo);
    build.current_dir(root).args(["rustc", "--offline", "--example", name]);
    build.args(["--message-format", "json-render-diagnostics"]);
    if !cfg!(debug_assertions) {
        build.arg("--release");
    }
    build.arg("--").arg(format!("-Clink-arg={}", shim_object.display()));
    build.args(WRAPPED_CALLS.map(|name| format!("-Clink-arg=-Wl,--wrap={name}")));
    let output = build.stderr(Stdio::inherit()).output().expect("cargo is needed");
    assert!(output.status.success(), "the program does not build");
    let executable = find_executable(&String::from_utf8(output.stdout).unwrap());
    // The copy in the build directory loses the shim the next time it is linked.
    let program = dir.join(name);
    // Another process writes the copy. If this one did, a process that another test starts meanwhile
    // could inherit the open file for a moment, and a program that is open for writing cannot run.
    let copied = Command::new("cp").arg(executable).arg(&program).status();
    assert!(copied.expect("cp is needed").success(), "the program cannot be copied");
    program
}

/// Returns the last executable in the output of cargo.
fn find_executable(messages: &str) -> PathBuf {
    let mut paths = messages.lines().filter_map(|line| {
        let message: serde_json::Value = serde_json::from_str(line).ok()?;
        Some(PathBuf::from(message.get("executable")?.as_str()?))
    });
    paths.next_back().expect("cargo names the program that it built")
}
