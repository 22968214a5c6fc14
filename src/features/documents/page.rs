//! A document as one self-contained page that may be framed: the picture and its data as a table.

use std::fmt::Write;
use std::sync::OnceLock;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

use crate::features::portfolio::KindInfo;
use crate::platform::crypto;

/// Most rows of the table; a page of more would be slower to open than its picture is to read.
pub const MAX_ROWS: usize = 1000;

/// The page's whole style. Its hash stands in the content security policy, so that nothing else in
/// the page can style anything.
const STYLE: &str = "\
body{margin:0;font:14px/1.4 'Noto Sans',system-ui,sans-serif;color-scheme:light dark}\
svg{display:block;max-width:100%;height:auto;margin:0 auto}\
details{max-width:60rem;margin:0 auto;padding:.75rem 1rem;overflow-x:auto}\
summary{cursor:pointer}\
table{border-collapse:collapse;margin-top:.5rem;font-variant-numeric:tabular-nums}\
th,td{padding:.25rem .75rem .25rem 0;text-align:left;border-bottom:1px solid #8884}\
td.n{text-align:right}";

/// The content security policy of the page: it loads nothing, runs nothing, and anybody may frame
/// it.
pub fn policy() -> &'static str {
    static POLICY: OnceLock<String> = OnceLock::new();
    POLICY.get_or_init(|| {
        let hash = STANDARD.encode(crypto::sha256(STYLE.as_bytes()));
        format!(
            "default-src 'none'; style-src 'sha256-{hash}'; base-uri 'none'; \
             form-action 'none'; frame-ancestors *"
        )
    })
}

/// Writes the page. `total` is the number of all records; `records` are those shown.
pub fn write(
    title: &str,
    svg: &str,
    kind: Option<&KindInfo>,
    records: &[Value],
    total: i64,
) -> String {
    let mut page = String::with_capacity(svg.len() + 4096);
    page.push_str("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
    page.push_str("<meta name=\"viewport\" content=\"width=device-width\">\n<title>");
    escape(title, &mut page);
    page.push_str("</title>\n<style>");
    page.push_str(STYLE);
    page.push_str("</style>\n</head>\n<body>\n<main>\n");
    page.push_str(svg);
    if !records.is_empty() {
        table(kind, records, total, &mut page);
    }
    page.push_str("</main>\n</body>\n</html>\n");
    page
}

fn table(kind: Option<&KindInfo>, records: &[Value], total: i64, page: &mut String) {
    let columns = columns(kind, records);
    page.push_str("<details>\n<summary>Data</summary>\n<table>\n<thead><tr>");
    for (_, title) in &columns {
        page.push_str("<th scope=\"col\">");
        escape(title, page);
        page.push_str("</th>");
    }
    page.push_str("</tr></thead>\n<tbody>\n");
    for record in records {
        page.push_str("<tr>");
        for (key, _) in &columns {
            cell(&record[key.as_str()], page);
        }
        page.push_str("</tr>\n");
    }
    page.push_str("</tbody>\n</table>\n");
    if total > records.len() as i64 {
        // Writing to a String cannot fail.
        let _ = writeln!(page, "<p>The first {} of {total} records.</p>", records.len());
    }
    page.push_str("</details>\n");
}

/// Key and heading of each column that a record uses: those of the kind first, then the others in
/// the order in which they appear.
fn columns(kind: Option<&KindInfo>, records: &[Value]) -> Vec<(String, String)> {
    let mut keys: Vec<&String> = Vec::new();
    for record in records.iter().filter_map(Value::as_object) {
        for key in record.keys() {
            if !keys.contains(&key) && keys.len() < 100 {
                keys.push(key);
            }
        }
    }
    let known = kind.map_or(&[][..], |kind| &kind.columns[..]);
    let place = |key: &String| known.iter().position(|it| it.key == *key).unwrap_or(known.len());
    keys.sort_by_key(|key| place(key));
    let title = |key: &String| {
        known
            .iter()
            .find(|it| it.key == *key && !it.repeats)
            .map_or(key.clone(), |it| it.title.clone())
    };
    keys.into_iter().map(|key| (key.clone(), title(key))).collect()
}

fn cell(value: &Value, page: &mut String) {
    match value {
        Value::Null => page.push_str("<td></td>"),
        Value::Number(number) => {
            let _ = write!(page, "<td class=\"n\">{number}</td>");
        }
        Value::String(text) => {
            page.push_str("<td>");
            escape(text, page);
            page.push_str("</td>");
        }
        other => {
            page.push_str("<td>");
            escape(&other.to_string(), page);
            page.push_str("</td>");
        }
    }
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

    #[test]
    fn nothing_of_a_document_becomes_markup() {
        let records = [json!({ "<b>": "<script>alert(1)</script>", "label": "a & b" })];
        let page = write("</title><script>", "<svg></svg>", portfolio::find("bar"), &records, 5);
        assert!(!page.contains("<script"));
        assert!(!page.contains("<b>"));
        assert!(page.contains("<th scope=\"col\">Label</th><th scope=\"col\">&lt;b&gt;</th>"));
        assert!(page.contains("<td>a &amp; b</td>"));
        assert!(page.contains("The first 1 of 5 records."));
    }

    #[test]
    fn the_policy_allows_one_style_and_nothing_else() {
        assert!(policy().starts_with("default-src 'none'; style-src 'sha256-"));
        assert!(!policy().contains("unsafe"));
    }
}
