//! Pictures of very many marks: those that share a place finer than the eye become one mark.
//!
//! A hundred thousand bars on eight hundred points are a hundred to a point. Drawn one by one they
//! cost seconds and tens of megabytes and look no different. What stands between two texts is
//! sorted by its look, which also lets the writers join it into few paths; bars on one base keep
//! the longest of each place, so that no peak is lost, and of stacks one whole stack is shown.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use kurbo::{BezPath, Point, Rect};

use crate::color::Color;
use crate::scene::{Form, Scene, Shape, Stroke};

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
                let Point { x, y } = it.center();
                let (from, to) = match it.width() > it.height() {
                    true => (Point::new(it.x0, y), Point::new(it.x1, y)),
                    false => (Point::new(x, it.y0), Point::new(x, it.y1)),
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::{Anchor, Text};
    use crate::text::Face;

    const RED: Color = Color::hex(0xff0000);
    const BLUE: Color = Color::hex(0x0000ff);

    fn scene(fill: impl FnOnce(&mut Scene)) -> Scene {
        let mut scene = Scene::new(800.0, 500.0, Color::hex(0xffffff));
        fill(&mut scene);
        thin(&mut scene);
        scene
    }

    fn boxes(scene: &Scene) -> Vec<(Rect, Color)> {
        let rect = |it: &Shape| match it.form {
            Form::Rect { rect, fill, .. } => Some((rect, fill)),
            _ => None,
        };
        scene.shapes.iter().filter_map(rect).collect()
    }

    /// A column of so many, which share 100 points.
    fn column(at: usize, count: usize, top: f64, bottom: f64) -> Rect {
        let width = 100.0 / count as f64;
        Rect::new(at as f64 * width, top, (at + 1) as f64 * width, bottom)
    }

    #[test]
    fn the_longest_of_each_place_stays() {
        let count = 20_000;
        let height = |at: usize| if at == 7777 { 400.0 } else { 100.0 + (at % 7) as f64 };
        let found = boxes(&scene(|it| {
            (0..count).for_each(|at| it.rect(column(at, count, 500.0 - height(at), 500.0), RED));
        }));
        assert!((190..=210).contains(&found.len()), "{}", found.len());
        assert_eq!(found.iter().filter(|it| it.0.y0 == 100.0).count(), 1);
        assert!(found.iter().all(|it| it.0.y1 == 500.0 && it.0.y0 <= 394.0 && it.0.width() <= 1.0));
    }

    #[test]
    fn of_stacks_whole_ones_are_shown() {
        let count = 20_000;
        let found = boxes(&scene(|it| {
            for at in 0..count {
                let middle = 300.0 + (at % 90) as f64;
                it.rect(column(at, count, middle, 500.0), RED);
                it.rect(column(at, count, 200.0, middle), BLUE);
            }
        }));
        assert_eq!(found.len(), 400);
        let (reds, blues) = found.split_at(200);
        for (red, blue) in reds.iter().zip(blues) {
            assert_eq!((red.1, blue.1), (RED, BLUE));
            assert_eq!((red.0.x0, red.0.y0), (blue.0.x0, blue.0.y1), "of one record");
        }
    }

    #[test]
    fn equal_dots_and_lines_become_one_shape() {
        let dots = scene(|it| {
            for at in 0..30_000 {
                let place = Point::new((at % 400) as f64, (at % 300) as f64);
                it.circle(place, 2.0, RED, None);
                it.line((0.0, place.y), (800.0, place.x + 0.5), Stroke::new(BLUE, 1.0));
            }
        });
        let [Form::Marks { points, radius, .. }, Form::Path { path, .. }] =
            [&dots.shapes[0].form, &dots.shapes[1].form]
        else {
            panic!("{}", dots.shapes.len());
        };
        assert_eq!((dots.shapes.len(), points.len(), *radius), (2, 1200, 2.0));
        assert!((300..1200).contains(&(path.elements().len() / 2)));
        assert_eq!(dots.warnings.len(), 1);
    }

    #[test]
    fn what_is_few_wide_see_through_tagged_or_text_stays_in_its_place() {
        let few = scene(|it| (0..2000).for_each(|at| it.rect(column(at, 2000, 0.0, 9.0), RED)));
        assert_eq!(boxes(&few).len(), 2000);
        let wide = scene(|it| {
            (0..3000).for_each(|at| it.rect(Rect::new(0.0, 0.0, 9.0, 5.0 + at as f64), RED));
        });
        assert_eq!(boxes(&wide).len(), 3000);
        let pale = Color { a: 90, ..RED };
        let pale = scene(|it| (0..9000).for_each(|at| it.rect(column(at, 9000, 0.0, 9.0), pale)));
        assert_eq!(boxes(&pale).len(), 9000);
        let tagged = scene(|it| {
            it.interactive = true;
            for at in 0..3000 {
                it.tag("bar", Some(at), || (None, String::new()));
                it.rect(column(at, 3000, 0.0, 9.0), RED);
            }
        });
        assert_eq!(boxes(&tagged).len(), 3000);
        let text = Text {
            x: 9.0,
            y: 9.0,
            anchor: Anchor::Start,
            angle: 0.0,
            size: 9.0,
            face: Face::Regular,
            color: RED,
            halo: None,
            text: "name".to_owned(),
            width: 9.0,
            full: None,
        };
        let below_and_above = scene(|it| {
            (0..9000).for_each(|at| it.rect(column(at, 9000, 0.0, 9.0), RED));
            it.text(text);
            (0..9000).for_each(|at| it.rect(column(at, 9000, 0.0, 9.0), RED));
        });
        let place = below_and_above.shapes.iter().position(|it| matches!(it.form, Form::Text(_)));
        assert_eq!(place.map(|it| it * 2 + 1), Some(below_and_above.shapes.len()));
    }
}
