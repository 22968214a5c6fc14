//! The fonts of the pages: parts of the built-in family as WOFF2 files.
//!
//! A page that shows only Latin text loads the two small Latin parts. `css/tokens.css` declares each
//! part with its `unicode-range`, so that browsers load the others only for texts that need them. The
//! first request for a part creates it. The result is kept, about 225 KiB for all parts.

use std::ops::RangeInclusive;
use std::sync::OnceLock;

use chartroom_charts::svg;
use hyper::body::Bytes;

/// Folder of the fonts below `assets/web`. It contains no files.
const FOLDER: &str = "fonts/";

/// Media type of WOFF2 (RFC 8081).
pub const CONTENT_TYPE: &str = "font/woff2";

/// Western European languages, punctuation and arrows.
const LATIN: &[RangeInclusive<u32>] = &[
    0x20..=0x7e,
    0xa0..=0xff,
    0x131..=0x131,
    0x152..=0x153,
    0x2c6..=0x2c6,
    0x2da..=0x2da,
    0x2dc..=0x2dc,
    0x2010..=0x2027,
    0x2030..=0x203a,
    0x2044..=0x2044,
    0x20ac..=0x20ac,
    0x2122..=0x2122,
    0x2190..=0x2193,
    0x2212..=0x2215,
];

/// Other languages with Latin script, and symbols.
const LATIN_EXTENDED: &[RangeInclusive<u32>] = &[
    0x100..=0x130,
    0x132..=0x151,
    0x154..=0x2c5,
    0x2c7..=0x2d9,
    0x2db..=0x2db,
    0x2dd..=0x36f,
    0x1ab0..=0x1eff,
    0x2000..=0x200f,
    0x203b..=0x2043,
    0x2045..=0x20ab,
    0x20ad..=0x2121,
    0x2123..=0x218f,
    0xa700..=0xa7ff,
    0xab30..=0xab6f,
];

/// Greek and Cyrillic script.
const GREEK_AND_CYRILLIC: &[RangeInclusive<u32>] = &[0x370..=0x52f];

/// A part of a font, created at its first use.
struct FontPart {
    /// File name below `fonts/`.
    name: &'static str,
    /// The whole font, TrueType.
    font: &'static [u8],
    /// Characters of the part.
    ranges: &'static [RangeInclusive<u32>],
    /// The part as WOFF2. None if it cannot be created.
    file: OnceLock<Option<Bytes>>,
}

impl FontPart {
    /// Returns a part that is not created yet.
    const fn new(
        name: &'static str,
        font: &'static [u8],
        ranges: &'static [RangeInclusive<u32>],
    ) -> Self {
        Self { name, font, ranges, file: OnceLock::new() }
    }
}

/// All parts.
static PARTS: [FontPart; 6] = [
    FontPart::new("regular-latin.woff2", notosans::REGULAR_TTF, LATIN),
    FontPart::new("bold-latin.woff2", notosans::BOLD_TTF, LATIN),
    FontPart::new("regular-latin-extended.woff2", notosans::REGULAR_TTF, LATIN_EXTENDED),
    FontPart::new("bold-latin-extended.woff2", notosans::BOLD_TTF, LATIN_EXTENDED),
    FontPart::new("regular-greek-cyrillic.woff2", notosans::REGULAR_TTF, GREEK_AND_CYRILLIC),
    FontPart::new("bold-greek-cyrillic.woff2", notosans::BOLD_TTF, GREEK_AND_CYRILLIC),
];

/// Returns a font by its path below `assets/web`. None if there is no font with this path.
pub fn find_font(path: &str) -> Option<Bytes> {
    let name = path.strip_prefix(FOLDER)?;
    let part = PARTS.iter().find(|part| part.name == name)?;
    part.file
        .get_or_init(|| svg::subset_font_ranges(part.font, part.ranges).map(Bytes::from))
        .clone()
}

#[cfg(test)]
mod tests {
    use chartroom_platform::assets;

    use super::*;

    /// Returns ranges in the notation of CSS.
    fn format_ranges(ranges: &[RangeInclusive<u32>]) -> String {
        let format_range = |range: &RangeInclusive<u32>| match (range.start(), range.end()) {
            (start, end) if start == end => format!("U+{start:04X}"),
            (start, end) => format!("U+{start:04X}-{end:04X}"),
        };
        ranges.iter().map(format_range).collect::<Vec<_>>().join(", ")
    }

    #[test]
    fn the_style_sheet_declares_each_part_with_its_characters() {
        let css = String::from_utf8(assets::web_file("css/tokens.css").unwrap().bytes.to_vec());
        let css = css.unwrap().split_whitespace().collect::<Vec<_>>().join(" ");
        for part in &PARTS {
            let (_, rule) = css.split_once(&format!("fonts/{}", part.name)).expect(part.name);
            let (rule, _) = rule.split_once('}').unwrap();
            let range = format!("unicode-range: {};", format_ranges(part.ranges));
            assert!(rule.contains(&range), "{} needs {range}", part.name);
        }
    }

    #[test]
    fn no_character_is_in_two_parts() {
        let mut all: Vec<_> = [LATIN, LATIN_EXTENDED, GREEK_AND_CYRILLIC].concat();
        all.sort_by_key(|range| *range.start());
        assert!(all.windows(2).all(|pair| pair[0].end() < pair[1].start()), "{all:x?}");
    }

    #[test]
    fn parts_are_small_woff2_files_that_are_created_once() {
        for part in &PARTS {
            let path = format!("fonts/{}", part.name);
            let file = find_font(&path).unwrap();
            assert_eq!(&file[..4], b"wOF2", "{path}");
            assert!((4_000..80_000).contains(&file.len()), "{path}: {} bytes", file.len());
            assert_eq!(file.as_ptr(), find_font(&path).unwrap().as_ptr(), "{path}");
        }
        assert!(find_font("fonts/regular-latin.woff2").unwrap().len() < 16_000);
        assert!(find_font("fonts/none.woff2").is_none());
    }
}
