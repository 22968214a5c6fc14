//! Which way a version came.

use hyper::header::AUTHORIZATION;
use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSql, ToSqlOutput, ValueRef};
use schemars::JsonSchema;
use serde::Serialize;

use crate::app::RequestContext;

/// Which way a version came.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Channel {
    /// By a page of this server, in a session.
    Web,
    /// By a program, with a token or a password; by a guest.
    Api,
    /// From a connected source.
    Sync,
    /// An older version was made the newest.
    Restore,
}

impl Channel {
    /// Which way a request came: whoever is signed in without saying so in a header has a session.
    pub fn of(request: &RequestContext, is_signed_in: bool) -> Self {
        match is_signed_in && !request.headers.contains_key(AUTHORIZATION) {
            true => Self::Web,
            false => Self::Api,
        }
    }
}

impl ToSql for Channel {
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
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        match value.as_str()? {
            "web" => Ok(Self::Web),
            "api" => Ok(Self::Api),
            "sync" => Ok(Self::Sync),
            "restore" => Ok(Self::Restore),
            other => Err(FromSqlError::Other(format!("no channel {other}").into())),
        }
    }
}
