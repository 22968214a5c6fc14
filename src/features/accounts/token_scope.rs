//! Scopes of API tokens: the requests that a token permits.

use hyper::Method;
use rusqlite::ToSql;
use rusqlite::types::FromSql;
use rusqlite::types::FromSqlError;
use rusqlite::types::FromSqlResult;
use rusqlite::types::ToSqlOutput;
use rusqlite::types::ValueRef;
use schemars::JsonSchema;
use serde::Serialize;

use chartroom_platform::error::Error;
use chartroom_platform::error::Result;

/// Beginning of the paths of user provisioning (SCIM).
const SCIM_PREFIX: &str = "/sso/scim/";
/// Requests with POST that store nothing.
const READING_POSTS: [&str; 7] = [
    "/api/v1/render",
    "/api/v1/tables",
    "/api/v1/tables/chart.svg",
    "/api/v1/tables/document",
    "/api/v1/tables/download",
    "/api/v1/sync/document/check",
    "/api/v1/sync/document",
];
/// Beginnings of the paths that a token with the scope `write` may change: documents and folders,
/// with their comments, shares, screens and sources.
const CONTENT_PREFIXES: [&str; 7] = [
    "/api/v1/create-document",
    "/api/v1/users/",
    "/api/v1/share",
    "/api/v1/cast/",
    "/api/v1/sync/create",
    "/api/v1/sync/document/",
    CLOUD_PREFIX,
];

/// Beginning of the paths of connections to cloud storage.
const CLOUD_PREFIX: &str = "/api/v1/cloud/";

/// The requests that an API token permits. A token never permits more than its user may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum TokenScope {
    /// Everything that the user may do.
    Full,
    /// Requests that change nothing.
    Read,
    /// Also changes of documents and folders, but not of the account or of an organization.
    Write,
    /// Only user provisioning by an identity provider (SCIM).
    Scim,
}

impl TokenScope {
    /// All scopes, in the order in which a person chooses one.
    pub const ALL: [Self; 4] = [Self::Full, Self::Read, Self::Write, Self::Scim];

    /// Returns the name in the database and in the API.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::Read => "read",
            Self::Write => "write",
            Self::Scim => "scim",
        }
    }

    /// Parses a name. None stands for everything.
    ///
    /// # Errors
    /// `InvalidFields` for `scope`.
    pub fn parse(name: Option<&str>) -> Result<Self> {
        let Some(name) = name else { return Ok(Self::Full) };
        Self::ALL.into_iter().find(|scope| scope.as_str() == name).ok_or_else(|| {
            Error::invalid_field("scope", "must be `full`, `read`, `write` or `scim`")
        })
    }

    /// Checks that a token with this scope permits a request.
    ///
    /// # Errors
    /// `Forbidden` with the name of the scope.
    pub fn check(self, method: &Method, path: &str) -> Result<()> {
        match self.permits(method, path) {
            true => Ok(()),
            false => {
                let name = self.as_str();
                Err(Error::Forbidden(format!(
                    "the scope `{name}` of this API token does not include this request"
                )))
            }
        }
    }

    /// Returns whether a token with this scope permits a request.
    fn permits(self, method: &Method, path: &str) -> bool {
        let is_scim = path.starts_with(SCIM_PREFIX);
        let reads = matches!(*method, Method::GET | Method::HEAD | Method::OPTIONS)
            || *method == Method::POST && READING_POSTS.contains(&path);
        match self {
            Self::Full => true,
            Self::Read => reads && !is_scim,
            Self::Write => {
                let is_content = CONTENT_PREFIXES.iter().any(|start| path.starts_with(start));
                reads && !is_scim || is_content && !is_connection(path)
            }
            Self::Scim => is_scim,
        }
    }
}

/// Returns whether a path is that of a connection to cloud storage itself, which belongs to the account, and
/// not of documents and folders there.
fn is_connection(path: &str) -> bool {
    let Some(rest) = path.strip_prefix(CLOUD_PREFIX) else { return false };
    let parts: Vec<&str> = rest.split('/').collect();
    matches!(parts.as_slice(), [_] | [_, _] | [_, _, "" | "rename"])
}

impl ToSql for TokenScope {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::from(self.as_str()))
    }
}

impl FromSql for TokenScope {
    /// Reads the name of a scope. Fails for any other value.
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        let name = value.as_str()?;
        Self::ALL.into_iter().find(|scope| scope.as_str() == name).ok_or(FromSqlError::InvalidType)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scopes_permit_the_requests_of_their_purpose_only() {
        let check = |method: Method, path: &str, want: &[TokenScope]| {
            let permitted: Vec<_> =
                TokenScope::ALL.into_iter().filter(|scope| scope.permits(&method, path)).collect();
            assert_eq!(permitted, want, "{method} {path}");
        };
        use TokenScope::{Full, Read, Scim, Write};
        check(Method::GET, "/api/v1/user", &[Full, Read, Write]);
        check(Method::GET, "/api/v1/users/1/documents/2.svg", &[Full, Read, Write]);
        check(Method::POST, "/api/v1/render", &[Full, Read, Write]);
        check(Method::POST, "/api/v1/tables/chart.svg", &[Full, Read, Write]);
        check(Method::PUT, "/api/v1/users/1/documents/2/data", &[Full, Write]);
        check(Method::POST, "/api/v1/create-document", &[Full, Write]);
        check(Method::PUT, "/api/v1/cloud/box/1/documents/2", &[Full, Write]);
        check(Method::POST, "/api/v1/cloud/box/1/documents/2/rename", &[Full, Write]);
        check(Method::POST, "/api/v1/cloud/box/1/rename", &[Full]);
        check(Method::DELETE, "/api/v1/cloud/box/1", &[Full]);
        check(Method::GET, "/api/v1/cloud/box/1/folders", &[Full, Read, Write]);
        check(Method::DELETE, "/api/v1/share", &[Full, Write]);
        check(Method::POST, "/api/v1/cast/sessions", &[Full, Write]);
        check(Method::POST, "/api/v1/user/tokens", &[Full]);
        check(Method::PATCH, "/api/v1/user", &[Full]);
        check(Method::PATCH, "/api/v1/orgs/acme", &[Full]);
        check(Method::POST, "/orgs/acme/settings", &[Full]);
        check(Method::POST, "/account", &[Full]);
        check(Method::POST, "/api/v1/widgets/bar/reviews", &[Full]);
        check(Method::GET, "/sso/scim/v2/orgs/acme/Users", &[Full, Scim]);
        check(Method::DELETE, "/sso/scim/v2/orgs/acme/Users/1", &[Full, Scim]);
    }
}
