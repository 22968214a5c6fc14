//! Download tokens: who may make them, and what they open.

use std::time::Duration;

use super::Target;
use super::readable;
use super::require;
use crate::features::access::Caller;
use crate::features::access::Level;
use crate::features::documents::download;
use crate::features::documents::download::Format;
use crate::features::documents::download::Grant;
use crate::features::documents::download::Maker;
use crate::features::documents::store;
use crate::features::documents::store::Head;
use crate::features::documents::store::tokens;
use chartroom_platform::crypto::ServerKey;
use chartroom_platform::db::Tx;
use chartroom_platform::db::WriteTx;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;

/// What a token shall open, and how long.
#[derive(Debug, Clone, Copy)]
pub struct Wish {
    /// None is all forms.
    pub format: Option<Format>,
    /// Whether the picture comes without its background.
    pub transparent: bool,
    pub lifetime: Duration,
}

impl Default for Wish {
    fn default() -> Self {
        let lifetime = Duration::from_secs(download::LIFETIME_SECONDS);
        Self { format: None, transparent: false, lifetime }
    }
}

/// A grant on a document that `caller` may read, at the time of the transaction.
pub fn grant(tx: &Tx<'_>, caller: &Caller, head: &Head, wish: Wish) -> Grant {
    Grant {
        maker: maker(tx, caller, head),
        format: wish.format,
        transparent: wish.transparent,
        expires: tx.now.after(wish.lifetime),
    }
}

/// Whose access a token of `caller` lends: his account's, if that opens the document, else that of
/// the share link he came by. A public document may be open to him without either.
fn maker(tx: &Tx<'_>, caller: &Caller, head: &Head) -> Maker {
    let account = caller.id().map(|it| Maker::Account(it.clone()));
    let link = caller.share.map(Maker::Link);
    let reads = |maker: &Maker| require(tx, &maker.caller(), head, Level::Read).is_ok();
    account.into_iter().chain(link).find(reads).unwrap_or(Maker::Anybody)
}

/// Makes a token, which is the newest of its maker from now on.
///
/// # Errors
/// As of reading the document; `Conflict` while it is in the trash, where no token opens it.
pub fn make(
    tx: &WriteTx<'_>,
    caller: &Caller,
    target: &Target,
    wish: Wish,
) -> Result<(Head, Grant)> {
    let head = lendable(tx, caller, target)?;
    let grant = grant(tx, caller, &head, wish);
    let maker = grant.maker.to_string();
    tokens::put(tx, &head.id, &maker, &grant.to_string(), grant.expires)?;
    Ok((head, grant))
}

/// The newest token of the caller that is still valid.
///
/// # Errors
/// As of [`make`].
pub fn newest(tx: &Tx<'_>, caller: &Caller, target: &Target) -> Result<Option<(Head, Grant)>> {
    let head = lendable(tx, caller, target)?;
    let text = tokens::find(tx, &head.id, &maker(tx, caller, &head).to_string())?;
    Ok(text.and_then(|it| download::parse(&it)).map(|grant| (head, grant)))
}

fn lendable(tx: &Tx<'_>, caller: &Caller, target: &Target) -> Result<Head> {
    let (head, _) = readable(tx, caller, target)?;
    head.check_present()?;
    Ok(head)
}

/// The document that a token opens in this form, and what the token says. Whoever moves the
/// document to another account does not end it.
///
/// # Errors
/// `SignIn`, in the same words for every reason why it does not open.
pub fn opened(
    tx: &Tx<'_>,
    key: &ServerKey,
    target: &Target,
    token: &str,
    format: Format,
) -> Result<(Head, Grant)> {
    const OVER: Error = Error::SignIn("this address is not valid any more");
    let grant = download::read(key, &target.id, token, tx.now).ok_or(OVER)?;
    let head = store::find(tx, &target.id)?.ok_or(OVER)?;
    let is_for = grant.format.is_none_or(|it| it == format);
    let is_enabled = match &grant.maker {
        Maker::Account(id) => store::is_enabled(tx, id)?,
        Maker::Link(_) | Maker::Anybody => true,
    };
    if !is_for || !is_enabled || head.deleted.is_some() {
        return Err(OVER);
    }
    require(tx, &grant.maker.caller(), &head, Level::Read).map_err(|_| OVER)?;
    Ok((head, grant))
}
