//! Has the program built anew when an embedded file was added: the compiler sees changed ones only.

fn main() {
    println!("cargo::rerun-if-changed=assets");
    println!("cargo::rerun-if-changed=schema.sql");
    println!("cargo::rerun-if-changed=src/platform/db/upgrades");
}
