//! What is wrong with the annotations of a style.

use serde::Deserialize;
use serde_json::Value;

use chartroom_platform::error::FieldError;

/// The known fields of an annotation: at a `position` of the canvas, or at the mark of a record.
#[derive(Deserialize)]
#[expect(dead_code, reason = "reading the fields is the check")]
struct Annotation {
    r#type: Type,
    position: Option<Pair>,
    anchor: Option<Mark>,
    to: Option<Mark>,
    offset: Option<Pair>,
    size: Option<Size>,
    text: Option<String>,
    color: Option<String>,
}

/// The kinds of annotation.
#[derive(Deserialize, PartialEq)]
#[serde(rename_all = "snake_case")]
enum Type {
    Text,
    Line,
    Arrow,
    Rect,
    Span,
}

/// A place or a distance in points.
#[derive(Deserialize)]
#[expect(dead_code, reason = "reading the fields is the check")]
struct Pair {
    x: f64,
    y: f64,
}

/// Extents in points.
#[derive(Deserialize)]
#[expect(dead_code, reason = "reading the fields is the check")]
struct Size {
    width: Option<f64>,
    height: Option<f64>,
}

/// The record, and if wanted the column, whose mark an annotation keeps to.
#[derive(Deserialize)]
struct Mark {
    row: Option<u32>,
    label: Option<Value>,
    #[expect(dead_code, reason = "reading the field is the check")]
    field: Option<String>,
}

/// The annotations of a style that cannot be drawn, each with its path, such as
/// `style.annotations[2].anchor`.
pub fn problems(style: &Value) -> Vec<FieldError> {
    let all = style["annotations"].as_array().map_or(&[][..], Vec::as_slice);
    let problem = |(index, source): (usize, &Value)| {
        let (path, message) = problem(source)?;
        let dot = if path.is_empty() { "" } else { "." };
        Some(FieldError { field: format!("style.annotations[{index}]{dot}{path}"), message })
    };
    all.iter().enumerate().filter_map(problem).collect()
}

/// What is wrong with one: the path within it, and what it should be.
fn problem(source: &Value) -> Option<(String, String)> {
    let it: Annotation = match serde_path_to_error::deserialize(source) {
        Ok(it) => it,
        Err(error) if error.path().iter().next().is_none() => {
            return Some((String::new(), error.inner().to_string()));
        }
        Err(error) => return Some((error.path().to_string(), error.inner().to_string())),
    };
    for (name, mark) in [("anchor", &it.anchor), ("to", &it.to)] {
        match mark {
            Some(Mark { row: None, label: None, .. }) => {
                return Some((name.to_owned(), "must have a row or a label".to_owned()));
            }
            Some(Mark { label: Some(label), .. }) if !(label.is_string() || label.is_number()) => {
                return Some((format!("{name}.label"), "must be a text or a number".to_owned()));
            }
            _ => {}
        }
    }
    let of_marks = it.r#type == Type::Span || it.to.is_some();
    if it.anchor.is_some() || it.position.is_some() && !of_marks {
        return None;
    }
    let message = if of_marks { "is missing" } else { "is missing, and so is position" };
    Some(("anchor".to_owned(), message.to_owned()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_odd_annotation_is_named_by_its_path() {
        let check = |annotation: Value, want: &str| {
            let told = problems(&json!({ "annotations": [annotation.clone()] }));
            let told: Vec<String> =
                told.iter().map(|it| format!("{}: {}", it.field, it.message)).collect();
            let want = format!("style.annotations[0]{want}");
            assert!(told.len() == 1 && told[0].starts_with(&want), "{annotation}: {told:?}");
        };
        check(json!(7), ": invalid type");
        check(json!({}), ": missing field `type`");
        check(json!({"type": "star"}), ".type: unknown variant `star`");
        check(json!({"type": "text"}), ".anchor: is missing, and so is position");
        check(json!({"type": "span", "position": {"x": 1, "y": 2}}), ".anchor: is missing");
        check(json!({"type": "text", "position": {"x": 1}}), ".position: missing field `y`");
        check(json!({"type": "text", "anchor": {"field": "value"}}), ".anchor: must have a row");
        check(json!({"type": "text", "anchor": {"row": -1}}), ".anchor.row: ");
        check(json!({"type": "rect", "anchor": {"label": {}}}), ".anchor.label: must be a text");
        check(json!({"type": "line", "anchor": {"row": 1}, "to": {}}), ".to: must have a row");
        let sound = json!([
            {"type": "arrow", "anchor": {"label": "May", "field": "v"}, "text": null},
            {"type": "span", "anchor": {"row": 1}, "to": {"label": 2024}},
            {"type": "text", "position": {"x": 1, "y": 2.5}, "own": []},
        ]);
        assert_eq!(problems(&json!({ "annotations": sound })), []);
        assert_eq!(problems(&Value::Null), []);
    }
}
