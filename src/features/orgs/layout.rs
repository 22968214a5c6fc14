//! Layout presets: sizes and margins for new documents.

use schemars::JsonSchema;
use serde::Deserialize;
use serde::Serialize;

use chartroom_platform::error::Error;
use chartroom_platform::error::Result;

/// Allowed width and height in points, as for documents.
const SIDE_POINTS: std::ops::RangeInclusive<f64> = 40.0..=4096.0;
/// Maximum number of characters in the name of a preset.
const MAX_NAME_CHARS: usize = 255;

/// A layout preset.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Layout {
    /// Name of the preset. Required and unique in the presets of an organization.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Width in points, 40 to 4,096.
    #[schemars(range(min = 40, max = 4096))]
    pub width: f64,
    /// Height in points, 40 to 4,096.
    #[schemars(range(min = 40, max = 4096))]
    pub height: f64,
    /// Unit in which pages show lengths.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub display_unit: Option<String>,
    /// Margins in points.
    #[serde(default)]
    pub margin: Margin,
}

/// Margins of a layout, in points.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Margin {
    /// Above the content.
    #[serde(default)]
    pub top: f64,
    /// At the right.
    #[serde(default)]
    pub right: f64,
    /// Below the content.
    #[serde(default)]
    pub bottom: f64,
    /// At the left.
    #[serde(default)]
    pub left: f64,
}

impl Layout {
    /// Checks size, margins and name of the layout. A missing name is valid. `field` is the path of
    /// the layout in the request, or empty if the layout is the whole body.
    ///
    /// # Errors
    /// `InvalidFields` about the first problem, with a path below `field`. Margins that leave no
    /// room are a problem of `width` or `height`.
    pub fn check(&self, field: &str) -> Result<()> {
        let path = |name: &str| match field {
            "" => name.to_owned(),
            _ => format!("{field}.{name}"),
        };
        let invalid = |name: &str, text: &str| Err(Error::invalid_field(path(name), text));
        let margin = &self.margin;
        let margins = [
            ("top", margin.top),
            ("right", margin.right),
            ("bottom", margin.bottom),
            ("left", margin.left),
        ];
        if let Some((side, _)) = margins.into_iter().find(|(_, size)| *size < 0.0) {
            return invalid(&format!("margin.{side}"), "must not be negative");
        }
        let sides = [
            ("width", self.width, margin.left + margin.right),
            ("height", self.height, margin.top + margin.bottom),
        ];
        for (name, side, margins) in sides {
            if !SIDE_POINTS.contains(&side) {
                return invalid(name, "must be from 40 to 4096 points");
            }
            if margins >= side {
                return invalid(name, "leaves no room between the margins");
            }
        }
        match &self.name {
            Some(name) if name.trim().is_empty() || name.chars().count() > MAX_NAME_CHARS => {
                invalid("name", "must have 1 to 255 characters")
            }
            _ => Ok(()),
        }
    }
}
