//! Reads the points of a scatter plot in one pass, because there may be very many.

use kurbo::Point;
use serde_json::Value;

use crate::Chart;
use crate::data;
use crate::format::Term;
use crate::kinds::scatter::groups::{GroupCounter, Groups};

/// Maximum number of points that are drawn as individual shapes. More points are drawn as one batch
/// per color and radius.
pub const MAX_INDIVIDUAL_SHAPES: usize = 1500;

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
    /// Index of the group. 0 for a record without a group.
    pub group: usize,
    /// Whether the point is highlighted.
    pub highlighted: bool,
}

impl Dot {
    /// Returns the label of the record of the dot. Empty if it has none.
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
    /// Names of the groups that are joined to the last one.
    pub joined_groups: Vec<String>,
    /// Whether the points have sizes and at least one is greater than 0.
    pub sized: bool,
    /// Largest size. 0 without sizes.
    pub max_size: f64,
}

/// Line through the points, in data values.
pub struct FittedLine {
    /// Change of y per unit of x.
    pub slope: f64,
    /// Mean of the points, which is on the line.
    pub centroid: Point,
}

impl FittedLine {
    /// Returns the y value of the line at an x value. Both are data values, not coordinates.
    pub fn y_at(&self, x: f64) -> f64 {
        self.centroid.y + self.slope * (x - self.centroid.x)
    }
}

/// Reads the points with their sizes and groups. Skips records without a number in `x` or `y`,
/// without a warning.
///
/// Iterates over the fields of each record, because looking up each key would take longer than
/// drawing.
pub fn read(chart: &Chart) -> Dots {
    let mut dots = Dots {
        all: Vec::with_capacity(chart.data.len()),
        groups: Vec::new(),
        joined_groups: Vec::new(),
        sized: false,
        max_size: 0.0,
    };
    let other_name = chart.locale().translate(Term::Other);
    let mut groups = GroupCounter::default();
    let mut ungrouped = Vec::new();
    for (row, record) in chart.data.iter().enumerate() {
        let Some(fields) = record.as_object() else { continue };
        let mut dot = Dot { row, x: 0.0, y: 0.0, size: 0.0, group: 0, highlighted: false };
        let (mut x, mut y, mut group) = (None, None, None);
        for (key, value) in fields {
            match key.as_str() {
                "x" => x = data::number(value),
                "y" => y = data::number(value),
                "size" => dot.size = read_size(value, &mut dots.sized),
                "group" => group = Some(value),
                "highlighted" => dot.highlighted = data::is_true(value),
                _ => {}
            }
        }
        let (Some(x), Some(y)) = (x, y) else { continue };
        (dot.x, dot.y) = (x, y);
        match group.map(data::display_text).filter(|name| !name.is_empty()) {
            Some(name) => dot.group = groups.add(&name),
            None => ungrouped.push(dots.all.len()),
        }
        dots.max_size = dots.max_size.max(dot.size);
        dots.all.push(dot);
    }
    dots.sized &= dots.max_size > 0.0;
    dots.set_groups(groups, &ungrouped, other_name);
    dots
}

/// Returns the size in a field. A negative number or another value counts as 0. Sets `is_sized` to true
/// if the value is a number, and otherwise leaves it.
fn read_size(value: &Value, is_sized: &mut bool) -> f64 {
    match data::number(value) {
        Some(size) => {
            *is_sized = true;
            size.max(0.0)
        }
        None => 0.0,
    }
}

impl Dots {
    /// Replaces the group number of each point by the index of its group, and sets the names of the
    /// groups. Does nothing if no point has a group.
    ///
    /// Puts the points with the indices `ungrouped` into the group `other_name`, so that they do not
    /// look like points of the first group.
    fn set_groups(&mut self, mut groups: GroupCounter, ungrouped: &[usize], other_name: &str) {
        if groups.is_empty() {
            return;
        }
        for index in ungrouped {
            let group = groups.add(other_name);
            self.all.get_mut(*index).into_iter().for_each(|dot| dot.group = group);
        }
        let groups = groups.finish(other_name);
        self.all.iter_mut().for_each(|dot| dot.group = groups.index_of(dot.group));
        let Groups { names, joined, .. } = groups;
        (self.groups, self.joined_groups) = (names, joined);
    }

    /// Returns the points with values that the closures `x` and `y` compute from the current ones. The
    /// result has no group names and no maximum size.
    pub fn transformed(&self, x: impl Fn(f64) -> f64, y: impl Fn(f64) -> f64) -> Dots {
        let transform = |dot: &Dot| Dot { x: x(dot.x), y: y(dot.y), ..*dot };
        let all = self.all.iter().map(transform).collect();
        Dots { all, groups: Vec::new(), joined_groups: Vec::new(), sized: false, max_size: 0.0 }
    }

    /// Returns the minimum and the maximum of a value of all points. Without points, returns positive and
    /// negative infinity, in this order.
    pub fn range(&self, value: impl Fn(&Dot) -> f64) -> (f64, f64) {
        let extend =
            |(low, high): (f64, f64), dot: &Dot| (low.min(value(dot)), high.max(value(dot)));
        self.all.iter().fold((f64::INFINITY, f64::NEG_INFINITY), extend)
    }

    /// Returns the median of a value, or 0 without points. For an even number of points, returns
    /// the higher of the two middle values.
    pub fn median(&self, value: impl Fn(&Dot) -> f64) -> f64 {
        let mut values: Vec<f64> = self.all.iter().map(value).collect();
        let middle = values.len() / 2;
        if values.is_empty() {
            return 0.0;
        }
        *values.select_nth_unstable_by(middle, f64::total_cmp).1
    }

    /// Returns the least-squares line of y over x. None with fewer than 3 points, if all x values are
    /// equal, or if the slope is not finite.
    pub fn fit_line(&self) -> Option<FittedLine> {
        let count = self.all.len() as f64;
        let mean =
            |value: fn(&Dot) -> f64| self.all.iter().map(|dot| value(dot) / count).sum::<f64>();
        let (mean_x, mean_y) = (mean(|dot| dot.x), mean(|dot| dot.y));
        // Values are divided by their range, so that squares of very large values stay finite.
        let (min_x, max_x) = self.range(|dot| dot.x);
        let (min_y, max_y) = self.range(|dot| dot.y);
        let (x_span, y_span) = (max_x - min_x, max_y - min_y);
        if self.all.len() < 3 || x_span <= 0.0 {
            return None;
        }
        let (mut sum_of_products, mut sum_of_squares) = (0.0, 0.0);
        for dot in &self.all {
            let dx = (dot.x - mean_x) / x_span;
            let dy = if y_span > 0.0 { (dot.y - mean_y) / y_span } else { 0.0 };
            sum_of_products += dx * dy;
            sum_of_squares += dx * dx;
        }
        let slope = sum_of_products / sum_of_squares * (y_span / x_span);
        slope.is_finite().then_some(FittedLine { slope, centroid: Point::new(mean_x, mean_y) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn create_dots(points: &[(f64, f64)]) -> Dots {
        let create_dot = |(row, &(x, y)): (usize, &(f64, f64))| Dot {
            row,
            x,
            y,
            size: 0.0,
            group: 0,
            highlighted: false,
        };
        let all = points.iter().enumerate().map(create_dot).collect();
        Dots { all, groups: Vec::new(), joined_groups: Vec::new(), sized: false, max_size: 0.0 }
    }

    #[test]
    fn the_least_squares_line_goes_through_points_on_a_line() {
        let line = create_dots(&[(0.0, 1.0), (1.0, 3.0), (2.0, 5.0)]).fit_line().expect("a line");
        let (x, y) = (line.centroid.x, line.centroid.y);
        assert!((line.slope - 2.0).abs() < 1e-9 && x == 1.0 && (y - 3.0).abs() < 1e-9);
        assert!(create_dots(&[(1.0, 1.0), (1.0, 2.0), (1.0, 3.0)]).fit_line().is_none());
    }

    #[test]
    fn points_without_a_group_are_in_none_of_the_named_groups() {
        let point = |group: Option<&str>| serde_json::json!({"x": 1, "y": 2, "group": group});
        let groups = |data: &[Value]| {
            let dots = read(&Chart::new(crate::find_kind("scatter").unwrap(), data));
            let name_of = |dot: &Dot| dots.groups.get(dot.group).cloned().unwrap_or_default();
            dots.all.iter().map(name_of).collect::<Vec<String>>()
        };
        assert_eq!(
            groups(&[point(None), point(Some("A")), point(Some(""))]),
            ["Other", "A", "Other"]
        );
        assert_eq!(groups(&[point(None), point(None)]), ["", ""]);
    }
}
