//! XML attributes of shapes: geometry, paint and marks.

use kurbo::{BezPath, PathEl, Point, Rect};

use crate::color::Color;
use crate::scene::{Mark, Stroke, Text};
use crate::svg::xml_writer::XmlWriter;

/// Writes part, row and column key of a mark as `data-part`, `data-row` and `data-field`. Row and
/// column key are omitted if the mark has none. Does not write the tip.
pub fn write_mark_attributes(mark: &Mark, out: &mut XmlWriter) {
    out.raw(" data-part=\"").escaped(mark.part).raw("\"");
    if let Some(row) = mark.row {
        out.raw(" data-row=\"").raw(&row.to_string()).raw("\"");
    }
    if let Some(field) = &mark.field {
        out.raw(" data-field=\"").escaped(field).raw("\"");
    }
}

/// Writes position and size of a rectangle as `x`, `y`, `width` and `height`.
pub fn write_rect_attributes(rect: &Rect, out: &mut XmlWriter) {
    out.number(" x", rect.x0).number(" y", rect.y0);
    out.number(" width", rect.width()).number(" height", rect.height());
}

/// Writes fill and stroke of a shape. Without a fill, writes `fill="none"`.
pub fn write_paint_attributes(fill: Option<Color>, stroke: Option<&Stroke>, out: &mut XmlWriter) {
    match fill {
        Some(fill) => out.color(" fill", fill),
        None => out.raw(" fill=\"none\""),
    };
    if let Some(stroke) = stroke {
        write_stroke_attributes(stroke, out);
    }
}

/// Writes color, width, dashes and caps of a stroke. Writes round joins only for solid lines of
/// more than 1 point.
pub fn write_stroke_attributes(stroke: &Stroke, out: &mut XmlWriter) {
    out.color(" stroke", stroke.color).number(" stroke-width", stroke.width);
    if let Some((dash, gap)) = stroke.dash {
        out.raw(" stroke-dasharray=\"").value(dash).raw(" ").value(gap).raw("\"");
    }
    if stroke.round {
        out.raw(" stroke-linecap=\"round\"");
    }
    if stroke.width > 1.0 && stroke.dash.is_none() {
        out.raw(" stroke-linejoin=\"round\"");
    }
}

/// Writes color and halo of a text. The halo is 3 points wide, as in the PNG writer.
pub fn write_text_paint_attributes(text: &Text, out: &mut XmlWriter) {
    out.color(" fill", text.color);
    if let Some(halo) = text.halo {
        out.color(" stroke", halo);
        out.raw(" stroke-width=\"3\" stroke-linejoin=\"round\" paint-order=\"stroke\"");
    }
}

/// Minimum number of elements of a path that is written as distances.
const MIN_OUTLINE_ELEMENTS: usize = 100;

/// Writes the value of the `d` attribute of a path, without name and quotes: with `H` and `V` where
/// possible, or with distances if it is a long path of straight lines, such as a map.
pub fn write_path_data(path: &BezPath, out: &mut XmlWriter) {
    let elements = path.elements();
    let is_straight = |element: &PathEl| {
        matches!(element, PathEl::MoveTo(_) | PathEl::LineTo(_) | PathEl::ClosePath)
    };
    if elements.len() >= MIN_OUTLINE_ELEMENTS && elements.iter().all(is_straight) {
        return write_outlines(elements, out);
    }
    let mut last = Point::ZERO;
    for element in elements {
        match *element {
            PathEl::MoveTo(to) => drop(out.raw("M").point(to)),
            PathEl::LineTo(to) if to.y == last.y => drop(out.raw("H").value(to.x)),
            PathEl::LineTo(to) if to.x == last.x => drop(out.raw("V").value(to.y)),
            PathEl::LineTo(to) => drop(out.raw("L").point(to)),
            PathEl::QuadTo(a, to) => drop(out.raw("Q").point(a).raw(" ").point(to)),
            PathEl::CurveTo(a, b, to) => {
                out.raw("C").point(a).raw(" ").point(b).raw(" ").point(to);
            }
            PathEl::ClosePath => drop(out.raw("Z")),
        }
        last = element.end_point().unwrap_or(last);
    }
}

/// Writes straight lines as distances between their points, which are about half as long as
/// positions. The distances are those of rounded positions, so that rounding errors do not add up.
/// Omits lines that have no length after rounding.
fn write_outlines(elements: &[PathEl], out: &mut XmlWriter) {
    let hundredths = |point: Point| {
        let round = |value: f64| (value.clamp(-1e12, 1e12) * 100.0).round() as i64;
        (round(point.x), round(point.y))
    };
    let (mut start, mut last) = ((0, 0), (0, 0));
    for element in elements {
        let (to, is_move) = match *element {
            PathEl::MoveTo(to) => (hundredths(to), true),
            PathEl::LineTo(to) => (hundredths(to), false),
            _ => {
                out.raw("z");
                last = start;
                continue;
            }
        };
        let (right, down) = (to.0 - last.0, to.1 - last.1);
        if is_move {
            // Further points after a move are lines.
            out.raw("m");
            start = to;
        } else if (right, down) == (0, 0) {
            continue;
        }
        out.distance(right).distance(down);
        last = to;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_outlines_are_written_as_distances_of_rounded_points() {
        let mut path = BezPath::new();
        for ring in 0..2 {
            path.move_to((10.0, 20.0 + f64::from(ring)));
            (0..60).for_each(|step| path.line_to((10.0 + 0.004 * f64::from(step), 30.5)));
            path.close_path();
        }
        let mut out = XmlWriter::with_capacity(1000);
        write_path_data(&path, &mut out);
        // 59 steps of 0.004 are 24 hundredths.
        let steps = " .01 0".repeat(24);
        assert_eq!(out.finish(), format!("m10 20 0 10.5{steps}zm0 1 0 9.5{steps}z"));
    }
}
