//! Character encoding of a table in a text file. Spreadsheet programs write UTF-8 with and
//! without a byte order mark, UTF-16, and the encoding of the system, such as Windows-1252.

use std::borrow::Cow;

use chardetng::EncodingDetector;
use chardetng::Iso2022JpDetection;
use chardetng::Utf8Detection;
use encoding_rs::Encoding;
use encoding_rs::UTF_8;
use encoding_rs::UTF_16BE;
use encoding_rs::UTF_16LE;

/// Number of bytes at the start that decide whether a text is UTF-16.
const UTF_16_SAMPLE_BYTES: usize = 4096;

/// Decodes the bytes of a table to text, and returns also the name of the encoding. The encoding is the
/// first of these: the one of a byte order mark, `charset` unless the bytes show that they are UTF-8, UTF-16
/// if most bytes at even or at odd positions are zero, UTF-8 if the bytes are valid, and a guess from the
/// bytes. The text has no byte order mark.
///
/// # Errors
/// A message if `charset` is unknown, or if the bytes are not valid in the
/// encoding or have a NUL character.
pub(super) fn decode<'a>(
    bytes: &'a [u8],
    charset: Option<&str>,
) -> Result<(Cow<'a, str>, &'static str), String> {
    let (encoding, mark_length) = match Encoding::for_bom(bytes) {
        Some(found) => found,
        None => (choose_encoding(bytes, charset)?, 0),
    };
    let (text, has_errors) = encoding.decode_without_bom_handling(&bytes[mark_length..]);
    if has_errors {
        return Err(format!("is not valid {}", encoding.name()));
    }
    if text.contains('\0') {
        return Err("is not a text file".to_owned());
    }
    Ok((text, encoding.name()))
}

/// Returns the encoding of a text without byte order mark: `charset` if it is given, or else the
/// detected one. The error is a message about an unknown `charset`.
fn choose_encoding(bytes: &[u8], charset: Option<&str>) -> Result<&'static Encoding, String> {
    if let Some(label) = charset {
        let declared = Encoding::for_label(label.as_bytes())
            .ok_or_else(|| format!("has the unknown charset {label:?}"))?;
        return Ok(if is_utf_8_despite(bytes, declared) { UTF_8 } else { declared });
    }
    if let Some(encoding) = detect_utf_16(bytes) {
        return Ok(encoding);
    }
    if std::str::from_utf8(bytes).is_ok() {
        return Ok(UTF_8);
    }
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(bytes, true);
    Ok(detector.guess(None, Utf8Detection::Deny))
}

/// Returns whether bytes are UTF-8 although another encoding is declared.
///
/// A text with letters outside of ASCII in an encoding with one byte per character is practically never valid
/// UTF-8. Texts in those with several bytes can be, unless the bytes are invalid there. A table in UTF-16
/// has NUL bytes, because each separator has one.
fn is_utf_8_despite(bytes: &[u8], declared: &'static Encoding) -> bool {
    if declared == UTF_8 || bytes.contains(&0) || std::str::from_utf8(bytes).is_err() {
        return false;
    }
    let is_utf_16 = declared == UTF_16BE || declared == UTF_16LE;
    let is_invalid =
        || declared.decode_without_bom_handling_and_without_replacement(bytes).is_none();
    is_utf_16 || !bytes.is_ascii() && (declared.is_single_byte() || is_invalid())
}

/// Returns whether the encoding with this label may be that of a text: false if the label is unknown, or if the
/// text is not UTF-8 as declared and looks like another encoding. A text with as many valid as
/// invalid characters outside of ASCII is damaged UTF-8.
pub(super) fn may_have_charset(bytes: &[u8], label: &str) -> bool {
    match Encoding::for_label(label.as_bytes()) {
        Some(encoding) if encoding == UTF_8 => {}
        declared => return declared.is_some(),
    }
    let (mut valid, mut invalid) = (0_usize, 0_usize);
    for chunk in bytes.utf8_chunks() {
        valid += chunk.valid().chars().filter(|character| !character.is_ascii()).count();
        invalid += usize::from(!chunk.invalid().is_empty());
    }
    invalid == 0 || valid >= invalid
}

/// Returns UTF-16 if most bytes at even (big-endian) or at odd positions (little-endian) are zero, as
/// in texts with few characters outside of ASCII. None otherwise. Looks at the first
/// `UTF_16_SAMPLE_BYTES`.
fn detect_utf_16(bytes: &[u8]) -> Option<&'static Encoding> {
    let sample = &bytes[..bytes.len().min(UTF_16_SAMPLE_BYTES)];
    let count_zeros =
        |first: usize| sample.iter().skip(first).step_by(2).filter(|byte| **byte == 0).count();
    let (even, odd) = (count_zeros(0), count_zeros(1));
    let half = sample.len() / 4;
    match (even > half, odd > half) {
        (true, false) => Some(UTF_16BE),
        (false, true) => Some(UTF_16LE),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "Größe;Wert\nMünchen;1,5\nKöln;„ja“ – 3 €\n";

    /// Returns the decoded text.
    fn decode_text<'a>(bytes: &'a [u8], charset: Option<&str>) -> Result<Cow<'a, str>, String> {
        decode(bytes, charset).map(|(text, _)| text)
    }

    #[test]
    fn texts_in_common_encodings_are_decoded() {
        let utf_16 = |to_bytes: fn(u16) -> [u8; 2], mark: &str| -> Vec<u8> {
            format!("{mark}{TEXT}").encode_utf16().flat_map(to_bytes).collect()
        };
        let windows = encoding_rs::WINDOWS_1252.encode(TEXT).0.into_owned();
        let all = [
            TEXT.as_bytes().to_vec(),
            format!("\u{feff}{TEXT}").into_bytes(),
            utf_16(u16::to_le_bytes, "\u{feff}"),
            utf_16(u16::to_be_bytes, "\u{feff}"),
            utf_16(u16::to_le_bytes, ""),
            utf_16(u16::to_be_bytes, ""),
            windows.clone(),
        ];
        for bytes in all {
            assert_eq!(decode_text(&bytes, None).as_deref(), Ok(TEXT), "{bytes:x?}");
        }
        assert_eq!(decode_text(&windows, Some("windows-1252")).as_deref(), Ok(TEXT));
        assert_eq!(decode(&windows, None).unwrap().1, "windows-1252");
    }

    #[test]
    fn texts_of_other_languages_are_detected() {
        let check = |text: &str, encoding: &'static Encoding| {
            let (bytes, _, has_errors) = encoding.encode(text);
            assert!(!has_errors);
            assert_eq!(decode_text(&bytes, None).as_deref(), Ok(text), "{}", encoding.name());
        };
        check("Месяц;Продажи\nЯнварь;120\nФевраль;140\n", encoding_rs::WINDOWS_1251);
        check("Miesiąc;Sprzedaż\nStyczeń;120\nKwiecień;140\nŁódź;7\n", encoding_rs::WINDOWS_1250);
        check("月,売上\n一月,120\n二月,140\nこれは表です,3\n", encoding_rs::SHIFT_JIS);
    }

    #[test]
    fn other_files_are_refused() {
        let check = |bytes: &[u8], charset, want: &str| {
            assert_eq!(decode(bytes, charset).unwrap_err(), want);
        };
        check(b"a,b\n1,\0\n", None, "is not a text file");
        check(b"a\xff", Some("utf-8"), "is not valid UTF-8");
        check(b"a", Some("klingon"), "has the unknown charset \"klingon\"");
    }
}
