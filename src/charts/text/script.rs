//! Scripts that need fonts of their own.

/// A script that the built-in family does not have.
#[derive(Debug, PartialEq, Eq)]
pub struct Script {
    /// Name for people.
    pub name: &'static str,
    /// Common names of font files that have the script, the best one first.
    pub font_files: &'static [&'static str],
    /// Package of Debian and Ubuntu with such a font.
    pub package: &'static str,
    /// A frequent character of each of its parts, with the name of the part for people.
    pub samples: &'static [(&'static str, char)],
    /// First and last code points of its blocks in Unicode.
    ranges: &'static [(u32, u32)],
}

/// Declares the scripts with a font of the Noto family in the package `fonts-noto-core`.
macro_rules! noto_script {
    ($name:literal, $font:literal, $sample:literal, $($range:expr),+) => {
        Script {
            name: $name,
            font_files: &[
                concat!("NotoSans", $font, "-Regular.ttf"),
                concat!("NotoSans", $font, "[wdth,wght].ttf"),
                concat!("NotoSans", $font, "[wght].ttf"),
                concat!("NotoSans", $font, "-VF.ttf"),
                "DejaVuSans.ttf",
                "FreeSans.ttf",
            ],
            package: "fonts-noto-core",
            samples: &[($name, $sample)],
            ranges: &[$($range),+],
        }
    };
}

/// The known scripts. Blocks are those of Unicode 16.
pub static SCRIPTS: [Script; 23] = [
    noto_script!("Armenian", "Armenian", 'Ա', (0x530, 0x58f)),
    noto_script!("Hebrew", "Hebrew", 'א', (0x590, 0x5ff), (0x20aa, 0x20aa), (0xfb1d, 0xfb4f)),
    noto_script!(
        "Arabic",
        "Arabic",
        'ع',
        (0x600, 0x6ff),
        (0x750, 0x77f),
        (0x870, 0x8ff),
        (0xfb50, 0xfdff),
        (0xfe70, 0xfeff)
    ),
    noto_script!("Devanagari", "Devanagari", 'अ', (0x900, 0x97f), (0xa8e0, 0xa8ff)),
    noto_script!("Bengali", "Bengali", 'অ', (0x980, 0x9ff)),
    noto_script!("Gurmukhi", "Gurmukhi", 'ਅ', (0xa00, 0xa7f)),
    noto_script!("Gujarati", "Gujarati", 'અ', (0xa80, 0xaff)),
    noto_script!("Oriya", "Oriya", 'ଅ', (0xb00, 0xb7f)),
    noto_script!("Tamil", "Tamil", 'அ', (0xb80, 0xbff)),
    noto_script!("Telugu", "Telugu", 'అ', (0xc00, 0xc7f)),
    noto_script!("Kannada", "Kannada", 'ಅ', (0xc80, 0xcff)),
    noto_script!("Malayalam", "Malayalam", 'അ', (0xd00, 0xd7f)),
    noto_script!("Sinhala", "Sinhala", 'අ', (0xd80, 0xdff)),
    noto_script!("Thai", "Thai", 'ก', (0xe00, 0xe7f)),
    noto_script!("Lao", "Lao", 'ກ', (0xe80, 0xeff)),
    noto_script!("Myanmar", "Myanmar", 'က', (0x1000, 0x109f)),
    noto_script!("Georgian", "Georgian", 'ა', (0x10a0, 0x10ff), (0x1c90, 0x1cbf)),
    noto_script!("Ethiopic", "Ethiopic", 'አ', (0x1200, 0x139f)),
    noto_script!("Khmer", "Khmer", 'ក', (0x1780, 0x17ff)),
    noto_script!("Mongolian", "Mongolian", 'ᠠ', (0x1800, 0x18af)),
    Script {
        name: "Chinese, Japanese or Korean",
        font_files: &[
            "NotoSansCJK-Regular.ttc",
            "NotoSansCJK-VF.ttf.ttc",
            "NotoSansCJK-VF.otf.ttc",
            "NotoSansCJKsc-Regular.otf",
            "NotoSansCJKjp-Regular.otf",
            "SourceHanSans-Regular.ttc",
            "DroidSansFallbackFull.ttf",
            "wqy-microhei.ttc",
        ],
        package: "fonts-noto-cjk",
        samples: &[("Chinese", '日'), ("Japanese", 'ひ'), ("Korean", '한')],
        ranges: &[
            (0x1100, 0x11ff),
            (0x2e80, 0x4dbf),
            (0x4e00, 0x9fff),
            (0xa960, 0xa97f),
            (0xac00, 0xd7ff),
            (0xf900, 0xfaff),
            (0xff00, 0xffef),
            (0x20000, 0x323af),
        ],
    },
    Script {
        name: "symbol",
        font_files: &[
            "NotoSansSymbols2-Regular.ttf",
            "NotoSansSymbols-Regular.ttf",
            "Symbola_hint.ttf",
            "Symbola.ttf",
            "Symbola.otf",
            "DejaVuSans.ttf",
        ],
        package: "fonts-noto-core",
        samples: &[("symbols", '♞')],
        ranges: &[(0x2100, 0x2bff), (0x1d400, 0x1d7ff), (0x1f100, 0x1f1e5)],
    },
    Script {
        name: "emoji",
        font_files: &[
            "NotoEmoji-Regular.ttf",
            "NotoEmoji[wght].ttf",
            "Symbola_hint.ttf",
            "Symbola.ttf",
            "Symbola.otf",
            "DejaVuSans.ttf",
        ],
        package: "fonts-symbola",
        samples: &[("emoji", '😀')],
        ranges: &[(0x1f1e6, 0x1f1ff), (0x1f300, 0x1faff)],
    },
];

impl Script {
    /// Returns the script with a block that contains a character. None for characters of the
    /// built-in family and of scripts that are not in the list.
    pub fn find(character: char) -> Option<&'static Script> {
        Script::index(character).and_then(|index| SCRIPTS.get(index))
    }

    /// Returns the index of the script of a character in `SCRIPTS`, as `Script::find`.
    pub(super) fn index(character: char) -> Option<usize> {
        let code = u32::from(character);
        let has_code = |range: &(u32, u32)| (range.0..=range.1).contains(&code);
        SCRIPTS.iter().position(|script| script.ranges.iter().any(has_code))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_have_the_script_of_their_block() {
        let name = |character| Script::find(character).map(|script| script.name);
        for (character, expected) in [
            ('ש', "Hebrew"),
            ('₪', "Hebrew"),
            ('ع', "Arabic"),
            ('ก', "Thai"),
            ('日', "Chinese, Japanese or Korean"),
            ('ひ', "Chinese, Japanese or Korean"),
            ('한', "Chinese, Japanese or Korean"),
            ('😀', "emoji"),
            ('♞', "symbol"),
        ] {
            assert_eq!(name(character), Some(expected), "{character}");
        }
        assert_eq!(name('a'), None);
        assert_eq!(name('Ж'), None);
    }

    #[test]
    fn samples_belong_to_their_script() {
        for script in &SCRIPTS {
            for (name, sample) in script.samples {
                assert_eq!(Script::find(*sample), Some(script), "{name}");
            }
        }
    }

    #[test]
    fn blocks_do_not_overlap() {
        let mut ranges: Vec<(u32, u32)> =
            SCRIPTS.iter().flat_map(|script| script.ranges).copied().collect();
        ranges.sort_unstable();
        for pair in ranges.windows(2) {
            assert!(pair[0].0 <= pair[0].1 && pair[0].1 < pair[1].0, "{pair:x?}");
        }
    }
}
