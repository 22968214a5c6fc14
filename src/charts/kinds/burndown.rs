//! Work that remains day by day, against the plan.
//!
//! Record: `date`, `planned`, `actual`. Where no record plans anything, a straight line from the
//! first value down to zero stands for the plan. Settings: `showToday` (a date; empty takes the
//! last actual value), `showGap`, `showLegend`, `showGrid`, `axis`.

use kurbo::{BezPath, Point, Rect};

use crate::Chart;
use crate::Scene;
use crate::data;
use crate::format::Word;
use crate::format::{NumberFormat, date};
use crate::frame;
use crate::frame::axis;
use crate::frame::axis::{Values, Zero};
use crate::frame::legend;
use crate::frame::lines;
use crate::frame::time::{TimeAxis, Today};
use crate::frame::{Frame, Look};
use crate::kinds::Kind;
use crate::scale::Linear;
use crate::scene::{Anchor, CENTER, Form, Stroke, Text};
use crate::shape::curve;

/// The burndown chart.
pub const KIND: Kind = Kind { slug: "burndown", draw };

/// A record with a readable date.
#[derive(Clone, Copy)]
struct Day {
    row: usize,
    /// Seconds since 1970.
    at: f64,
    planned: Option<f64>,
    actual: Option<f64>,
}

/// Where days and amounts stand.
struct Plot {
    area: Rect,
    x: Linear,
    y: Linear,
}

impl Plot {
    fn at(&self, moment: f64, value: f64) -> Point {
        Point::new(self.x.at(moment), self.y.at(value))
    }

    /// A column of the days as points.
    fn line(&self, days: &[Day], value: impl Fn(&Day) -> Option<f64>) -> Vec<Point> {
        days.iter().filter_map(|it| Some(self.at(it.at, value(it)?))).collect()
    }
}

fn draw(chart: &Chart, frame: &Frame, scene: &mut Scene) {
    let days = read(chart, scene);
    let all = || days.iter().flat_map(|it| [it.planned, it.actual]).flatten();
    let (Some(first), Some(last)) = (days.first(), days.last()) else {
        return frame::no_data(frame, scene);
    };
    if all().next().is_none() {
        return frame::no_data(frame, scene);
    }
    let look = &frame.look;
    let actual = || days.iter().filter_map(|it| it.actual);
    let format = NumberFormat::for_values(actual(), &chart.rules("actual"), chart.language());
    describe(chart, &days, &format, scene);
    let range = all().fold((0.0, 0.0), |(low, high): (f64, f64), it| (low.min(it), high.max(it)));
    let colors = Colors::new(chart, look);
    let today = today(chart, &days, look);
    let mut area = frame.area;
    let done = days.iter().rev().find_map(|it| Some((it.at, it.actual?)));
    let direct = done.is_some_and(|it| (last.at - it.0) > 0.25 * (last.at - first.at));
    if !direct && chart.flag("showLegend", true) {
        let words = [Word::Actual, Word::Planned].map(|it| look.locale.word(it));
        let entries = words.into_iter().zip([colors.actual, colors.planned]);
        area = legend::draw(scene, look, area, entries);
    }
    let gutter = done
        .filter(|it| last.at - it.0 < 0.1 * (last.at - first.at) && chart.flag("showLegend", true));
    let gutter = gutter.map_or(0.0, |it| look.width(&format.text(it.1), look.label) + look.label);
    area.x1 -= gutter.min(area.width() * 0.3);
    let moments: Vec<f64> = days.iter().map(|it| it.at).collect();
    let plot = lay(chart, &moments, (area, range), (look, today.is_some()), scene);
    if chart.flag("showGap", true) {
        gap(&days, &plot, &colors, scene);
    }
    let zero = plot.y.at(0.0);
    axis::base_line(scene, look, (plot.area.x0, zero), (plot.area.x1, zero));
    if let Some(today) = today {
        today_line(&today, &plot, look, scene);
    }
    let planned = plot.line(&days, |it| it.planned);
    let dashed = Stroke::new(colors.planned, 1.75 * look.unit).dashed(5.0, 4.0);
    draw_line("planned", planned, dashed, scene);
    let actual = plot.line(&days, |it| it.actual);
    draw_line("actual", actual, Stroke::new(colors.actual, 2.5 * look.unit).rounded(), scene);
    points(&days, &plot, &colors, (chart, &format), look, scene);
    if chart.flag("showLegend", true) {
        names(&days, &plot, &colors, (direct, &format, frame.area.x1), look, scene);
    }
}

/// Colours of the two lines.
struct Colors {
    planned: crate::color::Color,
    actual: crate::color::Color,
}

impl Colors {
    fn new(chart: &Chart, look: &Look) -> Colors {
        Colors { planned: look.muted, actual: lines::line_color(chart.color(0), look) }
    }
}

/// The records in the order of their dates; without any plan, the ideal one is added.
fn read(chart: &Chart, scene: &mut Scene) -> Vec<Day> {
    let day = |(row, record): (usize, &serde_json::Value)| {
        let number = |key: &str| data::number(data::field(record, key));
        let at = data::moment(data::field(record, "date"))?;
        Some(Day { row, at, planned: number("planned"), actual: number("actual") })
    };
    let mut days: Vec<Day> = chart.data.iter().enumerate().filter_map(day).collect();
    if !days.is_empty() && days.len() < chart.data.len() {
        scene.warn("Records without a readable date are left out.");
    }
    days.sort_by(|one, two| one.at.total_cmp(&two.at));
    let start = days.iter().find_map(|it| Some((it.at, it.actual?)));
    let end = days.last().map(|it| it.at);
    if let (Some((from, value)), Some(to)) = (start, end)
        && to > from
        && days.iter().all(|it| it.planned.is_none())
    {
        for day in days.iter_mut().filter(|it| it.at >= from) {
            day.planned = Some(value * ((to - day.at) / (to - from)));
        }
    }
    days
}

/// The day of the settings, or that of the last actual value, when the plan goes on after it.
fn today(chart: &Chart, days: &[Day], look: &Look) -> Option<Today> {
    let (first, last) = (days.first()?.at, days.last()?.at);
    let found = || days.iter().rev().find(|it| it.actual.is_some()).map(|it| it.at);
    let today = match data::moment(chart.setting("showToday")) {
        Some(_) => Today::given(chart, look, (first, last)),
        None => found().map(|it| Today::on(it, chart, look)),
    };
    today.filter(|it| it.moment < last)
}

fn describe(chart: &Chart, days: &[Day], format: &NumberFormat, scene: &mut Scene) {
    let day = |at: f64| date::day_text(at, true, chart.language());
    let (Some(first), Some(last)) = (days.first(), days.last()) else { return };
    let mut words = format!("Burndown chart from {} to {}.", day(first.at), day(last.at));
    if let Some((it, left)) = days.iter().rev().find_map(|it| Some((it, it.actual?))) {
        words = format!("{words} On {} {} remain", day(it.at), format.text(left));
        words +=
            &it.planned.map_or(".".to_owned(), |it| format!(", planned were {}.", format.text(it)));
    }
    scene.desc = words;
}

/// Lays out and draws rules and both axes.
fn lay(
    chart: &Chart,
    moments: &[f64],
    (mut area, range): (Rect, (f64, f64)),
    (look, dated): (&Look, bool),
    scene: &mut Scene,
) -> Plot {
    area.y0 += axis::title(chart, look, scene, area) + look.label * 0.4;
    // The day stands over its line.
    area.y0 += if dated && area.height() > look.label * 8.0 { look.label * 1.2 } else { 0.0 };
    let lengths = (area.height(), axis::row_spacing(look));
    let values = Values::new(chart, look, range, Zero::Always, lengths, &chart.rules("actual"));
    let left = area.x0 + values.width(look).min(area.width() * 0.4);
    let time = TimeAxis::over(moments, (left, area.x1.max(left + 1.0)), look, chart.language());
    let bottom = (area.y1 - time.height(look)).max(area.y0 + 1.0);
    let plot = Rect::new(left, area.y0, area.x1.max(left + 1.0), bottom);
    let y = Linear { domain: values.domain, range: (plot.y1, plot.y0) };
    values.draw_left(scene, &axis::ruled(chart, look), plot, &y);
    time.draw_marks(scene, look, plot.y1);
    time.draw_labels(scene, look, plot.y1);
    Plot { area: plot, x: time.x, y }
}

/// Fills the space between both lines as far as both go.
fn gap(days: &[Day], plot: &Plot, colors: &Colors, scene: &mut Scene) {
    let both: Vec<Day> =
        days.iter().filter(|it| it.planned.is_some() && it.actual.is_some()).copied().collect();
    let forth = curve::thinned(plot.line(&both, |it| it.actual));
    let back = curve::thinned(plot.line(&both, |it| it.planned));
    if forth.len() < 2 {
        return;
    }
    let mut path = BezPath::new();
    for (index, point) in forth.iter().chain(back.iter().rev()).enumerate() {
        if index == 0 { path.move_to(*point) } else { path.line_to(*point) }
    }
    path.close_path();
    scene.fill(path, colors.actual.with_opacity(0.16));
}

fn draw_line(key: &str, points: Vec<Point>, stroke: Stroke, scene: &mut Scene) {
    if points.len() > 1 {
        scene.tag("line", None, || (Some(key.to_owned()), key.to_owned()));
        scene.push(Form::Polyline { points: curve::thinned(points), stroke });
        scene.untag();
    }
}

/// The line of the day, and its date over it.
fn today_line(today: &Today, plot: &Plot, look: &Look, scene: &mut Scene) {
    let (x, top) = (plot.x.at(today.moment), plot.area.y0 - look.label * 0.3);
    today.line(x, (top, plot.area.y1), look, scene);
    if plot.area.height() > look.label * 5.0 {
        let base = top - look.label * 0.3;
        today.label((x, base), (plot.area.x0, plot.area.x1), look, scene);
    }
}

/// A dot at the last actual value, and dots for pointers.
fn points(
    days: &[Day],
    plot: &Plot,
    colors: &Colors,
    (chart, format): (&Chart, &NumberFormat),
    look: &Look,
    scene: &mut Scene,
) {
    let last = days.iter().rposition(|it| it.actual.is_some());
    for (index, it) in days.iter().enumerate() {
        let Some(actual) = it.actual else { continue };
        let shown = Some(index) == last;
        if !shown && (!scene.interactive || days.len() > 1000) {
            continue;
        }
        scene.tag("point", Some(it.row), || {
            let day = date::day_text(it.at, true, chart.language());
            (Some("actual".to_owned()), format!("{day}: {}", format.text(actual)))
        });
        let fill = if shown { colors.actual } else { colors.actual.with_opacity(0.0) };
        let radius = if shown { 4.5 } else { 5.0 } * look.unit;
        let rim = shown.then(|| Stroke::new(look.background, 1.25 * look.unit));
        scene.circle(plot.at(it.at, actual), radius, fill, rim);
    }
    scene.untag();
}

/// Writes what remains beside the last dot, and the name of the plan over its rest.
fn names(
    days: &[Day],
    plot: &Plot,
    colors: &Colors,
    (direct, format, right): (bool, &NumberFormat, f64),
    look: &Look,
    scene: &mut Scene,
) {
    let size = look.label;
    let Some((day, left)) = days.iter().rev().find_map(|it| Some((it, it.actual?))) else { return };
    let at = plot.at(day.at, left);
    let words = if direct {
        format!("{} {}", look.locale.word(Word::Actual), format.text(left))
    } else {
        format.text(left)
    };
    let wide = look.width(&words, size);
    // Both lines fall: above the plan the space to the right is free, below it the one to the left.
    let above = day.planned.is_none_or(|it| left >= it) || at.x > plot.area.x1 - size;
    let (x, y, anchor) = if above && at.x + size * 0.8 + wide <= right {
        (at.x + size * 0.8, at.y + (CENTER - 0.25) * size, Anchor::Start)
    } else {
        (at.x - size * 0.3, at.y + size * 1.4, Anchor::End)
    };
    let set = look.text(x, y, anchor, size, &words);
    let color = colors.actual.readable_on(look.background, 4.5);
    let own = set.bounds();
    let inside =
        Rect::new(plot.area.x0, plot.area.y0 - size, right + 1.0, plot.area.y1 + size * 0.3);
    if inside.contains_rect(own) {
        scene.text(Text { color, halo: Some(look.background), ..set });
    }
    if direct {
        plan_name(days.iter().filter(|it| it.at > day.at), plot, (inside, own), look, scene);
    }
}

/// Names the plan over the part of its line that runs alone.
fn plan_name<'a>(
    rest: impl Iterator<Item = &'a Day>,
    plot: &Plot,
    (inside, taken): (Rect, Rect),
    look: &Look,
    scene: &mut Scene,
) {
    let size = look.label;
    let rest: Vec<Point> = rest.filter_map(|it| Some(plot.at(it.at, it.planned?))).collect();
    let name = |share: usize| {
        let at = rest.get(rest.len() * share / 8)?;
        let set = look.text(
            at.x + size * 0.5,
            at.y - size * 0.5,
            Anchor::Start,
            size,
            look.locale.word(Word::Planned),
        );
        let bounds = set.bounds();
        (inside.contains_rect(bounds) && !bounds.overlaps(taken)).then_some(set)
    };
    if let Some(set) = [4, 3, 2, 1, 5].into_iter().find_map(name) {
        scene.text(Text { color: look.muted, halo: Some(look.background), ..set });
    }
}
