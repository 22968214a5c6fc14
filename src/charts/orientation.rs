//! The orientation of a photo: the turn and the reflection with which its pixels are shown.

/// Tag of the orientation in EXIF (CIPA DC-008, 4.6.5).
const ORIENTATION_TAG: u16 = 0x0112;
/// Bytes of an entry of a directory.
const ENTRY_BYTES: usize = 12;

/// The value of the EXIF tag `Orientation`, 1 to 8.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Orientation(u8);

impl Orientation {
    /// The pixels are shown as they are.
    pub const NORMAL: Self = Self(1);

    /// Reads the orientation in the first directory of EXIF data, which begin with the header of
    /// TIFF. [`Orientation::NORMAL`] without a valid one.
    pub fn from_exif(exif: &[u8]) -> Self {
        find_orientation(exif).map_or(Self::NORMAL, Self)
    }

    /// Applies the orientation to pixels of four bytes with this width and height. Returns the new
    /// pixels, width and height.
    pub fn apply(self, pixels: Vec<u8>, width: u32, height: u32) -> (Vec<u8>, u32, u32) {
        if self == Self::NORMAL {
            return (pixels, width, height);
        }
        let is_turned = self.0 >= 5;
        let (new_width, new_height) = if is_turned { (height, width) } else { (width, height) };
        let (last_x, last_y) = (width.saturating_sub(1), height.saturating_sub(1));
        let mut turned = Vec::with_capacity(pixels.len());
        for y in 0..new_height {
            for x in 0..new_width {
                let (old_x, old_y) = match self.0 {
                    2 => (last_x - x, y),
                    3 => (last_x - x, last_y - y),
                    4 => (x, last_y - y),
                    5 => (y, x),
                    6 => (y, last_y - x),
                    7 => (last_x - y, last_y - x),
                    8 => (last_x - y, x),
                    _ => (x, y),
                };
                let start = (old_y as usize * width as usize + old_x as usize) * 4;
                turned.extend_from_slice(&pixels[start..start + 4]);
            }
        }
        (turned, new_width, new_height)
    }
}

/// Returns the value of the orientation, 1 to 8. None without a valid one.
fn find_orientation(exif: &[u8]) -> Option<u8> {
    let is_big_endian = match exif.get(..4)? {
        b"MM\0*" => true,
        b"II*\0" => false,
        _ => return None,
    };
    let read_u16 = |bytes: &[u8]| -> Option<u16> {
        let bytes = *bytes.first_chunk::<2>()?;
        Some(if is_big_endian { u16::from_be_bytes(bytes) } else { u16::from_le_bytes(bytes) })
    };
    let offset = *exif.get(4..)?.first_chunk::<4>()?;
    let offset =
        if is_big_endian { u32::from_be_bytes(offset) } else { u32::from_le_bytes(offset) };
    let directory = exif.get(usize::try_from(offset).ok()?..)?;
    let count = usize::from(read_u16(directory)?);
    let mut entries = directory.get(2..)?.chunks_exact(ENTRY_BYTES).take(count);
    let entry = entries.find(|entry| read_u16(entry) == Some(ORIENTATION_TAG))?;
    let value = read_u16(entry.get(8..)?)?;
    u8::try_from(value).ok().filter(|value| (1..=8).contains(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orientation_is_read_in_both_byte_orders() {
        let big = b"MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06\0\0";
        let little = b"II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\x08\0\0\0";
        assert_eq!(Orientation::from_exif(big), Orientation(6));
        assert_eq!(Orientation::from_exif(little), Orientation(8));
        for length in 0..big.len() {
            let start = Orientation::from_exif(&big[..length]);
            assert_eq!(start, Orientation::NORMAL, "{length}");
        }
        let outside = b"MM\0*\xff\xff\xff\xff\0\x01";
        assert_eq!(Orientation::from_exif(outside), Orientation::NORMAL);
    }

    #[test]
    fn pixels_are_turned_and_reflected() {
        // Two rows of three pixels: 0 1 2, 3 4 5.
        let pixels: Vec<u8> = (0..6).flat_map(|pixel| [pixel; 4]).collect();
        let check = |value: u8, size: (u32, u32), want: [u8; 6]| {
            let (turned, width, height) = Orientation(value).apply(pixels.clone(), 3, 2);
            let turned: Vec<u8> = turned.chunks_exact(4).map(|pixel| pixel[0]).collect();
            assert_eq!((turned.as_slice(), (width, height)), (want.as_slice(), size), "{value}");
        };
        check(1, (3, 2), [0, 1, 2, 3, 4, 5]);
        check(2, (3, 2), [2, 1, 0, 5, 4, 3]);
        check(3, (3, 2), [5, 4, 3, 2, 1, 0]);
        check(4, (3, 2), [3, 4, 5, 0, 1, 2]);
        check(5, (2, 3), [0, 3, 1, 4, 2, 5]);
        check(6, (2, 3), [3, 0, 4, 1, 5, 2]);
        check(7, (2, 3), [5, 2, 4, 1, 3, 0]);
        check(8, (2, 3), [2, 5, 1, 4, 0, 3]);
    }
}
