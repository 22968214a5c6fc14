//! JSON representation of a document, assembled from stored texts without parsing them.

mod changing_parts;

use std::rc::Rc;

use hyper::body::Bytes;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::app::App;
use crate::features::access::AccessLevel;
use crate::features::access::Ace;
use crate::features::access::Caller;
use crate::features::access::ShareLinks;
use crate::features::documents::background::Background;
use crate::features::documents::rules;
use crate::features::documents::store;
use crate::features::documents::store::Document;
use crate::features::documents::urls;
use crate::features::sync_jobs::DocumentSync;
use crate::features::tree;
use crate::features::tree::FolderPath;
use changing_parts::FolderAndAccess;
use changing_parts::SyncPart;
use changing_parts::context_key;
use changing_parts::load_folder_and_access;
use changing_parts::load_sync;
use chartroom_platform::db::Tx;
use chartroom_platform::error::Result;
use chartroom_platform::http::Response;
use chartroom_platform::id::AccountId;
use chartroom_platform::id::NodeId;
use chartroom_platform::language;
use chartroom_platform::time::Timestamp;

/// A document in a response.
///
/// Only describes the schema: [`write_document_json`] writes the text.
#[derive(JsonSchema)]
#[schemars(rename = "Document")]
#[expect(dead_code, reason = "describes the response, which is written as text")]
pub struct DocumentView {
    /// UUID.
    #[schemars(extend("x-placeholder" = "doc"))]
    id: String,
    /// Account id.
    #[schemars(extend("x-placeholder" = "user_id"))]
    owner: String,
    owner_name: String,
    /// Absolute path; `/` is the root.
    folder: String,
    /// UUID of the chart kind.
    plugin_id: String,
    title: String,
    settings: serde_json::Map<String, Value>,
    data: Vec<serde_json::Map<String, Value>>,
    /// Name of a theme.
    theme: String,
    custom_theme: Option<serde_json::Map<String, Value>>,
    style: Option<serde_json::Map<String, Value>>,
    /// SVG image that a client stored, if any.
    #[serde(skip_serializing_if = "Option::is_none")]
    svg: Option<String>,
    #[serde(rename = "isPublic")]
    is_public: bool,
    /// Schema version, assigned by clients.
    version: i64,
    created: Timestamp,
    updated: Timestamp,
    /// Account id.
    updated_by: String,
    /// Only for a document in the trash.
    #[serde(skip_serializing_if = "Option::is_none")]
    deleted_at: Option<Timestamp>,
    /// Number of the newest version.
    history_version: i64,
    /// Access of the caller: `r` (read) or `w` (write).
    mode: String,
    /// Access entries of the document and its folders. Callers without write access get only their
    /// own entries.
    acl: Vec<Ace>,
    urls: DocumentUrls,
    /// Only for a document with a source that keeps its data up to date.
    #[serde(skip_serializing_if = "Option::is_none")]
    sync: Option<DocumentSync>,
    /// With `transparent`.
    #[serde(skip_serializing_if = "Option::is_none")]
    background_color: Option<String>,
    /// With `transparent`, if the background of the theme is more than a color.
    #[serde(skip_serializing_if = "Option::is_none")]
    background_svg: Option<String>,
    /// With `include_download_url`: URL that downloads the image without credentials.
    #[serde(skip_serializing_if = "Option::is_none")]
    download_url: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    download_url_expires_at: Option<Timestamp>,
}

/// URLs that belong to a document.
#[derive(Debug, Serialize, JsonSchema)]
pub struct DocumentUrls {
    /// API URL of the document.
    pub endpoint: String,
    /// Page of the document.
    pub document_view: String,
    /// Page of the folder that contains the document.
    pub parent_folder: String,
    /// Name of that folder. Empty for the root.
    pub parent_folder_title: String,
    pub thumbnail: String,
}

/// Returns the URLs of a document that is in `folder`: of the API, the page, the folder's page and
/// the thumbnail. All start with `base_url`.
pub fn document_urls(
    base_url: &str,
    owner: &AccountId,
    id: &NodeId,
    folder: &FolderPath,
) -> DocumentUrls {
    let endpoint = urls::endpoint_url(base_url, owner, id);
    DocumentUrls {
        document_view: urls::page_url(base_url, owner, id),
        parent_folder: tree::folder_page_url(base_url, owner, folder),
        parent_folder_title: folder.name().to_owned(),
        thumbnail: format!("{endpoint}/thumbnail.png"),
        endpoint,
    }
}

/// URL that downloads an image without credentials.
pub struct DownloadUrl {
    pub url: String,
    pub expires: Timestamp,
}

/// The caller of a request and their access level on the document.
#[derive(Clone, Copy)]
pub struct Viewer<'a> {
    pub caller: &'a Caller,
    pub level: AccessLevel,
}

/// Parts of the representation that depend on the request.
#[derive(Default)]
pub struct OptionalFields {
    /// Background of the theme, requested with `transparent`.
    pub background: Option<Background>,
    /// Requested with `include_download_url`.
    pub download: Option<DownloadUrl>,
    /// Records of an older version, joined by commas, instead of the stored records.
    pub records: Option<String>,
}

impl OptionalFields {
    /// Returns true if the response has none of the parts: no background, no download URL, and the
    /// stored records.
    fn is_empty(&self) -> bool {
        self.background.is_none() && self.download.is_none() && self.records.is_none()
    }
}

/// Builds the JSON response with a document, its records and its entity tag, from the cache if
/// possible. The caller of this function must have checked access.
///
/// The tag starts with that of the revision. The expiry of the download URL follows, or else a
/// checksum of the folder and the visible access entries, and a checksum of the sync job. The
/// number of the version follows if `fields` contains the records of an older version, and a checksum
/// of the background if they contain one.
pub fn document_response(
    tx: &Tx<'_>,
    app: &App,
    document: &Document,
    viewer: Viewer<'_>,
    fields: &OptionalFields,
) -> Result<Response> {
    let Viewer { caller, level } = viewer;
    let links = ShareLinks { base_url: &app.config.base_url, key: &app.server_key };
    let mut tag = rules::entity_tag(tx.restore_epoch, document);
    let mut loaded = None;
    let load = || load_folder_and_access(tx, links, document, (caller, level));
    let checksum = match document.parent.is_some() || document.is_shared {
        true => tx.memoize(
            "folder and access of a document",
            &context_key(document, caller, level),
            || Ok(loaded.insert(load()?).checksum.clone()),
        )?,
        false => Rc::new(None),
    };
    if let Some(DownloadUrl { expires, .. }) = &fields.download {
        // Each response contains a new URL, so it needs a new tag.
        tag = format!("{tag}+{}", expires.0);
    } else if let Some(checksum) = checksum.as_ref() {
        // Sharing the document or moving its folder changes the response, but not the revision.
        tag = format!("{tag}+{checksum}");
    }
    let key = format!("{} {} {}", document.id, level.letter(), language::current().tag());
    let load_job = || load_sync(tx, document, level);
    let sync = tx.memoize("sync job of a document", key.as_bytes(), load_job)?;
    if let Some(SyncPart { checksum, .. }) = sync.as_ref() {
        // A run that finds no new data changes the response, but not the revision.
        tag = format!("{tag}+s{checksum}");
    }
    if fields.records.is_some() {
        // The tag starts with that of the current revision, so that a client can send the older
        // version back with `If-Match`.
        tag = format!("{tag}+v{}", document.history_version);
    }
    if let Some(background) = &fields.background {
        // A theme of an organization can change without the revision.
        tag = format!("{tag}+b{}", background.checksum());
    }
    let write = || {
        let context = loaded.map_or_else(load, Ok)?;
        let sync = sync.as_ref().as_ref();
        let parts = DocumentParts { document, context: &context, sync, level, fields };
        write_document_json(tx, links.base_url, &parts).map(Bytes::from)
    };
    let json = match tx.snapshot_number.is_some() && is_cacheable(document, fields) {
        true => cached_json(app, document, &tag, level, write)?,
        false => write()?,
    };
    Response::bytes("application/json", json).with_etag(&tag)
}

/// Maximum size of the records of a cached response. Writing the JSON takes as long as all other
/// work on such a request.
const MAX_CACHED_DATA_BYTES: i64 = 32 << 10;

/// Returns true if the JSON of this document may be cached: it has at most `MAX_CACHED_DATA_BYTES`
/// of records and no SVG image, is not in the trash, and `fields` has no optional parts.
fn is_cacheable(document: &Document, fields: &OptionalFields) -> bool {
    document.data_bytes <= MAX_CACHED_DATA_BYTES
        && document.svg.is_none()
        && document.deleted.is_none()
        && fields.is_empty()
}

/// Returns the JSON of a document from the cache, or calls `write` and caches its result.
///
/// The entity tag identifies the revision, the folder and the access entries. The rest of the key
/// covers values that the tag does not include. Must not be used in a write transaction: after a
/// rollback, the same tag could belong to other content.
fn cached_json(
    app: &App,
    document: &Document,
    tag: &str,
    level: AccessLevel,
    write: impl FnOnce() -> Result<Bytes>,
) -> Result<Bytes> {
    let public = if document.is_public { "public" } else { "" };
    let key = [tag, level.letter(), public, "\n", &document.owner_name].concat();
    if let Some(json) = app.response_cache.get(&key) {
        return Ok(json);
    }
    let json = write()?;
    app.response_cache.insert(key, json.clone());
    Ok(json)
}

/// Input of [`write_document_json`].
struct DocumentParts<'a> {
    document: &'a Document,
    context: &'a FolderAndAccess,
    sync: Option<&'a SyncPart>,
    level: AccessLevel,
    fields: &'a OptionalFields,
}

/// Returns the representation of a document as JSON. The order of the keys is fixed. Reads the
/// stored records unless `fields` contains those of an older version.
fn write_document_json(tx: &Tx<'_>, base_url: &str, parts: &DocumentParts<'_>) -> Result<Vec<u8>> {
    let DocumentParts { document, context, sync, level, fields } = *parts;
    let stored = document.settings.len()
        + document.style.as_ref().map_or(0, String::len)
        + document.svg.as_ref().map_or(0, String::len)
        + usize::try_from(document.data_bytes).unwrap_or(0);
    // 1,200 bytes are enough for all other fields.
    let mut out = JsonObjectWriter(Vec::with_capacity(stored + 1200));
    out.0.push(b'{');
    out.unescaped("id", document.id.as_str());
    out.unescaped("owner", document.owner.as_str());
    out.string("owner_name", &document.owner_name)?;
    out.string("folder", &context.folder.to_string())?;
    out.unescaped("plugin_id", &document.kind);
    out.string("title", &document.title)?;
    out.raw("settings", &document.settings);
    out.key("data");
    out.0.push(b'[');
    match &fields.records {
        Some(records) => out.0.extend_from_slice(records.as_bytes()),
        None => store::read_joined_records(tx, &document.content, &mut out.0)?,
    }
    out.0.push(b']');
    out.string("theme", &document.theme)?;
    out.raw("custom_theme", document.custom_theme.as_deref().unwrap_or("null"));
    out.raw("style", document.style.as_deref().unwrap_or("null"));
    if let Some(svg) = &document.svg {
        out.string("svg", svg)?;
    }
    out.value("isPublic", &document.is_public)?;
    out.value("version", &document.schema_version)?;
    out.value("created", &document.created)?;
    out.value("updated", &document.updated)?;
    out.unescaped("updated_by", &document.updated_by);
    if let Some(deleted) = &document.deleted {
        out.value("deleted_at", deleted)?;
    }
    out.value("history_version", &document.history_version)?;
    out.unescaped("mode", level.letter());
    out.raw("acl", context.acl.as_deref().unwrap_or("[]"));
    out.urls(base_url, document, &context.folder)?;
    if let Some(sync) = sync {
        out.raw("sync", &sync.json);
    }
    write_background_and_download(&mut out, fields)?;
    out.0.push(b'}');
    Ok(out.0)
}

/// Writes the members of the background and of the download URL that are present in `fields`.
fn write_background_and_download(
    out: &mut JsonObjectWriter,
    fields: &OptionalFields,
) -> Result<()> {
    if let Some(Background { color, svg }) = &fields.background {
        out.string("background_color", color)?;
        if let Some(svg) = svg {
            out.string("background_svg", svg)?;
        }
    }
    if let Some(DownloadUrl { url, expires }) = &fields.download {
        out.string("download_url", url)?;
        out.value("download_url_expires_at", expires)?;
    }
    Ok(())
}

/// Writes the members of a JSON object.
struct JsonObjectWriter(Vec<u8>);

impl JsonObjectWriter {
    /// Writes a key and a colon, after a comma unless it is the first key of its object. The key
    /// must not need escaping.
    fn key(&mut self, key: &str) {
        if self.0.last() != Some(&b'{') {
            self.0.push(b',');
        }
        self.0.push(b'"');
        self.0.extend_from_slice(key.as_bytes());
        self.0.extend_from_slice(b"\":");
    }

    /// Writes a member with a value that is JSON text already.
    fn raw(&mut self, key: &str, json: &str) {
        self.key(key);
        self.0.extend_from_slice(json.as_bytes());
    }

    /// Writes a member with a string, which is escaped.
    fn string(&mut self, key: &str, text: &str) -> Result<()> {
        self.value(key, text)
    }

    /// Writes a member with a string that needs no escaping, such as an id.
    fn unescaped(&mut self, key: &str, text: &str) {
        self.unescaped_parts(key, &[text], "");
    }

    /// Writes the member `urls`, like a serialized [`DocumentUrls`] of a document in `folder`.
    ///
    /// Building the struct first would take a tenth of the time of a response with a small
    /// document. Only the name of the folder may need escaping.
    fn urls(&mut self, base_url: &str, document: &Document, folder: &FolderPath) -> Result<()> {
        let (owner, id) = (document.owner.as_str(), document.id.as_str());
        let endpoint = [base_url, "/api/v1/users/", owner, "/documents/", id];
        self.raw("urls", "{");
        self.unescaped_parts("endpoint", &endpoint, "");
        self.unescaped_parts("document_view", &[base_url, "/d/", owner, "/", id], "");
        self.unescaped_parts(
            "parent_folder",
            &[&tree::folder_page_url(base_url, &document.owner, folder)],
            "",
        );
        self.string("parent_folder_title", folder.name())?;
        self.unescaped_parts("thumbnail", &endpoint, "/thumbnail.png");
        self.0.push(b'}');
        Ok(())
    }

    /// Writes a member with a string that consists of `parts` and `end`, none of which need
    /// escaping.
    fn unescaped_parts(&mut self, key: &str, parts: &[&str], end: &str) {
        self.key(key);
        self.0.push(b'"');
        parts.iter().for_each(|part| self.0.extend_from_slice(part.as_bytes()));
        self.0.extend_from_slice(end.as_bytes());
        self.0.push(b'"');
    }

    /// Writes a member with a value that is serialized as JSON.
    fn value<T: Serialize + ?Sized>(&mut self, key: &str, value: &T) -> Result<()> {
        self.key(key);
        Ok(serde_json::to_writer(&mut self.0, value)?)
    }
}

/// Returns the records of a document as JSON objects joined by commas. `document` must come from the
/// same transaction, because a change of the document can replace its content. Does not check access.
pub fn load_records(tx: &Tx<'_>, document: &Document) -> Result<Vec<u8>> {
    let mut records = Vec::with_capacity(usize::try_from(document.data_bytes).unwrap_or(0));
    store::read_joined_records(tx, &document.content, &mut records)?;
    Ok(records)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_are_written_like_the_serialized_struct() {
        let document =
            Document { owner: AccountId::from_text("12"), ..Document::empty(Timestamp(0)) };
        for path in ["/", "/Sales \"and\" more/Größe"] {
            let folder = FolderPath::parse(path).unwrap();
            let mut out = JsonObjectWriter(vec![b'{']);
            out.urls("https://charts.example.com", &document, &folder).unwrap();
            out.0.push(b'}');
            let want =
                document_urls("https://charts.example.com", &document.owner, &document.id, &folder);
            let want = serde_json::to_value(want);
            let found: Value = serde_json::from_slice(&out.0).unwrap();
            assert_eq!(found["urls"], want.unwrap(), "{path}");
        }
    }
}
