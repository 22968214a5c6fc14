//! A document as one self-contained page that may be framed: the picture, its marks within reach
//! of the keyboard, and its data as a table behind a button.

mod table;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

use crate::features::portfolio::KindInfo;
use chartroom_charts::Scene;
use chartroom_charts::Theme;
use chartroom_charts::color::Color;
use chartroom_platform::crypto;

/// Most rows of the table; a page of more would be slower to open than its picture is to read.
pub const MAX_ROWS: usize = 1000;

/// What is the same in every page.
const STYLE: &str = include_str!("../../../../assets/page/page.css");
/// The whole program of the page. Without it the picture, its tips and the table still work.
const SCRIPT: &str = include_str!("../../../../assets/page/page.js");

/// What a page is made of.
pub struct Page<'a> {
    /// The document's title.
    pub title: &'a str,
    /// What is drawn: its description, its language.
    pub scene: &'a Scene,
    /// The same as SVG text.
    pub svg: &'a str,
    /// Rules that carry the fonts of `svg`; empty when it needs none.
    pub fonts: &'a str,
    /// Colours of the page.
    pub theme: &'a Theme,
    /// Whether what lies behind a frame shows through.
    pub transparent: bool,
    /// How the columns of the table are called and shown.
    pub kind: &'a KindInfo,
    /// Settings of the document.
    pub settings: &'a Value,
    /// The records that are shown.
    pub records: &'a [Value],
    /// Number of all records.
    pub total: i64,
}

impl Page<'_> {
    /// The page, and the content security policy that it is served with: it loads nothing, runs
    /// and looks like nothing but what stands in it (fonts and a theme's logo as data), and anybody
    /// may frame it. All of that but the frames stands in the page too, for a copy that was kept as
    /// a file.
    pub fn write(&self) -> (String, String) {
        let look = self.look();
        let policy = format!(
            "default-src 'none'; script-src {}; style-src {} {}; font-src data:; img-src data:; \
             base-uri 'none'; form-action 'none'",
            hash(SCRIPT),
            hash(STYLE),
            hash(&look)
        );
        let mut page = String::with_capacity(self.svg.len() + look.len() + 16_384);
        page.push_str("<!doctype html>\n<html lang=\"");
        escape(&self.scene.lang, &mut page);
        page.push_str("\">\n<head>\n<meta charset=\"utf-8\">\n");
        page.push_str("<meta http-equiv=\"content-security-policy\" content=\"");
        page.push_str(&policy);
        page.push_str("\">\n<meta name=\"viewport\" content=\"width=device-width\">\n<title>");
        escape(self.name(), &mut page);
        page.push_str("</title>\n<style>");
        page.push_str(STYLE);
        page.push_str("</style>\n<style>");
        page.push_str(&look);
        page.push_str("</style>\n</head>\n<body>\n<main>\n<h1 class=\"unseen\">");
        escape(self.name(), &mut page);
        page.push_str("</h1>\n<div class=\"picture\">");
        page.push_str(self.svg.trim_end());
        page.push_str("</div>\n");
        if !self.records.is_empty() {
            self.data(&mut page);
        }
        page.push_str("</main>\n<div class=\"tip\" aria-hidden=\"true\" hidden></div>\n<script>");
        page.push_str(SCRIPT);
        page.push_str("</script>\n</body>\n</html>\n");
        (page, format!("{policy}; frame-ancestors *"))
    }

    /// The records alone, as a table with its caption.
    pub fn table(&self) -> String {
        let mut out = String::new();
        if !self.records.is_empty() {
            table::write(self, &mut out);
        }
        out
    }

    fn name(&self) -> &str {
        let name = self.title.trim();
        if name.is_empty() { &self.kind.title } else { name }
    }

    /// The theme's colours and fonts as style rules.
    fn look(&self) -> String {
        let Theme { background, text, grid, .. } = self.theme;
        let ground =
            if self.transparent { "transparent".to_owned() } else { background.to_string() };
        // A frame whose scheme is another than its page's is never transparent.
        let scheme = match () {
            () if self.transparent => "normal",
            () if background.luminance() < 0.2 => "dark",
            () => "light",
        };
        let edge = Color { a: 0x99, ..*text }.over(*background);
        format!(
            ":root{{color-scheme:{scheme};--ground:{ground};--panel:{background};--ink:{text};\
             --line:{grid};--edge:{edge}}}{}",
            self.fonts
        )
    }

    /// The button and what it opens. A popover needs no script: it opens and closes by keyboard,
    /// and gives the focus back.
    fn data(&self, page: &mut String) {
        page.push_str(
            "<div class=\"bar\"><button type=\"button\" popovertarget=\"data\">Data</button></div>\n\
             <section id=\"data\" popover aria-labelledby=\"data-name\">\n\
             <div class=\"top\"><h2 id=\"data-name\">Data</h2>\
             <button type=\"button\" popovertarget=\"data\" popovertargetaction=\"hide\" autofocus>\
             Close</button></div>\n\
             <div class=\"inside\" tabindex=\"0\" role=\"region\" aria-labelledby=\"data-of\">\n",
        );
        if !self.scene.desc.is_empty() {
            page.push_str("<p>");
            escape(&self.scene.desc, page);
            page.push_str("</p>\n");
        }
        table::write(self, page);
        page.push_str("</div>\n</section>\n");
    }
}

/// The policy of an SVG that carries its fonts in a style element of its own.
pub fn svg_policy(fonts: &str) -> String {
    format!(
        "default-src 'none'; style-src {}; font-src data:; img-src data:; base-uri 'none'; \
         form-action 'none'; frame-ancestors 'none'",
        hash(fonts)
    )
}

/// What a content security policy calls a script or style by.
fn hash(text: &str) -> String {
    format!("'sha256-{}'", STANDARD.encode(crypto::sha256(text.as_bytes())))
}

/// Text as HTML content.
fn escape(text: &str, out: &mut String) {
    for letter in text.chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            _ => out.push(letter),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::features::portfolio;

    /// A page of these records, five in all, and its policy.
    fn page(title: &str, theme: &Theme, records: &[Value]) -> (String, String) {
        let mut scene = Scene::new(100.0, 50.0, theme.background);
        scene.desc = "Two bars & more.".to_owned();
        let settings = json!({ "rulesets": { "value": { "suffix": " t" } } });
        let page = Page {
            title,
            scene: &scene,
            svg: "<svg></svg>",
            fonts: "@font-face{}",
            theme,
            transparent: false,
            kind: portfolio::find("bar").unwrap(),
            settings: &settings,
            records,
            total: 5,
        };
        page.write()
    }

    #[test]
    fn nothing_of_a_document_becomes_markup() {
        let records = [json!({ "<b>": "<script>alert(1)</script>", "label": "a & b" })];
        let (page, _) = page("</title><script>", &Theme::default(), &records);
        assert_eq!(page.matches("<script").count(), 1);
        assert!(!page.contains("<b>"));
        assert!(page.contains("<th scope=\"col\">Label</th><th scope=\"col\">&lt;b&gt;</th>"));
        assert!(page.contains("<th scope=\"row\">a &amp; b</th>"));
        assert!(page.contains("The first 1 of 5 records."));
        assert!(page.contains("<p>Two bars &amp; more.</p>"));
    }

    #[test]
    fn the_policy_allows_what_stands_in_the_page_and_nothing_else() {
        let (page, policy) = page("T", &Theme::default(), &[]);
        assert!(policy.starts_with("default-src 'none'; script-src 'sha256-"), "{policy}");
        assert!(!policy.contains("unsafe") && !policy.contains('*') || policy.ends_with(" *"));
        let styles: Vec<&str> = page
            .split("<style>")
            .skip(1)
            .filter_map(|it| it.split_once("</style>").map(|it| it.0))
            .collect();
        assert_eq!(styles.len(), 2);
        assert!(styles.iter().all(|it| policy.contains(&hash(it))));
        assert!(page.contains(policy.strip_suffix("; frame-ancestors *").unwrap()));
        assert!(!page.contains("popovertarget"), "no records, no button");
    }

    #[test]
    fn the_page_has_the_colours_of_the_theme() {
        let dark = Theme::parse(&json!({ "background_color": "#111", "text_color": "#eee" }));
        let (page, _) = page("T", &dark, &[]);
        assert!(page.contains("color-scheme:dark;--ground:#111111;--panel:#111111;--ink:#eeeeee"));
    }
}
