//! Candles out of records, joined where there are more than the picture can tell apart.

use serde_json::Value;

use crate::Chart;
use crate::Scene;
use crate::data;

/// The prices of a period.
#[derive(Clone, Copy)]
pub struct Candle {
    /// The first record in it.
    pub row: usize,
    /// Start in seconds.
    pub moment: f64,
    pub open: f64,
    pub high: f64,
    pub low: f64,
    pub close: f64,
}

/// Narrowest step of a candle in points; closer ones are joined.
const LEAST_STEP: f64 = 2.5;

/// The readable periods in the order of time, at most so many as fit in `width` points.
pub fn read(chart: &Chart, width: f64, scene: &mut Scene) -> Vec<Candle> {
    let mut candles: Vec<Candle> =
        chart.data.iter().enumerate().filter_map(|(row, record)| candle(row, record)).collect();
    if !candles.is_empty() && candles.len() < chart.data.len() {
        scene.warn("Records without a readable date or price are left out.");
    }
    candles.sort_by(|one, two| one.moment.total_cmp(&two.moment));
    let joined = (candles.len() as f64 * LEAST_STEP / width.max(1.0)).ceil().max(1.0) as usize;
    if joined == 1 {
        return candles;
    }
    scene.warn(format!("Each candle joins {joined} periods."));
    candles.chunks(joined).filter_map(join).collect()
}

/// A record with a date and a close at least; the rest follows from what there is.
fn candle(row: usize, record: &Value) -> Option<Candle> {
    let moment = data::moment(data::field(record, "date"));
    let moment = moment.or_else(|| data::moment(data::field(record, "label")))?;
    let price = |key: &str| data::number(data::field(record, key));
    let close = price("close")?;
    let open = price("open").unwrap_or(close);
    let (top, bottom) = (open.max(close), open.min(close));
    let high = price("high").unwrap_or(top).max(top);
    let low = price("low").unwrap_or(bottom).min(bottom);
    Some(Candle { row, moment, open, high, low, close })
}

/// Neighbouring periods as one: first open, last close, and the extremes of all.
fn join(group: &[Candle]) -> Option<Candle> {
    let (first, last) = (group.first()?, group.last()?);
    Some(Candle {
        high: group.iter().map(|it| it.high).fold(f64::NEG_INFINITY, f64::max),
        low: group.iter().map(|it| it.low).fold(f64::INFINITY, f64::min),
        close: last.close,
        ..*first
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_candle_holds_its_own_open_and_close() {
        let record = json!({"date": "2025-01-02", "open": 5, "close": 8, "high": 7, "low": 6});
        let it = candle(0, &record).expect("a candle");
        assert_eq!((it.low, it.high), (5.0, 8.0));
        assert!(candle(0, &json!({"date": "2025-01-02", "open": 5})).is_none());
    }

    #[test]
    fn joined_periods_keep_first_open_last_close_and_both_extremes() {
        let at = |open, high, low, close| Candle { row: 0, moment: 0.0, open, high, low, close };
        let it = join(&[at(5.0, 9.0, 4.0, 6.0), at(6.0, 7.0, 2.0, 3.0)]).expect("a candle");
        assert_eq!((it.open, it.high, it.low, it.close), (5.0, 9.0, 2.0, 3.0));
    }
}
