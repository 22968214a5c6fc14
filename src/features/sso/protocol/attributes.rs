//! Attributes of an assertion.

use roxmltree::Node;

use super::rejection::Rejection;
use super::schema;
use super::schema::format_error;

/// Maximum number of attributes, and of values of an attribute, for display to administrators.
const MAX_SHOWN: usize = 100;
/// Maximum number of characters of a name or a value for display to administrators.
const MAX_SHOWN_CHARS: usize = 500;

/// Names and values of the attributes of an assertion, in their order.
pub struct Attributes(Vec<(String, Vec<String>)>);

impl Attributes {
    /// Reads the attributes of all statements. Joins the values of attributes with the same name.
    /// Leaves out values that contain elements.
    ///
    /// # Errors
    /// `Format` if a statement contains other elements than attributes, or an attribute has no name.
    pub fn read(assertion: Node<'_, '_>) -> Result<Self, Rejection> {
        let mut all: Vec<(String, Vec<String>)> = Vec::new();
        let is_statement = |node: &Node<'_, '_>| schema::is_assertion(*node, "AttributeStatement");
        for statement in assertion.children().filter(is_statement) {
            for attribute in schema::children(statement)? {
                let name = attribute.attribute("Name").filter(|name| !name.is_empty());
                let (Some(name), true) = (name, schema::is_assertion(attribute, "Attribute"))
                else {
                    return Err(format_error("AttributeStatement contains an unknown element"));
                };
                let mut values = Vec::new();
                for value in schema::children(attribute)? {
                    if !schema::is_assertion(value, "AttributeValue") {
                        return Err(format_error("Attribute contains an unknown element"));
                    }
                    values.extend(schema::text(value).ok().map(str::to_owned));
                }
                match all.iter_mut().find(|(known, _)| known == name) {
                    Some((_, known)) => known.append(&mut values),
                    None => all.push((name.to_owned(), values)),
                }
            }
        }
        Ok(Self(all))
    }

    /// Returns the values of the attribute. None if it is absent.
    pub fn values(&self, name: &str) -> Option<&[String]> {
        self.0.iter().find(|(known, _)| known == name).map(|(_, values)| values.as_slice())
    }

    /// Returns the values of the first of these attributes that has a value that is not empty.
    /// Values that are empty are left out.
    pub fn first_values(&self, names: &[&str]) -> Vec<&str> {
        let values = |name: &&str| -> Vec<&str> {
            let values = self.values(name).unwrap_or_default().iter().map(String::as_str);
            values.filter(|value| !value.trim().is_empty()).collect()
        };
        names.iter().map(values).find(|values| !values.is_empty()).unwrap_or_default()
    }

    /// Returns names and values for display, with bounded number and length.
    pub fn into_shown(self) -> Vec<(String, Vec<String>)> {
        let shorten = |text: String| text.chars().take(MAX_SHOWN_CHARS).collect();
        let shown = self.0.into_iter().take(MAX_SHOWN);
        shown
            .map(|(name, values)| {
                (shorten(name), values.into_iter().take(MAX_SHOWN).map(shorten).collect())
            })
            .collect()
    }
}
