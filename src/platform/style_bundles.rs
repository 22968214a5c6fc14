//! Style sheets that the pages load as one file, without comments.

/// Style sheets that pages load together, in this order, and the name of their bundle.
const STYLE_BUNDLES: [(&str, &[&str]); 4] = [
    ("base", &["tokens", "base", "app", "float", "cards"]),
    ("library", &["library", "library-small", "cloud-files"]),
    ("chart", &["chart", "chart-foot", "chart-panels", "chart-dialogs", "cloud-files", "presence"]),
    (
        "editor",
        &[
            "editor",
            "canvas-editing",
            "editor-panels",
            "grid",
            "settings-form",
            "settings-controls",
        ],
    ),
];

/// Returns the names of the style sheets in a bundle, such as `bundle-base.css`, in order. None if
/// there is no such bundle.
pub fn list_joined_styles(file: &str) -> Option<&'static [&'static str]> {
    let name = file.strip_prefix("bundle-")?.strip_suffix(".css")?;
    STYLE_BUNDLES.iter().find(|(bundle, _)| *bundle == name).map(|(_, sheets)| *sheets)
}

/// Returns the text of a style sheet without comments.
pub fn strip_style_comments(text: &str) -> String {
    let mut stripped = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, comment)) = rest.split_once("/*") {
        stripped.push_str(before.trim_end_matches(' '));
        rest = comment.split_once("*/").map_or("", |(_, after)| after);
    }
    stripped.push_str(rest);
    stripped.lines().filter(|line| !line.trim().is_empty()).fold(
        String::with_capacity(stripped.len()),
        |mut all, line| {
            all.push_str(line);
            all.push('\n');
            all
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_empty_lines_are_removed() {
        let style = "/* One\n two */\na { color: red; } /* three */\n\nb {}\n";
        assert_eq!(strip_style_comments(style), "a { color: red; }\nb {}\n");
    }
}
