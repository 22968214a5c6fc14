//! Ends of marks on value axes, for annotations that compare two values.

use kurbo::Point;

use crate::scene::Scene;

/// Place on a value axis where a mark shows its value, such as the end of a bar.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ValueEnd {
    /// Middle of the end of the mark.
    pub position: Point,
    /// Half the width of the mark across the value axis in points. 0 for points of lines.
    pub half_width: f64,
    /// Whether the value axis is vertical.
    pub is_vertical: bool,
    /// Number of the value axis in the chart, from 0. Only values on the same axis are compared.
    pub axis: usize,
    /// Whether the value is a share in percent, whatever the number format of its column.
    pub is_share: bool,
}

/// A value of a record and the end of its mark.
#[derive(Clone, Debug, PartialEq)]
pub struct MarkValue {
    /// Zero-based index of the record in the data.
    pub row: usize,
    /// Key of the column. None for the total of a record.
    pub field: Option<String>,
    /// Value at the end of the mark.
    pub value: f64,
    /// End of the mark.
    pub end: ValueEnd,
}

impl ValueEnd {
    /// Returns the end of a mark on the first value axis. `across` and `along` are its coordinates
    /// across and along the value axis in points.
    pub fn new(is_vertical: bool, across: f64, along: f64, half_width: f64) -> ValueEnd {
        let position =
            if is_vertical { Point::new(across, along) } else { Point::new(along, across) };
        ValueEnd { position, half_width, is_vertical, axis: 0, is_share: false }
    }

    /// Returns the end on the value axis with another number.
    pub fn on_axis(self, axis: usize) -> ValueEnd {
        ValueEnd { axis, ..self }
    }
}

impl Scene {
    /// Records the end of a mark if an annotation refers to its record. `field` is the key of the
    /// column, None for the total of a record.
    pub(crate) fn record_value(
        &mut self,
        row: usize,
        field: Option<&str>,
        value: f64,
        end: ValueEnd,
    ) {
        if self.interactive && self.requires_mark(row) && value.is_finite() {
            let field = field.map(str::to_owned);
            self.mark_values.push(MarkValue { row, field, value, end });
        }
    }
}
