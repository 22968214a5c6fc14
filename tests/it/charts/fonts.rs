//! Tests of theme fonts: text is measured and rendered with the font family of the theme.

use chartroom_charts::scene::{Primitive, Scene, Text};
use chartroom_charts::text;
use chartroom_charts::{FontCollection, Kind};
use serde_json::json;

use super::ChartCase;

/// Family name of the fonts that [`create_test_font`] creates. It has the length of the original
/// name, because it is replaced in place.
pub const TEST_FAMILY: &str = "Nota Face";
/// The Georgian letter an, which the created fonts contain and the built-in fonts do not.
const UNCOVERED_LETTER: char = '\u{10d0}';

/// Creates a copy of a font with another family name and one more letter.
pub fn create_test_font(source: &[u8]) -> Vec<u8> {
    let utf16 = |name: &str| name.encode_utf16().flat_map(u16::to_be_bytes).collect::<Vec<u8>>();
    let mut bytes = source.to_vec();
    for (old, new) in
        [(utf16("Noto Sans"), utf16(TEST_FAMILY)), (b"Noto Sans".to_vec(), TEST_FAMILY.into())]
    {
        let positions: Vec<usize> = (0..bytes.len() - old.len())
            .filter(|position| bytes[*position..].starts_with(&old))
            .collect();
        positions
            .iter()
            .for_each(|position| bytes[*position..position + new.len()].copy_from_slice(&new));
    }
    // Appends a new `cmap` table, in which the additional letter has the glyph of `A`.
    let table_offset = bytes.len() as u32;
    let table = create_cmap(source);
    let count = usize::from(u16::from_be_bytes([bytes[4], bytes[5]]));
    let entry = (0..count)
        .map(|position| 12 + position * 16)
        .find(|position| bytes[*position..].starts_with(b"cmap"));
    let entry = entry.unwrap();
    bytes[entry + 8..entry + 12].copy_from_slice(&table_offset.to_be_bytes());
    bytes[entry + 12..entry + 16].copy_from_slice(&(table.len() as u32).to_be_bytes());
    [bytes, table].concat()
}

/// Creates a `cmap` table of format 12 (OpenType specification) with the letters of a font below
/// U+2300 and the additional letter.
fn create_cmap(source: &[u8]) -> Vec<u8> {
    use skrifa::MetadataProvider;
    let charmap = skrifa::FontRef::new(source).unwrap().charmap();
    let mut groups: Vec<(u32, u32)> =
        (0x20..0x2300).filter_map(|code: u32| Some((code, charmap.map(code)?.to_u32()))).collect();
    groups.push((u32::from(UNCOVERED_LETTER), charmap.map('A').unwrap().to_u32()));
    groups.sort_unstable();
    let mut table: Vec<u8> =
        [0u16, 1, 3, 10].iter().flat_map(|number| number.to_be_bytes()).collect();
    table.extend(12u32.to_be_bytes());
    table.extend([12u16, 0].iter().flat_map(|number| number.to_be_bytes()));
    let length = 16 + groups.len() as u32 * 12;
    table.extend([length, 0, groups.len() as u32].iter().flat_map(|number| number.to_be_bytes()));
    for (code, glyph) in groups {
        table.extend([code, code, glyph].iter().flat_map(|number| number.to_be_bytes()));
    }
    table
}

/// Returns the built-in family, and copies of its regular and bold fonts as another family.
fn test_fonts() -> FontCollection {
    let files = [notosans::REGULAR_TTF, notosans::BOLD_TTF].map(create_test_font).to_vec();
    let (fonts, invalid) = FontCollection::with_files(files, |_, _| None);
    assert_eq!(invalid, [0usize; 0]);
    fonts
}

/// Returns the sample of a kind with a theme that uses the test family.
fn case_with_family(kind: &'static Kind, weight: u16) -> ChartCase {
    let theme = json!({"fonts": {"title": {"family": "nota face"},
        "body": {"family": TEST_FAMILY, "weight": weight}}});
    ChartCase { fonts: test_fonts(), theme, ..ChartCase::sample(kind) }
}

/// Returns the texts of a scene in drawing order.
fn scene_texts(scene: &Scene) -> impl Iterator<Item = &Text> {
    scene.shapes.iter().filter_map(|shape| match &shape.primitive {
        Primitive::Text(text) => Some(text),
        _ => None,
    })
}

#[test]
fn every_text_uses_the_font_family_of_the_theme() {
    let fonts = test_fonts();
    for kind in chartroom_charts::kinds() {
        let scene = ChartCase { fonts, ..case_with_family(kind, 400) }.render();
        assert_eq!(scene.warnings, ChartCase::sample(kind).render().warnings, "{}", kind.slug);
        for text in scene_texts(&scene) {
            let font = text.face.font();
            let is_built_in = [notosans::REGULAR_TTF, notosans::BOLD_TTF].contains(&font.bytes());
            assert!(
                font.family() == TEST_FAMILY && !is_built_in,
                "{} {:?}: {font:?}",
                kind.slug,
                text.text
            );
        }
        let svg = chartroom_charts::svg::write(&scene, &chartroom_charts::svg::Options::default());
        assert!(svg.contains("<g font-family=\"Nota Face, system-ui, sans-serif\">"));
        assert!(!svg.contains("Noto"), "{}", kind.slug);
    }
}

#[test]
fn text_is_measured_with_its_own_font() {
    let kind = chartroom_charts::find_kind("bar").unwrap();
    let (regular, medium) =
        (case_with_family(kind, 400).render(), case_with_family(kind, 500).render());
    assert_eq!(scene_texts(&regular).count(), scene_texts(&medium).count());
    // The family has the weights 400 and 700. 540 is nearer to the first, 560 to the second.
    let chosen_weight = |requested: u16| {
        let (case, scene) =
            (case_with_family(kind, requested), case_with_family(kind, requested).render());
        let label = case.data[0]["label"].as_str().unwrap();
        scene_texts(&scene).find(|text| text.text == label).unwrap().face.font().weight()
    };
    assert_eq!(
        [chosen_weight(400), chosen_weight(540), chosen_weight(560), chosen_weight(700)],
        [400, 400, 700, 700]
    );
    for text in scene_texts(&regular) {
        let shaped_width = text::shape(&text.text, text.face).width;
        assert!(
            (f64::from(shaped_width) * text.size - text.width).abs() <= text.width * 0.02 + 0.01
        );
    }
    let png = |case: &ChartCase| {
        chartroom_charts::png::encode(&case.render(), &chartroom_charts::png::Options::default())
    };
    assert_ne!(
        png(&case_with_family(kind, 400)).unwrap(),
        png(&case_with_family(kind, 700)).unwrap()
    );
}

#[test]
fn missing_font_family_falls_back_with_a_warning() {
    let kind = chartroom_charts::find_kind("pie").unwrap();
    let theme = json!({"fonts": {"body": {"family": "Comic \"Sans\""}}});
    let case = ChartCase { theme, ..ChartCase::sample(kind) };
    let warning = "There is no font family \"Comic \"Sans\"\" for fonts.body.";
    assert_eq!(case.render().warnings, [warning]);
    assert_eq!(case.render_svg(), ChartCase::sample(kind).render_svg());
}

#[test]
fn missing_letter_falls_back_to_another_family() {
    let kind = chartroom_charts::find_kind("bar").unwrap();
    let title = format!("Sales {UNCOVERED_LETTER}{UNCOVERED_LETTER} 2024");
    let without_font = ChartCase { title: title.clone(), ..ChartCase::sample(kind) };
    let warnings = without_font.render().warnings;
    assert!(warnings[0].starts_with("Some characters are in no font"), "{warnings:?}");
    assert_eq!(warnings.len(), 1);
    let scene =
        ChartCase { title: title.clone(), fonts: test_fonts(), ..ChartCase::sample(kind) }.render();
    assert!(scene.warnings.is_empty(), "{:?}", scene.warnings);
    let title_text = scene_texts(&scene).find(|text| text.text == title).unwrap();
    let run = text::shape(&title_text.text, title_text.face);
    let families: Vec<&str> = run.glyphs.iter().map(|glyph| glyph.font.family()).collect();
    // The space after the letters is in the same run.
    let want = ["Noto Sans", TEST_FAMILY, TEST_FAMILY, TEST_FAMILY, "Noto Sans"];
    assert_eq!(families[5..10], want, "{families:?}");
    assert!(run.glyphs.iter().all(|glyph| glyph.id != 0));
    let svg = chartroom_charts::svg::write(&scene, &chartroom_charts::svg::Options::default());
    assert!(svg.contains("font-family=\"Noto Sans, Nota Face, system-ui, sans-serif\""), "{svg}");
}

#[test]
fn invalid_font_files_are_reported_by_index() {
    let files = vec![b"text".to_vec(), create_test_font(notosans::ITALIC_TTF), Vec::new()];
    let (fonts, invalid) = FontCollection::with_files(files, |_, _| None);
    assert_eq!(invalid, [0, 2]);
    assert!(fonts.fonts().iter().any(|font| font.family() == TEST_FAMILY && font.is_italic()));
}

#[test]
fn the_font_of_a_script_is_loaded_when_a_text_needs_it() {
    use std::sync::atomic::{AtomicUsize, Ordering};
    static LOADED: AtomicUsize = AtomicUsize::new(0);
    // The test font has no Arabic, so that its texts stay boxes with a warning.
    let (fonts, _) = FontCollection::with_files(Vec::new(), |script, is_bold| {
        assert_eq!(script.name, "Arabic");
        LOADED.fetch_add(1, Ordering::Relaxed);
        (!is_bold).then(|| create_test_font(notosans::REGULAR_TTF))
    });
    let render = |title: &str| {
        let bar = chartroom_charts::find_kind("bar").unwrap();
        ChartCase { fonts, title: title.to_owned(), ..ChartCase::sample(bar) }.render()
    };
    assert_eq!(render("Figures").warnings, [""; 0]);
    assert_eq!(LOADED.load(Ordering::Relaxed), 0);
    for _ in 0..2 {
        let warnings = render("السكان").warnings;
        assert!(warnings[0].contains("(Arabic). The package fonts-noto-core"), "{warnings:?}");
    }
    assert_eq!(LOADED.load(Ordering::Relaxed), 2, "the bold title asks for both fonts once");
}
