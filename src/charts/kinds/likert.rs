//! Likert chart: shares of answers as bars around a middle line, rejection on the left, approval on
//! the right.
//!
//! Record: `question` (or `label`), one column per step of the scale in the order from rejection to
//! approval, `highlighted`. Columns such as `No answer` at an end are outside the scale and drawn
//! in gray at the right. Settings: `series` (`key`, `title`, `color` of the steps), `neutral`
//! (`center`, `aside`), `sort` (by approval), `showValues`, `showTotals`, `showLegend`, `showGrid`,
//! `positiveColor`, `negativeColor`, `neutralColor`.

mod answers;
mod narrow_labels;

use std::borrow::Cow;

use kurbo::Rect;

use crate::Chart;
use crate::Scene;
use crate::color::Color;
use crate::format::{FormatRules, NumberFormat};
use crate::frame;
use crate::frame::axis;
use crate::frame::axis::{IncludeZero, ValueAxis};
use crate::frame::bands;
use crate::frame::category::RowLabels;
use crate::frame::legend;
use crate::frame::{ChartStyle, Frame};
use crate::kinds::Kind;
use crate::percentages;
use crate::scale::{BandScale, LinearScale};
use crate::scene::{Anchor, HALF_CAP_HEIGHT_EM, Stroke, Text};
use crate::text;
use crate::text::Face;
use crate::value_labels::ValueLabelCount;
use answers::{LikertScale, Question, SideShares, Step, read_questions, read_steps};
use narrow_labels::NarrowLabels;

pub(super) use answers::runs_to_rejection;

/// The Likert chart.
pub const KIND: Kind = Kind { slug: "likert", draw };

/// Format of the shares shown in the bars.
struct ValueLabels {
    format: NumberFormat,
    decimals: usize,
    /// Font size in points. None if the labels do not fit or are switched off.
    font_size: Option<f64>,
}

/// Inputs common to the bars of all questions.
struct BarContext<'a> {
    steps: &'a [Step],
    scale: LikertScale,
    plot: &'a Plot,
    labels: ValueLabels,
    /// Whether a question is highlighted, which fades the others.
    any_highlighted: bool,
}

/// Layout of the plot.
struct Plot {
    /// Rectangle of the bars, without the column of neutral answers.
    area: Rect,
    /// Positions of the questions.
    band: BandScale,
    /// Positions of percentages, negative left of the middle line.
    x: LinearScale,
    /// Left edge in points of the column of neutral answers with their own column, and of answers
    /// outside the scale.
    aside_x: f64,
}

/// Draws the legend, one bar per question, and with their settings the axis and the totals. There
/// are no totals if the bars have no values. Draws a note instead if there are no answers.
fn draw(chart: &Chart, frame: &Frame, scene: &mut Scene) {
    let style = &frame.style;
    let (steps, scale) = read_steps(chart, style);
    let questions = read_questions(chart, scale, scene);
    if questions.is_empty() {
        return frame::draw_no_data(frame, scene);
    }
    let mut area = frame.area;
    if chart.bool_setting("showLegend", true) && steps.len() > 1 {
        area = legend::draw(
            scene,
            style,
            area,
            steps.iter().map(|step| (step.title.as_str(), step.color)),
        );
    }
    let with_totals = chart.bool_setting("showTotals", false);
    let plot = draw_axes(chart, &questions, scale, area, with_totals, style, scene);
    let line_crosses_neutral = scale.middle_index().is_some() && !scale.neutral_is_aside;
    if line_crosses_neutral {
        draw_middle_line(&plot, style, scene);
    }
    let font_size = choose_value_label_size(chart, &plot, style);
    let labels = ValueLabels {
        format: create_percent_format(chart),
        decimals: choose_share_decimals(chart),
        font_size,
    };
    let any_highlighted = questions.iter().any(|question| question.highlighted);
    let context = BarContext { steps: &steps, scale, plot: &plot, labels, any_highlighted };
    let mut value_labels = ValueLabelCount::default();
    for (index, question) in questions.iter().enumerate() {
        draw_bar(question, index, &context, style, &mut value_labels, scene);
    }
    if chart.bool_setting("showValues", true) {
        value_labels.report_segments(chart.bool_setting("showGrid", false), scene);
    }
    // A line that crosses the neutral answers is drawn below them, because it would strike through
    // their values.
    if !line_crosses_neutral {
        draw_middle_line(&plot, style, scene);
    }
    if let (true, Some(font_size)) = (with_totals, font_size) {
        draw_totals(chart, &questions, scale, &plot, font_size, style, scene);
    }
    describe(&questions, scale, scene);
}

/// Lays out the plot and draws the labels of the questions. With the setting `showGrid`, also draws
/// the axis and the grid.
///
/// All questions share the scale and the middle line. With totals, leaves space for them on both
/// sides of the bars, and at the right for the column of answers beside the scale.
fn draw_axes(
    chart: &Chart,
    questions: &[Question],
    scale: LikertScale,
    area: Rect,
    with_totals: bool,
    style: &ChartStyle,
    scene: &mut Scene,
) -> Plot {
    let with_grid = chart.bool_setting("showGrid", false);
    let axis_height = if with_grid { ValueAxis::bottom_height(style) } else { 0.0 };
    let bottom = (area.y1 - axis_height).max(area.y0 + 1.0);
    let max_thickness = 40.0 * style.unit;
    let band = BandScale {
        count: questions.len(),
        range: (area.y0, bottom),
        padding: 0.28,
        max_width: max_thickness,
    };
    let labels: Vec<Cow<str>> = questions.iter().map(|question| question.label.clone()).collect();
    let rows = RowLabels::plan_uncut(
        &labels,
        band.step(),
        (area.width() * 0.36, area.width() * 0.5),
        style,
    );
    let total_width = if with_totals {
        style.text_width("100%", style.label_size) + style.label_size
    } else {
        0.0
    };
    let left = (area.x0 + rows.width + total_width).min(area.x1 - 2.0);
    let plot = Rect::new(left, area.y0, (area.x1 - total_width).max(left + 1.0), bottom);
    let max = find_max_side_shares(questions, scale);
    let gap = if max.aside > 0.0 { style.label_size * 2.0 } else { 0.0 };
    let total_percent = (max.left + max.right + max.aside).max(1.0);
    let width = (plot.width() - gap).max(1.0) * (max.left + max.right) / total_percent;
    let plot = Rect { x1: plot.x0 + width, ..plot };
    let domain = (-max.left, max.right.max(1.0 - max.left));
    let x = LinearScale { domain, range: (plot.x0, plot.x1) };
    if with_grid {
        draw_percent_axis(chart, plot, &x, style, scene);
    }
    rows.draw(scene, style, area.x0, &band);
    Plot {
        area: plot,
        band,
        x,
        aside_x: plot.x1 + gap + if with_totals { total_width } else { 0.0 },
    }
}

/// Returns the greatest share in percent of any question, separately for the left side, the right
/// side and the answers beside the bars. The three can be of different questions.
fn find_max_side_shares(questions: &[Question], scale: LikertScale) -> SideShares {
    let sides = questions.iter().map(|question| scale.split_at_middle(&question.shares));
    sides.fold(SideShares { left: 0.0, right: 0.0, aside: 0.0 }, |max, sides| SideShares {
        left: max.left.max(sides.left),
        right: max.right.max(sides.right),
        aside: max.aside.max(sides.aside),
    })
}

/// Draws the percent axis and its gridlines. Labels on both sides of the middle line are positive.
fn draw_percent_axis(
    chart: &Chart,
    plot: Rect,
    x: &LinearScale,
    style: &ChartStyle,
    scene: &mut Scene,
) {
    let lengths = (plot.width(), axis::x_tick_spacing(style));
    let mut axis = ValueAxis::fixed(
        chart,
        style,
        x.domain,
        IncludeZero::Always,
        lengths,
        &FormatRules::default(),
    );
    axis.domain = x.domain;
    axis.ticks.values.retain(|tick| *tick >= x.domain.0 && *tick <= x.domain.1);
    let format = create_percent_format(chart);
    axis.labels = axis.ticks.values.iter().map(|tick| format.text(tick.abs())).collect();
    axis.draw_bottom(scene, style, plot, x);
}

/// Returns the number format of shares, which are numbers from 0 to 100, with a percent sign.
fn create_percent_format(chart: &Chart) -> NumberFormat {
    NumberFormat::for_shares(choose_share_decimals(chart), &FormatRules::default(), chart.locale())
        .with_percent()
}

/// Returns the number of decimals of shares: the setting of the first series, at most 2. 0 without
/// a setting.
fn choose_share_decimals(chart: &Chart) -> usize {
    let first = chart.series().into_iter().next();
    first.and_then(|series| chart.format_rules(&series.key).decimals).unwrap_or(0).min(2)
}

/// Returns the larger of the two label sizes, in points, that fits the thickness of the bars. None
/// if the bars are too thin or values are switched off.
fn choose_value_label_size(chart: &Chart, plot: &Plot, style: &ChartStyle) -> Option<f64> {
    let fits = |size: &f64| *size * 1.15 <= plot.band.width();
    let values_wanted = chart.bool_setting("showValues", true);
    [style.label_size, style.small_size].into_iter().find(fits).filter(|_| values_wanted)
}

/// Draws the shares of one question as adjacent segments of a bar. A segment that is too narrow for
/// its label has it above the bar if the space is free. `index` is the position of the question from
/// the top.
///
/// Neutral answers with their own column and answers outside the scale are drawn there. Adds the shares
/// above zero to `value_labels`.
fn draw_bar(
    question: &Question,
    index: usize,
    context: &BarContext,
    style: &ChartStyle,
    value_labels: &mut ValueLabelCount,
    scene: &mut Scene,
) {
    let BarContext { steps, scale, plot, labels, any_highlighted } = context;
    let fade = if *any_highlighted && !question.highlighted { 0.55 } else { 0.0 };
    let (top, thickness) = (plot.band.start(index), plot.band.width());
    let per_percent = plot.area.width() / (plot.x.domain.1 - plot.x.domain.0).max(1.0);
    let mut aside_percent = 0.0;
    let mut narrow = NarrowLabels::default();
    let mut from_percent = -scale.split_at_middle(&question.shares).left;
    if labels.font_size.is_some() {
        percentages::note_rounding(&question.shares, labels.decimals, scene);
    }
    for (step_index, (share, step)) in question.shares.iter().zip(*steps).enumerate() {
        if *share <= 0.0 {
            continue;
        }
        let label = labels.format.text(*share);
        scene.begin_mark("bar", Some(question.row), || {
            (None, format!("{}: {}, {label}", question.label, step.title))
        });
        let (from, to) = if scale.is_aside(step_index) {
            let left = plot.aside_x + aside_percent * per_percent;
            aside_percent += share;
            (left, left + share * per_percent)
        } else {
            let left = plot.x.at(from_percent);
            from_percent += share;
            (left, plot.x.at(from_percent))
        };
        let rect = Rect::new(from, top, to, top + thickness);
        let fill = step.color.mix(style.background, fade);
        scene.rect(rect, fill);
        // A hairline in the background color separates segments with similar colors.
        if rect.width() > 4.0 {
            let edge = Stroke::new(style.background, 1.0);
            scene.line((rect.x1, rect.y0), (rect.x1, rect.y1), edge);
        }
        let is_labeled = draw_inner_label(&label, rect, fill, labels.font_size, style, scene);
        match labels.font_size {
            Some(_) if !is_labeled => narrow.add(rect, label),
            _ => value_labels.add(*share, is_labeled),
        }
    }
    scene.end_mark();
    let above = index.checked_sub(1).map(|previous| plot.band.start(previous) + thickness);
    let are_drawn = narrow.draw(above.unwrap_or(plot.area.y0), style, scene);
    // Every narrow segment has a share above zero.
    are_drawn.into_iter().for_each(|is_labeled| value_labels.add(1.0, is_labeled));
}

/// Draws a label in the middle of a segment with the color `fill`. Returns false without drawing it if it
/// does not fit, or without a font size.
fn draw_inner_label(
    label: &str,
    segment: Rect,
    fill: Color,
    font_size: Option<f64>,
    style: &ChartStyle,
    scene: &mut Scene,
) -> bool {
    let fits = |size: &f64| style.text_width(label, *size) + size * 0.5 <= segment.width();
    let Some(size) = font_size.filter(fits) else { return false };
    let (x, y) = (segment.center().x, segment.center().y + HALF_CAP_HEIGHT_EM * size);
    let color = bands::inner_label_color(fill);
    scene.text(Text { color, ..style.label_text(x, y, Anchor::Middle, size, label) });
    true
}

/// Draws the vertical line between rejection and approval.
fn draw_middle_line(plot: &Plot, style: &ChartStyle, scene: &mut Scene) {
    let zero = plot.x.at(0.0);
    let (top, bottom) = (plot.area.y0, plot.area.y1);
    scene.line((zero, top), (zero, bottom), Stroke::new(style.axis_color, 1.0));
}

/// Draws the sum of rejection left of each bar and the sum of approval right of it, in percent.
/// Neutral answers are not counted. `font_size` is in points.
fn draw_totals(
    chart: &Chart,
    questions: &[Question],
    scale: LikertScale,
    plot: &Plot,
    font_size: f64,
    style: &ChartStyle,
    scene: &mut Scene,
) {
    let format = create_percent_format(chart);
    for (index, question) in questions.iter().enumerate() {
        let SideShares { left, right, .. } = scale.split_at_middle(&question.shares);
        let (rejection, approval) = scale.sum_opinions(&question.shares);
        let baseline = plot.band.center(index) + HALF_CAP_HEIGHT_EM * font_size;
        let gap = font_size * 0.5;
        for (share, x, anchor) in [
            (rejection, plot.x.at(-left) - gap, Anchor::End),
            (approval, plot.x.at(right) + gap, Anchor::Start),
        ] {
            let label = format.text(share);
            let width = text::width(&label, font_size, Face::BOLD);
            let label_text = style.label_text(x, baseline, anchor, font_size, &label);
            scene.text(Text { face: Face::BOLD, width, color: style.value_color, ..label_text });
        }
    }
}

/// Sets the text description of the scene: the number of questions and steps, and the questions
/// with the highest and the lowest approval, without neutral answers.
fn describe(questions: &[Question], scale: LikertScale, scene: &mut Scene) {
    let approval = |question: &Question| scale.sum_opinions(&question.shares).1;
    let highest = questions.iter().max_by(|a, b| approval(a).total_cmp(&approval(b)));
    let lowest = questions.iter().min_by(|a, b| approval(a).total_cmp(&approval(b)));
    if let (Some(highest), Some(lowest)) = (highest, lowest) {
        let plural = if questions.len() == 1 { "" } else { "s" };
        scene.description = format!(
            "Likert chart of {} question{plural} on {} steps; approval from {:.0}% ({}) to {:.0}% ({}).",
            questions.len(),
            scale.count,
            approval(lowest),
            lowest.label,
            approval(highest),
            highest.label,
        );
    }
}
