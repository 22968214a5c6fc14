//! Uploaded avatars: checks, storage and removal.
//!
//! An upload is decoded and encoded again, so that no byte of the file and no metadata, such as the
//! place where a photo was taken, is kept.

use std::time::Duration;

use super::store;
use crate::app::App;
use chartroom_charts::bitmap::Bitmap;
use chartroom_charts::bitmap::ImageLimits;
use chartroom_platform::crypto;
use chartroom_platform::db::Tx;
use chartroom_platform::error::Error;
use chartroom_platform::error::OrNotFound;
use chartroom_platform::error::Result;
use chartroom_platform::id::AccountId;

/// Maximum size of an uploaded file in bytes.
pub const MAX_AVATAR_BYTES: usize = 5 << 20;
/// Maximum size of a form with a file in bytes. A form with a larger file than allowed is read up to
/// this size, so that its page can show the error.
pub const MAX_FORM_BYTES: usize = 20 << 20;
/// Side of a stored avatar in pixels. A smaller image is not enlarged.
const SIDE_PX: u32 = 256;
/// Maximum time that an upload waits for memory.
const MAX_WAIT: Duration = Duration::from_secs(10);

/// Stores the center of an image file as the avatar of a user. `field` names the file in errors.
///
/// # Errors
/// `InvalidFields` about `field` if the file is no intact PNG, JPEG or WebP image within the limits.
/// `TooLarge` if it has more than [`MAX_AVATAR_BYTES`]. `Busy` if other requests use the memory for
/// large images.
pub fn set_avatar(app: &App, user: &AccountId, field: &str, file: &[u8]) -> Result<()> {
    if file.len() > MAX_AVATAR_BYTES {
        let text = format!("an avatar may have at most {} MiB", MAX_AVATAR_BYTES >> 20);
        return Err(Error::TooLarge(text));
    }
    let png = encode_avatar(app, file)?.ok_or_else(|| {
        let text = "must be an intact PNG, JPEG or WebP image of at most 8,192 pixels per side and \
                    16 million pixels";
        Error::invalid_field(field, text)
    })?;
    let (user, tag) = (user.clone(), crypto::content_hash_tag(&png));
    app.db.write(move |tx| {
        store::put_avatar(tx, &user, &png, &tag)?.then_some(()).or_not_found("user")
    })
}

/// Removes the avatar of a user, who gets the initials again. Does nothing without one.
pub fn remove_avatar(app: &App, user: &AccountId) -> Result<()> {
    let user = user.clone();
    app.db.write_with_reserve(move |tx| store::delete_avatar(tx, &user))
}

/// Returns whether a user has uploaded an avatar.
pub fn has_avatar(tx: &Tx<'_>, user: &AccountId) -> Result<bool> {
    Ok(store::find_tag(tx, user)?.is_some())
}

/// Returns the tag of the uploaded avatar of a user, and its PNG unless the caller has the version
/// with this tag, according to `is_current`. None without an avatar.
pub fn find_avatar(
    tx: &Tx<'_>,
    user: &AccountId,
    is_current: impl FnOnce(&str) -> bool,
) -> Result<Option<(String, Option<Vec<u8>>)>> {
    let Some(tag) = store::find_tag(tx, user)? else { return Ok(None) };
    let body = if is_current(&tag) { None } else { store::find_body(tx, user)? };
    Ok(Some((tag, body)))
}

/// Returns the center of an image file as a PNG of at most [`SIDE_PX`] per side. None if the file is
/// no image within the limits of [`ImageLimits::PHOTO`].
fn encode_avatar(app: &App, file: &[u8]) -> Result<Option<Vec<u8>>> {
    let bytes = Bitmap::estimate_memory_within(file, ImageLimits::PHOTO);
    let _memory = app.work_memory.reserve(bytes, MAX_WAIT).map_err(|_| Error::Busy)?;
    Ok(Bitmap::decode_within(file, ImageLimits::PHOTO).and_then(|image| image.square_png(SIDE_PX)))
}
