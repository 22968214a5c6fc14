//! The picture as a flat list of resolved shapes in points, origin at the top left, y down.
//!
//! Kinds fill it, the two writers read it. Nothing in it refers to data, themes or fonts that
//! would still have to be looked up, except that text keeps its letters for the SVG.

use std::sync::Arc;

use kurbo::{BezPath, Point, Rect};

use crate::color::Color;
use crate::logo::Bitmap;
use crate::text;
use crate::text::Face;

/// A finished picture.
#[derive(Clone, Debug)]
pub struct Scene {
    /// Width in points.
    pub width: f64,
    /// Height in points.
    pub height: f64,
    /// The ground under everything.
    pub background: Color,
    /// What the ground shows, below all shapes; it goes with the background.
    pub ground: Vec<Form>,
    /// Bottom to top.
    pub shapes: Vec<Shape>,
    /// What `Shape::tag` points into, one-based; empty unless the picture is interactive.
    pub tags: Vec<Tag>,
    /// Short name for screen readers.
    pub title: String,
    /// What the picture shows, in a sentence or two.
    pub desc: String,
    /// Family of fonts that most texts are in.
    pub family: &'static str,
    /// Language tag such as `en`.
    pub lang: String,
    /// Starts every id in the SVG, so that two pictures may share a page.
    pub id_prefix: String,
    /// Whether marks are tagged for pointers.
    pub interactive: bool,
    /// Records, in rising order, whose marks are needed by name even among very many.
    pub wanted: Vec<usize>,
    /// What the reader should know about the drawing, in plain words.
    pub warnings: Vec<String>,
    current_tag: u32,
}

/// A shape and the mark it belongs to.
#[derive(Clone, Debug)]
pub struct Shape {
    /// One-based place in [`Scene::tags`]; 0 is no mark.
    pub tag: u32,
    /// What is drawn.
    pub form: Form,
}

/// Names a mark for a pointer: the part of the chart, its record and column, and a tip.
#[derive(Clone, Debug)]
pub struct Tag {
    /// `bar`, `line`, `slice` and so on.
    pub part: &'static str,
    /// Zero-based place of the record in the data.
    pub row: Option<usize>,
    /// Key of the column.
    pub field: Option<String>,
    /// Shown by browsers when the pointer rests.
    pub tip: String,
}

/// The ten or so things a writer must know.
#[derive(Clone, Debug)]
pub enum Form {
    /// An upright rectangle. Writers snap it to whole pixels when `radius` is 0.
    Rect { rect: Rect, radius: f64, fill: Color },
    /// A straight line. Level and plumb ones are snapped to whole pixels.
    Line { from: Point, to: Point, stroke: Stroke },
    /// A circle.
    Circle { center: Point, radius: f64, fill: Option<Color>, stroke: Option<Stroke> },
    /// Any outline.
    Path { path: BezPath, fill: Option<Color>, stroke: Option<Stroke> },
    /// A line through many points: a path of its own, because dense lines are long.
    Polyline { points: Vec<Point>, stroke: Stroke },
    /// Many equal dots, drawn without a shape for each.
    Marks { points: Vec<Point>, radius: f64, fill: Color },
    /// A line of text.
    Text(Text),
    /// A picture of pixels, stretched over the box.
    Image { rect: Rect, bitmap: Arc<Bitmap> },
    /// Everything up to the matching [`Form::EndClip`] shows inside this rectangle only.
    Clip(Rect),
    /// Ends the innermost clip.
    EndClip,
}

/// How an outline is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stroke {
    /// Colour of the line.
    pub color: Color,
    /// Width in points.
    pub width: f64,
    /// Lengths of a dash and of the gap after it, in points; none is a solid line.
    pub dash: Option<(f64, f64)>,
    /// Round ends instead of flat ones. Corners are always round.
    pub round: bool,
}

impl Stroke {
    /// A solid line with flat ends.
    pub const fn new(color: Color, width: f64) -> Stroke {
        Stroke { color, width, dash: None, round: false }
    }

    /// The same with dashes.
    pub const fn dashed(self, dash: f64, gap: f64) -> Stroke {
        Stroke { dash: Some((dash, gap)), ..self }
    }

    /// The same with round ends.
    pub const fn rounded(self) -> Stroke {
        Stroke { round: true, ..self }
    }
}

/// Which part of a text stands at its `x`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    /// The left end.
    Start,
    /// The middle.
    Middle,
    /// The right end.
    End,
}

/// A measured line of text.
#[derive(Clone, Debug)]
pub struct Text {
    /// Where the anchor stands.
    pub x: f64,
    /// The baseline.
    pub y: f64,
    /// Which part of the text stands at `x`.
    pub anchor: Anchor,
    /// Degrees clockwise round (`x`, `y`); -45 rises to the right.
    pub angle: f64,
    /// Font size in points.
    pub size: f64,
    /// Weight and slope.
    pub face: Face,
    /// Ink.
    pub color: Color,
    /// A rim of this colour keeps text readable over lines and marks.
    pub halo: Option<Color>,
    /// The letters in reading order.
    pub text: String,
    /// Measured width in points.
    pub width: f64,
    /// The whole text, when `text` is a shortened form of it.
    pub full: Option<String>,
}

/// Height above the baseline that capital letters and figures take, as a share of the size.
/// Noto Sans: cap height 0.714, ascenders 0.77.
pub const ASCENT: f64 = 0.76;
/// Depth below the baseline that descenders take. Noto Sans: 0.24.
pub const DESCENT: f64 = 0.22;
/// Half of the cap height: how far the baseline stands below the middle of centred text.
pub const CENTER: f64 = 0.357;

impl Text {
    /// The upright box round the text, turned or not.
    pub fn bounds(&self) -> Rect {
        let left = match self.anchor {
            Anchor::Start => 0.0,
            Anchor::Middle => -self.width / 2.0,
            Anchor::End => -self.width,
        };
        let flat = Rect::new(left, -ASCENT * self.size, left + self.width, DESCENT * self.size);
        let turned = if self.angle == 0.0 {
            flat
        } else {
            kurbo::Affine::rotate(self.angle.to_radians()).transform_rect_bbox(flat)
        };
        turned + kurbo::Vec2::new(self.x, self.y)
    }

    /// Whether this text and another share more than half a point of space, turned or not.
    pub fn touches(&self, other: &Text) -> bool {
        let near = self.bounds().inset(-0.5).intersect(other.bounds().inset(-0.5));
        if near.width() <= 0.0 || near.height() <= 0.0 {
            return false;
        }
        // Two boxes are apart exactly when one of their four directions keeps them apart.
        let apart = |angle: f64| {
            let (one, two) = (self.seen_along(angle), other.seen_along(angle));
            let common = one.inset(-0.5).intersect(two.inset(-0.5));
            common.width() <= 0.0 || common.height() <= 0.0
        };
        !(apart(self.angle) || apart(other.angle))
    }

    /// The upright box round the text on paper that is turned back by `angle` degrees.
    fn seen_along(&self, angle: f64) -> Rect {
        let place = kurbo::Affine::rotate(-angle.to_radians()) * Point::new(self.x, self.y);
        Text { x: place.x, y: place.y, angle: self.angle - angle, ..self.without_words() }.bounds()
    }

    fn without_words(&self) -> Text {
        Text { text: String::new(), full: None, ..*self }
    }
}

impl Scene {
    /// An empty picture of this size in points.
    pub fn new(width: f64, height: f64, background: Color) -> Scene {
        Scene {
            width,
            height,
            background,
            ground: Vec::new(),
            shapes: Vec::with_capacity(256),
            tags: Vec::new(),
            title: String::new(),
            desc: String::new(),
            family: text::FAMILY,
            lang: "en".to_owned(),
            id_prefix: String::new(),
            interactive: false,
            wanted: Vec::new(),
            warnings: Vec::new(),
            current_tag: 0,
        }
    }

    /// Adds a shape, which belongs to the mark named last.
    pub fn push(&mut self, mut form: Form) {
        if let Form::Text(text) = &mut form {
            text.face = text.face.settled();
        }
        self.shapes.push(Shape { tag: self.current_tag, form });
    }

    /// Adds a filled rectangle; one without area adds nothing.
    pub fn rect(&mut self, rect: Rect, fill: Color) {
        if rect.width() > 0.0 && rect.height() > 0.0 {
            self.push(Form::Rect { rect, radius: 0.0, fill });
        }
    }

    /// Adds a straight line.
    pub fn line(&mut self, from: impl Into<Point>, to: impl Into<Point>, stroke: Stroke) {
        self.push(Form::Line { from: from.into(), to: to.into(), stroke });
    }

    /// Adds a filled circle, with a rim if one is given.
    pub fn circle(
        &mut self,
        center: impl Into<Point>,
        radius: f64,
        fill: Color,
        rim: Option<Stroke>,
    ) {
        self.push(Form::Circle { center: center.into(), radius, fill: Some(fill), stroke: rim });
    }

    /// Adds a filled outline.
    pub fn fill(&mut self, path: BezPath, fill: Color) {
        self.push(Form::Path { path, fill: Some(fill), stroke: None });
    }

    /// Adds a drawn outline.
    pub fn stroke(&mut self, path: BezPath, stroke: Stroke) {
        self.push(Form::Path { path, fill: None, stroke: Some(stroke) });
    }

    /// Adds text; an empty one adds nothing.
    pub fn text(&mut self, text: Text) {
        if !text.text.is_empty() {
            if text::is_missing(&text.text, text.face) {
                self.warn("Some letters are in no font and show as boxes.");
            }
            self.push(Form::Text(text));
        }
    }

    /// Names the mark that the next shapes belong to, until [`Scene::untag`]. `describe` gives the
    /// column and the tip, and is only called when the picture is interactive.
    pub fn tag(
        &mut self,
        part: &'static str,
        row: Option<usize>,
        describe: impl FnOnce() -> (Option<String>, String),
    ) {
        if self.interactive {
            let (field, tip) = describe();
            self.tags.push(Tag { part, row, field, tip });
            self.current_tag = self.tags.len() as u32;
        }
    }

    /// The next shapes belong to no mark.
    pub fn untag(&mut self) {
        self.current_tag = 0;
    }

    /// Whether the mark of a record must be named although there are too many to name all.
    pub fn wants(&self, row: usize) -> bool {
        self.wanted.binary_search(&row).is_ok()
    }

    /// Leaves no trace of what marks are called, as in a picture that is not interactive.
    pub fn forget_marks(&mut self) {
        if !self.interactive {
            return;
        }
        self.interactive = false;
        self.tags.clear();
        let for_pointers = |form: &Form| match form {
            Form::Circle { fill: Some(fill), stroke: None, .. } => fill.a == 0,
            Form::Path { fill: Some(fill), stroke: None, .. } => fill.a == 0,
            Form::Rect { fill, .. } => fill.a == 0,
            _ => false,
        };
        self.shapes.retain(|shape| !for_pointers(&shape.form));
        self.shapes.iter_mut().for_each(|shape| shape.tag = 0);
    }

    /// Notes something the reader should know; the same words are noted once.
    pub fn warn(&mut self, warning: impl Into<String>) {
        let warning = warning.into();
        if !self.warnings.contains(&warning) {
            self.warnings.push(warning);
        }
    }

    /// The boxes of all texts, for tests and for placing labels.
    pub fn text_boxes(&self) -> impl Iterator<Item = (&str, Rect)> {
        self.shapes.iter().filter_map(|shape| match &shape.form {
            Form::Text(text) => Some((text.text.as_str(), text.bounds())),
            _ => None,
        })
    }
}
