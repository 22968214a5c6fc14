//! One amount a record, for the kinds whose marks stand on a common zero line; level or upright.
//!
//! Record: `label`, `value`, `highlighted` (optional flag), `color`. A record without a number keeps
//! its place and stays empty. Settings: `orientation` (`horizontal`, `vertical`), `sort`,
//! `showValues`, `showGrid`, `axis`.

use std::borrow::Cow;

use crate::Chart;
use crate::Scene;
use crate::color::Color;
use crate::data;
use crate::format::NumberFormat;
use crate::frame::Frame;
use crate::frame::Look;
use crate::frame::bands;
use crate::frame::bands::{Bands, Wish};

/// A record that becomes a mark.
pub struct Amount<'a> {
    /// Place of the record in the data.
    pub row: usize,
    /// Name of its category.
    pub label: Cow<'a, str>,
    /// None when the record holds no number.
    pub value: Option<f64>,
    /// The value as it is written.
    pub words: String,
    /// Its own colour, or what highlighting asks for.
    pub color: Color,
}

/// The amounts of a chart, in drawing order.
pub struct Amounts<'a> {
    /// All of them, those without a value too.
    pub all: Vec<Amount<'a>>,
    /// Columns when true, rows when false.
    pub upright: bool,
    /// Font size at which all values fit beside their marks; none when they do not, or are not
    /// wanted.
    pub size: Option<f64>,
}

/// What a kind's marks need of their ground.
pub struct Shape {
    /// Points that a mark reaches beyond its value.
    pub beyond: f64,
    /// Share of a step that stays empty.
    pub padding: f64,
    /// Thickest mark in points.
    pub most: f64,
    /// A value that the scale holds too.
    pub also: Option<f64>,
}

impl<'a> Amounts<'a> {
    /// Reads the records; none when no record holds a number.
    pub fn read(chart: &Chart<'a>, frame: &Frame) -> Option<Amounts<'a>> {
        let field = |record: &'a serde_json::Value, key| data::field(record, key);
        let values: Vec<Option<f64>> =
            chart.data.iter().map(|it| data::number(field(it, "value"))).collect();
        let given = values.iter().flatten().copied();
        let format = NumberFormat::for_values(given, &chart.rules("value"), chart.language());
        let highlighted = |it| data::flag(field(it, "highlighted"));
        let accented = chart.data.iter().any(highlighted);
        let amount = |row: usize| {
            let record = chart.data.get(row)?;
            let usual = || match (accented, highlighted(record)) {
                (false, _) => chart.color(0),
                (true, true) => chart.theme.highlight,
                (true, false) => frame.look.faded(),
            };
            let value = values.get(row).copied().flatten();
            Some(Amount {
                row,
                label: data::label(record),
                value,
                words: value.map_or(String::new(), |it| format.text(it)),
                color: field(record, "color").as_str().and_then(Color::parse).unwrap_or_else(usual),
            })
        };
        let all: Vec<Amount> = chart.order(&values).into_iter().filter_map(amount).collect();
        all.iter().find(|it| it.value.is_some())?;
        let upright = chart.word("orientation") == "vertical";
        let mut amounts = Amounts { all, upright, size: None };
        if chart.flag("showValues", true) {
            amounts.size = amounts.label_size(frame);
        }
        Some(amounts)
    }

    /// Points from one mark to the next.
    pub fn step(&self, frame: &Frame) -> f64 {
        let length = if self.upright { frame.area.width() } else { frame.area.height() };
        length / self.all.len() as f64
    }

    fn label_size(&self, frame: &Frame) -> Option<f64> {
        let (look, area, step) = (&frame.look, frame.area, self.step(frame));
        let fits = |size: &f64| {
            let widest = widest(self.all.iter(), *size, look);
            if self.upright {
                widest + size * 0.3 <= step && area.height() > size * 7.0
            } else {
                size * 1.1 <= step && widest < area.width() * 0.3
            }
        };
        [look.label, look.small].into_iter().find(fits)
    }

    /// Lays out the ground of the marks and draws its rules and names.
    pub fn ground(&self, chart: &Chart, frame: &Frame, shape: &Shape, scene: &mut Scene) -> Bands {
        let look = &frame.look;
        let room = |negative: bool| {
            let side =
                self.all.iter().filter(|it| it.value.is_some_and(|it| (it < 0.0) == negative));
            let label = |size| bands::label_room(self.upright, size, widest(side, size, look));
            self.size.map_or(0.0, label) + shape.beyond
        };
        let names: Vec<Cow<str>> = self.all.iter().map(|it| it.label.clone()).collect();
        let values = self.all.iter().filter_map(|it| it.value).chain(shape.also);
        let wish = Wish {
            names: &names,
            upright: self.upright,
            range: values
                .fold((0.0, 0.0), |(low, high): (f64, f64), it| (low.min(it), high.max(it))),
            rules: &chart.rules("value"),
            room: (room(true), room(false)),
            // Figures at the marks say more than an axis does; both would say it twice.
            axis: self.size.is_none() || chart.flag("showGrid", false),
            padding: shape.padding,
            most: shape.most,
            flush: false,
        };
        Bands::new(chart, look, scene, frame.area, &wish)
    }

    /// Says in words how many there are, and which are the extremes. `kind` begins the sentence.
    pub fn describe(&self, kind: &str, scene: &mut Scene) {
        let given = || self.all.iter().filter_map(|it| it.value.map(|value| (value, it)));
        let lowest = given().min_by(|one, two| one.0.total_cmp(&two.0));
        let highest = given().max_by(|one, two| one.0.total_cmp(&two.0));
        if let (Some((_, low)), Some((_, high))) = (lowest, highest) {
            scene.desc = format!(
                "{kind} of {} values, from {} ({}) to {} ({}).",
                given().count(),
                low.words,
                low.label,
                high.words,
                high.label,
            );
        }
    }
}

impl Amount<'_> {
    /// Names the mark for pointers.
    pub fn tag(&self, part: &'static str, scene: &mut Scene) {
        scene.tag(part, Some(self.row), || {
            (Some("value".to_owned()), format!("{}: {}", self.label, self.words))
        });
    }
}

/// Width of the widest value in points.
fn widest<'b>(amounts: impl Iterator<Item = &'b Amount<'b>>, size: f64, look: &Look) -> f64 {
    amounts.map(|it| look.width(&it.words, size)).fold(0.0, f64::max)
}
