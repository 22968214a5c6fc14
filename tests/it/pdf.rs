//! Tests of the PDF writer: the samples of all kinds in every run, and what readers of poppler find in the
//! files, compared with the PNG of the same scene.

use std::fs;
use std::path::Path;
use std::process::Command;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use chartroom_charts::scene::Primitive;
use chartroom_charts::{FontCollection, Scene, find_kind, pdf, png, time_limit};
use serde_json::json;

use crate::charts::ChartCase;
use crate::charts::fonts::{TEST_FAMILY, create_test_font};
use crate::raster::decode_png;

/// Pixels per point of the compared images, and the same as dots per inch.
const SCALE: f64 = 2.0;
const DOTS_PER_INCH: &str = "144";

/// Maximum mean difference of a channel, 0 to 255. The readers place letters on other fractions of a pixel.
const MAX_MEAN_DIFFERENCE: f64 = 3.5;
/// Maximum mean difference of a channel in a square of 16 x 16 pixels. A missing, moved or wrongly colored
/// shape differs more.
const MAX_SQUARE_DIFFERENCE: f64 = 55.0;
/// Side of such a square in pixels.
const SQUARE_PX: usize = 16;

/// Returns the PDF of a scene.
fn write_pdf(scene: &Scene, transparent: bool) -> Vec<u8> {
    pdf::write(scene, &pdf::Options { transparent })
}

/// Returns the pages of a file, by their objects.
fn count_pages(file: &[u8]) -> usize {
    String::from_utf8_lossy(file).matches("/Type /Page\n").count()
}

#[test]
fn samples_are_one_page_of_the_canvas_with_embedded_fonts() {
    for kind in chartroom_charts::kinds() {
        let scene = ChartCase::sample(kind).with_size(640.0, 400.0).render();
        let file = write_pdf(&scene, false);
        assert_eq!(file, write_pdf(&scene, false), "{}", kind.slug);
        assert_eq!(count_pages(&file), 1, "{}", kind.slug);
        let text = String::from_utf8_lossy(&file);
        assert!(text.contains("/MediaBox [0 0 640 400]"), "{}", kind.slug);
        let fonts = text.matches("/Subtype /Type0").count();
        assert!(fonts > 0, "{}", kind.slug);
        for part in ["/FontFile2 ", "/ToUnicode ", "/Encoding /Identity-H"] {
            assert_eq!(text.matches(part).count(), fonts, "{}: {part}", kind.slug);
        }
        assert!(file.len() < 100_000, "{}: {} bytes", kind.slug, file.len());
    }
}

#[test]
fn interactive_charts_give_the_same_page() {
    let bar = ChartCase::sample(find_kind("bar").unwrap());
    let plain = write_pdf(&bar.render(), false);
    let mut scene = ChartCase { interactive: true, ..bar }.render();
    scene.remove_marks();
    assert_eq!(write_pdf(&scene, false), plain);
}

#[test]
fn writing_ends_at_the_time_limit() {
    use std::cell::Cell;
    use std::time::Duration;
    thread_local! {
        static NOW: Cell<u64> = const { Cell::new(0) };
    }
    let clock = || {
        NOW.set(NOW.get() + 1);
        Duration::from_secs(NOW.get())
    };
    let scene = ChartCase::sample(find_kind("heat-map").unwrap()).render();
    let limit = Duration::from_secs(1);
    let result = time_limit::run_with_time_limit(limit, clock, || write_pdf(&scene, false));
    assert!(result.is_err());
}

/// Runs a program of poppler and returns its output as text. Panics with its messages if it fails or
/// complains about the file.
fn run_poppler(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && errors.is_empty(), "{program} {arguments:?}: {errors}");
    String::from_utf8(output.stdout).unwrap()
}

/// Returns the text without white space, and without the marks of direction that pdftotext adds.
fn compact(text: &str) -> String {
    let is_invisible = |letter: char| {
        letter.is_whitespace()
            || matches!(letter, '\u{ad}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}')
    };
    text.chars().filter(|letter| !is_invisible(*letter)).collect()
}

/// Checks with poppler that a file is one page with the size of the scene, that it contains all texts of
/// the scene, and that it looks like the PNG of the scene.
fn assert_pdf_matches_scene(name: &str, scene: &Scene, transparent: bool, folder: &Path) {
    let path = folder.join(format!("{name}.pdf"));
    fs::write(&path, write_pdf(scene, transparent)).unwrap();
    let path = path.to_str().unwrap();
    let info = run_poppler("pdfinfo", &[path]);
    let field = |key: &str| {
        info.lines().find_map(|line| line.strip_prefix(key)).unwrap_or_default().trim().to_owned()
    };
    assert_eq!(field("Pages:"), "1", "{name}");
    assert_eq!(field("Page size:"), format!("{} x {} pts", scene.width, scene.height), "{name}");
    assert_eq!(compact(&field("Title:")), compact(&scene.title), "{name}");
    let extracted = compact(&run_poppler("pdftotext", &["-raw", path, "-"]));
    for shape in &scene.shapes {
        let Primitive::Text(text) = &shape.primitive else { continue };
        let text = compact(&text.text);
        assert!(extracted.contains(&text), "{name}: {text:?} is not in {extracted:?}");
    }
    let image = folder.join(name);
    let arguments = ["-r", DOTS_PER_INCH, "-png", "-singlefile", path, image.to_str().unwrap()];
    run_poppler("pdftoppm", &arguments);
    let rendered = fs::read(image.with_extension("png")).unwrap();
    assert_images_match(name, &rendered, scene, transparent);
}

/// Compares a page that poppler has rendered with the PNG of the scene.
fn assert_images_match(name: &str, rendered: &[u8], scene: &Scene, transparent: bool) {
    let rendered = decode_png(rendered);
    let expected =
        decode_png(&png::encode(scene, &png::Options { scale: SCALE, transparent }).unwrap());
    assert_eq!(rendered.pixels.len(), expected.pixels.len(), "{name}");
    let width = (scene.width * SCALE).round() as usize;
    let columns = width.div_ceil(SQUARE_PX);
    let rows = (rendered.pixels.len() / width).div_ceil(SQUARE_PX);
    let mut squares = vec![0u32; columns * rows];
    for (index, (one, two)) in rendered.pixels.iter().zip(&expected.pixels).enumerate() {
        // Paper is white.
        let on_white = |channel: u8| {
            let alpha = u32::from(two[3]);
            ((u32::from(channel) * alpha + 255 * (255 - alpha)) / 255) as u8
        };
        let difference: u32 = (0..3).map(|i| u32::from(one[i].abs_diff(on_white(two[i])))).sum();
        let square = index / width / SQUARE_PX * columns + index % width / SQUARE_PX;
        squares[square] += difference;
    }
    let sum: u32 = squares.iter().sum();
    let mean = f64::from(sum) / (rendered.pixels.len() * 3) as f64;
    assert!(mean < MAX_MEAN_DIFFERENCE, "{name}: mean difference {mean}");
    let largest = f64::from(squares.into_iter().max().unwrap_or(0));
    let largest = largest / (SQUARE_PX * SQUARE_PX * 3) as f64;
    assert!(largest < MAX_SQUARE_DIFFERENCE, "{name}: difference of a square {largest}");
}

#[test]
#[ignore = "needs pdftotext and pdftoppm"]
fn readers_find_the_texts_and_shapes_of_all_samples() {
    let folder = tempfile::tempdir().unwrap();
    for kind in chartroom_charts::kinds() {
        let scene = ChartCase::sample(kind).render();
        assert_pdf_matches_scene(kind.slug, &scene, false, folder.path());
    }
}

#[test]
#[ignore = "needs pdftotext and pdftoppm"]
fn readers_find_the_texts_and_shapes_of_difficult_documents() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let sample = |slug: &str| ChartCase::sample(find_kind(slug).unwrap());
    for theme in crate::charts::THEMES {
        let scene = sample("combo").with_theme(theme).with_size(480.0, 360.5).render();
        assert_pdf_matches_scene(theme, &scene, false, folder);
    }
    let scene = sample("sankey").with_theme("dark").render();
    assert_pdf_matches_scene("transparent", &scene, true, folder);
    let names =
        ["Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft"; 5];
    let long = names.iter().enumerate();
    let long = long.map(|(index, name)| json!({ "label": format!("{index} {name}"), "value": 5 }));
    let scene = ChartCase { data: long.collect(), ..sample("bar") }.render();
    assert_pdf_matches_scene("long names", &scene, false, folder);
    // Boxes for characters without a font keep their characters.
    let title =
        "Emoji \u{1f600} and cuneiform \u{12000}, a \\ and (b, “ﬁ” Ελλάδα Россия".to_owned();
    let scene = ChartCase { title, ..sample("line") }.render();
    assert_pdf_matches_scene("missing", &scene, false, folder);
    let files = [notosans::REGULAR_TTF, notosans::BOLD_TTF].map(create_test_font).to_vec();
    let (fonts, _) = FontCollection::with_files(files, |_, _| None);
    let theme = json!({ "fonts": { "body": { "family": TEST_FAMILY } } });
    let title = "\u{10d0}\u{10d0} in another font".to_owned();
    let scene = ChartCase { fonts, theme, title, ..sample("pie") }.render();
    assert_pdf_matches_scene("own font", &scene, false, folder);
    let points =
        (0..10_000).map(|index| json!({ "x": index * 7919 % 1000, "y": index * 733 % 997 }));
    let scene = ChartCase { data: points.collect(), ..sample("scatter") }.render();
    assert_pdf_matches_scene("dots", &scene, false, folder);
}

#[test]
#[ignore = "needs pdftotext and pdftoppm"]
fn readers_show_logos_and_background_images() {
    let folder = tempfile::tempdir().unwrap();
    let mut bytes = Vec::new();
    let mut encoder = ::png::Encoder::new(&mut bytes, 60, 20);
    encoder.set_color(::png::ColorType::Rgba);
    let pixels: Vec<u8> =
        (0..60 * 20).flat_map(|index| [200, 0, index as u8, (index % 60 * 4) as u8]).collect();
    encoder.write_header().unwrap().write_image_data(&pixels).unwrap();
    let image = format!("data:image/png;base64,{}", STANDARD.encode(bytes));
    let svg = "data:image/svg+xml,<svg viewBox='0 0 60 20'><g opacity='.5'>\
               <circle cx='30' cy='10' r='10' fill='%23008040'/></g></svg>";
    for (name, logo) in [("bitmap", image.as_str()), ("vector", svg)] {
        let theme = json!({ "logo": logo, "logo_position": "top-right" });
        let scene = ChartCase { theme, ..ChartCase::sample(find_kind("bar").unwrap()) }.render();
        let is_logo = |primitive: &Primitive| {
            matches!(primitive, Primitive::Image { .. } | Primitive::BeginClip(_))
        };
        assert!(scene.shapes.iter().any(|shape| is_logo(&shape.primitive)), "{name}");
        assert_pdf_matches_scene(name, &scene, false, folder.path());
    }
}

#[test]
#[ignore = "needs pdftotext and pdftoppm"]
fn right_to_left_text_is_drawn_and_read_in_its_order() {
    // Letters without a font are boxes, which have the same order.
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("hebrew.pdf");
    let title = "תל אביב 2025".to_owned();
    let scene = ChartCase { title, ..ChartCase::sample(find_kind("bar").unwrap()) }.render();
    fs::write(&path, write_pdf(&scene, false)).unwrap();
    let text = run_poppler("pdftotext", &[path.to_str().unwrap(), "-"]);
    // In a chart from left to right, the number is to the left of the Hebrew words, where pdftotext
    // reads it. It marks their direction.
    assert!(text.contains("2025 \u{202b}תל אביב\u{202c}"), "{text}");
}

#[test]
#[ignore = "needs pdfinfo"]
fn readers_find_the_links_of_subtitle_and_footer() {
    let style = json!({
        "subtitle": "Survey of the <a href=\"https://example.org/büro?a=1&amp;b=(2)\">bureau</a>, in %",
        "footer": "Questions to <a href=\"mailto:a@example.org\">the <b>author</b></a>",
    });
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("links.pdf");
    let scene = ChartCase { style, ..ChartCase::sample(find_kind("bar").unwrap()) }.render();
    fs::write(&path, write_pdf(&scene, false)).unwrap();
    let listed = run_poppler("pdfinfo", &["-url", path.to_str().unwrap()]);
    let addresses: Vec<&str> =
        listed.lines().skip(1).filter_map(|line| line.split_whitespace().last()).collect();
    let expected =
        ["https://example.org/b%C3%BCro?a=1&b=(2)", "mailto:a@example.org", "mailto:a@example.org"];
    assert_eq!(addresses, expected, "{listed}");
    let structure = run_poppler("pdfinfo", &["-struct-text", path.to_str().unwrap()]);
    assert!(structure.contains("Figure") && structure.contains("Link"), "{structure}");
}
