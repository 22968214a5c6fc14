//! A document as a self-contained HTML page for iframes.
//!
//! The page contains the image, keyboard access to its marks, and the data as a table behind a
//! button.

mod table;

use std::sync::LazyLock;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

use crate::features::portfolio::KindInfo;
use chartroom_charts::Scene;
use chartroom_charts::Theme;
use chartroom_charts::color::Color;
use chartroom_platform::crypto;

/// Maximum number of rows of the table, so that the page loads fast.
pub const MAX_ROWS: usize = 1000;

/// Style sheet of all pages.
const STYLE: &str = include_str!("../../../../assets/page/page.css");
/// Script of all pages. Without it, the image, its tooltips and the table still work.
const SCRIPT: &str = include_str!("../../../../assets/page/page.js");

/// Rule of the policy that lets any site frame a page. Browsers ignore it inside the page.
const FRAME_RULE: &str = "; frame-ancestors *";

/// Hash of the style sheet and the script of all pages.
static ASSETS_FINGERPRINT: LazyLock<String> = LazyLock::new(|| csp_hash(&[STYLE, SCRIPT].concat()));

/// Content of a page.
pub struct HtmlPage<'a> {
    /// Title of the document.
    pub title: &'a str,
    /// Rendered scene. It provides the description and the language.
    pub scene: &'a Scene,
    /// The scene as SVG.
    pub svg: &'a str,
    /// CSS rules with the fonts of `svg`. Empty if it needs none.
    pub fonts: &'a str,
    /// Theme for the colors of the page.
    pub theme: &'a Theme,
    /// Whether the page has no background.
    pub transparent: bool,
    /// Chart kind, which provides the titles and types of the columns.
    pub kind: &'a KindInfo,
    /// Settings of the document.
    pub settings: &'a Value,
    /// Records in the table.
    pub records: &'a [Value],
    /// Number of all records of the document.
    pub total: i64,
}

impl HtmlPage<'_> {
    /// Returns the page as HTML text and its content security policy, the value of the header.
    ///
    /// The policy allows only the inline styles and scripts, and fonts and images as data URLs. Any
    /// site may frame the page. The page also contains the policy (except the rule for frames), for
    /// copies saved as a file.
    pub fn to_html(&self) -> (String, String) {
        let theme_css = theme_css(self.theme, self.transparent, self.fonts);
        let policy = inner_policy(&theme_css);
        let mut page = String::with_capacity(self.svg.len() + theme_css.len() + 16_384);
        page.push_str("<!doctype html>\n<html lang=\"");
        escape_html(&self.scene.lang, &mut page);
        page.push_str("\">\n<head>\n<meta charset=\"utf-8\">\n");
        page.push_str("<meta http-equiv=\"content-security-policy\" content=\"");
        page.push_str(&policy);
        page.push_str("\">\n<meta name=\"viewport\" content=\"width=device-width\">\n<title>");
        escape_html(self.heading(), &mut page);
        page.push_str("</title>\n<style>");
        page.push_str(STYLE);
        page.push_str("</style>\n<style>");
        page.push_str(&theme_css);
        page.push_str("</style>\n</head>\n<body>\n<main>\n<h1 class=\"unseen\">");
        escape_html(self.heading(), &mut page);
        page.push_str("</h1>\n<div class=\"picture\">");
        page.push_str(self.svg.trim_end());
        page.push_str("</div>\n");
        if !self.records.is_empty() {
            self.write_data_panel(&mut page);
        }
        page.push_str("</main>\n<div class=\"tip\" aria-hidden=\"true\" hidden></div>\n<script>");
        page.push_str(SCRIPT);
        page.push_str("</script>\n</body>\n</html>\n");
        (page, policy + FRAME_RULE)
    }

    /// Returns only the table with the records, its caption, and a note if records are missing.
    /// Empty without records.
    pub fn table_html(&self) -> String {
        let mut out = String::new();
        if !self.records.is_empty() {
            table::write_table(self, &mut out);
        }
        out
    }

    /// Returns the trimmed title of the document, or the title of the chart kind if it is blank.
    /// Not escaped.
    fn heading(&self) -> &str {
        let name = self.title.trim();
        if name.is_empty() { &self.kind.title } else { name }
    }

    /// Writes the data button and the panel that it opens, with the description of the image and
    /// the table. The panel is a popover, because that needs no script, works with the keyboard and
    /// restores the focus.
    fn write_data_panel(&self, page: &mut String) {
        page.push_str(
            "<div class=\"bar\"><button type=\"button\" popovertarget=\"data\">Data</button></div>\n\
             <section id=\"data\" popover aria-labelledby=\"data-name\">\n\
             <div class=\"top\"><h2 id=\"data-name\">Data</h2>\
             <button type=\"button\" popovertarget=\"data\" popovertargetaction=\"hide\" autofocus>\
             Close</button></div>\n\
             <div class=\"inside\" tabindex=\"0\" role=\"region\" aria-labelledby=\"data-of\">\n",
        );
        if !self.scene.description.is_empty() {
            page.push_str("<p>");
            escape_html(&self.scene.description, page);
            page.push_str("</p>\n");
        }
        table::write_table(self, page);
        page.push_str("</div>\n</section>\n");
    }
}

/// Returns a hash of the style sheet and the script that all pages contain, so that it changes with
/// either of them.
pub fn assets_fingerprint() -> &'static str {
    &ASSETS_FINGERPRINT
}

/// Returns the content security policy of a page without embedded fonts with this theme, which is
/// the same as that of [`HtmlPage::to_html`]. Renders no page.
pub fn page_policy(theme: &Theme, transparent: bool) -> String {
    inner_policy(&theme_css(theme, transparent, "")) + FRAME_RULE
}

/// Returns the content security policy of a page without [`FRAME_RULE`]. `theme_css` is the exact
/// text of the second style element, of which the policy contains the hash.
fn inner_policy(theme_css: &str) -> String {
    format!(
        "default-src 'none'; script-src {}; style-src {} {}; font-src data:; img-src data:; \
         base-uri 'none'; form-action 'none'",
        csp_hash(SCRIPT),
        csp_hash(STYLE),
        csp_hash(theme_css)
    )
}

/// Returns CSS rules with the colors of the theme as custom properties, followed by `fonts`, the
/// font rules of the image. With `transparent`, the page has no background color, but the panel has
/// one.
fn theme_css(theme: &Theme, transparent: bool, fonts: &str) -> String {
    let Theme { background_color: background, text_color: text, grid_color: grid, .. } = theme;
    let background_css =
        if transparent { "transparent".to_owned() } else { background.to_string() };
    // Browsers make a frame opaque if its color scheme differs from that of the page around it.
    let scheme = match () {
        () if transparent => "normal",
        () if background.luminance() < 0.2 => "dark",
        () => "light",
    };
    let border = Color { a: 0x99, ..*text }.over(*background);
    format!(
        ":root{{color-scheme:{scheme};--ground:{background_css};--panel:{background};--ink:{text};\
         --line:{grid};--edge:{border}}}{fonts}"
    )
}

/// Returns the content security policy of an SVG that embeds its fonts in a style element. `fonts`
/// is the exact text of that element.
pub fn svg_policy(fonts: &str) -> String {
    format!(
        "default-src 'none'; style-src {}; font-src data:; img-src data:; base-uri 'none'; \
         form-action 'none'; frame-ancestors 'none'",
        csp_hash(fonts)
    )
}

/// Returns the hash source of an inline script or style in a content security policy: `'sha256-…'`
/// in quotes.
fn csp_hash(text: &str) -> String {
    format!("'sha256-{}'", STANDARD.encode(crypto::sha256(text.as_bytes())))
}

/// Appends `text` to `out`, escaped for HTML content and attributes.
pub(super) fn escape_html(text: &str, out: &mut String) {
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

    /// Returns a page with `records`, as the first of five records, and its policy.
    fn page(title: &str, theme: &Theme, records: &[Value]) -> (String, String) {
        let mut scene = Scene::new(100.0, 50.0, theme.background_color);
        scene.description = "Two bars & more.".to_owned();
        let settings = json!({ "rulesets": { "value": { "suffix": " t" } } });
        let page = HtmlPage {
            title,
            scene: &scene,
            svg: "<svg></svg>",
            fonts: "@font-face{}",
            theme,
            transparent: false,
            kind: portfolio::find_kind("bar").unwrap(),
            settings: &settings,
            records,
            total: 5,
        };
        page.to_html()
    }

    #[test]
    fn all_text_of_a_document_is_escaped() {
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
    fn the_policy_allows_only_the_content_of_the_page() {
        let (page, policy) = page("T", &Theme::default(), &[]);
        assert!(policy.starts_with("default-src 'none'; script-src 'sha256-"), "{policy}");
        assert!(!policy.contains("unsafe") && !policy.contains('*') || policy.ends_with(" *"));
        let styles: Vec<&str> = page
            .split("<style>")
            .skip(1)
            .filter_map(|rest| rest.split_once("</style>").map(|(style, _)| style))
            .collect();
        assert_eq!(styles.len(), 2);
        assert!(styles.iter().all(|style| policy.contains(&csp_hash(style))));
        assert!(page.contains(policy.strip_suffix("; frame-ancestors *").unwrap()));
        assert!(!page.contains("popovertarget"), "no records, no button");
    }

    #[test]
    fn the_page_has_the_colors_of_the_theme() {
        let dark = Theme::parse(&json!({ "background_color": "#111", "text_color": "#eee" }));
        let (page, _) = page("T", &dark, &[]);
        assert!(page.contains("color-scheme:dark;--ground:#111111;--panel:#111111;--ink:#eeeeee"));
    }
}
