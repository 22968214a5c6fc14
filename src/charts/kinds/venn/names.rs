//! Names of sets beside their ovals, and the largest ovals beside which the names fit.

use std::f64::consts::TAU;

use kurbo::{Affine, Point, Rect, Vec2};

use crate::frame::ChartStyle;
use crate::kinds::venn::ovals;
use crate::kinds::venn::ovals::{Oval, Room};
use crate::kinds::venn::sets::Sets;
use crate::scene::Anchor;
use crate::steps::StepText;

/// Number of positions around an oval at which a name is tried.
const PLACES: usize = 72;
/// Maximum widths of names that are tried, as shares of the area.
const WIDTHS: [f64; 2] = [0.2, 0.3];
/// Maximum ratio of the horizontal to the vertical scale of ellipses.
const STRETCH: f64 = 1.5;

/// Name of a set with its position.
pub struct Name {
    /// Lines of the name, with the total below.
    pub block: StepText,
    /// X coordinate of the text anchor, and top of the lines.
    pub at: (f64, f64),
    /// Text anchor of the lines.
    pub anchor: Anchor,
}

/// Ovals on the canvas with the names beside them.
pub struct Plan {
    /// One oval per set.
    pub ovals: Vec<Oval>,
    /// One name per set, None for a set inside others. Empty if the names are in a legend.
    pub names: Vec<Option<Name>>,
}

/// Returns the largest ovals beside which all names fit. `turned` contains the rotations to try,
/// with their weights. Returns None if the names do not fit.
pub fn plan(
    turned: &[(Vec<Oval>, f64)],
    sets: &Sets,
    area: Rect,
    style: &ChartStyle,
) -> Option<Plan> {
    let sizes = [
        (style.subtitle_size, style.label_size),
        (style.label_size, style.small_size),
        (style.small_size, style.small_size),
    ];
    let height = (area.height() * 0.3).max(style.small_size * 1.2);
    for (at, size) in sizes.into_iter().enumerate() {
        let set = |share: f64| -> Vec<StepText> {
            let room = (area.width() * share, height);
            sets.all.iter().map(|it| StepText::new(&it.name, &it.words, room, size)).collect()
        };
        // Names are shortened only at the smallest font size.
        let last = at + 1 == sizes.len();
        let fits = |it: &StepText| it.height() > 1.0 && (last || it.is_uncut());
        let shares = WIDTHS.into_iter().filter(|it| set(*it).iter().all(fits));
        let mut tries: Vec<(f64, Vec<Oval>, f64)> = Vec::new();
        for share in shares {
            let sized = sized(turned, &set(share), area, style);
            tries.extend(sized.into_iter().map(|(ovals, size)| (share, ovals, size)));
        }
        tries.sort_by(|one, two| two.2.total_cmp(&one.2));
        let placed = tries.into_iter().find_map(|it| place(it.1, sets, set(it.0), area, style));
        if placed.is_some() {
            return placed;
        }
    }
    None
}

/// Returns the ovals without names, as large as the area allows.
pub fn without_names(turned: &[(Vec<Oval>, f64)], area: Rect) -> Plan {
    let sized = turned.iter().map(|(it, weight)| (fitted(it, area), weight));
    let by = |it: &((Vec<Oval>, f64), &f64)| it.0.1 * it.1;
    let best = sized.max_by(|one, two| by(one).total_cmp(&by(two)));
    let ovals = best.map_or(Vec::new(), |it| it.0.0);
    Plan { ovals, names: Vec::new() }
}

/// Returns the ovals in all rotations and with space for names on different sides, each with a
/// score by size.
fn sized(
    turned: &[(Vec<Oval>, f64)],
    blocks: &[StepText],
    area: Rect,
    style: &ChartStyle,
) -> Vec<(Vec<Oval>, f64)> {
    let gap = gap(style);
    let wide = blocks.iter().map(StepText::width).fold(0.0, f64::max) + 2.0 * gap;
    let high = blocks.iter().map(StepText::height).fold(0.0, f64::max) + 2.0 * gap;
    let mut tries: Vec<(Vec<Oval>, f64)> = Vec::new();
    for (ovals, weight) in turned {
        for (side, top, foot) in
            [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), (0, 1, 1), (1, 1, 0), (1, 0, 1)]
        {
            let sides = wide * f64::from(side);
            let inner = Rect::new(
                area.x0 + sides,
                area.y0 + high * f64::from(top),
                area.x1 - sides,
                area.y1 - high * f64::from(foot),
            );
            if inner.width() > 10.0 && inner.height() > 10.0 {
                let (ovals, scale) = fitted(ovals, inner);
                tries.push((ovals, scale * weight));
            }
        }
    }
    tries
}

/// Returns the distance in points between an oval and its name.
fn gap(style: &ChartStyle) -> f64 {
    style.label_size * 0.4
}

/// Centers the ovals in an area and scales them to the maximum size. Returns them with their scale.
/// Circles stay circles, but the ellipses of four sets may become wider.
fn fitted(ovals: &[Oval], area: Rect) -> (Vec<Oval>, f64) {
    let bounds = ovals::around(ovals);
    // Half of the outline is outside of the oval.
    let area = area.inset(-1.0);
    let (wide, high) = (area.width() / bounds.width(), area.height() / bounds.height());
    let stretch = if ovals.len() > 3 { STRETCH } else { 1.0 };
    let (x, y) = (wide.min(high * stretch), high.min(wide));
    let to = Affine::translate(area.center().to_vec2())
        * Affine::scale_non_uniform(x, y)
        * Affine::translate(-bounds.center().to_vec2());
    (ovals.iter().map(|it| it.moved(to)).collect(), (x * y).sqrt())
}

/// Places each name outside of all ovals, in the direction of the region that belongs only to its
/// set. Returns None if a name does not fit.
fn place(
    ovals: Vec<Oval>,
    sets: &Sets,
    blocks: Vec<StepText>,
    area: Rect,
    style: &ChartStyle,
) -> Option<Plan> {
    let room = Room::new(&ovals);
    let middle = ovals::around(&ovals).center();
    let mut names: Vec<Option<Name>> = Vec::new();
    let mut taken: Vec<Rect> = Vec::new();
    for (set, (block, oval)) in blocks.into_iter().zip(&ovals).enumerate() {
        // A set inside others has no region outside of them, so its name is drawn inside.
        if sets.all.len() > 1 && room.extent(1 << set) == 0 {
            names.push(None);
            continue;
        }
        let own = room.best(1 << set, (2.0, 1.0)).map_or(oval.bounds().center(), |it| it.0);
        let away = own - middle;
        let away = if away.hypot() > 1e-6 { away / away.hypot() } else { Vec2::new(0.0, -1.0) };
        let size = (block.width(), block.height());
        let mut best: Option<(f64, Rect, Anchor)> = None;
        for step in 0..PLACES {
            let angle = TAU * step as f64 / PLACES as f64;
            let (rect, anchor) = beside(oval.at(angle), oval.outwards(angle), size, gap(style));
            let clear = rect.inflate(gap(style) * 0.5, gap(style) * 0.5);
            let free = area.contains_rect(rect)
                && ovals.iter().all(|it| it.avoids(clear))
                && !taken.iter().any(|it| it.overlaps(clear));
            // Names at the left and right are easier to read than names above or below.
            let score = oval.outwards(angle).dot(away) + 0.15 * oval.outwards(angle).x.abs();
            let better = best.as_ref().is_none_or(|it| score > it.0 + 1e-9);
            if free && score > 0.2 && better {
                best = Some((score, rect, anchor));
            }
        }
        let (_, rect, anchor) = best?;
        taken.push(rect);
        let x = match anchor {
            Anchor::Start => rect.x0,
            Anchor::Middle => rect.center().x,
            Anchor::End => rect.x1,
        };
        names.push(Some(Name { block, at: (x, rect.y0), anchor }));
    }
    Some(Plan { ovals, names })
}

/// Returns the rectangle and the text anchor of a name at a distance of about `gap` from a point on
/// an outline.
fn beside(at: Point, out: Vec2, size: (f64, f64), gap: f64) -> (Rect, Anchor) {
    let lean = |it: f64| (it * 1.7).clamp(-1.0, 1.0);
    let middle =
        at + out * gap * 1.2 + Vec2::new(lean(out.x) * size.0 / 2.0, lean(out.y) * size.1 / 2.0);
    let anchor = match out.x {
        it if it > 0.3 => Anchor::Start,
        it if it < -0.3 => Anchor::End,
        _ => Anchor::Middle,
    };
    (Rect::from_center_size(middle, size), anchor)
}
