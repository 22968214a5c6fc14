//! Documents as the built-in pages show them.

use super::actions;
use super::actions::DocumentTarget;
use super::actions::images;
use super::history::Channel;
use super::image;
use super::image::InlineChart;
use super::image::RenderInput;
use super::render_options::RenderOptions;
use super::store;
use super::store::Document;
use super::store::document_order::DocumentOrder;
use crate::app::App;
use crate::features::access;
use crate::features::access::AccessLevel;
use crate::features::access::Caller;
use crate::features::access::Resource;
use crate::features::orgs;
use crate::features::portfolio;
use crate::features::tree;
use chartroom_platform::db::Tx;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;
use chartroom_platform::http::conditional::IfMatch;
use chartroom_platform::id::AccountId;
use chartroom_platform::id::NodeId;
use chartroom_platform::language;
use chartroom_platform::time::Timestamp;

/// Metadata of a document for a list or a page header.
pub struct DocumentSummary {
    /// Id of the document.
    pub id: NodeId,
    /// Account that owns the document.
    pub owner: AccountId,
    /// Name of the owner.
    pub owner_name: String,
    /// Title, possibly empty.
    pub title: String,
    /// Title of the chart kind.
    pub kind: &'static str,
    /// Absolute path of the folder.
    pub folder: String,
    /// Time of the last change.
    pub updated: Timestamp,
    /// Counter of changes.
    pub revision: i64,
    /// Width and height in points.
    pub size: (f64, f64),
    /// Whether everyone may read the document.
    pub is_public: bool,
}

/// A document for its own page: metadata, access and input for rendering.
pub struct DocumentDetails {
    /// Metadata of the document.
    pub summary: DocumentSummary,
    /// Whether the caller may change the document.
    pub can_write: bool,
    /// Whether the document is in the trash.
    pub in_trash: bool,
    /// Whether the caller may read the folder that contains the document.
    pub can_read_folder: bool,
    input: RenderInput,
}

impl DocumentDetails {
    /// Renders image, description and data table. Call it without an open transaction.
    ///
    /// # Errors
    /// `NotFound` if the chart kind does not exist. `TooLarge` if the document is too large to
    /// render. `Busy` if other renders hold the memory for too long.
    pub fn render_inline(&self, app: &App) -> Result<InlineChart> {
        images::render_inline(app, &self.input)
    }
}

/// Returns the number of documents that a user and their organizations own, and the ids of one page
/// of them, most recently changed first. The page skips `offset` documents and has at most `limit`.
/// See [`list_owned`].
pub fn list_recent(
    tx: &Tx<'_>,
    user: &AccountId,
    offset: u64,
    limit: u64,
) -> Result<(u64, Vec<NodeId>)> {
    list_owned(tx, user, None, &DocumentOrder::default(), (offset, limit))
}

/// Returns the number of documents that a user and their organizations own and that pass the filter of
/// `order`, and the ids of one page of them in this order: at most `limit` after the first `offset`.
/// With `owner`, lists only the documents of this one.
///
/// Both exclude the trash and, unless the user is an admin of the organization, the folders of
/// teams without the user, at any depth. An access entry on such a folder does not change that.
///
/// # Errors
/// `InvalidFields` about `owner` if it is neither the user nor one of their organizations.
pub fn list_owned(
    tx: &Tx<'_>,
    user: &AccountId,
    owner: Option<&str>,
    order: &DocumentOrder,
    (offset, limit): (u64, u64),
) -> Result<(u64, Vec<NodeId>)> {
    let is_listed = |id: &AccountId| owner.is_none_or(|owner| owner == id.as_str());
    let mut owners: Vec<AccountId> = Some(user.clone()).filter(is_listed).into_iter().collect();
    let mut closed = Vec::new();
    for membership in orgs::list_memberships(tx, user)? {
        if is_listed(&membership.org.id) {
            closed.extend(access::list_closed_folders(tx, user, &membership)?);
            owners.push(membership.org.id);
        }
    }
    if owners.is_empty() {
        let message = "must be your account or one of your organizations";
        return Err(Error::invalid_field("owner", message));
    }
    let count = store::count_owned_documents(tx, &owners, &closed, order)?;
    Ok((count, store::list_owned_documents(tx, &owners, &closed, order, (offset, limit))?))
}

/// Returns the metadata of a document that the caller may read. `owner` names its owner or the
/// caller. A document in the trash needs write access.
///
/// # Errors
/// `NotFound` if it does not exist, has another owner, or the caller may not read it. In these
/// cases `SignInRequired` for a caller who is not signed in and has no share link.
pub fn load_summary(
    tx: &Tx<'_>,
    caller: &Caller,
    owner: &str,
    id: &NodeId,
) -> Result<DocumentSummary> {
    let (document, _) = find_readable(tx, caller, owner, id)?;
    summarize(tx, document)
}

/// Returns a document that the caller may read, with its records and the caller's rights. It may be
/// in the trash if the caller may change it. `owner` names its owner or the caller.
///
/// # Errors
/// The errors of [`load_summary`].
pub fn load_details(
    tx: &Tx<'_>,
    caller: &Caller,
    owner: &str,
    id: &NodeId,
) -> Result<DocumentDetails> {
    let (document, level) = find_readable(tx, caller, owner, id)?;
    let folder = Resource {
        node: document.parent.as_ref(),
        owner: &document.owner,
        is_public: false,
        in_trash: false,
    };
    Ok(DocumentDetails {
        can_write: level == AccessLevel::Write,
        in_trash: document.deleted.is_some(),
        can_read_folder: access::access_level(tx, caller, &folder)? != AccessLevel::None,
        input: image::load_render_input(tx, document.clone())?,
        summary: summarize(tx, document)?,
    })
}

/// Returns a document that the caller may read, and the caller's access level. `owner` names its
/// owner or the caller.
fn find_readable(
    tx: &Tx<'_>,
    caller: &Caller,
    owner: &str,
    id: &NodeId,
) -> Result<(Document, AccessLevel)> {
    let target = DocumentTarget {
        user: owner.to_owned(),
        id: id.clone(),
        if_match: IfMatch::default(),
        channel: Channel::Web,
    };
    actions::find_readable(tx, caller, &target)
}

/// Returns the metadata of a document. The kind has a general name if the stored kind does not exist. The
/// size is that of the document's layout, and the folder is the path of its parent.
fn summarize(tx: &Tx<'_>, document: Document) -> Result<DocumentSummary> {
    Ok(DocumentSummary {
        folder: tree::folder_path(tx, document.parent.as_ref())?.to_string(),
        size: image::document_size(&document, &RenderOptions::default())?,
        kind: portfolio::find_kind(&document.kind)
            .map_or_else(|| language::text("kinds.chart"), |kind| &kind.localized().title),
        id: document.id,
        owner: document.owner,
        owner_name: document.owner_name,
        title: document.title,
        updated: document.updated,
        revision: document.revision,
        is_public: document.is_public,
    })
}
