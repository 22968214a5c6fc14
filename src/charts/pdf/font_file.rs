//! A TrueType font with the outlines of some glyphs of a font.
//!
//! The outlines are those of the PNG writer, at the position of the font on its variation axes, also of a
//! font with PostScript outlines. No table of a font file of a user is copied, so that a damaged or
//! hostile one does not reach a viewer. The font has the tables that a PDF requires, and neither names
//! nor a map of characters.

use kurbo::{CubicBez, PathEl, Point};
use pdf_writer::Rect;

use crate::text::Font;

/// Maximum distance of a quadratic curve from the cubic curve that it stands for, in units of the font.
const CURVE_TOLERANCE: f64 = 0.3;
/// Maximum number of points of a glyph, because indices have 16 bits.
const MAX_POINTS: usize = 0x8000;

/// A font file.
pub struct FontFile {
    pub bytes: Vec<u8>,
    /// Bounds of all glyphs in thousandths of an em, y up.
    pub bounds: Rect,
}

/// A point of a contour, in units of the font. The curve passes through it only if `on_curve`.
#[derive(Clone, Copy, PartialEq)]
struct ContourPoint {
    point: Point,
    on_curve: bool,
}

/// Builds a font from glyphs of `font`. Glyph `i` is the glyph `glyph_ids[i]` of `font`.
pub fn build(font: &'static Font, glyph_ids: &[u16]) -> FontFile {
    let units = font.units_per_em();
    let (mut glyf, mut loca, mut hmtx) = (Vec::new(), Vec::new(), Vec::new());
    let mut bounds = Bounds::default();
    let mut max_points = 0;
    let mut max_contours = 0;
    for glyph_id in glyph_ids {
        put_u32(&mut loca, glyf.len() as u32);
        let contours = read_contours(font, *glyph_id, f64::from(units));
        let advance = f64::from(font.glyph_advance(*glyph_id)) * f64::from(units);
        put_u16(&mut hmtx, advance.round().clamp(0.0, 65_535.0) as u16);
        let mut glyph_bounds = Bounds::default();
        if !contours.is_empty() {
            contours.iter().flatten().for_each(|corner| glyph_bounds.add(to_units(corner.point)));
            write_glyph(&contours, &glyph_bounds, &mut glyf);
            bounds.add((glyph_bounds.x0, glyph_bounds.y0));
            bounds.add((glyph_bounds.x1, glyph_bounds.y1));
        }
        put_i16(&mut hmtx, glyph_bounds.x0);
        max_points = max_points.max(contours.iter().map(Vec::len).sum());
        max_contours = max_contours.max(contours.len());
    }
    put_u32(&mut loca, glyf.len() as u32);
    let count = glyph_ids.len() as u16;
    let head = build_head(units, &bounds);
    let tables: [(&[u8; 4], Vec<u8>); 6] = [
        (b"glyf", glyf),
        (b"head", head),
        (b"hhea", build_hhea(font, units, count)),
        (b"hmtx", hmtx),
        (b"loca", loca),
        (b"maxp", build_maxp(count, max_points as u16, max_contours as u16)),
    ];
    let thousandths = |value: i16| f32::from(value) * 1000.0 / f32::from(units);
    let Bounds { x0, y0, x1, y1, .. } = bounds;
    FontFile {
        bytes: join_tables(&tables),
        bounds: Rect::new(thousandths(x0), thousandths(y0), thousandths(x1), thousandths(y1)),
    }
}

/// The smallest rectangle around points, in units of the font. All sides are 0 without a point.
#[derive(Clone, Copy, Default)]
struct Bounds {
    x0: i16,
    y0: i16,
    x1: i16,
    y1: i16,
    has_point: bool,
}

impl Bounds {
    /// Extends the rectangle to a point.
    fn add(&mut self, (x, y): (i16, i16)) {
        let before = *self;
        let known = |side: i16, value: i16| if before.has_point { side } else { value };
        *self = Bounds {
            x0: known(before.x0, x).min(x),
            y0: known(before.y0, y).min(y),
            x1: known(before.x1, x).max(x),
            y1: known(before.y1, y).max(y),
            has_point: true,
        };
    }
}

/// Returns the contours of a glyph with an area, y up. Empty for a blank glyph, and for one with too many
/// points.
fn read_contours(font: &'static Font, glyph_id: u16, units: f64) -> Vec<Vec<ContourPoint>> {
    let to_font = |point: Point| Point::new(point.x * units, -point.y * units);
    let mut contours: Vec<Vec<ContourPoint>> = Vec::new();
    let mut last = Point::ORIGIN;
    for element in font.glyph_outline(glyph_id).elements() {
        if let PathEl::MoveTo(_) = element {
            contours.push(Vec::new());
        }
        let Some(contour) = contours.last_mut() else { continue };
        let mut push =
            |point: Point, on_curve: bool| contour.push(ContourPoint { point, on_curve });
        match *element {
            PathEl::MoveTo(point) | PathEl::LineTo(point) => push(to_font(point), true),
            PathEl::QuadTo(control, point) => {
                push(to_font(control), false);
                push(to_font(point), true);
            }
            PathEl::CurveTo(one, two, point) => {
                let cubic =
                    CubicBez::new(to_font(last), to_font(one), to_font(two), to_font(point));
                for (_, _, part) in cubic.to_quads(CURVE_TOLERANCE) {
                    push(part.p1, false);
                    push(part.p2, true);
                }
            }
            PathEl::ClosePath => {}
        }
        last = element.end_point().unwrap_or(last);
    }
    contours.iter_mut().for_each(simplify_contour);
    contours.retain(|contour| contour.len() > 2);
    let points: usize = contours.iter().map(Vec::len).sum();
    if points > MAX_POINTS { Vec::new() } else { contours }
}

/// Removes the points that TrueType implies: the last one if it is the first one again, and those in the
/// middle between two control points.
fn simplify_contour(contour: &mut Vec<ContourPoint>) {
    if contour.len() > 1 && contour.first() == contour.last() {
        contour.pop();
    }
    let all = contour.clone();
    let mut index = 0_usize;
    contour.retain(|current| {
        index += 1;
        let Some(before) = index.checked_sub(2).and_then(|previous| all.get(previous)) else {
            return true;
        };
        let after = all.get(index).unwrap_or(&all[0]);
        let is_between_controls = current.on_curve && !before.on_curve && !after.on_curve;
        let middle = before.point.midpoint(after.point);
        !(is_between_controls && middle.distance(current.point) < 1e-3)
    });
}

/// Rounds a point to whole units.
fn to_units(point: Point) -> (i16, i16) {
    let round = |value: f64| value.round().clamp(-32_768.0, 32_767.0) as i16;
    (round(point.x), round(point.y))
}

/// Appends a glyph to the table `glyf`, padded to four bytes.
fn write_glyph(contours: &[Vec<ContourPoint>], bounds: &Bounds, glyf: &mut Vec<u8>) {
    put_i16(glyf, contours.len() as i16);
    [bounds.x0, bounds.y0, bounds.x1, bounds.y1].into_iter().for_each(|side| put_i16(glyf, side));
    let mut end = 0;
    for contour in contours {
        end += contour.len();
        put_u16(glyf, (end - 1) as u16);
    }
    // No instructions
    put_u16(glyf, 0);
    let (mut xs, mut ys) = (Vec::new(), Vec::new());
    let mut last = (0, 0);
    for corner in contours.iter().flatten() {
        let (x, y) = to_units(corner.point);
        let mut flags = u8::from(corner.on_curve);
        flags |= put_distance(&mut xs, i32::from(x) - last.0, 0x02, 0x10);
        flags |= put_distance(&mut ys, i32::from(y) - last.1, 0x04, 0x20);
        glyf.push(flags);
        last = (i32::from(x), i32::from(y));
    }
    glyf.extend(xs);
    glyf.extend(ys);
    glyf.resize(glyf.len().next_multiple_of(4), 0);
}

/// Appends the distance from the coordinate before, and returns its flags: `short` for a distance of one
/// byte, with `same` if it is positive, and `same` alone for no distance. A distance of more than 16 bits
/// is shortened.
fn put_distance(out: &mut Vec<u8>, distance: i32, short: u8, same: u8) -> u8 {
    match distance {
        0 => same,
        1..=255 => {
            out.push(distance as u8);
            short | same
        }
        -255..=-1 => {
            out.push(-distance as u8);
            short
        }
        _ => {
            put_i16(out, distance.clamp(-32_768, 32_767) as i16);
            0
        }
    }
}

/// Returns the table `head`.
fn build_head(units: u16, bounds: &Bounds) -> Vec<u8> {
    let mut head = Vec::with_capacity(54);
    // Versions of the table and of the font, the checksum, which `join_tables` sets, and a constant
    [0x0001_0000, 0x0001_0000, 0, 0x5f0f_3cf5]
        .into_iter()
        .for_each(|word| put_u32(&mut head, word));
    // The baseline is at y = 0, and the left side bearing at x = 0.
    put_u16(&mut head, 3);
    put_u16(&mut head, units);
    // No times
    head.extend([0; 16]);
    [bounds.x0, bounds.y0, bounds.x1, bounds.y1]
        .into_iter()
        .for_each(|side| put_i16(&mut head, side));
    // Style, smallest size in pixels, direction, offsets of 32 bits, format of glyphs
    [0, 8, 2, 1, 0].into_iter().for_each(|word| put_u16(&mut head, word));
    head
}

/// Returns the table `hhea` for `count` glyphs.
fn build_hhea(font: &'static Font, units: u16, count: u16) -> Vec<u8> {
    let to_units = |em: f32| (em * f32::from(units)).round().clamp(-32_768.0, 32_767.0) as i16;
    let (ascent, descent) = font.vertical_extent();
    let mut hhea = Vec::with_capacity(36);
    put_u32(&mut hhea, 0x0001_0000);
    put_i16(&mut hhea, to_units(ascent));
    put_i16(&mut hhea, to_units(descent));
    // No line gap, unknown extremes, a vertical caret, reserved fields, format of metrics
    [0, 0xffff, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0]
        .into_iter()
        .for_each(|word| put_u16(&mut hhea, word));
    put_u16(&mut hhea, count);
    hhea
}

/// Returns the table `maxp` for `count` glyphs without instructions and components.
fn build_maxp(count: u16, max_points: u16, max_contours: u16) -> Vec<u8> {
    let mut maxp = Vec::with_capacity(32);
    put_u32(&mut maxp, 0x0001_0000);
    // Two zones
    let words = [count, max_points, max_contours, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0];
    words.into_iter().for_each(|word| put_u16(&mut maxp, word));
    maxp
}

/// Returns a font file with the tables, which must be in the order of their names. The table `head` gets
/// the checksum of the file.
fn join_tables(tables: &[(&[u8; 4], Vec<u8>)]) -> Vec<u8> {
    let count = tables.len() as u16;
    let power = count.checked_ilog2().unwrap_or(0) as u16;
    let search_range = (1 << power) * 16;
    let mut file = Vec::new();
    put_u32(&mut file, 0x0001_0000);
    [count, search_range, power, count * 16 - search_range]
        .into_iter()
        .for_each(|word| put_u16(&mut file, word));
    let mut offset = file.len() + tables.len() * 16;
    let mut head_offset = None;
    for (name, table) in tables {
        file.extend_from_slice(*name);
        put_u32(&mut file, compute_checksum(table));
        put_u32(&mut file, offset as u32);
        put_u32(&mut file, table.len() as u32);
        if *name == b"head" {
            head_offset = Some(offset);
        }
        offset += table.len().next_multiple_of(4);
    }
    for (_, table) in tables {
        file.extend(table);
        file.resize(file.len().next_multiple_of(4), 0);
    }
    let adjustment = 0xb1b0_afba_u32.wrapping_sub(compute_checksum(&file));
    let field = head_offset.and_then(|offset| file.get_mut(offset + 8..offset + 12));
    field.into_iter().for_each(|field| field.copy_from_slice(&adjustment.to_be_bytes()));
    file
}

/// Returns the sum of the big-endian words of a table, which is padded with zeros.
fn compute_checksum(table: &[u8]) -> u32 {
    table.chunks(4).fold(0u32, |sum, chunk| {
        let mut word = [0; 4];
        word[..chunk.len()].copy_from_slice(chunk);
        sum.wrapping_add(u32::from_be_bytes(word))
    })
}

/// Appends a big-endian word of 16 bits.
fn put_u16(out: &mut Vec<u8>, value: u16) {
    out.extend(value.to_be_bytes());
}

/// Appends a signed big-endian word of 16 bits.
fn put_i16(out: &mut Vec<u8>, value: i16) {
    out.extend(value.to_be_bytes());
}

/// Appends a big-endian word of 32 bits.
fn put_u32(out: &mut Vec<u8>, value: u32) {
    out.extend(value.to_be_bytes());
}
