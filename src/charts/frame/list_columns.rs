//! Columns of about equal height for the entries of a list.

/// Number of steps of half a line by which columns are higher than equal ones.
const MAX_EXTRA_STEPS: u32 = 8;

/// Returns the column of each entry, from 0, and its distance from the top of the list in points.
/// Fills one column after the other, and makes them as equal as possible, because a short last one
/// looks worse. `heights` are those of the entries in points. Returns None if `columns` columns of
/// `max_height` points have no space for all entries.
pub fn fill_columns(
    heights: &[f64],
    columns: usize,
    line_height: f64,
    max_height: f64,
) -> Option<Vec<(usize, f64)>> {
    let balanced = heights.iter().sum::<f64>() / columns.max(1) as f64;
    (0..=MAX_EXTRA_STEPS)
        .map(|step| balanced + line_height * f64::from(step) * 0.5)
        .chain([max_height])
        .filter(|height| *height <= max_height)
        .find_map(|height| fill_columns_of(heights, columns, height))
}

/// Fills columns of `height` points from top to bottom. Returns the positions or None as
/// [`fill_columns`] does.
fn fill_columns_of(heights: &[f64], columns: usize, height: f64) -> Option<Vec<(usize, f64)>> {
    let (mut column, mut top) = (0, 0.0);
    let place = |entry_height: &f64| {
        if top > 0.0 && top + entry_height > height + 0.01 {
            (column, top) = (column + 1, 0.0);
        }
        let position = (column, top);
        top += entry_height;
        (column < columns && top <= height + 0.01).then_some(position)
    };
    heights.iter().map(place).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_about_equal_and_never_too_high() {
        let found = fill_columns(&[10.0, 10.0, 20.0, 10.0, 10.0], 2, 10.0, 100.0);
        let want = vec![(0, 0.0), (0, 10.0), (0, 20.0), (1, 0.0), (1, 10.0)];
        assert_eq!(found, Some(want));
        assert_eq!(fill_columns(&[30.0, 30.0], 1, 10.0, 59.0), None);
        assert_eq!(fill_columns(&[30.0, 30.0], 2, 10.0, 30.0), Some(vec![(0, 0.0), (1, 0.0)]));
    }
}
