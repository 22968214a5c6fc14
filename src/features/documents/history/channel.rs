//! Channel through which a change was made.

use hyper::header::AUTHORIZATION;
use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSql, ToSqlOutput, ValueRef};
use schemars::JsonSchema;
use serde::Serialize;

use crate::app::RequestContext;

/// Channel through which a change was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Channel {
    /// A page of this server, in a browser session.
    Web,
    /// A program with a token or a password, or a guest.
    Api,
    /// A synchronized data source.
    Sync,
    /// Restoration of an older version.
    Restore,
}

impl Channel {
    /// Returns the channel of a request: `Web` in a browser session, else `Api`. Never returns
    /// `Sync` or `Restore`, which the code of these features sets.
    ///
    /// A caller who is signed in without an `Authorization` header has a browser session.
    pub fn from_request(request: &RequestContext, is_signed_in: bool) -> Self {
        match is_signed_in && !request.headers.contains_key(AUTHORIZATION) {
            true => Self::Web,
            false => Self::Api,
        }
    }
}

impl ToSql for Channel {
    /// Converts the channel to the text in the database, which is its JSON form too.
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::from(match self {
            Self::Web => "web",
            Self::Api => "api",
            Self::Sync => "sync",
            Self::Restore => "restore",
        }))
    }
}

impl FromSql for Channel {
    /// Parses the text in the database. Another text is an error.
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        match value.as_str()? {
            "web" => Ok(Self::Web),
            "api" => Ok(Self::Api),
            "sync" => Ok(Self::Sync),
            "restore" => Ok(Self::Restore),
            other => Err(FromSqlError::Other(format!("unknown channel {other}").into())),
        }
    }
}
