//! Boundaries between the parts of an upload.

use chartroom_platform::crypto;

/// Returns a boundary for a body with these parts: a hash of them, which does not occur in them unless
/// somebody finds a collision of SHA-256. A search for a text that does not occur would take long for a
/// document that contains many candidates.
pub(crate) fn find_boundary(parts: &[&[u8]]) -> String {
    let hashes: Vec<u8> = parts.iter().flat_map(|part| crypto::sha256(part)).collect();
    crypto::to_hex(&crypto::sha256(&hashes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boundaries_depend_on_all_parts_and_have_an_allowed_length() {
        let boundary = find_boundary(&[b"a", b"b"]);
        assert_ne!(boundary, find_boundary(&[b"a", b"c"]));
        assert_ne!(boundary, find_boundary(&[b"ab", b""]));
        assert!(boundary.len() <= 70, "RFC 2046, section 5.1.1");
    }
}
