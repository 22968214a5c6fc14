//! The five works in plotters, built from its elements: it has no groups of bars and no Gantt chart.

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

/// A work with its data, read once: only drawing is timed.
pub enum Work {
    /// Labels, and name and values of each series.
    Bars(Vec<String>, Vec<(String, Vec<f64>)>),
    Lines(Vec<(String, Vec<f64>)>),
    Slices(Vec<(String, f64)>),
    Points(Vec<(f64, f64)>),
    Tasks(Vec<(String, NaiveDate, NaiveDate)>),
}

/// Gives the library a font; without one it would take what the machine has.
pub fn register_font() -> Result<()> {
    plotters::style::register_font("sans-serif", FontStyle::Normal, notosans::REGULAR_TTF)
        .map_err(|_| "the font was refused".into())
}

impl Work {
    /// A work of this name.
    pub fn read(name: &str, data: &[Value]) -> Result<Work> {
        let text = |it: &Value, key: &str| it[key].as_str().unwrap_or_default().to_owned();
        let number = |it: &Value, key: &str| it[key].as_f64().unwrap_or_default();
        Ok(match name {
            "W1" => Work::Bars(data.iter().map(|it| text(it, "label")).collect(), series(data)),
            "W2" => Work::Lines(series(data)),
            "W3" => Work::Slices(
                data.iter().map(|it| (text(it, "label"), number(it, "value"))).collect(),
            ),
            "W4" => {
                Work::Points(data.iter().map(|it| (number(it, "x"), number(it, "y"))).collect())
            }
            _ => {
                let task = |it: &Value| {
                    Ok((text(it, "label"), text(it, "start").parse()?, text(it, "end").parse()?))
                };
                Work::Tasks(data.iter().map(task).collect::<Result<_>>()?)
            }
        })
    }

    /// As SVG text.
    pub fn svg(&self) -> Result<String> {
        let mut out = String::new();
        self.draw(&SVGBackend::with_string(&mut out, SIZE).into_drawing_area(), 1)?;
        Ok(out)
    }

    /// As a PNG file, drawn by its bitmap backend.
    pub fn png(&self, path: &Path) -> Result<()> {
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
            Work::Bars(labels, series) => bars(&area, labels, series, scale)?,
            Work::Lines(series) => lines(&area, series, scale)?,
            Work::Slices(slices) => pie(&area, slices, scale)?,
            Work::Points(points) => scatter(&area, points, scale)?,
            Work::Tasks(tasks) => gantt(&area, tasks, scale)?,
        }
        root.present()?;
        Ok(())
    }
}

fn series(data: &[Value]) -> Vec<(String, Vec<f64>)> {
    let first = data.first().and_then(Value::as_object);
    let keys = first.into_iter().flat_map(|it| it.keys()).filter(|it| *it != "label");
    let values =
        |key: &String| data.iter().map(|it| it[key].as_f64().unwrap_or_default()).collect();
    keys.map(|key| (key.clone(), values(key))).collect()
}

fn range(values: impl Iterator<Item = f64>) -> (f64, f64) {
    values.fold((f64::MAX, f64::MIN), |(low, high), it| (low.min(it), high.max(it)))
}

type Area<B> = DrawingArea<B, Shift>;

fn bars<B: DrawingBackend>(
    area: &Area<B>,
    labels: &[String],
    series: &[(String, Vec<f64>)],
    scale: i32,
) -> Result<()>
where
    B::ErrorType: 'static,
{
    let most = range(series.iter().flat_map(|it| it.1.iter().copied())).1;
    let mut chart = ChartBuilder::on(area)
        .margin(10 * scale)
        .x_label_area_size(30 * scale)
        .y_label_area_size(40 * scale)
        .build_cartesian_2d(0.0..labels.len() as f64, 0.0..most * 1.1)?;
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
    for (at, (title, values)) in series.iter().enumerate() {
        let color = Palette99::pick(at).to_rgba();
        let left = |row: usize| row as f64 + 0.1 + at as f64 * width;
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

fn lines<B: DrawingBackend>(area: &Area<B>, series: &[(String, Vec<f64>)], scale: i32) -> Result<()>
where
    B::ErrorType: 'static,
{
    let (low, high) = range(series.iter().flat_map(|it| it.1.iter().copied()));
    let count = series.first().map_or(0, |it| it.1.len());
    let mut chart = ChartBuilder::on(area)
        .margin(10 * scale)
        .x_label_area_size(30 * scale)
        .y_label_area_size(40 * scale)
        .build_cartesian_2d(0..count, low..high)?;
    chart.configure_mesh().label_style(("sans-serif", 12 * scale)).draw()?;
    for (at, (title, values)) in series.iter().enumerate() {
        let color = Palette99::pick(at).to_rgba();
        let style = color.stroke_width(2 * scale as u32);
        chart
            .draw_series(LineSeries::new(values.iter().copied().enumerate(), style))?
            .label(title)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 20, y)], style));
    }
    chart.configure_series_labels().label_font(("sans-serif", 12 * scale)).draw()?;
    Ok(())
}

fn pie<B: DrawingBackend>(area: &Area<B>, slices: &[(String, f64)], scale: i32) -> Result<()>
where
    B::ErrorType: 'static,
{
    let (width, height) = area.dim_in_pixel();
    let center = (width as i32 / 2, height as i32 / 2);
    let sizes: Vec<f64> = slices.iter().map(|it| it.1).collect();
    let labels: Vec<&str> = slices.iter().map(|it| it.0.as_str()).collect();
    let colors: Vec<RGBColor> = (0..slices.len())
        .map(|it| {
            let (r, g, b) = Palette99::pick(it).to_rgba().rgb();
            RGBColor(r, g, b)
        })
        .collect();
    let radius = f64::from(150 * scale);
    let mut pie = Pie::new(&center, &radius, &sizes, &colors, &labels);
    pie.label_style(("sans-serif", 12 * scale).into_font());
    area.draw(&pie)?;
    Ok(())
}

fn scatter<B: DrawingBackend>(area: &Area<B>, points: &[(f64, f64)], scale: i32) -> Result<()>
where
    B::ErrorType: 'static,
{
    let (x, y) = (range(points.iter().map(|it| it.0)), range(points.iter().map(|it| it.1)));
    let mut chart = ChartBuilder::on(area)
        .margin(10 * scale)
        .x_label_area_size(30 * scale)
        .y_label_area_size(40 * scale)
        .build_cartesian_2d(x.0..x.1, y.0..y.1)?;
    chart.configure_mesh().label_style(("sans-serif", 12 * scale)).draw()?;
    chart
        .draw_series(points.iter().map(|it| Circle::new(*it, 2 * scale, BLUE.mix(0.5).filled())))?;
    Ok(())
}

fn gantt<B: DrawingBackend>(
    area: &Area<B>,
    tasks: &[(String, NaiveDate, NaiveDate)],
    scale: i32,
) -> Result<()>
where
    B::ErrorType: 'static,
{
    let first = tasks.iter().map(|it| it.1).min().unwrap_or_default();
    let last = tasks.iter().map(|it| it.2).max().unwrap_or_default() + Days::new(40);
    let mut chart = ChartBuilder::on(area)
        .margin(10 * scale)
        .x_label_area_size(30 * scale)
        .y_label_area_size(60 * scale)
        .build_cartesian_2d(first..last, tasks.len() as f64..0.0)?;
    let name = |y: &f64| tasks.get(*y as usize).map_or(String::new(), |it| it.0.clone());
    chart
        .configure_mesh()
        .disable_y_mesh()
        .y_labels(tasks.len())
        .y_label_formatter(&name)
        .label_style(("sans-serif", 9 * scale))
        .draw()?;
    let bar = |(row, it): (usize, &(String, NaiveDate, NaiveDate))| {
        Rectangle::new([(it.1, row as f64 + 0.1), (it.2, row as f64 + 0.9)], BLUE.filled())
    };
    chart.draw_series(tasks.iter().enumerate().map(bar))?;
    let style =
        ("sans-serif", 8 * scale).into_text_style(area).pos(Pos::new(HPos::Left, VPos::Center));
    let label = |(row, it): (usize, &(String, NaiveDate, NaiveDate))| {
        Text::new(it.0.clone(), (it.2 + Days::new(1), row as f64 + 0.5), style.clone())
    };
    chart.draw_series(tasks.iter().enumerate().map(label))?;
    Ok(())
}
