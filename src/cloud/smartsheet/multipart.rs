//! Bodies of uploads in the format `multipart/form-data`.

use percent_encoding::NON_ALPHANUMERIC;
use percent_encoding::utf8_percent_encode;

use crate::boundary::find_boundary;

/// A body and its content type.
pub(super) struct Multipart {
    pub(super) content_type: String,
    pub(super) body: Vec<u8>,
}

/// Returns the body for a file. A body that is only the content would need the content type of the file,
/// and Smartsheet reads JSON as the description of a link.
pub(super) fn build(name: &str, bytes: &[u8]) -> Multipart {
    let boundary = find_boundary(&[bytes]);
    // Smartsheet decodes the name.
    let encoded = utf8_percent_encode(name, NON_ALPHANUMERIC);
    let media_type = match name.to_ascii_lowercase().ends_with(".json") {
        true => "application/json",
        false => "application/octet-stream",
    };
    let head = format!(
        "--{boundary}\r\nContent-Disposition: form-data; name=\"file\"; filename=\"{encoded}\"\r\n\
         Content-Type: {media_type}\r\n\r\n"
    );
    let end = format!("\r\n--{boundary}--\r\n");
    let body = [head.as_bytes(), bytes, end.as_bytes()].concat();
    Multipart { content_type: format!("multipart/form-data; boundary={boundary}"), body }
}
