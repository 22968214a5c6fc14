//! The free space between points, and the labels placed in it.

use kurbo::{Line, Rect};

use crate::kinds::scatter::PlacedDot;
use crate::kinds::scatter::ground::Ground;
use crate::scene::Text;
use crate::shape::line::{cross, crosses_rect};

/// Distance in points that the halo of a label extends beyond its bounds.
const HALO_WIDTH: f64 = 1.5;
/// Distance in points below which two points touch each other.
const TOUCHING_GAP: f64 = 2.0;
/// Length in points of a part of a line that is avoided as one rectangle.
const LINE_PART: f64 = 6.0;

/// The label of a point.
#[derive(Clone)]
pub struct PointLabel {
    /// Lines from top to bottom. A label outside its point has a halo.
    pub lines: Vec<Text>,
    /// Line from the point to the label, if the label is not beside the point.
    pub leader: Option<Line>,
    /// Points that the line may cross. The line then starts at the center of the point.
    pub crossed: Option<CrossedPoints>,
}

/// Points that a line may cross, because its own point is one of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CrossedPoints {
    /// Points that touch each other: the number of their cluster.
    Touching(usize),
    /// Points close to each other: the number of their crowd.
    Crowd(usize),
}

/// Clusters of points, see [`find_clusters`].
pub struct Clusters {
    /// Cluster of each point, of points that touch each other.
    pub touching: Vec<usize>,
    /// Cluster of each point, of points that have no space for a name between them.
    pub crowds: Vec<usize>,
}

impl PointLabel {
    /// Returns the bounding box of all lines of text, without the leader.
    fn bounds(&self) -> Rect {
        self.lines.iter().map(Text::bounds).reduce(|a, b| a.union(b)).unwrap_or_default()
    }
}

impl Clusters {
    /// Finds the clusters of dots that touch each other, and the crowds of dots with gaps of less than
    /// `crowd_gap` points. A dot alone is a cluster and a crowd too.
    pub fn find(dots: &[PlacedDot], crowd_gap: f64) -> Clusters {
        let touching = find_clusters(dots, TOUCHING_GAP);
        Clusters { touching, crowds: find_clusters(dots, crowd_gap) }
    }
}

/// Space for the labels.
pub struct LabelSpace<'a> {
    /// Rectangle that contains all labels.
    area: Rect,
    /// Rectangles that no label may overlap, including the labels placed so far.
    taken: Vec<Rect>,
    /// Points that labels may not overlap. A label inside a bubble overlaps that one.
    dots: &'a [PlacedDot<'a>],
    /// Clusters of the points.
    clusters: &'a Clusters,
    /// Areas that labels avoid or prefer. Its `taken` rectangles are copied to the field above.
    ground: &'a Ground,
    /// Labels placed so far.
    labels: Vec<PointLabel>,
}

impl<'a> LabelSpace<'a> {
    /// Creates a space without labels, in which the rectangles of `ground` are taken. Labels will stay
    /// in `area`.
    pub fn new(
        area: Rect,
        dots: &'a [PlacedDot<'a>],
        clusters: &'a Clusters,
        ground: &'a Ground,
    ) -> LabelSpace<'a> {
        let taken = ground.taken.clone();
        LabelSpace { area, taken, dots, clusters, ground, labels: Vec::new() }
    }

    /// Returns the placed labels.
    pub fn into_labels(self) -> Vec<PointLabel> {
        self.labels
    }

    /// Places the first free candidate in a preferred position (in a field of the ground, and not on
    /// the trend line), or else the first free candidate. Returns false if none is free.
    pub fn place<I: Iterator<Item = PointLabel>>(
        &mut self,
        list_candidates: impl Fn() -> I,
    ) -> bool {
        let has_preferences = !self.ground.fields.is_empty() || !self.ground.trend_line.is_empty();
        let preferred = if has_preferences {
            list_candidates().find(|label| self.is_preferred(label) && self.is_free(label))
        } else {
            None
        };
        let chosen = preferred.or_else(|| list_candidates().find(|label| self.is_free(label)));
        let Some(label) = chosen else { return false };
        self.add(label);
        true
    }

    /// Places all labels, and returns true. Returns false, without a change, if one of them is not
    /// free. Does not check the labels against each other, so they must not overlap.
    pub fn place_all(&mut self, labels: Vec<PointLabel>) -> bool {
        let is_free = labels.iter().all(|label| self.is_free(label));
        if is_free {
            labels.into_iter().for_each(|label| self.add(label));
        }
        is_free
    }

    /// Adds a label without a check, and marks its lines of text and its leader as taken.
    fn add(&mut self, label: PointLabel) {
        self.taken.push(label.bounds());
        if let Some(line) = label.leader {
            let count = ((line.p1 - line.p0).hypot() / LINE_PART).ceil().max(1.0) as usize;
            let point = |part: usize| line.p0.lerp(line.p1, part as f64 / count as f64);
            self.taken
                .extend((0..count).map(|part| Rect::from_points(point(part), point(part + 1))));
        }
        self.labels.push(label);
    }

    /// Returns whether a label is within the area, at least 2 points from the taken rectangles, does not
    /// overlap a dot, and has a free leader or none. A label inside a bubble may overlap this one and
    /// bubbles around the whole label. The color of another bubble may hide it.
    fn is_free(&self, label: &PointLabel) -> bool {
        let bounds = label.bounds();
        // Only the label inside a bubble has no halo.
        let is_inside_bubble = label.lines.iter().all(|line| line.halo.is_none());
        self.area.contains_rect(bounds)
            && !self.taken.iter().any(|other| are_closer_than(2.0, bounds, *other))
            && !self.dots.iter().any(|dot| {
                overlaps_dot(bounds, dot) && !(is_inside_bubble && is_around(dot, bounds))
            })
            && label.leader.is_none_or(|line| self.is_free_line(line, label.crossed))
    }

    /// Returns whether a line crosses no placed label, no other leader, no taken rectangle of the
    /// ground, and no dot except those of the set `crossed`. It may touch the rim of a dot.
    fn is_free_line(&self, line: Line, crossed: Option<CrossedPoints>) -> bool {
        let mut leaders = self.labels.iter().filter_map(|label| label.leader);
        let mut labels = self.labels.iter().map(PointLabel::bounds);
        let is_crossed = |(index, dot): (usize, &PlacedDot)| {
            let is_member = match crossed {
                Some(CrossedPoints::Touching(cluster)) => {
                    self.clusters.touching.get(index) == Some(&cluster)
                }
                Some(CrossedPoints::Crowd(crowd)) => {
                    self.clusters.crowds.get(index) == Some(&crowd)
                }
                None => false,
            };
            if is_member {
                return false;
            }
            let (along, to_dot) = (line.p1 - line.p0, dot.center - line.p0);
            let share = (to_dot.dot(along) / along.hypot2()).clamp(0.0, 1.0);
            let distance = (line.p0.lerp(line.p1, share) - dot.center).hypot();
            // The line starts at the rim of its own point.
            distance < dot.radius - 0.1
        };
        !leaders.any(|other| cross(line, other))
            && !labels.any(|bounds| crosses_rect(line, bounds))
            && !self.ground.taken.iter().any(|rect| crosses_rect(line, *rect))
            && !self.dots.iter().enumerate().any(is_crossed)
    }

    /// Returns whether a label is within one of the fields, or there are none, and not on the trend
    /// line. Does not check whether it is free.
    fn is_preferred(&self, label: &PointLabel) -> bool {
        let bounds = label.bounds().inflate(2.0, 0.0);
        let (fields, trend_line) = (&self.ground.fields, &self.ground.trend_line);
        (fields.is_empty() || fields.iter().any(|field| field.contains_rect(bounds)))
            && !trend_line.iter().any(|part| are_closer_than(0.0, bounds, *part))
    }
}

/// Returns the cluster of each dot: the index of the first dot of its cluster. Dots with rims less than
/// `max_gap` points apart are in one cluster, directly or over other dots.
fn find_clusters(dots: &[PlacedDot], max_gap: f64) -> Vec<usize> {
    let mut clusters: Vec<usize> = (0..dots.len()).collect();
    for (index, dot) in dots.iter().enumerate() {
        for (other_index, other) in dots.iter().enumerate().take(index) {
            let (Some(own), Some(joined)) =
                (clusters.get(index).copied(), clusters.get(other_index).copied())
            else {
                continue;
            };
            let gap = (dot.center - other.center).hypot() - dot.radius - other.radius;
            if own != joined && gap < max_gap {
                let (from, to) = (own.max(joined), own.min(joined));
                clusters.iter_mut().filter(|cluster| **cluster == from).for_each(|c| *c = to);
            }
        }
    }
    clusters
}

/// Returns whether a label with these bounds and its halo would overlap a dot.
fn overlaps_dot(bounds: Rect, dot: &PlacedDot) -> bool {
    let x_distance = dot.center.x.clamp(bounds.x0, bounds.x1) - dot.center.x;
    let y_distance = dot.center.y.clamp(bounds.y0, bounds.y1) - dot.center.y;
    x_distance.hypot(y_distance) < dot.radius + HALO_WIDTH
}

/// Returns whether a label is inside a bubble: in its middle, or completely within it.
fn is_around(dot: &PlacedDot, bounds: Rect) -> bool {
    let distance = (dot.center - bounds.center()).hypot();
    let half_diagonal = bounds.width().hypot(bounds.height()) / 2.0;
    let is_in_middle = distance < dot.radius * 0.2 && bounds.width() < dot.radius * 1.75;
    is_in_middle || distance + half_diagonal < dot.radius
}

/// Returns whether two rectangles are less than `distance` points apart in both directions.
fn are_closer_than(distance: f64, a: Rect, b: Rect) -> bool {
    a.x0 < b.x1 + distance
        && b.x0 < a.x1 + distance
        && a.y0 < b.y1 + distance
        && b.y0 < a.y1 + distance
}
