//! Version history of documents: storage, reading, comparison and thinning.
//!
//! Table: `version`. The newest version has no content of its own because its content is the
//! document. When a save changes the document, the previous newest version is *detached*: it gets a
//! *body*, which is its content as compressed JSON.
//!
//! A body is either a *base body*, which can be decompressed alone, or it is compressed against an
//! earlier base body of the same document. A base body never depends on another body, so that
//! reading any version decompresses at most two bodies. A base body and the bodies compressed
//! against it form a *group*. A new group starts when the next body would be larger than the
//! average of the group, because from then on a new base body needs less space.
//!
//! A version without a body shares the content of the next version that has one (or of the
//! document) and consists of its first `record_count` records. Therefore appended records need no
//! body.
//!
//! Saves by one author through one channel within a minute are merged into one version.
//!
//! **Access to old versions.** Only callers who can read the document through their own account:
//! the owner, members of the organization, and users or teams with an access entry. Guests with a
//! link and readers of a public document cannot. Text that an author removed on purpose is still in
//! older versions, and publishing a document publishes only its current content. For these callers
//! the history endpoints respond as if the document had no history.

pub mod diff;
pub mod writer;
mod compression;
pub mod reader;
pub mod store;
mod thinning;
mod channel;
mod doctor;
mod content;

pub use channel::Channel;
pub use content::Version;
pub use store::AuthoredVersion;
pub use thinning::thin_history_at;

use chartroom_platform::doctor::FeatureCheck;

/// Check of `chartroom doctor` that decodes every version of every document.
pub const HISTORY_CHECK: FeatureCheck = (doctor::CHECK_NAME, doctor::check_history);
