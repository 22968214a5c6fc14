//! The versions of a document: what they hold, how they are kept, compared and thinned out.
//!
//! Table: `version`. The newest version's content is the document itself. When a save replaces it,
//! the version that loses it gets a body of its own: compressed JSON, against an earlier body of
//! the same document that stands for itself. So reading any version takes at most two bodies, and
//! none depends on one that is itself written against another. A group of bodies ends when the next
//! one would be larger than those of the group are on average: then one that stands for itself
//! costs less in the long run.
//!
//! Records that are appended need no body: the versions before are the first records of what
//! follows. Saves of one author that come the same way within a minute are one version.
//!
//! **Who may read old versions.** Whoever reads the document by an account of his own: its owner,
//! the organization's people, those it is shared with by name or by team. Guests with a link and
//! readers of a public document may not: what was taken out of a document on purpose is still in its
//! older versions, and whoever publishes it means what it shows now. To them the history looks as if
//! there were none.

pub mod diff;
pub mod keep;
pub mod pack;
pub mod read;
pub mod store;
mod thin;
mod channel;
mod check;
mod content;

pub use channel::Channel;
pub use content::Version;
pub use thin::TASK as THIN_HISTORY;
pub use thin::run as thin_history;
pub use thin::run_at as thin_history_at;

use chartroom_platform::doctor::Look;

/// What `chartroom doctor` looks at: whether every version can be read.
pub const HISTORY_CHECK: Look = (check::NAME, check::check);
