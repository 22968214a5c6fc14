//! SQL that reads provisioned accounts. `people` and `accounts` own the tables.

use rusqlite::Row;
use rusqlite::ToSql;
use rusqlite::named_params;

use super::filter::AttributePath;
use super::filter::Filter;
use super::filter::Test;
use chartroom_platform::db::Tx;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;
use chartroom_platform::id::AccountId;
use chartroom_platform::time::Timestamp;

/// A provisioned account.
#[derive(Debug, Clone)]
pub struct StoredUser {
    /// Account id.
    pub id: AccountId,
    /// Identifier at the identity provider.
    pub external_id: Option<String>,
    /// Address.
    pub email: String,
    /// Full name.
    pub name: String,
    /// Given name.
    pub given_name: Option<String>,
    /// Family name.
    pub family_name: Option<String>,
    /// Time at which the organization began to manage the account.
    pub created: Timestamp,
    /// Time of the last change.
    pub updated: Timestamp,
}

/// Tables of the active managed accounts of an organization.
const FROM_USERS: &str = "from managed_user
 join user on user.id = managed_user.user_id
 where managed_user.org_id = :org and managed_user.removed is null";

/// The columns that `user_from_row` reads.
const USER_COLUMNS: &str = "user.id, managed_user.sso_id, user.email, user.name,
        managed_user.given_name, managed_user.family_name, managed_user.created, user.updated";

/// Reads a row of `USER_COLUMNS`.
fn user_from_row(row: &Row<'_>) -> rusqlite::Result<StoredUser> {
    Ok(StoredUser {
        id: row.get("id")?,
        external_id: row.get("sso_id")?,
        email: row.get("email")?,
        name: row.get("name")?,
        given_name: row.get("given_name")?,
        family_name: row.get("family_name")?,
        created: row.get("created")?,
        updated: row.get("updated")?,
    })
}

/// Returns an active managed account of an organization, or None (reads `managed_user`, `user`).
pub fn find_user(tx: &Tx<'_>, org: &AccountId, user: &AccountId) -> Result<Option<StoredUser>> {
    tx.find(
        &format!("select {USER_COLUMNS} {FROM_USERS} and user.id = :user"),
        named_params! { ":org": org, ":user": user },
        user_from_row,
    )
}

/// A condition on accounts: SQL, and the texts that its parameters `:v0`, `:v1`, … have.
#[derive(Debug, Clone, Default)]
pub struct Condition {
    sql: String,
    values: Vec<String>,
}

/// Returns the number of active managed accounts of an organization that match a condition (reads
/// `managed_user`, `user`).
pub fn count_users(tx: &Tx<'_>, org: &AccountId, condition: &Condition) -> Result<u32> {
    let names = condition.names();
    let mut params = condition.params(&names);
    params.push((":org", org));
    let sql = format!("select count(*) {FROM_USERS}{}", condition.sql);
    tx.one(&sql, params.as_slice(), |row| row.get(0))
}

/// Returns the active managed accounts of an organization that match a condition, in the order of
/// their creation: at most `limit` after the first `offset` (reads `managed_user`, `user`).
pub fn list_users(
    tx: &Tx<'_>,
    org: &AccountId,
    condition: &Condition,
    (offset, limit): (i64, i64),
) -> Result<Vec<StoredUser>> {
    let names = condition.names();
    let mut params = condition.params(&names);
    params.extend([(":org", org as &dyn ToSql), (":offset", &offset), (":limit", &limit)]);
    let sql = format!(
        "select {USER_COLUMNS} {FROM_USERS}{}
         order by managed_user.created, managed_user.user_id
         limit :limit offset :offset",
        condition.sql
    );
    tx.all(&sql, params.as_slice(), user_from_row)
}

impl Condition {
    /// Translates a filter. None matches all accounts.
    ///
    /// # Errors
    /// `InvalidFields` for `filter` if it has another attribute than `userName`, `externalId`, `id`,
    /// `emails`, `displayName` and `active`, or a comparison that the attribute does not support.
    pub fn new(filter: Option<&Filter>) -> Result<Self> {
        let mut condition = Self::default();
        if let Some(filter) = filter {
            let sql = condition.translate(filter)?;
            condition.sql = format!("\n and {sql}");
        }
        Ok(condition)
    }

    /// Returns the names of the parameters.
    fn names(&self) -> Vec<String> {
        (0..self.values.len()).map(|index| format!(":v{index}")).collect()
    }

    /// Returns the parameters with their names.
    fn params<'a>(&'a self, names: &'a [String]) -> Vec<(&'a str, &'a dyn ToSql)> {
        let values = self.values.iter().map(|value| value as &dyn ToSql);
        names.iter().map(String::as_str).zip(values).collect()
    }

    /// Returns the name of a new parameter.
    fn bind(&mut self, value: String) -> String {
        self.values.push(value);
        format!(":v{}", self.values.len() - 1)
    }

    /// Returns a filter as SQL that is 0 or 1, never null, so that a negation is the opposite.
    fn translate(&mut self, filter: &Filter) -> Result<String> {
        Ok(match filter {
            Filter::And(left, right) => {
                format!("({} and {})", self.translate(left)?, self.translate(right)?)
            }
            Filter::Or(left, right) => {
                format!("({} or {})", self.translate(left)?, self.translate(right)?)
            }
            Filter::Not(inner) => format!("(not {})", self.translate(inner)?),
            Filter::Term(path, test) => self.translate_term(path, test)?,
        })
    }

    /// Returns a comparison as SQL.
    fn translate_term(&mut self, path: &AttributePath, test: &Test) -> Result<String> {
        let attribute = find_attribute(path)?;
        let (column, ignores_case) = match (attribute, test) {
            // All these accounts are active.
            (Attribute::Active, Test::Is(true) | Test::Present) => return Ok("(1 = 1)".to_owned()),
            (Attribute::Active, Test::Is(false)) => return Ok("(1 = 0)".to_owned()),
            (Attribute::Active, _) => return Err(unsupported("`active` must be true or false")),
            (Attribute::Text { column, ignores_case }, _) => (column, ignores_case),
        };
        let compare = |value: &str| match ignores_case {
            true => value.to_lowercase(),
            false => value.to_owned(),
        };
        Ok(match test {
            Test::Present => format!("({column} is not null)"),
            Test::Is(_) | Test::NotEvaluated => {
                return Err(unsupported("the attribute must be compared with a text"));
            }
            Test::Equals(value) => format!("({column} is {})", self.bind(compare(value))),
            Test::Contains(value) => {
                format!("(ifnull(instr({column}, {}), 0) > 0)", self.bind(compare(value)))
            }
            Test::StartsWith(value) => {
                format!("(ifnull(instr({column}, {}), 0) = 1)", self.bind(compare(value)))
            }
        })
    }
}

/// An attribute that a filter can have.
enum Attribute {
    /// `active`
    Active,
    /// A text.
    Text {
        /// SQL of the text, in lower case if the case does not matter.
        column: &'static str,
        /// Whether upper and lower case are equal.
        ignores_case: bool,
    },
}

/// Returns the attribute at a path.
///
/// # Errors
/// `InvalidFields` for `filter` if a filter cannot have the attribute.
fn find_attribute(path: &AttributePath) -> Result<Attribute> {
    if !path.is_user_attribute() {
        return Err(unsupported("the attribute is not one of the schema of users"));
    }
    let name = path.dotted_name();
    let (column, ignores_case) = match (name.as_str(), &path.values) {
        ("emails.value", Some(values)) if selects_work_email(values) => ("(user.email_key)", true),
        ("username" | "emails" | "emails.value", None) => ("(user.email_key)", true),
        ("displayname", None) => ("lower_case(user.name)", true),
        ("externalid", None) => ("managed_user.sso_id", false),
        ("id", None) => ("user.id", false),
        ("active", None) => return Ok(Attribute::Active),
        _ => {
            return Err(unsupported(
                "the attribute must be one of `userName`, `externalId`, `id`, `emails`, \
                 `emails.value`, `emails[type eq \"work\"].value`, `displayName`, `active`",
            ));
        }
    };
    Ok(Attribute::Text { column, ignores_case })
}

/// Returns whether a filter in brackets is `type eq "work"`, the type of all addresses.
fn selects_work_email(values: &Filter) -> bool {
    let Filter::Term(inner, Test::Equals(kind)) = values else { return false };
    let is_type = *inner == AttributePath { name: "type".to_owned(), ..Default::default() };
    is_type && kind.eq_ignore_ascii_case("work")
}

/// Returns the error for a filter that the server cannot evaluate.
fn unsupported(message: &str) -> Error {
    Error::invalid_field("filter", message)
}
