//! SQL of table `theme`.

use rusqlite::Row;
use rusqlite::named_params;

use chartroom_platform::db::Tx;
use chartroom_platform::db::WriteTx;
use chartroom_platform::error::Result;
use chartroom_platform::id::AccountId;
use chartroom_platform::time::Timestamp;

/// A stored theme.
#[derive(Debug, Clone)]
pub struct StoredTheme {
    /// Name, unique in the organization.
    pub name: String,
    /// JSON object with all fields of a theme.
    pub content: String,
    /// Time of creation.
    pub created: Timestamp,
    /// Time of the last change.
    pub updated: Timestamp,
}

const SELECT_THEME: &str = "select name, content, created, updated from theme";

/// Reads the columns of `SELECT_THEME`.
fn theme_from_row(row: &Row<'_>) -> rusqlite::Result<StoredTheme> {
    Ok(StoredTheme {
        name: row.get("name")?,
        content: row.get("content")?,
        created: row.get("created")?,
        updated: row.get("updated")?,
    })
}

/// Returns the themes of an organization, by name.
pub fn list_themes(tx: &Tx<'_>, org: &AccountId) -> Result<Vec<StoredTheme>> {
    tx.all(
        &format!("{SELECT_THEME} where org_id = :org order by name"),
        named_params! { ":org": org },
        theme_from_row,
    )
}

/// Returns a theme of an organization. None if there is none with this name.
pub fn find_theme(tx: &Tx<'_>, org: &AccountId, name: &str) -> Result<Option<StoredTheme>> {
    tx.find(
        &format!("{SELECT_THEME} where org_id = :org and name = :name"),
        named_params! { ":org": org, ":name": name },
        theme_from_row,
    )
}

/// Returns the content of a theme as JSON object. None if there is none with this name.
pub fn find_content(tx: &Tx<'_>, org: &AccountId, name: &str) -> Result<Option<String>> {
    Ok(find_theme(tx, org, name)?.map(|theme| theme.content))
}

/// Counts the themes of an organization.
pub fn count_themes(tx: &Tx<'_>, org: &AccountId) -> Result<u32> {
    tx.one(
        "select count(*) as themes from theme where org_id = :org",
        named_params! { ":org": org },
        |row| row.get("themes"),
    )
}

/// The assets that a theme names.
#[derive(Debug, Clone)]
pub struct ThemeReferences {
    /// Name of the theme.
    pub theme: String,
    /// Filename of the logo. Empty without a logo.
    pub logo: String,
    /// Family names of the fonts of the title and of the body text.
    pub families: [String; 2],
}

/// Returns the assets that each theme of an organization names, by name of the theme.
pub fn list_references(tx: &Tx<'_>, org: &AccountId) -> Result<Vec<ThemeReferences>> {
    tx.all(
        "select name, ifnull(content ->> '$.logo', '') as logo,
                ifnull(content ->> '$.fonts.title.family', '') as title_family,
                ifnull(content ->> '$.fonts.body.family', '') as body_family
         from theme
         where org_id = :org
         order by name",
        named_params! { ":org": org },
        |row| {
            Ok(ThemeReferences {
                theme: row.get("name")?,
                logo: row.get("logo")?,
                families: [row.get("title_family")?, row.get("body_family")?],
            })
        },
    )
}

/// Inserts a theme, which must not exist. `author` is an account id.
pub fn insert_theme(
    tx: &WriteTx<'_>,
    org: &AccountId,
    name: &str,
    content: &str,
    author: &AccountId,
) -> Result<()> {
    tx.execute(
        "insert into theme (org_id, name, content, created, updated, updated_by)
         values (:org, :name, :content, :now, :now, :by)",
        named_params! {
            ":org": org,
            ":name": name,
            ":content": content,
            ":now": tx.now,
            ":by": author,
        },
    )?;
    Ok(())
}

/// Replaces the content of a theme. Does nothing if there is none with this name.
pub fn update_theme(
    tx: &WriteTx<'_>,
    org: &AccountId,
    name: &str,
    content: &str,
    author: &AccountId,
) -> Result<()> {
    tx.execute(
        "update theme
         set content = :content, updated = :now, updated_by = :by
         where org_id = :org and name = :name",
        named_params! {
            ":org": org,
            ":name": name,
            ":content": content,
            ":now": tx.now,
            ":by": author,
        },
    )?;
    Ok(())
}

/// Deletes a theme. Does nothing if there is none with this name.
pub fn delete_theme(tx: &WriteTx<'_>, org: &AccountId, name: &str) -> Result<()> {
    tx.execute(
        "delete from theme where org_id = :org and name = :name",
        named_params! { ":org": org, ":name": name },
    )?;
    Ok(())
}
