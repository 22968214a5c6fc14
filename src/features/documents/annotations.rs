//! Validation of the annotations in a style.

use serde::Deserialize;
use serde_json::Value;

use chartroom_platform::error::FieldError;

/// Known fields of an annotation. It is placed at a `position` of the canvas or at the mark of a
/// record (`anchor`).
#[derive(Deserialize)]
#[expect(dead_code, reason = "reading the fields is the check")]
struct Annotation {
    r#type: AnnotationType,
    position: Option<Point>,
    anchor: Option<MarkReference>,
    to: Option<MarkReference>,
    offset: Option<Point>,
    size: Option<Size>,
    text: Option<String>,
    color: Option<String>,
    display: Option<DifferenceDisplay>,
}

/// Type of an annotation.
#[derive(Deserialize, PartialEq)]
#[serde(rename_all = "snake_case")]
enum AnnotationType {
    Text,
    Line,
    Arrow,
    Rect,
    Span,
    Difference,
}

/// Numbers in the label of a difference.
#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum DifferenceDisplay {
    Absolute,
    Percent,
    Both,
    Factor,
}

/// Position or offset in points.
#[derive(Deserialize)]
#[expect(dead_code, reason = "reading the fields is the check")]
struct Point {
    x: f64,
    y: f64,
}

/// Width and height in points.
#[derive(Deserialize)]
#[expect(dead_code, reason = "reading the fields is the check")]
struct Size {
    width: Option<f64>,
    height: Option<f64>,
}

/// Reference to the mark of a record, by row or label, and optionally by column.
#[derive(Deserialize)]
struct MarkReference {
    row: Option<u32>,
    label: Option<Value>,
    #[expect(dead_code, reason = "reading the field is the check")]
    field: Option<String>,
}

/// Returns the first error of each invalid annotation, with its path such as
/// `style.annotations[2].anchor`. Without an array of annotations, the result is empty.
pub fn find_problems(style: &Value) -> Vec<FieldError> {
    let all = style["annotations"].as_array().map_or(&[][..], Vec::as_slice);
    let to_error = |(index, source): (usize, &Value)| {
        let (path, message) = find_problem(source)?;
        let dot = if path.is_empty() { "" } else { "." };
        Some(FieldError { field: format!("style.annotations[{index}]{dot}{path}"), message })
    };
    all.iter().enumerate().filter_map(to_error).collect()
}

/// Returns the first error in an annotation: the path within it and the message. `None` if it is
/// valid.
///
/// Checks the types of the known fields, then that each mark reference has a row or a label, then
/// that there is an anchor. Instead of an anchor, a position is enough unless it is a span, a
/// difference or has `to`. A difference must have `to`.
fn find_problem(source: &Value) -> Option<(String, String)> {
    let annotation: Annotation = match serde_path_to_error::deserialize(source) {
        Ok(annotation) => annotation,
        Err(error) if error.path().iter().next().is_none() => {
            return Some((String::new(), error.inner().to_string()));
        }
        Err(error) => return Some((error.path().to_string(), error.inner().to_string())),
    };
    for (name, mark) in [("anchor", &annotation.anchor), ("to", &annotation.to)] {
        match mark {
            Some(MarkReference { row: None, label: None, .. }) => {
                return Some((name.to_owned(), "must have row or label".to_owned()));
            }
            Some(MarkReference { label: Some(label), .. })
                if !(label.is_string() || label.is_number()) =>
            {
                return Some((format!("{name}.label"), "must be a string or a number".to_owned()));
            }
            _ => {}
        }
    }
    let is_difference = annotation.r#type == AnnotationType::Difference;
    if is_difference && annotation.anchor.is_some() && annotation.to.is_none() {
        return Some(("to".to_owned(), "is required".to_owned()));
    }
    let is_span = annotation.r#type == AnnotationType::Span;
    let needs_anchor = is_difference || is_span || annotation.to.is_some();
    if annotation.anchor.is_some() || annotation.position.is_some() && !needs_anchor {
        return None;
    }
    let message = if needs_anchor { "is required" } else { "is required when position is absent" };
    Some(("anchor".to_owned(), message.to_owned()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn errors_contain_the_path_of_the_annotation() {
        let check = |annotation: Value, want: &str| {
            let errors = find_problems(&json!({ "annotations": [annotation.clone()] }));
            let errors: Vec<String> =
                errors.iter().map(|error| format!("{}: {}", error.field, error.message)).collect();
            let want = format!("style.annotations[0]{want}");
            assert!(errors.len() == 1 && errors[0].starts_with(&want), "{annotation}: {errors:?}");
        };
        check(json!(7), ": invalid type");
        check(json!({}), ": missing field `type`");
        check(json!({"type": "star"}), ".type: unknown variant `star`");
        check(json!({"type": "text"}), ".anchor: is required when position is absent");
        check(json!({"type": "span", "position": {"x": 1, "y": 2}}), ".anchor: is required");
        check(json!({"type": "text", "position": {"x": 1}}), ".position: missing field `y`");
        check(json!({"type": "text", "anchor": {"field": "value"}}), ".anchor: must have row");
        check(json!({"type": "text", "anchor": {"row": -1}}), ".anchor.row: ");
        check(json!({"type": "rect", "anchor": {"label": {}}}), ".anchor.label: must be a string");
        check(json!({"type": "line", "anchor": {"row": 1}, "to": {}}), ".to: must have row");
        check(json!({"type": "difference", "anchor": {"row": 1}}), ".to: is required");
        check(json!({"type": "difference", "to": {"row": 1}}), ".anchor: is required");
        let display = json!({"type": "difference", "anchor": {"row": 1}, "to": {"row": 2}, "display": "ratio"});
        check(display, ".display: unknown variant `ratio`");
        let valid = json!([
            {"type": "difference", "anchor": {"row": 1}, "to": {"label": "B", "field": "v"}, "display": "factor"},
            {"type": "arrow", "anchor": {"label": "May", "field": "v"}, "text": null},
            {"type": "span", "anchor": {"row": 1}, "to": {"label": 2024}},
            {"type": "text", "position": {"x": 1, "y": 2.5}, "own": []},
        ]);
        assert_eq!(find_problems(&json!({ "annotations": valid })), []);
        assert_eq!(find_problems(&Value::Null), []);
    }
}
