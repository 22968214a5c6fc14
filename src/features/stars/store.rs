//! SQL of the table `star`. Reads the tables `node` and `document` of other features.

use rusqlite::named_params;

use chartroom_platform::db::Tx;
use chartroom_platform::db::WriteTx;
use chartroom_platform::error::Result;
use chartroom_platform::id::AccountId;
use chartroom_platform::id::NodeId;

/// A document with a star.
pub struct StarredDocument {
    pub id: NodeId,
    pub owner: AccountId,
    pub is_public: bool,
}

/// Lists the starred documents of a user that are not in the trash, last starred first.
pub fn list_starred(tx: &Tx<'_>, user: &AccountId) -> Result<Vec<StarredDocument>> {
    tx.all(
        "select node.id, node.owner, document.is_public
         from star
         join node on node.id = star.document
         join document on document.id = star.document
         where star.user_id = :user and node.deleted is null
         order by star.created desc, star.document desc",
        named_params! { ":user": user },
        |row| {
            Ok(StarredDocument {
                id: row.get("id")?,
                owner: row.get("owner")?,
                is_public: row.get("is_public")?,
            })
        },
    )
}

/// Returns the number of stars of a user, including those of documents in the trash.
pub fn count_stars(tx: &Tx<'_>, user: &AccountId) -> Result<u64> {
    tx.one(
        "select count(*) from star where user_id = :user",
        named_params! { ":user": user },
        |row| Ok(row.get::<_, i64>(0)?.unsigned_abs()),
    )
}

/// Stars a document. Does nothing if it has a star of the user.
pub fn add_star(tx: &WriteTx<'_>, user: &AccountId, document: &NodeId) -> Result<()> {
    tx.execute(
        "insert into star (user_id, document, created) values (:user, :document, :now)
         on conflict do nothing",
        named_params! { ":user": user, ":document": document, ":now": tx.now },
    )?;
    Ok(())
}

/// Removes the star of a document. Does nothing if there is none.
pub fn remove_star(tx: &WriteTx<'_>, user: &AccountId, document: &NodeId) -> Result<()> {
    tx.execute(
        "delete from star where user_id = :user and document = :document",
        named_params! { ":user": user, ":document": document },
    )?;
    Ok(())
}
