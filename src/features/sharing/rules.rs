//! What a request to share may ask for.

use crate::features::access::Level;
use crate::features::tree::FolderPath;
use chartroom_platform::crypto;
use chartroom_platform::crypto::Hash;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;
use chartroom_platform::id::NodeId;
use chartroom_platform::time::Timestamp;

/// What is to be shared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Thing {
    Document(NodeId),
    Folder(FolderPath),
}

impl Thing {
    /// The word of errors.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Document(_) => "document",
            Self::Folder(_) => "folder",
        }
    }
}

/// With whom.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Whom {
    /// With whoever has a link.
    Anybody,
    /// Id, username or address of a user.
    User(String),
    /// An address, of a user or of nobody here.
    Email(String),
    /// Id of a team.
    Team(String),
    /// An existing link, by the hash of its token.
    Link(Hash),
}

/// A request, checked as far as it can be without the database.
#[derive(Debug, Clone)]
pub struct Wish {
    /// The account whose thing it is, in any spelling.
    pub owner: String,
    pub thing: Thing,
    pub whom: Whom,
    /// None leaves it.
    pub mode: Option<Level>,
    /// None leaves it, `Some(None)` is for ever.
    pub expires: Option<Option<Timestamp>>,
    /// Whether the link gets another token.
    pub rotate: bool,
}

/// The fields of a request as they were sent.
#[derive(Debug, Default)]
pub struct Fields {
    pub owner: Option<String>,
    pub document: Option<String>,
    pub folder: Option<String>,
    pub mode: Option<String>,
    pub user_id: Option<String>,
    pub email: Option<String>,
    pub link: Option<String>,
    pub team: Option<String>,
    pub expires_at: Option<Option<String>>,
    pub rotate: bool,
}

impl Fields {
    /// The checked wish.
    ///
    /// # Errors
    /// `Fields` naming what is missing, does not go together or cannot be read.
    pub fn read(self) -> Result<Wish> {
        let owner = self.owner.ok_or_else(|| Error::field("owner", "is required"))?;
        let thing = match (self.document, self.folder) {
            (Some(id), None) => Thing::Document(NodeId::from_text(id)),
            (None, Some(path)) => Thing::Folder(
                FolderPath::parse(&path).map_err(|text| Error::field("folder", text))?,
            ),
            (Some(_), Some(_)) => {
                return Err(Error::field("folder", "give either document or folder, not both"));
            }
            (None, None) => {
                return Err(Error::field("document", "is required when there is no folder"));
            }
        };
        let mode = match self.mode.as_deref() {
            None => None,
            Some("r") => Some(Level::Read),
            Some("w") => Some(Level::Write),
            Some(_) => return Err(Error::field("mode", "must be r or w")),
        };
        let expires = match self.expires_at {
            None => None,
            Some(None) => Some(None),
            Some(Some(text)) => Some(Some(time("expires_at", &text)?)),
        };
        let whom = [
            self.user_id.map(|it| ("user_id", Whom::User(it))),
            self.email.map(|it| ("email", Whom::Email(it))),
            self.team.map(|it| ("team", Whom::Team(it))),
            self.link.map(|it| ("link", Whom::Link(token(&it)))),
        ];
        let mut whom = whom.into_iter().flatten();
        let first = whom.next();
        if let (Some((one, _)), Some((other, _))) = (&first, whom.next()) {
            return Err(Error::field(other, format!("does not go together with {one}")));
        }
        let whom = first.map_or(Whom::Anybody, |(_, whom)| whom);
        Ok(Wish { owner, thing, whom, mode, expires, rotate: self.rotate })
    }
}

/// The hash of the token in a link; the token alone will do.
fn token(link: &str) -> Hash {
    let path = link.split(['?', '#']).next().unwrap_or_default();
    let token = path.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    crypto::sha256(token.as_bytes())
}

fn time(field: &str, text: &str) -> Result<Timestamp> {
    let time: jiff::Timestamp =
        text.parse().map_err(|_| Error::field(field, "is not an RFC 3339 time"))?;
    Ok(Timestamp(time.as_millisecond()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields() -> Fields {
        let some = |text: &str| Some(text.to_owned());
        Fields { owner: some("me"), document: some("d"), ..Fields::default() }
    }

    #[test]
    fn errors_name_the_field() {
        let check = |fields: Fields, want: &str| {
            let error = fields.read().unwrap_err().to_string();
            assert!(error.starts_with(want), "{error}");
        };
        let some = |text: &str| Some(text.to_owned());
        check(Fields { owner: None, ..fields() }, "owner: is required");
        check(Fields { document: None, ..fields() }, "document: is required");
        check(Fields { folder: some("/a"), ..fields() }, "folder: give either");
        check(Fields { document: None, folder: some("a"), ..fields() }, "folder: must be");
        check(Fields { mode: some("x"), ..fields() }, "mode: must be r or w");
        check(Fields { expires_at: Some(some("soon")), ..fields() }, "expires_at: is not");
        check(
            Fields { user_id: some("1"), team: some("2"), ..fields() },
            "team: does not go together with user_id",
        );
    }

    #[test]
    fn a_link_is_known_by_its_token_however_it_is_written() {
        let want = Whom::Link(crypto::sha256(b"abc"));
        for link in ["abc", "http://h/s/abc", "/s/abc/", "http://h/s/abc?x=1#y"] {
            let fields = Fields { link: Some(link.to_owned()), ..fields() };
            assert_eq!(fields.read().unwrap().whom, want, "{link}");
        }
        assert_eq!(fields().read().unwrap().whom, Whom::Anybody);
    }
}
