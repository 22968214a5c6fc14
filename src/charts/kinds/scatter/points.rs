//! Reads the points of a scatter plot in one pass, because there may be very many.

use serde_json::Value;

use crate::Chart;
use crate::data;
use crate::format::Term;

/// A record with two valid values.
pub struct Dot {
    /// Index of the record in the data.
    pub row: usize,
    /// Value on the x axis.
    pub x: f64,
    /// Value on the y axis.
    pub y: f64,
    /// Size value. 0 if absent or negative.
    pub size: f64,
    /// Index of the group.
    pub group: usize,
    /// Whether the point is highlighted.
    pub highlighted: bool,
}

impl Dot {
    /// Returns the label of the record.
    pub fn label(&self, chart: &Chart) -> String {
        data::record_label(&chart.data[self.row]).into_owned()
    }
}

/// All points of a chart.
pub struct Dots {
    /// Points in the order of the data.
    pub all: Vec<Dot>,
    /// Names of the groups in order of appearance. Empty without groups.
    pub groups: Vec<String>,
    /// Whether the points have sizes and at least one is greater than 0.
    pub sized: bool,
    /// Largest size. 0 without sizes.
    pub largest: f64,
}

/// Maximum number of groups. The last one contains all further groups, because more colors could
/// not be distinguished.
const MAX_GROUPS: usize = 8;

/// Reads the points.
///
/// Iterates over the fields of each record, because looking up each key would take longer than
/// drawing.
pub fn read(chart: &Chart) -> Dots {
    let mut dots = Dots {
        all: Vec::with_capacity(chart.data.len()),
        groups: Vec::new(),
        sized: false,
        largest: 0.0,
    };
    let other = chart.locale().translate(Term::Other);
    for (row, record) in chart.data.iter().enumerate() {
        let Some(fields) = record.as_object() else { continue };
        let mut dot = Dot { row, x: 0.0, y: 0.0, size: 0.0, group: 0, highlighted: false };
        let (mut x, mut y, mut group) = (None, None, None);
        for (key, value) in fields {
            match key.as_str() {
                "x" => x = data::number(value),
                "y" => y = data::number(value),
                "size" => dot.size = size(value, &mut dots.sized),
                "group" => group = Some(value),
                "highlighted" => dot.highlighted = data::is_true(value),
                _ => {}
            }
        }
        let (Some(x), Some(y)) = (x, y) else { continue };
        (dot.x, dot.y) = (x, y);
        if let Some(group) = group {
            dot.group = dots.group(&data::display_text(group), other);
        }
        dots.largest = dots.largest.max(dot.size);
        dots.all.push(dot);
    }
    dots.sized &= dots.largest > 0.0;
    dots
}

/// Returns a size, at least 0. Sets `sized` if the value is a number.
fn size(value: &Value, sized: &mut bool) -> f64 {
    match data::number(value) {
        Some(size) => {
            *sized = true;
            size.max(0.0)
        }
        None => 0.0,
    }
}

impl Dots {
    /// Returns the index of the group with this name. Adds the group if it is new. Once the maximum
    /// is reached, returns the last group, named `other`.
    fn group(&mut self, name: &str, other: &str) -> usize {
        if let Some(found) = self.groups.iter().position(|it| it == name) {
            return found;
        }
        if self.groups.len() + 1 < MAX_GROUPS {
            self.groups.push(name.to_owned());
        } else if self.groups.len() < MAX_GROUPS {
            self.groups.push(other.to_owned());
        }
        self.groups.len() - 1
    }

    /// Returns the minimum and maximum of a value.
    pub fn range(&self, value: impl Fn(&Dot) -> f64) -> (f64, f64) {
        let ends = |(low, high): (f64, f64), it: &Dot| (low.min(value(it)), high.max(value(it)));
        self.all.iter().fold((f64::INFINITY, f64::NEG_INFINITY), ends)
    }

    /// Returns the median of a value, or 0 without points.
    pub fn median(&self, value: impl Fn(&Dot) -> f64) -> f64 {
        let mut values: Vec<f64> = self.all.iter().map(value).collect();
        let middle = values.len() / 2;
        if values.is_empty() {
            return 0.0;
        }
        *values.select_nth_unstable_by(middle, f64::total_cmp).1
    }

    /// Returns the slope and the centroid of the least-squares line. None with fewer than 3 points
    /// or without a spread along x.
    pub fn fit(&self) -> Option<(f64, (f64, f64))> {
        let count = self.all.len() as f64;
        let mean =
            |value: fn(&Dot) -> f64| self.all.iter().map(|it| value(it) / count).sum::<f64>();
        let (x, y) = (mean(|it| it.x), mean(|it| it.y));
        // Values are divided by their range, so that squares of very large values stay finite.
        let (low, high) = self.range(|it| it.x);
        let (down, up) = self.range(|it| it.y);
        let (wide, tall) = (high - low, up - down);
        if self.all.len() < 3 || wide <= 0.0 {
            return None;
        }
        let (mut both, mut square) = (0.0, 0.0);
        for dot in &self.all {
            let (dx, dy) = ((dot.x - x) / wide, if tall > 0.0 { (dot.y - y) / tall } else { 0.0 });
            both += dx * dy;
            square += dx * dx;
        }
        let slope = both / square * (tall / wide);
        slope.is_finite().then_some((slope, (x, y)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dots(points: &[(f64, f64)]) -> Dots {
        let dot = |(row, &(x, y)): (usize, &(f64, f64))| Dot {
            row,
            x,
            y,
            size: 0.0,
            group: 0,
            highlighted: false,
        };
        let all = points.iter().enumerate().map(dot).collect();
        Dots { all, groups: Vec::new(), sized: false, largest: 0.0 }
    }

    #[test]
    fn the_line_of_least_squares_goes_through_points_on_a_line() {
        let (slope, (x, y)) = dots(&[(0.0, 1.0), (1.0, 3.0), (2.0, 5.0)]).fit().expect("a line");
        assert!((slope - 2.0).abs() < 1e-9 && x == 1.0 && (y - 3.0).abs() < 1e-9);
        assert!(dots(&[(1.0, 1.0), (1.0, 2.0), (1.0, 3.0)]).fit().is_none());
    }

    #[test]
    fn groups_beyond_the_eighth_share_a_name() {
        let mut all = dots(&[]);
        let places: Vec<usize> = (0..12).map(|it| all.group(&format!("g{it}"), "Other")).collect();
        assert_eq!(places[..8], [0, 1, 2, 3, 4, 5, 6, 7]);
        assert_eq!(places[11], 7);
        assert_eq!(all.groups[7], "Other");
    }
}
