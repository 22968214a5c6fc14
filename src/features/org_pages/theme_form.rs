//! The form of a theme: its fields, and the theme that they describe.

use serde_json::Value;

use super::labels;
use crate::features::accounts::form::FieldLabels;
use crate::features::accounts::form::Form;
use crate::features::accounts::form::Problem;
use crate::features::orgs::themes;
use crate::features::orgs::themes::ContrastProblem;
use crate::features::orgs::themes::ThemeColor;
use crate::features::orgs::themes::ThemeFields;
use crate::features::orgs::themes::ThemeFont;
use crate::features::orgs::themes::ThemeFonts;
use chartroom_charts::color::Color;
use chartroom_charts::color::WHITE;
use chartroom_platform::error::Error;
use chartroom_platform::error::FieldError;
use chartroom_platform::error::Result;
use chartroom_platform::language;

/// Number of empty rows for further colors.
const EMPTY_ROWS: usize = 3;

/// Names and labels of the fields of the form.
pub const FIELDS: &FieldLabels = &[
    ("name", "common.name"),
    ("title", "org-themes.themeTitle"),
    ("colors", "field-labels.colorList"),
    ("colors[]", "common.color"),
    ("highlight_color", "org-themes.highlightColor"),
    ("text_color", "org-themes.textColor"),
    ("axis_color", "org-themes.axisColor"),
    ("grid_color", "org-themes.gridColor"),
    ("background_color", "org-themes.backgroundColor"),
    ("background_svg", "field-labels.backgroundDrawing"),
    ("fonts.title.family", "field-labels.fontFamily"),
    ("fonts.title.size", "org-themes.size"),
    ("fonts.title.weight", "org-themes.weight"),
    ("fonts.body.family", "field-labels.fontFamily"),
    ("fonts.body.size", "org-themes.size"),
    ("fonts.body.weight", "org-themes.weight"),
    ("logo", "org-themes.logo"),
    ("logo_position", "org-themes.corner"),
];

/// The fields with one color: name, and key of the purpose.
const SINGLE_COLORS: [(&str, &str); 5] = [
    ("background_color", "org-themes.backgroundColorHint"),
    ("text_color", "org-themes.textColorHint"),
    ("highlight_color", "org-themes.highlightColorHint"),
    ("axis_color", "org-themes.axisColorHint"),
    ("grid_color", "org-themes.gridColorHint"),
];

/// The fields of both fonts: role in the API, and keys of label and explanation.
const FONTS: [(&str, &str, &str); 2] = [
    ("title", "org-themes.titleFont", "org-themes.titleFontHint"),
    ("body", "org-themes.bodyFont", "org-themes.bodyFontHint"),
];

/// A field with a color.
pub struct ColorField {
    /// Id of the element.
    pub id: String,
    /// Name of the field.
    pub name: &'static str,
    /// Label.
    pub label: String,
    /// Purpose of the color. Empty for a color of a series.
    pub hint: &'static str,
    /// Entered text.
    pub value: String,
    /// The color as `#rrggbb`. Empty if the text is none.
    pub swatch: String,
    /// Error as a sentence, or an empty text.
    pub error: String,
}

/// The fields of a font.
pub struct FontFields {
    /// Role in the API.
    pub role: &'static str,
    /// Heading, with the texts that have the font.
    pub label: &'static str,
    /// Explanation of the values, with the allowed sizes.
    pub hint: &'static str,
    /// Entered texts: family, size and weight.
    pub values: [String; 3],
    /// Errors of these fields, or empty texts.
    pub errors: [String; 3],
}

/// Returns the form with the values of a theme. `updated` is the time of its last change, by which
/// saving notices other changes.
pub fn from_content(content: &Value, updated: &str) -> Form {
    let mut pairs = vec![("updated".to_owned(), updated.to_owned())];
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    for color in content["colors"].as_array().into_iter().flatten() {
        pairs.push(("colors".to_owned(), text(color)));
    }
    for name in ["title", "background_svg", "logo", "logo_position"] {
        pairs.push((name.to_owned(), text(&content[name])));
    }
    for (name, _) in SINGLE_COLORS {
        pairs.push((name.to_owned(), text(&content[name])));
    }
    for (role, _, _) in FONTS {
        let font = &content["fonts"][role];
        pairs.push((format!("fonts.{role}.family"), text(&font["family"])));
        for field in ["size", "weight"] {
            let number = font[field].as_f64().map(|number| number.to_string());
            pairs.push((format!("fonts.{role}.{field}"), number.unwrap_or_default()));
        }
    }
    Form::from_pairs(pairs)
}

/// Checks the form and returns the complete theme as a JSON object. An empty field has the value of
/// the built-in default theme, and empty rows of colors are left out. `name` is the title if there
/// is none.
///
/// # Errors
/// `InvalidFields` with an error for each invalid field.
pub fn to_content(form: &Form, name: &str) -> Result<Value> {
    let mut errors = Vec::new();
    let owned = |field: &str| form.text(field).map(str::to_owned);
    let mut font = |role: &str| {
        let mut number = |field: &str| {
            let field = format!("fonts.{role}.{field}");
            let text = form.text(&field)?;
            let number = text.replace(',', ".").parse::<f64>().ok();
            if number.is_none() {
                errors.push(FieldError { field, message: "must be a number".to_owned() });
            }
            number
        };
        let (size, weight) = (number("size"), number("weight"));
        Some(ThemeFont { family: owned(&format!("fonts.{role}.family")), size, weight })
    };
    let fonts = ThemeFonts { title: font("title"), body: font("body") };
    let fields = ThemeFields {
        title: owned("title"),
        colors: Some(list_colors(form)),
        highlight_color: owned("highlight_color"),
        text_color: owned("text_color"),
        axis_color: owned("axis_color"),
        grid_color: owned("grid_color"),
        background_color: owned("background_color"),
        background_svg: owned("background_svg"),
        fonts: Some(fonts),
        logo: owned("logo"),
        logo_position: owned("logo_position"),
    };
    join_errors(errors, fields.to_content(name))
}

/// Checks the form of a new theme and returns its name and the theme as [`to_content`].
///
/// # Errors
/// `InvalidFields` with an error for each invalid field.
pub fn to_new_theme(form: &Form) -> Result<(String, Value)> {
    match themes::parse_theme_name(form.text("name"), form.text("title")) {
        Ok(name) => to_content(form, &name).map(|content| (name, content)),
        // Shows the errors of all other fields too.
        Err(Error::InvalidFields(errors)) => {
            join_errors(errors, to_content(form, "")).map(|content| (String::new(), content))
        }
        Err(error) => Err(error),
    }
}

/// Adds the errors of `checked` to other errors. Returns the value if there are none.
fn join_errors<T>(mut errors: Vec<FieldError>, checked: Result<T>) -> Result<T> {
    match checked {
        Ok(value) if errors.is_empty() => Ok(value),
        Ok(_) => Err(Error::InvalidFields(errors)),
        Err(Error::InvalidFields(more)) => {
            errors.extend(more);
            Err(Error::InvalidFields(errors))
        }
        Err(error) => Err(error),
    }
}

/// Returns the form with the colors of a logo: as the first colors of series, before the present
/// colors that differ from them, and the first one that the background does not hide as the highlight
/// color. Leaves out the last colors if the theme cannot have all of them.
pub fn with_logo_colors(form: Form, logo: &[String]) -> Form {
    /// Difference (CIEDE2000) below which a present color is left out.
    const MIN_DIFFERENCE: f64 = 14.0;
    /// Minimum contrast of the highlight color to the background, that of WCAG for graphics.
    const MIN_HIGHLIGHT_CONTRAST: f64 = 3.0;
    let parsed: Vec<Color> = logo.iter().filter_map(|color| Color::parse(color)).collect();
    let differs = |text: &String| {
        Color::parse(text).is_none_or(|color| {
            parsed.iter().all(|other| other.difference(color) >= MIN_DIFFERENCE)
        })
    };
    let present = list_colors(&form).into_iter().filter(differs);
    let colors = logo.iter().cloned().chain(present).take(themes::MAX_COLORS).collect();
    let background = Color::parse(form.value("background_color")).unwrap_or(WHITE);
    let stands_out = |color: &Color| color.contrast(background) >= MIN_HIGHLIGHT_CONTRAST;
    let form = form.with_values("colors", colors);
    match parsed.into_iter().find(stands_out) {
        Some(color) => form.with_values("highlight_color", vec![color.to_string()]),
        None => form,
    }
}

/// Returns the entered colors of series without empty rows.
fn list_colors(form: &Form) -> Vec<String> {
    let values = form.values("colors").into_iter().map(|color| color.trim().to_owned());
    values.filter(|color| !color.is_empty()).collect()
}

/// Returns the rows for the colors of series, with empty ones at the end.
pub fn color_rows(form: &Form, problem: &Problem) -> Vec<ColorField> {
    let values = list_colors(form).into_iter().chain(vec![String::new(); EMPTY_ROWS]);
    let row = |(index, value): (usize, String)| ColorField {
        id: format!("color-{}", index + 1),
        name: "colors",
        label: language::fill("colors.numberedColor").with("number", index + 1).into(),
        hint: "",
        swatch: swatch(&value),
        value,
        error: problem.of(&format!("colors[{index}]")).to_owned(),
    };
    values.enumerate().map(row).collect()
}

/// Returns the fields with one color.
pub fn single_colors(form: &Form, problem: &Problem) -> Vec<ColorField> {
    let field = |(name, hint): (&'static str, &'static str)| ColorField {
        id: name.replace('_', "-"),
        name,
        label: label_of(name).to_owned(),
        hint: language::text(hint),
        value: form.value(name).to_owned(),
        swatch: swatch(form.value(name)),
        error: problem.of(name).to_owned(),
    };
    SINGLE_COLORS.into_iter().map(field).collect()
}

/// Returns the fields of both fonts.
pub fn font_fields(form: &Form, problem: &Problem) -> Vec<FontFields> {
    let names =
        |role: &str| ["family", "size", "weight"].map(|field| format!("fonts.{role}.{field}"));
    let fields = |(role, label, hint): (&'static str, &'static str, &'static str)| FontFields {
        role,
        label: language::text(label),
        hint: language::text(hint),
        values: names(role).map(|name| form.value(&name).to_owned()),
        errors: names(role).map(|name| problem.of(&name).to_owned()),
    };
    FONTS.into_iter().map(fields).collect()
}

/// Describes a color with too little contrast, with the labels of the form.
pub fn describe_contrast(problem: &ContrastProblem) -> String {
    let text = match problem.role {
        ThemeColor::Text => language::fill("org-themes.textContrast"),
        ThemeColor::Axis => language::fill("org-themes.axisContrast"),
        ThemeColor::Highlight => language::fill("org-themes.highlightContrast"),
        ThemeColor::Series(index) => {
            language::fill("org-themes.seriesContrast").with("number", index + 1)
        }
    };
    let number = |number: f64| labels::localize_decimal(&number.to_string());
    text.with("color", problem.color)
        .with("contrast", number(problem.contrast))
        .with("background", problem.background)
        .with("min", number(problem.min))
        .into()
}

/// Returns another warning of a theme with the labels of the form instead of the names in the API.
pub fn describe_warning(warning: &str) -> String {
    if let Some((index, rest)) =
        warning.strip_prefix("colors[").and_then(|rest| rest.split_once(']'))
        && let Ok(index) = index.parse::<usize>()
    {
        return describe_warning(&format!("Color {}{rest}", index + 1));
    }
    let mut text = warning.replace("to background_color", "to the background");
    for (name, _) in SINGLE_COLORS {
        text = text.replace(name, label_of(name));
    }
    text.replace("fonts.title", "the title").replace("fonts.body", "other texts")
}

/// Returns the color in a text as `#rrggbb`, or an empty text.
fn swatch(text: &str) -> String {
    Color::parse(text).map(|color| color.to_string()).unwrap_or_default()
}

/// Returns the label of a field.
fn label_of(name: &str) -> &'static str {
    FIELDS.iter().find(|(field, _)| *field == name).map_or("", |(_, label)| language::text(label))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_form_of_a_theme_gives_the_same_theme() {
        let content = ThemeFields {
            colors: Some(vec!["#123456".to_owned(), "teal".to_owned()]),
            ..ThemeFields::default()
        };
        let content = content.to_content("brand").unwrap();
        let form = from_content(&content, "then");
        assert_eq!(to_content(&form, "other").unwrap(), content);
        assert_eq!(form.value("updated"), "then");
        assert_eq!(form.value("fonts.title.size"), "18");
    }

    #[test]
    fn errors_have_the_position_of_the_color_without_empty_rows() {
        let query = "colors=red&colors=+&colors=inky&fonts.title.size=big&fonts.body.size=99";
        let form = Form::from_query(query);
        let problem = Problem::from_error(to_content(&form, "a").unwrap_err(), FIELDS).unwrap();
        let rows = color_rows(&form, &problem);
        assert_eq!((rows.len(), rows[1].value.as_str()), (5, "inky"));
        assert_eq!(rows[1].error, "Color 2 must be a CSS color such as #3f90da.");
        assert_eq!((rows[0].swatch.as_str(), rows[1].swatch.as_str()), ("#ff0000", ""));
        let fonts = font_fields(&form, &problem);
        assert_eq!(fonts[0].errors[1], "Size must be a number.");
        assert_eq!(fonts[1].errors[1], "Size must be from 9 to 24 points.");
    }

    #[test]
    fn colors_of_a_logo_come_first_and_replace_similar_ones() {
        let form = Form::from_query("colors=%23c00&colors=teal&highlight_color=red");
        let form = with_logo_colors(form, &["#cc0101".to_owned(), "#222222".to_owned()]);
        assert_eq!(form.values("colors"), ["#cc0101", "#222222", "teal"]);
        assert_eq!(form.values("highlight_color"), ["#cc0101"]);
    }

    #[test]
    fn the_highlight_color_of_a_logo_stands_out_from_the_background() {
        let logo = ["#ffe600".to_owned(), "#003087".to_owned()];
        let highlight = |query: &str, logo: &[String]| {
            with_logo_colors(Form::from_query(query), logo).value("highlight_color").to_owned()
        };
        assert_eq!(highlight("", &logo), "#003087");
        assert_eq!(highlight("background_color=%23101318", &logo), "#ffe600");
        assert_eq!(highlight("highlight_color=teal", &logo[..1]), "teal");
    }

    #[test]
    fn colors_of_a_logo_replace_the_last_ones_of_a_full_list() {
        let full = (0..64).map(|index| format!("colors=%23{:06x}", index * 0x40000));
        let form = Form::from_query(&full.collect::<Vec<_>>().join("&"));
        let form = with_logo_colors(form, &["#ffffff".to_owned(), "#ff00ff".to_owned()]);
        assert_eq!(form.values("colors").len(), 64);
        assert!(to_content(&form, "a").is_ok());
    }

    #[test]
    fn warnings_name_the_fields_of_the_form() {
        let problem = ContrastProblem {
            role: ThemeColor::Series(1),
            color: Color::parse("#fd0").unwrap(),
            contrast: 1.3,
            background: WHITE,
            min: 3.0,
        };
        let text = "Color 2 #ffdd00 has a contrast of 1.3:1 to the background #ffffff; at least \
                    3:1 is needed to see it well.";
        assert_eq!(describe_contrast(&problem), text);
        // Other warnings have the names in the API.
        assert_eq!(describe_warning(&problem.to_string()), text);
        assert_eq!(describe_warning("text_color #888888 has"), "Text color #888888 has");
        let font = "There is no font family \"X\" for fonts.title.";
        assert_eq!(describe_warning(font), "There is no font family \"X\" for the title.");
        assert_eq!(describe_warning("Other."), "Other.");
    }
}
