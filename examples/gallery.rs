//! Writes one page with every chart kind in every theme, small and large, and PNGs next to it.
//!
//! `cargo run --example gallery [target/gallery/index.html [kind …]]`

use std::error::Error;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use chartroom_charts::{Chart, Kind, Locale, Scene, Style, Theme};
use serde_json::Value;

/// Width and height in points of a thumbnail, the default canvas and a screen.
const SIZES: [(f64, f64); 3] = [(320.0, 180.0), (720.0, 405.0), (1280.0, 720.0)];
const THEMES: [&str; 6] = ["light", "dark", "print", "high-contrast", "newsprint", "blueprint"];

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let page = PathBuf::from(arguments.next().as_deref().unwrap_or("target/gallery/index.html"));
    let selected_slugs: Vec<String> = arguments.collect();
    let folder = page.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    let mut html = String::from(HTML_HEAD);
    let is_selected = |kind: &&Kind| {
        selected_slugs.is_empty() || selected_slugs.iter().any(|name| name == kind.slug)
    };
    for kind in chartroom_charts::kinds().iter().filter(is_selected) {
        let description = read_json_asset(&format!("assets/kinds/{}/kind.json", kind.slug))?;
        let icon = fs::read_to_string(asset_path(&format!("assets/kinds/{}/icon.svg", kind.slug)))?;
        let title = description["title"].as_str().unwrap_or(kind.slug);
        let summary = description["summary"].as_str().unwrap_or("");
        write!(html, "<h2>{icon} {title}</h2><p>{summary}</p>")?;
        for theme in THEMES {
            write!(html, "<div class=\"{theme}\">")?;
            for (width, height) in SIZES {
                let scene = render_sample(kind, theme, (width, height))?;
                let options = chartroom_charts::svg::Options::default();
                html.push_str(&chartroom_charts::svg::write(&scene, &options));
                let png = chartroom_charts::png::encode(
                    &scene,
                    &chartroom_charts::png::Options::default(),
                )?;
                fs::write(folder.join(format!("{}-{theme}-{width}.png", kind.slug)), png)?;
            }
            html.push_str("</div>");
        }
    }
    fs::write(&page, html)?;
    println!("{}", page.display());
    Ok(())
}

const HTML_HEAD: &str = "<!doctype html><meta charset=\"utf-8\"><title>Gallery</title><style>\
    body{font-family:'Noto Sans',system-ui,sans-serif;margin:2rem;background:#f3f4f6}\
    div{display:flex;flex-wrap:wrap;gap:1rem;align-items:flex-start;padding:1rem}\
    .dark{background:#0c0f13}h2 svg{vertical-align:middle}</style>";

/// Renders the sample of a kind in a theme and prints the warnings.
fn render_sample(
    kind: &'static Kind,
    theme: &str,
    (width, height): (f64, f64),
) -> Result<Scene, Box<dyn Error>> {
    let sample = read_json_asset(&format!("assets/kinds/{}/sample.json", kind.slug))?;
    let theme_source = read_json_asset(&format!("assets/themes/{theme}.json"))?;
    let no_records = Vec::new();
    let scene = chartroom_charts::draw(&Chart {
        kind,
        title: sample["title"].as_str().unwrap_or(""),
        settings: &sample["settings"],
        data: sample["data"].as_array().unwrap_or(&no_records),
        theme: &Theme::parse(&theme_source),
        style: &Style::parse(&sample["style"]),
        width,
        height,
        default_locale: Locale::default(),
        interactive: true,
        id_prefix: &format!("{}{theme}{width}", kind.slug.replace('-', "")),
    });
    for warning in &scene.warnings {
        println!("{} {theme} {width}: {warning}", kind.slug);
    }
    Ok(scene)
}

fn asset_path(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

fn read_json_asset(path: &str) -> Result<Value, Box<dyn Error>> {
    Ok(serde_json::from_str(&fs::read_to_string(asset_path(path))?)?)
}
