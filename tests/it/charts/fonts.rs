//! Fonts of a theme: text is measured and drawn in the family that it names.

use chartroom_charts::scene::{Primitive, Scene, Text};
use chartroom_charts::text;
use chartroom_charts::{FontCollection, Kind};
use serde_json::json;

use super::Case;

/// The name of the family that [`font`] makes: as long as that of the font it is made from.
pub const FAMILY: &str = "Nota Face";
/// A letter that no built-in font has, and [`font`] has: the Georgian an.
const FOREIGN: char = '\u{10d0}';

/// A font of another name, with the glyphs of a built-in one and a letter more.
pub fn font(from: &[u8]) -> Vec<u8> {
    let wide = |name: &str| name.encode_utf16().flat_map(u16::to_be_bytes).collect::<Vec<u8>>();
    let mut bytes = from.to_vec();
    for (old, new) in [(wide("Noto Sans"), wide(FAMILY)), (b"Noto Sans".to_vec(), FAMILY.into())] {
        let places: Vec<usize> =
            (0..bytes.len() - old.len()).filter(|at| bytes[*at..].starts_with(&old)).collect();
        places.iter().for_each(|at| bytes[*at..at + new.len()].copy_from_slice(&new));
    }
    // A new table of letters at the end: the Latin ones, and the foreign one as an A.
    let place = bytes.len() as u32;
    let table = letters(from);
    let count = usize::from(u16::from_be_bytes([bytes[4], bytes[5]]));
    let entry = (0..count).map(|at| 12 + at * 16).find(|at| bytes[*at..].starts_with(b"cmap"));
    let entry = entry.unwrap();
    bytes[entry + 8..entry + 12].copy_from_slice(&place.to_be_bytes());
    bytes[entry + 12..entry + 16].copy_from_slice(&(table.len() as u32).to_be_bytes());
    [bytes, table].concat()
}

/// A `cmap` of format 12 as the OpenType specification has it.
fn letters(from: &[u8]) -> Vec<u8> {
    use skrifa::MetadataProvider;
    let charmap = skrifa::FontRef::new(from).unwrap().charmap();
    let mut groups: Vec<(u32, u32)> =
        (0x20..0x2300).filter_map(|code: u32| Some((code, charmap.map(code)?.to_u32()))).collect();
    groups.push((u32::from(FOREIGN), charmap.map('A').unwrap().to_u32()));
    groups.sort_unstable();
    let mut out: Vec<u8> = [0u16, 1, 3, 10].iter().flat_map(|it| it.to_be_bytes()).collect();
    out.extend(12u32.to_be_bytes());
    out.extend([12u16, 0].iter().flat_map(|it| it.to_be_bytes()));
    let length = 16 + groups.len() as u32 * 12;
    out.extend([length, 0, groups.len() as u32].iter().flat_map(|it| it.to_be_bytes()));
    for (code, glyph) in groups {
        out.extend([code, code, glyph].iter().flat_map(|it| it.to_be_bytes()));
    }
    out
}

/// The built-in family and, under another name, its regular and bold fonts.
fn fonts() -> FontCollection {
    let files = [notosans::REGULAR_TTF, notosans::BOLD_TTF].map(font).to_vec();
    let (fonts, odd) = FontCollection::with_files(files);
    assert_eq!(odd, [0usize; 0]);
    fonts
}

/// A picture in the family.
fn case(kind: &'static Kind, weight: u16) -> Case {
    let theme = json!({"fonts": {"title": {"family": "nota face"},
        "body": {"family": FAMILY, "weight": weight}}});
    Case { fonts: fonts(), theme, ..Case::sample(kind) }
}

fn texts(scene: &Scene) -> impl Iterator<Item = &Text> {
    scene.shapes.iter().filter_map(|shape| match &shape.primitive {
        Primitive::Text(text) => Some(text),
        _ => None,
    })
}

#[test]
fn every_text_of_every_kind_is_in_the_family_of_the_theme() {
    let fonts = fonts();
    for kind in chartroom_charts::kinds() {
        let scene = Case { fonts, ..case(kind, 400) }.draw();
        assert_eq!(scene.warnings, Case::sample(kind).draw().warnings, "{}", kind.slug);
        for text in texts(&scene) {
            let font = text.face.font();
            let own = [notosans::REGULAR_TTF, notosans::BOLD_TTF].contains(&font.bytes());
            assert!(font.family() == FAMILY && !own, "{} {:?}: {font:?}", kind.slug, text.text);
        }
        let svg = chartroom_charts::svg::write(&scene, &chartroom_charts::svg::Options::default());
        assert!(svg.contains("<g font-family=\"Nota Face, system-ui, sans-serif\">"));
        assert!(!svg.contains("Noto"), "{}", kind.slug);
    }
}

#[test]
fn text_is_as_wide_as_in_its_own_font() {
    let kind = chartroom_charts::find_kind("bar").unwrap();
    let (light, heavy) = (case(kind, 400).draw(), case(kind, 500).draw());
    assert_eq!(texts(&light).count(), texts(&heavy).count());
    // The family has 400 and 700: 550 is nearer to the one, 560 to the other.
    let weight = |asked: u16| {
        let (case, scene) = (case(kind, asked), case(kind, asked).draw());
        let label = case.data[0]["label"].as_str().unwrap();
        texts(&scene).find(|it| it.text == label).unwrap().face.font().weight()
    };
    assert_eq!([weight(400), weight(540), weight(560), weight(700)], [400, 400, 700, 700]);
    for text in texts(&light) {
        let drawn = text::shape(&text.text, text.face).width;
        assert!((f64::from(drawn) * text.size - text.width).abs() <= text.width * 0.02 + 0.01);
    }
    let png = |it: &Case| {
        chartroom_charts::png::encode(&it.draw(), &chartroom_charts::png::Options::default())
    };
    assert_ne!(png(&case(kind, 400)).unwrap(), png(&case(kind, 700)).unwrap());
}

#[test]
fn a_family_that_is_not_there_is_told_and_the_usual_one_drawn() {
    let kind = chartroom_charts::find_kind("pie").unwrap();
    let theme = json!({"fonts": {"body": {"family": "Comic \"Sans\""}}});
    let case = Case { theme, ..Case::sample(kind) };
    let told = "There is no font family \"Comic \"Sans\"\" for fonts.body.";
    assert_eq!(case.draw().warnings, [told]);
    assert_eq!(case.svg(), Case::sample(kind).svg());
}

#[test]
fn a_letter_that_the_family_lacks_is_drawn_in_another() {
    let kind = chartroom_charts::find_kind("bar").unwrap();
    let title = format!("Sales {FOREIGN}{FOREIGN} 2024");
    let boxed = Case { title: title.clone(), ..Case::sample(kind) };
    assert_eq!(boxed.draw().warnings, ["Some characters are in no font and are shown as boxes."]);
    let scene = Case { title: title.clone(), fonts: fonts(), ..Case::sample(kind) }.draw();
    assert!(scene.warnings.is_empty(), "{:?}", scene.warnings);
    let set = texts(&scene).find(|it| it.text == title).unwrap();
    let run = text::shape(&set.text, set.face);
    let families: Vec<&str> = run.glyphs.iter().map(|it| it.font.family()).collect();
    // The space after them stays with them.
    let want = ["Noto Sans", FAMILY, FAMILY, FAMILY, "Noto Sans"];
    assert_eq!(families[5..10], want, "{families:?}");
    assert!(run.glyphs.iter().all(|it| it.id != 0));
    let svg = chartroom_charts::svg::write(&scene, &chartroom_charts::svg::Options::default());
    assert!(svg.contains("font-family=\"Noto Sans, Nota Face, system-ui, sans-serif\""), "{svg}");
}

#[test]
fn what_is_no_font_is_told_by_its_place() {
    let files = vec![b"text".to_vec(), font(notosans::ITALIC_TTF), Vec::new()];
    let (fonts, odd) = FontCollection::with_files(files);
    assert_eq!(odd, [0, 2]);
    assert!(fonts.fonts().iter().any(|it| it.family() == FAMILY && it.is_italic()));
}
