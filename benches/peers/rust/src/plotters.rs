//! The five workloads in plotters, composed of its elements because it has no grouped bars and no
//! Gantt chart.

use std::path::Path;

use chrono::{Days, NaiveDate};
use plotters::coord::Shift;
use plotters::element::{Circle, PathElement, Pie, Rectangle, Text};
use plotters::prelude::{
    BitMapBackend, ChartBuilder, Color, DrawingArea, DrawingBackend, FontStyle, IntoDrawingArea,
    IntoFont, IntoTextStyle, LineSeries, Palette, Palette99, RGBColor, SVGBackend,
    SeriesLabelPosition, WHITE,
};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use serde_json::Value;

use crate::PIXELS;
use crate::Result;
use crate::SIZE;
use crate::SUBTITLE;
use crate::TITLE;

const BLUE: RGBColor = RGBColor(63, 144, 218);

/// A workload with its parsed data. Only rendering is timed.
pub enum Workload {
    /// Labels, and name and values of each series.
    Bars(Vec<String>, Vec<(String, Vec<f64>)>),
    Lines(Vec<(String, Vec<f64>)>),
    Slices(Vec<(String, f64)>),
    Points(Vec<(f64, f64)>),
    Tasks(Vec<(String, NaiveDate, NaiveDate)>),
}

/// Registers a font with the library, which otherwise uses the fonts of the machine.
pub fn register_font() -> Result<()> {
    plotters::style::register_font("sans-serif", FontStyle::Normal, notosans::REGULAR_TTF)
        .map_err(|_| "the font was refused".into())
}

impl Workload {
    /// Parses the records of the workload with this name.
    pub fn parse(name: &str, data: &[Value]) -> Result<Workload> {
        let text = |record: &Value, key: &str| record[key].as_str().unwrap_or_default().to_owned();
        let number = |record: &Value, key: &str| record[key].as_f64().unwrap_or_default();
        Ok(match name {
            "W1" => Workload::Bars(
                data.iter().map(|record| text(record, "label")).collect(),
                collect_series(data),
            ),
            "W2" => Workload::Lines(collect_series(data)),
            "W3" => Workload::Slices(
                data.iter()
                    .map(|record| (text(record, "label"), number(record, "value")))
                    .collect(),
            ),
            "W4" => Workload::Points(
                data.iter().map(|record| (number(record, "x"), number(record, "y"))).collect(),
            ),
            _ => {
                let task = |record: &Value| {
                    Ok((
                        text(record, "label"),
                        text(record, "start").parse()?,
                        text(record, "end").parse()?,
                    ))
                };
                Workload::Tasks(data.iter().map(task).collect::<Result<_>>()?)
            }
        })
    }

    /// Renders the workload as SVG text.
    pub fn render_svg(&self) -> Result<String> {
        let mut out = String::new();
        self.draw(&SVGBackend::with_string(&mut out, SIZE).into_drawing_area(), 1)?;
        Ok(out)
    }

    /// Renders the workload as a PNG file with the bitmap backend.
    pub fn render_png(&self, path: &Path) -> Result<()> {
        self.draw(&BitMapBackend::new(path, PIXELS).into_drawing_area(), 2)
    }

    /// Draws on an area with all lengths multiplied by `scale`.
    fn draw<B: DrawingBackend>(&self, root: &DrawingArea<B, Shift>, scale: i32) -> Result<()>
    where
        B::ErrorType: 'static,
    {
        root.fill(&WHITE)?;
        let area = root.titled(TITLE, ("sans-serif", 20 * scale))?;
        let area = area.titled(SUBTITLE, ("sans-serif", 13 * scale))?;
        match self {
            Workload::Bars(labels, series) => draw_bars(&area, labels, series, scale)?,
            Workload::Lines(series) => draw_lines(&area, series, scale)?,
            Workload::Slices(slices) => draw_pie(&area, slices, scale)?,
            Workload::Points(points) => draw_scatter(&area, points, scale)?,
            Workload::Tasks(tasks) => draw_gantt(&area, tasks, scale)?,
        }
        root.present()?;
        Ok(())
    }
}

fn collect_series(data: &[Value]) -> Vec<(String, Vec<f64>)> {
    let first_record = data.first().and_then(Value::as_object);
    let keys = first_record
        .into_iter()
        .flat_map(|first_record| first_record.keys())
        .filter(|key| *key != "label");
    let values =
        |key: &String| data.iter().map(|record| record[key].as_f64().unwrap_or_default()).collect();
    keys.map(|key| (key.clone(), values(key))).collect()
}

fn find_range(values: impl Iterator<Item = f64>) -> (f64, f64) {
    values.fold((f64::MAX, f64::MIN), |(low, high), value| (low.min(value), high.max(value)))
}

type Area<B> = DrawingArea<B, Shift>;

fn draw_bars<B: DrawingBackend>(
    area: &Area<B>,
    labels: &[String],
    series: &[(String, Vec<f64>)],
    scale: i32,
) -> Result<()>
where
    B::ErrorType: 'static,
{
    let max_value = find_range(series.iter().flat_map(|columns| columns.1.iter().copied())).1;
    let mut chart = ChartBuilder::on(area)
        .margin(10 * scale)
        .x_label_area_size(30 * scale)
        .y_label_area_size(40 * scale)
        .build_cartesian_2d(0.0..labels.len() as f64, 0.0..max_value * 1.1)?;
    let name = |x: &f64| labels.get(*x as usize).cloned().unwrap_or_default();
    chart
        .configure_mesh()
        .disable_x_mesh()
        .x_labels(labels.len())
        .x_label_formatter(&name)
        .label_style(("sans-serif", 12 * scale))
        .draw()?;
    let width = 0.8 / series.len() as f64;
    let style =
        ("sans-serif", 10 * scale).into_text_style(area).pos(Pos::new(HPos::Center, VPos::Bottom));
    for (index, (title, values)) in series.iter().enumerate() {
        let color = Palette99::pick(index).to_rgba();
        let left = |row: usize| row as f64 + 0.1 + index as f64 * width;
        let bar = |(row, value): (usize, &f64)| {
            Rectangle::new([(left(row), 0.0), (left(row) + width, *value)], color.filled())
        };
        chart
            .draw_series(values.iter().enumerate().map(bar))?
            .label(title)
            .legend(move |(x, y)| Rectangle::new([(x, y - 5), (x + 10, y + 5)], color.filled()));
        let label = |(row, value): (usize, &f64)| {
            Text::new(format!("{value}"), (left(row) + width / 2.0, *value), style.clone())
        };
        chart.draw_series(values.iter().enumerate().map(label))?;
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperRight)
        .label_font(("sans-serif", 12 * scale))
        .draw()?;
    Ok(())
}

fn draw_lines<B: DrawingBackend>(
    area: &Area<B>,
    series: &[(String, Vec<f64>)],
    scale: i32,
) -> Result<()>
where
    B::ErrorType: 'static,
{
    let (low, high) = find_range(series.iter().flat_map(|columns| columns.1.iter().copied()));
    let record_count = series.first().map_or(0, |values| values.1.len());
    let mut chart = ChartBuilder::on(area)
        .margin(10 * scale)
        .x_label_area_size(30 * scale)
        .y_label_area_size(40 * scale)
        .build_cartesian_2d(0..record_count, low..high)?;
    chart.configure_mesh().label_style(("sans-serif", 12 * scale)).draw()?;
    for (index, (title, values)) in series.iter().enumerate() {
        let color = Palette99::pick(index).to_rgba();
        let style = color.stroke_width(2 * scale as u32);
        chart
            .draw_series(LineSeries::new(values.iter().copied().enumerate(), style))?
            .label(title)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 20, y)], style));
    }
    chart.configure_series_labels().label_font(("sans-serif", 12 * scale)).draw()?;
    Ok(())
}

fn draw_pie<B: DrawingBackend>(area: &Area<B>, slices: &[(String, f64)], scale: i32) -> Result<()>
where
    B::ErrorType: 'static,
{
    let (width, height) = area.dim_in_pixel();
    let center = (width as i32 / 2, height as i32 / 2);
    let sizes: Vec<f64> = slices.iter().map(|slice| slice.1).collect();
    let labels: Vec<&str> = slices.iter().map(|slice| slice.0.as_str()).collect();
    let colors: Vec<RGBColor> = (0..slices.len())
        .map(|index| {
            let (r, g, b) = Palette99::pick(index).to_rgba().rgb();
            RGBColor(r, g, b)
        })
        .collect();
    let radius = f64::from(150 * scale);
    let mut pie = Pie::new(&center, &radius, &sizes, &colors, &labels);
    pie.label_style(("sans-serif", 12 * scale).into_font());
    area.draw(&pie)?;
    Ok(())
}

fn draw_scatter<B: DrawingBackend>(area: &Area<B>, points: &[(f64, f64)], scale: i32) -> Result<()>
where
    B::ErrorType: 'static,
{
    let (x, y) = (
        find_range(points.iter().map(|point| point.0)),
        find_range(points.iter().map(|point| point.1)),
    );
    let mut chart = ChartBuilder::on(area)
        .margin(10 * scale)
        .x_label_area_size(30 * scale)
        .y_label_area_size(40 * scale)
        .build_cartesian_2d(x.0..x.1, y.0..y.1)?;
    chart.configure_mesh().label_style(("sans-serif", 12 * scale)).draw()?;
    chart.draw_series(
        points.iter().map(|point| Circle::new(*point, 2 * scale, BLUE.mix(0.5).filled())),
    )?;
    Ok(())
}

fn draw_gantt<B: DrawingBackend>(
    area: &Area<B>,
    tasks: &[(String, NaiveDate, NaiveDate)],
    scale: i32,
) -> Result<()>
where
    B::ErrorType: 'static,
{
    let first = tasks.iter().map(|task| task.1).min().unwrap_or_default();
    let last = tasks.iter().map(|task| task.2).max().unwrap_or_default() + Days::new(40);
    let mut chart = ChartBuilder::on(area)
        .margin(10 * scale)
        .x_label_area_size(30 * scale)
        .y_label_area_size(60 * scale)
        .build_cartesian_2d(first..last, tasks.len() as f64..0.0)?;
    let name = |y: &f64| tasks.get(*y as usize).map_or(String::new(), |task| task.0.clone());
    chart
        .configure_mesh()
        .disable_y_mesh()
        .y_labels(tasks.len())
        .y_label_formatter(&name)
        .label_style(("sans-serif", 9 * scale))
        .draw()?;
    let bar = |(row, task): (usize, &(String, NaiveDate, NaiveDate))| {
        Rectangle::new([(task.1, row as f64 + 0.1), (task.2, row as f64 + 0.9)], BLUE.filled())
    };
    chart.draw_series(tasks.iter().enumerate().map(bar))?;
    let style =
        ("sans-serif", 8 * scale).into_text_style(area).pos(Pos::new(HPos::Left, VPos::Center));
    let label = |(row, task): (usize, &(String, NaiveDate, NaiveDate))| {
        Text::new(task.0.clone(), (task.2 + Days::new(1), row as f64 + 0.5), style.clone())
    };
    chart.draw_series(tasks.iter().enumerate().map(label))?;
    Ok(())
}
