//! Validation of share requests, without the database.

use crate::features::access::AccessLevel;
use crate::features::tree::FolderPath;
use chartroom_platform::crypto;
use chartroom_platform::crypto::Sha256Hash;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;
use chartroom_platform::id::NodeId;
use chartroom_platform::time::Timestamp;

/// The document or folder that a request names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ShareTarget {
    Document(NodeId),
    Folder(FolderPath),
}

impl ShareTarget {
    /// Returns `document` or `folder`, for error messages.
    pub fn noun(&self) -> &'static str {
        match self {
            Self::Document(_) => "document",
            Self::Folder(_) => "folder",
        }
    }
}

/// The recipient that a request names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RequestedRecipient {
    /// Anyone with the link that the request creates.
    AnyoneWithLink,
    /// Id, username or e-mail address of a user.
    User(String),
    /// E-mail address, with or without an account.
    Email(String),
    /// Id of a team.
    Team(String),
    /// Existing link, identified by the hash of its token.
    Link(Sha256Hash),
}

/// A share request after validation.
#[derive(Debug, Clone)]
pub struct ShareRequest {
    /// Owner of the node: an account id, `me`, or another spelling that `access` accepts.
    pub owner: String,
    pub target: ShareTarget,
    pub recipient: RequestedRecipient,
    /// None creates a share with read access, and keeps the stored mode when a share is changed.
    pub mode: Option<AccessLevel>,
    /// None creates a share without expiry, and keeps the stored expiry when a share is changed.
    /// `Some(None)` removes it.
    pub expires: Option<Option<Timestamp>>,
    /// Whether a link or invitation gets a new token, which invalidates the current one.
    pub rotate: bool,
}

/// The unchecked fields of a share request.
#[derive(Debug, Default)]
pub struct ShareFields {
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

impl ShareFields {
    /// Parses the fields and checks that they fit together. Without a recipient, the request is for
    /// anyone with the link.
    ///
    /// Does not check whether ids and addresses exist or the expiry is in the future.
    ///
    /// # Errors
    /// `InvalidFields` naming the first field that is missing, invalid or contradictory.
    pub fn into_request(self) -> Result<ShareRequest> {
        let owner = self.owner.ok_or_else(|| Error::invalid_field("owner", "is required"))?;
        let target = match (self.document, self.folder) {
            (Some(id), None) => ShareTarget::Document(NodeId::from_text(id)),
            (None, Some(path)) => ShareTarget::Folder(
                FolderPath::parse(&path).map_err(|text| Error::invalid_field("folder", text))?,
            ),
            (Some(_), Some(_)) => {
                return Err(Error::invalid_field("folder", "must be absent if document is given"));
            }
            (None, None) => {
                return Err(Error::invalid_field("document", "is required unless folder is given"));
            }
        };
        let mode = match self.mode.as_deref() {
            None => None,
            Some("r") => Some(AccessLevel::Read),
            Some("w") => Some(AccessLevel::Write),
            Some(_) => return Err(Error::invalid_field("mode", "must be r or w")),
        };
        let expires = match self.expires_at {
            None => None,
            Some(None) => Some(None),
            Some(Some(text)) => Some(Some(parse_time("expires_at", &text)?)),
        };
        let recipients = [
            self.user_id.map(|user| ("user_id", RequestedRecipient::User(user))),
            self.email.map(|email| ("email", RequestedRecipient::Email(email))),
            self.team.map(|team| ("team", RequestedRecipient::Team(team))),
            self.link.map(|link| ("link", RequestedRecipient::Link(link_token_hash(&link)))),
        ];
        let mut recipients = recipients.into_iter().flatten();
        let named = recipients.next();
        if let (Some((first, _)), Some((second, _))) = (&named, recipients.next()) {
            return Err(Error::invalid_field(
                second,
                format!("must be absent if {first} is given"),
            ));
        }
        let recipient =
            named.map_or(RequestedRecipient::AnyoneWithLink, |(_, recipient)| recipient);
        Ok(ShareRequest { owner, target, recipient, mode, expires, rotate: self.rotate })
    }
}

/// Returns the SHA-256 hash of the token in a link, which is the last segment of its path without
/// query and fragment. Also accepts the token alone. Does not check the form of the token.
fn link_token_hash(link: &str) -> Sha256Hash {
    let path = link.split(['?', '#']).next().unwrap_or_default();
    let token = path.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    crypto::sha256(token.as_bytes())
}

/// Parses an RFC 3339 time. `field` names the field in the error.
///
/// # Errors
/// `InvalidFields` naming `field`.
fn parse_time(field: &str, text: &str) -> Result<Timestamp> {
    Timestamp::parse_rfc3339(text)
        .ok_or_else(|| Error::invalid_field(field, "must be an RFC 3339 time"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields() -> ShareFields {
        let some = |text: &str| Some(text.to_owned());
        ShareFields { owner: some("me"), document: some("d"), ..ShareFields::default() }
    }

    #[test]
    fn errors_name_the_field() {
        let check = |fields: ShareFields, want: &str| {
            let error = fields.into_request().unwrap_err().to_string();
            assert!(error.starts_with(want), "{error}");
        };
        let some = |text: &str| Some(text.to_owned());
        check(ShareFields { owner: None, ..fields() }, "owner: is required");
        check(ShareFields { document: None, ..fields() }, "document: is required");
        check(ShareFields { folder: some("/a"), ..fields() }, "folder: must be absent");
        check(ShareFields { document: None, folder: some("a"), ..fields() }, "folder: must be");
        check(ShareFields { mode: some("x"), ..fields() }, "mode: must be r or w");
        check(ShareFields { expires_at: Some(some("soon")), ..fields() }, "expires_at: must be an");
        check(
            ShareFields { user_id: some("1"), team: some("2"), ..fields() },
            "team: must be absent if user_id is given",
        );
    }

    #[test]
    fn a_link_is_identified_by_its_token_in_any_url_form() {
        let want = RequestedRecipient::Link(crypto::sha256(b"abc"));
        for link in ["abc", "http://h/s/abc", "/s/abc/", "http://h/s/abc?x=1#y"] {
            let fields = ShareFields { link: Some(link.to_owned()), ..fields() };
            assert_eq!(fields.into_request().unwrap().recipient, want, "{link}");
        }
        assert_eq!(fields().into_request().unwrap().recipient, RequestedRecipient::AnyoneWithLink);
    }
}
