//! Headers and hashes of the entries of a backup file.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use aws_lc_rs::digest;

use crate::crypto;
use crate::error::Result;

/// Returns the SHA-256 digest of a file in lower-case hexadecimal.
pub fn hash_file(path: &Path) -> Result<String> {
    let mut file = File::open(path)?;
    let mut hash = digest::Context::new(&digest::SHA256);
    let mut buffer = vec![0; 1 << 16];
    loop {
        let length = file.read(&mut buffer)?;
        if length == 0 {
            return Ok(crypto::to_hex(hash.finish().as_ref()));
        }
        hash.update(&buffer[..length]);
    }
}

/// Returns the tar header of an entry with this length in bytes and mode 0600.
pub fn build_header(length: u64) -> tar::Header {
    let mut header = tar::Header::new_gnu();
    header.set_size(length);
    header.set_mode(0o600);
    header
}
