//! Defaults of new documents.

use rusqlite::named_params;

use chartroom_platform::db::Tx;
use chartroom_platform::error::Result;
use chartroom_platform::id::AccountId;

/// The choices of accounts for new documents. `None` if there is none.
pub struct DocumentDefaults {
    /// Layout preset as JSON text.
    pub layout: Option<String>,
    /// Id of the theme.
    pub theme: Option<String>,
}

/// Selects the layout preset of the user `:creator`, otherwise the first preset of the organization
/// `:owner`, or of the first organization, by name, that the user `:owner` is a member of and that has
/// presets. Also selects the theme of the organization `:owner`.
///
/// Each new document reads it. It reads only the rows of these accounts.
const FIND_DOCUMENT_DEFAULTS: &str = "
    select ifnull((select default_layout from user where id = :creator),
                  (select settings -> '$.layouts[0]'
                   from org
                   where id in (select :owner
                                union all
                                select org_id from member where user_id = :owner)
                     and settings -> '$.layouts[0]' is not null
                   order by name, id
                   limit 1)) as layout,
           (select default_theme from org where id = :owner) as theme";

/// Returns the defaults of a new document that the user `creator` creates for the account `owner`.
///
/// Reads `user`, `org` and `member`.
pub fn find_document_defaults(
    tx: &Tx<'_>,
    creator: &AccountId,
    owner: &AccountId,
) -> Result<DocumentDefaults> {
    tx.one(FIND_DOCUMENT_DEFAULTS, named_params! { ":creator": creator, ":owner": owner }, |row| {
        Ok(DocumentDefaults { layout: row.get("layout")?, theme: row.get("theme")? })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use chartroom_platform::db::schema::full_scans;

    #[test]
    fn the_defaults_of_a_document_need_no_scan_of_all_organizations() {
        assert_eq!(full_scans(FIND_DOCUMENT_DEFAULTS).unwrap(), ["SCAN CONSTANT ROW"; 2]);
    }
}
