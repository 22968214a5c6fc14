//! What a team may be called.

use crate::features::tree::FolderPath;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;

/// Most teams of an organization: they are listed as a whole.
pub const MAX_TEAMS: u32 = 1000;

/// A team's name. Its folder is called so too, so that it must be a folder's name.
///
/// # Errors
/// `Fields` naming `name`.
pub fn name(text: &str) -> Result<String> {
    let refuse = |message: String| Error::field("name", message);
    let name = text.trim();
    if name.contains('/') {
        return Err(refuse("must not have a slash: the team's folder is called so too".to_owned()));
    }
    if name.is_empty() {
        return Err(refuse("must not be empty".to_owned()));
    }
    let path = FolderPath::parse(&format!("/{name}")).map_err(refuse)?;
    Ok(path.title().to_owned())
}

/// The name of the folder in its `number`th spelling: the plain one, then `Sales 2` and so on.
///
/// # Errors
/// `Fields` naming `name` when the number makes it too long for a folder.
pub fn folder(name: &str, number: u32) -> Result<FolderPath> {
    let text = if number < 2 { format!("/{name}") } else { format!("/{name} {number}") };
    FolderPath::parse(&text).map_err(|message| Error::field("name", message))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_a_folders_name() {
        let check = |text: &str, want: Option<&str>| {
            assert_eq!(name(text).ok().as_deref(), want, "{text:?}");
        };
        check(" Sales ", Some("Sales"));
        check("Cafe\u{301}", Some("Café"));
        check("", None);
        check("a/b", None);
        check("..", None);
        check("a\u{7}", None);
        check(&"x".repeat(256), None);
        assert_eq!(folder("Sales", 1).unwrap().to_string(), "/Sales");
        assert_eq!(folder("Sales", 2).unwrap().to_string(), "/Sales 2");
    }
}
