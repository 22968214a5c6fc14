//! Names of sets beside their ovals, and the largest ovals beside which the names fit.

use std::f64::consts::TAU;

use kurbo::{Affine, Point, Rect, Size, Vec2};

use crate::frame::ChartStyle;
use crate::kinds::venn::arrange::RotatedOvals;
use crate::kinds::venn::ovals;
use crate::kinds::venn::ovals::{Oval, RegionGrid};
use crate::kinds::venn::sets::SetData;
use crate::scene::Anchor;
use crate::steps::StepText;

/// Number of positions around an oval at which a name is tried.
const POSITION_COUNT: usize = 72;
/// Maximum widths of names that are tried, as shares of the width of the area.
const MAX_NAME_WIDTHS: [f64; 2] = [0.2, 0.3];
/// Distance between an oval and its name as a multiple of the label size.
const NAME_GAP: f64 = 0.4;
/// Maximum ratio of the horizontal to the vertical scale of ellipses.
const MAX_STRETCH: f64 = 1.5;

/// Name of a set with its position.
pub struct SetName {
    /// Lines of the name, with the total below.
    pub block: StepText,
    /// X coordinate of the text anchor, and y coordinate of the top of the lines, in points.
    pub position: Point,
    /// Text anchor of the lines.
    pub anchor: Anchor,
}

/// Ovals on the canvas with the names beside them.
pub struct NamedOvals {
    /// One oval per set.
    pub ovals: Vec<Oval>,
    /// One name per set, None for a set inside others. Empty if the names are in a legend.
    pub names: Vec<Option<SetName>>,
}

/// Ovals on the canvas, to be compared with others.
struct Candidate {
    ovals: Vec<Oval>,
    /// Scale of the ovals, multiplied by the weight of the rotation.
    score: f64,
}

/// Space beside the ovals that is reserved for names, as multiples of the largest name.
struct ReservedSpace {
    /// At the left and at the right, each.
    sides: f64,
    top: f64,
    bottom: f64,
}

/// Combinations of reserved space that are tried.
const RESERVED_SPACES: [ReservedSpace; 7] = [
    ReservedSpace { sides: 0.0, top: 0.0, bottom: 0.0 },
    ReservedSpace { sides: 1.0, top: 0.0, bottom: 0.0 },
    ReservedSpace { sides: 0.0, top: 1.0, bottom: 0.0 },
    ReservedSpace { sides: 0.0, top: 0.0, bottom: 1.0 },
    ReservedSpace { sides: 0.0, top: 1.0, bottom: 1.0 },
    ReservedSpace { sides: 1.0, top: 1.0, bottom: 0.0 },
    ReservedSpace { sides: 1.0, top: 0.0, bottom: 1.0 },
];

/// Returns the ovals on the canvas in the rotation in which they are largest if the names with their totals
/// are beside them in `area`, and these names. Returns None if the names do not fit in any rotation. A
/// set inside others has no name beside it.
///
/// Larger font sizes take precedence over larger ovals. Names are shortened only at the smallest
/// font size.
pub fn layout_with_names(
    rotations: &[RotatedOvals],
    set_data: &SetData,
    area: Rect,
    style: &ChartStyle,
) -> Option<NamedOvals> {
    let font_sizes = [
        (style.subtitle_size, style.label_size),
        (style.label_size, style.small_size),
        (style.small_size, style.small_size),
    ];
    let max_height = (area.height() * 0.3).max(style.small_size * 1.2);
    for (index, sizes) in font_sizes.into_iter().enumerate() {
        let wrap_names = |max_width: f64| -> Vec<StepText> {
            let max_size = (area.width() * max_width, max_height);
            let sets = set_data.sets.iter();
            sets.map(|set| StepText::new(&set.name, &set.total_text, max_size, sizes)).collect()
        };
        let is_smallest = index + 1 == font_sizes.len();
        let fits = |block: &StepText| block.height() > 1.0 && (is_smallest || block.is_uncut());
        let mut candidates: Vec<(f64, Candidate)> = Vec::new();
        for max_width in MAX_NAME_WIDTHS {
            let blocks = wrap_names(max_width);
            if blocks.iter().all(fits) {
                let fitted = list_candidates(rotations, &blocks, area, style);
                candidates.extend(fitted.into_iter().map(|candidate| (max_width, candidate)));
            }
        }
        candidates.sort_by(|(_, first), (_, second)| second.score.total_cmp(&first.score));
        let named_ovals = candidates.into_iter().find_map(|(max_width, candidate)| {
            place_names(candidate.ovals, set_data, wrap_names(max_width), area, style)
        });
        if named_ovals.is_some() {
            return named_ovals;
        }
    }
    None
}

/// Returns the ovals without names, as large as the area allows. The default rotation is preferred
/// if another one is only a little larger.
pub fn layout_without_names(rotations: &[RotatedOvals], area: Rect) -> NamedOvals {
    let candidates = rotations.iter().map(|rotation| fit_ovals(rotation, area));
    let best = candidates.max_by(|first, second| first.score.total_cmp(&second.score));
    let ovals = best.map_or(Vec::new(), |candidate| candidate.ovals);
    NamedOvals { ovals, names: Vec::new() }
}

/// Returns the ovals on the canvas in all rotations, each with different combinations of space for the
/// names (`blocks`) at the sides, in no particular order. Omits those that leave at most 10 points in a
/// direction for the ovals. Does not place the names.
fn list_candidates(
    rotations: &[RotatedOvals],
    blocks: &[StepText],
    area: Rect,
    style: &ChartStyle,
) -> Vec<Candidate> {
    let gap = style.label_size * NAME_GAP;
    let name_width = blocks.iter().map(StepText::width).fold(0.0, f64::max) + 2.0 * gap;
    let name_height = blocks.iter().map(StepText::height).fold(0.0, f64::max) + 2.0 * gap;
    let mut candidates: Vec<Candidate> = Vec::new();
    for rotation in rotations {
        for reserved in RESERVED_SPACES {
            let oval_area = Rect::new(
                area.x0 + name_width * reserved.sides,
                area.y0 + name_height * reserved.top,
                area.x1 - name_width * reserved.sides,
                area.y1 - name_height * reserved.bottom,
            );
            if oval_area.width() > 10.0 && oval_area.height() > 10.0 {
                candidates.push(fit_ovals(rotation, oval_area));
            }
        }
    }
    candidates
}

/// Centers the ovals in an area of the canvas and scales them to the maximum size. Circles stay circles,
/// but the ellipses of four sets may become wider by up to `MAX_STRETCH`.
fn fit_ovals(rotation: &RotatedOvals, area: Rect) -> Candidate {
    let bounds = ovals::compute_bounds(&rotation.ovals);
    // Half of the outline is outside of the oval.
    let area = area.inset(-1.0);
    let max_scale_x = area.width() / bounds.width();
    let max_scale_y = area.height() / bounds.height();
    let stretch = if rotation.ovals.len() > 3 { MAX_STRETCH } else { 1.0 };
    let scale_x = max_scale_x.min(max_scale_y * stretch);
    let scale_y = max_scale_y.min(max_scale_x);
    let transform = Affine::translate(area.center().to_vec2())
        * Affine::scale_non_uniform(scale_x, scale_y)
        * Affine::translate(-bounds.center().to_vec2());
    Candidate {
        ovals: rotation.ovals.iter().map(|oval| oval.transformed(transform)).collect(),
        score: (scale_x * scale_y).sqrt() * rotation.weight,
    }
}

/// Places each name outside of all ovals, in the direction of the region that belongs only to its
/// set. A set inside others gets no name. Returns None if a name does not fit.
fn place_names(
    ovals: Vec<Oval>,
    set_data: &SetData,
    blocks: Vec<StepText>,
    area: Rect,
    style: &ChartStyle,
) -> Option<NamedOvals> {
    let gap = style.label_size * NAME_GAP;
    let grid = RegionGrid::new(&ovals);
    let diagram_center = ovals::compute_bounds(&ovals).center();
    let mut names: Vec<Option<SetName>> = Vec::new();
    let mut placed_rects: Vec<Rect> = Vec::new();
    for (set, (block, oval)) in blocks.into_iter().zip(&ovals).enumerate() {
        // A set inside others has no region outside of them, so its name is drawn inside.
        if set_data.sets.len() > 1 && grid.point_count(1 << set) == 0 {
            names.push(None);
            continue;
        }
        let own_center = grid
            .find_largest_rect(1 << set, Size::new(2.0, 1.0))
            .map_or(oval.bounds().center(), |rect| rect.center);
        let offset = own_center - diagram_center;
        let direction =
            if offset.hypot() > 1e-6 { offset / offset.hypot() } else { Vec2::new(0.0, -1.0) };
        let size = Size::new(block.width(), block.height());
        let mut best: Option<(f64, Rect, Anchor)> = None;
        for step in 0..POSITION_COUNT {
            let angle = TAU * step as f64 / POSITION_COUNT as f64;
            let normal = oval.normal_at(angle);
            let (rect, anchor) = position_name(oval.point_at(angle), normal, size, gap);
            let clearance = rect.inflate(gap * 0.5, gap * 0.5);
            let is_free = area.contains_rect(rect)
                && ovals.iter().all(|oval| oval.is_disjoint_from(clearance))
                && !placed_rects.iter().any(|placed| placed.overlaps(clearance));
            // Names at the left and right are easier to read than names above or below.
            let score = normal.dot(direction) + 0.15 * normal.x.abs();
            let is_better = best.as_ref().is_none_or(|(best_score, ..)| score > best_score + 1e-9);
            if is_free && score > 0.2 && is_better {
                best = Some((score, rect, anchor));
            }
        }
        let (_, rect, anchor) = best?;
        placed_rects.push(rect);
        let x = match anchor {
            Anchor::Start => rect.x0,
            Anchor::Middle => rect.center().x,
            Anchor::End => rect.x1,
        };
        names.push(Some(SetName { block, position: Point::new(x, rect.y0), anchor }));
    }
    Some(NamedOvals { ovals, names })
}

/// Returns the rectangle and the text anchor of a name of this size in points next to an outline.
/// `normal` is the outward unit normal of the outline at `point`. The distance of the rectangle
/// from `point` is about 1 to 1.2 times `gap`, depending on the direction. The anchor is `Start` at
/// the right of the outline, `End` at the left, and `Middle` above and below.
fn position_name(point: Point, normal: Vec2, size: Size, gap: f64) -> (Rect, Anchor) {
    // Offset of the center of the name relative to half of its size, -1 to 1.
    let relative_offset = |component: f64| (component * 1.7).clamp(-1.0, 1.0);
    let offset = Vec2::new(
        relative_offset(normal.x) * size.width / 2.0,
        relative_offset(normal.y) * size.height / 2.0,
    );
    let center = point + normal * gap * 1.2 + offset;
    let anchor = match normal.x {
        x if x > 0.3 => Anchor::Start,
        x if x < -0.3 => Anchor::End,
        _ => Anchor::Middle,
    };
    (Rect::from_center_size(center, size), anchor)
}
