//! Layout of a radar chart: center and radius of the web, and the labels around it.

use kurbo::{Line, Point, Rect, Vec2};

use crate::Scene;
use crate::frame::ChartStyle;
use crate::kinds::radar::web::spoke_direction;
use crate::scene::{Anchor, Stroke, Text};

/// The label of a criterion: its name, and the value if there is a single series.
pub struct CriterionLabel {
    /// Name of the criterion.
    pub name: String,
    /// Lines of the name and the value.
    pub lines: Vec<String>,
    /// Font size in points.
    pub size: f64,
    /// Full name, if it is shortened.
    pub full: Option<String>,
    /// Width of the widest line in points.
    pub width: f64,
}

impl CriterionLabel {
    /// Returns the vertical distance between the baselines of adjacent lines in points.
    fn line_step(&self) -> f64 {
        self.size * 1.2
    }

    /// Returns the height of all lines together in points, with the line spacing.
    pub fn height(&self) -> f64 {
        self.lines.len() as f64 * self.line_step()
    }
}

/// Labels of all criteria, and center and radius of the web.
pub struct RadarLayout {
    /// One label per criterion.
    pub labels: Vec<CriterionLabel>,
    /// Center of the web.
    pub center: Point,
    /// Length of the spokes in points.
    pub radius: f64,
    /// Labels that are moved apart, which lines join to their spokes. None if all labels are at the
    /// ends of their spokes.
    pub spread: Option<Vec<SpreadLabel>>,
}

impl RadarLayout {
    /// Returns whether the rectangle `other` keeps its distance from the circle around the web and
    /// from the labels.
    ///
    /// The distance is one label size from the circle. From the labels it is one label size
    /// horizontally and half of it vertically.
    pub fn is_clear_of(&self, other: Rect, style: &ChartStyle) -> bool {
        let RadarLayout { labels, center, radius, spread } = self;
        let nearest =
            Point::new(center.x.clamp(other.x0, other.x1), center.y.clamp(other.y0, other.y1));
        let with_margin = other.inflate(style.label_size, style.label_size * 0.5);
        let is_clear = |(spoke, label): (usize, &CriterionLabel)| {
            let direction = spoke_direction(spoke, labels.len());
            let end = *center + direction * (radius + spoke_gap(style));
            layout_lines(label, direction, end, style)
                .iter()
                .all(|text| !text.bounds().overlaps(with_margin))
        };
        let are_clear = match spread {
            Some(spread) => spread.iter().all(|label| label.is_clear_of(with_margin)),
            None => labels.iter().enumerate().all(is_clear),
        };
        (nearest - *center).hypot() > radius + style.label_size && are_clear
    }
}

/// A label that may be away from the end of its spoke.
pub struct SpreadLabel {
    /// Lines from top to bottom.
    pub lines: Vec<Text>,
    /// Line from the end of the spoke to the label. None if they are close to each other.
    pub leader: Option<Line>,
}

impl SpreadLabel {
    /// Returns whether the text of the label is outside a rectangle. The line to it may cross the
    /// rectangle.
    pub fn is_clear_of(&self, other: Rect) -> bool {
        self.lines.iter().all(|line| !line.bounds().overlaps(other))
    }

    /// Draws the lines of text, and before them the leader if there is one.
    pub fn draw(self, style: &ChartStyle, scene: &mut Scene) {
        if let Some(Line { p0, p1 }) = self.leader {
            scene.line(p0, p1, Stroke::new(style.axis_color, 0.75));
        }
        self.lines.into_iter().for_each(|line| scene.text(line));
    }
}

/// Returns the space between the end of a spoke and its label in points.
pub fn spoke_gap(style: &ChartStyle) -> f64 {
    style.label_size * 0.6
}

/// Returns the lines of a label, placed outside the point `end`. `direction` is the unit vector of the
/// spoke, which points away from the center.
///
/// The text starts at `end` for a spoke to the right, ends there for one to the left, and is centered
/// above or below it for a nearly vertical one. It is vertically centered at a horizontal spoke.
pub fn layout_lines(
    label: &CriterionLabel,
    direction: Vec2,
    end: Point,
    style: &ChartStyle,
) -> Vec<Text> {
    let size = label.size;
    let anchor = match direction.x {
        x if x.abs() <= 0.12 => Anchor::Middle,
        x if x > 0.0 => Anchor::Start,
        _ => Anchor::End,
    };
    let height = label.height() - label.line_step() + size * 0.72;
    let top = end.y - height * (1.0 - direction.y) / 2.0;
    let to_text = |(line, line_text): (usize, &String)| {
        let baseline = top + size * 0.72 + line as f64 * label.line_step();
        Text {
            full: label.full.clone(),
            ..style.label_text(end.x, baseline, anchor, size, line_text)
        }
    };
    label.lines.iter().enumerate().map(to_text).collect()
}
