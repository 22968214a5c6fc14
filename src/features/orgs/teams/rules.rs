//! Rules for team names.

use crate::features::tree;
use crate::features::tree::FolderPath;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;

/// Maximum number of teams of an organization. The list of teams has no pages.
pub const MAX_TEAMS: u32 = 1000;

/// Parses the name of a team: removes surrounding white space and converts it to Unicode NFC. It
/// must be valid as a folder name, because the folder of the team has the same name. Does not check
/// whether the name is in use.
///
/// # Errors
/// `InvalidFields` for `name`.
pub fn parse_team_name(text: &str) -> Result<String> {
    let invalid = |message: String| Error::invalid_field("name", message);
    let name = text.trim();
    if name.contains('/') {
        return Err(invalid(
            "must not contain a slash, because the folder of the team has the same name".to_owned(),
        ));
    }
    if name.is_empty() {
        return Err(invalid("must not be empty".to_owned()));
    }
    let path = FolderPath::parse(&format!("/{name}")).map_err(invalid)?;
    Ok(path.name().to_owned())
}

/// Returns the path of the folder of a team: `/Sales` for number 1, `/Sales 2` for number 2, and so
/// on. Shortens the name if it is too long with the number.
///
/// # Errors
/// `InvalidFields` for `name` if it is not valid as a folder name.
pub fn numbered_folder_path(name: &str, number: u32) -> Result<FolderPath> {
    let text = match number {
        0 | 1 => name.to_owned(),
        _ => tree::append_number(name, number),
    };
    FolderPath::parse(&format!("/{text}")).map_err(|message| Error::invalid_field("name", message))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn team_name_is_a_folder_name() {
        let check = |text: &str, want: Option<&str>| {
            assert_eq!(parse_team_name(text).ok().as_deref(), want, "{text:?}");
        };
        check(" Sales ", Some("Sales"));
        check("Cafe\u{301}", Some("Café"));
        check("", None);
        check("a/b", None);
        check("..", None);
        check("a\u{7}", None);
        check(&"x".repeat(256), None);
        assert_eq!(numbered_folder_path("Sales", 1).unwrap().to_string(), "/Sales");
        assert_eq!(numbered_folder_path("Sales", 2).unwrap().to_string(), "/Sales 2");
        let longest = "é".repeat(255);
        let expected = format!("{} 12", &longest[..252 * 2]);
        assert_eq!(numbered_folder_path(&longest, 12).unwrap().name(), expected);
    }
}
