//! Candles read from the records, merged if there are more than the width can show.

use serde_json::Value;

use crate::Chart;
use crate::Scene;
use crate::data;
use crate::format::Omission;

/// The prices of one period.
#[derive(Clone, Copy)]
pub struct Candle {
    /// Index of the first record of the period.
    pub row: usize,
    /// Start of the period in seconds since 1970-01-01.
    pub timestamp: f64,
    /// First price.
    pub open: f64,
    /// Highest price.
    pub high: f64,
    /// Lowest price.
    pub low: f64,
    /// Last price.
    pub close: f64,
}

impl Candle {
    /// Returns whether the last price is at least the first one.
    pub fn is_up(&self) -> bool {
        self.close >= self.open
    }
}

/// Relative difference between prices that comes from rounding.
const PRICE_TOLERANCE: f64 = 1e-6;
/// Minimum distance between two candles in points. Periods are merged until it is kept.
const MIN_STEP: f64 = 2.5;

/// Reads the records with a date and a closing price, sorted by date. The scene counts the others,
/// unless all records lack one of them, the other prices that single candles lack, and those that
/// contradict opening and closing prices.
///
/// Merges groups of neighboring periods, with a warning, so that the candles fit in `width` points.
pub fn read_candles(chart: &Chart, width: f64, scene: &mut Scene) -> Vec<Candle> {
    let mut candles: Vec<Candle> = chart
        .data
        .iter()
        .enumerate()
        .filter_map(|(row, record)| read_candle(row, record))
        .collect();
    if !candles.is_empty() {
        scene.omit(Omission::Incomplete, chart.record_count().saturating_sub(candles.len()));
    }
    scene.omit(Omission::MissingValue, count_missing_prices(chart, &candles));
    scene.omit(Omission::Contradiction, count_contradictions(chart, &candles));
    candles.sort_by(|a, b| a.timestamp.total_cmp(&b.timestamp));
    let group_size = (candles.len() as f64 * MIN_STEP / width.max(1.0)).ceil().max(1.0) as usize;
    if group_size == 1 {
        return candles;
    }
    scene.warn(format!("Each candle merges {group_size} periods."));
    candles.chunks(group_size).filter_map(merge_periods).collect()
}

/// Returns the number of missing opening, highest and lowest prices of the candles. A price that all candles
/// lack does not count.
fn count_missing_prices(chart: &Chart, candles: &[Candle]) -> usize {
    let is_missing = |candle: &&Candle, key: &str| {
        let record = chart.data.get(candle.row);
        record.is_none_or(|record| data::number(data::field(record, key)).is_none())
    };
    let count = |key| candles.iter().filter(|candle| is_missing(candle, key)).count();
    let counts = ["open", "high", "low"].into_iter().map(count);
    counts.filter(|count| *count < candles.len()).sum()
}

/// Returns the number of highest prices below and lowest prices above the opening or closing price. The
/// candle leaves them out.
fn count_contradictions(chart: &Chart, candles: &[Candle]) -> usize {
    let price = |candle: &Candle, key: &str| {
        chart.data.get(candle.row).and_then(|record| data::number(data::field(record, key)))
    };
    let count_in = |candle: &Candle| {
        let tolerance = |price: f64| price.abs() * PRICE_TOLERANCE;
        let high =
            price(candle, "high").filter(|high| *high < candle.high - tolerance(candle.high));
        let low = price(candle, "low").filter(|low| *low > candle.low + tolerance(candle.low));
        usize::from(high.is_some()) + usize::from(low.is_some())
    };
    candles.iter().map(count_in).sum()
}

/// Reads one record. Returns None without a date or a closing price.
///
/// The date is in the field `date` or `label`. A missing opening price equals the closing price.
/// High and low always include both.
fn read_candle(row: usize, record: &Value) -> Option<Candle> {
    let timestamp = data::timestamp(data::field(record, "date"));
    let timestamp = timestamp.or_else(|| data::timestamp(data::field(record, "label")))?;
    let price = |key: &str| data::number(data::field(record, key));
    let close = price("close")?;
    let open = price("open").unwrap_or(close);
    let (body_high, body_low) = (open.max(close), open.min(close));
    let high = price("high").unwrap_or(body_high).max(body_high);
    let low = price("low").unwrap_or(body_low).min(body_low);
    Some(Candle { row, timestamp, open, high, low, close })
}

/// Merges neighboring periods into one candle with the row, date and open of the first, the close
/// of the last, and the extremes of all. Returns None without periods.
fn merge_periods(periods: &[Candle]) -> Option<Candle> {
    let (first, last) = (periods.first()?, periods.last()?);
    Some(Candle {
        high: periods.iter().map(|candle| candle.high).fold(f64::NEG_INFINITY, f64::max),
        low: periods.iter().map(|candle| candle.low).fold(f64::INFINITY, f64::min),
        close: last.close,
        ..*first
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn high_and_low_include_open_and_close() {
        let record = json!({"date": "2025-01-02", "open": 5, "close": 8, "high": 7, "low": 6});
        let candle = read_candle(0, &record).expect("a candle");
        assert_eq!((candle.low, candle.high), (5.0, 8.0));
        assert!(read_candle(0, &json!({"date": "2025-01-02", "open": 5})).is_none());
    }

    #[test]
    fn missing_prices_are_counted_unless_all_candles_lack_them() {
        let omissions = |data: &[Value]| {
            crate::draw(&Chart::new(crate::find_kind("candlestick").unwrap(), data)).omissions
        };
        let full = json!({"date": "2025-01-02", "open": 5, "high": 9, "low": 4, "close": 8});
        let without_low = json!({"date": "2025-01-03", "open": 5, "high": 9, "close": 8});
        assert_eq!(omissions(&[full, without_low.clone()]), [(Omission::MissingValue, 1)]);
        assert_eq!(omissions(&[without_low.clone(), without_low]), []);
    }

    #[test]
    fn prices_that_contradict_the_body_are_counted() {
        let record = |high: f64, low: f64| json!({"date": "2025-01-02", "open": 5, "high": high, "low": low, "close": 8});
        for (high, low, count) in [
            (9.0, 4.0, 0),
            (8.0, 5.0, 0),
            (7.999_999_9, 5.000_000_1, 0),
            (7.999, 4.0, 1),
            (7.0, 6.0, 2),
        ] {
            let data = [record(high, low)];
            let kind = crate::find_kind("candlestick").unwrap();
            let omissions = crate::draw(&Chart::new(kind, &data)).omissions;
            let expected = [(Omission::Contradiction, count)];
            assert_eq!(omissions, expected[usize::from(count == 0)..], "{high} {low}");
        }
    }

    #[test]
    fn merged_periods_keep_first_open_last_close_and_both_extremes() {
        let candle =
            |open, high, low, close| Candle { row: 0, timestamp: 0.0, open, high, low, close };
        let candle = merge_periods(&[candle(5.0, 9.0, 4.0, 6.0), candle(6.0, 7.0, 2.0, 3.0)])
            .expect("a candle");
        assert_eq!((candle.open, candle.high, candle.low, candle.close), (5.0, 9.0, 2.0, 3.0));
    }
}
