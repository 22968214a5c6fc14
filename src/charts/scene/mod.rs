//! A rendered chart as a flat list of shapes, in points, origin at the top left, y down.
//!
//! Chart kinds fill a [`Scene`], and the writers [`svg`](crate::svg), [`png`](crate::png) and
//! [`pdf`](crate::pdf) read it. All positions, colors and fonts are resolved, so that a writer needs neither data nor theme.
//! Text keeps its characters, because the SVG and PDF writers can write them.

mod axis_place;
mod mirror;
mod primitive;
mod text;
mod value_end;

use kurbo::{BezPath, Point, Rect};

use crate::color::Color;
use crate::format::Omission;
use crate::text::BUILTIN_FAMILY;
use crate::text::Script;
use crate::text::find_missing_char;
use crate::time_limit;

pub use axis_place::AxisPlace;
pub use primitive::{Primitive, Stroke};
pub use text::{ASCENT_EM, Anchor, DESCENT_EM, HALF_CAP_HEIGHT_EM, PlacedGlyph, Text};
pub use value_end::{MarkValue, ValueEnd};

/// Maximum number of names of records that a scene keeps for each omission: one more than a warning lists.
const MAX_OMITTED_NAMES: usize = 21;

/// A rendered chart.
#[derive(Clone, Debug)]
pub struct Scene {
    /// Width in points.
    pub width: f64,
    /// Height in points.
    pub height: f64,
    /// Background color of the whole canvas.
    pub background: Color,
    /// Shapes of the background image, below `shapes`. Left out together with the background.
    pub background_shapes: Vec<Primitive>,
    /// Shapes from bottom to top.
    pub shapes: Vec<Shape>,
    /// Marks that [`Shape::mark`] refers to. Empty unless the scene is interactive.
    pub marks: Vec<Mark>,
    /// Ends on value axes of the marks that annotations refer to.
    pub mark_values: Vec<MarkValue>,
    /// Value axes with settings for their ends. Empty unless the scene is interactive.
    pub axes: Vec<AxisPlace>,
    /// Short name for screen readers.
    pub title: String,
    /// Description for screen readers, one or two sentences.
    pub description: String,
    /// Font family of most texts.
    pub font_family: &'static str,
    /// Language tag, such as `en`.
    pub lang: String,
    /// Prefix of every id in the SVG, so that one page can contain two SVGs.
    pub id_prefix: String,
    /// Whether [`Scene::begin_mark`] records marks.
    pub interactive: bool,
    /// Records that need a mark even if the chart has too many marks to record all of them.
    /// Ascending, zero-based.
    pub required_rows: Vec<usize>,
    /// Messages for the author of the chart, in English.
    pub warnings: Vec<String>,
    /// Reasons and numbers of omitted records, series and names. Ascending by reason, without
    /// zeros.
    pub omissions: Vec<(Omission, usize)>,
    /// Whether the chart kind has looked at the setting `axis.scale`.
    pub(crate) has_log_choice: bool,
    /// Names of omitted records, as far as their kinds tell them, with the reasons.
    pub omitted_names: Vec<(Omission, String)>,
    /// Mark of the next shapes, as in [`Shape::mark`].
    current_mark: u32,
}

/// A primitive and the mark it belongs to.
#[derive(Clone, Debug)]
pub struct Shape {
    /// One-based index into [`Scene::marks`]. 0 if the shape belongs to no mark.
    pub mark: u32,
    /// Primitive to draw.
    pub primitive: Primitive,
}

/// A data mark: a part of the chart that stands for a value of a record, or its title, subtitle,
/// footer or an annotation.
///
/// Interactive SVGs carry the marks as attributes, for tooltips and selection.
#[derive(Clone, Debug)]
pub struct Mark {
    /// Part of the chart, such as `bar`, `line` or `slice`.
    pub part: &'static str,
    /// Zero-based index of the record in the data.
    pub row: Option<usize>,
    /// Key of the column. The index in the list of annotations if the mark is one.
    pub field: Option<String>,
    /// Text that browsers show while the pointer is over the mark. Empty for the texts around the
    /// chart.
    pub tip: String,
}

impl Scene {
    /// Creates an empty scene with a size in points. It is not interactive, and in English and the
    /// built-in font until the caller sets the fields.
    pub fn new(width: f64, height: f64, background: Color) -> Scene {
        Scene {
            width,
            height,
            background,
            background_shapes: Vec::new(),
            shapes: Vec::with_capacity(256),
            marks: Vec::new(),
            mark_values: Vec::new(),
            axes: Vec::new(),
            title: String::new(),
            description: String::new(),
            font_family: BUILTIN_FAMILY,
            lang: "en".to_owned(),
            id_prefix: String::new(),
            interactive: false,
            required_rows: Vec::new(),
            warnings: Vec::new(),
            omissions: Vec::new(),
            has_log_choice: false,
            omitted_names: Vec::new(),
            current_mark: 0,
        }
    }

    /// Adds a primitive above all others. It belongs to the current mark.
    ///
    /// The face of a text gets a fixed font, so that the writers do not depend on the theme.
    pub fn push(&mut self, mut primitive: Primitive) {
        time_limit::check();
        if let Primitive::Text(text) = &mut primitive {
            text.face = text.face.resolved();
        }
        self.shapes.push(Shape { mark: self.current_mark, primitive });
    }

    /// Adds a filled rectangle. Does nothing if the rectangle has no area.
    pub fn rect(&mut self, rect: Rect, fill: Color) {
        if rect.width() > 0.0 && rect.height() > 0.0 {
            self.push(Primitive::Rect { rect, radius: 0.0, fill });
        }
    }

    /// Adds a straight line.
    pub fn line(&mut self, from: impl Into<Point>, to: impl Into<Point>, stroke: Stroke) {
        self.push(Primitive::Line { from: from.into(), to: to.into(), stroke });
    }

    /// Adds a filled circle with an optional outline. `radius` is in points.
    pub fn circle(
        &mut self,
        center: impl Into<Point>,
        radius: f64,
        fill: Color,
        outline: Option<Stroke>,
    ) {
        let (center, fill, stroke) = (center.into(), Some(fill), outline);
        self.push(Primitive::Circle { center, radius, fill, stroke });
    }

    /// Adds a filled path.
    pub fn fill(&mut self, path: BezPath, fill: Color) {
        self.push(Primitive::Path { path, fill: Some(fill), stroke: None });
    }

    /// Adds a stroked path.
    pub fn stroke(&mut self, path: BezPath, stroke: Stroke) {
        self.push(Primitive::Path { path, fill: None, stroke: Some(stroke) });
    }

    /// Adds a text, and a warning if no font has one of its characters.
    ///
    /// Does nothing if the text is empty.
    pub fn text(&mut self, text: Text) {
        if !text.text.is_empty() {
            if let Some(character) = find_missing_char(&text.text, text.face) {
                self.warn(missing_font_warning(character));
            }
            self.push(Primitive::Text(text));
        }
    }

    /// Begins a mark. All shapes up to `Scene::end_mark` or the next mark belong to it. Does
    /// nothing if the scene is not interactive.
    ///
    /// `row` is the zero-based index of the record. `describe` returns the key of the column and
    /// the tip, and runs only if the scene is interactive.
    pub fn begin_mark(
        &mut self,
        part: &'static str,
        row: Option<usize>,
        describe: impl FnOnce() -> (Option<String>, String),
    ) {
        if self.interactive {
            let (field, tip) = describe();
            self.marks.push(Mark { part, row, field, tip });
            self.current_mark = self.marks.len() as u32;
        }
    }

    /// Adds a primitive below all others. It belongs to the current mark.
    pub fn push_below(&mut self, primitive: Primitive) {
        self.shapes.insert(0, Shape { mark: self.current_mark, primitive });
    }

    /// Ends the current mark. The next shapes belong to no mark.
    pub fn end_mark(&mut self) {
        self.current_mark = 0;
    }

    /// Returns whether a record needs a mark even if there are too many to record all of them.
    pub fn requires_mark(&self, row: usize) -> bool {
        self.required_rows.binary_search(&row).is_ok()
    }

    /// Makes the scene non-interactive.
    ///
    /// Removes all marks, and the shapes with a transparent fill and no outline, because they only
    /// serve as pointer targets. Does nothing if the scene is not interactive.
    pub fn remove_marks(&mut self) {
        if !self.interactive {
            return;
        }
        self.interactive = false;
        self.marks.clear();
        self.mark_values.clear();
        self.axes.clear();
        let is_pointer_target = |primitive: &Primitive| match primitive {
            Primitive::Circle { fill: Some(fill), stroke: None, .. } => fill.a == 0,
            Primitive::Path { fill: Some(fill), stroke: None, .. } => fill.a == 0,
            Primitive::Rect { fill, .. } => fill.a == 0,
            _ => false,
        };
        self.shapes.retain(|shape| !is_pointer_target(&shape.primitive));
        self.shapes.iter_mut().for_each(|shape| shape.mark = 0);
    }

    /// Adds a warning, unless the scene already has the same warning.
    pub fn warn(&mut self, warning: impl Into<String>) {
        let warning = warning.into();
        if !self.warnings.contains(&warning) {
            self.warnings.push(warning);
        }
    }

    /// Counts `count` records, series or names of the data that the image leaves out. [`draw()`]
    /// adds a note and warnings. Does nothing if `count` is 0.
    ///
    /// [`draw()`]: crate::draw()
    pub fn omit(&mut self, omission: Omission, count: usize) {
        if count == 0 {
            return;
        }
        match self.omissions.binary_search_by_key(&omission, |(reason, _)| *reason) {
            Ok(index) => {
                self.omissions.get_mut(index).into_iter().for_each(|(_, sum)| *sum += count)
            }
            Err(index) => self.omissions.insert(index, (omission, count)),
        }
    }

    /// Counts an omitted record, and keeps its name for the note. The name may be empty. Keeps each name
    /// once for each omission, and at most `MAX_OMITTED_NAMES`.
    pub fn omit_named(&mut self, omission: Omission, name: &str) {
        self.omit(omission, 1);
        let mut names = self.omitted_names.iter().filter(|(reason, _)| *reason == omission);
        let is_full = names.clone().count() >= MAX_OMITTED_NAMES;
        if !name.is_empty() && !is_full && names.all(|(_, known)| known != name) {
            self.omitted_names.push((omission, name.to_owned()));
        }
    }

    /// Returns each text with its bounding box in points, from bottom to top, without those of the
    /// background.
    pub fn text_boxes(&self) -> impl Iterator<Item = (&str, Rect)> {
        self.shapes.iter().filter_map(|shape| match &shape.primitive {
            Primitive::Text(text) => Some((text.text.as_str(), text.bounds())),
            _ => None,
        })
    }
}

/// Returns the warning about a character that no font has. It names the script and a package with a
/// font for it, if they are known, but not the character.
fn missing_font_warning(character: char) -> String {
    let start = "Some characters are in no font and are shown as boxes";
    match Script::find(character) {
        None => format!("{start}."),
        Some(Script { name, package, .. }) => format!(
            "{start} ({name}). The package {package} of Debian and Ubuntu has a font for them; a font \
             file in the folder \"fonts\" of the data directory works as well."
        ),
    }
}
