//! Layout presets in lists and forms, with lengths in the unit of the preset.

use super::labels;
use crate::features::accounts::form::FieldLabels;
use crate::features::accounts::form::Form;
use crate::features::orgs::Layout;
use crate::features::orgs::Margin;
use chartroom_platform::error::Error;
use chartroom_platform::error::FieldError;
use chartroom_platform::error::Result;
use chartroom_platform::language;

/// Names and labels of the fields of a form for a layout.
pub const FIELDS: &FieldLabels = &[
    ("name", "common.name"),
    ("width", "common.width"),
    ("height", "common.height"),
    ("display_unit", "account.unit"),
    ("margin.top", "account.topMargin"),
    ("margin.right", "account.rightMargin"),
    ("margin.bottom", "account.bottomMargin"),
    ("margin.left", "account.leftMargin"),
];

/// A unit of length.
#[derive(Debug, Clone, Copy)]
pub struct LengthUnit {
    /// Name in the API.
    pub name: &'static str,
    /// Key of the name for people.
    label: &'static str,
    /// Length in points.
    points: f64,
}

/// The units of presets. A CSS pixel has 0.75 points.
const UNITS: [LengthUnit; 4] = [
    LengthUnit { name: "pt", label: "common.points", points: 1.0 },
    LengthUnit { name: "px", label: "common.pixels", points: 0.75 },
    LengthUnit { name: "mm", label: "common.millimetres", points: 72.0 / 25.4 },
    LengthUnit { name: "in", label: "common.inches", points: 72.0 },
];

/// A preset in the list.
pub struct LayoutRow {
    /// Name.
    pub name: String,
    /// Width and height with their unit.
    pub size: String,
    /// Margins with their unit: top, right, bottom and left, or one number if they are equal.
    pub margins: String,
    /// Width in points.
    pub width: f64,
    /// Height in points.
    pub height: f64,
    /// Area inside the margins, in points: left, top, width and height.
    pub content: [f64; 4],
}

/// The values of the form for a preset.
pub struct LayoutForm<'a> {
    form: &'a Form,
}

impl LayoutRow {
    /// Describes a preset.
    pub fn new(layout: &Layout) -> Self {
        let unit = find_unit(layout.display_unit.as_deref().unwrap_or_default());
        let length = |points: f64| labels::localize_decimal(&format_length(points, unit));
        let margin = &layout.margin;
        let margins = [margin.top, margin.right, margin.bottom, margin.left].map(length);
        Self {
            name: layout.name.clone().unwrap_or_default(),
            size: format!("{} × {} {}", length(layout.width), length(layout.height), unit.name),
            margins: match margins.iter().all(|margin| *margin == margins[0]) {
                true => format!("{} {}", margins[0], unit.name),
                false => format!("{} {}", margins.join(" "), unit.name),
            },
            width: layout.width,
            height: layout.height,
            content: [
                margin.left,
                margin.top,
                layout.width - margin.left - margin.right,
                layout.height - margin.top - margin.bottom,
            ],
        }
    }
}

impl<'a> LayoutForm<'a> {
    /// Returns the values of a submitted form. An empty form has the size of new documents.
    pub fn new(form: &'a Form) -> Self {
        Self { form }
    }

    /// Returns the value of a field, or its default.
    pub fn value(&self, field: &str, default: &'a str) -> &'a str {
        self.form.text(field).unwrap_or(default)
    }
}

/// Returns a form with the values of a layout, in its unit.
pub fn fill_form(layout: &Layout) -> Form {
    let unit = find_unit(layout.display_unit.as_deref().unwrap_or_default());
    let lengths = [
        ("width", layout.width),
        ("height", layout.height),
        ("margin.top", layout.margin.top),
        ("margin.right", layout.margin.right),
        ("margin.bottom", layout.margin.bottom),
        ("margin.left", layout.margin.left),
    ];
    let lengths = lengths.map(|(field, points)| (field.to_owned(), format_length(points, unit)));
    let unit = ("display_unit".to_owned(), unit.name.to_owned());
    Form::from_pairs(lengths.into_iter().chain([unit]).collect())
}

/// Parses the form for a preset. Converts its lengths to points.
///
/// # Errors
/// `InvalidFields` for lengths that are not numbers and for an unknown unit.
pub fn parse_layout(form: &Form) -> Result<Layout> {
    let name = form.value("display_unit");
    let Some(unit) = UNITS.iter().find(|unit| unit.name == name) else {
        return Err(Error::invalid_field("display_unit", "must be one of pt px mm in"));
    };
    let mut errors = Vec::new();
    let mut length = |field: &str| match form.value(field).trim().replace(',', ".").parse::<f64>() {
        Ok(number) if number.is_finite() => number * unit.points,
        _ => {
            let message = "must be a number".to_owned();
            errors.push(FieldError { field: field.to_owned(), message });
            0.0
        }
    };
    let layout = Layout {
        name: Some(form.value("name").trim().to_owned()),
        width: length("width"),
        height: length("height"),
        display_unit: Some(unit.name.to_owned()),
        margin: Margin {
            top: length("margin.top"),
            right: length("margin.right"),
            bottom: length("margin.bottom"),
            left: length("margin.left"),
        },
    };
    if errors.is_empty() { Ok(layout) } else { Err(Error::InvalidFields(errors)) }
}

/// Returns `layout`, which was parsed from `form`, with the exact values and the name of `stored` if
/// the form has the values that it shows for `stored`. A form shows lengths with two decimals only.
pub fn keep_unchanged(form: &Form, layout: Layout, stored: &Layout) -> Layout {
    let shown = fill_form(stored);
    let is_unchanged = |field: &&str| form.value(field).trim() == shown.value(field);
    if FIELDS
        .iter()
        .map(|(field, _)| *field)
        .filter(|field| *field != "name")
        .all(|field| is_unchanged(&field))
    {
        return stored.clone();
    }
    Layout { name: stored.name.clone(), ..layout }
}

/// Returns name and label of all units.
pub fn list_units() -> [(&'static str, &'static str); 4] {
    UNITS.map(|unit| (unit.name, language::text(unit.label)))
}

/// Returns the unit with this name, points for an unknown one.
fn find_unit(name: &str) -> LengthUnit {
    UNITS.iter().find(|unit| unit.name == name).copied().unwrap_or(UNITS[0])
}

/// Formats a length in points in another unit, with at most two decimals.
fn format_length(points: f64, unit: LengthUnit) -> String {
    let text = format!("{:.2}", points / unit.points);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_have_the_unit_of_the_preset() {
        let margins = "margin.top=10&margin.right=10&margin.bottom=10&margin.left=12.5";
        let query = format!("name=+A4+&width=297&height=210&display_unit=mm&{margins}");
        let layout = parse_layout(&Form::from_query(&query)).unwrap();
        assert_eq!(layout.name.as_deref(), Some("A4"));
        assert!((layout.width - 841.89).abs() < 0.01, "{}", layout.width);
        let row = LayoutRow::new(&layout);
        assert_eq!((row.size.as_str(), row.margins.as_str()), ("297 × 210 mm", "10 10 10 12.5 mm"));
        let filled = fill_form(&layout);
        assert_eq!((filled.value("width"), filled.value("margin.left")), ("297", "12.5"));
        assert_eq!(filled.value("display_unit"), "mm");
        let comma = parse_layout(&Form::from_query(&query.replace("12.5", "12%2C5"))).unwrap();
        assert_eq!(comma.margin.left.to_bits(), layout.margin.left.to_bits());
        let nan = query.replace("width=297", "width=nan");
        assert_eq!(
            parse_layout(&Form::from_query(&nan)).unwrap_err().to_string(),
            "width: must be a number"
        );
        assert!(parse_layout(&Form::from_query("name=A&display_unit=ell")).is_err());
    }
}
