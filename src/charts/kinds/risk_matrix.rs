//! Risks in a field of five by five, by how likely they are and how much they would harm.
//!
//! Record: `label`, `probability` and `impact` (1 to 5), `highlighted`. Settings: `labels`
//! (`auto`, `names`, `numbers`), `probabilityTitles` and `impactTitles` (five names each),
//! `xTitle`, `yTitle`, `lowColor`, `highColor`, `showList`.

mod items;

use std::borrow::Cow;

use kurbo::{Point, Rect};

use crate::Chart;
use crate::Scene;
use crate::color::Color;
use crate::data;
use crate::format::Term;
use crate::frame;
use crate::frame::category;
use crate::frame::category::{ColumnLabels, RowLabels};
use crate::frame::{ChartStyle, Frame};
use crate::kinds::Kind;
use crate::scale::BandScale;
use crate::scene::{ASCENT_EM, Anchor, Text};
use crate::text;
use crate::text::Face;

/// The risk matrix.
pub const KIND: Kind = Kind { slug: "risk-matrix", draw };

/// Room in points below which no names stand beside rows.
const SMALLEST_NAMES: f64 = 18.0;
/// Steps of either axis.
const STEPS: usize = 5;

/// One risk in its cell.
pub struct Risk<'a> {
    /// Place of its record.
    pub row: usize,
    /// Counted from 1, the worst first; in the order of the data when no list is wanted.
    pub number: usize,
    /// Name.
    pub label: Cow<'a, str>,
    /// Step of the likelihood from 0.
    pub likely: usize,
    /// Step of the harm from 0.
    pub harm: usize,
    /// Whether it is to stand out.
    pub highlighted: bool,
}

/// Where the cells stand and how they look.
pub struct Field {
    /// Cells and gaps.
    pub plot: Rect,
    columns: BandScale,
    rows: BandScale,
    fills: [Color; 4],
}

impl Field {
    /// The box of a cell.
    pub fn cell(&self, likely: usize, harm: usize) -> Rect {
        let (x, y) = (self.columns.start(harm), self.rows.start(STEPS - 1 - likely));
        Rect::new(x, y, x + self.columns.width(), y + self.rows.width())
    }

    /// The fill of a cell: four grades of likelihood times harm.
    pub fn fill(&self, likely: usize, harm: usize) -> Color {
        let [low, medium, high, extreme] = self.fills;
        match (likely + 1) * (harm + 1) {
            0..=4 => low,
            5..=9 => medium,
            10..=14 => high,
            _ => extreme,
        }
    }
}

fn draw(chart: &Chart, frame: &Frame, scene: &mut Scene) {
    let risks = read(chart, scene);
    if risks.is_empty() {
        return frame::draw_no_data(frame, scene);
    }
    let style = &frame.style;
    // Names in cells need wide cells; numbers leave half of the width to the list of names.
    let named = if chart.str_setting("labels") == "numbers" {
        None
    } else {
        let aside = &mut Scene::new(1.0, 1.0, style.background);
        let size = items::name_size(&risks, &field(chart, frame.area, style, aside), style);
        size.or((chart.str_setting("labels") == "names").then_some(style.small_size))
    };
    let listed = named.is_none() && chart.bool_setting("showList", true);
    let gap = style.label_size * 1.6;
    let share = if frame.area.width() > frame.area.height() * 1.5 { 0.56 } else { 0.62 };
    let beside = listed && frame.area.width() > style.label_size * 22.0;
    let (field_area, list_area) = if beside {
        let split = frame.area.x0 + frame.area.width() * share;
        (
            Rect { x1: split - gap / 2.0, ..frame.area },
            Some(Rect { x0: split + gap / 2.0, ..frame.area }),
        )
    } else {
        (frame.area, None)
    };
    let field = field(chart, field_area, style, scene);
    cells(&field, scene);
    match named {
        Some(size) => items::names(&risks, &field, size, style, scene),
        None => items::numbers(chart, &risks, &field, style, scene),
    }
    if let Some(area) = list_area {
        items::list(chart, &risks, &field, Rect { y0: field.plot.y0, ..area }, style, scene);
    }
    describe(&risks, scene);
}

fn read<'a>(chart: &Chart<'a>, scene: &mut Scene) -> Vec<Risk<'a>> {
    let (mut missing, mut beyond) = (0, 0);
    let mut risks = Vec::new();
    for (row, record) in chart.data.iter().enumerate() {
        let number = |key: &str| data::number(data::field(record, key));
        let (Some(likely), Some(harm)) = (number("probability"), number("impact")) else {
            missing += usize::from(!data::record_label(record).is_empty());
            continue;
        };
        let step = |it: f64| (it.clamp(1.0, STEPS as f64).round() as usize).saturating_sub(1);
        if [likely, harm].iter().any(|it| !(0.5..=5.5).contains(it)) {
            beyond += 1;
        }
        risks.push(Risk {
            row,
            number: 0,
            label: data::record_label(record),
            likely: step(likely),
            harm: step(harm),
            highlighted: data::is_true(data::field(record, "highlighted")),
        });
    }
    if chart.bool_setting("showList", true) {
        // The list begins with the worst, and counts from 1.
        risks.sort_by_key(|it: &Risk| std::cmp::Reverse((it.likely + 1) * (it.harm + 1)));
    }
    for (index, risk) in risks.iter_mut().enumerate() {
        risk.number = index + 1;
    }
    if missing > 0 && !risks.is_empty() {
        scene.warn(format!("Risks without probability or impact: {missing}."));
    }
    if beyond > 0 {
        scene.warn(format!("Risks beyond the scale of 1 to 5, drawn at its ends: {beyond}."));
    }
    risks
}

/// Five names of an axis: the document's, or numbers.
fn titles<'a>(chart: &Chart<'a>, key: &str) -> Vec<Cow<'a, str>> {
    let list = chart.settings[key].as_array();
    let own = |index: usize| list.and_then(|it| it.get(index)).map(data::display_text);
    let title = |index: usize| own(index).filter(|it| !it.is_empty());
    let usual = numbers();
    (0..).zip(usual).map(|(index, usual)| title(index).unwrap_or(usual)).collect()
}

/// The steps of an axis by number.
fn numbers<'a>() -> Vec<Cow<'a, str>> {
    (1..=STEPS).map(|it| Cow::Owned(it.to_string())).collect()
}

/// Names of an axis; empty ones take the usual word.
fn axis_title<'a>(chart: &Chart<'a>, key: &str, usual: Term) -> Cow<'a, str> {
    let own = &chart.settings[key];
    if own.is_string() {
        data::display_text(own)
    } else {
        Cow::Borrowed(chart.locale().translate(usual))
    }
}

/// Draws the titles of both axes where there is room; returns what they leave.
fn axis_titles(chart: &Chart, area: Rect, style: &ChartStyle, scene: &mut Scene) -> Rect {
    let size = style.label_size;
    if area.height() <= size * 13.0 {
        return area;
    }
    let upper = axis_title(chart, "yTitle", Term::Probability);
    let lower = axis_title(chart, "xTitle", Term::Impact);
    let mut line = |words: &str, x: f64, base: f64, anchor: Anchor| {
        let shown = text::ellipsize(words, area.width(), size, Face::BOLD);
        let width = text::width(&shown, size, Face::BOLD);
        let set = style.label_text(x, base, anchor, size, &shown);
        scene.text(Text { face: Face::BOLD, width, ..set });
    };
    line(&upper, area.x0, area.y0 + ASCENT_EM * size, Anchor::Start);
    line(&lower, area.x1, area.y1 - size * 0.25, Anchor::End);
    let above = if upper.is_empty() { 0.0 } else { size * 1.5 };
    let below = if lower.is_empty() { 0.0 } else { size * 1.35 };
    Rect { y0: area.y0 + above, y1: area.y1 - below, ..area }
}

/// Lays out the field and draws the names of its axes.
fn field(chart: &Chart, area: Rect, style: &ChartStyle, scene: &mut Scene) -> Field {
    let top = area.y0;
    let area = axis_titles(chart, area, style, scene);
    let padding = 0.04;
    let mut across = titles(chart, "probabilityTitles");
    let mut under = titles(chart, "impactTitles");
    across.reverse();
    let step = (area.y1 - top) / 6.0;
    let mut rows = RowLabels::plan(&across, step, area.width() * 0.3, style);
    let band = |left: f64| BandScale {
        count: STEPS,
        range: (left, area.x1),
        padding,
        max_width: f64::INFINITY,
    };
    let mut columns = band(area.x0 + rows.width);
    let mut names = ColumnLabels::plan(&under, columns.step(), area.height() * 0.4, style);
    if names.height > style.unit * category::CATEGORY_LABEL_GAP + style.label_size * 2.3 {
        // Turned names would take the room of the cells.
        under = numbers();
        across = numbers().into_iter().rev().collect();
        rows = RowLabels::plan(&across, step, area.width() * 0.3, style);
        columns = band(area.x0 + rows.width);
        names = ColumnLabels::plan(&under, columns.step(), area.height() * 0.4, style);
    }
    let plot =
        Rect::new(columns.range.0, area.y0, area.x1, (area.y1 - names.height).max(area.y0 + 5.0));
    // Now that the height of the rows is known, names take as many lines as fit.
    let least = SMALLEST_NAMES + style.unit * 8.0;
    let rows =
        RowLabels::plan(&across, plot.height() / STEPS as f64, rows.width.max(least) + 0.1, style);
    // Gaps as wide as high.
    let gap = (columns.step() * padding).min(3.0 * style.unit);
    let thin = |step: f64| (gap / step.max(1.0)).min(0.5);
    let columns = BandScale { padding: thin(columns.step()), ..columns };
    let rows_band = BandScale {
        count: STEPS,
        range: (plot.y0, plot.y1),
        padding: thin(plot.height() / 5.0),
        max_width: f64::INFINITY,
    };
    rows.draw(scene, style, area.x0, &rows_band);
    names.draw(scene, style, plot, &columns);
    let own = |key: &str, usual: Color| Color::parse(chart.str_setting(key)).unwrap_or(usual);
    let low = own("lowColor", chart.theme.highlight_color.mix(style.background, 0.9));
    let high = own("highColor", chart.theme.highlight_color);
    let fills = [low, low.mix(high, 0.3), low.mix(high, 0.62), high];
    Field { plot, columns, rows: rows_band, fills }
}

fn cells(field: &Field, scene: &mut Scene) {
    for likely in 0..STEPS {
        for harm in 0..STEPS {
            scene.rect(field.cell(likely, harm), field.fill(likely, harm));
        }
    }
}

/// A box within another with the same middle.
pub fn inset(rect: Rect, by: f64) -> Rect {
    Rect::from_center_size(
        Point::new(rect.center().x, rect.center().y),
        ((rect.width() - by * 2.0).max(0.0), (rect.height() - by * 2.0).max(0.0)),
    )
}

/// Says how many risks there are and which is the worst.
fn describe(risks: &[Risk], scene: &mut Scene) {
    let grade = |it: &Risk| (it.likely + 1) * (it.harm + 1);
    let grave = risks.iter().filter(|it| grade(it) >= 15).count();
    if let Some(worst) = risks.iter().rev().max_by_key(|it| grade(it)) {
        let plural = if risks.len() == 1 { "" } else { "s" };
        scene.description = format!(
            "Risk matrix of {} risk{plural}, {grave} of them in the highest grade; the worst is {} (probability {}, impact {}).",
            risks.len(),
            worst.label,
            worst.likely + 1,
            worst.harm + 1,
        );
    }
}
