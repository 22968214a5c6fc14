//! Steps in their order, as arrows that lead on, in as many rows as their names need.
//!
//! Record: `label`, `description`, `highlighted`. Settings: `showNumbers`.

use kurbo::{BezPath, Rect};

use crate::Chart;
use crate::Scene;
use crate::frame;
use crate::frame::{ChartStyle, Frame};
use crate::kinds::Kind;
use crate::scene::Anchor;
use crate::steps;
use crate::steps::{Step, StepText};

/// The process chevrons.
pub const KIND: Kind = Kind { slug: "process", draw };

/// How the arrows are arranged.
struct Grid {
    columns: usize,
    rows: usize,
    /// From one arrow to the next.
    step: f64,
    /// Length of an arrow's tip, and depth of its notch.
    tip: f64,
    /// Between two arrows.
    gap: f64,
}

impl Grid {
    fn new(count: usize, rows: usize, area: Rect, style: &ChartStyle) -> Grid {
        let columns = count.div_ceil(rows).max(1);
        // A single arrow need not fill the picture.
        let tip = (area.width() / columns as f64 * 0.12).min(style.label_size * 1.3);
        let gap = 3.0 * style.unit;
        let step = ((area.width() - tip + gap) / columns as f64).min(style.label_size * 24.0);
        Grid { columns, rows: count.div_ceil(columns), step, tip, gap }
    }

    /// Room for a name between notch and tip.
    fn room(&self, style: &ChartStyle) -> f64 {
        self.step - self.gap - self.tip - style.label_size * 0.5
    }
}

fn draw(chart: &Chart, frame: &Frame, scene: &mut Scene) {
    let mut steps = steps::read_steps(chart);
    if steps.is_empty() {
        return frame::draw_no_data(frame, scene);
    }
    let style = &frame.style;
    scene.description = describe(&steps);
    let fitting = |height: f64| {
        let columns = (frame.area.width() / (style.label_size * 7.5)).max(1.0) as usize;
        columns * (height / (style.label_size * 2.6)).max(1.0) as usize
    };
    let mut most = fitting(frame.area.height());
    if steps.len() > most {
        most = fitting(frame.area.height() - steps::overflow_note_height(style));
    }
    let area = steps::truncate(&mut steps, most, frame.area, style, scene);
    if chart.bool_setting("showNumbers", false) {
        for (index, step) in steps.iter_mut().enumerate() {
            step.label = format!("{}. {}", index + 1, step.label);
        }
    }
    // A few steps are told in larger letters, as far as these take no more rows and cut nothing.
    let usual = arrange(&steps, area, style);
    let few = steps.len() <= FEW;
    let larger =
        LARGER.into_iter().filter(|_| few).map(|it| style.scale_labels(it)).find(|style| {
            let grid = arrange(&steps, area, style);
            grid.rows <= usual.rows && told_whole(&steps, &grid, area, style)
        });
    match larger {
        Some(style) => arrows(chart, &steps, &arrange(&steps, area, &style), area, &style, scene),
        None => arrows(chart, &steps, &usual, area, style, scene),
    }
}

/// Most steps that are tried in larger letters, and how much larger.
const FEW: usize = 12;
const LARGER: [f64; 2] = [1.25, 1.12];

/// Between an arrow and its description, as a share of the label size.
const APART: f64 = 0.75;

fn describe(steps: &[Step]) -> String {
    let (Some(first), Some(last)) = (steps.first(), steps.last()) else { return String::new() };
    if steps.len() == 1 {
        return format!("Process of 1 step: {}.", first.label);
    }
    format!("Process of {} steps, from {} to {}.", steps.len(), first.label, last.label)
}

/// The fewest rows in which no name is shortened; else those that shorten fewest.
fn arrange(steps: &[Step], area: Rect, style: &ChartStyle) -> Grid {
    let most = (area.height() / (style.label_size * 2.6)).max(1.0) as usize;
    let mut best: Option<(usize, Grid)> = None;
    for rows in 1..=most.min(steps.len()).min(24) {
        let grid = Grid::new(steps.len(), rows, area, style);
        let height =
            (area.height() / grid.rows as f64 - style.label_size * 0.6).min(style.label_size * 2.8);
        let names = names(steps, &grid, height, style);
        let cut = names.iter().filter(|it| it.is_name_cut()).count();
        if best.as_ref().is_none_or(|it| cut <= it.0) {
            best = Some((cut, grid));
        }
        if cut == 0 {
            break;
        }
    }
    best.map_or_else(|| Grid::new(steps.len(), 1, area, style), |it| it.1)
}

/// The names, in one size that suits all.
fn names(steps: &[Step], grid: &Grid, height: f64, style: &ChartStyle) -> Vec<StepText> {
    let set = |size: f64| -> Vec<StepText> {
        let room = (grid.room(style), height);
        steps.iter().map(|it| StepText::new(&it.label, "", room, (size, size))).collect()
    };
    let sizes =
        [style.subtitle_size.max(style.label_size * 1.08), style.label_size].into_iter().map(set);
    let fitting = |it: &Vec<StepText>| !it.iter().any(StepText::is_name_cut);
    sizes.into_iter().find(fitting).unwrap_or_else(|| set(style.small_size))
}

/// Whether names and descriptions have room in the usual size of this look.
fn told_whole(steps: &[Step], grid: &Grid, area: Rect, style: &ChartStyle) -> bool {
    let room = Room::of(grid, area, style);
    let texts = room.texts(steps, style.label_size);
    let names = names(steps, grid, style.label_size * 2.8, style);
    let few = |it: &StepText| it.is_uncut() && it.height() <= style.label_size * 5.0;
    texts.iter().all(few)
        && names.iter().all(|it| !it.is_name_cut() && it.name_size() >= style.label_size)
}

/// What an arrow and the words below it may take of a row.
struct Room {
    /// Height of a row.
    pitch: f64,
    between: f64,
    /// Least height of an arrow.
    least: f64,
    /// Width and height of a description.
    text: (f64, f64),
}

impl Room {
    fn of(grid: &Grid, area: Rect, style: &ChartStyle) -> Room {
        let pitch = area.height() / grid.rows as f64;
        let between = (style.label_size * 0.6).min(pitch * 0.15);
        let least = (style.label_size * 2.2).min(pitch - between);
        // Descriptions get what an arrow of two lines leaves.
        let told = (style.label_size * 3.2).min(pitch * 0.5).max(least);
        let height = pitch - told - between - style.label_size * APART;
        Room { pitch, between, least, text: (grid.step - grid.gap - grid.tip * 0.5, height) }
    }

    /// The descriptions alone, in this size.
    fn texts(&self, steps: &[Step], size: f64) -> Vec<StepText> {
        let block = |it: &Step| StepText::new("", &it.description, self.text, (size, size));
        steps.iter().map(block).collect()
    }
}

fn arrows(
    chart: &Chart,
    steps: &[Step],
    grid: &Grid,
    area: Rect,
    style: &ChartStyle,
    scene: &mut Scene,
) {
    let room = Room::of(grid, area, style);
    let Room { pitch, between, least, .. } = room;
    let texts = descriptions(steps, &room, style);
    let lowest = texts.iter().map(StepText::height).fold(0.0, f64::max);
    let below = if lowest > 0.0 { lowest + style.label_size * APART } else { 0.0 };
    let height =
        (grid.step * 0.7).min(style.label_size * 7.0).min(pitch - between - below).max(least);
    let names = names(steps, grid, height * 0.9, style);
    // All rows together stand in the middle, a little above it.
    let row = (height + below + between.max(style.label_size * 1.2)).min(pitch);
    let used = row * grid.rows as f64;
    let top = area.y0 + (area.height() - used).max(0.0) * 0.4;
    let any = steps.iter().any(|it| it.highlighted);
    for (index, (step, name)) in steps.iter().zip(&names).enumerate() {
        let left = area.x0 + grid.step * (index % grid.columns) as f64;
        let top = top + row * (index / grid.columns) as f64;
        let right = left + grid.step - grid.gap;
        let (fill, ink) =
            steps::step_color(chart, style, any, step, chart.series_color(0)).with_readable_text();
        scene.begin_mark("step", Some(step.row), || (Some("label".to_owned()), step.tooltip()));
        let body = Rect::new(left, top, right, top + height);
        scene.fill(arrow(body, grid.tip, index == 0), fill);
        let notch = if index == 0 { 0.0 } else { grid.tip };
        let middle = f64::midpoint(left + notch, right + grid.tip * 0.4);
        let at = (middle, top + (height - name.height()) / 2.0);
        name.draw(scene, style, at, Anchor::Middle, (ink, ink));
        let at = (left, top + height + style.label_size * APART);
        if let Some(text) = texts.get(index) {
            text.draw(scene, style, at, Anchor::Start, (style.label_color, style.label_color));
        }
    }
    scene.end_mark();
}

/// Descriptions alone, in one size; none at all where one would be cut after few lines.
fn descriptions(steps: &[Step], room: &Room, style: &ChartStyle) -> Vec<StepText> {
    let large = room.texts(steps, style.label_size);
    if large.iter().all(StepText::is_uncut) {
        return large;
    }
    let small = room.texts(steps, style.small_size);
    let telling = |it: (&StepText, &Step)| it.1.description.is_empty() || it.0.shows_description();
    if small.iter().zip(steps).all(telling) { small } else { Vec::new() }
}

/// An arrow whose tip stands out of `body`, with a notch for the one before it.
fn arrow(body: Rect, tip: f64, first: bool) -> BezPath {
    let middle = body.center().y;
    let mut path = BezPath::new();
    path.move_to((body.x0, body.y0));
    path.line_to((body.x1, body.y0));
    path.line_to((body.x1 + tip, middle));
    path.line_to((body.x1, body.y1));
    path.line_to((body.x0, body.y1));
    if !first {
        path.line_to((body.x0 + tip, middle));
    }
    path.close_path();
    path
}
