//! Merging of marks in charts with very many marks: marks at the same position, up to half a point,
//! become one mark.
//!
//! 100,000 bars on a width of 800 points are more than 100 bars per point. Drawn one by one, they
//! take seconds and tens of megabytes and look the same. Therefore the marks between two texts are
//! grouped by class (shape, color, line width), which also lets the writers join them into few
//! paths. Of bars on one baseline the longest at each position stays, so that no peak is lost. Of
//! stacked bars one complete stack per position stays.

mod class;
mod group;

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use kurbo::Rect;

use crate::scene::{Primitive, Scene, Shape};
use class::{MarkClass, classify_mark};
use group::{BUNDLE_CELL_SIZE, CELL_SIZE, Group, MIN_BUNDLE_LINES, find_cell_index};

/// Minimum number of shapes of a scene for merging.
const MIN_MERGED_SHAPES: usize = 2500;
/// Minimum number of consecutive mergeable marks.
const MIN_RUN_LENGTH: usize = 200;
/// Width in points below which a rectangle is thin, that is, merged with others at its position.
const MAX_THIN_WIDTH: f64 = 1.0 + 1e-9;
/// Maximum number of marks of other classes between two marks of one group. After more, a mark
/// starts a new group above them, so that the drawing order stays nearly the same.
const MAX_GROUP_GAP: usize = 64;

/// Merges marks at the same position if the scene has very many shapes. Adds a warning if more than
/// half of the shapes disappear.
///
/// Groups long runs of successive marks by class, which changes their drawing order a little.
/// Shapes that belong to a recorded mark ([`Scene::begin_mark`]) are not merged.
pub fn merge(scene: &mut Scene) {
    if scene.shapes.len() < MIN_MERGED_SHAPES {
        return;
    }
    let shapes = std::mem::take(&mut scene.shapes);
    let count = shapes.len();
    let mut run: Vec<Primitive> = Vec::new();
    for shape in shapes {
        match classify_mark(&shape.primitive) {
            Some(_) if shape.mark == 0 => run.push(shape.primitive),
            _ => {
                flush_run(&mut run, scene);
                scene.shapes.push(shape);
            }
        }
    }
    flush_run(&mut run, scene);
    if scene.shapes.len() < count / 2 {
        scene.warn("Marks that are too close to distinguish are drawn as one.");
    }
}

/// Moves a run of consecutive mergeable marks into the scene, merged if there are at least
/// `MIN_RUN_LENGTH` of them. Leaves `run` empty.
fn flush_run(run: &mut Vec<Primitive>, scene: &mut Scene) {
    if run.len() < MIN_RUN_LENGTH {
        scene.shapes.extend(run.drain(..).map(|primitive| Shape { mark: 0, primitive }));
        return;
    }
    let mut merger = RunMerger {
        groups: Vec::new(),
        current_groups: HashMap::new(),
        has_stacks: has_stacks(run),
    };
    merger.merge(std::mem::take(run));
    for group in merger.groups {
        group.write_to(scene);
    }
}

/// Returns whether two consecutive rectangles are thin along the same axis and start at the same
/// coordinate along it, as in stacked bars.
fn has_stacks(run: &[Primitive]) -> bool {
    let quantize_thin_start = |primitive: &Primitive| match primitive {
        Primitive::Rect { rect, .. } => {
            find_thin_axis(rect).map(|axis| (axis, quantize_start(rect, axis)))
        }
        _ => None,
    };
    run.windows(2).any(|pair| {
        let start = quantize_thin_start(&pair[0]);
        start.is_some() && start == quantize_thin_start(&pair[1])
    })
}

/// Returns the axis along which a rectangle is thin, that is, at most about one point long: 0 is x,
/// 1 is y. None if it is not thin.
///
/// A rectangle that is thin along both axes counts as thin along its shorter side.
fn find_thin_axis(rect: &Rect) -> Option<u8> {
    match () {
        () if rect.width() < MAX_THIN_WIDTH && rect.width() <= rect.height() => Some(0),
        () if rect.height() < MAX_THIN_WIDTH => Some(1),
        () => None,
    }
}

/// Returns the start of a rectangle along its thin axis in millionths of a point.
fn quantize_start(rect: &Rect, axis: u8) -> i64 {
    let start = if axis == 0 { rect.x0 } else { rect.y0 };
    (start * 1e6).round() as i64
}

/// Sorts the marks of one run into groups.
struct RunMerger {
    groups: Vec<Group>,
    /// Index of the group that takes further marks of a class.
    current_groups: HashMap<MarkClass, usize>,
    /// Whether the run has stacked bars, of which complete stacks are kept.
    has_stacks: bool,
}

impl RunMerger {
    /// Adds the marks of the run to their groups. Drops those that are merged with others.
    ///
    /// If the run has stacks, only the first stack at each position is kept, without its parts that
    /// are shorter than a cell. Rectangles that are not thin are kept.
    fn merge(&mut self, run: Vec<Primitive>) {
        let (mut slanted_count, mut ring_count) = (0, 0);
        for class in run.iter().filter_map(classify_mark) {
            slanted_count += usize::from(matches!(class, MarkClass::Slanted(..)));
            ring_count += usize::from(matches!(class, MarkClass::Ring(..)));
        }
        let ring_cell_size =
            if ring_count >= MIN_BUNDLE_LINES { BUNDLE_CELL_SIZE } else { CELL_SIZE };
        // The start of the stack that stays at each position.
        let mut kept_starts: HashMap<(u8, i64), i64> = HashMap::new();
        let has_stacks = self.has_stacks;
        for (index, primitive) in run.into_iter().enumerate() {
            let Some(class) = classify_mark(&primitive) else { continue };
            let group = self.select_group(class, index);
            let rect = match primitive {
                Primitive::Circle { center, stroke, .. } => {
                    let is_ring = stroke.is_some();
                    group.add_dot(center, if is_ring { ring_cell_size } else { CELL_SIZE });
                    continue;
                }
                Primitive::Polyline { points, .. } => {
                    group.add_slanted_line(points[0], points[1], slanted_count);
                    continue;
                }
                Primitive::Line { from, to, .. } if matches!(class, MarkClass::Slanted(..)) => {
                    group.add_slanted_line(from, to, slanted_count);
                    continue;
                }
                Primitive::Line { from, to, .. } => Rect::from_points(from, to),
                Primitive::Rect { rect, .. } => rect,
                _ => continue,
            };
            let Some(axis) = find_thin_axis(&rect) else {
                group.rects.push(rect);
                continue;
            };
            let cell = find_cell_index(if axis == 0 { rect.x0 } else { rect.y0 }, CELL_SIZE);
            if !has_stacks {
                group.add_thin_rect(rect, axis, cell);
            } else if rect.width().max(rect.height()) >= CELL_SIZE {
                // Keeps one complete stack per position. Parts shorter than a cell are not visible.
                let start = quantize_start(&rect, axis);
                if *kept_starts.entry((axis, cell)).or_insert(start) == start {
                    group.rects.push(rect);
                }
            }
        }
    }

    /// Returns the group for the next mark of a class, at `index` in the run.
    ///
    /// Starts a new group if the latest mark of the class is more than [`MAX_GROUP_GAP`] marks
    /// behind.
    fn select_group(&mut self, class: MarkClass, index: usize) -> &mut Group {
        let new_index = self.groups.len();
        let group_index = match self.current_groups.entry(class) {
            Entry::Occupied(entry)
                if index - self.groups[*entry.get()].last_index <= MAX_GROUP_GAP =>
            {
                *entry.get()
            }
            Entry::Occupied(mut entry) => {
                entry.insert(new_index);
                new_index
            }
            Entry::Vacant(entry) => *entry.insert(new_index),
        };
        if group_index == new_index {
            self.groups.push(Group::new(class, index));
        }
        self.groups[group_index].last_index = index;
        &mut self.groups[group_index]
    }
}

#[cfg(test)]
mod tests {
    use kurbo::Point;

    use super::*;
    use crate::color::Color;
    use crate::scene::{Anchor, Stroke, Text};
    use crate::text::Face;

    const RED: Color = Color::hex(0xff0000);
    const BLUE: Color = Color::hex(0x0000ff);

    fn draw_and_merge(fill: impl FnOnce(&mut Scene)) -> Scene {
        let mut scene = Scene::new(800.0, 500.0, Color::hex(0xffffff));
        fill(&mut scene);
        merge(&mut scene);
        scene
    }

    fn collect_rects(scene: &Scene) -> Vec<(Rect, Color)> {
        let rect = |shape: &Shape| match shape.primitive {
            Primitive::Rect { rect, fill, .. } => Some((rect, fill)),
            _ => None,
        };
        scene.shapes.iter().filter_map(rect).collect()
    }

    /// Returns the rectangle of column `index` of `count` columns that share 100 points.
    fn column(index: usize, count: usize, top: f64, bottom: f64) -> Rect {
        let width = 100.0 / count as f64;
        Rect::new(index as f64 * width, top, (index + 1) as f64 * width, bottom)
    }

    #[test]
    fn the_longest_bar_of_each_position_stays() {
        let count = 20_000;
        let height = |index: usize| if index == 7777 { 400.0 } else { 100.0 + (index % 7) as f64 };
        let found = collect_rects(&draw_and_merge(|scene| {
            (0..count).for_each(|index| {
                scene.rect(column(index, count, 500.0 - height(index), 500.0), RED);
            });
        }));
        assert!((190..=210).contains(&found.len()), "{}", found.len());
        assert_eq!(found.iter().filter(|(rect, _)| rect.y0 == 100.0).count(), 1);
        assert!(
            found
                .iter()
                .all(|(rect, _)| rect.y1 == 500.0 && rect.y0 <= 394.0 && rect.width() <= 1.0)
        );
    }

    #[test]
    fn complete_stacks_are_kept() {
        let count = 20_000;
        let found = collect_rects(&draw_and_merge(|scene| {
            for index in 0..count {
                let middle = 300.0 + (index % 90) as f64;
                scene.rect(column(index, count, middle, 500.0), RED);
                scene.rect(column(index, count, 200.0, middle), BLUE);
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
    fn dots_and_lines_of_one_class_become_one_shape() {
        let dots = draw_and_merge(|scene| {
            for index in 0..30_000 {
                let center = Point::new((index % 400) as f64, (index % 300) as f64);
                scene.circle(center, 2.0, RED, None);
                scene.line((0.0, center.y), (800.0, center.x + 0.5), Stroke::new(BLUE, 1.0));
            }
        });
        let [Primitive::Dots { points, radius, .. }, Primitive::Path { path, .. }] =
            [&dots.shapes[0].primitive, &dots.shapes[1].primitive]
        else {
            panic!("{}", dots.shapes.len());
        };
        assert_eq!((dots.shapes.len(), points.len(), *radius), (2, 1200, 2.0));
        assert!((300..1200).contains(&(path.elements().len() / 2)));
        assert_eq!(dots.warnings.len(), 1);
    }

    #[test]
    fn rings_at_the_same_position_are_drawn_once() {
        let count_rings = |count: usize| {
            let scene = draw_and_merge(|scene| {
                for index in 0..count {
                    let (x, y) = ((index % 300) as f64, (index / 300) as f64 / 10.0);
                    scene.circle((x, y), 2.0, RED, Some(Stroke::new(BLUE, 1.0)));
                    scene.rect(column(index, count, 100.0, 500.0), BLUE);
                }
            });
            let is_ring = |shape: &&Shape| matches!(shape.primitive, Primitive::Circle { .. });
            scene.shapes.iter().filter(is_ring).count()
        };
        // One ring in each cell of half a point, and of four points if there are very many.
        assert_eq!(count_rings(3000), 600);
        assert_eq!(count_rings(60_000), 75 * 5);
    }

    #[test]
    fn few_wide_translucent_or_marked_shapes_and_texts_are_not_merged() {
        let few = draw_and_merge(|scene| {
            (0..2000).for_each(|index| scene.rect(column(index, 2000, 0.0, 9.0), RED));
        });
        assert_eq!(collect_rects(&few).len(), 2000);
        let wide = draw_and_merge(|scene| {
            (0..3000).for_each(|index| {
                scene.rect(Rect::new(0.0, 0.0, 9.0, 5.0 + index as f64), RED);
            });
        });
        assert_eq!(collect_rects(&wide).len(), 3000);
        let pale = Color { a: 90, ..RED };
        let pale = draw_and_merge(|scene| {
            (0..9000).for_each(|index| scene.rect(column(index, 9000, 0.0, 9.0), pale));
        });
        assert_eq!(collect_rects(&pale).len(), 9000);
        let tagged = draw_and_merge(|scene| {
            scene.interactive = true;
            for index in 0..3000 {
                scene.begin_mark("bar", Some(index), || (None, String::new()));
                scene.rect(column(index, 3000, 0.0, 9.0), RED);
            }
        });
        assert_eq!(collect_rects(&tagged).len(), 3000);
        let text = Text {
            x: 9.0,
            y: 9.0,
            anchor: Anchor::Start,
            angle: 0.0,
            size: 9.0,
            face: Face::REGULAR,
            color: RED,
            halo: None,
            text: "name".to_owned(),
            width: 9.0,
            full: None,
        };
        let below_and_above = draw_and_merge(|scene| {
            (0..9000).for_each(|index| scene.rect(column(index, 9000, 0.0, 9.0), RED));
            scene.text(text);
            (0..9000).for_each(|index| scene.rect(column(index, 9000, 0.0, 9.0), RED));
        });
        let shapes = &below_and_above.shapes;
        let text_index =
            shapes.iter().position(|shape| matches!(shape.primitive, Primitive::Text(_)));
        assert_eq!(text_index.map(|index| index * 2 + 1), Some(shapes.len()));
    }
}
