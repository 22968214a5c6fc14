//! Pictures of very many marks: those that share a place finer than the eye become one mark.
//!
//! A hundred thousand bars on eight hundred points are a hundred to a point. Drawn one by one they
//! cost seconds and tens of megabytes and look no different. What stands between two texts is
//! sorted by its look, which also lets the writers join it into few paths; bars on one base keep
//! the longest of each place, so that no peak is lost, and of stacks one whole stack is shown.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use kurbo::{BezPath, Point, Rect};

use crate::charts::color::Color;
use crate::charts::scene::{Form, Scene, Shape, Stroke};

/// Pictures of fewer shapes stay as they are.
const MANY: usize = 2500;
/// Runs of fewer marks stay as they are.
const RUN: usize = 200;
/// A place, in points: a pixel of a sharp screen.
const CELL: f64 = 0.5;
/// What is thinner than this, in points, is looked for at its place.
const THIN: f64 = 1.0 + 1e-9;
/// Further pieces of one look and place that lie apart are kept one in so many points.
const APART: f64 = 16.0;
/// From so many slanting lines on their ends are compared on a grid of [`GRID`] points: the marks of
/// a bundle that is too dense to follow any of them.
const BUNDLE: usize = 5000;
const GRID: f64 = 4.0;
/// A look that was not met for so many marks begins anew, above what has come between.
const FORGOTTEN: usize = 64;

/// Thins out the marks of a picture of very many.
pub fn thin(scene: &mut Scene) {
    if scene.shapes.len() < MANY {
        return;
    }
    let shapes = std::mem::take(&mut scene.shapes);
    let count = shapes.len();
    let mut run: Vec<Form> = Vec::new();
    for shape in shapes {
        match look(&shape.form) {
            Some(_) if shape.tag == 0 => run.push(shape.form),
            _ => {
                finish(&mut run, scene);
                scene.shapes.push(shape);
            }
        }
    }
    finish(&mut run, scene);
    if scene.shapes.len() < count / 2 {
        scene.warn("Marks that are too close to be told apart are drawn as one.");
    }
}

/// What makes two marks alike. Colours and widths are compared by their bits.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Look {
    Box(Color),
    Straight(Color, u64),
    Slant(Color, u64, bool),
    Dot(Color, u64),
}

/// None for what must stay where it is: texts, clips, long outlines, and what shines through.
fn look(form: &Form) -> Option<Look> {
    let solid = |color: &Color| color.a == 255;
    match form {
        Form::Rect { radius: 0.0, fill, .. } if solid(fill) => Some(Look::Box(*fill)),
        Form::Circle { radius, fill: Some(fill), stroke: None, .. } if solid(fill) => {
            Some(Look::Dot(*fill, radius.to_bits()))
        }
        Form::Line { from, to, stroke } if stroke.dash.is_none() && solid(&stroke.color) => {
            let straight = (from.x == to.x || from.y == to.y) && !stroke.round;
            let width = stroke.width.to_bits();
            Some(match straight {
                true => Look::Straight(stroke.color, width),
                false => Look::Slant(stroke.color, width, stroke.round),
            })
        }
        Form::Polyline { points, stroke }
            if points.len() == 2 && stroke.dash.is_none() && solid(&stroke.color) =>
        {
            Some(Look::Slant(stroke.color, stroke.width.to_bits(), stroke.round))
        }
        _ => None,
    }
}

/// The marks of one look.
struct Group {
    look: Look,
    /// How many marks of the run came before the last of this look.
    met: usize,
    boxes: Vec<Rect>,
    ends: Vec<(Point, Point)>,
    places: HashMap<(u8, i64, i64), usize>,
}

/// Puts a run of marks into the picture.
fn finish(run: &mut Vec<Form>, scene: &mut Scene) {
    if run.len() < RUN {
        scene.shapes.extend(run.drain(..).map(|form| Shape { tag: 0, form }));
        return;
    }
    let mut run = Run { groups: Vec::new(), open: HashMap::new(), stacks: stacks(run), forms: run };
    run.sort();
    for group in run.groups {
        group.write(scene);
    }
}

/// Whether boxes of several values of a record stand in one slot, as in a stack.
fn stacks(run: &[Form]) -> bool {
    let thin = |form: &Form| match form {
        Form::Rect { rect, .. } => axis(rect).map(|axis| (axis, slot(rect, axis))),
        _ => None,
    };
    run.windows(2).any(|pair| thin(&pair[0]).is_some() && thin(&pair[0]) == thin(&pair[1]))
}

/// The direction in which a box is thinner than a place: 0 is across, 1 is down.
fn axis(rect: &Rect) -> Option<u8> {
    match () {
        () if rect.width() < THIN && rect.width() <= rect.height() => Some(0),
        () if rect.height() < THIN => Some(1),
        () => None,
    }
}

/// Where a box begins in its thin direction, to a millionth of a point.
fn slot(rect: &Rect, axis: u8) -> i64 {
    let start = if axis == 0 { rect.x0 } else { rect.y0 };
    (start * 1e6).round() as i64
}

fn cell(at: f64, side: f64) -> i64 {
    (at / side).floor() as i64
}

struct Run<'a> {
    forms: &'a mut Vec<Form>,
    groups: Vec<Group>,
    open: HashMap<Look, usize>,
    stacks: bool,
}

impl Run<'_> {
    fn sort(&mut self) {
        let (forms, stacks) = (std::mem::take(self.forms), self.stacks);
        let slants = forms.iter().filter(|it| matches!(look(it), Some(Look::Slant(..)))).count();
        // The slot that is shown of each place.
        let mut shown: HashMap<(u8, i64), i64> = HashMap::new();
        for (met, form) in forms.into_iter().enumerate() {
            let Some(look) = look(&form) else { continue };
            let group = self.group(look, met);
            let rect = match form {
                Form::Circle { center, .. } => {
                    group.dot(center);
                    continue;
                }
                Form::Polyline { points, .. } => {
                    group.slant(points[0], points[1], slants);
                    continue;
                }
                Form::Line { from, to, .. } if matches!(look, Look::Slant(..)) => {
                    group.slant(from, to, slants);
                    continue;
                }
                Form::Line { from, to, .. } => Rect::from_points(from, to),
                Form::Rect { rect, .. } => rect,
                _ => continue,
            };
            let Some(axis) = axis(&rect) else {
                group.boxes.push(rect);
                continue;
            };
            let at = cell(if axis == 0 { rect.x0 } else { rect.y0 }, CELL);
            if !stacks {
                group.thin(rect, axis, at);
            } else if rect.width().max(rect.height()) >= CELL {
                // One whole stack of those in this place; what parts its pieces is too fine to see.
                let slot = slot(&rect, axis);
                if *shown.entry((axis, at)).or_insert(slot) == slot {
                    group.boxes.push(rect);
                }
            }
        }
    }

    fn group(&mut self, look: Look, met: usize) -> &mut Group {
        let new = self.groups.len();
        let at = match self.open.entry(look) {
            Entry::Occupied(it) if met - self.groups[*it.get()].met <= FORGOTTEN => *it.get(),
            Entry::Occupied(mut it) => {
                it.insert(new);
                new
            }
            Entry::Vacant(it) => *it.insert(new),
        };
        if at == new {
            let (boxes, ends) = (Vec::new(), Vec::new());
            self.groups.push(Group { look, met, boxes, ends, places: HashMap::new() });
        }
        self.groups[at].met = met;
        &mut self.groups[at]
    }
}

impl Group {
    /// One dot a place.
    fn dot(&mut self, center: Point) {
        if self.places.insert((2, cell(center.x, CELL), cell(center.y, CELL)), 0).is_none() {
            self.ends.push((center, center));
        }
    }

    fn slant(&mut self, from: Point, to: Point, count: usize) {
        if count >= BUNDLE {
            let place = |it: Point| (cell(it.x, GRID) << 32) + cell(it.y, GRID);
            if self.places.insert((3, place(from), place(to)), 0).is_some() {
                return;
            }
        }
        self.ends.push((from, to));
    }

    /// A thin box, joined with that of its place which it meets, else with what lies near it.
    fn thin(&mut self, rect: Rect, axis: u8, at: i64) {
        let long = |it: &Rect| if axis == 0 { (it.y0, it.y1) } else { (it.x0, it.x1) };
        let (start, end) = long(&rect);
        let (here, near) = ((axis, at, 0), (axis + 4, at, cell(start, APART)));
        let meets = |it: &usize| {
            let (from, to) = long(&self.boxes[*it]);
            from <= end && start <= to
        };
        let met = self.places.get(&here).filter(|it| meets(it)).or(self.places.get(&near));
        if let Some(met) = met.copied() {
            self.boxes[met] = self.boxes[met].union(rect);
            return;
        }
        self.places.insert(here, self.boxes.len());
        self.places.insert(near, self.boxes.len());
        self.boxes.push(rect);
    }

    fn write(self, scene: &mut Scene) {
        let mut push = |form: Form| scene.shapes.push(Shape { tag: 0, form });
        match self.look {
            Look::Box(fill) => self.boxes.into_iter().for_each(|rect| {
                push(Form::Rect { rect, radius: 0.0, fill });
            }),
            Look::Straight(color, width) => self.boxes.into_iter().for_each(|it| {
                let stroke = Stroke::new(color, f64::from_bits(width));
                let (from, to) = match () {
                    () if it.width() > it.height() => {
                        let y = it.center().y;
                        (Point::new(it.x0, y), Point::new(it.x1, y))
                    }
                    () => {
                        let x = it.center().x;
                        (Point::new(x, it.y0), Point::new(x, it.y1))
                    }
                };
                push(Form::Line { from, to, stroke });
            }),
            Look::Slant(color, width, round) => {
                let mut path = BezPath::new();
                for (from, to) in self.ends {
                    path.move_to(from);
                    path.line_to(to);
                }
                let stroke = Stroke { round, ..Stroke::new(color, f64::from_bits(width)) };
                push(Form::Path { path, fill: None, stroke: Some(stroke) });
            }
            Look::Dot(fill, radius) => {
                let points = self.ends.into_iter().map(|it| it.0).collect();
                push(Form::Marks { points, radius: f64::from_bits(radius), fill });
            }
        }
    }
}
