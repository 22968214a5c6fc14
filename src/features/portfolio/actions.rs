//! Favorites and reviews of chart kinds. Kinds are named by their UUIDs.

use super::catalogue;
use super::catalogue::KindInfo;
use super::rules::NewReview;
use super::store;
use super::store::Review;
use chartroom_platform::db::Tx;
use chartroom_platform::db::WriteTx;
use chartroom_platform::error::Result;
use chartroom_platform::id::AccountId;

/// One page of the public reviews of a kind.
pub struct ReviewPage {
    /// Reviews on this page, newest first.
    pub reviews: Vec<Review>,
    /// Number of reviews on all pages.
    pub count: i64,
}

/// Returns the favorite kinds of a user, in the order in which they were marked.
/// Leaves out kinds that the catalogue no longer has, as do the other lists here.
pub fn list_favorites(tx: &Tx<'_>, user: &AccountId) -> Result<Vec<String>> {
    Ok(keep_existing_kinds(store::list_favorites(tx, user)?))
}

/// Returns the kinds of a user's own documents, the last changed document first, at most `limit`.
/// Each kind occurs once. Documents in the trash do not count.
pub fn list_recent(tx: &Tx<'_>, user: &AccountId, limit: usize) -> Result<Vec<String>> {
    let mut kinds = keep_existing_kinds(store::list_recent_kinds(tx, user)?);
    kinds.truncate(limit);
    Ok(kinds)
}

/// Returns the kinds with the best mean ratings, the best first, at most `limit`.
/// Kinds without ratings are absent. Reviews that are not public count too.
pub fn list_top_rated(tx: &Tx<'_>, limit: usize) -> Result<Vec<String>> {
    let ratings = store::list_ratings(tx)?;
    let mut kinds = keep_existing_kinds(ratings.into_iter().map(|rating| rating.kind).collect());
    kinds.truncate(limit);
    Ok(kinds)
}

/// Marks a kind as a favorite of a user and returns all favorites. Does nothing if it is marked
/// already.
pub fn add_favorite(tx: &WriteTx<'_>, user: &AccountId, kind: &KindInfo) -> Result<Vec<String>> {
    store::add_favorite(tx, user, &kind.id)?;
    list_favorites(tx, user)
}

/// Removes a kind from the favorites of a user and returns the others. Does nothing if it is not
/// marked.
pub fn remove_favorite(tx: &WriteTx<'_>, user: &AccountId, kind: &KindInfo) -> Result<Vec<String>> {
    store::remove_favorite(tx, user, &kind.id)?;
    list_favorites(tx, user)
}

/// Stores a user's review of a kind, which the caller has checked. It replaces
/// an earlier one by the same user.
pub fn review_kind(
    tx: &WriteTx<'_>,
    user: &AccountId,
    kind: &KindInfo,
    review: &NewReview,
) -> Result<()> {
    store::put_review(tx, user, &kind.id, review)
}

/// Returns one page of the public reviews of a kind. The count includes those on other pages.
pub fn list_public_reviews(
    tx: &Tx<'_>,
    kind: &KindInfo,
    offset: u32,
    limit: u32,
) -> Result<ReviewPage> {
    Ok(ReviewPage {
        reviews: store::list_public_reviews(tx, &kind.id, offset.into(), limit.into())?,
        count: store::count_public_reviews(tx, &kind.id)?,
    })
}

/// Removes the ids of kinds that the catalogue no longer has. Keeps the order of the others.
fn keep_existing_kinds(ids: Vec<String>) -> Vec<String> {
    ids.into_iter().filter(|id| catalogue::find_kind(id).is_some()).collect()
}
