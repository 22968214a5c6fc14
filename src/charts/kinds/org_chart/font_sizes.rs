//! Font sizes of the boxes of an organization chart.

use crate::frame::{ChartStyle, MIN_TEXT_SIZE};

/// Returns the pairs of font sizes of labels and subtitles to try, the largest first, then sizes
/// without subtitles (0). With `may_shorten` only the minimal size.
pub fn list_font_sizes(
    style: &ChartStyle,
    any_subtitle: bool,
    may_shorten: bool,
) -> Vec<(f64, f64)> {
    let minimal_size = MIN_TEXT_SIZE.min(style.small_size);
    let large_size = style.label_size * 1.25;
    let with_subtitle = |label_size: f64| match label_size {
        _ if !any_subtitle => (label_size, 0.0),
        size if size == minimal_size => (minimal_size, minimal_size),
        _ => (label_size, (label_size - style.unit).max(style.small_size)),
    };
    let all_sizes = [large_size, style.label_size, style.small_size, minimal_size];
    let sizes = all_sizes.get(if may_shorten { 3.. } else { 0.. }).unwrap_or_default().to_vec();
    let mut without_subtitle = Vec::new();
    if any_subtitle {
        without_subtitle.extend(
            sizes.iter().filter(|size| **size <= style.label_size).map(|size| (*size, 0.0)),
        );
    }
    sizes.into_iter().map(with_subtitle).chain(without_subtitle).collect()
}
