//! The full-text index of documents and folders, stored beside the database.
//!
//! A search returns node ids. The query itself contains the restriction to nodes that the caller
//! may see, see [`SearchScope`].
//!
//! The index contains nothing that the database does not contain. A [`SearchIndexWriter`] copies
//! changes in the order of their change numbers, and each commit stores the last change number. An
//! index that is missing, damaged, of another version or of another database is rebuilt.

mod excerpt;
mod fields;
mod index;
mod index_writer;
mod merge;
mod query;
mod query_plan;
mod scope;
mod tokenizer;

pub use excerpt::escape_beginning;
pub use excerpt::highlight_excerpt;
pub use index::INDEX_DIR_NAME;
pub use index::SearchIndex;
pub use index::SearchPage;
pub use index_writer::IndexContents;
pub use index_writer::IndexEntry;
pub use index_writer::IndexSource;
pub use index_writer::SearchIndexWriter;
pub use index_writer::is_index_error;
pub use index_writer::read_contents;
pub use query::ParsedQuery;
pub use scope::OwnerScope;
pub use scope::SearchScope;
