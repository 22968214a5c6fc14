//! Columns side by side, one a series, in a group for each record.
//!
//! Record: `label` and a number for each series. Settings: `series` (`key`, `title`, `color`),
//! `mode` (`grouped`, `stacked`, `percent`), `orientation`, `showValues`, `showLegend`,
//! `showGrid`, `axis`.

use crate::Chart;
use crate::Scene;
use crate::Series;
use crate::data;
use crate::format::NumberFormat;
use crate::frame;
use crate::frame::Frame;
use crate::frame::bands;
use crate::frame::bands::{Bands, Wish};
use crate::frame::legend;
use crate::kinds::Kind;
use crate::kinds::stacked_column;
use crate::scale::Band;

pub const KIND: Kind = Kind { slug: "grouped-column", draw };

fn draw(chart: &Chart, frame: &Frame, scene: &mut Scene) {
    match chart.word("mode") {
        "stacked" => stacked_column::stacks(chart, frame, scene, false),
        "percent" => stacked_column::stacks(chart, frame, scene, true),
        _ => groups(chart, frame, scene),
    }
}

/// Space between groups as a share of a column.
const GROUP_GAP: f64 = 0.65;

/// Draws the groups.
pub fn groups(chart: &Chart, frame: &Frame, scene: &mut Scene) {
    let series = chart.series();
    let values = read(chart, &series);
    if values.iter().flatten().all(Option::is_none) {
        return frame::no_data(frame, scene);
    }
    let look = &frame.look;
    let upright = chart.word("orientation") != "horizontal";
    let mut area = frame.area;
    if series.len() > 1 && chart.flag("showLegend", true) {
        area = legend::draw(scene, look, area, series.iter().map(|it| (&*it.title, it.color)));
    }
    let rules = chart.rules(&series[0].key);
    let all = || values.iter().flatten().flatten().copied();
    let format = NumberFormat::for_values(all(), &rules, chart.language());
    describe(chart, &series, &format, all(), scene);
    let text = |it: &Option<f64>| it.map_or(String::new(), |it| format.text(it));
    let words: Vec<Vec<String>> =
        values.iter().map(|column| column.iter().map(text).collect()).collect();
    let widths = |size: f64| words.iter().flatten().map(move |it| look.width(it, size));
    let count = series.len() as f64;
    let padding = GROUP_GAP / (count + GROUP_GAP);
    let length = if upright { area.width() * 0.94 } else { area.height() };
    let column = length / chart.data.len() as f64 * (1.0 - padding) / count;
    let fits = |size: &f64| {
        let widest = widths(*size).fold(0.0, f64::max);
        if upright {
            widest + 1.0 <= column && area.height() > size * 7.0
        } else {
            size * 1.05 <= column
        }
    };
    let size = [look.label, look.small].into_iter().find(fits);
    let size = size.filter(|_| chart.flag("showValues", true));
    let room =
        size.map_or(0.0, |it| bands::label_room(upright, it, widths(it).fold(0.0, f64::max)));
    let names: Vec<_> = chart.data.iter().map(data::label).collect();
    let wish = Wish {
        names: &names,
        upright,
        range: all().fold((0.0, 0.0), |(low, high), it| (low.min(it), high.max(it))),
        rules: &rules,
        room: (room, room),
        // Figures at the marks say more than an axis does; both would say it twice.
        axis: size.is_none() || chart.flag("showGrid", false),
        padding,
        most: count * if upright { 56.0 } else { 30.0 } * look.unit,
        flush: false,
    };
    let ground = Bands::new(chart, look, scene, area, &wish);
    marks(&series, (&values, &words), &ground, frame, size, scene);
    ground.base_line(look, scene);
}

/// The numbers of each series, in the order of the records.
fn read(chart: &Chart, series: &[Series]) -> Vec<Vec<Option<f64>>> {
    let number = |record, key| data::number(data::field(record, key));
    series.iter().map(|it| chart.data.iter().map(|row| number(row, &it.key)).collect()).collect()
}

fn describe(
    chart: &Chart,
    series: &[Series],
    format: &NumberFormat,
    values: impl Iterator<Item = f64> + Clone,
    scene: &mut Scene,
) {
    let low = values.clone().fold(f64::INFINITY, f64::min);
    let high = values.fold(f64::NEG_INFINITY, f64::max);
    let titles: Vec<&str> = series.iter().map(|it| &*it.title).collect();
    scene.desc = format!(
        "Grouped bar chart of {} groups with {} series ({}), values from {} to {}.",
        chart.data.len(),
        series.len(),
        titles.join(", "),
        format.text(low),
        format.text(high),
    );
}

type Columns<T> = [Vec<T>];

fn marks(
    series: &[Series],
    (values, words): (&Columns<Option<f64>>, &Columns<String>),
    ground: &Bands,
    frame: &Frame,
    size: Option<f64>,
    scene: &mut Scene,
) {
    let group = ground.band.width();
    // Touching columns are parted by the background, unless they are too thin to give any away.
    let gap = if group / series.len() as f64 >= 5.0 { 1.0 } else { 0.0 };
    for row in 0..values.first().map_or(0, Vec::len) {
        let start = ground.band.start(row);
        let inner = Band {
            count: series.len(),
            range: (start, start + group),
            padding: 0.0,
            most: f64::INFINITY,
        };
        for (index, one) in series.iter().enumerate() {
            let Some(value) = values[index][row] else { continue };
            let words = &words[index][row];
            scene.tag("bar", Some(row), || {
                (Some(one.key.clone()), format!("{}: {words}", one.title))
            });
            let from = inner.start(index) + gap / 2.0;
            let rect = ground.rect((from, from + inner.width() - gap), (0.0, value));
            scene.rect(rect, one.color);
            if let Some(size) = size {
                scene.text(ground.end_label(&frame.look, rect, value < 0.0, size, words));
            }
        }
    }
    scene.untag();
}
