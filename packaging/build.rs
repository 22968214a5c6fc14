//! Rebuilds `chartroom-platform` when a file is added to an embedded folder, because the compiler
//! tracks changes of embedded files but not new ones. Paths are relative to that package.

fn main() {
    println!("cargo::rerun-if-changed=../../assets");
    println!("cargo::rerun-if-changed=../../schema.sql");
    println!("cargo::rerun-if-changed=db/upgrades");
}
