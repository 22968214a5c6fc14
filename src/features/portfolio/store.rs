//! SQL of tables `favorite` and `review`.

use rusqlite::named_params;

use super::rules::NewReview;
use chartroom_platform::db::Tx;
use chartroom_platform::db::WriteTx;
use chartroom_platform::error::Result;
use chartroom_platform::id::AccountId;
use chartroom_platform::time::Timestamp;

/// Aggregated ratings of one kind.
pub struct KindRating {
    /// UUID of the kind.
    pub kind: String,
    /// Mean rating, 1 to 5.
    pub average: f64,
    /// Number of ratings.
    pub count: i64,
}

/// A public review.
pub struct Review {
    /// Rating, 1 to 5.
    pub rating: i64,
    /// Text.
    pub feedback: String,
    /// Name of the author.
    pub author_name: String,
    /// Time of creation.
    pub created: Timestamp,
}

/// Returns the UUIDs of a user's favorite kinds, in the order in which they were marked.
pub fn list_favorites(tx: &Tx<'_>, user: &AccountId) -> Result<Vec<String>> {
    tx.all(
        "select kind from favorite where user_id = :user order by created, kind",
        named_params! { ":user": user },
        |row| row.get("kind"),
    )
}

/// Marks a kind as favorite. Does nothing if it is marked.
pub fn add_favorite(tx: &WriteTx<'_>, user: &AccountId, kind: &str) -> Result<()> {
    tx.execute(
        "insert into favorite (user_id, kind, created) values (:user, :kind, :now)
         on conflict do nothing",
        named_params! { ":user": user, ":kind": kind, ":now": tx.now },
    )?;
    Ok(())
}

/// Unmarks a kind. Does nothing if it is not marked.
pub fn remove_favorite(tx: &WriteTx<'_>, user: &AccountId, kind: &str) -> Result<()> {
    tx.execute(
        "delete from favorite where user_id = :user and kind = :kind",
        named_params! { ":user": user, ":kind": kind },
    )?;
    Ok(())
}

/// Returns the kinds of the documents that a user owns outside the trash, each once, the last
/// changed document first (reads `node`, `document`).
pub fn list_recent_kinds(tx: &Tx<'_>, user: &AccountId) -> Result<Vec<String>> {
    tx.all(
        "select document.kind
         from node join document on document.id = node.id
         where node.owner = :user and node.type = 'document' and node.deleted is null
         group by document.kind
         order by max(node.updated) desc",
        named_params! { ":user": user },
        |row| row.get("kind"),
    )
}

/// Returns the ratings of all kinds that have any, best mean first. Includes reviews that are not
/// public. Of equal means, the kind with more ratings is first.
pub fn list_ratings(tx: &Tx<'_>) -> Result<Vec<KindRating>> {
    tx.all(
        "select kind, avg(rating) as average, count(*) as count
         from review
         group by kind
         order by average desc, count desc, kind",
        [],
        |row| {
            Ok(KindRating {
                kind: row.get("kind")?,
                average: row.get("average")?,
                count: row.get("count")?,
            })
        },
    )
}

/// Inserts a user's review of a kind, or replaces the earlier one and its time.
pub fn put_review(
    tx: &WriteTx<'_>,
    user: &AccountId,
    kind: &str,
    review: &NewReview,
) -> Result<()> {
    tx.execute(
        "insert into review (kind, user_id, rating, feedback, public, created)
         values (:kind, :user, :rating, :feedback, :public, :now)
         on conflict (kind, user_id) do update
         set rating = :rating, feedback = :feedback, public = :public, created = :now",
        named_params! {
            ":kind": kind,
            ":user": user,
            ":rating": review.rating,
            ":feedback": review.feedback,
            ":public": review.is_public,
            ":now": tx.now,
        },
    )?;
    Ok(())
}

/// Returns one page of the public reviews of a kind, newest first (reads `user` for the names).
pub fn list_public_reviews(
    tx: &Tx<'_>,
    kind: &str,
    offset: i64,
    limit: i64,
) -> Result<Vec<Review>> {
    tx.all(
        "select review.rating, review.feedback, review.created, user.name
         from review join user on user.id = review.user_id
         where review.kind = :kind and review.public = 1
         order by review.created desc, review.user_id
         limit :limit offset :offset",
        named_params! { ":kind": kind, ":limit": limit, ":offset": offset },
        |row| {
            Ok(Review {
                rating: row.get("rating")?,
                feedback: row.get("feedback")?,
                created: row.get("created")?,
                author_name: row.get("name")?,
            })
        },
    )
}

/// Counts the public reviews of a kind.
pub fn count_public_reviews(tx: &Tx<'_>, kind: &str) -> Result<i64> {
    tx.one(
        "select count(*) as count from review where kind = :kind and public = 1",
        named_params! { ":kind": kind },
        |row| row.get("count"),
    )
}
