//! Dates below columns: the year once, where it changes, as on a time axis.

use std::borrow::Cow;

use crate::format::{Locale, date};
use crate::frame::sequence;
use crate::frame::style::ChartStyle;

/// Names of categories that are all days or months with their year.
pub(super) struct DateNames<'a> {
    full: &'a [Cow<'a, str>],
    parts: Vec<date::DatedName>,
}

impl<'a> DateNames<'a> {
    /// Reads names. None if one of them is not a date of the locale, or if there is only one.
    pub(super) fn read(full: &'a [Cow<'a, str>], locale: Locale) -> Option<DateNames<'a>> {
        let read = |name: &Cow<str>| date::read_dated_name(name, locale);
        let parts: Vec<date::DatedName> = full.iter().map(read).collect::<Option<_>>()?;
        (parts.len() > 1).then_some(DateNames { full, parts })
    }

    /// Returns all names, with the year only in the first one and where it differs from the name
    /// before.
    pub(super) fn shorten(&self) -> Vec<Cow<'a, str>> {
        let mut previous = None;
        let names = self.full.iter().zip(&self.parts).map(|(full, part)| {
            match previous.replace(part.year) == Some(part.year) {
                true => Cow::Owned(part.short.clone()),
                false => full.clone(),
            }
        });
        names.collect()
    }

    /// Returns the interval of the labels below columns that are `step` points apart, and the lines
    /// of each label: the date, and the year where it changes. None if the labels do not fit.
    ///
    /// All dates are labeled, or every n-th one if the dates have equal distances and the columns
    /// are narrow.
    pub(super) fn plan(&self, step: f64, style: &ChartStyle) -> Option<(usize, Vec<Vec<String>>)> {
        let size = style.label_size;
        let texts = self.parts.iter().flat_map(|part| [&part.short, &part.year_text]);
        let widest = texts.map(|text| style.text_width(text, size)).fold(0.0, f64::max);
        let min_interval = ((widest + size * 0.6) / step).ceil().max(1.0) as usize;
        let is_thin = min_interval > 1;
        if is_thin && (self.parts.len() <= 2 * min_interval || !self.is_regular()) {
            return None;
        }
        let interval = match is_thin {
            true => sequence::choose_label_interval(self.full, min_interval),
            false => 1,
        };
        let mut previous = None;
        let lines = self.parts.iter().step_by(interval).map(|part| {
            let mut lines = vec![part.short.clone()];
            if previous.replace(part.year) != Some(part.year) {
                lines.push(part.year_text.clone());
            }
            lines
        });
        Some((interval, lines.collect()))
    }

    /// Returns whether the dates have equal distances, so that readers can infer omitted ones.
    /// Months differ by up to three days.
    fn is_regular(&self) -> bool {
        let steps = self.parts.windows(2).map(|pair| pair[1].seconds - pair[0].seconds);
        let (low, high) = steps.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), step| {
            (low.min(step), high.max(step))
        });
        let tolerance = if low >= 28.0 * date::DAY_SECONDS { 3.0 * date::DAY_SECONDS } else { 0.0 };
        low > 0.0 && high - low <= tolerance
    }
}
